//! What is read of values: each look at one is paid for.

use std::rc::Rc;

use super::budget::{Budget, Halt, MAX_DEPTH, Step};
use super::value::{Shape, Value};

impl Budget {
    /// The whole of a text; nothing where it is something else.
    pub(super) fn text(&mut self, value: &Value) -> Step<Option<Rc<str>>> {
        match value {
            Value::Text(text) => Ok(Some(Rc::clone(text))),
            Value::View(view) => match view.shape() {
                Shape::Text(size) => {
                    self.touch_values(2)?;
                    self.make(size)?;
                    let text = view.text();
                    self.touch(text.len().saturating_sub(size))?;
                    Ok(Some(text.into()))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The items of a value: those of a list, the characters of a string, the keys of an object, or nothing at all.
    pub(super) fn items(&mut self, value: &Value) -> Step<Option<Vec<Value>>> {
        if let Some(length) = value.items() {
            self.make_list(length)?;
            if let Value::View(_) = value {
                self.touch_values(length)?;
            }
            return Ok(Some((0..length).map_while(|index| value.item(index)).collect()));
        }
        if let Some(text) = self.text(value)? {
            self.touch(text.len())?;
            self.make_list(text.chars().count())?;
            let letter = |letter: char| Value::from(&*letter.encode_utf8(&mut [0; 4]));
            return Ok(Some(text.chars().map(letter).collect()));
        }
        match value {
            Value::None | Value::Undefined(_) => Ok(Some(Vec::new())),
            value => Ok(self.keys(value)?.map(|keys| keys.into_iter().map(Value::from).collect())),
        }
    }

    /// The keys of an object; nothing if it is something else, or its keys cannot be listed.
    pub(super) fn keys(&mut self, value: &Value) -> Step<Option<Vec<String>>> {
        let keys = match value {
            Value::Object(object) => Some(object.entries.iter().map(|(key, _)| (**key).to_owned()).collect()),
            Value::View(view) if view.shape() == Shape::Object => view.keys(),
            _ => None,
        };
        if let Some(keys) = &keys {
            self.make_list(Vec::len(keys))?;
            // To have them listed takes the host as long as many values do.
            self.touch_values(16 + keys.len())?;
            self.touch(keys.iter().map(String::len).sum())?;
        }
        Ok(keys)
    }

    /// What a key or an index gives of a value.
    pub(super) fn item(&mut self, value: &Value, key: &Value) -> Step<Value> {
        let found = if value.is_object() {
            self.text(key)?.and_then(|key| value.member(&key))
        } else if let Some(length) = value.items() {
            index(key, || length).and_then(|index| value.item(index))
        } else if let Some(text) = self.text(value)? {
            self.touch(text.len())?;
            let letter = index(key, || text.chars().count()).and_then(|index| text.chars().nth(index));
            letter.map(|letter| Value::from(&*letter.encode_utf8(&mut [0; 4])))
        } else {
            None
        };
        Ok(found.unwrap_or(Value::UNDEFINED))
    }

    /// Whether a value counts as true: it is not empty, not zero and there at all.
    pub(super) fn is_true(&mut self, value: &Value) -> Step<bool> {
        Ok(match value {
            Value::Undefined(_) | Value::None => false,
            Value::Boolean(value) => *value,
            Value::Integer(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(list) => !list.items.is_empty(),
            Value::Object(object) => !object.entries.is_empty(),
            Value::View(view) => match view.shape() {
                Shape::Text(size) => size > 0,
                Shape::List(length) => length > 0,
                Shape::Object => self.keys(value)?.is_none_or(|keys| !keys.is_empty()),
            },
        })
    }

    /// Refuses what nests too deep.
    pub(super) fn nested(&self, depth: usize) -> Step<()> {
        match depth > MAX_DEPTH {
            true => Err(Halt::TooDeep),
            false => Ok(()),
        }
    }
}

/// The position that an index means; a negative one counts from the end.
fn index(key: &Value, length: impl Fn() -> usize) -> Option<usize> {
    let index = whole(key)?;
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length().checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

/// A whole number, also where it is written with a point.
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Boolean(value) => Some((*value).into()),
        Value::Integer(number) => Some(*number),
        Value::Float(number) if (*number as i64) as f64 == *number => Some(*number as i64),
        _ => None,
    }
}
