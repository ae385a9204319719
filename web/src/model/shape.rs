//! The common part of JSON Schema, as a person edits it: an object's keys, and of each what it is. Whatever else a schema
//! says stays as it is.

use serde_json::{Map, Value, json};
use stepweave_core::document::Document;
use stepweave_core::json;

use crate::step::free::free;

/// What stands under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// One of several values.
    Choice,
    /// A list.
    List,
    /// An object.
    Object,
    /// A file that a person chooses.
    File,
    /// Something that only JSON says.
    Other,
}

/// Who gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Giver {
    /// A person, with a form.
    Person,
    /// A model or a step, which has no files.
    Program,
    /// A model that answers, with an object or with one of some words.
    Answer,
}

impl Giver {
    /// What can be chosen for a value.
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        let all = Kind::ALL.into_iter().map(|(kind, _)| kind);
        all.filter(move |kind| self == Self::Person || *kind != Kind::File)
    }

    /// What tells whether such a schema has fields.
    pub fn has_fields(self) -> fn(Option<&Value>) -> bool {
        match self {
            Self::Answer => |schema| is_common(schema) || is_choice(schema),
            Self::Person | Self::Program => is_common,
        }
    }
}

/// A key of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The key.
    pub key: String,
    /// What stands under it.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
    /// Its schema.
    pub schema: Value,
}

/// The format of an object that is what `stepweave/files` reads of a file.
const FILE: &str = "file";

/// What says that a schema is more than its keys.
const BEYOND: [&str; 9] =
    ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

impl Kind {
    /// All that can be chosen, with what people call them.
    pub const ALL: [(Self, &str); 8] = [
        (Self::Text, "Text"),
        (Self::Number, "Number"),
        (Self::Integer, "Whole number"),
        (Self::Boolean, "Yes or no"),
        (Self::Choice, "One of…"),
        (Self::List, "List"),
        (Self::Object, "Object"),
        (Self::File, "File"),
    ];

    /// What people call it.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("More, in JSON", |(_, label)| label)
    }

    /// The kind that people call so.
    pub fn called(label: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| *own == label).map(|(kind, _)| *kind)
    }

    /// What a schema describes.
    pub fn of(schema: &Value) -> Self {
        if BEYOND.iter().any(|word| schema.get(word).is_some()) {
            return Self::Other;
        }
        let is_list = |key: &str| schema.get(key).is_some_and(Value::is_array);
        match schema.get("type").and_then(Value::as_str) {
            _ if is_list("enum") => Self::Choice,
            Some("string") => Self::Text,
            Some("number") => Self::Number,
            Some("integer") => Self::Integer,
            Some("boolean") => Self::Boolean,
            Some("array") if !is_list("items") => Self::List,
            Some("object") if schema.get("format").is_some_and(|format| format == FILE) => Self::File,
            Some("object") => Self::Object,
            None if schema.get("properties").is_some() => Self::Object,
            _ => Self::Other,
        }
    }

    /// A schema of this kind, that keeps what is said about another one.
    pub fn schema(self, about: &Value) -> Value {
        let kept =
            ["title", "description"].into_iter().filter_map(|key| Some((key, about.get(key)?.clone())));
        let own = match self {
            Self::Text => json!({ "type": "string" }),
            Self::Number => json!({ "type": "number" }),
            Self::Integer => json!({ "type": "integer" }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Choice => json!({ "enum": ["one", "other"] }),
            Self::List => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Object => json!({ "type": "object", "properties": {} }),
            Self::File => json!({ "type": "object", "format": FILE }),
            Self::Other => about.clone(),
        };
        let mut own = own;
        for (key, value) in kept {
            own = with(&own, key, Some(value));
        }
        own
    }
}

/// The least that a schema describes: what a value begins with that nobody has given yet.
pub fn empty(schema: &Value) -> Value {
    if let Some(value) = schema.get("default") {
        return value.clone();
    }
    match Kind::of(schema) {
        Kind::Text => json!(""),
        Kind::Number | Kind::Integer => json!(0),
        Kind::Boolean => json!(false),
        Kind::Choice => schema.pointer("/enum/0").cloned().unwrap_or_default(),
        Kind::List => json!([]),
        Kind::Object => Value::Object(begun(schema)),
        Kind::File | Kind::Other => Value::Null,
    }
}

