//! Values of a state as a person edits them in a table: each is of a kind, and has a text.

use serde_json::Value;
use stepweave_core::json;

use super::readable::readable;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Any text.
    Text,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A list, an object, or nothing.
    Json,
}

impl Cell {
    /// All of them, with what people call them.
    pub const ALL: [(Self, &str); 4] =
        [(Self::Text, "Text"), (Self::Number, "Number"), (Self::Boolean, "Yes or no"), (Self::Json, "JSON")];

    /// What people call it.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(cell, _)| *cell == self).map_or("", |(_, label)| label)
    }

    /// The one that people call so.
    pub fn called(label: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| *own == label).map(|(cell, _)| *cell)
    }

    /// What a value is.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => Self::Text,
            Value::Number(_) => Self::Number,
            Value::Bool(_) => Self::Boolean,
            Value::Null | Value::Array(_) | Value::Object(_) => Self::Json,
        }
    }

    /// The value that a text means.
    ///
    /// # Errors
    /// With what is wrong, for the person who typed it.
    pub fn read(self, text: &str) -> Result<Value, &'static str> {
        let value = serde_json::from_str::<Value>(text.trim()).ok();
        match self {
            Self::Text => Ok(text.into()),
            Self::Number => value.filter(Value::is_number).ok_or("Must be a number, such as 2.5."),
            Self::Boolean => value.filter(Value::is_boolean).ok_or("Must be true or false."),
            Self::Json => value.ok_or("Must be JSON: a text stands in quotes."),
        }
    }

    /// The value as one of this kind, which keeps what it can of it.
    pub fn made_of(self, value: &Value) -> Value {
        match self {
            Self::Text | Self::Json if Self::of(value) == self => value.clone(),
            Self::Text => json::text(value).into(),
            // What is JSON in a text is meant.
            Self::Json => self.read(&readable(value)).unwrap_or_else(|_| value.clone()),
            Self::Number => self.read(&readable(value)).unwrap_or_else(|_| 0.into()),
            Self::Boolean => self.read(&readable(value)).unwrap_or(Value::Bool(false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_value_is_read_back_from_its_text() {
        for value in [
            json!("a"),
            json!("42"),
            json!(42),
            json!(-2.5),
            json!(true),
            json!(null),
            json!([1, "a"]),
            json!({ "a": {} }),
        ] {
            assert_eq!(Cell::of(&value).read(&readable(&value)), Ok(value));
        }
        assert!(
            Cell::Number.read("many").is_err()
                && Cell::Json.read("{").is_err()
                && Cell::Boolean.read("1").is_err()
        );
        for (cell, label) in Cell::ALL {
            assert_eq!((Cell::called(label), cell.label()), (Some(cell), label));
        }
    }

    #[test]
    fn another_kind_keeps_what_it_can() {
        assert_eq!(Cell::Number.made_of(&json!("42")), json!(42));
        assert_eq!(Cell::Number.made_of(&json!("many")), json!(0));
        assert_eq!(Cell::Text.made_of(&json!(42)), json!("42"));
        assert_eq!(Cell::Json.made_of(&json!("[1]")), json!([1]));
        assert_eq!(Cell::Boolean.made_of(&json!("true")), json!(true));
        assert_eq!(Cell::Text.made_of(&json!("a")), json!("a"));
        // Made of a text that is no JSON it stays what it was.
        assert_eq!(Cell::Json.made_of(&json!("a")), json!("a"));
    }
}
