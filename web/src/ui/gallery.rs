//! The gallery of templates: each with its picture, found by words.

use leptos::ev;
use leptos::prelude::*;
use stepweave_core::document::Document;
use wasm_bindgen_futures::spawn_local;

use super::fetch;
use super::templates::{self, Template, open_template};
use super::thumbnail::Thumbnail;
use crate::layout::Layout;
use crate::model::picture::Picture;
use crate::page::state::app;

/// Every template, to choose one from.
#[component]
pub fn Gallery() -> impl IntoView {
    let app = app();
    let wanted = RwSignal::new(String::new());
    let found = move || {
        let wanted = wanted.with(|wanted| wanted.trim().to_lowercase());
        templates::all().filter(|template| template.has(&wanted)).collect::<Vec<_>>()
    };
    let open_first = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter"
            && let Some(first) = found().first()
        {
            open_template(app, *first);
        }
    };
    view! {
        <div class="modal-body gallery">
            <input
                class="input"
                type="search"
                placeholder="Search by what it does"
                aria-label="Search templates"
                autofocus
                prop:value=wanted
                on:input=move |event| wanted.set(event_target_value(&event))
                on:keydown=open_first
            />
            <ul class="gallery-cards" aria-label="Templates">
                <For each=found key=|template| template.name children=|template| view! { <TemplateCard template=template /> } />
            </ul>
            <p class="library-empty" role="status">{move || match found().len() {
                0 => "No template has this in its words.".to_owned(),
                1 => "1 template".to_owned(),
                many => format!("{many} templates"),
            }}</p>
        </div>
        <footer>
            <span class="field-hint">"Each shows at once what it does, on pinned outputs and without a key. Your workflow stays as it is."</span>
        </footer>
    }
}

#[component]
fn TemplateCard(template: Template) -> impl IntoView {
    let app = app();
    let picture = RwSignal::new(Picture::default());
    let address = app.bridge.with_value(|bridge| template.address(bridge));
    spawn_local(async move {
        let document =
            fetch::text(&address).await.and_then(|text| serde_json::from_str::<Document>(&text).ok());
        if let Some(document) = document {
            // The dialog may have been closed meanwhile.
            let _ = picture.try_set(Picture::of(&Layout::of(&document)));
        }
    });
    view! {
        <li>
            <button class="gallery-card" on:click=move |_| open_template(app, template)>
                <Thumbnail picture=picture />
                <b>{template.name}</b>
                <small>{template.about}</small>
            </button>
        </li>
    }
}
