//! The initial state as JSON.

use leptos::prelude::*;
use serde_json::Value;

use crate::model::problem::{INITIAL_STATE, draft_key};
use crate::page::state::app;
use crate::ui::inspector::fields::json::{JsonArea, JsonShape};

/// The editor of the initial state.
#[component]
pub fn StateEditor() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let stored = Memo::new(move |_| {
        let state = editor.document.with(|document| document.initial_state.clone());
        Some(Value::Object(state)).filter(|state| *state != serde_json::json!({}))
    });
    let change = move |value: Option<Value>| {
        let state = match value {
            Some(Value::Object(state)) => state,
            _ => serde_json::Map::new(),
        };
        editor.type_into_settings(INITIAL_STATE, |document| document.initial_state = state);
    };
    view! {
        <JsonArea
            label="Initial state"
            draft=draft_key(None, INITIAL_STATE)
            value=stored.into()
            on_value=change
            flaw=app.flaw(INITIAL_STATE)
            shape=JsonShape::Object
            rows=8
            hint="JSON. Every run begins with these values."
        />
    }
}
