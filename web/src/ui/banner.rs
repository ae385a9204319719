//! What a person has to know about where the workflow is stored, above the canvas, with what to do about it.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::opening::edit_here;
use crate::bridge::Trouble;
use crate::page::icon::{CLOSE, DOWNLOAD, EXPORT, WARNING, icon};
use crate::page::state::{Dialog, Lost, app};

/// The banners.
#[component]
pub fn Banners() -> impl IntoView {
    let app = app();
    let following = move || {
        app.editor.following.get().then(|| {
            view! {
                <div class="banner following" role="status">
                    <p>"This workflow is being edited in another tab. You see its changes here as they are made."</p>
                    <button class="button" on:click=move |_| edit_here(app)>"Edit here"</button>
                </div>
            }
        })
    };
    let trouble = move || {
        app.trouble.get().map(|trouble| {
            let export = move |_| app.dialog.set(Some(Dialog::Export));
            view! {
                <div class="banner bad" role="alert">
                    {icon(WARNING)}
                    <p>{said(trouble)}</p>
                    <button class="button" on:click=export>{icon(EXPORT)} "Export…"</button>
                </div>
            }
        })
    };
    let unreadable = move || app.unreadable.get().map(|lost| view! { <CannotRead lost=lost /> });
    // Who follows could not take one up.
    let waits = Memo::new(move |_| !app.editor.following.get() && app.waiting.with(|all| !all.is_empty()));
    let waiting = move || waits.get().then(|| Some((app.chunks.views.get()?.waiting)()));
    let elsewhere =
        move || app.runner.elsewhere.get().and_then(|run| Some((app.chunks.views.get()?.elsewhere)(run)));
    view! {
        {trouble}
        {unreadable}
        {elsewhere}
        {waiting}
        {following}
    }
}

/// A workflow that is stored and cannot be read.
#[component]
fn CannotRead(lost: Lost) -> impl IntoView {
    let app = app();
    let Lost { id } = lost;
    let download = move |_| {
        let (bridge, id) = (app.bridge.get_value(), id.clone());
        spawn_local(async move {
            match bridge.store().library().text(&id).await {
                Some(text) => bridge.download("unreadable-workflow.json", &text),
                None => app.editor.notice.set(Some("The browser does not give it back.".to_owned())),
            }
        });
    };
    view! {
        <div class="banner bad" role="alert">
            {icon(WARNING)}
            <p>"A stored workflow cannot be read by this version of the page. It is kept as it is, and this one is a new workflow."</p>
            <button class="button" on:click=download>{icon(DOWNLOAD)} "Download it"</button>
            <button class="icon-button" title="Close" aria-label="Close" on:click=move |_| app.unreadable.set(None)>{icon(CLOSE)}</button>
        </div>
    }
}

/// What a person reads of changes that are not stored, and what to do about it.
pub fn said(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Refused => {
            "Nothing is saved: this browser stores nothing for this page. Allow it to store data, or export your work before you leave."
        }
        Trouble::Newer => {
            "Nothing is saved: a newer version of this page has stored your workflows, and this one leaves them as they are. Reload the page to get the newer version; export what you have changed here first."
        }
        Trouble::Full => {
            "The last changes are not saved: there is no room left. Export your work, then delete workflows or free space on this device."
        }
        Trouble::Gone => {
            "Nothing is saved any more: the browser has thrown away what this page had stored. This workflow is still open: export it, then reload the page."
        }
        Trouble::Conflict => {
            "The last changes are not saved: another tab has changed this workflow too. Export your work, then reload the page."
        }
    }
}
