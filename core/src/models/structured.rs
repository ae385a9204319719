//! How a model is made to answer with a JSON value.

use std::borrow::Cow;

use indexmap::IndexSet;
use serde_json::{Map, Value};

use super::presets::{Format, Quirk, preset};
use super::{Question, gemini, narrow};
use crate::document::OutputMode;
use crate::json;

/// By which method this request asks for a JSON value.
pub(super) fn means(question: &Question<'_>) -> Option<OutputMode> {
    let schema = question.output?;
    if let Some(mode) = question.output_mode.or(question.setup.model.output_mode) {
        return Some(mode);
    }
    let preset = preset(question.setup.model.provider);
    let means = if question.has_tools() { preset.structured_with_tools } else { preset.structured };
    // Endpoints take only objects by their own means.
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let takes = match preset.format {
        Format::Messages => !narrow::is_open(schema),
        Format::Gemini => gemini::takes_schema(question),
        _ => true,
    };
    Some(if is_object && takes { means } else { OutputMode::Prompt })
}

/// Whether the question can be put in another way when its endpoint does not take it as it is: in words alone.
pub(super) fn can_be_said(question: &Question<'_>) -> bool {
    let is_free = question.output_mode.or(question.setup.model.output_mode).is_none();
    let by_means = match preset(question.setup.model.provider).format {
        Format::Parts => question.output.is_some(),
        _ => means(question).is_some_and(|means| means != OutputMode::Prompt),
    };
    is_free && by_means
}

/// The instructions, with the demand for a JSON value where the endpoint does not pass it on to the model.
pub(super) fn instructions<'a>(question: &Question<'a>) -> Option<Cow<'a, str>> {
    let instructions = question.instructions.filter(|text| !text.is_empty());
    let schema = match means(question) {
        Some(OutputMode::Schema) if is_silent(question) => question.output?,
        None | Some(OutputMode::Schema) => return instructions.map(Cow::Borrowed),
        Some(OutputMode::Json | OutputMode::Prompt) => question.output?,
    };
    let mut text = instructions.map(|text| format!("{text}\n\n")).unwrap_or_default();
    text.push_str(
        "Give your final answer as JSON alone, without any other text, that fits this JSON Schema: ",
    );
    text.push_str(&json::text(schema));
    Some(Cow::Owned(text))
}

/// Whether the endpoint keeps a schema to itself, or passes over it, as one may that only speaks a provider's format.
fn is_silent(question: &Question<'_>) -> bool {
    let model = &question.setup.model;
    model.is_elsewhere() || preset(model.provider).has(Quirk::SilentSchema)
}

/// Whether a schema keeps to what endpoints that enforce it strictly demand: it says the type of everything, its
/// objects require all that they name and allow nothing else, and it uses no other keyword than these.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else { return false };
    let says_type = ["type", "enum", "const", "anyOf", "$ref"].iter().any(|key| map.contains_key(*key));
    says_type && is_closed(map) && map.iter().all(|(key, value)| is_strict_at(key, value))
}

fn is_strict_at(keyword: &str, value: &Value) -> bool {
    match keyword {
        "properties" | "$defs" => value.as_object().is_some_and(|parts| parts.values().all(is_strict)),
        "anyOf" => value.as_array().is_some_and(|schemas| schemas.iter().all(is_strict)),
        "items" => is_strict(value),
        "type" | "enum" | "const" | "$ref" | "required" | "additionalProperties" => true,
        "title" | "description" | "$schema" => true,
        _ => false,
    }
}

fn is_closed(schema: &Map<String, Value>) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    if properties.is_none() && schema.get("type").and_then(Value::as_str) != Some("object") {
        return true;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required: IndexSet<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let is_required = |name: &String| required.contains(name.as_str());
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.is_none_or(|properties| properties.keys().all(is_required))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_strict_schema_closes_every_object_and_says_every_type() {
        let closed = json!({
            "type": "object", "properties": { "n": { "type": ["integer", "null"] } },
            "required": ["n"], "additionalProperties": false,
        });
        let strict = json!({ "type": "array", "items": { "anyOf": [closed, { "enum": ["a"] }] } });
        assert!(is_strict(&strict));
        for (key, value) in
            [("required", json!([])), ("additionalProperties", json!(true)), ("minProperties", json!(1))]
        {
            let mut open = closed.clone();
            open[key] = value;
            assert!(!is_strict(&json!({ "type": "array", "items": open })), "{key}");
        }
        assert!(!is_strict(&json!({ "type": "object" })));
        assert!(!is_strict(&json!({ "description": "anything" })));
        assert!(!is_strict(&json!(true)));
    }
}