/// The keys of an object, with the least of each.
pub fn begun(schema: &Value) -> Map<String, Value> {
    properties(schema).into_iter().map(|property| (property.key, empty(&property.schema))).collect()
}

/// Whether the keys are all that has to be edited; an absent schema has none yet.
pub fn is_common(schema: Option<&Value>) -> bool {
    schema.is_none_or(|schema| {
        schema.as_object().is_some_and(Map::is_empty) || Kind::of(schema) == Kind::Object
    })
}

/// Whether it lists the values that there are.
pub fn is_choice(schema: Option<&Value>) -> bool {
    schema.is_some_and(|schema| Kind::of(schema) == Kind::Choice)
}

/// The keys of an object.
pub fn properties(schema: &Value) -> Vec<Property> {
    let needed = schema.get("required").and_then(Value::as_array);
    let required = |key: &str| needed.is_some_and(|keys| keys.iter().any(|one| one == key));
    let property = |(key, schema): (&String, &Value)| Property {
        key: key.clone(),
        kind: Kind::of(schema),
        required: required(key),
        schema: schema.clone(),
    };
    let all = schema.get("properties").and_then(Value::as_object);
    all.into_iter().flatten().map(property).collect()
}

/// The object with these keys instead; nothing where none are left and nothing else is said.
pub fn with_properties(schema: Option<&Value>, properties: &[Property]) -> Option<Value> {
    let before = schema.cloned().unwrap_or_else(|| json!({ "type": "object" }));
    let own: Map<String, Value> =
        properties.iter().map(|property| (property.key.clone(), property.schema.clone())).collect();
    // A key may be needed of which nothing else is said.
    let unsaid = |key: &&Value| {
        let key = key.as_str().unwrap_or_default();
        !own.contains_key(key) && before.get("properties").and_then(|all| all.get(key)).is_none()
    };
    let before_needed = before.get("required").and_then(Value::as_array);
    let mut needed: Vec<Value> =
        properties.iter().filter(|one| one.required).map(|one| one.key.clone().into()).collect();
    needed.extend(before_needed.into_iter().flatten().filter(unsaid).cloned());
    let schema = with(&before, "required", Some(Value::Array(needed)).filter(|list| *list != json!([])));
    if own.is_empty()
        && schema
            .as_object()
            .is_none_or(|schema| schema.keys().all(|key| ["type", "properties"].contains(&key.as_str())))
    {
        return None;
    }
    Some(with(&schema, "properties", Some(Value::Object(own))))
}

/// The name of a new key, that none of these has.
pub fn free_key(properties: &[Property]) -> String {
    free("key", &|key| properties.iter().any(|own| own.key == key))
}

/// What a schema says of itself.
pub fn about(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The schema that says this of itself.
pub fn with_about(schema: &Value, text: &str) -> Value {
    with(schema, "description", Some(text).filter(|text| !text.is_empty()).map(Into::into))
}

/// The values of a choice, one in a line: a text as it is, or other JSON.
pub fn choices(schema: &Value) -> String {
    let values = schema.get("enum").and_then(Value::as_array);
    let line = |value: &Value| match value {
        Value::String(text) if read_choice(text) == *value => text.clone(),
        other => json::text(other),
    };
    values.into_iter().flatten().map(line).collect::<Vec<_>>().join("\n")
}

/// The schema with these values to choose from.
pub fn with_choices(schema: &Value, text: &str) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for value in text.lines().map(str::trim).filter(|line| !line.is_empty()).map(read_choice) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    with(schema, "enum", Some(Value::Array(values)))
}

/// The schema of a list's items.
pub fn items(schema: &Value) -> Value {
    schema.get("items").cloned().unwrap_or_else(|| json!({}))
}

/// The list with items of this schema.
pub fn with_items(schema: &Value, items: Value) -> Value {
    with(schema, "items", Some(items))
}

