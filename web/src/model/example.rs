//! What a prompt and code could say, where nobody has written them.

use indexmap::IndexMap;
use serde_json::Map;
use stepweave_core::document::{Document, StepKind};
use stepweave_core::edit::slot_of;

use super::completions::{written_member, written_name};
use super::fitting::around;
use super::joining::joined;
use super::known::{Seen, known_at};
use super::sample::Samples;
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
    joined(document, &place).or_else(|| Some(written_name(&first_key(document, id, &place)?)))
}

/// The item of the foreach around a step, or else the first key that is known there.
fn first_key(document: &Document, id: &str, place: &Place) -> Option<String> {
    let item = around(document, place).next().and_then(|step| match &step.kind {
        StepKind::Foreach(each) => Some(each.item.clone()),
        _ => None,
    });
    let first = || {
        let (samples, outputs, given) = (Samples::new(), IndexMap::new(), Map::new());
        let seen = Seen { samples: &samples, outputs: &outputs, state: None, given: &given };
        known_at(document, &seen, id).into_keys().next()
    };
    item.or_else(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn asked(rest: Value) -> String {
        let agent = |id: &str| json!({ "id": id, "type": "agent", "name": id, "agent": "a" });
        let mut document = json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "foreach", "name": "each", "items": "[1]", "steps": [agent("in")] }, agent("behind"),
            { "id": "s2", "type": "condition", "name": "if", "condition": "true", "steps": [agent("b")], "else": [] },
            agent("join") ] });
        let id = rest["id"].clone();
        document.as_object_mut().unwrap().extend(rest["with"].as_object().unwrap().clone());
        prompt(&serde_json::from_value(document).unwrap(), id.as_str().unwrap())
    }

    #[test]
    fn an_example_reads_what_is_there() {
        let schema = json!({ "type": "object", "properties": { "mail": { "type": "string" } } });
        let with = json!({ "input": schema, "initialState": { "tone": "kind" } });
        for (id, with, expected) in [
            ("behind", with.clone(), "Answer this: {{ mail }}"),
            ("behind", json!({ "initialState": { "topic": "" } }), "Research this topic: {{ topic }}"),
            ("behind", json!({}), "Answer this: {{ each_output }}"),
            ("in", with.clone(), "Answer this: {{ item }}"),
            ("join", with, "Answer this: {{ b_output | default('') }}"),
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
