//! What is there behind lanes of which a run takes one: the answer of whichever way came.

use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::edit::{Block, Slot, find, slot_of};
use stepweave_core::state::output_key;

use super::completions::written_name;
use super::fitting::around;
use super::together::steps_of;
use crate::layout::Place;

/// Nobody reads longer chains.
const MOST: usize = 6;

/// The step right before a place.
pub(super) fn step_before<'d>(document: &'d Document, place: &Place) -> Option<&'d Step> {
    match place {
        Place::Slot(slot) if is_beside(slot) => None,
        Place::Slot(Slot { block, index }) => steps_of(document, block)?.get(index.checked_sub(1)?),
        Place::Lane(member) => find(document, member),
    }
}

/// Whether the steps of its list run beside each other: what stands beside a lane does not come before it.
pub(super) fn is_beside(slot: &Slot) -> bool {
    matches!(&slot.block, Block::Inside { key, .. } if key == "parallel")
}

/// The answer of whichever lane came, as an expression reads it, right behind a condition or a switch.
pub(super) fn joined(document: &Document, place: &Place) -> Option<String> {
    let fork = step_before(document, place)?;
    // Rounds of a loop see what a lane has given in the round before.
    let is_repeated = around(document, place).any(|step| matches!(step.kind, StepKind::Loop(_)));
    if is_repeated || !is_fork(fork) {
        return None;
    }
    let mut ends = Vec::new();
    answers(fork, &mut ends)?;
    let (first, rest) = ends.split_first()?;
    let chain = rest.iter().fold(first.clone(), |chain, end| format!("{chain} | default({end})"));
    // A lane without steps gives nothing.
    (ends.len() <= MOST).then(|| format!("{chain} | default('')"))
}

/// The same for a step that is there, where a condition or a switch is before it or before a step around it.
pub fn joined_before(document: &Document, id: &str) -> Option<String> {
    let mut slot = slot_of(document, id)?;
    loop {
        let indices = if is_beside(&slot) { 0..0 } else { 1..slot.index + 1 };
        let earlier = indices.rev().map(|index| Place::Slot(Slot { index, ..slot.clone() }));
        if let Some(found) = { earlier }.find_map(|place| joined(document, &place)) {
            return Some(found);
        }
        let Block::Inside { step, .. } = &slot.block else { return None };
        let is_apart = find(document, step).is_none_or(|step| matches!(step.kind, StepKind::Workflow(_)));
        slot = slot_of(document, step).filter(|_| !is_apart)?;
    }
}

/// Whether a run takes one of its lanes.
fn is_fork(step: &Step) -> bool {
    matches!(step.kind, StepKind::Condition(_) | StepKind::Switch(_))
}

