//! What a prompt and code could say, where nobody has written them.

use indexmap::IndexMap;
use serde_json::Map;
use stepweave_core::document::{Document, StepKind};
use stepweave_core::edit::{Block, find, slot_of};
use stepweave_core::state::output_key;

use super::completions::{written_member, written_name};
use super::fitting::around;
use super::joining::{is_beside, joined};
use super::known::{Known, Seen, known_at};
use super::sample::Samples;
use super::together::steps_of;
use crate::layout::Place;

/// An example of what an agent step can be asked, with a value that it can read.
pub fn prompt(document: &Document, id: &str) -> String {
    let read = readable(document, id).unwrap_or_else(|| USUAL.to_owned());
    let asks = if read == USUAL { "Research this topic" } else { "Answer this" };
    format!("{asks}: {{{{ {read} }}}}")
}

/// An example of what the code of a function can be, with a value that it can read.
pub fn code(document: &Document, id: &str) -> String {
    let place = slot_of(document, id).map(Place::Slot);
    let key = place.and_then(|place| first_key(document, id, &place));
    let value = key.map_or("Object.keys(state)".to_owned(), |key| format!("state{}", written_member(&key)));
    format!("return {{ answer: {value} }};\n")
}

/// What most workflows of one agent begin with.
const USUAL: &str = "topic";

fn readable(document: &Document, id: &str) -> Option<String> {
    let place = Place::Slot(slot_of(document, id)?);
    let key = || answer_before(document, id).or_else(|| first_key(document, id, &place));
    joined(document, &place).or_else(|| Some(written_name(&key()?)))
}

/// The key of the answer that is given last before a step, in its list of steps or before one around it: past what only
/// waits or sets keys, and not past what takes one of several ways. What repeats for each item, and a workflow inside,
/// begin with something of their own.
fn answer_before(document: &Document, id: &str) -> Option<String> {
    let known = keys(document, id);
    let mut slot = slot_of(document, id)?;
    loop {
        let before = if is_beside(&slot) { 0 } else { slot.index };
        let earlier = steps_of(document, &slot.block)?.iter().take(before).rev();
        for step in earlier.filter(|step| step.enabled) {
            let answer = output_key(&step.name);
            if known.contains_key(&answer) {
                return Some(answer);
            }
            if !matches!(step.kind, StepKind::Function(_) | StepKind::Wait(_)) {
                return None;
            }
        }
        let Block::Inside { step, .. } = &slot.block else { return None };
        let is_apart = matches!(find(document, step)?.kind, StepKind::Foreach(_) | StepKind::Workflow(_));
        slot = slot_of(document, step).filter(|_| !is_apart)?;
    }
}

/// What is known where a step stands, of a workflow that has not run.
fn keys(document: &Document, id: &str) -> Known {
    let (samples, outputs, given) = (Samples::new(), IndexMap::new(), Map::new());
    let seen = Seen { samples: &samples, outputs: &outputs, state: None, given: &given };
    known_at(document, &seen, id)
}

/// The item of the foreach around a step, or else the first key that is known there.
fn first_key(document: &Document, id: &str, place: &Place) -> Option<String> {
    let item = around(document, place).next().and_then(|step| match &step.kind {
        StepKind::Foreach(each) => Some(each.item.clone()),
        _ => None,
    });
    item.or_else(|| keys(document, id).into_keys().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn asked(rest: Value) -> String {
        let agent = |id: &str| json!({ "id": id, "type": "agent", "name": id, "agent": "a" });
        let mut document = json!({ "version": 1, "name": "t", "steps": [
            agent("first"),
            { "id": "s1", "type": "foreach", "name": "each", "items": "[1]", "steps": [agent("in"), agent("next")] },
            agent("behind"), { "id": "s3", "type": "wait", "name": "rest", "wait": { "ms": 1 } },
            { "id": "s2", "type": "condition", "name": "if", "condition": "true", "steps": [agent("b")], "else": [] },
            agent("join"), { "id": "s4", "type": "parallel", "name": "both", "parallel": [agent("lane")] }, agent("past") ] });
        let id = rest["id"].clone();
        document.as_object_mut().unwrap().extend(rest["with"].as_object().unwrap().clone());
        prompt(&serde_json::from_value(document).unwrap(), id.as_str().unwrap())
    }

    #[test]
    fn an_example_reads_what_is_there() {
        let schema = json!({ "type": "object", "properties": { "mail": { "type": "string" } } });
        let with = json!({ "input": schema, "initialState": { "tone": "kind" } });
        for (id, with, expected) in [
            ("first", with.clone(), "Answer this: {{ mail }}"),
            ("first", json!({ "initialState": { "topic": "" } }), "Research this topic: {{ topic }}"),
            ("behind", with.clone(), "Answer this: {{ each_output }}"),
            ("in", with.clone(), "Answer this: {{ item }}"),
            ("next", with.clone(), "Answer this: {{ in_output }}"),
            ("b", with.clone(), "Answer this: {{ behind_output }}"),
            ("join", with.clone(), "Answer this: {{ b_output | default('') }}"),
            ("lane", with.clone(), "Answer this: {{ join_output }}"),
            ("past", with, "Answer this: {{ mail }}"),
        ] {
            assert_eq!(asked(json!({ "id": id, "with": with })), expected);
        }
        let code_of = |id: &str, state: Value| {
            let function =
                |id: &str| json!({ "id": id, "type": "function", "name": id, "run": { "set": {} } });
            let each = json!({ "id": "e", "type": "foreach", "name": "e", "items": "[]", "steps": [function("in")] });
            let document = json!({ "version": 1, "name": "t", "initialState": state, "steps": [function("first"), each] });
            code(&serde_json::from_value(document).unwrap(), id)
        };
        for (id, state, value) in [
            ("first", json!({ "topic": "bees", "b": 1 }), "state.topic"),
            ("first", json!({ "a b": 1 }), "state['a b']"),
            ("first", json!({}), "Object.keys(state)"),
            ("in", json!({}), "state.item"),
        ] {
            assert_eq!(code_of(id, state), format!("return {{ answer: {value} }};\n"));
        }
        assert_eq!(prompt(&Document::new("t"), "none"), "Research this topic: {{ topic }}");
    }
}
