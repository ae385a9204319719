//! Conversations that a workflow has with a person: where their messages are kept, and where the next one goes in.

use std::collections::VecDeque;

use serde_json::Value;
use stepweave_core::document::{Check, Document, Run, Source, Step, StepKind};
use stepweave_core::validate::templates_of_request;

use super::reading::Code;
use super::sources::{givers, names};

/// The key under which a workflow finds what a person says, unless its prompts read another one.
const USUAL: &str = "input";

/// A conversation in the state of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The key of the state under which its messages are.
    pub key: String,
    /// The steps that go on with it, by their ids.
    pub steps: Vec<String>,
    /// The keys of the state that the next message can go to, the likeliest first. Without one, no prompt reads it.
    pub inputs: Vec<String>,
}

/// The conversations of a workflow in the order of its steps. What has a state of its own, such as a workflow inside of
/// it or an item of a list, keeps none from turn to turn.
pub fn conversations(document: &Document) -> Vec<Conversation> {
    let mut found: Vec<(String, Vec<&Step>)> = Vec::new();
    let mut open: Vec<&Step> = document.steps.iter().rev().collect();
    while let Some(step) = open.pop() {
        match &step.kind {
            _ if !step.enabled => {}
            StepKind::Agent(call) => {
                let Some(history) = &call.history else { continue };
                match found.iter_mut().find(|(key, _)| *key == history.key) {
                    Some((_, steps)) => steps.push(step),
                    None => found.push((history.key.clone(), vec![step])),
                }
            }
            StepKind::Workflow(_) | StepKind::Foreach(_) => {}
            _ => open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).rev()),
        }
    }
    let keys: Vec<String> = found.iter().map(|(key, _)| key.clone()).collect();
    let conversation = |(key, steps): (String, Vec<&Step>)| Conversation {
        key,
        inputs: inputs(document, &steps, &keys),
        steps: steps.into_iter().map(|step| step.id.clone()).collect(),
    };
    found.into_iter().map(conversation).collect()
}

/// The schema of what a run is given, without the values that a chat fills in itself.
pub fn besides(schema: &Value, filled: &[String]) -> Value {
    let mut rest = schema.clone();
    if let Some(properties) = rest.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|key, _| !filled.contains(key));
    }
    if let Some(required) = rest.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|key| !key.as_str().is_some_and(|key| filled.iter().any(|own| own == key)));
    }
    rest
}

/// The keys that these steps receive, directly or through what other steps make of them, and that no step gives.
fn inputs(document: &Document, steps: &[&Step], conversations: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut read: VecDeque<String> = steps.iter().flat_map(|step| reads(step, None)).collect();
    while let Some(key) = read.pop_front() {
        if seen.contains(&key) || conversations.contains(&key) {
            continue;
        }
        let givers = givers(document, &key);
        if givers.is_empty() {
            found.push(key.clone());
        }
        read.extend(givers.into_iter().flat_map(|giver| reads(giver, Some(&key))));
        seen.push(key);
    }
    if found.is_empty() {
        found.extend(declared(document, conversations));
    }
    // What has a value from the beginning is a setting rather than what is said.
    let rank = |key: &String| (key != USUAL, document.initial_state.contains_key(key));
    found.sort_by_key(rank);
    found
}

/// The keys of the state, or of outputs, that a step reads to give this key; all that it receives where none is named.
fn reads(step: &Step, key: Option<&str>) -> Vec<String> {
    let of = |text: &str, code| names(text, code).into_iter().map(|named| named.key).collect::<Vec<_>>();
    match &step.kind {
        StepKind::Agent(call) => match &call.input_from {
            Some(Source::Text(text)) => of(text, Code::Template),
            _ => Vec::new(),
        },
        StepKind::Function(Run::Set(set)) => {
            let texts = set.iter().filter(|(own, _)| key.is_none_or(|key| key == own.as_str()));
            texts.flat_map(|(_, text)| of(text, Code::Expression)).collect()
        }
        StepKind::Http(call) => {
            let texts = templates_of_request(&call.http);
            texts.into_iter().flat_map(|(_, text)| of(text, Code::Template)).collect()
        }
        _ => Vec::new(),
    }
}

