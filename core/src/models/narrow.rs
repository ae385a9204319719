//! JSON Schemas in the narrower forms that some endpoints take.

use serde_json::{Map, Value};

use crate::json;
use crate::literal::json;

/// The subset of JSON Schema that an endpoint accepts.
struct Dialect {
    /// The keywords that stay as they are.
    kept: &'static [&'static str],
    /// Formats of texts that it knows.
    formats: &'static [&'static str],
    /// The largest `minItems` that it takes.
    min_items: u64,
    /// Whether objects have to say that they allow no other properties.
    closes: bool,
}

/// What only people read, or only validators.
const SILENT: [&str; 5] = ["$schema", "$id", "$comment", "examples", "discriminator"];

/// A schema as Anthropic takes it for answers.
pub(super) fn closed(schema: &Value) -> Value {
    const DIALECT: Dialect = Dialect {
        kept: &["$ref", "type", "enum", "title", "required", "additionalProperties"],
        formats: &[
            "date-time",
            "time",
            "date",
            "duration",
            "email",
            "hostname",
            "uri",
            "ipv4",
            "ipv6",
            "uuid",
        ],
        min_items: 1,
        closes: true,
    };
    DIALECT.narrow(schema)
}

/// A schema as Gemini takes it.
pub(super) fn plain(schema: &Value) -> Value {
    const DIALECT: Dialect = Dialect {
        kept: &[
            "$ref",
            "type",
            "enum",
            "title",
            "required",
            "additionalProperties",
            "minItems",
            "maxItems",
            "minimum",
            "maximum",
        ],
        formats: &["date-time", "date", "time"],
        min_items: u64::MAX,
        closes: false,
    };
    DIALECT.narrow(schema)
}

/// Whether a schema allows properties that it does not name. Nothing in the form of [`closed`] says that.
pub(super) fn is_open(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(is_open),
        Value::Object(map) => {
            let more = map.get("additionalProperties").unwrap_or(&Value::Bool(false));
            *more != Value::Bool(false) || map.contains_key("patternProperties") || map.values().any(is_open)
        }
        _ => false,
    }
}

impl Dialect {
    fn narrow(&self, schema: &Value) -> Value {
        let Value::Object(schema) = schema else { return json!({}) };
        let mut narrow = Map::new();
        // Keywords that the endpoint does not accept are described to the model in words.
        let mut words = String::new();
        for (key, value) in schema {
            let (key, value) = match (key.as_str(), value) {
                ("properties" | "$defs" | "definitions", Value::Object(all)) => {
                    let each = all.iter().map(|(name, one)| (name.clone(), self.narrow(one)));
                    (key.as_str(), Value::Object(each.collect()))
                }
                ("items", Value::Object(_)) => ("items", self.narrow(value)),
                ("anyOf" | "oneOf", Value::Array(all)) => {
                    ("anyOf", all.iter().map(|one| self.narrow(one)).collect())
                }
                ("allOf", Value::Array(all)) => ("allOf", all.iter().map(|one| self.narrow(one)).collect()),
                ("const", value) => ("enum", json!([value])),
                ("description", _) => continue,
                (key, _) if SILENT.contains(&key) => continue,
                (key, value) if self.takes(key, value) => (key, value.clone()),
                (key, value) => {
                    words.push_str(if words.is_empty() { "" } else { ", " });
                    words.push_str(key);
                    words.push_str(": ");
                    words.push_str(&json::text(value));
                    continue;
                }
            };
            narrow.insert(key.to_owned(), value);
        }
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = match (description.is_empty(), words.is_empty()) {
            (_, true) => description.to_owned(),
            (true, false) => words,
            (false, false) => [description, " (", &words, ")"].concat(),
        };
        if !description.is_empty() {
            narrow.insert("description".to_owned(), description.into());
        }
        if self.closes && narrow.get("type").and_then(Value::as_str) == Some("object") {
            narrow.entry("additionalProperties").or_insert(Value::Bool(false));
        }
        narrow.into()
    }

    fn takes(&self, key: &str, value: &Value) -> bool {
        match key {
            "format" => value.as_str().is_some_and(|format| self.formats.contains(&format)),
            "minItems" => value.as_u64().is_some_and(|least| least <= self.min_items),
            _ => self.kept.contains(&key),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["kind"],
            "properties": {
                "kind": { "const": "pear" },
                "mass": { "type": "number", "description": "In grams.", "minimum": 1, "exclusiveMaximum": 9 },
                "tags": { "type": "array", "items": { "$ref": "#/$defs/tag" }, "minItems": 2 },
                "at": { "oneOf": [{ "type": "string", "format": "date-time" }, { "type": "string", "format": "x" }] },
            },
            "$defs": { "tag": { "type": "string", "pattern": "^a" } },
        })
    }

    #[test]
    fn anthropic_gets_in_words_what_its_schemas_cannot_say() {
        assert_eq!(
            closed(&schema()),
            json!({
                "type": "object", "required": ["kind"], "additionalProperties": false,
                "properties": {
                    "kind": { "enum": ["pear"] },
                    "mass": { "type": "number", "description": "In grams. (minimum: 1, exclusiveMaximum: 9)" },
                    "tags": { "type": "array", "items": { "$ref": "#/$defs/tag" }, "description": "minItems: 2" },
                    "at": { "anyOf": [
                        { "type": "string", "format": "date-time" },
                        { "type": "string", "description": "format: \"x\"" },
                    ] },
                },
                "$defs": { "tag": { "type": "string", "description": "pattern: \"^a\"" } },
            })
        );
    }

    #[test]
    fn gemini_keeps_bounds_and_open_objects() {
        let narrow = plain(&schema());
        assert_eq!(narrow.get("additionalProperties"), None);
        assert_eq!(
            narrow.pointer("/properties/mass"),
            Some(
                &json!({ "type": "number", "minimum": 1, "description": "In grams. (exclusiveMaximum: 9)" })
            )
        );
        assert_eq!(narrow.pointer("/properties/tags/minItems"), Some(&json!(2)));
    }

    #[test]
    fn a_property_may_have_the_name_of_a_keyword() {
        let schema =
            json!({ "type": "object", "properties": { "pattern": { "type": "string" }, "const": {} } });
        assert_eq!(plain(&schema), schema);
    }

    #[test]
    fn open_objects_are_found_anywhere() {
        let open = json!({ "type": "array", "items": { "additionalProperties": { "type": "number" } } });
        assert!(is_open(&open));
        assert!(!is_open(&schema()));
    }
}
