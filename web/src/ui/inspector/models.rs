//! The workflow's models: where they are is set in the endpoint dialog.

use leptos::prelude::*;
use stepweave_core::document::{Document, Model, Provider};

use super::super::icon::{PLUS, SLIDERS, TRASH, icon};
use super::super::state::{Dialog, app};

/// All models of the workflow.
#[component]
pub fn ModelList() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let ids = Memo::new(move |_| editor.document.with(|document| document.models.keys().cloned().collect::<Vec<_>>()));
    let add = move |_| {
        editor.change_settings(|document| {
            let mut ids = (2_usize..).map(|number| format!("model_{number}"));
            if let Some(id) = ids.find(|id| !document.models.contains_key(id)) {
                document.models.insert(id, demo());
            }
        });
    };
    let entry = move |id: String| {
        let about = {
            let id = id.clone();
            move || editor.document.with(|document| document.models.get(&id).map(describe)).unwrap_or_default()
        };
        let used = {
            let id = id.clone();
            move || editor.document.with(|document| document.agents.values().any(|agent| agent.model == id))
        };
        let remove = {
            let id = id.clone();
            move |_| editor.change_settings(|document| drop(document.models.shift_remove(&id)))
        };
        view! {
            <div class="entry flat">
                <b>{id.clone()}</b>
                <small>{about}</small>
                <button
                    class="icon-button"
                    title="Endpoint settings"
                    aria-label=format!("Endpoint settings of {id}")
                    on:click=move |_| app.dialog.set(Some(Dialog::Endpoint))
                >
                    {icon(SLIDERS)}
                </button>
                <button
                    class="icon-button danger"
                    title="Remove this model"
                    aria-label=format!("Remove model {id}")
                    disabled=used
                    on:click=remove
                >
                    {icon(TRASH)}
                </button>
            </div>
        }
    };
    view! {
        <h3>"Models"</h3>
        <For each=move || ids.get() key=Clone::clone children=entry />
        <button class="text-button" on:click=add>{icon(PLUS)} "Add a model"</button>
    }
}

/// The id of the workflow's first model; a demo model is added when there is none.
pub(super) fn first_or_demo(document: &mut Document) -> String {
    if document.models.is_empty() {
        document.models.insert("default".to_owned(), demo());
    }
    document.models.keys().next().cloned().unwrap_or_default()
}

fn demo() -> Model {
    Model {
        provider: Provider::Demo,
        model: "demo".to_owned(),
        base_url: None,
        api_key: None,
        params: Default::default(),
        extensions: Default::default(),
    }
}

fn describe(model: &Model) -> String {
    match model.provider {
        Provider::Demo => "simulated, offline".to_owned(),
        Provider::Openai => model.model.clone(),
    }
}
