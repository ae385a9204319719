//! The dialogs' shared frame: the browser's own modal dialog, which keeps the focus in and closes on Escape.

use leptos::html;
use leptos::prelude::*;

use super::agree::Agree;
use super::endpoint::Endpoint;
use super::exchange::{Export, Import};
use super::icon::{CLOSE, icon};
use super::keys::Keys;
use super::state::{Dialog, app};

/// The dialog that is open.
#[component]
pub fn Dialogs() -> impl IntoView {
    let app = app();
    move || {
        match app.dialog.get() {
        None => ().into_any(),
        Some(Dialog::Endpoint { model, field }) => {
            view! { <Modal title="Endpoint"><Endpoint model=model field=field /></Modal> }.into_any()
        }
        Some(Dialog::Import) => view! { <Modal title="Import a workflow"><Import /></Modal> }.into_any(),
        Some(Dialog::Export) => view! { <Modal title="Export the workflow"><Export /></Modal> }.into_any(),
        Some(Dialog::Keys) => view! { <Modal title="Keyboard"><Keys /></Modal> }.into_any(),
        Some(Dialog::Agree { origins, from }) => view! {
            <Modal title="Send data to this endpoint?"><Agree origins=origins.clone() from=from.clone() /></Modal>
        }
        .into_any(),
    }
    }
}

#[component]
fn Modal(title: &'static str, children: Children) -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        if let Some(dialog) = node.get().filter(|dialog| !dialog.open()) {
            // It is in the page and not open, so showing it cannot fail.
            let _ = dialog.show_modal();
        }
    });
    let close = move || app.dialog.set(None);
    view! {
        <dialog class="modal" aria-label=title node_ref=node on:close=move |_| close()>
            <header>
                <h2>{title}</h2>
                <button class="icon-button" title="Close (Esc)" aria-label="Close" on:click=move |_| close()>{icon(CLOSE)}</button>
            </header>
            {children()}
        </dialog>
    }
}
