//! What a workflow begins with: whether its own schema lets it begin at all.

use serde_json::Value;

use super::path::Path;
use crate::document::{Check, Document};
use crate::problem::{Problem, Problems};

pub(super) fn check(document: &Document, problems: &mut Problems) {
    // Of a function of the host the schema only tells others what it takes; it may leave out what it does not know.
    let (check, is_certain) = match &document.input {
        Some(Check::Schema(schema)) => (schema, true),
        Some(Check::Described { schema, .. }) => (schema, false),
        _ => return,
    };
    let is_closed = check.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed || check.get("patternProperties").is_some() {
        return;
    }
    let properties = check.get("properties").and_then(Value::as_object);
    for key in document.initial_state.keys() {
        if properties.is_some_and(|properties| properties.contains_key(key)) {
            continue;
        }
        let make = if is_certain { Problem::error } else { Problem::warning };
        let path = Path::ROOT.key("initialState").key(key).render();
        let message = "every run begins with this key, which the workflow's `input` does not allow";
        let hint = "`input` is the schema of the whole state at the start: name the key in it, or let it take others by leaving out `additionalProperties: false`";
        problems.push(make(path, "closed_input", message, hint));
    }
}
