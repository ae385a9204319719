//! Values that fit a JSON Schema, made without any thought.

use indexmap::IndexSet;
use serde_json::{Map, Value};

use super::choice::Meaning;
use crate::models::fields::{at, list, text};

/// Nodes that a value may have. Schemas that refer to each other can demand any number of them.
const MAX_PARTS: usize = 5000;

/// How deep a value may be.
const MAX_DEPTH: usize = 100;

/// Characters, keys and values that may be copied out of a schema to make a value: subschemas that are merged or
/// repeated are copied each time.
const MAX_COPIED: usize = 1_000_000;

/// What texts say that may say anything.
#[derive(Debug, Clone, Copy)]
pub(super) enum Texts<'a> {
    /// This, and then what they are called.
    Label(&'a str),
    /// This.
    Said(&'a str),
}

/// Makes values for one schema.
pub(super) struct Maker<'a> {
    /// The whole schema, in which references lead.
    root: &'a Value,
    texts: Texts<'a>,
    /// By what was said to the model a choice is made.
    meaning: Meaning,
    /// The references that are being followed: none is followed inside of itself.
    followed: Vec<String>,
    parts: usize,
    depth: usize,
    copied: usize,
}

/// A value that fits the schema, as far as that can be had without searching for it; patterns are not looked at.
pub(super) fn fitting(schema: &Value, texts: Texts<'_>, input: &str) -> Value {
    let followed = Vec::new();
    let meaning = Meaning::of(input);
    let mut maker = Maker { root: schema, texts, meaning, followed, parts: 0, depth: 0, copied: 0 };
    maker.value(schema, "", 0).unwrap_or_default()
}

