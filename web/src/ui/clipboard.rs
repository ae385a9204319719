//! Texts for the clipboard.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::page::state::App;

/// Puts a text on the clipboard and says so; `what` is what people call it.
pub fn copy(app: App, text: String, what: &'static str) {
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        let copied = bridge.copy(&text).await;
        app.editor.notice.set(Some(match copied {
            true => format!("{what} is on the clipboard."),
            false => "The browser did not allow copying.".to_owned(),
        }));
    });
}
