//! Agents and the steps that ask them.

use std::collections::{BTreeMap, BTreeSet};

use stepweave_core::document::{Document, Step, StepKind, every_of};

/// How many steps call each agent that any of them calls.
pub fn users_by_agent(document: &Document) -> BTreeMap<String, usize> {
    let mut users = BTreeMap::new();
    for step in every_of(document) {
        let StepKind::Agent(call) = &step.kind else { continue };
        for name in call.agents().collect::<BTreeSet<_>>() {
            *users.entry(name.to_owned()).or_default() += 1;
        }
    }
    users
}

/// The names of the steps that call an agent, in their order.
pub fn names_of_users(document: &Document, agent: &str) -> Vec<String> {
    let calls =
        |step: &&Step| matches!(&step.kind, StepKind::Agent(call) if call.agents().any(|name| name == agent));
    every_of(document).filter(calls).map(|step| step.name.clone()).collect()
}

/// The agent that only this step asks and that has its name, or its name with a number where that was taken.
pub fn own_agent(document: &Document, step: &Step) -> Option<String> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let rest = call.agent.strip_prefix(step.name.as_str())?;
    let is_number = |rest: &str| rest.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
    let is_own = (rest.is_empty() || is_number(rest)) && document.agents.contains_key(&call.agent);
    (is_own && names_of_users(document, &call.agent).len() == 1).then(|| call.agent.clone())
}