impl Maker<'_> {
    /// The value under a name, the nth of its kind; nothing where none comes to an end.
    fn value(&mut self, schema: &Value, name: &str, nth: usize) -> Option<Value> {
        self.parts += 1;
        if self.parts > MAX_PARTS || self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = self.mixed(schema, name, nth);
        self.depth -= 1;
        value
    }

    /// The value of a schema that may be mixed of others.
    fn mixed(&mut self, schema: &Value, name: &str, nth: usize) -> Option<Value> {
        let reference = text(schema, "$ref");
        if !reference.is_empty() {
            return self.referred(reference, name, nth);
        }
        for alternatives in ["anyOf", "oneOf"] {
            let all = list(schema, alternatives);
            if !all.is_empty() {
                self.pay(schema)?;
                let rest = without(schema, alternatives);
                return all.iter().find_map(|one| {
                    let one = self.resolved(one)?;
                    let whole = self.mixed_of(&rest, &one)?;
                    self.value(&whole, name, nth)
                });
            }
        }
        let parts = list(schema, "allOf");
        if !parts.is_empty() {
            self.pay(schema)?;
            let mut whole = without(schema, "allOf");
            for part in parts {
                let part = self.resolved(part)?;
                whole = self.mixed_of(&whole, &part)?;
            }
            return self.value(&whole, name, nth);
        }
        self.plain(schema, name, nth)
    }

    fn plain(&mut self, schema: &Value, name: &str, nth: usize) -> Option<Value> {
        let choices = list(schema, "enum");
        let word = |nth: usize| choices.get(nth).and_then(Value::as_str).unwrap_or_default();
        let nth_from_said = nth + self.meaning.nth(choices.len(), &word);
        let only = schema.get("const").or_else(|| choices.get(nth_from_said.checked_rem(choices.len())?));
        if let Some(only) = only {
            self.pay(only)?;
            return Some(only.clone());
        }
        match kind(schema) {
            "object" => self.object(schema),
            "array" => self.array(schema, name),
            "integer" | "number" => number(schema, nth),
            "boolean" => Some(true.into()),
            "null" => Some(Value::Null),
            _ => {
                let text = self.text(schema, name, nth);
                self.pay_for(text.len())?;
                Some(text.into())
            }
        }
    }

    /// Counts what is about to be copied; nothing when it is too much.
    fn pay(&mut self, value: &Value) -> Option<()> {
        let most = MAX_COPIED.saturating_sub(self.copied);
        self.pay_for(size(value, most))
    }

    fn pay_for(&mut self, copied: usize) -> Option<()> {
        self.copied = self.copied.saturating_add(copied);
        (self.copied <= MAX_COPIED).then_some(())
    }

    /// A schema that demands what both do.
    fn mixed_of(&mut self, one: &Value, other: &Value) -> Option<Value> {
        self.pay(one)?;
        self.pay(other)?;
        // Which values two lists of values share is found by comparing each with each.
        self.pay_for(list(one, "enum").len().saturating_mul(list(other, "enum").len()))?;
        Some(both(one, other))
    }

    fn referred(&mut self, reference: &str, name: &str, nth: usize) -> Option<Value> {
        if self.followed.iter().any(|other| other == reference) {
            return None;
        }
        let schema = self.root.pointer(reference.strip_prefix('#')?)?;
        self.followed.push(reference.to_owned());
        let value = self.value(schema, name, nth);
        self.followed.pop();
        value
    }

    /// A subschema that is merged with others: what it refers to. One that refers to itself is nothing.
    fn resolved(&self, schema: &Value) -> Option<Value> {
        let mut schema = schema;
        for _ in 0..8 {
            let reference = text(schema, "$ref");
            if reference.is_empty() {
                return Some(schema.clone());
            }
            if self.followed.iter().any(|other| other == reference) {
                return None;
            }
            schema = self.root.pointer(reference.strip_prefix('#')?)?;
        }
        None
    }

    fn object(&mut self, schema: &Value) -> Option<Value> {
        let mut object = Map::new();
        let required: IndexSet<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
        let most = at(schema, "maxProperties").as_u64().unwrap_or(u64::MAX);
        let is_full = |object: &Map<String, Value>| object.len() as u64 >= most;
        for (name, part) in at(schema, "properties").as_object().into_iter().flatten() {
            let is_required = required.contains(name.as_str());
            if !is_required && (most < u64::MAX || *part == Value::Bool(false)) {
                continue;
            }
            match self.value(part, name, 0) {
                Some(value) => {
                    object.insert(name.clone(), value);
                }
                // What need not be there and has no end is left out.
                None if is_required => return None,
                None => {}
            }
        }
        let more = at(schema, "additionalProperties");
        for name in required {
            if !object.contains_key(name) {
                object.insert(name.to_owned(), self.value(more, name, 0)?);
            }
        }
        let least = at(schema, "minProperties").as_u64().unwrap_or_default();
        for nth in 1.. {
            if object.len() as u64 >= least || is_full(&object) {
                break;
            }
            let name = format!("key{nth}");
            let value = self.value(more, &name, 0)?;
            object.entry(name).or_insert(value);
        }
        Some(object.into())
    }

    fn array(&mut self, schema: &Value, name: &str) -> Option<Value> {
        let least = at(schema, "minItems").as_u64().unwrap_or_default();
        let most = at(schema, "maxItems").as_u64().unwrap_or(u64::MAX);
        let first = list(schema, "prefixItems");
        let others = [at(schema, "items"), at(schema, "contains")];
        let others = others.into_iter().find(|schema| !schema.is_null());
        let mut items = Vec::new();
        // One shows what the list is of.
        let wanted = least.max(first.len() as u64).max(1).min(most);
        for nth in 0..wanted {
            let nth = nth as usize;
            let one = first.get(nth).or(others).unwrap_or(&Value::Null);
            let value = if *one == Value::Bool(false) { None } else { self.value(one, name, nth) };
            match value {
                Some(value) => items.push(value),
                None if (items.len() as u64) < least => return None,
                None => break,
            }
        }
        Some(items.into())
    }

    fn text(&self, schema: &Value, name: &str, nth: usize) -> String {
        let format = FORMATS.iter().find(|(format, _)| *format == text(schema, "format"));
        if let Some((_, example)) = format {
            return (*example).to_owned();
        }
        let mut said = match self.texts {
            Texts::Label(label) => [label, if name.is_empty() { "text" } else { name }].concat(),
            Texts::Said(said) => numbered(name, said).unwrap_or(said).to_owned(),
        };
        if nth > 0 {
            said.push_str(&format!(" {}", nth + 1));
        }
        let length = |key| at(schema, key).as_u64().and_then(|length| usize::try_from(length).ok());
        let least = length("minLength").unwrap_or_default().min(MAX_PARTS);
        let missing = least.saturating_sub(said.chars().count());
        said.extend(std::iter::repeat_n('.', missing));
        said.chars().take(length("maxLength").unwrap_or(usize::MAX)).collect()
    }
}

