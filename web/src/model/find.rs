//! Finding and replacing in every text of a workflow: names, prompts, code, expressions, notes.
//!
//! What is a text is for the grammar to say, so that ids, references and settings are left alone.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value};
use stepweave_core::document::{Document, every};
use stepweave_core::edit::Edit;
use stepweave_core::grammar::{DOCUMENT, STEP, STEP_KINDS};
use stepweave_core::json;
use stepweave_core::rename::{Named, Place, gives_output, is_taken, rename, rename_steps, root_of_key};
use stepweave_core::shape::{Keys, ObjectShape, Role, Shape};

/// A text of the workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Whose it is.
    pub owner: Owner,
    /// What it is, as people call it.
    pub field: String,
    /// The text.
    pub text: String,
    means: Means,
    path: Vec<Key>,
}

/// What a text is to the rest of the workflow.
#[derive(Debug, Clone, PartialEq)]
enum Means {
    /// Nothing refers to it.
    Itself,
    /// The name of a step.
    Step,
    /// The name of something else, which is the key of a map or the text of a field: a key of a state, an agent, a tool.
    Named(Named),
}

/// What a replacement does.
#[derive(Debug)]
pub struct Replaced {
    /// The change.
    pub edit: Edit,
    /// In how many more places something changed, because it is called by a name that was replaced.
    pub followed: usize,
}

/// Whose a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The workflow's own.
    Workflow,
    /// That of the step with this id.
    Step(String),
    /// That of this agent.
    Agent(String),
    /// That of this tool.
    Tool(String),
}

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The text.
    pub text: String,
    /// Which letters count as the same.
    pub case: Case,
}

/// Which letters count as the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    /// Small and capital ones.
    #[default]
    Any,
    /// Only equal ones.
    Exact,
}

/// A place where what is searched for stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The number of the text.
    pub text: usize,
    /// Where it begins in it, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Key {
    Name(String),
    Index(usize),
}

/// Every text, in the order of the document.
pub fn texts(document: &Document) -> Vec<Text> {
    let mut walk = Walk {
        document,
        found: Vec::new(),
        path: Vec::new(),
        owner: Owner::Workflow,
        place: Place::Workflow,
    };
    // A document is plain data with text keys, which always has a JSON form.
    if let Ok(Value::Object(document)) = serde_json::to_value(document) {
        walk.object(&DOCUMENT, &document);
    }
    walk.found
}

/// Every place where it stands, in the order of the texts; in one text they do not overlap.
pub fn matches(texts: &[Text], wanted: &Wanted) -> Vec<Match> {
    let mut found = Vec::new();
    if wanted.text.is_empty() {
        return found;
    }
    let letters: Vec<char> = wanted.text.chars().flat_map(|letter| folded(letter, wanted.case)).collect();
    for (index, Text { text, .. }) in texts.iter().enumerate() {
        let mut from = 0;
        for (start, _) in text.char_indices() {
            let length = text
                .get(start..)
                .filter(|_| start >= from)
                .and_then(|rest| length(rest, &letters, wanted.case));
            if let Some(length) = length {
                from = start + length;
                found.push(Match { text: index, start, end: from });
            }
        }
    }
    found
}

/// Writes another text where this match is, as one change. What uses a step, a key or an agent follows its name.
///
/// # Errors
/// When what comes out is no workflow, in words for the person.
pub fn replace_one(document: &Document, texts: &[Text], found: Match, by: &str) -> Result<Replaced, String> {
    let whole = match texts.get(found.text) {
        Some(text @ Text { means: Means::Named(named), .. }) => {
            call_otherwise(document, named, &text.with(&[found], by))?
        }
        Some(text @ Text { means: Means::Step, .. }) => {
            let mut whole = document.clone();
            call(&mut whole, &IndexMap::from([(text.text.clone(), text.with(&[found], by))]))?;
            whole
        }
        _ => written(document, texts, &[found], by)?,
    };
    Ok(Replaced::between(document, whole, 1))
}

