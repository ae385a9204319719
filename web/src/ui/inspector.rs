//! The inspector: what is selected, to be edited; the workflow itself when nothing is.

use leptos::prelude::*;
use stepweave_core::document::{Document, OnError};
use stepweave_core::edit::slot_of;
use stepweave_core::rename::Named;

use self::fields::bound::Bound;
use self::fields::edits::Edits;
use self::outcome::run_of_step::RunOfStep;
use self::step::StepKindFields;
use self::step::more::MoreFields;
use self::step::passing::PassingFields;
use crate::page::division::Part;
use crate::page::icon::{CLOSE, COPY, TRASH, icon, of_kind};
use crate::page::removal::remove;
use crate::page::state::app;
use crate::step::kinds::Kind;
use crate::ui::field::TextField;
use crate::ui::splitter::Splitter;

pub mod clipping;
pub mod fields;
pub mod outcome;
pub mod several;
pub mod step;
pub mod workflow;

/// The inspector's frame.
#[component]
pub fn Inspector() -> impl IntoView {
    let app = app();
    let width = app.division.size(Part::Inspector);
    view! {
        <Splitter part=Part::Inspector />
        <aside class="inspector" class:open=app.inspecting aria-label="Inspector" style=("--width", move || format!("{}px", width.get()))>
            <button class="icon-button inspector-close" title="Close" aria-label="Close the inspector" on:click=move |_| app.inspecting.set(false)>
                {icon(CLOSE)}
            </button>
            {app.chunks.views.show("The inspector", |views| (views.inspector)())}
        </aside>
    }
}

/// What is in the frame.
#[component]
pub fn Fields() -> impl IntoView {
    let app = app();
    clipping::listen(app);
    // Only another selection, or another kind under the same id, makes other fields.
    let shown = Memo::new(move |_| {
        if app.editor.selection.with(|selection| selection.len() > 1) {
            return Shown::Several;
        }
        let id = app.editor.selected.get();
        let step = id.and_then(|id| Some((app.editor.step(&id, Kind::of)?, id)));
        step.map_or(Shown::Workflow, |(kind, id)| Shown::Step(id, kind))
    });
    move || match shown.get() {
        Shown::Several => view! { <several::SeveralFields /> }.into_any(),
        Shown::Step(id, kind) => view! { <StepFields id=id kind=kind /> }.into_any(),
        Shown::Workflow => view! { <workflow::WorkflowFields /> }.into_any(),
    }
}

/// What the inspector shows.
#[derive(Clone, PartialEq)]
enum Shown {
    Workflow,
    Step(String, Kind),
    Several,
}

#[component]
fn StepFields(id: String, kind: Kind) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    // The steps of tools are no cards: their list is edited where the tool is.
    let has_slot = editor.document.with_untracked(|document| slot_of(document, &id).is_some());
    let id = StoredValue::new(id);
    let named = Bound::new(&id.get_value(), "name", |step| step.name.clone(), |step, name| step.name = name);
    let (name, name_flaw) = (named.signal(), named.flaw());
    let renamed = StoredValue::new(named);
    let name_hint = Signal::derive(move || match kind {
        Kind::Agent | Kind::Http | Kind::Approval => format!("Its answer becomes {}_output", name.get()),
        Kind::Foreach => format!("Its results become {}_output", name.get()),
        _ => String::new(),
    });
    view! {
        <header class="inspector-head" data-kind=kind.word()>
            <span class="kind-icon">{icon(of_kind(kind))}</span>
            <div><h2>{move || name.get()}</h2><small>{kind.label()} " · " {id.get_value()}</small></div>
            {has_slot.then(|| view! {
                <button class="icon-button" title="Duplicate (Ctrl+D)" aria-label="Duplicate" on:click=move |_| editor.duplicate(&[id.get_value()])>
                    {icon(COPY)}
                </button>
                <button class="icon-button danger" title="Delete (Del)" aria-label="Delete" on:click=move |_| remove(app, &[id.get_value()])>
                    {icon(TRASH)}
                </button>
            })}
        </header>
        <div class="inspector-body">
            <RunOfStep id=id.get_value() />
            <Edits>
            <section>
                <TextField label="Name" value=name flaw=name_flaw hint=name_hint
                    on_input=move |text: String| renamed.with_value(|named| {
                        let step = |_: &Document| Some(Named::Step(id.get_value()));
                        editor.type_name(&named.field(), step, &text, || named.type_in(text.clone()));
                    }) on_leave=move |()| editor.seal() />
                <PassingFields id=id.get_value() />
                <StepKindFields id=id.get_value() kind=kind />
            </section>
            <MoreFields id=id.get_value() kind=kind />
            </Edits>
        </div>
    }
}

/// A value with what people call it, for a choice.
fn owned((value, text): (&str, &str)) -> (String, String) {
    (value.to_owned(), text.to_owned())
}

fn word_of(on_error: OnError) -> &'static str {
    match on_error {
        OnError::Stop => "stop",
        OnError::Continue => "continue",
    }
}

fn on_error_of(word: &str) -> Option<OnError> {
    match word {
        "stop" => Some(OnError::Stop),
        "continue" => Some(OnError::Continue),
        _ => None,
    }
}
