//! The workflow's models: where they are is set in the endpoint dialog, everything else here.

use leptos::prelude::*;
use stepweave_core::document::{Model, Provider};

use super::model_fields::ModelFields;
use crate::page::focus::begin_at;
use crate::page::icon::{PLUS, SLIDERS, TRASH, icon};
use crate::page::removal::{Going, delete};
use crate::page::state::{Dialog, EndpointField, app};
use crate::step::agents::{demo_model, free_model_id};
use crate::ui::inspector::fields::entry::{Entry, EntryDetails};
use crate::ui::inspector::fields::many::{first_of, rest_of};

/// All models of the workflow.
#[component]
pub fn ModelList() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let ids = Memo::new(move |_| {
        editor.document.with(|document| document.models.keys().cloned().collect::<Vec<_>>())
    });
    // Its name is the first thing to write.
    let add = move |_| {
        let id = editor.document.with_untracked(free_model_id);
        let path = Model::path(&id);
        begin_at(format!(".inspector [data-entry='{path}'] input"));
        app.renamed_entry.set(Some(path));
        editor.change_settings(|document| drop(document.models.insert(id, demo_model())));
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
