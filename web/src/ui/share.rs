//! A workflow as a link: made to share it, and looked at before a copy is opened. Nothing of it is on a server.

use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{Document, every_of};
use wasm_bindgen_futures::spawn_local;

use super::clipboard::copy;
use super::exchange::openable;
use super::opening;
use super::thumbnail::Thumbnail;
use crate::layout::Layout;
use crate::model::endpoints::origins;
use crate::model::picture::Picture;
use crate::page::icon::{EXPORT, icon};
use crate::page::state::{App, app, document_text};
use crate::step::upright::upright;

/// What stands in a link to a builder that brings a workflow along.
const MARK: &str = "#flow=";

/// Whether a link brings a workflow along.
pub fn brings_one(link: &str) -> bool {
    link.contains(MARK)
}

/// Copies a link that brings a document along. It is made before it is asked for: browsers copy in a click alone.
#[component]
pub fn CopyLink(
    /// What it brings along.
    document: Document,
) -> impl IntoView {
    let app = app();
    let link = RwSignal::new(None::<Result<String, String>>);
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        let made = bridge.link_to(&document_text(&document)).await;
        // The dialog may have been closed meanwhile.
        let _ = link.try_set(Some(made));
    });
    let copy_it = move |_| {
        if let Some(Ok(link)) = link.get_untracked() {
            copy(app, link, "A link that opens a copy of the workflow");
            app.dialog.set(None);
        }
    };
    let refused = move || link.get().and_then(Result::err);
    let title = "Whoever opens it sees the workflow, its initial state too, and can open a copy. It is in the link alone, and on no server.";
    view! {
        <Show when=move || refused().is_none() fallback=move || view! { <small class="field-hint">{refused}</small> }>
            <button class="button" title=title disabled=move || link.with(Option::is_none) on:click=copy_it>{icon(EXPORT)} "Copy a link"</button>
        </Show>
    }
}

/// The document that a link brings along.
///
/// # Errors
/// Why there is none, for the person who has followed it.
pub async fn document_in(app: App, link: &str) -> Result<Document, String> {
    let text = app.bridge.get_value().document_in(link).await?;
    openable(&text).ok_or_else(|| NO_WORKFLOW.to_owned())
}

/// What a link brings along, before a copy of it is opened.
#[component]
pub fn Shared(
    /// The workflow.
    document: Arc<Document>,
) -> impl IntoView {
    let app = app();
    let contents = contents(&document);
    view! {
        <div class="modal-body">
            {contents}
            <p class="field-hint">"It came with the link, from whoever made that. A copy is added to your workflows, and nothing of it runs before you press Run."</p>
        </div>
        <footer>
            <button class="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
            <button class="button primary" autofocus on:click=move |_| opening::make(app, (*document).clone())>"Open a copy"</button>
        </footer>
    }
}

fn contents(document: &Document) -> impl IntoView + use<> {
    let about = document.description.clone().map(|about| view! { <p>{upright(about)}</p> });
    let size = match every_of(document).count() {
        1 => "1 step".to_owned(),
        many => format!("{many} steps"),
    };
    let reached = origins(document);
    let reached = (!reached.is_empty()).then(|| {
        let listed =
            reached.into_iter().map(|origin| view! { <li><code>{origin}</code></li> }).collect_view();
        view! {
            <p>"Its runs send data to these addresses, once you agree:"</p>
            <ul class="origins">{listed}</ul>
        }
    });
    view! {
        <div class="shared">
            <Thumbnail picture=Picture::of(&Layout::of(document)) />
            <p><b>{upright(document.name.clone())}</b><small>{size}</small></p>
        </div>
        {about}
        {reached}
    }
}

/// What a person reads whose link brings something else along.
const NO_WORKFLOW: &str =
    "What this link brings along is no workflow, or one of a newer version of this page.";
