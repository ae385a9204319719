//! One iterative walk over the JSON along the grammar.

use serde_json::{Map, Value};

use super::path::Path;
use super::wording::{bounds, quoted, shortened};
use crate::document::{MAX_STEP_DEPTH, Secret};
use crate::grammar::{DOCUMENT, STEP, STEP_KINDS, StepShape};
use crate::problem::{Problem, Problems};
use crate::shape::{
    Field, Keys, MAX_NAME, ObjectShape, Presence, Role, Shape, listed, nearest, with_article,
};
use crate::state::{FORBIDDEN_KEYS, PROTOTYPE};

/// What the walk found.
pub(super) struct Found<'a> {
    pub(super) problems: Problems,
    pub(super) mentions: Vec<Mention<'a>>,
    /// Every JSON Schema and its path.
    pub(super) schemas: Vec<(Path<'a>, &'a Value)>,
}

/// A string of the document that has a meaning beyond its characters.
pub(super) struct Mention<'a> {
    pub(super) path: Path<'a>,
    pub(super) role: Role,
    pub(super) text: &'a str,
    /// For a definition (a key of `models` or `agents`), which map it stands in.
    pub(super) defines: Option<Keys>,
    /// For the name of a step, the word in its `type`.
    pub(super) kind: &'a str,
}

enum Task<'a> {
    Value { path: Path<'a>, value: &'a Value, shape: &'static Shape, depth: usize },
    Step { path: Path<'a>, value: &'a Value, depth: usize },
    InSchema { path: Path<'a>, value: &'a Value },
    InData { path: Path<'a>, value: &'a Value },
}

pub(super) fn walk(root: &Value) -> Found<'_> {
    let mut walk =
        Walk { tasks: Vec::new(), problems: Problems::default(), mentions: Vec::new(), schemas: Vec::new() };
    walk.object(&Path::ROOT, root, &DOCUMENT, 0);
    walk.tasks.reverse();
    // Children are pushed after their parent was read and popped in document order.
    while let Some(task) = walk.tasks.pop() {
        let before = walk.tasks.len();
        match task {
            Task::Value { path, value, shape, depth } => walk.value(path, value, shape, depth),
            Task::Step { path, value, depth } => walk.step(path, value, depth),
            Task::InSchema { path, value } => walk.in_schema(&path, value),
            Task::InData { path, value } => walk.in_data(path, value),
        }
        if let Some(added) = walk.tasks.get_mut(before..) {
            added.reverse();
        }
    }
    Found { problems: walk.problems, mentions: walk.mentions, schemas: walk.schemas }
}

