//! Finding and replacing in every text of a workflow: names, prompts, code, expressions, notes.
//!
//! What is a text is for the grammar to say, so that ids, references and choices are left alone.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value};
use stepweave_core::document::{Document, every};
use stepweave_core::edit::Edit;
use stepweave_core::grammar::{DOCUMENT, STEP, STEP_KINDS};
use stepweave_core::rename::rename_steps;
use stepweave_core::shape::{ObjectShape, Role, Shape};

/// What the name of a step or of the workflow is called.
const NAME: &str = "Name";

/// A text of the workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Whose it is.
    pub owner: Owner,
    /// What it is, as people call it.
    pub field: String,
    /// The text.
    pub text: String,
    path: Vec<Key>,
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
    let mut walk = Walk { found: Vec::new(), path: Vec::new(), owner: Owner::Workflow };
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

/// Writes another text where this match is, as one change. What reads a step follows its name.
///
/// # Errors
/// When what comes out is no workflow, in words for the person.
pub fn replace_one(document: &Document, texts: &[Text], found: Match, by: &str) -> Result<Edit, String> {
    let names = new_names(texts, &[found], by);
    let mut whole = match names.is_empty() {
        true => written(document, texts, &[found], by)?,
        false => document.clone(),
    };
    call(&mut whole, &names)?;
    Ok(Edit::Whole(Box::new(whole)))
}

/// Writes another text wherever the first one stands, as one change. What reads a step follows its name.
///
/// # Errors
/// When what comes out is no workflow, in words for the person.
pub fn replace_all(document: &Document, wanted: &Wanted, by: &str) -> Result<Edit, String> {
    let before = texts(document);
    let mut names = new_names(&before, &matches(&before, wanted), by);
    // Meanwhile the steps have names in which nothing is found: what reads them is no text to write into.
    let taken = names_of(document);
    let letter = ('a'..='z').find(|letter| !wanted.text.to_lowercase().contains(*letter)).unwrap_or('_');
    let mut free = (1..).map(|length| letter.to_string().repeat(length)).filter(|name| !taken.contains(name));
    let mut hidden = IndexMap::new();
    for old in names.keys() {
        hidden.extend(free.next().map(|name| (old.clone(), name)));
    }
    let mut whole = document.clone();
    rename_steps(&mut whole, &hidden);
    let texts = texts(&whole);
    whole = written(&whole, &texts, &matches(&texts, wanted), by)?;
    names = names.into_iter().filter_map(|(old, new)| Some((hidden.get(&old)?.clone(), new))).collect();
    call(&mut whole, &names)?;
    Ok(Edit::Whole(Box::new(whole)))
}

/// What steps are called once these matches are replaced, by their present names.
fn new_names(texts: &[Text], matches: &[Match], by: &str) -> IndexMap<String, String> {
    let mut names = IndexMap::new();
    for (index, text) in texts.iter().enumerate() {
        if matches!(text.owner, Owner::Step(_)) && text.field == NAME {
            let mut name = text.text.clone();
            let own = matches.iter().filter(|found| found.text == index);
            own.rev().for_each(|found| put(&mut name, found, by));
            if name != text.text {
                names.insert(text.text.clone(), name);
            }
        }
    }
    names
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

fn names_of(document: &Document) -> IndexSet<String> {
    every(&document.steps).map(|step| step.name.clone()).collect()
}

/// The document with another text where these matches are.
fn written(document: &Document, texts: &[Text], matches: &[Match], by: &str) -> Result<Document, String> {
    let mut value = serde_json::to_value(document).map_err(|error| error.to_string())?;
    for found in matches.iter().rev() {
        let slot = texts.get(found.text).and_then(|text| at(&mut value, &text.path));
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

struct Walk {
    found: Vec<Text>,
    path: Vec<Key>,
    owner: Owner,
}

impl Walk {
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
                self.push(text);
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
            (Shape::Map(_, shape), Value::Object(map)) => {
                for (key, value) in map {
                    let before = self.owner.clone();
                    self.enter_entry(key);
                    self.inside(Key::Name(key.clone()), |own| own.value(shape, value));
                    self.owner = before;
                }
            }
            (Shape::Steps, Value::Array(steps)) => {
                for (index, step) in steps.iter().enumerate() {
                    let object = step.as_object();
                    self.inside(Key::Index(index), |own| object.into_iter().for_each(|step| own.step(step)));
                }
            }
            (Shape::Data | Shape::Record, value) => self.data(value),
            _ => {}
        }
    }

    /// Agents and tools own what they say.
    fn enter_entry(&mut self, key: &str) {
        if let [Key::Name(map)] = self.path.as_slice() {
            match map.as_str() {
                "agents" => self.owner = Owner::Agent(key.to_owned()),
                "tools" => self.owner = Owner::Tool(key.to_owned()),
                _ => {}
            }
        }
    }

    fn step(&mut self, step: &Map<String, Value>) {
        let id = step.get("id").and_then(Value::as_str).unwrap_or_default();
        let kind = step.get("type").and_then(Value::as_str);
        let own = STEP_KINDS.iter().find(|shape| Some(shape.word) == kind);
        let before = std::mem::replace(&mut self.owner, Owner::Step(id.to_owned()));
        for (key, value) in step.iter().filter(|(key, _)| *key != "type") {
            let field = STEP.field(key).or_else(|| own?.own.field(key));
            self.inside(Key::Name(key.clone()), |own| {
                field.into_iter().for_each(|field| own.value(&field.shape, value))
            });
        }
        self.owner = before;
    }

    fn data(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.push(text),
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

    fn push(&mut self, text: &str) {
        let (owner, path) = (self.owner.clone(), self.path.clone());
        self.found.push(Text { owner, field: self.field(), text: text.to_owned(), path });
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
            "name" => NAME.to_owned(),
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
                "bees Instructions BEES",
                "bees Instructions bees",
                "bees Name bees",
                "bees Prompt Bees",
                "bees Prompt bees",
                "s2 cases[0].when bees",
                "s3 Code bees",
                "s4 run.set.x bees",
                "s5 Address bees",
                "- Notes bees",
            ]
        );
        assert_eq!(matches(&texts, &wanted("bees", Case::Exact)).len(), 9);
        assert_eq!(matches(&texts, &wanted("", Case::Any)), []);
    }

    #[test]
    fn all_are_replaced_at_once_and_come_back_at_once() {
        let mut changed = document();
        let edit = replace_all(&changed, &wanted("bees", Case::Any), "wasps").unwrap();
        let back = apply(&mut changed, edit).unwrap();
        let after = serde_json::to_string(&changed).unwrap();
        assert!(
            after.contains("Write of wasps and wasps.") && after.contains("wasps: {{ wasps }}"),
            "{after}"
        );
        let json: Value = serde_json::from_str(&after).unwrap();
        assert_eq!((&json["steps"][0]["id"], &json["steps"][0]["agent"]), (&json!("bees"), &json!("bees")));
        assert_eq!(json["models"]["bees"]["model"], "bees");
        apply(&mut changed, back).unwrap();
        assert_eq!(changed, document());
    }

    #[test]
    fn one_is_replaced_and_the_others_stay() {
        let texts = texts(&document());
        let all = matches(&texts, &wanted("bees", Case::Any));
        let mut changed = document();
        let edit = replace_one(&changed, &texts, all[3], "").unwrap();
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
        let text = |edit: Result<Edit, String>| {
            let mut changed = before.clone();
            apply(&mut changed, edit.unwrap()).unwrap();
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