/// Writes another text wherever the first one stands, as one change. What uses a step, a key or an agent follows its name.
///
/// # Errors
/// When what comes out is no workflow, in words for the person.
pub fn replace_all(document: &Document, wanted: &Wanted, by: &str) -> Result<Replaced, String> {
    let before = texts(document);
    let replaced: IndexSet<usize> = matches(&before, wanted).iter().map(|found| found.text).collect();
    // Meanwhile steps and keys have names in which nothing is found, and which stand nowhere else: what reads them is no
    // text to write into.
    let taken = json::text(document);
    let letter = ('a'..='z').find(|letter| !wanted.text.to_lowercase().contains(*letter)).unwrap_or('_');
    let mut free = (1..)
        .map(|length| letter.to_string().repeat(length))
        .filter(|name| !taken.contains(name) && !by.contains(name));
    let mut whole = document.clone();
    let (mut hidden, mut steps) = (IndexMap::new(), IndexMap::new());
    for (text, name) in renamed(&whole, wanted, by) {
        if text.means == Means::Step && !hidden.contains_key(&text.text) {
            let meanwhile = free.next().unwrap_or_default();
            steps.insert(meanwhile.clone(), name);
            hidden.insert(text.text, meanwhile);
        }
    }
    rename_steps(&mut whole, &hidden);
    let mut others: Vec<(Named, String, String)> = Vec::new();
    for (text, name) in renamed(&whole, wanted, by) {
        let Text { means: Means::Named(named), .. } = text else { continue };
        let named = rooted(&whole, named);
        if !others.iter().any(|(own, ..)| *own == named) {
            let meanwhile = free.next().unwrap_or_default();
            whole = call_otherwise(&whole, &named, &meanwhile)?;
            others.push((named, meanwhile, name));
        }
    }
    let texts = texts(&whole);
    whole = written(&whole, &texts, &matches(&texts, wanted), by)?;
    call(&mut whole, &steps)?;
    for (named, meanwhile, name) in &others {
        whole = call_otherwise(&whole, &with_name(named, meanwhile), name)?;
    }
    let left = json::text(&whole);
    let others = others.into_iter().map(|(named, meanwhile, _)| (named.called().to_owned(), meanwhile));
    let names = hidden.into_iter().chain(others);
    for (old, meanwhile) in names {
        if left.contains(&meanwhile) {
            return Err(format!("Nothing was replaced, for what reads “{old}” could not be read any more."));
        }
    }
    Ok(Replaced::between(document, whole, replaced.len()))
}

/// The names of steps, keys and agents in which something is replaced, with what they become.
fn renamed(document: &Document, wanted: &Wanted, by: &str) -> Vec<(Text, String)> {
    let texts = texts(document);
    let found = matches(&texts, wanted);
    let names = texts.into_iter().enumerate().filter(|(_, text)| text.means != Means::Itself);
    let renamed = names.map(|(index, text)| {
        let own: Vec<Match> = found.iter().copied().filter(|found| found.text == index).collect();
        let name = text.with(&own, by);
        (text, name)
    });
    renamed.filter(|(text, name)| text.text != *name).collect()
}

/// Gives steps other names by their present ones, with what reads them.
fn call(document: &mut Document, names: &IndexMap<String, String>) -> Result<(), String> {
    let mut taken = names_of(document);
    taken.retain(|name| !names.contains_key(name));
    for name in names.values() {
        if name.trim().is_empty() {
            return Err("Nothing was replaced, for a step would have no name.".to_owned());
        }
        if !taken.insert(name.clone()) {
            return Err(format!("Nothing was replaced, for two steps would be called “{name}”."));
        }
    }
    rename_steps(document, names);
    Ok(())
}

/// The document in which something is called otherwise, with what uses it.
fn call_otherwise(document: &Document, named: &Named, to: &str) -> Result<Document, String> {
    let (one, two) =
        if matches!(named, Named::Agent(_)) { ("an agent", "two agents") } else { ("a key", "two keys") };
    if to.trim().is_empty() {
        return Err(format!("Nothing was replaced, for {one} would have no name."));
    }
    if is_taken(document, named, to) {
        return Err(format!("Nothing was replaced, for {two} would be called “{to}”."));
    }
    rename(document, named, to).ok_or_else(|| {
        format!(
            "Nothing was replaced, for “{}” has its name from a step or from the language.",
            named.called()
        )
    })
}

