//! The form for a JSON Schema that a person fills in.

use serde_json::{Map, Value};

/// A form.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// An object: a field for each of its keys.
    Object(Vec<(String, Field)>),
    /// A single value.
    Single(Field),
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// What people call it.
    pub label: String,
    /// What it is for.
    pub hint: String,
    /// The input of the field.
    pub input: Input,
    /// Whether it must be filled in.
    pub required: bool,
    /// What stands in it at first.
    pub start: Option<Value>,
}

/// The input of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Any text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// One of these values.
    Choice(Vec<Value>),
    /// Anything that no simple field can edit, as JSON.
    Json,
}

impl Form {
    /// The form of a schema; without one any JSON will do.
    pub fn of(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else { return Self::Single(Field::of(&Value::Null, "Answer", true)) };
        let properties = schema.get("properties").and_then(Value::as_object).filter(|keys| !keys.is_empty());
        match properties {
            Some(properties) if !schema.get("type").is_some_and(|word| word != "object") => {
                let needed = schema.get("required").and_then(Value::as_array);
                let required = |key: &str| needed.is_some_and(|keys| keys.iter().any(|one| one == key));
                let fields = properties.iter();
                Self::Object(
                    fields.map(|(key, own)| (key.clone(), Field::of(own, key, required(key)))).collect(),
                )
            }
            _ => Self::Single(Field::of(schema, "Answer", true)),
        }
    }

    /// The fields in order.
    pub fn fields(&self) -> Vec<&Field> {
        match self {
            Self::Object(fields) => fields.iter().map(|(_, field)| field).collect(),
            Self::Single(field) => vec![field],
        }
    }

    /// The answer that these texts, one for each field, make.
    ///
    /// # Errors
    /// With the number of each field that is not filled in right, and what is wrong there.
    pub fn answer(&self, texts: &[String]) -> Result<Value, Vec<(usize, String)>> {
        let read = self.fields().into_iter().zip(texts).enumerate();
        let read: Vec<_> = read.map(|(at, (field, text))| (at, field.read(text))).collect();
        let wrong = read.iter().filter_map(|(at, value)| Some((*at, value.as_ref().err()?.clone())));
        let wrong: Vec<_> = wrong.collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut values = read.into_iter().filter_map(|(_, value)| value.ok());
        Ok(match self {
            Self::Single(_) => values.next().flatten().unwrap_or(Value::Null),
            Self::Object(fields) => {
                let keys = fields.iter().map(|(key, _)| key.clone());
                Value::Object(
                    keys.zip(values).filter_map(|(key, value)| Some((key, value?))).collect::<Map<_, _>>(),
                )
            }
        })
    }
}

impl Field {
    fn of(schema: &Value, key: &str, required: bool) -> Self {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        let input = match (schema.get("enum").and_then(Value::as_array), text("type").as_deref()) {
            (Some(values), _) => Input::Choice(values.clone()),
            (_, Some("string")) => Input::Text,
            (_, Some("number")) => Input::Number,
            (_, Some("integer")) => Input::Integer,
            (_, Some("boolean")) => Input::Boolean,
            _ => Input::Json,
        };
        Self {
            label: text("title").unwrap_or_else(|| key.to_owned()),
            hint: text("description").unwrap_or_default(),
            input,
            required,
            start: schema.get("default").cloned(),
        }
    }

    /// The text that stands in the field at first.
    pub fn first(&self) -> String {
        match (&self.input, &self.start) {
            (Input::Text, Some(Value::String(text))) => text.clone(),
            (_, Some(value)) => value.to_string(),
            (Input::Boolean, None) if self.required => "false".to_owned(),
            (Input::Choice(values), None) if self.required => {
                values.first().map(Value::to_string).unwrap_or_default()
            }
            (_, None) => String::new(),
        }
    }

    fn read(&self, text: &str) -> Result<Option<Value>, String> {
        if self.input == Input::Text {
            // An empty text is an answer where one is needed.
            return Ok(Some(Value::String(text.to_owned())).filter(|_| self.required || !text.is_empty()));
        }
        let text = text.trim();
        if text.is_empty() {
            return if self.required { Err("Needs an answer.".to_owned()) } else { Ok(None) };
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn an_object_is_filled_in_key_by_key() {
        let schema = json!({ "type": "object", "required": ["approved", "stars"], "properties": {
            "approved": { "type": "boolean", "title": "Approved?" },
            "stars": { "type": "integer", "default": 3 },
            "tone": { "enum": ["warm", "dry"] },
            "why": { "type": "string", "description": "A sentence" },
            "tags": { "type": "array" },
            "sure": { "type": "boolean" } } });
        let form = Form::of(Some(&schema));
        let first: Vec<String> = form.fields().into_iter().map(Field::first).collect();
        assert_eq!(first, ["false", "3", "", "", "", ""]);
        assert_eq!(form.fields()[0].label, "Approved?");
        let answer = form.answer(&texts(&["true", "4", "\"dry\"", "", "[1]", ""])).unwrap();
        assert_eq!(answer, json!({ "approved": true, "stars": 4, "tone": "dry", "tags": [1] }));
        let wrong = form.answer(&texts(&["true", "many", "", "", "[1", "false"])).unwrap_err();
        assert_eq!(wrong.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn a_single_value_needs_no_object() {
        let form = Form::of(Some(&json!({ "type": "number" })));
        assert_eq!(form.answer(&texts(&["2.5"])).unwrap(), json!(2.5));
        assert!(form.answer(&texts(&[""])).is_err());
        assert_eq!(
            Form::of(Some(&json!({ "type": "string" }))).answer(&texts(&["hello"])).unwrap(),
            json!("hello")
        );
    }

    #[test]
    fn without_a_schema_any_json_will_do() {
        let form = Form::of(None);
        assert_eq!(form.fields()[0].input, Input::Json);
        assert_eq!(form.answer(&texts(&["{\"a\": null}"])).unwrap(), json!({ "a": null }));
        assert!(form.answer(&texts(&["hello"])).is_err());
        assert_eq!(Form::of(Some(&json!({ "oneOf": [] }))).fields()[0].input, Input::Json);
    }
}
