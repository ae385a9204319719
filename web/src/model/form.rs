//! The form for a JSON Schema that a person fills in.

use serde_json::{Map, Value};
use stepweave_core::json;

pub use pasting::{items_of, lines_of, rows_of};

mod field;
mod pasting;

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
    /// The least and the most that it may be, or that it may have characters or items.
    pub bounds: (Option<f64>, Option<f64>),
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The field: its number in the form, then in the list or group inside, and so on.
    pub path: Vec<usize>,
    /// What is wrong.
    pub text: String,
}

/// How the engine begins to say that the values of a run do not fit.
const UNFIT: &str = "the input of the workflow does not fit its schema: ";
/// Deeper values are edited as JSON.
const DEEPEST: usize = 3;
/// Objects with more keys are edited as JSON: nobody fills in so many fields.
const MOST_FIELDS: usize = 100;

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
    /// Any number of values, each of which is such a field. Its text is a JSON array of the items' texts.
    List(Box<Field>),
    /// An object: a field for each of its keys. Its text is a JSON array of the fields' texts.
    Group(Vec<(String, Field)>),
    /// A file that a person chooses. Its text is that of [`chosen`] files, of which there is one.
    File,
    /// Any number of them.
    Files,
    /// Anything that no simple field can edit, as JSON.
    Json,
}

impl Form {
    /// The form of a schema; without one any JSON will do.
    pub fn of(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else { return Self::Single(Field::of(&Value::Null, "Answer", true, 0)) };
        match fields_of(schema, 0) {
            Some(fields) => Self::Object(fields),
            None => Self::Single(Field::of(schema, "Answer", true, 0)),
        }
    }

    /// The form for the values that a run begins with; nothing where the schema names none.
    pub fn of_input(schema: &Value) -> Option<Self> {
        let mut fields = fields_of(schema, 0).unwrap_or_default();
        let needed = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in needed.filter_map(Value::as_str).take(MOST_FIELDS) {
            if !fields.iter().any(|(own, _)| own == key) {
                fields.push((key.to_owned(), Field::of(&Value::Null, key, true, 0)));
            }
        }
        need_content(&mut fields);
        Some(Self::Object(fields)).filter(|form| !form.fields().is_empty())
    }

    /// The fields in order.
    pub fn fields(&self) -> Vec<&Field> {
        match self {
            Self::Object(fields) => fields.iter().map(|(_, field)| field).collect(),
            Self::Single(field) => vec![field],
        }
    }

    /// The texts that stand in the fields at first, of which some values are known.
    pub fn first(&self, known: &Map<String, Value>) -> Vec<String> {
        match self {
            Self::Object(fields) => fields.iter().map(|(key, field)| field.text(known.get(key))).collect(),
            Self::Single(field) => vec![field.text(None)],
        }
    }

    /// Whether files are chosen in it.
    pub fn has_files(&self) -> bool {
        self.fields().iter().any(|field| field.has_files())
    }

    /// These texts, without those of fields in which files are chosen.
    pub fn without_files(&self, texts: &[String]) -> Vec<String> {
        let of = self.fields().into_iter().zip(texts);
        of.map(|(field, text)| if field.has_files() { String::new() } else { text.clone() }).collect()
    }

    /// What stands in the fields, whether it is right or not.
    pub fn rough(&self, texts: &[String]) -> Map<String, Value> {
        match self {
            Self::Object(fields) => rough_group(fields, texts),
            Self::Single(_) => Map::new(),
        }
    }

    /// The first of these values, by its key, that the form would lose: there is no field for it.
    pub fn loses(&self, values: &Map<String, Value>) -> Option<String> {
        lost(values, &self.rough(&self.first(values)))
    }

    /// What is wrong in each field, of the values of which the engine says that they do not fit; nothing where it speaks of
    /// no field.
    pub fn unfit(&self, said: &str) -> Vec<Wrong> {
        let wrong = |sentence: &str| {
            let (place, what) = sentence.trim_start_matches('`').split_once("` ")?;
            let path = self.path_of(place);
            let mut letters = what.chars();
            let text = letters.next()?.to_uppercase().chain(letters).chain(['.']).collect();
            (!path.is_empty()).then_some(Wrong { path, text })
        };
        let said = said.strip_prefix(UNFIT).unwrap_or_default();
        said.split("; `").filter_map(wrong).collect()
    }

