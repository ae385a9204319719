//! What a run, or a step of it, has given: as files.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::json;

use super::exchange::file_name;
use crate::model::table::{csv, tables};
use crate::page::icon::{DOWNLOAD, icon};
use crate::page::state::app;

/// Saves a value as JSON, a text as it is, and the tables in it as CSV.
#[component]
pub fn Downloads(
    /// The value.
    value: Value,
    /// What gave it, behind the name of the workflow.
    of: String,
) -> impl IntoView {
    let app = app();
    let tables: Vec<String> = tables(&value).into_iter().map(str::to_owned).collect();
    let is_text = value.is_string();
    let value = StoredValue::new(value);
    let save = move |name: &str, text: String| {
        let workflow = app.editor.document.with_untracked(|document| document.name.clone());
        let name = format!("{}.{name}", file_name(&format!("{workflow} {of}")));
        app.bridge.with_value(|bridge| bridge.download(&name, &text));
    };
    let save = StoredValue::new(save);
    let whole = move |_| {
        let (ending, text) = value.with_value(|value| match value {
            Value::String(text) => ("txt", text.clone()),
            value => ("json", json::lines(value)),
        });
        save.with_value(|save| save(ending, text));
    };
    let table = move |name: String| {
        let label = if name.is_empty() { "CSV".to_owned() } else { format!("{name} as CSV") };
        let click = move |_| {
            if let Some(text) = value.with_value(|value| csv(value, &name)) {
                let ending =
                    if name.is_empty() { "csv".to_owned() } else { format!("{}.csv", file_name(&name)) };
                save.with_value(|save| save(&ending, text));
            }
        };
        view! { <button class="text-button" on:click=click>{icon(DOWNLOAD)} {label}</button> }
    };
    view! {
        <div class="downloads" role="group" aria-label="Download">
            <button class="text-button" on:click=whole>{icon(DOWNLOAD)} {if is_text { "Text" } else { "JSON" }}</button>
            {tables.into_iter().map(table).collect_view()}
        </div>
    }
}
