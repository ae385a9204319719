//! The texts of a workflow, found along the grammar.

use serde_json::{Map, Value};
use stepweave_core::document::Document;
use stepweave_core::grammar::{DOCUMENT, STEP, STEP_KINDS};
use stepweave_core::letters::member;
use stepweave_core::rename::{Named, Place, gives_output};
use stepweave_core::shape::{Keys, ObjectShape, Role, Shape};

use super::{Key, Means, Owner, Text};
use crate::model::field_words::{Form, field_words};
use crate::step::kinds::Kind;

/// Every text, in the order of the document.
pub fn texts(document: &Document) -> Vec<Text> {
    let mut walk = Walk {
        document,
        found: Vec::new(),
        path: Vec::new(),
        owner: Owner::Workflow,
        place: Place::Workflow,
        form: Form::Workflow,
    };
    // A document is plain data with text keys, which always has a JSON form.
    if let Ok(Value::Object(document)) = serde_json::to_value(document) {
        walk.object(&DOCUMENT, &document);
    }
    walk.found
}

struct Walk<'d> {
    document: &'d Document,
    found: Vec<Text>,
    path: Vec<Key>,
    owner: Owner,
    /// Whose state the keys here are of.
    place: Place,
    /// What has a field for a text here.
    form: Form,
}