/// Numbers, true, false and null are meant as such; everything else is a text.
fn read_choice(line: &str) -> Value {
    serde_json::from_str(line)
        .ok()
        .filter(|value: &Value| !value.is_object() && !value.is_array())
        .unwrap_or_else(|| line.into())
}

fn with(schema: &Value, key: &str, value: Option<Value>) -> Value {
    let mut own = schema.as_object().cloned().unwrap_or_default();
    match value {
        Some(value) => drop(own.insert(key.to_owned(), value)),
        None => drop(own.shift_remove(key)),
    }
    Value::Object(own)
}

/// What a run of a document was given, of the state that it began with: the keys that the schema of its input names, and
/// whatever its initial state has not, or otherwise.
pub fn given(document: Option<&Document>, mut state: Map<String, Value>) -> Map<String, Value> {
    let Some(document) = document else { return Map::new() };
    let schema = document.input.as_ref().and_then(|input| input.json_schema());
    let part = |word: &str| schema.and_then(|schema| schema.get(word));
    let is_asked = |key: &str| {
        let needed = part("required").and_then(Value::as_array);
        part("properties").is_some_and(|all| all.get(key).is_some())
            || needed.is_some_and(|keys| keys.iter().any(|one| one == key))
    };
    state.retain(|key, value| is_asked(key) || document.initial_state.get(key) != Some(value));
    state
}

