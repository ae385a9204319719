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
    /// A list of texts, of which each is a line.
    List,
    /// Any value.
    Json,
}

impl Cell {
    /// All of them, with what people call them.
    pub const ALL: [(Self, &str); 5] = [
        (Self::Text, "Text"),
        (Self::Number, "Number"),
        (Self::Boolean, "Yes or no"),
        (Self::List, "List"),
        (Self::Json, "JSON"),
    ];

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
            Value::Array(_) if Self::List.fits(value) => Self::List,
            Value::Null | Value::Array(_) | Value::Object(_) => Self::Json,
        }
    }

    /// What stands in a field of this kind that is empty.
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::List => "One in each line",
            Self::Json => "null",
            Self::Text | Self::Number | Self::Boolean => "",
        }
    }

    /// Whether a value can be edited as one of this kind.
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::Json => true,
            Self::List => lines(value).is_some_and(|lines| lines != [""]),
            _ => Self::of(value) == self,
        }
    }

    /// The text in which a value of this kind is edited.
    pub fn text(self, value: &Value) -> String {
        match self {
            Self::List => lines(value).unwrap_or_default().join("\n"),
            Self::Json if value.is_null() => String::new(),
            Self::Json if value.is_string() => json::text(value),
            _ => readable(value),
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
            Self::List if text.is_empty() => Ok(Value::Array(Vec::new())),
            Self::List => Ok(text.split('\n').collect()),
            Self::Json if text.trim().is_empty() => Ok(Value::Null),
            Self::Json => value.ok_or("Must be JSON: a text stands in quotes."),
        }
    }

    /// The value as one of this kind, which keeps what it can of it.
    pub fn made_of(self, value: &Value) -> Value {
        match self {
            Self::Text | Self::List if self.fits(value) => value.clone(),
            Self::Text => lines(value).map_or_else(|| json::text(value), |lines| lines.join("\n")).into(),
            // What is JSON in a text is meant.
            Self::List | Self::Json if value == "" => self.read("").unwrap_or(Value::Null),
            Self::List => match Self::Json.made_of(value) {
                list if self.fits(&list) => list,
                _ => self.read(readable(value).trim_end()).unwrap_or_default(),
            },
            Self::Json => self.read(&readable(value)).unwrap_or_else(|_| value.clone()),
            Self::Number => self.read(&readable(value)).unwrap_or_else(|_| 0.into()),
            Self::Boolean => self.read(&readable(value)).unwrap_or(Value::Bool(false)),
        }
    }
}

/// The items of a list of texts that are a line each.
fn lines(value: &Value) -> Option<Vec<&str>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().filter(|line| !line.contains('\n'))).collect()
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
            json!([]),
            json!(["a", "", "42"]),
            json!([""]),
            json!(["two\nlines"]),
        ] {
            let cell = Cell::of(&value);
            assert!(cell.fits(&value) && Cell::Json.fits(&value), "{value}");
            assert_eq!(cell.read(&cell.text(&value)), Ok(value.clone()));
            assert_eq!(Cell::Json.read(&Cell::Json.text(&value)), Ok(value));
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
        assert_eq!(Cell::Json.made_of(&json!("")), json!(null));
        assert_eq!(Cell::List.made_of(&json!("")), json!([]));
        assert_eq!(Cell::List.made_of(&json!("a\nb\n")), json!(["a", "b"]));
        assert_eq!(Cell::List.made_of(&json!(r#"["a", "b"]"#)), json!(["a", "b"]));
        assert_eq!(Cell::List.made_of(&json!(42)), json!(["42"]));
        assert_eq!(Cell::Text.made_of(&json!(["a", "b"])), json!("a\nb"));
    }
}
