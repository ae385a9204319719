//! The inspector: what is selected, to be edited; the workflow itself when nothing is.

use leptos::prelude::*;
use stepweave_core::document::OnError;

use self::step::StepKindFields;
use super::field::{Choice, Switch, TextArea, TextField};
use super::icon::{COPY, TRASH, icon, of_kind};
use super::state::app;
use crate::model::kinds::Kind;

pub mod agents;
pub mod models;
pub mod rows;
pub mod run_of_step;
pub mod state_editor;
pub mod step;
pub mod workflow;

/// The inspector.
#[component]
pub fn Inspector() -> impl IntoView {
    let app = app();
    // Only another selection, or another kind under the same id, makes other fields.
    let shown = Memo::new(move |_| {
        let id = app.editor.selected.get()?;
        let kind = app.editor.step(&id, Kind::of)?;
        Some((id, kind))
    });
    view! {
        <aside class="inspector" aria-label="Inspector">
            {move || match shown.get() {
                Some((id, kind)) => view! { <StepFields id=id kind=kind /> }.into_any(),
                None => view! { <workflow::WorkflowFields /> }.into_any(),
            }}
        </aside>
    }
}

#[component]
fn StepFields(id: String, kind: Kind) -> impl IntoView {
    let editor = app().editor;
    let id = StoredValue::new(id);
    let name =
        Signal::derive(move || editor.step(&id.get_value(), |step| step.name.clone()).unwrap_or_default());
    let rename = move |text: String| editor.type_into_step(&id.get_value(), "name", |step| step.name = text);
    let notes = Signal::derive(move || {
        editor.step(&id.get_value(), |step| step.notes.clone()).flatten().unwrap_or_default()
    });
    let note = move |text: String| {
        editor.type_into_step(&id.get_value(), "notes", |step| {
            step.notes = Some(text).filter(|text| !text.is_empty())
        });
    };
    let required = Signal::derive(move || editor.step(&id.get_value(), |step| step.required).unwrap_or(true));
    let on_error = Signal::derive(move || {
        let own = editor.step(&id.get_value(), |step| step.on_error).flatten();
        own.map_or("", word_of).to_owned()
    });
    let name_hint = Signal::derive(move || match kind {
        Kind::Agent => format!("Its answer becomes {}_output", name.get()),
        _ => String::new(),
    });
    view! {
        <header class="inspector-head" data-kind=kind.word()>
            <span class="kind-icon">{icon(of_kind(kind))}</span>
            <div><h2>{move || name.get()}</h2><small>{kind.label()} " · " {id.get_value()}</small></div>
            <button class="icon-button" title="Duplicate (Ctrl+D)" aria-label="Duplicate" on:click=move |_| editor.duplicate(&id.get_value())>
                {icon(COPY)}
            </button>
            <button class="icon-button danger" title="Delete (Del)" aria-label="Delete" on:click=move |_| editor.remove(&id.get_value())>
                {icon(TRASH)}
            </button>
        </header>
        <div class="inspector-body">
            <run_of_step::RunOfStep id=id.get_value() />
            <section>
                <TextField label="Name" value=name on_input=rename on_leave=move |()| editor.seal() hint=name_hint />
                <StepKindFields id=id.get_value() kind=kind />
            </section>
            <section>
                <h3>"If it fails"</h3>
                <Choice
                    label="Then the run"
                    value=on_error
                    options=Signal::derive(|| {
                        [("", "does what the workflow says"), ("stop", "stops"), ("continue", "goes on")].map(owned).to_vec()
                    })
                    on_pick=move |word: String| editor.change_step(&id.get_value(), |step| step.on_error = on_error_of(&word))
                />
                <Switch
                    label="Required"
                    hint="Off: the run goes on without it"
                    value=required
                    on_change=move |on| editor.change_step(&id.get_value(), |step| step.required = on)
                />
            </section>
            <section>
                <TextArea label="Notes" value=notes on_input=note on_leave=move |()| editor.seal() rows=2 placeholder="For the people who read this workflow" />
            </section>
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
