//! The journal of the shown run as a file, which a program takes up again or replays. What writes it comes with the
//! dialogs.

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::exchange::file_name;
use crate::page::state::App;

/// Saves the journal of the shown run under the name of the workflow.
pub fn download(app: App) {
    spawn_local(async move {
        match writing().await {
            Ok(write) => write(app),
            Err(_) => app.editor.notice.set(Some(
                "Nothing was saved: a file of the builder could not be loaded. Are you online?".to_owned(),
            )),
        }
    });
}

#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn writing() -> Result<fn(App), SplitLoaderError> {
    Ok(write)
}

fn write(app: App) {
    let Some(journal) = app.runner.journal() else { return };
    let name = app.editor.document.with_untracked(|document| file_name(&document.name));
    app.bridge.with_value(|bridge| bridge.download(&format!("{name}.journal.json"), &json::text(&journal)));
}
