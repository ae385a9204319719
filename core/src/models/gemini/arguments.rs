//! Arguments of calls that come in pieces.

use serde_json::{Map, Value};

use crate::models::fields::{at, text};

/// How deep a piece may lie. Deeper ones are nothing that could be read again.
const MAX_DEPTH: usize = 100;

/// Adds a piece: a value, or more of a string, at a JSON Path. Returns whether it could.
pub(super) fn add(arguments: &mut Value, piece: &Value) -> bool {
    let Some(path) = steps(text(piece, "jsonPath")) else { return false };
    let mut place = arguments;
    for step in path {
        let next = match step {
            Step::Key(key) => {
                if place.is_null() {
                    *place = Map::new().into();
                }
                place.as_object_mut().map(|map| map.entry(key).or_insert(Value::Null))
            }
            Step::Index(index) => {
                if place.is_null() {
                    *place = Value::Array(Vec::new());
                }
                place.as_array_mut().and_then(|items| {
                    // Pieces come in order.
                    if index == items.len() {
                        items.push(Value::Null);
                    }
                    items.get_mut(index)
                })
            }
        };
        let Some(next) = next else { return false };
        place = next;
    }
    match (place, at(piece, "stringValue").as_str()) {
        (Value::String(text), Some(more)) => text.push_str(more),
        (place, Some(text)) => *place = text.into(),
        (place, None) => {
            let values = ["numberValue", "boolValue"];
            let value = values.into_iter().map(|key| at(piece, key)).find(|value| !value.is_null());
            *place = value.map(whole_number).unwrap_or_default();
        }
    }
    true
}

enum Step {
    Key(String),
    Index(usize),
}

/// The steps of a path such as `$.recipe.steps[0]['how long']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path.strip_prefix('$')?;
    while !rest.is_empty() {
        let step;
        (step, rest) = if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, rest) = name.split_at_checked(end)?;
            (Step::Key(name.to_owned()), rest)
        } else {
            let inside = rest.strip_prefix('[')?;
            match inside.chars().next()? {
                quote @ ('\'' | '"') => quoted(inside.get(1..)?, quote)?,
                _ => {
                    let (number, rest) = inside.split_once(']')?;
                    (Step::Index(number.parse().ok()?), rest)
                }
            }
        };
        steps.push(step);
        if steps.len() > MAX_DEPTH {
            return None;
        }
    }
    Some(steps)
}

/// A name in quotes up to its bracket, and what follows.
fn quoted(text: &str, quote: char) -> Option<(Step, &str)> {
    let mut name = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '\\' => name.push(chars.next()?),
            end if end == quote => break,
            other => name.push(other),
        }
    }
    Some((Step::Key(name), chars.as_str().strip_prefix(']')?))
}

/// All numbers come as doubles; those without a fraction are integers.
fn whole_number(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => (number as i64).into(),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn built(pieces: &[Value]) -> Value {
        let mut arguments = json!({});
        for piece in pieces {
            assert!(add(&mut arguments, piece), "{piece}");
        }
        arguments
    }

    #[test]
    fn pieces_make_objects_lists_and_texts() {
        let pieces = [
            json!({ "jsonPath": "$.recipe.steps[0].text", "stringValue": "Boil", "willContinue": true }),
            json!({ "jsonPath": "$.recipe.steps[0].text", "stringValue": " it" }),
            json!({ "jsonPath": "$.recipe.steps[1]['how \\'long']", "numberValue": 2.0 }),
            json!({ "jsonPath": "$.price", "numberValue": 0.5 }),
            json!({ "jsonPath": "$[\"ok\"]", "boolValue": true }),
            json!({ "jsonPath": "$.none", "nullValue": "NULL_VALUE" }),
        ];
        assert_eq!(
            built(&pieces),
            json!({ "recipe": { "steps": [{ "text": "Boil it" }, { "how 'long": 2 }] }, "price": 0.5, "ok": true, "none": null })
        );
    }

    #[test]
    fn a_piece_at_no_place_is_refused() {
        let deep = format!("${}", ".a".repeat(MAX_DEPTH + 1));
        for path in ["", "a", "$x", "$[", "$[1", "$['a]", "$['a'", "$.list[4294967295]", "$.text.more", &deep]
        {
            let mut arguments = json!({ "text": "t" });
            assert!(!add(&mut arguments, &json!({ "jsonPath": path, "stringValue": "x" })), "{path}");
        }
    }
}