impl Walk<'_> {
    fn object(&mut self, shape: &ObjectShape, value: &Map<String, Value>) {
        for (key, value) in value {
            let field = shape.field(key);
            self.inside(Key::Name(key.clone()), |own| {
                field.into_iter().for_each(|field| own.value(&field.shape, value))
            });
        }
    }

    fn value(&mut self, shape: &Shape, value: &Value) {
        match (shape, value) {
            (Shape::Name(role) | Shape::Text(role) | Shape::TextOr(role, _), Value::String(text))
                if self.is_for_people(*role) =>
            {
                self.push(text, self.field(), self.means(*role, text));
            }
            (
                Shape::TextOr(_, shape)
                | Shape::Object(shape)
                | Shape::OneOf(shape)
                | Shape::RecordWith(shape)
                | Shape::ChoiceOr(_, shape)
                | Shape::BooleanOr(shape),
                Value::Object(object),
            ) => self.object(shape, object),
            (Shape::List(shape), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let object = item.as_object();
                    self.inside(Key::Index(index), |own| {
                        object.into_iter().for_each(|object| own.object(shape, object))
                    });
                }
            }
            (Shape::Map(keys, shape), Value::Object(map)) => {
                // What a tool gives is no state.
                let is_state = *keys == Keys::State && !(self.is_of_tool() && self.is_at("set"));
                for (key, value) in map {
                    let before = (self.owner.clone(), self.place.clone(), self.form);
                    self.enter_entry(key);
                    self.inside(Key::Name(key.clone()), |own| {
                        if is_state {
                            own.push_key(key, "Key");
                        }
                        if let Some(named) = own.entry(key) {
                            own.push(key, "Name".to_owned(), Means::Named(named));
                        }
                        own.value(shape, value);
                    });
                    (self.owner, self.place, self.form) = before;
                }
            }
            (Shape::Steps, Value::Array(steps)) => {
                for (index, step) in steps.iter().enumerate() {
                    let object = step.as_object();
                    self.inside(Key::Index(index), |own| object.into_iter().for_each(|step| own.step(step)));
                }
            }
            (Shape::Record, Value::Object(state)) => {
                for (key, value) in state {
                    self.inside(Key::Name(key.clone()), |own| {
                        own.push_key(key, "Key of the initial state");
                        own.data(value);
                    });
                }
            }
            (Shape::Schema, Value::Object(schema)) => self.schema(schema),
            (Shape::Data, value) => self.data(value),
            _ => {}
        }
    }

    /// The keys of a state that a schema describes, and what it says of all keys.
    fn schema(&mut self, schema: &Map<String, Value>) {
        self.words_of(schema);
        let called = match &self.owner {
            Owner::Agent(_) => None,
            _ if self.is_at("input") => Some("Key of the input"),
            // What else a step gives has names of its own.
            Owner::Step(id) if self.document.step(id).is_none_or(gives_output) => None,
            _ if self.is_at("output") => Some("Key of the output"),
            _ => None,
        };
        if let (Some(called), Some(Value::Object(properties))) = (called, schema.get("properties")) {
            for key in properties.keys() {
                self.push_key(key, called);
            }
        }
    }

    /// What a schema says for people and models: the choices, and what a key is.
    fn words_of(&mut self, schema: &Map<String, Value>) {
        for (key, value) in schema {
            self.inside(Key::Name(key.clone()), |own| match (key.as_str(), value) {
                ("description", Value::String(text)) => own.push(text, own.field(), Means::Itself),
                ("enum", choices) => own.data(choices),
                ("items", Value::Object(items)) => own.words_of(items),
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        let property = property.as_object();
                        own.inside(Key::Name(name.clone()), |own| {
                            property.into_iter().for_each(|property| own.words_of(property))
                        });
                    }
                }
                _ => {}
            });
        }
    }

    /// Agents and tools own what they say.
    fn enter_entry(&mut self, key: &str) {
        if let [Key::Name(map)] = self.path.as_slice() {
            match map.as_str() {
                "agents" => (self.owner, self.form) = (Owner::Agent(key.to_owned()), Form::Agent),
                "tools" => {
                    (self.owner, self.form) = (Owner::Tool(key.to_owned()), Form::Tool);
                    self.place = Place::Tool(key.to_owned());
                }
                _ => {}
            }
        }
    }

    fn step(&mut self, step: &Map<String, Value>) {
        let id = step.get("id").and_then(Value::as_str).unwrap_or_default();
        let kind = step.get("type").and_then(Value::as_str);
        let own = STEP_KINDS.iter().find(|shape| Some(shape.word) == kind);
        let has_state = matches!(kind, Some("foreach" | "workflow"));
        let before = std::mem::replace(&mut self.owner, Owner::Step(id.to_owned()));
        let around = self.place.clone();
        let form = kind.and_then(Kind::of_word).map_or(self.form, Form::Step);
        let form = std::mem::replace(&mut self.form, form);
        for (key, value) in step.iter().filter(|(key, _)| *key != "type") {
            let field = STEP.field(key).or_else(|| own?.own.field(key));
            let is_inside = has_state && ["as", "initialState", "with", "steps"].contains(&key.as_str());
            self.place = if is_inside { Place::Inside(id.to_owned()) } else { around.clone() };
            self.inside(Key::Name(key.clone()), |own| {
                field.into_iter().for_each(|field| own.value(&field.shape, value))
            });
        }
        (self.owner, self.place, self.form) = (before, around, form);
    }

    fn data(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.push(text, self.field(), Means::Itself),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.inside(Key::Index(index), |own| own.data(item));
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    self.inside(Key::Name(key.clone()), |own| own.data(value));
                }
            }
            _ => {}
        }
    }

    fn inside(&mut self, key: Key, visit: impl FnOnce(&mut Self)) {
        self.path.push(key);
        visit(self);
        self.path.pop();
    }

    fn push(&mut self, text: &str, field: String, means: Means) {
        let (owner, path) = (self.owner.clone(), self.path.clone());
        self.found.push(Text { owner, field, text: text.to_owned(), means, path });
    }

    fn push_key(&mut self, key: &str, called: &str) {
        self.push(key, called.to_owned(), self.key(key));
    }

    fn means(&self, role: Role, text: &str) -> Means {
        match role {
            Role::StepName => Means::Step,
            Role::StateKey => self.key(text),
            _ => Means::Itself,
        }
    }

    /// A key of the state that is here.
    fn key(&self, key: &str) -> Means {
        Means::Named(Named::Key { place: self.place.clone(), key: key.to_owned() })
    }

    /// The agent or the tool of the workflow that this is.
    fn entry(&self, key: &str) -> Option<Named> {
        let [Key::Name(map), _] = self.path.as_slice() else { return None };
        match map.as_str() {
            "agents" => Some(Named::Agent(key.to_owned())),
            "tools" => Some(Named::Tool(key.to_owned())),
            _ => None,
        }
    }

    fn is_of_tool(&self) -> bool {
        matches!(self.owner, Owner::Tool(_))
    }

    /// Whether this is the key of what is looked at.
    fn is_at(&self, key: &str) -> bool {
        matches!(self.path.last(), Some(Key::Name(last)) if last == key)
    }

    /// References follow what they name, and endpoints are set elsewhere.
    fn is_for_people(&self, role: Role) -> bool {
        let elsewhere =
            matches!(self.path.first(), Some(Key::Name(map)) if map == "models" || map == "prices");
        !elsewhere
            && matches!(
                role,
                Role::Plain | Role::StepName | Role::Template | Role::Expression | Role::StateKey
            )
    }

    /// What the text is: what its owner calls it.
    fn field(&self) -> String {
        let from = match &self.owner {
            Owner::Workflow => 0,
            Owner::Agent(_) | Owner::Tool(_) => 2,
            // Behind the last number that is one of a list of steps: what is in the step begins with a key.
            Owner::Step(_) => self.depth_of_step(),
        };
        let mut path = String::new();
        for key in self.path.get(from..).unwrap_or_default() {
            match key {
                Key::Name(name) => path.push_str(&member(name)),
                Key::Index(index) => path.extend(["[", &index.to_string(), "]"]),
            }
        }
        field_words(self.form, path.strip_prefix('.').unwrap_or(&path))
    }

    fn depth_of_step(&self) -> usize {
        const LISTS: [&str; 5] = ["steps", "else", "parallel", "default", "expired"];
        let pairs = self.path.windows(2).enumerate();
        let mut steps = pairs.filter(
            |(_, pair)| matches!(pair, [Key::Name(list), Key::Index(_)] if LISTS.contains(&list.as_str())),
        );
        steps.next_back().map_or(0, |(index, _)| index + 2)
    }
}