/// A key by the outermost state that has it, so that it is renamed once.
fn rooted(document: &Document, named: Named) -> Named {
    match named {
        Named::Key { place, key } => Named::Key { place: root_of_key(document, &place, &key), key },
        other => other,
    }
}

/// The same thing under another name.
fn with_name(named: &Named, name: &str) -> Named {
    let name = name.to_owned();
    match named {
        Named::Key { place, .. } => Named::Key { place: place.clone(), key: name },
        _ => Named::Agent(name),
    }
}

/// In how many places two forms of one document differ: a replacement keeps their order.
fn differences(before: &Value, after: &Value) -> usize {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let pairs = before.iter().zip(after);
            pairs.map(|((key, own), (to, other))| usize::from(key != to) + differences(own, other)).sum()
        }
        (Value::Array(before), Value::Array(after)) => {
            before.iter().zip(after).map(|(own, other)| differences(own, other)).sum()
        }
        _ => usize::from(before != after),
    }
}

fn names_of(document: &Document) -> IndexSet<String> {
    every(&document.steps).map(|step| step.name.clone()).collect()
}

/// The document with another text where these matches are.
fn written(document: &Document, texts: &[Text], matches: &[Match], by: &str) -> Result<Document, String> {
    let mut value = serde_json::to_value(document).map_err(|error| error.to_string())?;
    for found in matches.iter().rev() {
        // A key that stays as it is may be that of a map: at its path is what the map has there.
        let text = texts.get(found.text).filter(|text| !matches!(text.means, Means::Named(_)));
        let slot = text.and_then(|text| at(&mut value, &text.path));
        if let Some(Value::String(text)) = slot {
            put(text, found, by);
        }
    }
    serde_json::from_value(value).map_err(|error| {
        format!("Nothing was replaced, for the workflow would not be one any more: {error}.")
    })
}

/// Writes a text where a match is. Matches of one text are written from the last on, so that what stands before stays
/// where it is.
fn put(text: &mut String, found: &Match, by: &str) {
    if text.get(found.start..found.end).is_some() {
        text.replace_range(found.start..found.end, by);
    }
}

fn at<'a>(value: &'a mut Value, path: &[Key]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| match key {
        Key::Name(name) => value.get_mut(name),
        Key::Index(index) => value.get_mut(index),
    })
}

fn folded(letter: char, case: Case) -> Vec<char> {
    match case {
        Case::Any => letter.to_lowercase().collect(),
        Case::Exact => vec![letter],
    }
}

/// How many bytes of the beginning of a text are what is searched for.
fn length(text: &str, letters: &[char], case: Case) -> Option<usize> {
    let mut rest = letters;
    for (at, letter) in text.char_indices() {
        if rest.is_empty() {
            return Some(at);
        }
        rest = rest.strip_prefix(folded(letter, case).as_slice())?;
    }
    rest.is_empty().then_some(text.len())
}

impl Replaced {
    /// The change to another document, in which so many texts were replaced.
    fn between(document: &Document, whole: Document, texts: usize) -> Self {
        // Documents are plain data with text keys, which always have a JSON form.
        let form = |document: &Document| serde_json::to_value(document).unwrap_or_default();
        let followed = differences(&form(document), &form(&whole)).saturating_sub(texts);
        Self { edit: Edit::Whole(Box::new(whole)), followed }
    }
}

impl Text {
    /// What it is once these matches in it are replaced.
    fn with(&self, matches: &[Match], by: &str) -> String {
        let mut text = self.text.clone();
        matches.iter().rev().for_each(|found| put(&mut text, found, by));
        text
    }
}