/// The texts that the workflow says it is given, for steps whose prompts are functions or the whole state.
fn declared(document: &Document, conversations: &[String]) -> Vec<String> {
    let properties = document.input.as_ref().and_then(Check::properties);
    let texts = properties.into_iter().flatten().filter(|(key, property)| {
        !conversations.contains(key) && property.get("type").and_then(Value::as_str) == Some("string")
    });
    texts.map(|(key, _)| key.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(more: Value) -> Document {
        let mut document = json!({ "version": 1, "name": "t", "agents": { "a": { "model": "m" } },
            "models": { "m": { "provider": "demo", "model": "demo" } } });
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(document).unwrap()
    }

    fn agent(id: &str, name: &str, prompt: &str, key: Option<&str>) -> Value {
        let mut step = json!({ "id": id, "type": "agent", "name": name, "agent": "a", "inputFrom": prompt });
        if let Some(key) = key {
            step["history"] = json!({ "key": key });
        }
        step
    }

    fn inputs_of(more: Value) -> Vec<String> {
        conversations(&document(more)).remove(0).inputs
    }

    #[test]
    fn a_workflow_has_a_conversation_for_each_key_and_none_without() {
        let steps = json!([
            agent("s1", "one", "{{ input }}", Some("chat")),
            { "id": "s2", "type": "condition", "name": "c", "condition": "true",
                "steps": [agent("s3", "two", "{{ input }}", Some("notes"))],
                "else": [agent("s4", "three", "{{ input }}", Some("chat"))] },
            { "id": "s5", "type": "workflow", "name": "w", "steps": [agent("s6", "own", "x", Some("inner"))] },
        ]);
        let found = conversations(&document(json!({ "steps": steps })));
        let all: Vec<_> = found.iter().map(|one| (one.key.as_str(), one.steps.join(" "))).collect();
        assert_eq!(all, [("chat", "s1 s4".to_owned()), ("notes", "s3".to_owned())]);
        assert!(
            conversations(&document(json!({ "steps": [agent("s1", "one", "{{ input }}", None)] })))
                .is_empty()
        );
        let mut left_out = agent("s1", "one", "{{ input }}", Some("chat"));
        left_out["enabled"] = json!(false);
        assert!(conversations(&document(json!({ "steps": [left_out] }))).is_empty());
    }

    #[test]
    fn what_is_said_goes_to_the_key_that_the_prompt_reads_and_nothing_gives() {
        let one = |prompt: &str| json!({ "steps": [agent("s1", "one", prompt, Some("chat"))] });
        assert_eq!(inputs_of(one("{{ question }}")), ["question"]);
        assert_eq!(inputs_of(one("{{ tone }} {{ chat }} {{ input }}")), ["input", "tone"]);
        assert_eq!(inputs_of(one("Go on.")), [] as [&str; 0]);
        let mut set = one("In {{ language }}: {{ text }}");
        set["initialState"] = json!({ "language": "German" });
        assert_eq!(inputs_of(set), ["text", "language"]);
    }

    #[test]
    fn what_other_steps_make_of_it_leads_back_to_it() {
        let steps = json!([
            { "id": "s1", "type": "function", "name": "tidy", "run": { "set": { "asked": "said | trim", "other": "unrelated" } } },
            agent("s2", "rephrase", "{{ asked }}", None),
            agent("s3", "answer", "{{ steps.rephrase.output }}", Some("chat")),
        ]);
        assert_eq!(inputs_of(json!({ "steps": steps })), ["said"]);
    }

    #[test]
    fn where_no_prompt_says_so_the_schema_does() {
        let input = json!({ "type": "object", "properties": { "chat": { "type": "string" }, "count": { "type": "integer" }, "words": { "type": "string" } } });
        let steps = json!([agent("s1", "one", "Go on.", Some("chat"))]);
        assert_eq!(inputs_of(json!({ "input": input, "steps": steps })), ["words"]);
    }

    #[test]
    fn a_form_asks_for_nothing_that_the_chat_fills_in() {
        let schema = json!({ "type": "object", "required": ["input", "tone"],
            "properties": { "input": {}, "tone": {}, "chat": {} } });
        let rest = json!({ "type": "object", "required": ["tone"], "properties": { "tone": {} } });
        assert_eq!(besides(&schema, &["input".to_owned(), "chat".to_owned()]), rest);
        assert_eq!(besides(&json!(true), &["input".to_owned()]), json!(true));
    }
}
