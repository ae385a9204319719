//! Copies of steps, which read each other: what renames in expressions comes with the views.

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use wasm_bindgen_futures::spawn_local;

use super::state::App;
use crate::model::editor::Editor;

/// Puts copies of steps behind the last of them and selects these.
pub fn duplicate(app: App, ids: Vec<String>) {
    spawn_local(async move {
        match copying().await {
            Ok(duplicate) => duplicate(&app.editor, &ids),
            Err(_) => app.editor.notice.set(Some(
                "Nothing was copied: a file of the builder could not be loaded. Are you online?".to_owned(),
            )),
        }
    });
}

#[wasm_split(views, fallible, wasm_split_path = leptos::wasm_split)]
fn copying() -> Result<fn(&Editor, &[String]), SplitLoaderError> {
    Ok(Editor::duplicate)
}
