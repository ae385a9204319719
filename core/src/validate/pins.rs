//! Which steps may be pinned, and to what.

use std::cell::OnceCell;

use indexmap::IndexSet;
use serde_json::Value;

use super::path::Path;
use crate::document::{Calls, Document, Step, StepKind, every_of};
use crate::problem::{Problem, Problems};
use crate::shape::with_article;
use crate::state::FORBIDDEN_KEYS;

/// A pin stands for what a step gives and never for what a person decides.
pub(super) fn check(document: &Document, problems: &mut Problems) {
    if document.pins.is_empty() {
        return;
    }
    let calls = OnceCell::new();
    let steps: Vec<&Step> = every_of(document).collect();
    let ids: IndexSet<&str> = steps.iter().map(|step| step.id.as_str()).collect();
    for (id, pin) in &document.pins {
        let at = Path::ROOT.key("pins").key(id);
        let Some(step) = ids.get_index_of(id.as_str()).and_then(|index| steps.get(index)) else {
            let message = format!("no step has the id `{id}`, whose output is pinned");
            let hint = "remove the pin, or write the id of a step";
            problems.push(Problem::warning(at.render(), "unknown_step", message, hint));
            continue;
        };
        if let Some(reason) = why_not(document, step, || calls.get_or_init(|| Calls::of(document))) {
            let message = format!("`{}` cannot be pinned: {reason}", step.name);
            let hint = "remove the pin; pin what agents, functions and waits give";
            problems.push(Problem::error(at.render(), "not_pinnable", message, hint));
        } else if let (StepKind::Function(_) | StepKind::Wait(_), false) = (&step.kind, is_patch(pin)) {
            let message = format!("the pin of `{}` is no change of the state", step.name);
            let hint = "write an object with the keys that the step would change, such as { \"total\": 3 }; `__proto__`, `constructor` and `prototype` are none";
            problems.push(Problem::error(at.render(), "wrong_pin", message, hint));
        }
    }
}

/// Why the output of a step cannot be pinned; nothing where it can be.
pub fn why_not_pinned(document: &Document, step: &Step) -> Option<String> {
    let calls = OnceCell::new();
    why_not(document, step, || calls.get_or_init(|| Calls::of(document)))
}

fn why_not<'c, 'd: 'c>(
    document: &'d Document,
    step: &Step,
    calls: impl FnOnce() -> &'c Calls<'d>,
) -> Option<String> {
    match &step.kind {
        StepKind::Function(_) | StepKind::Http(_) | StepKind::Wait(_) => None,
        // The engine of functions has no agents.
        StepKind::Agent(_) if cfg!(not(feature = "language")) => None,
        StepKind::Agent(call) => asking_tool(document, &call.agent, calls())
            .map(|name| format!("a person has to allow the calls of its tool `{name}`")),
        StepKind::Approval(_) => Some("only a person answers an approval".to_owned()),
        _ => Some(format!("{} step has no output of its own to pin", with_article(step.kind.word()))),
    }
}

/// The tool of an agent that asks a person, in itself or in the steps that it runs.
fn asking_tool<'d>(document: &'d Document, agent: &str, calls: &Calls<'_>) -> Option<&'d String> {
    let mut tools = document.agents.get(agent)?.tools.iter();
    tools.find(|name| calls.depth(name).is_some_and(|depth| depth.asks))
}

fn is_patch(pin: &Value) -> bool {
    pin.as_object().is_some_and(|patch| FORBIDDEN_KEYS.iter().all(|key| !patch.contains_key(*key)))
}
