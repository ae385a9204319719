//! The fields of the workflow itself.

use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{Document, OnError};
use stepweave_core::rename::Place;

use super::super::field::{Choice, TextArea, TextField};
use super::{owned, word_of};
use crate::model::problem::INPUT;
use crate::model::shape::Giver;
use crate::page::icon::{SLIDERS, icon};
use crate::page::state::app;
use crate::ui::inspector::fields::bound::{Bound, BoundLines, or_empty};
use crate::ui::inspector::fields::edits::Edits;
use crate::ui::inspector::fields::source::CheckField;
use crate::ui::inspector::workflow::agents::AgentList;
use crate::ui::inspector::workflow::allowed::AllowedOrigins;
use crate::ui::inspector::workflow::limits::LimitFields;
use crate::ui::inspector::workflow::models::ModelList;
use crate::ui::inspector::workflow::state_editor::StateEditor;
use crate::ui::inspector::workflow::tools::ToolList;

pub mod agent_more;
pub mod agents;
pub mod allowed;
pub mod limits;
pub mod model_fields;
pub mod models;
pub mod state_editor;
pub mod tools;

/// The workflow's fields.
#[component]
pub fn WorkflowFields() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let name = Signal::derive(move || editor.document.with(|document| document.name.clone()));
    let about = Signal::derive(move || {
        editor.document.with(|document| document.description.clone().unwrap_or_default())
    });
    let on_error = Signal::derive(move || {
        editor.document.with(|document| document.on_error.map_or("stop", word_of)).to_owned()
    });
    let rename = move |text: String| editor.type_into_settings("name", |document| document.name = text);
    let describe = move |text: String| {
        editor.type_into_settings("description", |document| {
            document.description = Some(text).filter(|text| !text.is_empty())
        });
    };
    let notes = Bound::of_workflow(
        "notes",
        |document| document.notes.clone(),
        |document, text| document.notes = text,
    );
    let input = Bound::of_workflow(
        INPUT,
        |document| document.input.clone(),
        |document, check| document.input = check,
    );
    view! {
        <header class="inspector-head">
            <span class="kind-icon">{icon(SLIDERS)}</span>
            <div><h2>"Workflow"</h2><small>"Select a step to edit it"</small></div>
        </header>
        <div class="inspector-body"><Edits>
            <section>
                <TextField label="Name" value=name on_input=rename on_leave=move |()| editor.seal() flaw=app.flaw("name") />
                <TextArea label="Description" value=about on_input=describe on_leave=move |()| editor.seal() rows=3 placeholder="What it is for" />
                <BoundLines label="Notes" bound=or_empty(notes) placeholder="For the people who read this workflow" />
            </section>
            <section>
                <CheckField label="Input" bound=input giver=Giver::Person place=Arc::new(|_: &Document| Some(Place::Workflow)) hint="What a run has to be given: Run asks for it with a form. Empty: nothing." />
                <StateEditor />
            </section>
            <section><AgentList /></section>
            <section><ToolList /></section>
            <section><ModelList /></section>
            <LimitFields />
            <section>
                <h3>"If a step fails"</h3>
                <Choice
                    label="Then the run"
                    value=on_error
                    options=Signal::derive(|| [("stop", "stops"), ("continue", "goes on with the next step")].map(owned).to_vec())
                    on_pick=move |word: String| editor.change_settings(|document| document.on_error = OnError::from_word(&word))
                />
            </section>
        </Edits>
        <AllowedOrigins />
        </div>
    }
}