/// The number in what was said, for a text that is to be one: `4711` for `order_number`.
fn numbered<'a>(name: &str, said: &'a str) -> Option<&'a str> {
    let ends = ["number", "Number", "_id", "-id", "Id", "_no", "_nr"];
    let is_number = name == "id" || ends.iter().any(|end| name.ends_with(end));
    let mut digits = said.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
    if is_number { digits.next() } else { None }
}

/// An example of each format.
const FORMATS: [(&str, &str); 13] = [
    ("date-time", "2026-01-01T00:00:00Z"),
    ("date", "2026-01-01"),
    ("time", "00:00:00Z"),
    ("duration", "P1D"),
    ("email", "someone@example.com"),
    ("hostname", "example.com"),
    ("uri", "https://example.com/"),
    ("uri-reference", "/simulated"),
    ("json-pointer", "/simulated"),
    ("uuid", "00000000-0000-4000-8000-000000000000"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("regex", "simulated"),
];

/// The kind of value that a schema describes; without a type, its keywords show the kind.
fn kind(schema: &Value) -> &str {
    let types = at(schema, "type");
    let is_something = |kind: &&str| *kind != "null";
    let of_several = || list(schema, "type").iter().filter_map(Value::as_str).find(is_something);
    if let Some(kind) = types.as_str().or_else(of_several) {
        return kind;
    }
    if types.is_array() {
        return "null";
    }
    const SIGNS: [(&str, &str); 8] = [
        ("properties", "object"),
        ("required", "object"),
        ("items", "array"),
        ("prefixItems", "array"),
        ("minItems", "array"),
        ("minimum", "number"),
        ("maximum", "number"),
        ("multipleOf", "number"),
    ];
    let sign = SIGNS.iter().find(|(key, _)| schema.get(key).is_some());
    sign.map_or("string", |(_, kind)| kind)
}

/// A number in its bounds; those after it are larger, where there is room.
fn number(schema: &Value, nth: usize) -> Option<Value> {
    let bound = |key| at(schema, key).as_f64();
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let is_integer = kind(schema) == "integer";
    let unit = step.unwrap_or(1.0);
    let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
    let least = bound("minimum").into_iter().chain(above).reduce(f64::max);
    let most = bound("maximum").into_iter().chain(below).reduce(f64::min);
    let fits = |number: f64| {
        least.is_none_or(|least| number >= least && above != Some(number))
            && most.is_none_or(|most| number <= most && below != Some(number))
            && (!is_integer || number.fract() == 0.0)
    };
    let on_step = |number: f64| (number / unit).ceil() * unit;
    let start = match (least, most) {
        (Some(least), _) => on_step(least),
        (None, Some(most)) => ((most / unit).floor() * unit).min(unit),
        (None, None) => unit,
    };
    let middle = || match (least, most) {
        (Some(least), Some(most)) if step.is_none() => Some((least + most) / 2.0),
        _ => None,
    };
    let later = start + unit * nth as f64;
    let tried = [later, later + unit, start, start + unit, start - unit];
    let number = tried.into_iter().chain(least).chain(middle()).find(|number| fits(*number))?;
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Some((number as i64).into())
    } else {
        Some(number.into())
    }
}

/// Whether a keyword says how small something may be.
fn is_least(keyword: &str) -> bool {
    keyword.starts_with("min") || keyword == "exclusiveMinimum"
}

/// How many characters, keys and values something has, counted no further than this.
fn size(value: &Value, most: usize) -> usize {
    let mut open = vec![value];
    let mut size = 0_usize;
    while let Some(value) = open.pop() {
        size = size.saturating_add(match value {
            Value::String(text) => text.len() + 1,
            Value::Array(list) => {
                open.extend(list);
                1
            }
            Value::Object(map) => {
                open.extend(map.values());
                1 + map.keys().map(String::len).sum::<usize>()
            }
            _ => 1,
        });
        if size > most {
            break;
        }
    }
    size
}

