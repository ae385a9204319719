//! The initial state as JSON. What is typed is kept, also while it is no JSON yet.

use leptos::prelude::*;
use serde_json::{Map, Value};

use super::super::field::TextArea;
use super::super::state::app;

const DRAFT: &str = "initialState";

/// The editor of the initial state.
#[component]
pub fn StateEditor() -> impl IntoView {
    let editor = app().editor;
    let stored = Memo::new(move |_| editor.document.with(|document| document.initial_state.clone()));
    // What the person typed for the present value: their spacing stays as long as it means the same.
    let typed = RwSignal::new(None::<(Map<String, Value>, String)>);
    let draft = move || editor.drafts.with(|drafts| drafts.get(DRAFT).cloned());
    let value = Signal::derive(move || {
        draft().unwrap_or_else(|| match typed.get() {
            Some((meant, text)) if stored.with(|stored| *stored == meant) => text,
            _ => stored.with(|stored| serde_json::to_string_pretty(stored).unwrap_or_default()),
        })
    });
    let error = Signal::derive(move || draft().and_then(|text| parse(&text).err()));
    let change = move |text: String| match parse(&text) {
        Ok(state) => {
            editor.drafts.update(|drafts| drafts.shift_remove(DRAFT).map_or((), drop));
            typed.set(Some((state.clone(), text)));
            if stored.with_untracked(|stored| *stored != state) {
                editor.type_into_settings("initialState", |document| document.initial_state = state);
            }
        }
        Err(_) => editor.drafts.update(|drafts| drafts.insert(DRAFT.to_owned(), text).map_or((), drop)),
    };
    view! {
        <TextArea
            label="Initial state"
            value=value
            on_input=change
            on_leave=move |()| editor.seal()
            error=error
            rows=8
            code=true
            hint="JSON. Every run begins with these values."
        />
    }
}

fn parse(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(state)) => Ok(state),
        Ok(_) => Err(
            "Must be an object in braces, such as { \"topic\": \"bees\" }. Runs use the last valid state."
                .to_owned(),
        ),
        Err(error) => {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or("not JSON").to_owned();
            Err(format!("Line {}: {what}. Runs use the last valid state.", error.line()))
        }
    }
}
