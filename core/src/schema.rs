//! The document's grammar as a JSON Schema, for editors and other programs.

use serde_json::{Map, Value, json};

use crate::grammar::{DOCUMENT, STEP, STEP_KINDS};
use crate::shape::{Field, Keys, MAX_NAME, ObjectShape, Presence, Role, Shape};
use crate::state::{FORBIDDEN_KEYS, PROTOTYPE};

/// The JSON Schema (draft 2020-12) of a document.
///
/// What it cannot say (unique ids, names that must exist, templates that must parse, the nesting limit) only
/// the validator knows.
///
/// ```
/// let schema = stepweave_core::schema::json_schema();
/// assert_eq!(schema["required"], serde_json::json!(["version", "name", "steps"]));
/// ```
pub fn json_schema() -> Value {
    let mut schema = object(&DOCUMENT);
    if let Some(root) = schema.as_object_mut() {
        root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        root.insert("title".into(), json!("Stepweave workflow"));
        let inside = json!({ "$ref": "#/$defs/inSchema" });
        let in_schema = json!({
            "propertyNames": { "not": { "const": PROTOTYPE } },
            "additionalProperties": inside,
            "items": inside,
        });
        root.insert("$defs".into(), json!({ "step": { "oneOf": kinds() }, "inSchema": in_schema }));
    }
    schema
}

fn kinds() -> Vec<Value> {
    STEP_KINDS
        .iter()
        .map(|kind| {
            let mut schema = fields(kind.own.title, STEP.fields.iter().chain(kind.own.fields));
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert("type".into(), json!({ "const": kind.word }));
            }
            schema
        })
        .collect()
}

fn object(shape: &'static ObjectShape) -> Value {
    fields(shape.title, shape.fields.iter())
}

fn fields(title: &str, fields: impl Iterator<Item = &'static Field>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = value(&field.shape);
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".into(), json!(field.purpose));
        }
        properties.insert(field.key.into(), schema);
        if field.presence == Presence::Required {
            required.push(field.key);
        }
    }
    json!({
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
        "patternProperties": { "^x-": {} },
        "additionalProperties": false,
    })
}

fn one_of(shape: &'static ObjectShape) -> Value {
    let option = |field: &'static Field| {
        let beside = shape.fields.iter().filter(|other| other.presence == Presence::Beside(field.key));
        let properties =
            std::iter::once(field).chain(beside).map(|field| (field.key.into(), value(&field.shape)));
        json!({
            "type": "object",
            "properties": properties.collect::<Map<_, _>>(),
            "required": [field.key],
            "additionalProperties": false,
        })
    };
    json!({ "oneOf": shape.alternatives().map(option).collect::<Vec<_>>() })
}

fn value_of_name(role: Role) -> Value {
    match role {
        Role::StateKey => {
            json!({ "type": "string", "minLength": 1, "maxLength": MAX_NAME, "not": { "enum": FORBIDDEN_KEYS } })
        }
        Role::StepId => json!({ "type": "string", "maxLength": MAX_NAME, "pattern": "^[^/#]+$" }),
        Role::SecretName => {
            json!({ "type": "string", "maxLength": MAX_NAME, "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" })
        }
        _ => json!({ "type": "string", "minLength": 1, "maxLength": MAX_NAME }),
    }
}

fn value(shape: &'static Shape) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Record => json!({ "type": "object", "propertyNames": { "not": { "enum": FORBIDDEN_KEYS } } }),
        Shape::RecordWith(shape) => {
            let mut record = value(&Shape::Record);
            if let (Some(record), Value::Object(mut known)) = (record.as_object_mut(), object(shape)) {
                record.extend(known.remove_entry("properties"));
            }
            record
        }
        Shape::Schema => json!({ "type": ["object", "boolean"], "$ref": "#/$defs/inSchema" }),
        Shape::Name(role) => value_of_name(*role),
        Shape::Text(_) => json!({ "type": "string" }),
        Shape::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Shape::Number(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::BooleanOr(shape) => json!({ "anyOf": [{ "type": "boolean" }, one_of(shape)] }),
        Shape::Choice(words) => json!({ "enum": words }),
        Shape::ChoiceOr(words, shape) => json!({ "anyOf": [{ "enum": words }, one_of(shape)] }),
        Shape::ChoiceOrNames(words, role) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "array", "items": value_of_name(*role) }] })
        }
        Shape::Data => json!({}),
        Shape::Names(role) => json!({ "type": "array", "items": value_of_name(*role) }),
        Shape::Object(shape) => object(shape),
        Shape::OneOf(shape) => one_of(shape),
        Shape::TextOr(_, shape) => json!({ "anyOf": [{ "type": "string" }, one_of(shape)] }),
        Shape::Map(Keys::State, inner) => json!({
            "type": "object",
            "propertyNames": { "minLength": 1, "not": { "enum": FORBIDDEN_KEYS } },
            "additionalProperties": value(inner),
        }),
        Shape::Map(_, inner) => json!({
            "type": "object",
            "propertyNames": { "minLength": 1, "maxLength": MAX_NAME },
            "additionalProperties": value(inner),
        }),
        Shape::List(shape) => json!({ "type": "array", "minItems": 1, "items": object(shape) }),
        Shape::Steps => json!({ "type": "array", "items": { "$ref": "#/$defs/step" } }),
    }
}