    /// The path of the field for a value such as `items[0].name`, or of the nearest one around it.
    fn path_of(&self, place: &str) -> Vec<usize> {
        let mut path = Vec::new();
        let Self::Object(fields) = self else { return path };
        let mut names = place.split(['.', '[', ']']).filter(|name| !name.is_empty());
        let mut next = names.next().and_then(|name| numbered(fields, name));
        while let Some((at, field)) = next {
            path.push(at);
            next = names.next().and_then(|name| match &field.input {
                Input::Group(fields) => numbered(fields, name),
                Input::List(item) => Some((name.parse().ok()?, &**item)),
                _ => None,
            });
        }
        path
    }

    /// The form without the yes or no that this key asks for, and that field; all of it where the key asks for none.
    pub fn without_boolean(mut self, key: &str) -> (Self, Option<Field>) {
        let field = match &mut self {
            Self::Object(fields) => fields
                .iter()
                .position(|(own, field)| own == key && field.input == Input::Boolean)
                .map(|at| fields.remove(at).1),
            Self::Single(_) => None,
        };
        (self, field)
    }

    /// The answer that these texts, one for each field, make.
    ///
    /// # Errors
    /// With each field that is not filled in right, and what is wrong there.
    pub fn answer(&self, texts: &[String]) -> Result<Value, Vec<Wrong>> {
        match self {
            Self::Object(fields) => read_group(fields, texts).map(Value::Object),
            Self::Single(field) => {
                let text = texts.first().map(String::as_str).unwrap_or_default();
                field.read(text).map(Option::unwrap_or_default).map_err(|wrong| inside(0, wrong))
            }
        }
    }
}

/// Whether this is what the engine says of values that a workflow cannot begin with.
pub fn is_unfit(said: &str) -> bool {
    said.starts_with(UNFIT)
}

/// The field of a key, with its number.
fn numbered<'a>(fields: &'a [(String, Field)], key: &str) -> Option<(usize, &'a Field)> {
    fields.iter().enumerate().find(|(_, (own, _))| own == key).map(|(at, (_, field))| (at, field))
}

/// A field for each key of an object; nothing for what is no object, or one of too many keys.
fn fields_of(schema: &Value, depth: usize) -> Option<Vec<(String, Field)>> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    let is_object = !schema.get("type").is_some_and(|word| word != "object");
    if !is_object || properties.is_empty() || properties.len() > MOST_FIELDS || depth > DEEPEST {
        return None;
    }
    let needed = schema.get("required").and_then(Value::as_array);
    let required = |key: &str| needed.is_some_and(|keys| keys.iter().any(|one| one == key));
    let field = |(key, own): (&String, &Value)| (key.clone(), Field::of(own, key, required(key), depth));
    Some(properties.iter().map(field).collect())
}

/// Where a text or files are needed to begin with, an empty one is a field that was overlooked, however deep it is.
fn need_content(fields: &mut [(String, Field)]) {
    for (_, field) in fields {
        if field.required && matches!(field.input, Input::Text | Input::Files) {
            field.bounds.0.get_or_insert(1.0);
        }
        let mut input = &mut field.input;
        while let Input::List(item) = input {
            input = &mut item.input;
        }
        if let Input::Group(inner) = input {
            need_content(inner);
        }
    }
}

fn read_group(fields: &[(String, Field)], texts: &[String]) -> Result<Map<String, Value>, Vec<Wrong>> {
    let (mut values, mut wrong) = (Map::new(), Vec::new());
    for (at, (key, field)) in fields.iter().enumerate() {
        match field.read(texts.get(at).map(String::as_str).unwrap_or_default()) {
            Ok(Some(value)) => drop(values.insert(key.clone(), value)),
            Ok(None) => {}
            Err(found) => wrong.extend(inside(at, found)),
        }
    }
    if wrong.is_empty() { Ok(values) } else { Err(wrong) }
}

fn rough_group(fields: &[(String, Field)], texts: &[String]) -> Map<String, Value> {
    let texts = texts.iter().map(String::as_str).chain(std::iter::repeat(""));
    let rough = |((key, field), text): (&(String, Field), _)| Some((key.clone(), field.rough(text)?));
    fields.iter().zip(texts).filter_map(rough).collect()
}