struct Walk<'a> {
    tasks: Vec<Task<'a>>,
    problems: Problems,
    mentions: Vec<Mention<'a>>,
    schemas: Vec<(Path<'a>, &'a Value)>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, path: Path<'a>, value: &'a Value, shape: &'static Shape, depth: usize) {
        match shape {
            Shape::Any => {}
            Shape::Record => self.record(&path, value),
            Shape::RecordWith(shape) => {
                self.record(&path, value);
                if let Value::Object(map) = value {
                    self.fields(&path, map, shape.fields, shape.title, depth);
                }
            }
            Shape::Schema if value.is_object() || value.is_boolean() => {
                self.in_schema(&path, value);
                self.schemas.push((path, value));
            }
            Shape::Schema => self.wrong(&path, value, "a JSON Schema (an object)"),
            Shape::Name(role) => self.name(path, value, *role),
            Shape::Text(role) => match value {
                Value::String(text) => self.mention(path, *role, text),
                _ => self.wrong(&path, value, "a text"),
            },
            Shape::Integer(least, most) => {
                if !value.as_u64().is_some_and(|n| (*least..=*most).contains(&n)) {
                    self.wrong(&path, value, &bounds("a whole number", *least as f64, *most as f64));
                }
            }
            Shape::Number(least, most) => {
                if !value.as_f64().is_some_and(|n| (*least..=*most).contains(&n)) {
                    self.wrong(&path, value, &bounds("a number", *least, *most));
                }
            }
            Shape::Boolean if value.is_boolean() => {}
            Shape::Boolean => self.wrong(&path, value, "true or false"),
            Shape::BooleanOr(shape) => match value {
                Value::Bool(_) => {}
                Value::Object(_) => self.one_of(&path, value, shape, depth),
                _ => {
                    let expected = format!("true or false, or an object with {}", shape.listed());
                    self.wrong(&path, value, &expected);
                }
            },
            Shape::Choice(words) => {
                if !value.as_str().is_some_and(|text| words.contains(&text)) {
                    self.wrong(&path, value, &listed(words.iter().copied()));
                }
            }
            Shape::ChoiceOr(words, shape) => match value {
                Value::String(text) if words.contains(&text.as_str()) => {}
                Value::Object(_) => self.one_of(&path, value, shape, depth),
                _ => {
                    let expected =
                        format!("{}, or an object with {}", listed(words.iter().copied()), shape.listed());
                    self.wrong(&path, value, &expected);
                }
            },
            Shape::Names(role) => self.names(&path, value, *role, "a list of names"),
            Shape::ChoiceOrNames(words, role) => {
                if !value.as_str().is_some_and(|text| words.contains(&text)) {
                    let expected = format!("{}, or a list of names", listed(words.iter().copied()));
                    self.names(&path, value, *role, &expected);
                }
            }
            Shape::Data => self.in_data(path, value),
            Shape::Object(shape) => self.object(&path, value, shape, depth),
            Shape::OneOf(shape) => self.one_of(&path, value, shape, depth),
            Shape::TextOr(role, shape) => match value {
                Value::String(text) => self.mention(path, *role, text),
                Value::Object(_) => self.one_of(&path, value, shape, depth),
                _ => {
                    let expected = format!("a text, or an object with {}", shape.listed());
                    self.wrong(&path, value, &expected);
                }
            },
            Shape::Map(keys, inner) => self.map(&path, value, *keys, inner, depth),
            Shape::Steps => match value {
                Value::Array(steps) => {
                    self.tasks.extend(steps.iter().enumerate().map(|(index, value)| Task::Step {
                        path: path.index(index),
                        value,
                        depth: depth + 1,
                    }));
                }
                _ => self.wrong(&path, value, "a list of steps"),
            },
            Shape::List(shape) => match value {
                Value::Array(list) if !list.is_empty() => {
                    for (index, value) in list.iter().enumerate() {
                        self.object(&path.index(index), value, shape, depth);
                    }
                }
                _ => self.wrong(&path, value, &format!("a list of at least one {}", shape.title)),
            },
        }
    }

    fn step(&mut self, path: Path<'a>, value: &'a Value, depth: usize) {
        let Value::Object(map) = value else {
            return self.wrong(&path, value, "a step (an object)");
        };
        let name = map.get("name").and_then(Value::as_str).unwrap_or("");
        if depth > MAX_STEP_DEPTH {
            return self.problems.push(Problem::error(
                shortened(&path.render()),
                "limit",
                format!("step `{name}` is nested {depth} levels deep"),
                format!("steps may be nested {MAX_STEP_DEPTH} levels deep; flatten the document"),
            ));
        }
        let word = map.get("type").and_then(Value::as_str);
        let Some(kind) = STEP_KINDS.iter().find(|kind| Some(kind.word) == word) else {
            return self.unknown_kind(&path, map, name);
        };
        self.unknown_keys(&path, map, &[STEP.fields, kind.own.fields], kind.own.title, key_of_kind);
        self.fields(&path, map, STEP.fields, kind.own.title, depth);
        self.fields(&path, map, kind.own.fields, kind.own.title, depth);
    }

    fn unknown_kind(&mut self, path: &Path<'a>, map: &'a Map<String, Value>, name: &str) {
        let place = path.render();
        let name = if name.is_empty() { &place } else { name };
        let kinds = listed(STEP_KINDS.iter().map(|kind| kind.word));
        let problem = match map.get("type") {
            Some(found) => Problem::error(
                path.key("type").render(),
                "unknown_kind",
                format!("step `{name}` has the unknown type {}", quoted(found)),
                match found.as_str().and_then(|word| nearest(word, STEP_KINDS.iter().map(|kind| kind.word))) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("use {kinds}"),
                },
            ),
            None => Problem::error(
                path.key("type").render(),
                "missing_key",
                format!("step `{name}` has no `type`"),
                if let Some((written, meant)) = misspelt(map) {
                    format!("did you mean `{meant}` where `{written}` stands?")
                } else if let Some(kind) = guessed(map) {
                    format!("its keys look like \"type\": \"{}\"", kind.word)
                } else {
                    format!("use {kinds}; in code its own key says it: {}", listed(own_keys()))
                },
            ),
        };
        self.problems.push(problem);
    }

    fn object(&mut self, path: &Path<'a>, value: &'a Value, shape: &'static ObjectShape, depth: usize) {
        let Value::Object(map) = value else {
            return self.wrong(path, value, &format!("{} (an object)", with_article(shape.title)));
        };
        self.unknown_keys(path, map, &[shape.fields], shape.title, |_| None);
        self.fields(path, map, shape.fields, shape.title, depth);
    }

    fn one_of(&mut self, path: &Path<'a>, value: &'a Value, shape: &'static ObjectShape, depth: usize) {
        let map = value.as_object();
        let alternative = map.and_then(|map| {
            let mut there = shape.alternatives().filter(|field| map.contains_key(field.key));
            there.next().filter(|_| there.next().is_none())
        });
        let (Some(map), Some(alternative)) = (map, alternative) else {
            return self.wrong(path, value, &format!("an object with just the key {}", shape.listed()));
        };
        for (key, inner) in map {
            match shape.field(key) {
                Some(field)
                    if key == alternative.key || field.presence == Presence::Beside(alternative.key) =>
                {
                    self.tasks.push(Task::Value {
                        path: path.key(key),
                        value: inner,
                        shape: &field.shape,
                        depth,
                    });
                }
                _ => {
                    let expected = format!("an object with just the key {}", shape.listed());
                    return self.wrong(path, value, &expected);
                }
            }
        }
    }

    fn map(&mut self, path: &Path<'a>, value: &'a Value, keys: Keys, inner: &'static Shape, depth: usize) {
        let Value::Object(map) = value else {
            return self.wrong(path, value, "an object");
        };
        for (key, value) in map {
            let path = path.key(key);
            if keys == Keys::State {
                self.state_key(&path, key);
            } else if key.chars().count() > MAX_NAME {
                self.too_long(&path);
            }
            if key.is_empty() {
                let hint = "give it a name";
                self.problems.push(Problem::error(path.render(), "empty", "a key is empty", hint));
            }
            let mention =
                Mention { path: path.clone(), role: Role::Plain, text: key, defines: Some(keys), kind: "" };
            self.mentions.push(mention);
            self.tasks.push(Task::Value { path, value, shape: inner, depth });
        }
    }

    fn record(&mut self, path: &Path<'a>, value: &'a Value) {
        match value {
            Value::Object(map) => map.keys().for_each(|key| self.given_key(path.key(key), key)),
            _ => self.wrong(path, value, "an object"),
        }
    }

    /// A schema, or anything inside of one. Whoever reads its `properties` in JavaScript would reach a prototype.
    fn in_schema(&mut self, path: &Path<'a>, value: &'a Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let path = path.key(key);
                    if key == PROTOTYPE {
                        self.problems.push(Problem::error(
                            path.render(),
                            "forbidden_key",
                            format!("`{key}` cannot stand in a schema"),
                            "use another name: this one reaches into a JavaScript object's prototype",
                        ));
                    }
                    self.tasks.push(Task::InSchema { path, value });
                }
            }
            Value::Array(list) => {
                let members = list.iter().enumerate();
                self.tasks
                    .extend(members.map(|(index, value)| Task::InSchema { path: path.index(index), value }));
            }
            _ => {}
        }
    }

    /// JSON whose strings are templates.
    fn in_data(&mut self, path: Path<'a>, value: &'a Value) {
        match value {
            Value::String(text) => self.mention(path, Role::Template, text),
            Value::Array(list) => {
                let items = list.iter().enumerate();
                self.tasks
                    .extend(items.map(|(index, value)| Task::InData { path: path.index(index), value }));
            }
            Value::Object(map) => {
                self.tasks.extend(map.iter().map(|(key, value)| Task::InData { path: path.key(key), value }));
            }
            _ => {}
        }
    }

    fn names(&mut self, path: &Path<'a>, value: &'a Value, role: Role, expected: &str) {
        let Value::Array(names) = value else { return self.wrong(path, value, expected) };
        for (index, name) in names.iter().enumerate() {
            self.name(path.index(index), name, role);
        }
    }

    /// A key that a run begins with, or that its steps are given.
    fn given_key(&mut self, path: Path<'a>, key: &'a str) {
        self.state_key(&path, key);
        self.mention(path, Role::StateKey, key);
    }

    fn state_key(&mut self, path: &Path<'a>, key: &str) {
        if FORBIDDEN_KEYS.contains(&key) {
            self.problems.push(Problem::error(
                path.render(),
                "forbidden_key",
                format!("`{key}` cannot be a key of the state"),
                "use another name: this one reaches into a JavaScript object's prototype",
            ));
        }
    }

    fn unknown_keys(
        &mut self,
        path: &Path<'a>,
        map: &'a Map<String, Value>,
        known: &[&'static [Field]],
        title: &str,
        meant: fn(&str) -> Option<String>,
    ) {
        let fields = || known.iter().flat_map(|fields| fields.iter());
        let near = |key: &str| nearest(key, fields().map(|field| field.key)).map(|key| format!("`{key}`"));
        for key in map.keys().filter(|key| !key.starts_with("x-")) {
            if !fields().any(|field| field.key == key) {
                self.problems.push(Problem::error(
                    path.key(key).render(),
                    "unknown_key",
                    format!("{} has no key `{key}`", with_article(title)),
                    match near(key).or_else(|| meant(key)) {
                        Some(meant) => format!("did you mean {meant}? Keys of your own begin with `x-`"),
                        None => format!(
                            "use {}; keys of your own begin with `x-`",
                            listed(fields().map(|field| field.key))
                        ),
                    },
                ));
            }
        }
    }

    fn fields(
        &mut self,
        path: &Path<'a>,
        map: &'a Map<String, Value>,
        fields: &'static [Field],
        title: &str,
        depth: usize,
    ) {
        for field in fields {
            match map.get(field.key) {
                Some(value) => {
                    let path = path.key(field.key);
                    if field.key == "input" && title == DOCUMENT.title {
                        let properties = value.get("properties").and_then(Value::as_object);
                        let within = path.key("properties");
                        for key in properties.into_iter().flat_map(Map::keys) {
                            self.mention(within.key(key), Role::StateKey, key);
                        }
                    }
                    if field.key == "name" && map.contains_key("type") {
                        self.step_name(&path, value, map);
                    }
                    self.tasks.push(Task::Value { path, value, shape: &field.shape, depth });
                }
                None if field.presence == Presence::Required => self.problems.push(Problem::error(
                    path.key(field.key).render(),
                    "missing_key",
                    format!("the {title} has no `{}`", field.key),
                    format!("add `{}`: {}", field.key, field.purpose),
                )),
                None => {}
            }
        }
    }

    fn step_name(&mut self, path: &Path<'a>, value: &'a Value, map: &'a Map<String, Value>) {
        if let (Some(text), Some(kind)) = (value.as_str(), map.get("type").and_then(Value::as_str)) {
            let path = path.clone();
            self.mentions.push(Mention { path, role: Role::StepName, text, defines: None, kind });
        }
    }

    fn name(&mut self, path: Path<'a>, value: &'a Value, role: Role) {
        match value.as_str() {
            None => self.wrong(&path, value, "a text"),
            Some("") => self.problems.push(Problem::error(
                path.render(),
                "empty",
                format!("`{}` is empty", path.render()),
                "give it a name",
            )),
            Some(text) if text.chars().count() > MAX_NAME => self.too_long(&path),
            // Names of steps were noted with the kind of their step.
            Some(_) if role == Role::StepName => {}
            Some(text) if role == Role::StateKey => self.given_key(path, text),
            Some(text) if role == Role::SecretName => self.secret_name(&path, text),
            Some(text) if role == Role::StepId && text.contains(['/', '#']) => self.wrong_id(&path, text),
            Some(text) => self.mention(path, role, text),
        }
    }

    /// What stands there instead of a name may be a key: it is not shown.
    fn secret_name(&mut self, path: &Path<'a>, text: &str) {
        if !Secret::is_name(text) {
            self.problems.push(Problem::error(
                path.render(),
                "wrong_secret",
                format!("`{}` is no name of a secret", path.render()),
                "use letters from A to Z, digits and `_`, no digit first, such as OPENAI_API_KEY; the value of the key has no place here",
            ));
        }
    }

    /// Journals know executions by paths of ids and rounds, in which these characters stand between them.
    fn wrong_id(&mut self, path: &Path<'a>, text: &str) {
        self.problems.push(Problem::error(
            path.render(),
            "wrong_id",
            format!("the id `{text}` has a `/` or a `#`, which separate ids in the keys of a journal"),
            "use other characters, such as `-` or `_`; the name of the step may have any",
        ));
    }

    fn too_long(&mut self, path: &Path<'a>) {
        self.problems.push(Problem::error(
            shortened(&path.render()),
            "too_long",
            format!("a name is longer than {MAX_NAME} characters"),
            "shorten it",
        ));
    }

    fn mention(&mut self, path: Path<'a>, role: Role, text: &'a str) {
        if role != Role::Plain {
            self.mentions.push(Mention { path, role, text, defines: None, kind: "" });
        }
    }

    fn wrong(&mut self, path: &Path<'a>, value: &Value, expected: &str) {
        let path = path.render();
        let place = if path.is_empty() { "the document".to_owned() } else { format!("`{path}`") };
        // What stands in the place of a key, or among headers, may be one: it is not shown.
        let may_be_key = cfg!(feature = "language")
            && [".apiKey", ".auth", ".headers"].iter().any(|part| path.contains(part));
        let (found, more) = match may_be_key {
            true => (
                "not shown, as it may be a key".to_owned(),
                r#"; a key is named, as { "secret": "NAME" }, and never written"#,
            ),
            false => (quoted(value), ""),
        };
        self.problems.push(Problem::error(
            path,
            "wrong_type",
            format!("{place} is {found}"),
            format!("it must be {expected}{more}"),
        ));
    }
}

