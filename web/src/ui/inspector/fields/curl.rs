//! Requests out of pasted `curl` commands.

use leptos::prelude::*;
use stepweave_core::document::HttpRequest;

use crate::model::curl::{self, Command};
use crate::model::requests::{named_origins, secret_of};
use crate::page::icon::{IMPORT, icon};
use crate::page::state::{App, Key, app};
use crate::ui::field::TextArea;

/// A button that becomes a field for a command.
#[component]
pub fn CurlField(
    /// What is on the button.
    label: &'static str,
    /// What becomes of the request.
    hint: &'static str,
    /// Called with the request.
    #[prop(into)]
    on_request: Callback<HttpRequest>,
) -> impl IntoView {
    let app = app();
    let pasted = RwSignal::new(None::<String>);
    let error = RwSignal::new(None::<String>);
    let paste = move |text: String| {
        error.set(None);
        if text.trim().is_empty() {
            return pasted.set(Some(text));
        }
        match take(app, &text) {
            Err(why) => {
                error.set(Some(why));
                pasted.set(Some(text));
            }
            Ok(request) => {
                pasted.set(None);
                on_request.run(request);
            }
        }
    };
    let open = move |_| pasted.set(Some(String::new()));
    move || {
        match pasted.with(Option::is_some) {
        false => view! { <button class="text-button" on:click=open>{icon(IMPORT)} {label}</button> }.into_any(),
        true => view! {
            <TextArea label="A curl command" code=true rows=4 value=Signal::derive(move || pasted.get().unwrap_or_default())
                on_input=paste error=Signal::derive(move || error.get()) placeholder="curl https://api.example.com/items -H 'Authorization: Bearer …'"
                hint=format!("{hint} Nothing is run; its key stays in this page's memory.") />
        }
        .into_any(),
    }
    }
}

/// The request that a command says. Its key goes into this page's memory, and what was left out is said.
///
/// # Errors
/// With what is wrong, for the person who pasted it.
pub fn take(app: App, text: &str) -> Result<HttpRequest, String> {
    let Command { request, key, notes } = curl::read(text)?;
    if let (Some(value), Some(secret)) = (key, secret_of(&request)) {
        let key = Key { value, origins: named_origins(&request) };
        app.keys.update(|keys| drop(keys.insert(secret.secret.clone(), key)));
    }
    if !notes.is_empty() {
        app.editor.notice.set(Some(notes.join(" ")));
    }
    Ok(request)
}