/// The first key whose value is not the same among the others; one that says nothing is not missed.
fn lost(values: &Map<String, Value>, others: &Map<String, Value>) -> Option<String> {
    let is_kept = |(key, value): &(&String, &Value)| match (value, others.get(*key)) {
        (Value::Object(value), Some(Value::Object(other))) => lost(value, other).is_none(),
        (value, Some(other)) if *value == other => true,
        (Value::Array(values), Some(Value::Array(others))) => {
            let is_kept = |(value, other): (&Value, &Value)| match (value, other) {
                (Value::Object(value), Value::Object(other)) => lost(value, other).is_none(),
                _ => value == other,
            };
            values.len() == others.len() && values.iter().zip(others).all(is_kept)
        }
        (Value::String(text), None) => text.is_empty(),
        (Value::Array(values), None) => values.is_empty(),
        (value, None) => value.is_null(),
        _ => false,
    };
    values.iter().find(|entry| !is_kept(entry)).map(|(key, _)| key.clone())
}

/// What is wrong in a field, seen from around it.
fn inside(at: usize, wrong: Vec<Wrong>) -> Vec<Wrong> {
    let around = |Wrong { path, text }| Wrong { path: std::iter::once(at).chain(path).collect(), text };
    wrong.into_iter().map(around).collect()
}

