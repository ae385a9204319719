//! The inspector: what is selected, to be edited; the workflow itself when nothing is.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::{ev, html};
use stepweave_core::document::{Document, OnError};
use stepweave_core::edit::slot_of;
use stepweave_core::rename::Named;
use stepweave_core::state::output_key;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use self::fields::bound::{Bound, StepId};
use self::fields::edits::Edits;
use self::outcome::run_of_step::RunOfStep;
use self::step::StepKindFields;
use self::step::more::MoreFields;
use self::step::passing::PassingFields;
use crate::geometry::px;
use crate::model::completions::written_name;
use crate::model::naming::plain_name;
use crate::page::division::Part;
use crate::page::icon::{CLOSE, COPY, TRASH, icon, of_kind};
use crate::page::narrow::is_narrow;
use crate::page::removal::remove;
use crate::page::state::{App, app};
use crate::step::kinds::Kind;
use crate::ui::field::{TextField, below};
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
        <aside class="inspector" class:open=app.inspecting aria-label="Inspector" tabindex="-1" style=("--width", move || px(width.get()))>
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
    open_by_double_click(app);
    let several = Memo::new(move |_| app.editor.selection.with(|selection| selection.len() > 1));
    let step = Memo::new(move |_| {
        let id = app.editor.selected.get().filter(|_| !several.get())?;
        Some(Shown { kind: app.editor.step(&id, Kind::of)?, id: id.into() })
    });
    let shows_step = Memo::new(move |_| step.with(Option::is_some));
    move || match (several.get(), shows_step.get()) {
        (true, _) => view! { <several::SeveralFields /> }.into_any(),
        (false, true) => {
            step.get_untracked().map(|first| view! { <StepFields first=first step=step /> }).into_any()
        }
        (false, false) => view! { <workflow::WorkflowFields /> }.into_any(),
    }
}

/// Where there is no room beside the canvas, a double click on a card opens its form, as a tap does.
fn open_by_double_click(app: App) {
    let clicks = window_event_listener(ev::dblclick, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_card = |element: Element| {
            let around = |selector| element.closest(selector).ok().flatten();
            around(".card").is_some() && around(".paper, button").is_none()
        };
        if is_narrow() && target.is_some_and(is_card) {
            app.inspecting.set(true);
        }
    });
    on_cleanup(move || clicks.remove());
}

/// The step that the inspector shows.
#[derive(Clone, PartialEq)]
struct Shown {
    id: Arc<str>,
    kind: Kind,
}

/// The form of the selected step. It stays when another step is selected: what every step has, and what each of a kind
/// has, follows; only what keeps something of its own, such as what is typed and is no value yet, is made anew.
#[component]
fn StepFields(
    /// The step that it shows first.
    first: Shown,
    /// The step that it shows; the last one where none is selected any more.
    step: Memo<Option<Shown>>,
) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let shown = Memo::new(move |before: Option<&Shown>| {
        step.get().unwrap_or_else(|| before.unwrap_or(&first).clone())
    });
    let id = StepId::following(Memo::new(move |_| shown.with(|shown| Arc::clone(&shown.id))));
    let kind = Memo::new(move |_| shown.with(|shown| shown.kind));
    // The steps of tools are no cards: their list is edited where the tool is.
    let has_slot = Memo::new(move |_| {
        let id = id.get();
        editor.document.with_untracked(|document| slot_of(document, &id).is_some())
    });
    let body = NodeRef::<html::Div>::new();
    let scrolled = begin_anew(id, body);
    let named = Bound::new(id, "name", |step| step.name.clone(), |step, name| step.name = name);
    let (name, name_flaw) = (named.signal(), named.flaw());
    let renamed = StoredValue::new(named);
    let name_hint = Signal::derive(move || match kind.get() {
        Kind::Agent | Kind::Http | Kind::Approval => format!("Its answer becomes {}", read_as(&name.get())),
        Kind::Foreach => format!("Its results become {}", read_as(&name.get())),
        _ => String::new(),
    });
    let type_name = move |text: String| {
        renamed.with_value(|named| {
            let step = |_: &Document| Some(Named::Step(id.now().to_string()));
            editor.type_name(&named.field(), step, &text, || named.type_in(text.clone()));
        });
    };
    let plainer = Memo::new(move |_| {
        let has_answer = name_hint.with(|hint| !hint.is_empty());
        editor.document.with(|document| name.with(|name| plain_name(document, name))).filter(|_| has_answer)
    });
    let call_it = move |plain: String| {
        let said = format!("Call it {plain}");
        let take = move |_| {
            type_name(plain.clone());
            editor.seal();
        };
        view! { <button class="text-button" title="Expressions then read its answer by that name." on:click=take>{said}</button> }
    };
    view! {
        <header class="inspector-head" data-kind=move || kind.get().word()>
            <span class="kind-icon">{move || icon(of_kind(kind.get()))}</span>
            <div><h2>{move || name.get()}</h2><small>{move || kind.get().label()} " · " {move || id.get()}</small></div>
            {move || has_slot.get().then(|| view! {
                <button class="icon-button" title="Duplicate (Ctrl+D)" aria-label="Duplicate" on:click=move |_| editor.duplicate(&[id.now().to_string()])>
                    {icon(COPY)}
                </button>
                <button class="icon-button danger" title="Delete (Del)" aria-label="Delete" on:click=move |_| remove(app, &[id.now().to_string()])>
                    {icon(TRASH)}
                </button>
            })}
        </header>
        <div class="inspector-body" node_ref=body on:scroll=move |_| scrolled.set_value(true)>
            {move || view! { <RunOfStep id=id.get().to_string() /> }}
            <Edits>
            <section>
                <TextField label="Name" value=name flaw=name_flaw hint=name_hint
                    on_input=type_name on_leave=move |()| editor.seal() />
                {below(move || plainer.get().map(call_it))}
                <PassingFields id=id />
                {move || view! { <StepKindFields id=id kind=kind.get() /> }}
            </section>
            {move || shown.with(|shown| view! { <MoreFields id=StepId::fixed(&shown.id) kind=shown.kind /> })}
            </Edits>
        </div>
    }
}

/// How expressions read the answer of a step of this name.
fn read_as(name: &str) -> String {
    written_name(&output_key(name))
}

/// Another step's form is seen from its top, and the keyboard is in none of its fields. The value is true once the form
/// was scrolled: to ask the browser, or to scroll for nothing, has it lay out the page.
fn begin_anew(id: StepId, body: NodeRef<html::Div>) -> StoredValue<bool> {
    let scrolled = StoredValue::new(false);
    Effect::new(move |before: Option<Arc<str>>| {
        let id = id.get();
        if before.is_some_and(|before| before != id)
            && let Some(body) = body.get_untracked()
        {
            if scrolled.get_value() {
                body.set_scroll_top(0);
                scrolled.set_value(false);
            }
            let field = document().active_element().filter(|field| body.contains(Some(field)));
            // An editor of code stands in a shadow tree.
            let inside = field.as_ref().and_then(|field| field.shadow_root()?.active_element());
            if let Some(field) = inside.or(field).and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
                // A browser that refuses leaves it where it is.
                let _ = field.blur();
            }
        }
        id
    });
    scrolled
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
