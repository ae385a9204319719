//! Agents and the steps that ask them.

use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::edit::{Edit, find};

use super::settings::without_steps;
use crate::step::agents::free_id;

/// Calls a step by another name, and with it the agent that is its own: one that is named after it, and that no other
/// step asks. Nothing when there is no such step.
pub fn rename_step(document: &Document, id: &str, name: &str) -> Option<Edit> {
    let mut with = find(document, id)?.clone();
    let own = own_agent(document, &with);
    name.clone_into(&mut with.name);
    let settings = own.and_then(|agent| {
        let mut settings = without_steps(document);
        let at = settings.agents.get_index_of(&agent)?;
        let entry = settings.agents.shift_remove(&agent)?;
        let renamed = free_id(&settings, name);
        if let StepKind::Agent(call) = &mut with.kind {
            call.agent.clone_from(&renamed);
        }
        settings.agents.shift_insert(at, renamed, entry);
        Some(Edit::Settings(Box::new(settings)))
    });
    let replaced = Edit::Replace { step: id.to_owned(), with };
    Some(match settings {
        // While a person types, each change replaces the same as the one before.
        Some(settings) => Edit::Group(vec![settings, replaced]),
        None => replaced,
    })
}

/// How many steps ask an agent.
pub fn count_users(document: &Document, agent: &str) -> usize {
    let mut open: Vec<&Step> = document.blocks().into_iter().flat_map(|(_, steps)| steps).collect();
    let mut count = 0;
    while let Some(step) = open.pop() {
        count += usize::from(matches!(&step.kind, StepKind::Agent(call) if call.agent == agent));
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    count
}

/// The agent that only this step asks and that has its name, or its name with a number where that was taken.
fn own_agent(document: &Document, step: &Step) -> Option<String> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let rest = call.agent.strip_prefix(step.name.as_str())?;
    let is_number = |rest: &str| rest.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
    let is_own = (rest.is_empty() || is_number(rest)) && document.agents.contains_key(&call.agent);
    (is_own && count_users(document, &call.agent) == 1).then(|| call.agent.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::change::Change;
    use crate::model::history::History;
    use serde_json::json;

    fn document() -> Document {
        let ask = |id: &str, name: &str, agent: &str| json!({ "id": id, "type": "agent", "name": name, "agent": agent });
        serde_json::from_value(json!({ "version": 1, "name": "t", "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "agent": { "model": "m", "instructions": "Mine." }, "both": { "model": "m" }, "wri": { "model": "m" } },
            "steps": [ask("s1", "agent", "agent"), ask("s2", "both", "both"), ask("s3", "other", "both"), ask("s4", "third", "wri")] }))
        .unwrap()
    }

    fn agents(document: &Document) -> Vec<&str> {
        document.agents.keys().map(String::as_str).collect()
    }

    #[test]
    fn a_step_takes_its_own_agent_along_letter_by_letter_in_one_undo() {
        let (mut document, mut history) = (document(), History::default());
        // Halfway another agent has the name already.
        for name in ["", "w", "wr", "wri", "writ", "write"] {
            let edit = rename_step(&document, "s1", name).unwrap();
            history
                .apply(&mut document, Change::Type { edit, field: "s1.name".into(), selected: None })
                .unwrap();
        }
        assert_eq!(agents(&document), ["write", "both", "wri"]);
        let StepKind::Agent(call) = &find(&document, "s1").unwrap().kind else {
            panic!("it is an agent step")
        };
        assert_eq!(call.agent, "write");
        history.apply(&mut document, Change::Undo { selected: None }).unwrap();
        assert_eq!(document, self::document());
    }

    #[test]
    fn an_agent_of_several_steps_or_of_another_name_keeps_its_own() {
        let mut document = document();
        for (step, name) in [("s2", "two"), ("s4", "four")] {
            let edit = rename_step(&document, step, name).unwrap();
            stepweave_core::edit::apply(&mut document, edit).unwrap();
            assert_eq!(find(&document, step).unwrap().name, name);
        }
        assert_eq!(agents(&document), ["agent", "both", "wri"]);
        assert_eq!(rename_step(&document, "nobody", "x"), None);
    }
}
