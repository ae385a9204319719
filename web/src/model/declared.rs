//! What an answer that no run has given yet will have, by its schema.

use serde_json::{Map, Value};
use stepweave_core::document::{Check, Document, every_of};
use stepweave_core::json;
use stepweave_core::state::output_key;

use super::access::Member;

/// The schema of what stands under a key of the state: of an agent's or a person's answer, or of what a run is given.
pub fn schema_of<'d>(document: &'d Document, key: &str) -> Option<&'d Value> {
    let answer = every_of(document).filter(|step| output_key(&step.name) == key);
    let given = || document.input.as_ref().and_then(Check::properties)?.get(key);
    answer.filter_map(|step| document.answer_check(step)?.json_schema()).next().or_else(given)
}

/// The keys at the end of a way, each with its schema.
pub fn members<'s>(schema: &'s Value, way: &[Member]) -> Option<&'s Map<String, Value>> {
    let at = way.iter().try_fold(schema, |schema, member| match member {
        Member::Key(key) => schema.get("properties")?.get(key),
        Member::Index(_) => schema.get("items"),
    });
    at?.get("properties")?.as_object()
}

/// What a schema allows, in a few words.
pub fn in_words(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let mut some: Vec<String> = values.iter().take(3).map(json::text).collect();
        some.extend((values.len() > some.len()).then(|| "…".to_owned()));
        return some.join(", ");
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => "a text",
        Some("number" | "integer") => "a number",
        Some("boolean") => "yes or no",
        Some("array") => "a list",
        Some("object") => "an object",
        _ => "",
    }
    .to_owned()
}
