//! What stands under a key in an endpoint's JSON, which may be anything.

use serde_json::Value;

static NOTHING: Value = Value::Null;

/// What stands under this key; null where nothing does.
pub(super) fn at<'a>(json: &'a Value, key: &str) -> &'a Value {
    json.get(key).unwrap_or(&NOTHING)
}

/// The text under this key; nothing where there is none.
pub(super) fn text<'a>(json: &'a Value, key: &str) -> &'a str {
    json.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list under this key; an empty one where there is none.
pub(super) fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    json.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The number of tokens under this key.
pub(super) fn tokens(json: &Value, key: &str) -> Option<u64> {
    json.get(key).and_then(Value::as_u64)
}

/// What is under this key, unless it is null.
pub(super) fn something<'a>(json: &'a Value, key: &str) -> Option<&'a Value> {
    json.get(key).filter(|value| !value.is_null())
}

/// The error in an object: in its field, or the object itself.
pub(super) fn error_in(json: &Value) -> Option<&Value> {
    // Some answers say of themselves that they are none.
    let has_content =
        |error: &&Value| !matches!(error, Value::Null | Value::Bool(false)) && error.as_str() != Some("");
    let is_error = || ["type", "object"].iter().any(|key| text(json, key) == "error");
    json.get("error").filter(has_content).or_else(|| is_error().then_some(json))
}
