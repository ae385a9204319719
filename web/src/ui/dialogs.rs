//! The dialogs' shared frame: the browser's own modal dialog, which keeps the focus in and closes on Escape.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};

use super::agree::Agree;
use super::endpoint::Endpoint;
use super::exchange::{Export, Import};
use super::keys::Keys;
use crate::page::icon::{CLOSE, icon};
use crate::page::state::{Dialog, app};

/// The dialog that is open.
#[component]
pub fn Dialogs() -> impl IntoView {
    let app = app();
    let chunk = app.chunks.dialogs;
    Effect::new(move || {
        if app.dialog.with(Option::is_some) {
            chunk.fetch();
        }
    });
    // Shown with all that is in it, of which the browser chooses what gets the focus.
    let opened = move |dialog: Dialog| {
        let title = title_of(&dialog);
        view! { <Modal title=title>{chunk.show(title, move |content| content(dialog.clone()))}</Modal> }
    };
    move || app.dialog.get().filter(|_| chunk.is_settled()).map(opened)
}

/// What is in the dialogs comes in a file of its own.
#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
pub fn content() -> Result<fn(Dialog) -> AnyView, SplitLoaderError> {
    Ok(|dialog| match dialog {
        Dialog::Endpoint { model, field } => view! { <Endpoint model=model field=field /> }.into_any(),
        Dialog::Import => view! { <Import /> }.into_any(),
        Dialog::Export => view! { <Export /> }.into_any(),
        Dialog::Keys => view! { <Keys /> }.into_any(),
        Dialog::Agree { origins, from } => view! { <Agree origins=origins from=from /> }.into_any(),
    })
}

fn title_of(dialog: &Dialog) -> &'static str {
    match dialog {
        Dialog::Endpoint { .. } => "Endpoint",
        Dialog::Import => "Import a workflow",
        Dialog::Export => "Export the workflow",
        Dialog::Keys => "Keyboard",
        Dialog::Agree { .. } => "Send data to this endpoint?",
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
