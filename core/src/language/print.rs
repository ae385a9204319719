//! Values as strings and as JSON: the only module that formats numbers.

use serde_json::{Map, Number};

use super::budget::{Budget, Halt, MAX_TEXT, Step};
use super::value::{Shape, Value};
use crate::json;

impl Budget {
    /// Adds a value as templates print it: texts as they are, all else as JSON.
    pub(super) fn print(&mut self, value: &Value, out: &mut String) -> Step<()> {
        let text = match self.text(value)? {
            Some(text) => text,
            None => json::text(&self.json(value)?).into(),
        };
        if out.len() + text.len() > MAX_TEXT {
            return Err(Halt::TooLong);
        }
        self.touch(text.len())?;
        out.push_str(&text);
        Ok(())
    }

    /// A value as JSON. A number without a fraction becomes a whole number.
    pub(super) fn json(&mut self, value: &Value) -> Step<serde_json::Value> {
        self.json_at(value, 0)
    }

    fn json_at(&mut self, value: &Value, depth: usize) -> Step<serde_json::Value> {
        self.nested(depth)?;
        self.make_json()?;
        if let Some(text) = self.text(value)? {
            // Escaped characters take six bytes.
            let escaped = text.bytes().filter(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\')).count();
            self.make(text.len() + 5 * escaped)?;
            return Ok((*text).into());
        }
        Ok(match value {
            Value::Undefined(_) => return Err(Halt::Undefined(None)),
            Value::None | Value::Text(_) => serde_json::Value::Null,
            Value::Boolean(value) => (*value).into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => json_number(*number)?.into(),
            Value::List(list) => {
                let items = list.items.iter().map(|item| self.json_at(item, depth + 1));
                serde_json::Value::Array(items.collect::<Step<_>>()?)
            }
            Value::View(view) if matches!(view.shape(), Shape::List(_)) => {
                let length = value.items().unwrap_or(0);
                let items = (0..length).map_while(|index| value.item(index));
                let items = items.map(|item| self.json_at(&item, depth + 1));
                serde_json::Value::Array(items.collect::<Step<_>>()?)
            }
            Value::Object(_) | Value::View(_) => {
                let Some(keys) = self.keys(value)? else {
                    return Err(Halt::Wrong("map is not iterable".to_owned()));
                };
                let mut map = Map::new();
                for key in keys {
                    let inner = value.member(&key).unwrap_or(Value::UNDEFINED);
                    let inner = self.json_at(&inner, depth + 1)?;
                    map.insert(key, inner);
                }
                serde_json::Value::Object(map)
            }
        })
    }
}

fn json_number(number: f64) -> Step<Number> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if number.fract() == 0.0 && number.abs() < BEYOND {
        return Ok((number as i64).into());
    }
    Number::from_f64(number).ok_or_else(|| Halt::Wrong("a number is not finite".to_owned()))
}
