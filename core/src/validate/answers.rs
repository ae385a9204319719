//! What the answers of agents and people, and what a run is given, have by their schemas.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::document::{AgentCall, Check, Document, Run, Step, StepKind, every_of};
use crate::language::{Access, Read};
use crate::state::output_key;

/// The schemas of what stands under keys of the state, where only one place of the document gives the key.
#[derive(Default)]
pub(super) struct Answers<'d>(IndexMap<String, Option<&'d Value>>);

/// An object by its schema.
#[derive(Clone, Copy)]
pub(super) struct Shape<'d> {
    schema: &'d Map<String, Value>,
    properties: &'d Map<String, Value>,
}

impl<'d> Answers<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut answers = Self::default();
        for (key, schema) in properties(document.input.as_ref()) {
            answers.give(key.clone(), Some(schema));
        }
        for tool in document.tools.values() {
            properties(tool.input.as_ref()).for_each(|(key, _)| answers.give(key.clone(), None));
        }
        document.initial_state.keys().for_each(|key| answers.give(key.clone(), None));
        for step in every_of(document) {
            for key in given(step) {
                answers.give(key.to_owned(), None);
            }
            answers.give(output_key(&step.name), answer(document, step));
        }
        answers
    }

    /// What a text reads, if it is known what that is.
    pub(super) fn shape(&self, read: &Read<'_>) -> Option<Shape<'d>> {
        let schema = match read.access {
            Access::Key(key) => self.0.get(key),
            Access::Output(step) => self.0.get(&output_key(step)),
            Access::AnyKey | Access::AnyOutput => None,
        };
        let schema = schema.copied()??.as_object()?;
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
        Some(Shape { schema, properties })
    }

    fn give(&mut self, key: String, schema: Option<&'d Value>) {
        self.0.entry(key).and_modify(|known| *known = None).or_insert(schema);
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
        self.schema.get("additionalProperties") == Some(&Value::Bool(false)) && !self.properties.is_empty()
    }

    /// Whether it may be without this key; a schema that requires nothing at all says nothing of that.
    pub(super) fn may_lack(self, key: &str) -> bool {
        let has_default = self.properties.get(key).is_some_and(|schema| schema.get("default").is_some());
        let required = self.schema.get("required").and_then(Value::as_array);
        !has_default && required.is_some_and(|all| !all.is_empty() && !all.iter().any(|one| one == key))
    }
}

/// The schema of a step's answer.
fn answer<'d>(document: &'d Document, step: &'d Step) -> Option<&'d Value> {
    match &step.kind {
        StepKind::Agent(call) if !call.full_response => {
            schema(document.agents.get(&call.agent)?.output.as_ref())
        }
        StepKind::Approval(approval) => schema(approval.schema.as_ref()),
        _ => None,
    }
}

/// The keys that a step gives besides its answer.
fn given(step: &Step) -> Vec<&str> {
    match &step.kind {
        StepKind::Function(Run::Set(set)) => set.keys().map(String::as_str).collect(),
        StepKind::Foreach(each) => vec![&each.item],
        StepKind::Agent(AgentCall { history: Some(history), .. }) => vec![&history.key],
        StepKind::Workflow(inner) => [&inner.with, &inner.set]
            .into_iter()
            .flatten()
            .flat_map(|keys| keys.keys())
            .chain(inner.initial_state.keys())
            .map(String::as_str)
            .collect(),
        _ => Vec::new(),
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
