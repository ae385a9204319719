//! JSON as templates read it.

use std::any::Any;
use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::Value as Json;
use stepweave_core::language::{Shape, Value, View};

/// A text, a list or an object within a value.
#[derive(Debug)]
struct JsonView {
    whole: Rc<Json>,
    path: Vec<Segment>,
    own: OnceCell<Rc<Json>>,
}

#[derive(Debug, Clone)]
enum Segment {
    Key(String),
    Index(usize),
}

/// A value of the state as templates read it.
pub fn view(json: &Rc<Json>) -> Value {
    part(json, Vec::new())
}

fn part(whole: &Rc<Json>, path: Vec<Segment>) -> Value {
    match at(whole, &path) {
        None => unreachable!("it was looked at before"),
        Some(Json::Null) => Value::None,
        Some(Json::Bool(value)) => Value::Boolean(*value),
        Some(Json::Number(number)) => match number.as_i64() {
            Some(whole) => Value::Integer(whole),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Some(_) => Value::View(Rc::new(JsonView { whole: Rc::clone(whole), path, own: OnceCell::new() })),
    }
}

fn at<'j>(whole: &'j Json, path: &[Segment]) -> Option<&'j Json> {
    path.iter().try_fold(whole, |json, segment| match segment {
        Segment::Key(key) => json.get(key),
        Segment::Index(index) => json.get(index),
    })
}

impl JsonView {
    fn json(&self) -> &Json {
        at(&self.whole, &self.path).unwrap_or(&Json::Null)
    }

    fn inner(&self, segment: Segment) -> Option<Value> {
        let path: Vec<Segment> = self.path.iter().cloned().chain([segment]).collect();
        at(&self.whole, &path)?;
        Some(part(&self.whole, path))
    }
}

impl View for JsonView {
    fn shape(&self) -> Shape {
        match self.json() {
            Json::String(text) => Shape::Text(text.len()),
            Json::Array(list) => Shape::List(list.len()),
            _ => Shape::Object,
        }
    }

    fn text(&self) -> String {
        self.json().as_str().unwrap_or_default().to_owned()
    }

    fn item(&self, index: usize) -> Option<Value> {
        self.inner(Segment::Index(index))
    }

    fn member(&self, key: &str) -> Option<Value> {
        self.inner(Segment::Key(key.to_owned()))
    }

    fn keys(&self) -> Option<Vec<String>> {
        Some(self.json().as_object()?.keys().cloned().collect())
    }

    fn host_value(&self) -> Option<&dyn Any> {
        Some(self.own.get_or_init(|| match self.path.is_empty() {
            true => Rc::clone(&self.whole),
            false => Rc::new(self.json().clone()),
        }))
    }
}