struct Walk<'d> {
    document: &'d Document,
    found: Vec<Text>,
    path: Vec<Key>,
    owner: Owner,
    /// Whose state the keys here are of.
    place: Place,
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
                    let before = (self.owner.clone(), self.place.clone());
                    self.enter_entry(key);
                    self.inside(Key::Name(key.clone()), |own| {
                        if is_state {
                            own.push_key(key, "Key");
                        }
                        if own.is_agent() {
                            let named = Means::Named(Named::Agent(key.clone()));
                            own.push(key, "Name".to_owned(), named);
                        }
                        own.value(shape, value);
                    });
                    (self.owner, self.place) = before;
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
                "agents" => self.owner = Owner::Agent(key.to_owned()),
                "tools" => {
                    self.owner = Owner::Tool(key.to_owned());
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
        for (key, value) in step.iter().filter(|(key, _)| *key != "type") {
            let field = STEP.field(key).or_else(|| own?.own.field(key));
            let is_inside = has_state && ["as", "initialState", "with", "steps"].contains(&key.as_str());
            self.place = if is_inside { Place::Inside(id.to_owned()) } else { around.clone() };
            self.inside(Key::Name(key.clone()), |own| {
                field.into_iter().for_each(|field| own.value(&field.shape, value))
            });
        }
        self.owner = before;
        self.place = around;
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

    /// Whether this is an agent of the workflow.
    fn is_agent(&self) -> bool {
        matches!(self.path.as_slice(), [Key::Name(map), _] if map == "agents")
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
        let mut words = String::new();
        for key in self.path.get(from..).unwrap_or_default() {
            match key {
                Key::Name(name) if words.is_empty() => words.push_str(name),
                Key::Name(name) => words.extend([".", name]),
                Key::Index(index) => words.extend(["[", &index.to_string(), "]"]),
            }
        }
        match words.as_str() {
            "name" => "Name".to_owned(),
            "inputFrom" => "Prompt".to_owned(),
            "instructions" => "Instructions".to_owned(),
            "run.code" => "Code".to_owned(),
            "condition" => "Condition".to_owned(),
            "items" => "List".to_owned(),
            "result" => "Result of each item".to_owned(),
            "message" | "end.message" => "Message".to_owned(),
            "notes" => "Notes".to_owned(),
            "description" => "Description".to_owned(),
            "http.url" => "Address".to_owned(),
            _ => words,
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stepweave_core::edit::apply;

    use super::*;

    fn document() -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "Bees", "notes": "about bees",
            "initialState": { "topic": ["bees", 3] },
            "models": { "bees": { "provider": "openai", "model": "bees" } },
            "agents": { "bees": { "model": "bees", "instructions": "Write of BEES and bees." } },
            "steps": [
                { "id": "bees", "type": "agent", "name": "bees", "agent": "bees", "inputFrom": "Bees: {{ bees }}" },
                { "id": "s2", "type": "switch", "name": "way", "cases": [{ "when": "bees == 1", "steps": [
                    { "id": "s3", "type": "function", "name": "f", "run": { "code": "return bees;" } }] }], "default": [
                    { "id": "s4", "type": "function", "name": "g", "run": { "set": { "x": "bees", "bees": "1" } } },
                    { "id": "s5", "type": "http", "name": "h", "http": { "url": "https://bees.example/", "method": "GET" } }] }] }))
        .unwrap()
    }

    fn wanted(text: &str, case: Case) -> Wanted {
        Wanted { text: text.to_owned(), case }
    }

    #[test]
    fn every_text_is_found_and_no_reference() {
        let texts = texts(&document());
        let found: Vec<_> = matches(&texts, &wanted("bees", Case::Any))
            .iter()
            .map(|found| {
                let text = &texts[found.text];
                let owner = match &text.owner {
                    Owner::Workflow => "-",
                    Owner::Step(id) | Owner::Agent(id) | Owner::Tool(id) => id,
                };
                format!("{owner} {} {}", text.field, &text.text[found.start..found.end])
            })
            .collect();
        assert_eq!(
            found,
            [
                "- Name Bees",
                "- initialState.topic[0] bees",
                "bees Name bees",
                "bees Instructions BEES",
                "bees Instructions bees",
                "bees Name bees",
                "bees Prompt Bees",
                "bees Prompt bees",
                "s2 cases[0].when bees",
                "s3 Code bees",
                "s4 run.set.x bees",
                "s4 Key bees",
                "s5 Address bees",
                "- Notes bees",
            ]
        );
        assert_eq!(matches(&texts, &wanted("bees", Case::Exact)).len(), 11);
        assert_eq!(matches(&texts, &wanted("", Case::Any)), []);
    }

    #[test]
    fn all_are_replaced_at_once_and_come_back_at_once() {
        let mut changed = document();
        let Replaced { edit, followed } = replace_all(&changed, &wanted("bees", Case::Any), "wasps").unwrap();
        let back = apply(&mut changed, edit).unwrap();
        let after = serde_json::to_string(&changed).unwrap();
        assert!(
            after.contains("Write of wasps and wasps.") && after.contains("wasps: {{ wasps }}"),
            "{after}"
        );
        let json: Value = serde_json::from_str(&after).unwrap();
        assert_eq!((&json["steps"][0]["id"], &json["steps"][0]["agent"]), (&json!("bees"), &json!("wasps")));
        assert_eq!((&json["agents"]["wasps"]["model"], followed), (&json!("bees"), 1));
        assert_eq!(json["models"]["bees"]["model"], "bees");
        apply(&mut changed, back).unwrap();
        assert_eq!(changed, document());
    }

    #[test]
    fn one_is_replaced_and_the_others_stay() {
        let texts = texts(&document());
        let all = matches(&texts, &wanted("bees", Case::Any));
        let mut changed = document();
        let one = all.iter().copied().filter(|one| texts[one.text].field == "Instructions").nth(1).unwrap();
        let edit = replace_one(&changed, &texts, one, "").unwrap().edit;
        apply(&mut changed, edit).unwrap();
        assert_eq!(changed.agents["bees"].instructions.as_deref(), Some("Write of BEES and ."));
    }

    #[test]
    fn what_reads_a_step_follows_its_new_name() {
        let before: Document =
            serde_json::from_value(json!({ "version": 1, "name": "market news", "steps": [
            { "id": "s1", "type": "agent", "name": "market", "agent": "a" },
            { "id": "s2", "type": "function", "name": "risks", "run": { "set": { "y": "x" } } },
            { "id": "s3", "type": "agent", "name": "market report", "agent": "a",
              "inputFrom": "Of the market: {{ market_output }} {{ risks_output }}" },
            { "id": "s4", "type": "function", "name": "end",
              "run": { "set": { "z": "state[\"market report_output\"] ~ steps.market.output" } } }] }))
            .unwrap();
        let texts = texts(&before);
        let all = matches(&texts, &wanted("market", Case::Exact));
        let text = |replaced: Result<Replaced, String>| {
            let mut changed = before.clone();
            apply(&mut changed, replaced.unwrap().edit).unwrap();
            let steps = serde_json::to_value(&changed.steps).unwrap();
            [&steps[0]["name"], &steps[2]["name"], &steps[2]["inputFrom"], &steps[3]["run"]["set"]["z"]]
                .map(|it| it.as_str().unwrap_or_default().to_owned())
        };
        let name = all.iter().find(|found| texts[found.text].text == "market").copied().unwrap();
        assert_eq!(
            text(replace_one(&before, &texts, name, "trade fair")),
            [
                "trade fair",
                "market report",
                "Of the market: {{ state[\"trade fair_output\"] }} {{ risks_output }}",
                "state[\"market report_output\"] ~ steps[\"trade fair\"].output",
            ]
        );
        assert_eq!(
            text(replace_all(&before, &wanted("market", Case::Exact), "market study")),
            [
                "market study",
                "market study report",
                "Of the market study: {{ state[\"market study_output\"] }} {{ risks_output }}",
                "state[\"market study report_output\"] ~ steps[\"market study\"].output",
            ]
        );
        for (by, why) in [("risks", "two steps would be called “risks”"), ("", "a step would have no name")]
        {
            let refused = replace_one(&before, &texts, name, by).unwrap_err();
            assert_eq!(refused, format!("Nothing was replaced, for {why}."));
            assert_eq!(replace_all(&before, &wanted("market", Case::Any), by).unwrap_err(), refused);
        }
    }

    #[test]
    fn keys_are_names_and_what_reads_them_follows_once() {
        let with_keys = |mail: &str| -> Document {
            let described = json!({ "type": "object", "properties": { (mail): { "type": "string" } }, "required": [mail] });
            serde_json::from_value(json!({ "version": 1, "name": "r", "input": described, "output": described,
                "initialState": { (mail): "hello" },
                "agents": { "a": { "model": "m", "tools": ["t"] } },
                "tools": { "t": { "description": "d", "input": described,
                    "run": { "workflow": { "steps": [
                        { "id": "i", "type": "function", "name": "inner", "run": { "set": { "x": mail } } }],
                        "set": { "mail": mail } } } } },
                "steps": [
                    { "id": "s1", "type": "agent", "name": "sort", "agent": "a", "inputFrom": format!("{{{{ {mail} | upper }}}}"),
                        "history": { "key": format!("{mail}_talk") } },
                    { "id": "s2", "type": "function", "name": "f", "run": { "set": { (format!("{mail}_kind")): "1" } } },
                    { "id": "s3", "type": "function", "name": "g", "run": { "code": format!("return {{ y: state.{mail}_kind }};") } },
                    { "id": "s4", "type": "foreach", "name": "each", "items": "[1]", "as": format!("one_{mail}"),
                        "steps": [{ "id": "s5", "type": "workflow", "name": "w", "with": { (mail): format!("one_{mail}") },
                            "steps": [{ "id": "s6", "type": "wait", "name": "until", "wait": { "until": mail } }] }] }] }))
            .unwrap()
        };
        let before = with_keys("mail");
        let found = texts(&before);
        let keys: Vec<_> =
            found.iter().filter(|text| matches!(text.means, Means::Named(Named::Key { .. }))).collect();
        let said: Vec<_> =
            keys.iter().map(|text| format!("{:?} {} {}", text.owner, text.field, text.text)).collect();
        assert_eq!(
            said,
            [
                "Workflow Key of the input mail",
                "Workflow Key of the output mail",
                "Workflow Key of the initial state mail",
                "Tool(\"t\") Key of the input mail",
                "Step(\"i\") Key x",
                "Step(\"s1\") history.key mail_talk",
                "Step(\"s2\") Key mail_kind",
                "Step(\"s4\") as one_mail",
                "Step(\"s5\") Key mail",
            ]
        );
        let all = |by: &str| replace_all(&before, &wanted("mail", Case::Any), by);
        for by in ["message", "mailing", "e-mail"] {
            let mut changed = before.clone();
            let back = apply(&mut changed, all(by).unwrap().edit).unwrap();
            let after = json::text(&changed);
            match by {
                // Its tool gives what it gives.
                "message" | "mailing" => assert_eq!(after, json::text(&with_keys(by))),
                _ => assert!(after.contains("{{ state[\\\"e-mail\\\"] | upper }}"), "{after}"),
            }
            apply(&mut changed, back).unwrap();
            assert_eq!(changed, before);
        }
        let one = matches(&found, &wanted("mail", Case::Any)).into_iter().find(|one| one.text == 1).unwrap();
        let mut changed = before.clone();
        apply(&mut changed, replace_one(&before, &found, one, "message").unwrap().edit).unwrap();
        let state = serde_json::to_value(&changed).unwrap();
        assert_eq!(
            (&state["input"]["required"], &state["steps"][0]["inputFrom"]),
            (&json!(["message"]), &json!("{{ message | upper }}"))
        );
        assert_eq!(
            (&state["initialState"], &state["tools"]["t"]["input"]["required"]),
            (&json!({ "message": "hello" }), &json!(["mail"]))
        );
        assert_eq!(all("").unwrap_err(), "Nothing was replaced, for a key would have no name.");
        let taken = replace_all(&before, &wanted("mail_kind", Case::Any), "mail").unwrap_err();
        assert_eq!(taken, "Nothing was replaced, for two keys would be called “mail”.");
        let mut nested = before.clone();
        nested.name = "mail".to_owned();
        nested.steps = serde_json::from_value(
            json!([{ "id": "s1", "type": "wait", "name": "w", "wait": { "until": "mail.mail" } }]),
        )
        .unwrap();
        let lost = replace_all(&nested, &wanted("mail", Case::Any), "a b").unwrap_err();
        assert_eq!(lost, "Nothing was replaced, for what reads “mail” could not be read any more.");
    }

    #[test]
    fn a_key_that_is_called_so_already_and_one_that_a_step_gives_stay() {
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "mail": "text" },
            "output": { "properties": { "ask_output": {} } },
            "steps": [{ "id": "s1", "type": "agent", "name": "ask", "agent": "a", "inputFrom": "Mail: {{ mail }}" }] }))
        .unwrap();
        let replaced = |text: &str, by: &str| {
            let mut changed = document.clone();
            replace_all(&document, &wanted(text, Case::Any), by).and_then(|replaced| {
                apply(&mut changed, replaced.edit).map_err(|error| error.to_string())?;
                Ok(serde_json::to_value(changed).unwrap())
            })
        };
        let same = replaced("MAIL", "mail").unwrap();
        assert_eq!(
            (&same["initialState"], &same["steps"][0]["inputFrom"]),
            (&json!({ "mail": "text" }), &json!("mail: {{ mail }}"))
        );
        assert_eq!(
            replaced("ask", "query").unwrap()["output"],
            json!({ "properties": { "query_output": {} } })
        );
        let refused = "Nothing was replaced, for “ask_output” has its name from a step or from the language.";
        assert_eq!(replaced("_output", "_answer").unwrap_err(), refused);
    }

    #[test]
    fn agents_and_choices_are_found_and_uses_are_counted() {
        let before: Document = serde_json::from_value(json!({ "version": 1, "name": "t",
            "agents": { "agent_2": { "model": "m", "output": { "type": "object", "properties": {
                "enum": { "type": "string", "enum": ["billing", "other"], "description": "billing or not" } } } } },
            "initialState": { "mail": "" },
            "steps": [
                { "id": "s1", "type": "agent", "name": "one", "agent": "agent_2", "inputFrom": "{{ mail }}" },
                { "id": "s2", "type": "agent", "name": "two", "agent": "agent_2", "inputFrom": "{{ mail }}" }] }))
        .unwrap();
        let all = |text: &str, by: &str| {
            let mut changed = before.clone();
            let Replaced { edit, followed } = replace_all(&before, &wanted(text, Case::Any), by).unwrap();
            apply(&mut changed, edit).unwrap();
            (serde_json::to_value(changed).unwrap(), followed)
        };
        let (changed, followed) = all("agent_2", "triage");
        assert_eq!((&changed["steps"][1]["agent"], followed), (&json!("triage"), 2));
        let (changed, followed) = all("billing", "money");
        let choice = &changed["agents"]["agent_2"]["output"]["properties"]["enum"];
        assert_eq!(
            *choice,
            json!({ "type": "string", "enum": ["money", "other"], "description": "money or not" })
        );
        assert_eq!(followed, 0);
        let texts = texts(&before);
        let found = matches(&texts, &wanted("mail", Case::Any));
        let Replaced { followed, .. } = replace_one(&before, &texts, found[0], "letter").unwrap();
        assert_eq!((texts[found[0].text].text.as_str(), followed), ("mail", 2));
    }

    #[test]
    fn letters_of_other_scripts_are_found_whole() {
        let text = |text: &str| {
            let mut document = document();
            document.name = text.to_owned();
            texts(&document)
        };
        let at = |name: &str, wanted_text: &str| {
            let texts = text(name);
            let found = matches(&texts, &wanted(wanted_text, Case::Any));
            // The first text is the name.
            let found = found.iter().filter(|found| found.text == 0);
            found.map(|found| (found.start, found.end)).collect::<Vec<_>>()
        };
        assert_eq!(at("ÄÖÜ über", "ü"), [(4, 6), (7, 9)]);
        assert_eq!(at("aaaa", "aa"), [(0, 2), (2, 4)]);
        assert_eq!(at("😀x😀", "x😀"), [(4, 9)]);
        // A capital that becomes two letters is found by both, and never cut in two.
        assert_eq!(at("İs", "i̇s"), [(0, 3)]);
        assert_eq!(at("İs", "i"), []);
    }
}