/// The texts that the text of a list or a group is made of.
pub fn parts(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The text of a list or a group.
pub fn joined(parts: &[String]) -> String {
    json::text(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::chosen;
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
        assert_eq!(form.first(&Map::new()), ["false", "3", "", "", "", ""]);
        assert_eq!(form.fields()[0].label, "Approved?");
        let answer = form.answer(&texts(&["true", "4", "\"dry\"", "", "[1]", ""])).unwrap();
        assert_eq!(answer, json!({ "approved": true, "stars": 4, "tone": "dry", "tags": [1] }));
        let wrong = form.answer(&texts(&["true", "many", "", "", "[1", "false"])).unwrap_err();
        assert_eq!(wrong.iter().map(|wrong| wrong.path.clone()).collect::<Vec<_>>(), [[1], [4]]);
    }

    #[test]
    fn what_stands_in_a_form_is_there_as_json_too_and_what_the_form_would_lose_is_named() {
        let schema = json!({ "type": "object", "required": ["title"], "properties": {
            "title": { "type": "string" }, "count": { "type": "integer" },
            "who": { "type": "object", "properties": { "name": { "type": "string" } } },
            "tags": { "type": "array", "items": { "type": "object", "properties": { "t": { "type": "number" } } } } } });
        let form = Form::of_input(&schema).unwrap();
        let tags = joined(&[joined(&texts(&["many"])), joined(&texts(&["2"]))]);
        let rough = form.rough(&texts(&["", "x y", &joined(&texts(&["Ada"])), &tags]));
        let expected =
            json!({ "count": "x y", "who": { "name": "Ada" }, "tags": [{ "t": "many" }, { "t": 2 }] });
        assert_eq!(Value::Object(rough), expected);
        assert_eq!(form.loses(expected.as_object().unwrap()), None);
        assert_eq!(form.rough(&form.first(&Map::new())), Map::new());
        for (values, lost) in [
            (json!({ "title": "", "tags": [], "who": null }), None),
            (json!({ "title": "x", "zzz": 3 }), Some("zzz")),
            (json!({ "who": { "name": "Ada", "age": 36 } }), Some("who")),
            (json!({ "tags": [{ "t": 1, "u": 2 }] }), Some("tags")),
            (json!({ "title": 3 }), Some("title")),
        ] {
            assert_eq!(form.loses(values.as_object().unwrap()).as_deref(), lost, "{values}");
        }
    }

    #[test]
    fn what_the_engine_refuses_is_said_at_the_field_of_the_value() {
        let schema = json!({ "type": "object", "properties": {
            "code": { "type": "string" },
            "who": { "type": "object", "properties": { "age": { "type": "integer" } } },
            "tags": { "type": "array", "items": { "type": "object", "properties": { "t": { "type": "number" } } } } } });
        let form = Form::of_input(&schema).unwrap();
        let said = "the input of the workflow does not fit its schema: `code` must match \"^\\d; +$\", but is \"x\"; \
            `who.age.0` is missing; `tags[2].t` must be at least 3, but is 1; `other` is not allowed; it is odd";
        let expected = [
            (vec![0], "Must match \"^\\d; +$\", but is \"x\"."),
            (vec![1, 0], "Is missing."),
            (vec![2, 2, 0], "Must be at least 3, but is 1."),
        ];
        let expected = expected.map(|(path, text)| Wrong { path, text: text.to_owned() });
        assert!(is_unfit(said));
        assert_eq!(form.unfit(said), expected);
        assert_eq!(form.unfit("the step was stopped"), []);
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

    #[test]
    fn lists_and_objects_are_filled_in_field_by_field() {
        let schema = json!({ "type": "object", "required": ["people", "free"], "properties": {
            "people": { "type": "array", "minItems": 1, "items": { "type": "object", "required": ["name"], "properties": {
                "name": { "type": "string", "minLength": 2 }, "age": { "type": "integer", "minimum": 0 } } } },
            "place": { "type": "object", "properties": { "city": { "type": "string", "default": "Bern" } } },
            "tags": { "type": "array", "items": { "type": "string" } } } });
        let form = Form::of_input(&schema).unwrap();
        assert_eq!(
            form.fields().last().map(|field| (field.label.as_str(), &field.input)),
            Some(("free", &Input::Json))
        );
        let known = json!({ "people": [{ "name": "Ada", "age": 36 }], "free": [1] });
        let first = form.first(known.as_object().unwrap());
        // What is known is what the texts say; a place that nobody has changed is none.
        assert_eq!(form.answer(&first).unwrap(), known);
        let person = |name: &str, age: &str| joined(&texts(&[name, age]));
        let people = joined(&[person("Ada", "36"), person("B", "-1"), person("Cy", "x")]);
        let wrong = form.answer(&texts(&[&people, &joined(&texts(&["Rome"])), "", "{}"])).unwrap_err();
        let messages: Vec<_> =
            wrong.iter().map(|wrong| (wrong.path.as_slice(), wrong.text.as_str())).collect();
        assert_eq!(
            messages,
            [
                (&[0, 1, 0][..], "Must have at least 2 characters."),
                (&[0, 1, 1][..], "Must be at least 0."),
                (&[0, 2, 1][..], "Must be a whole number, such as 2."),
            ]
        );
        let empty = form.answer(&texts(&["[]", "", "", ""])).unwrap_err();
        assert_eq!(empty[0].text, "Must have at least 1 item.");
        assert_eq!(empty[1], Wrong { path: vec![3], text: "Fill this in.".to_owned() });
        let tagged = form.answer(&texts(&[
            &joined(&[person("Ada", "")]),
            &joined(&texts(&["Rome"])),
            &joined(&texts(&["a", ""])),
            "1",
        ]));
        assert_eq!(
            tagged.unwrap(),
            json!({ "people": [{ "name": "Ada" }], "place": { "city": "Rome" }, "tags": ["a", ""], "free": 1 })
        );
    }

    #[test]
    fn a_text_that_a_run_needs_is_missing_however_deep_its_field_is() {
        let zip = json!({ "type": "object", "required": ["zip"], "properties": { "zip": { "type": "string" }, "city": { "type": "string" } } });
        let schema = json!({ "type": "object", "required": ["home", "others"], "properties": {
            "home": zip, "work": zip, "others": { "type": "array", "items": zip } } });
        let form = Form::of_input(&schema).unwrap();
        let empty = joined(&texts(&["", ""]));
        let wrong =
            form.answer(&texts(&[&empty, &empty, &joined(std::slice::from_ref(&empty))])).unwrap_err();
        let paths: Vec<_> = wrong.iter().map(|wrong| (wrong.path.as_slice(), wrong.text.as_str())).collect();
        // A place of work that nobody has named is none.
        assert_eq!(paths, [(&[0, 0][..], "Fill this in."), (&[2, 0, 0][..], "Fill this in.")]);
        let begun = form.answer(&texts(&[&joined(&texts(&["1", ""])), &joined(&texts(&["", "Bern"])), "[]"]));
        assert_eq!(begun.unwrap_err()[0].path, [1, 0]);
    }

    #[test]
    fn files_are_those_that_a_person_chose() {
        let file = json!({ "type": "object", "format": "file" });
        let schema = json!({ "type": "object", "required": ["paper", "pictures"], "properties": {
            "paper": file, "cover": file, "pictures": { "type": "array", "maxItems": 2, "items": file },
            "more": { "type": "array", "items": file } } });
        let form = Form::of_input(&schema).unwrap();
        let inputs: Vec<_> = form.fields().iter().map(|field| field.input.clone()).collect();
        assert_eq!(inputs, [Input::File, Input::File, Input::Files, Input::Files]);
        let answer_of = |own: &[String]| {
            form.answer(own).map_err(|wrong| wrong.into_iter().map(|one| one.text).collect::<Vec<_>>())
        };
        assert_eq!(answer_of(&form.first(&Map::new())), Err(vec!["Needs a file.".to_owned(); 2]));
        let [a, b] = ["a.md", "b.png"].map(|name| json!({ "type": "text", "name": name }));
        let texts = [chosen::text([&a]), String::new(), chosen::text([&a, &b]), String::new()];
        assert_eq!((form.has_files(), form.without_files(&texts)), (true, vec![String::new(); 4]));
        let answer = answer_of(&texts).unwrap();
        assert_eq!(answer, json!({ "paper": a, "pictures": [a, b] }));
        // The next run offers them again.
        assert_eq!(form.first(answer.as_object().unwrap()), texts);
        let waits = chosen::text([&chosen::begun("c.pdf", 1)]);
        let many = chosen::text([&a, &b, &a]);
        assert_eq!(
            answer_of(&[waits, String::new(), many, "no JSON".to_owned()]),
            Err(vec!["“c.pdf” is still being read.".to_owned(), "Must have at most 2 files.".to_owned()])
        );
        assert_eq!(Form::of(Some(&file)).answer(&[chosen::text([&a])]), Ok(a));
    }

    #[test]
    fn a_yes_or_no_is_taken_out_of_a_form_and_what_is_called_so_otherwise_is_not() {
        let of = |approved: Value| {
            let properties = json!({ "stars": { "type": "integer" }, "approved": approved });
            Form::of(Some(&json!({ "type": "object", "required": ["approved"], "properties": properties })))
        };
        let (form, field) =
            of(json!({ "type": "boolean", "title": "Publish it" })).without_boolean("approved");
        assert_eq!(field.unwrap().label, "Publish it");
        assert_eq!(form.answer(&texts(&["3"])), Ok(json!({ "stars": 3 })));
        for other in [json!({ "type": "string" }), json!({ "enum": [true] }), json!({})] {
            let form = of(other);
            assert_eq!(form.clone().without_boolean("approved"), (form, None));
        }
        assert_eq!(Form::of(None).without_boolean("approved").1, None);
    }

    #[test]
    fn a_form_is_bounded_whatever_the_schema() {
        let mut deep = json!({ "type": "string" });
        for _ in 0..50 {
            deep = json!({ "type": "object", "properties": { "a": deep } });
        }
        fn depth(field: &Field) -> usize {
            match &field.input {
                Input::Group(fields) => 1 + fields.iter().map(|(_, field)| depth(field)).max().unwrap_or(0),
                Input::List(item) => 1 + depth(item),
                _ => 0,
            }
        }
        assert!(Form::of(Some(&deep)).fields().iter().all(|field| depth(field) <= DEEPEST));
        let many: Map<String, Value> = (0..1000).map(|key| (format!("k{key}"), json!({}))).collect();
        assert_eq!(Form::of_input(&json!({ "properties": many })), None);
        assert_eq!(Form::of_input(&json!({ "type": "object" })), None);
        assert_eq!(Form::of_input(&json!(true)), None);
        let named = Form::of_input(
            &json!({ "required": ["a"], "properties": { "a": { "type": "string" }, "b": { "type": "string", "maxLength": 1 } } }),
        );
        let answer_of =
            |own: &[&str]| named.as_ref().unwrap().answer(&texts(own)).map_err(|wrong| wrong[0].text.clone());
        assert_eq!(answer_of(&["", ""]), Err("Fill this in.".to_owned()));
        assert_eq!(answer_of(&["x", "yz"]), Err("Must have at most 1 character.".to_owned()));
        assert_eq!(answer_of(&["x", ""]), Ok(json!({ "a": "x" })));
    }
}