/// The keys without which there is no step of a kind.
fn required(kind: &'static StepShape) -> impl Iterator<Item = &'static str> {
    let fields = kind.own.fields.iter().filter(|field| field.presence == Presence::Required);
    fields.map(|field| field.key)
}

/// The kind whose own required keys the step has.
fn guessed(map: &Map<String, Value>) -> Option<&'static StepShape> {
    STEP_KINDS
        .iter()
        .find(|kind| required(kind).next().is_some() && required(kind).all(|key| map.contains_key(key)))
}

/// A key of a step without a kind, and the key of a kind that was probably meant.
fn misspelt(map: &Map<String, Value>) -> Option<(&str, &'static str)> {
    let mut keys = map.keys().filter_map(|key| Some((key.as_str(), meant_by(key)?)));
    keys.find(|(written, meant)| written != meant && !written.starts_with("x-"))
}

/// The keys by which steps are of their kinds.
fn own_keys() -> impl Iterator<Item = &'static str> {
    STEP_KINDS.iter().filter_map(|kind| required(kind).next())
}

/// The key of a kind that is like this word.
fn meant_by(word: &str) -> Option<&'static str> {
    nearest(word, own_keys())
}

/// The key by which steps are of the kind that this word names, or almost names: who writes `foreach` or `item` means `items`.
fn key_of_kind(word: &str) -> Option<String> {
    let named = STEP_KINDS.iter().find(|kind| kind.word.eq_ignore_ascii_case(word));
    let kind = named.or_else(|| {
        let key = meant_by(word)?;
        STEP_KINDS.iter().find(|kind| required(kind).next() == Some(key))
    })?;
    let key = required(kind).next().filter(|key| *key != word)?;
    Some(format!("`{key}`, the key of {} step", with_article(kind.word)))
}