fn without(schema: &Value, key: &str) -> Value {
    let mut rest = schema.clone();
    if let Some(rest) = rest.as_object_mut() {
        rest.shift_remove(key);
    }
    rest
}

/// A schema that demands what both do, as far as their keywords can be put together.
fn both(one: &Value, other: &Value) -> Value {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return if one.is_object() { one.clone() } else { other.clone() };
    };
    let mut whole = one.clone();
    for (key, value) in other {
        let together = match (whole.get(key), value) {
            (Some(Value::Object(one)), Value::Object(other)) => {
                let mut all = one.clone();
                for (name, part) in other {
                    let part = all.get(name).map_or_else(|| part.clone(), |one| both(one, part));
                    all.insert(name.clone(), part);
                }
                all.into()
            }
            (Some(Value::Array(one)), Value::Array(other)) if key == "enum" => {
                one.iter().filter(|value| other.contains(value)).cloned().collect()
            }
            (Some(Value::Array(one)), Value::Array(other)) => one.iter().chain(other).cloned().collect(),
            (Some(one), other) => match (one.as_f64(), other.as_f64()) {
                (Some(least), Some(more)) if is_least(key) && more > least => other.clone(),
                (Some(most), Some(less)) if !is_least(key) && less < most => other.clone(),
                _ => one.clone(),
            },
            (None, value) => value.clone(),
        };
        whole.insert(key.clone(), together);
    }
    whole.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(schema: Value) -> Value {
        fitting(&schema, Texts::Label("my "), "")
    }

    #[test]
    fn the_choice_is_made_that_is_said_most_often() {
        let choices = json!({ "enum": [1, "", "billing", "delivery"] });
        let about = |input: &str| fitting(&choices, Texts::Label("my "), input);
        assert_eq!(about("billing or delivery: a late delivery"), "delivery");
        assert_eq!(about("delivery or billing"), "billing");
        assert_eq!(about("Delivery"), "delivery");
        assert_eq!(about("Hello"), 1);
        assert_eq!(about(&"delivery".repeat(500_000)), 1);
        let both = json!({ "type": "array", "minItems": 2, "items": { "enum": ["a", "b"] } });
        assert_eq!(fitting(&both, Texts::Label("my "), "b"), json!(["b", "a"]));
    }

    #[test]
    fn what_is_to_be_a_number_is_the_one_that_was_said() {
        let texts = |key: &str| json!({ "type": "object", "properties": { key: { "type": "string" } } });
        let order = "Where is my order 4711 of 3 May?";
        for key in ["order_number", "orderId", "id", "number"] {
            assert_eq!(fitting(&texts(key), Texts::Said(order), ""), json!({ key: "4711" }));
            assert_eq!(fitting(&texts(key), Texts::Said("Which?"), ""), json!({ key: "Which?" }));
        }
        assert_eq!(fitting(&texts("said"), Texts::Said(order), ""), json!({ "said": order }));
        assert_eq!(fitting(&texts("paid"), Texts::Said(order), ""), json!({ "paid": order }));
    }

    #[test]
    fn every_kind_of_value_is_made() {
        let schema = json!({
            "type": "object", "required": ["name", "unnamed"],
            "properties": {
                "name": { "type": "string", "maxLength": 5 }, "long": { "type": "string", "minLength": 9 },
                "mail": { "type": "string", "format": "email" }, "mood": { "enum": ["good", "bad"] },
                "kind": { "const": 7 }, "is": { "type": "boolean" }, "none": { "type": "null" },
                "maybe": { "type": ["null", "integer"] }, "tags": { "type": "array", "items": { "type": "string" } },
                "pair": { "type": "array", "prefixItems": [{ "type": "boolean" }, { "enum": [1] }], "items": false },
                "never": false,
            },
        });
        assert_eq!(
            made(schema),
            json!({
                "name": "my na", "long": "my long..", "mail": "someone@example.com", "mood": "good", "kind": 7,
                "is": true, "none": null, "maybe": 1, "tags": ["my tags"], "pair": [true, 1], "unnamed": "my unnamed",
            })
        );
    }

    #[test]
    fn lists_have_as_many_items_as_they_need() {
        let list = |least, most| {
            made(
                json!({ "type": "array", "items": { "type": "string" }, "minItems": least, "maxItems": most }),
            )
        };
        assert_eq!(list(3, 9), json!(["my text", "my text 2", "my text 3"]));
        assert_eq!(list(0, 0), json!([]));
        assert_eq!(made(json!({ "items": { "enum": ["a", "b"] }, "minItems": 2 })), json!(["a", "b"]));
    }

    #[test]
    fn numbers_keep_to_their_bounds() {
        for (schema, number) in [
            (json!({ "type": "integer" }), json!(1)),
            (json!({ "type": "integer", "minimum": 3.5 }), json!(4)),
            (json!({ "type": "integer", "exclusiveMinimum": 3 }), json!(4)),
            (json!({ "type": "integer", "maximum": -2 }), json!(-2)),
            (json!({ "type": "integer", "exclusiveMaximum": 0 }), json!(-1)),
            (json!({ "type": "integer", "minimum": 10, "multipleOf": 4 }), json!(12)),
            (json!({ "type": "number", "multipleOf": 0.5, "maximum": 0.7 }), json!(0.5)),
            (json!({ "type": "number", "minimum": 0, "maximum": 1 }), json!(0)),
            (json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }), json!(0.5)),
            (json!({ "type": "number", "minimum": 0.2, "maximum": 0.3 }), json!(0.2)),
        ] {
            assert_eq!(made(schema.clone()), number, "{schema}");
        }
    }

    #[test]
    fn alternatives_parts_and_references_are_put_together() {
        let schema = json!({
            "type": "object", "required": ["a", "b"],
            "properties": { "a": { "$ref": "#/$defs/a" }, "tree": { "$ref": "#/$defs/tree" } },
            "allOf": [{ "properties": { "b": { "type": "integer", "minimum": 1 } } },
                { "properties": { "b": { "minimum": 5 } }, "required": ["c"] }, { "$ref": "#/$defs/more" }],
            "$defs": {
                "a": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
                "more": { "properties": { "d": { "oneOf": [{ "const": "x" }, { "const": "y" }] } } },
                "tree": { "type": "object", "properties": { "next": { "$ref": "#/$defs/tree" } } },
            },
        });
        assert_eq!(made(schema), json!({ "a": 1, "tree": {}, "b": 5, "d": "x", "c": "my c" }));
    }

    #[test]
    fn schemas_without_end_are_left() {
        let list = json!({ "$ref": "#/$defs/l", "$defs": { "l": { "type": "object", "required": ["next"],
            "properties": { "next": { "anyOf": [{ "$ref": "#/$defs/l" }, { "type": "null" }] } } } } });
        assert_eq!(made(list), json!({ "next": null }));
        let endless =
            json!({ "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#" } } });
        assert_eq!(made(endless), Value::Null);
        let huge = json!({ "type": "array", "minItems": 1e18 as u64, "items": { "type": "null" } });
        assert_eq!(made(huge), Value::Null);
        let large = "x".repeat(500_000);
        assert_eq!(made(json!({ "type": "array", "minItems": 3, "items": { "const": large } })), Value::Null);
        assert!(made(json!({ "type": "array", "minItems": 2, "items": { "maxLength": 9 } })).is_array());
        let mut mixed = json!({ "type": "null" });
        for level in 0..60 {
            let words: Vec<_> = (0..2000).map(|word| format!("{level} {word}")).collect();
            mixed = json!({ "anyOf": [mixed], "examples": words });
        }
        assert_eq!(made(mixed), Value::Null);
        let parts: Vec<_> = (0..3000).map(|n| json!({ "properties": { format!("k{n}"): {} } })).collect();
        assert_eq!(made(json!({ "allOf": parts })), Value::Null);
        let mut deep = json!({ "type": "string" });
        for _ in 0..200 {
            deep = json!({ "type": "array", "items": deep });
        }
        assert!(made(deep).is_array());
    }
}
