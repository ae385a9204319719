//! Which steps may be pinned, and to what.

use std::collections::BTreeSet;

use serde_json::Value;

use super::path::Path;
use crate::document::{Document, Step, StepKind};
use crate::problem::Problem;
use crate::shape::with_article;
use crate::state::FORBIDDEN_KEYS;

/// A pin stands for what a step gives and never for what a person decides.
pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for (id, pin) in &document.pins {
        let at = Path::ROOT.key("pins").key(id);
        let Some(step) = document.step(id) else {
            let message = format!("no step has the id `{id}`, whose output is pinned");
            let hint = "remove the pin, or write the id of a step";
            problems.push(Problem::warning(at.render(), "unknown_step", message, hint));
            continue;
        };
        if let Some(reason) = why_not_pinned(document, step) {
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
    match &step.kind {
        StepKind::Function(_) | StepKind::Http(_) | StepKind::Wait(_) => None,
        StepKind::Agent(call) => asking_tool(document, &call.agent)
            .map(|name| format!("a person has to allow the calls of its tool `{name}`")),
        StepKind::Approval(_) => Some("only a person answers an approval".to_owned()),
        _ => Some(format!("{} step has no output of its own to pin", with_article(step.kind.word()))),
    }
}

/// The tool of an agent that asks a person, in itself or in the steps that it runs.
fn asking_tool<'d>(document: &'d Document, agent: &'d str) -> Option<&'d str> {
    let tools = |agent: &'d str| document.agents.get(agent).into_iter().flat_map(|agent| &agent.tools);
    let asks = |name: &'d String| {
        let mut open = vec![name];
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some(tool) = document.tools.get(name).filter(|_| seen.insert(name)) else { continue };
            let mut steps: Vec<&Step> = tool.workflow().into_iter().flat_map(|inner| &inner.steps).collect();
            if tool.needs_approval() {
                return true;
            }
            while let Some(step) = steps.pop() {
                match &step.kind {
                    StepKind::Approval(_) => return true,
                    StepKind::Agent(call) => open.extend(tools(&call.agent)),
                    _ => steps.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps)),
                }
            }
        }
        false
    };
    tools(agent).find(|name| asks(name)).map(String::as_str)
}

fn is_patch(pin: &Value) -> bool {
    pin.as_object().is_some_and(|patch| FORBIDDEN_KEYS.iter().all(|key| !patch.contains_key(*key)))
}
