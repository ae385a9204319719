//! The workflow's models: where they are is set in the endpoint dialog, everything else here.

use leptos::prelude::*;
use stepweave_core::document::{Model, Provider};

use super::model_fields::ModelFields;
use crate::page::icon::{PLUS, SLIDERS, TRASH, icon};
use crate::page::removal::{Going, delete};
use crate::page::state::{Dialog, EndpointField, app};
use crate::step::agents::demo_model;
use crate::ui::inspector::fields::entry::{Entry, EntryDetails, name_field};
use crate::ui::inspector::fields::many::{first_of, rest_of};

/// All models of the workflow.
#[component]
pub fn ModelList() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let ids = Memo::new(move |_| {
        editor.document.with(|document| document.models.keys().cloned().collect::<Vec<_>>())
    });
    let add = move |_| {
        editor.change_settings(|document| {
            let mut ids = (2_usize..).map(|number| format!("model_{number}"));
            if let Some(id) = ids.find(|id| !document.models.contains_key(id)) {
                document.models.insert(id, demo_model());
            }
        });
    };
    let entry = move |id: String| {
        let about = {
            let id = id.clone();
            Signal::derive(move || {
                editor.document.with(|document| document.models.get(&id).map(describe)).unwrap_or_default()
            })
        };
        let (gone, fields) = (id.clone(), id.clone());
        let open = {
            let id = id.clone();
            move |_| {
                let model = Some(id.clone());
                app.dialog.set(Some(Dialog::Endpoint { model, field: EndpointField::Any }));
            }
        };
        view! {
            <div class="entry-row">
                <EntryDetails name=id.clone() about=about path=Model::path(&id) class="entry two">
                    {name_field::<Model>(&fields, "Agents use it by this name", Signal::stored(None), |_, _, _| ())}
                    <ModelFields id=fields.clone() />
                </EntryDetails>
                <div class="entry-tools">
                    <button
                        class="icon-button"
                        title="Endpoint settings"
                        aria-label=format!("Endpoint settings of {id}")
                        on:click=open
                    >
                        {icon(SLIDERS)}
                    </button>
                    <button
                        class="icon-button danger"
                        title="Remove this model"
                        aria-label=format!("Remove model {id}")
                        on:click=move |_| delete(app, Going::Entry(Model::named(&gone)))
                    >
                        {icon(TRASH)}
                    </button>
                </div>
            </div>
        }
    };
    view! {
        <h3>"Models"</h3>
        <For each=move || first_of(&ids.get()) key=Clone::clone children=entry />
        {move || rest_of(ids.with(Vec::len))}
        <button class="text-button" on:click=add>{icon(PLUS)} "Add a model"</button>
    }
}

fn describe(model: &Model) -> String {
    match model.provider {
        Provider::Demo => "simulated, offline".to_owned(),
        _ => model.model.clone(),
    }
}
