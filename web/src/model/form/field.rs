//! One field: what it is by its schema, what stands in it, and which value that is.

use serde_json::{Value, json};
use stepweave_core::json;

use super::{DEEPEST, Field, Input, Wrong, fields_of, inside, joined, parts, read_group, rough_group};
use crate::model::chosen;
use crate::model::shape::Kind;
use crate::step::upright::upright;

impl Field {
    pub(super) fn has_files(&self) -> bool {
        match &self.input {
            Input::File | Input::Files => true,
            Input::List(item) => item.has_files(),
            Input::Group(fields) => fields.iter().any(|(_, field)| field.has_files()),
            _ => false,
        }
    }

    pub(super) fn of(schema: &Value, key: &str, required: bool, depth: usize) -> Self {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| schema.get(key).and_then(Value::as_f64);
        let values = schema.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty());
        let items = schema.get("items").filter(|items| items.is_object());
        let input = match (values, text("type").as_deref()) {
            (Some(values), _) => Input::Choice(values.clone()),
            (_, Some("string")) => Input::Text,
            (_, Some("number")) => Input::Number,
            (_, Some("integer")) => Input::Integer,
            (_, Some("boolean")) => Input::Boolean,
            (_, Some("array")) if items.is_some_and(|items| Kind::of(items) == Kind::File) => Input::Files,
            (_, Some("array")) => match items.filter(|_| depth < DEEPEST) {
                Some(items) => Input::List(Box::new(Self::of(items, "Item", true, depth + 1))),
                None => Input::Json,
            },
            _ if Kind::of(schema) == Kind::File => Input::File,
            _ => fields_of(schema, depth + 1).map_or(Input::Json, Input::Group),
        };
        let bounds = match &input {
            Input::Text => (number("minLength"), number("maxLength")),
            Input::List(_) | Input::Files => (number("minItems"), number("maxItems")),
            _ => (number("minimum"), number("maximum")),
        };
        Self {
            label: upright(text("title").unwrap_or_else(|| key.to_owned())),
            hint: upright(text("description").unwrap_or_default()),
            input,
            required,
            start: schema.get("default").cloned(),
            bounds,
        }
    }

    /// The text that stands in the field at first, or where a value is known.
    pub fn text(&self, known: Option<&Value>) -> String {
        match (&self.input, known.or(self.start.as_ref())) {
            (Input::Text, Some(Value::String(text))) => text.clone(),
            (Input::List(item), Some(Value::Array(values))) => {
                joined(&values.iter().map(|value| item.text(Some(value))).collect::<Vec<_>>())
            }
            (Input::Group(fields), value) => {
                let text = |(key, field): &(String, Self)| field.text(value.and_then(|value| value.get(key)));
                joined(&fields.iter().map(text).collect::<Vec<_>>())
            }
            (Input::File, Some(value)) => chosen::text([value]),
            (_, Some(value)) => json::text(value),
            (Input::Boolean, None) if self.required => "false".to_owned(),
            (Input::Choice(values), None) if self.required => {
                values.first().map(json::text).unwrap_or_default()
            }
            (_, None) => String::new(),
        }
    }

    pub(super) fn read(&self, text: &str) -> Result<Option<Value>, Vec<Wrong>> {
        let own = |text: String| vec![Wrong { path: Vec::new(), text }];
        let value = match &self.input {
            // An empty text is an answer where one is needed.
            Input::Text => Some(Value::String(text.to_owned())).filter(|_| self.required || !text.is_empty()),
            Input::List(item) => self.read_list(item, &parts(text))?,
            Input::Group(fields) => self.read_object(fields, &parts(text))?,
            Input::File | Input::Files => self.read_files(text).map_err(own)?,
            _ => self.read_single(text.trim()).map_err(own)?,
        };
        match value.as_ref().and_then(|value| self.out_of_bounds(value)) {
            Some(complaint) => Err(own(complaint)),
            None => Ok(value),
        }
    }

    pub(super) fn rough(&self, text: &str) -> Option<Value> {
        match &self.input {
            Input::List(item) => {
                let values = parts(text).iter().map(|text| item.rough(text).unwrap_or_default()).collect();
                Some(Value::Array(values)).filter(|values| self.required || *values != json!([]))
            }
            Input::Group(fields) => {
                let values = Value::Object(rough_group(fields, &parts(text)));
                Some(values).filter(|values| self.required || *values != json!({}))
            }
            Input::File => chosen::files(text).into_iter().next(),
            Input::Files => Some(Value::Array(chosen::files(text))).filter(|files| *files != json!([])),
            Input::Text => Some(Value::from(text)).filter(|_| !text.is_empty()),
            _ if text.trim().is_empty() => None,
            _ => Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
        }
    }

    fn read_list(&self, item: &Self, texts: &[String]) -> Result<Option<Value>, Vec<Wrong>> {
        if texts.is_empty() && !self.required {
            return Ok(None);
        }
        let (mut values, mut wrong) = (Vec::new(), Vec::new());
        for (at, text) in texts.iter().enumerate() {
            match item.read(text) {
                Ok(value) => values.push(value.unwrap_or_default()),
                Err(found) => wrong.extend(inside(at, found)),
            }
        }
        if wrong.is_empty() { Ok(Some(Value::Array(values))) } else { Err(wrong) }
    }

    fn read_object(&self, fields: &[(String, Self)], texts: &[String]) -> Result<Option<Value>, Vec<Wrong>> {
        // Where nothing was changed, nothing was said.
        let untouched = || fields.iter().zip(texts).all(|((_, field), text)| field.text(None) == *text);
        if !self.required && untouched() {
            return Ok(None);
        }
        read_group(fields, texts).map(|map| Some(Value::Object(map)))
    }

    fn read_files(&self, text: &str) -> Result<Option<Value>, String> {
        let files = chosen::files(text);
        if let Some(name) = files.iter().find_map(chosen::being_read) {
            return Err(format!("“{name}” is still being read."));
        }
        match (&self.input, self.required) {
            (Input::Files, true) => Ok(Some(Value::Array(files))),
            (Input::Files, false) => Ok(Some(Value::Array(files)).filter(|files| *files != json!([]))),
            (_, required) => match files.into_iter().next() {
                None if required => Err("Needs a file.".to_owned()),
                file => Ok(file),
            },
        }
    }

    fn read_single(&self, text: &str) -> Result<Option<Value>, String> {
        if text.is_empty() {
            return if self.required { Err("Fill this in.".to_owned()) } else { Ok(None) };
        }
        let value: Option<Value> = serde_json::from_str(text).ok();
        match (&self.input, value) {
            (Input::Number, Some(value)) if value.is_number() => Ok(Some(value)),
            (Input::Number, _) => Err("Must be a number, such as 2.5.".to_owned()),
            (Input::Integer, Some(value)) if value.is_i64() || value.is_u64() => Ok(Some(value)),
            (Input::Integer, _) => Err("Must be a whole number, such as 2.".to_owned()),
            (_, Some(value)) => Ok(Some(value)),
            (_, None) => Err("Must be JSON: a text stands in quotes.".to_owned()),
        }
    }

    fn out_of_bounds(&self, value: &Value) -> Option<String> {
        let (size, of) = match value {
            Value::String(text) if self.input == Input::Text => (text.chars().count() as f64, " characters"),
            Value::Array(values) if matches!(self.input, Input::List(_)) => (values.len() as f64, " items"),
            Value::Array(files) if self.input == Input::Files => (files.len() as f64, " files"),
            Value::Number(number) if matches!(self.input, Input::Number | Input::Integer) => {
                (number.as_f64()?, "")
            }
            _ => return None,
        };
        let verb = if of.is_empty() { "be" } else { "have" };
        let said = |number: f64| if number == 1.0 { of.trim_end_matches('s') } else { of };
        match self.bounds {
            (Some(least), _) if least > 0.0 && size == 0.0 && of == " characters" => {
                Some("Fill this in.".to_owned())
            }
            (Some(1.0), _) if size == 0.0 && of == " files" => Some("Needs a file.".to_owned()),
            (Some(least), _) if size < least => Some(format!("Must {verb} at least {least}{}.", said(least))),
            (_, Some(most)) if size > most => Some(format!("Must {verb} at most {most}{}.", said(most))),
            _ => None,
        }
    }
}