/// What its lanes end in, as expressions read it; nothing where one of them ends in something else than an answer.
fn answers(step: &Step, ends: &mut Vec<String>) -> Option<()> {
    match &step.kind {
        StepKind::Agent(_) | StepKind::Http(_) | StepKind::Foreach(_) => {
            let answer = written_name(&output_key(&step.name));
            if !ends.contains(&answer) {
                ends.push(answer);
            }
        }
        StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Sequence(_) => {
            for (_, steps) in step.blocks() {
                if let Some(last) = steps.iter().rev().find(|step| step.enabled) {
                    answers(last, ends)?;
                }
            }
        }
        // Nothing comes out of a lane that ends.
        StepKind::End(_) => {}
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use stepweave_core::validate::validate;

    fn agent(name: &str) -> Value {
        json!({ "id": name, "type": "agent", "name": name, "agent": "a" })
    }

    fn case(steps: &[Value]) -> Value {
        json!({ "when": "kind == 'x'", "steps": steps })
    }

    fn switch(cases: &[Value], default: &[Value]) -> Value {
        json!({ "id": "way", "type": "switch", "name": "way", "cases": cases, "default": default })
    }

    fn document(steps: Value) -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "kind": "x" },
            "models": { "m": { "provider": "demo", "model": "demo" } }, "agents": { "a": { "model": "m" } },
            "steps": steps }))
        .unwrap()
    }

    fn behind(steps: Value) -> Option<String> {
        let document = document(steps);
        let index = document.steps.len();
        joined(&document, &Place::Slot(Slot { block: Block::Root, index }))
    }

    #[test]
    fn the_answer_of_whichever_lane_came_is_read_without_a_problem() {
        let deep = switch(&[case(&[agent("b c")])], &[agent("d")]);
        let lanes = switch(&[case(&[agent("x"), agent("a1")]), case(&[deep]), case(&[])], &[agent("a1")]);
        let chain = behind(json!([lanes])).unwrap();
        assert_eq!(chain, "a1_output | default(state['b c_output']) | default(d_output) | default('')");
        let join = json!({ "id": "j", "type": "function", "name": "j", "run": { "set": { "key": chain } } });
        let mut lanes = lanes;
        lanes["cases"][1]["steps"][0]["id"] = json!("inner");
        lanes["cases"][1]["steps"][0]["name"] = json!("inner");
        lanes["default"][0]["id"] = json!("again");
        let found = validate(&serde_json::to_string(&document(json!([lanes, join]))).unwrap()).problems;
        let about_names = found.iter().filter(|problem| problem.code.ends_with("_name"));
        assert_eq!(about_names.filter(|problem| problem.code != "duplicate_name").count(), 0, "{found:?}");
    }

    #[test]
    fn lanes_that_do_not_end_in_answers_are_left_to_a_person() {
        let wait = json!({ "id": "w", "type": "wait", "name": "w", "wait": { "ms": 1 } });
        let end = json!({ "id": "e", "type": "end", "name": "e", "end": {} });
        assert_eq!(behind(json!([switch(&[case(&[agent("b")])], std::slice::from_ref(&wait))])), None);
        assert_eq!(behind(json!([switch(&[case(&[])], &[])])), None);
        assert_eq!(
            behind(json!([switch(&[case(&[agent("b")])], &[end])])).as_deref(),
            Some("b_output | default('')")
        );
        assert_eq!(behind(json!([agent("b")])), None);
        let parallel =
            json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [agent("b"), agent("c")] });
        assert_eq!(behind(json!([parallel])), None);
        let many = |count: usize| {
            let cases: Vec<_> = (0..count).map(|nth| case(&[agent(&format!("n{nth}"))])).collect();
            behind(json!([switch(&cases, &[])]))
        };
        assert!(many(6).is_some());
        assert_eq!(many(7), None);
    }

    #[test]
    fn a_step_knows_the_lanes_before_it_and_before_what_is_around_it() {
        let lanes = switch(&[case(&[agent("b")])], &[agent("c")]);
        let chain = Some("b_output | default(c_output) | default('')");
        let group = |kind: &str| {
            let inside = json!([agent("in")]);
            let mut step = json!({ "id": "g", "type": kind, "name": "g", "steps": inside });
            match kind {
                "loop" => {
                    step["repeat"] = json!({ "until": "true" });
                    step["maxIterations"] = json!(3);
                }
                "workflow" => step["with"] = json!({}),
                _ => {}
            }
            document(json!([lanes, agent("d"), step]))
        };
        assert_eq!(joined_before(&group("sequence"), "in").as_deref(), chain);
        assert_eq!(joined_before(&group("loop"), "in").as_deref(), chain);
        assert_eq!(joined_before(&group("workflow"), "in"), None);
        assert_eq!(joined_before(&group("sequence"), "b"), None);
        let rounds = json!({ "id": "l", "type": "loop", "name": "l", "repeat": { "until": "true" },
            "maxIterations": 3, "steps": [lanes, agent("d")] });
        assert_eq!(joined_before(&document(json!([rounds])), "d"), None);
    }
}
