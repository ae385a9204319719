//! Whose state or answer a name is in, and what gives it there.

use indexmap::IndexMap;
use serde_json::Value;

use crate::document::{Check, Document, Inner, Run, Step, StepKind, every_of};
use crate::state::output_key;

/// Whose state it is, or whose answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The workflow's.
    Workflow,
    /// That of the steps in this foreach or workflow step, by its id.
    Inside(String),
    /// That of a call of this tool.
    Tool(String),
    /// What this agent answers, by its id: the keys that its schema gives it.
    Answer(String),
    /// What a person answers in the approval of this id.
    Approval(String),
}

/// Whether the step leaves something under its name and `_output`.
pub fn gives_output(step: &Step) -> bool {
    match &step.kind {
        StepKind::Agent(_) | StepKind::Http(_) | StepKind::Approval(_) | StepKind::Foreach(_) => true,
        StepKind::Workflow(inner) => inner.set.is_none(),
        _ => false,
    }
}

/// In whose state a step runs; nothing when there is no such step.
pub fn place_of(document: &Document, id: &str) -> Option<Place> {
    chain(document, id).map(|(place, _)| place)
}

/// What gives a key, in all states that pass it on to each other.
#[derive(Debug, Default)]
pub(super) struct Givers {
    /// The steps whose output it is, by their ids.
    pub steps: Vec<String>,
    /// What else does: expressions, conversations and initial states by their steps; nothing where that is the workflow
    /// or a tool itself.
    pub others: Vec<Option<String>>,
}

impl Givers {
    pub(super) fn count(&self) -> usize {
        self.steps.len() + self.others.len()
    }
}

/// What gives a key where this state is seen, each thing by itself.
pub(super) fn givers(document: &Document, place: &Place, key: &str) -> Givers {
    let mut found = Givers::default();
    let root = root_of_key(document, place, key);
    match &root {
        Place::Workflow => {
            // What a run is given stands for what the initial state has under the same key: that is one thing.
            let is_first = document.initial_state.contains_key(key);
            found.others.extend((is_first || describes(document.input.as_ref(), key)).then_some(None));
            gather(&document.steps, key, &mut found);
        }
        Place::Tool(name) => {
            let Some(tool) = document.tools.get(name) else { return found };
            let inner = tool.workflow();
            let is_first = |inner: &Inner| {
                inner.initial_state.contains_key(key)
                    || inner.with.as_ref().is_some_and(|with| with.contains_key(key))
            };
            let is_own = inner.is_some_and(is_first) || describes(tool.input.as_ref(), key);
            found.others.extend(is_own.then_some(None));
            if let Some(inner) = inner {
                gather(&inner.steps, key, &mut found);
            }
        }
        Place::Inside(id) => {
            let Some(step) = document.step(id) else { return found };
            let own = |gives: bool| gives.then(|| Some(step.id.clone()));
            match &step.kind {
                StepKind::Foreach(each) => {
                    found.others.extend(own(is_of_item(&each.item, key)));
                    gather(&each.steps, key, &mut found);
                }
                StepKind::Workflow(inner) => {
                    found.others.extend(own(inner.with.as_ref().is_some_and(|with| with.contains_key(key))));
                    found.others.extend(own(inner.initial_state.contains_key(key)));
                    gather(&inner.steps, key, &mut found);
                }
                _ => {}
            }
        }
        Place::Answer(agent) => {
            let output = document.agents.get(agent).and_then(|agent| agent.output.as_ref());
            found.others.extend(describes(output, key).then_some(None));
        }
        Place::Approval(id) => {
            let schema = document.step(id).and_then(|step| document.answer_check(step));
            found.others.extend(describes(schema, key).then(|| Some(id.clone())));
        }
    }
    found
}

