//! Values as people read them.

use serde_json::Value;

/// A text as it is, anything else as JSON.
pub fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // A value is JSON already.
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
