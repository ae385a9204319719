//! How a model is made to answer with a JSON value.

use std::borrow::Cow;

use serde_json::Value;

use super::presets::{Format, Structured, preset};
use super::{Question, gemini, narrow};

/// By which means this question asks for a JSON value.
pub(super) fn means(question: &Question<'_>) -> Option<Structured> {
    let schema = question.output?;
    let preset = preset(question.setup.model.provider);
    // Endpoints take only objects by their own means.
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let takes = match preset.format {
        Format::Messages => !narrow::is_open(schema),
        Format::Gemini => gemini::takes_schema(question),
        _ => true,
    };
    Some(if is_object && takes { preset.structured } else { Structured::Words })
}

/// The instructions, with the wish for a JSON value where the endpoint has no means of its own for it.
pub(super) fn instructions<'a>(question: &Question<'a>) -> Option<Cow<'a, str>> {
    let instructions = question.instructions.filter(|text| !text.is_empty());
    let schema = match means(question) {
        None | Some(Structured::Schema) => return instructions.map(Cow::Borrowed),
        Some(Structured::Object | Structured::Words) => question.output?,
    };
    let mut text = instructions.map(|text| format!("{text}\n\n")).unwrap_or_default();
    text.push_str("Answer with JSON alone, without any other text, that fits this JSON Schema: ");
    text.push_str(&schema.to_string());
    Some(Cow::Owned(text))
}

/// Whether a schema keeps to what endpoints that enforce schemas strictly demand of it: objects name all their
/// properties as required and allow no others.
pub(super) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().all(is_strict),
        Value::Object(map) => {
            let is_closed = match map.get("properties").and_then(Value::as_object) {
                Some(properties) => {
                    let required = map.get("required").and_then(Value::as_array);
                    let is_required = |name: &String| {
                        required.is_some_and(|names| names.iter().any(|other| other.as_str() == Some(name)))
                    };
                    map.get("additionalProperties") == Some(&Value::Bool(false))
                        && properties.keys().all(is_required)
                }
                None => map.get("type").and_then(Value::as_str) != Some("object"),
            };
            is_closed && map.values().all(is_strict)
        }
        _ => true,
    }
}
