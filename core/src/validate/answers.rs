//! What the answers of agents and people, and what a run is given, have by their schemas.

use serde_json::{Map, Value};

use super::known::Names;
use crate::document::{AgentCall, Check, Document, Run, Step, StepKind, every_of};
use crate::language::{Access, Read};
use crate::state::output_key;

/// The schemas of what stands under keys of the state, where only one place of the document gives the key.
#[derive(Default)]
pub(super) struct Answers<'d> {
    keys: Names,
    /// By the place of the key.
    given: Vec<Option<Given<'d>>>,
}

/// What a schema is known of.
#[derive(Clone, Copy)]
struct Given<'d> {
    schema: &'d Value,
    by: Giver,
}

/// Who gives it.
#[derive(Clone, Copy, PartialEq)]
enum Giver {
    /// Whoever starts a run, who may give more than the schema says.
    Caller,
    /// A model or a person, who is asked for what the schema says.
    Step,
}

/// An object by its schema.
#[derive(Clone, Copy)]
pub(super) struct Shape<'d> {
    schema: &'d Map<String, Value>,
    properties: &'d Map<String, Value>,
    by: Giver,
}

impl<'d> Answers<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut answers = Self::default();
        for (key, schema) in properties(document.input.as_ref()) {
            answers.give(key, Some(Given { schema, by: Giver::Caller }));
        }
        for tool in document.tools.values() {
            properties(tool.input.as_ref()).for_each(|(key, _)| answers.give(key, None));
        }
        document.initial_state.keys().for_each(|key| answers.give(key, None));
        for step in every_of(document) {
            answers.besides(step);
            let answer = schema(document.answer_check(step));
            answers.give(&output_key(&step.name), answer.map(|schema| Given { schema, by: Giver::Step }));
        }
        answers
    }

    /// What a text reads, if it is known what that is.
    pub(super) fn shape(&self, read: &Read<'_>) -> Option<Shape<'d>> {
        let Given { schema, by } = self.given(read)?;
        let schema = schema.as_object()?;
        // What another schema adds is not followed.
        let is_whole = ![
            "$ref",
            "$dynamicRef",
            "allOf",
            "anyOf",
            "oneOf",
            "if",
            "patternProperties",
            "dependentSchemas",
        ]
        .iter()
        .any(|key| schema.contains_key(*key));
        let properties = schema.get("properties").and_then(Value::as_object).filter(|_| is_whole)?;
        Some(Shape { schema, properties, by })
    }

    /// The values of which what a text reads is one, where a schema lists them.
    pub(super) fn values(&self, read: &Read<'_>) -> Option<&'d [Value]> {
        let schema = match read.member {
            Some((key, _)) if read.takes_one() => self.shape(read)?.properties.get(key)?,
            None if read.path.is_bare() => self.given(read)?.schema,
            _ => return None,
        };
        Some(schema.get("enum")?.as_array()?.as_slice())
    }

    fn given(&self, read: &Read<'_>) -> Option<Given<'d>> {
        let place = match read.access {
            Access::Key(key) => self.keys.place(key)?,
            Access::Output(step) => self.keys.place(&output_key(step))?,
            Access::AnyKey | Access::AnyOutput => return None,
        };
        self.given.get(place).copied()?
    }

    fn give(&mut self, key: &str, given: Option<Given<'d>>) {
        match self.keys.place(key).and_then(|place| self.given.get_mut(place)) {
            Some(known) => *known = None,
            None => {
                self.keys.add(key);
                self.given.push(given);
            }
        }
    }

    /// The keys that a step gives besides its answer.
    fn besides(&mut self, step: &Step) {
        let mut give = |key: &String| self.give(key, None);
        match &step.kind {
            StepKind::Function(Run::Set(set)) => set.keys().for_each(give),
            StepKind::Foreach(each) => give(&each.item),
            StepKind::Agent(AgentCall { history: Some(history), .. }) => give(&history.key),
            StepKind::Workflow(inner) => {
                inner.with.iter().chain(&inner.set).for_each(|set| set.keys().for_each(&mut give));
                inner.initial_state.keys().for_each(give);
            }
            _ => {}
        }
    }
}

impl<'d> Shape<'d> {
    pub(super) fn has(self, key: &str) -> bool {
        self.properties.contains_key(key)
    }

    pub(super) fn keys(self) -> impl Iterator<Item = &'d str> {
        self.properties.keys().map(String::as_str)
    }

    /// Whether it has no keys but these.
    pub(super) fn is_closed(self) -> bool {
        let is_closed = match self.schema.get("additionalProperties") {
            None => self.by == Giver::Step,
            Some(more) => *more == Value::Bool(false),
        };
        is_closed && !self.properties.is_empty()
    }

    /// Whether it may be without this key; a schema that requires nothing at all says nothing of that.
    pub(super) fn may_lack(self, key: &str) -> bool {
        let has_default = self.properties.get(key).is_some_and(|schema| schema.get("default").is_some());
        let required = self.schema.get("required").and_then(Value::as_array);
        !has_default && required.is_some_and(|all| !all.is_empty() && !all.iter().any(|one| one == key))
    }
}

fn properties(check: Option<&Check>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema(check).and_then(|schema| schema.get("properties")?.as_object());
    properties.into_iter().flatten()
}

/// What a function of the host checks it may change, so that its schema is not that of what there is afterwards.
fn schema(check: Option<&Check>) -> Option<&Value> {
    match check {
        Some(Check::Schema(schema)) => Some(schema),
        _ => None,
    }
}