/// The steps that give such an answer and share their names with no other step: what reads one of them means the answer.
pub(super) fn answering<'d>(document: &'d Document, place: &Place) -> Vec<&'d Step> {
    let answers = |step: &&Step| match (place, &step.kind) {
        (Place::Answer(agent), StepKind::Agent(call)) => call.agent == *agent,
        (Place::Approval(id), StepKind::Approval(_)) => step.id == *id,
        _ => false,
    };
    let mut found: Vec<&Step> = every_of(document).filter(answers).collect();
    found.retain(|step| document.answer_check(step).is_some());
    if found.is_empty() {
        return found;
    }
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    every_of(document).for_each(|step| *counts.entry(&step.name).or_default() += 1);
    found.retain(|step| counts.get(&*step.name) == Some(&1));
    found
}

/// Whether a schema of a state names a key.
fn describes(check: Option<&Check>, key: &str) -> bool {
    let Some(schema) = check.and_then(Check::json_schema) else { return false };
    let needed = schema.get("required").and_then(Value::as_array);
    schema.get("properties").is_some_and(|all| all.get(key).is_some())
        || needed.is_some_and(|keys| keys.iter().any(|one| one == key))
}

fn gather(steps: &[Step], key: &str, found: &mut Givers) {
    let mut open: Vec<&Step> = steps.iter().collect();
    while let Some(step) = open.pop() {
        let own = match &step.kind {
            StepKind::Function(Run::Set(set)) => set.contains_key(key),
            StepKind::Agent(call) => call.history.as_ref().is_some_and(|history| history.key == key),
            StepKind::Workflow(inner) => inner.set.as_ref().is_some_and(|set| set.contains_key(key)),
            _ => false,
        };
        found.others.extend(own.then(|| Some(step.id.clone())));
        if gives_output(step) && output_key(&step.name) == key {
            found.steps.push(step.id.clone());
        }
        match &step.kind {
            // It has its own.
            StepKind::Foreach(each) if is_of_item(&each.item, key) => continue,
            StepKind::Workflow(inner) if inner.with.is_some() => continue,
            StepKind::Workflow(inner) => {
                found.others.extend(inner.initial_state.contains_key(key).then(|| Some(step.id.clone())));
            }
            _ => {}
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
}

/// The outermost state from which this one has the key, if anything gives it there.
pub fn root_of_key(document: &Document, place: &Place, key: &str) -> Place {
    climb(document, place, |step| match &step.kind {
        StepKind::Foreach(each) => !is_of_item(&each.item, key),
        StepKind::Workflow(inner) => inner.with.is_none(),
        _ => false,
    })
}

/// The outermost place in which the outputs of the steps here are seen.
pub(super) fn root_of_outputs(document: &Document, place: &Place) -> Place {
    climb(document, place, |step| matches!(step.kind, StepKind::Foreach(_)))
}

/// Whether the steps of a foreach find this at its item.
pub(super) fn is_of_item(item: &str, key: &str) -> bool {
    key.strip_prefix(item).is_some_and(|rest| rest.is_empty() || rest == "_index")
}

fn climb(document: &Document, place: &Place, passes_on: impl Fn(&Step) -> bool) -> Place {
    let mut place = place.clone();
    while let Place::Inside(id) = &place {
        match chain(document, id) {
            Some((outer, step)) if passes_on(step) => place = outer,
            _ => break,
        }
    }
    place
}

/// The place in which a step runs, and the step.
fn chain<'d>(document: &'d Document, id: &str) -> Option<(Place, &'d Step)> {
    placed(document).find(|(_, step)| step.id == id)
}

/// Every step, with the place in which it runs.
pub(super) fn placed(document: &Document) -> impl Iterator<Item = (Place, &Step)> {
    let tools = document.tools.iter().filter_map(|(name, tool)| Some((name, tool.workflow()?)));
    let mut open: Vec<(Place, &Step)> = document.steps.iter().map(|step| (Place::Workflow, step)).collect();
    for (name, inner) in tools {
        open.extend(inner.steps.iter().map(|step| (Place::Tool(name.clone()), step)));
    }
    std::iter::from_fn(move || {
        let (place, step) = open.pop()?;
        let inside = match &step.kind {
            StepKind::Foreach(_) | StepKind::Workflow(_) => Place::Inside(step.id.clone()),
            _ => place.clone(),
        };
        let inner = step.blocks().into_iter().flat_map(|(_, steps)| steps);
        open.extend(inner.map(|step| (inside.clone(), step)));
        Some((place, step))
    })
}
