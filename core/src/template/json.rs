//! Values of templates as JSON: the one place where numbers and texts get their form.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, ErrorKind};
use serde_json::{Map, Number};

use crate::shape::with_article;

/// How many values one result may hold. Lists can be repeated without anything being made: `[1] * 99999999`.
pub(super) const MAX_ITEMS: usize = 1_000_000;

/// How deep a value may nest.
const MAX_DEPTH: usize = 128;

/// The value as JSON. A number without a fraction becomes a whole number.
///
/// # Errors
/// When the value is undefined, not finite, a function, or nested too deep.
pub fn json_from_value(value: &Value) -> Result<serde_json::Value, Error> {
    json_at(value, 0, &mut MAX_ITEMS.clone())
}

/// The value as a template prints it: texts as they are, all else as JSON.
pub(super) fn text_from_value(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Ok(json_from_value(value)?.to_string()),
    }
}

fn json_at(value: &Value, depth: usize, room: &mut usize) -> Result<serde_json::Value, Error> {
    if depth > MAX_DEPTH {
        return Err(wrong(format!("a value is nested more than {MAX_DEPTH} levels deep")));
    }
    *room = room.checked_sub(1).ok_or_else(too_large)?;
    Ok(match value.kind() {
        ValueKind::Undefined => return Err(Error::from(ErrorKind::UndefinedError)),
        ValueKind::None => serde_json::Value::Null,
        ValueKind::Bool => value.is_true().into(),
        ValueKind::Number => number(value)?.into(),
        ValueKind::String => value.as_str().unwrap_or_default().into(),
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter()?.map(|item| json_at(&item, depth + 1, room));
            serde_json::Value::Array(items.collect::<Result<_, _>>()?)
        }
        ValueKind::Map => {
            let mut map = Map::new();
            for key in value.try_iter()? {
                let inner = json_at(&value.get_item(&key)?, depth + 1, room)?;
                map.insert(text_from_value(&key)?, inner);
            }
            serde_json::Value::Object(map)
        }
        other => {
            return Err(wrong(format!("{} cannot be part of the state", with_article(&other.to_string()))));
        }
    })
}

fn number(value: &Value) -> Result<Number, Error> {
    if let Some(whole) = value.as_i64() {
        return Ok(whole.into());
    }
    let number = f64::try_from(value.clone())?;
    if number.fract() == 0.0 && number.abs() < 2_f64.powi(53) {
        return Ok((number as i64).into());
    }
    Number::from_f64(number).ok_or_else(|| wrong("a number is not finite".to_owned()))
}

/// A value that no state should hold. Of all kinds of error this one is told as a passed limit.
pub(super) fn too_large() -> Error {
    Error::from(ErrorKind::OutOfFuel)
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}
