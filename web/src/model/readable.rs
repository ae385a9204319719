//! Values as people read them.

use serde_json::Value;
use stepweave_core::json;

use crate::step::upright::upright_json;

/// A text as it is, anything else as JSON.
pub fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // A value is JSON already.
        other => upright_json(json::lines(other)),
    }
}