/// Values that were given for a schema as it was, for what it is now: a key that was renamed has its value.
pub fn followed(schema: &Value, mut values: Map<String, Value>) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return values };
    let mut without_value = properties.keys().filter(|key| !values.contains_key(*key));
    let mut left_over = values.keys().filter(|key| !properties.contains_key(*key));
    let renamed = (without_value.next(), without_value.next(), left_over.next(), left_over.next());
    if let (Some(new), None, Some(old), None) = renamed
        && let Some(value) = values.get(old).cloned()
    {
        values.insert(new.clone(), value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_was_given_what_its_document_asks_for() {
        let schema =
            json!({ "type": "object", "required": ["b"], "properties": { "a": { "type": "string" } } });
        let own = json!({ "c": "of the initial state", "d": 1 });
        let document =
            json!({ "version": 1, "name": "t", "input": schema, "initialState": own, "steps": [] });
        let state = json!({ "a": "x", "b": 2, "c": "of the initial state", "d": 2, "urls": ["x"] });
        let mut document: Document = serde_json::from_value(document).unwrap();
        let of =
            |document: Option<&Document>| Value::Object(given(document, state.as_object().unwrap().clone()));
        assert_eq!(of(Some(&document)), json!({ "a": "x", "b": 2, "d": 2, "urls": ["x"] }));
        document.initial_state.clear();
        document.input = None;
        assert_eq!(Some(&of(Some(&document))), Some(&json!(state)));
        assert_eq!(of(None), json!({}));
    }

    #[test]
    fn keys_are_read_and_written_and_the_rest_stays() {
        let schema = json!({ "type": "object", "additionalProperties": false, "required": ["a", "z"],
            "properties": { "a": { "type": "string", "minLength": 2 }, "b": { "oneOf": [] } } });
        let mut rows = properties(&schema);
        assert_eq!(
            rows.iter().map(|row| (row.key.as_str(), row.kind, row.required)).collect::<Vec<_>>(),
            [("a", Kind::Text, true), ("b", Kind::Other, false)]
        );
        assert_eq!(with_properties(Some(&schema), &rows), Some(schema.clone()));
        rows[0].key = "c".to_owned();
        let renamed = with_properties(Some(&schema), &rows).unwrap();
        assert_eq!(renamed["properties"]["c"], json!({ "type": "string", "minLength": 2 }));
        // `z` is needed without being described; `a` is gone.
        assert_eq!(renamed["required"], json!(["c", "z"]));
        assert_eq!(renamed["additionalProperties"], json!(false));
    }

    #[test]
    fn an_empty_schema_is_none() {
        let one = Property {
            key: "a".into(),
            kind: Kind::Text,
            required: false,
            schema: json!({ "type": "string" }),
        };
        let made = with_properties(None, &[one]).unwrap();
        assert_eq!(made, json!({ "type": "object", "properties": { "a": { "type": "string" } } }));
        assert_eq!(with_properties(Some(&made), &[]), None);
        assert_eq!(free_key(&properties(&made)), "key");
        assert!(is_common(None) && is_common(Some(&made)) && is_common(Some(&json!({}))));
        for other in [
            json!(true),
            json!({ "type": "string" }),
            json!({ "oneOf": [] }),
            json!({ "$ref": "#", "properties": {} }),
        ] {
            assert!(!is_common(Some(&other)), "{other}");
        }
    }

    #[test]
    fn another_kind_keeps_what_is_said_about_a_key() {
        let text = json!({ "type": "string", "description": "How warm", "minLength": 2 });
        assert_eq!(Kind::Number.schema(&text), json!({ "type": "number", "description": "How warm" }));
        assert_eq!(with_about(&text, ""), json!({ "type": "string", "minLength": 2 }));
        for (kind, label) in Kind::ALL {
            assert_eq!(Kind::of(&kind.schema(&json!({}))), kind);
            assert_eq!(Kind::called(label), Some(kind));
        }
        assert_eq!(Kind::of(&json!({ "type": ["string", "null"] })), Kind::Other);
    }

    #[test]
    fn only_a_person_has_files() {
        assert!(Giver::Person.kinds().any(|kind| kind == Kind::File));
        assert!(Giver::Program.kinds().eq(Giver::Person.kinds().filter(|kind| *kind != Kind::File)));
        assert!(!is_common(Some(&Kind::File.schema(&Value::Null))));
        assert_eq!(Kind::of(&json!({ "type": "string", "format": "file" })), Kind::Text);
    }

    #[test]
    fn only_an_answer_is_a_choice_as_a_whole() {
        let words = json!({ "enum": ["a", "b"] });
        assert!(
            is_choice(Some(&words)) && !is_choice(None) && !is_choice(Some(&json!({ "type": "string" })))
        );
        for giver in [Giver::Person, Giver::Program, Giver::Answer] {
            assert_eq!(giver.has_fields()(Some(&words)), giver == Giver::Answer);
            assert!(giver.has_fields()(None) && !giver.has_fields()(Some(&json!({ "type": "string" }))));
        }
    }

    #[test]
    fn choices_are_lines() {
        let schema = json!({ "enum": ["warm", 2, "2", true, null] });
        assert_eq!(choices(&schema), "warm\n2\n\"2\"\ntrue\nnull");
        assert_eq!(with_choices(&schema, &choices(&schema)), schema);
        assert_eq!(with_choices(&schema, " a \n\na\n{"), json!({ "enum": ["a", "{"] }));
    }

    #[test]
    fn what_nobody_has_given_yet_begins_with_the_least_of_its_kind() {
        let schema = json!({ "type": "object", "properties": {
            "who": { "type": "string" }, "many": { "type": "integer", "default": 3 }, "cost": { "type": "number" },
            "urgent": { "type": "boolean" }, "kind": { "enum": ["a", "b"] }, "file": Kind::File.schema(&Value::Null),
            "guests": { "type": "array", "items": { "type": "string" } },
            "at": { "type": "object", "properties": { "city": { "type": "string" } } } } });
        let expected = json!({ "who": "", "many": 3, "cost": 0, "urgent": false, "kind": "a", "file": null,
            "guests": [], "at": { "city": "" } });
        assert_eq!(Value::Object(begun(&schema)), expected);
    }

    #[test]
    fn a_value_follows_the_only_key_that_was_renamed() {
        let of = |keys: &[&str], values: Value| {
            let properties: Map<String, Value> =
                keys.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
            let followed =
                followed(&json!({ "properties": properties }), values.as_object().unwrap().clone());
            Value::Object(followed)
        };
        assert_eq!(of(&["letter", "n"], json!({ "mail": "Hi", "n": 1 }))["letter"], "Hi");
        for (keys, values) in [
            (&["letter", "note"][..], json!({ "mail": "Hi" })),
            (&["letter"], json!({ "mail": "Hi", "note": "x" })),
            (&["mail"], json!({ "mail": "Hi" })),
            (&["mail"], json!({})),
        ] {
            assert_eq!(of(keys, values.clone()), values);
        }
    }
}
