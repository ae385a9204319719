//! What an agent's step was asked: its prompt, with the values of the state that it saw.

use serde_json::{Map, Value};
use stepweave_core::document::{Document, Source, StepKind};

use super::known::Known;
use super::preview::workflow_of;
use super::readable::readable;
use super::reading::Code;

/// A prompt, or what makes it.
#[derive(Debug, PartialEq)]
pub enum Asked {
    /// As it was sent.
    Text(String),
    /// A small workflow that evaluates it.
    Workflow(String),
}

/// What a step was asked when it saw this state; nothing where it is no agent's, or a function of the host made it.
pub fn asked(document: &Document, id: &str, state: Map<String, Value>) -> Option<Asked> {
    let StepKind::Agent(call) = &document.step(id)?.kind else { return None };
    match &call.input_from {
        None => Some(Asked::Text(readable(&Value::Object(state)))),
        Some(Source::Text(text)) => {
            let known: Known = state.into_iter().map(|(key, value)| (key, Some(value))).collect();
            match workflow_of(text, Code::Template, &known) {
                None => Some(Asked::Text(text.clone())),
                Some(made) => made.ok().map(Asked::Workflow),
            }
        }
        Some(Source::Handler(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked_with(more: Value) -> Option<Asked> {
        let mut step = json!({ "id": "s1", "type": "agent", "name": "sort", "agent": "a" });
        step.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        let wait = json!({ "id": "s2", "type": "wait", "name": "rest", "wait": { "ms": 1 } });
        let document = json!({ "version": 1, "name": "t", "steps": [step, wait] });
        let document: Document = serde_json::from_value(document).unwrap();
        let state = json!({ "mail": "Where is my parcel?", "draft_output": "A." });
        let state = state.as_object().cloned().unwrap();
        assert_eq!(asked(&document, "s2", state.clone()), None);
        asked(&document, "s1", state)
    }

    #[test]
    fn a_prompt_is_evaluated_with_what_the_step_saw() {
        let Some(Asked::Workflow(text)) =
            asked_with(json!({ "inputFrom": "Sort: {{ mail }} {{ steps.draft.output }}" }))
        else {
            unreachable!("a template is evaluated")
        };
        let made: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(made["initialState"], json!({ "mail": "Where is my parcel?" }));
        assert_eq!(made["pins"], json!({ "step0": "A." }));
    }

    #[test]
    fn a_text_without_tags_and_the_whole_state_are_what_they_are() {
        assert_eq!(
            asked_with(json!({ "inputFrom": "Tell a joke." })),
            Some(Asked::Text("Tell a joke.".to_owned()))
        );
        let Some(Asked::Text(state)) = asked_with(json!({})) else { unreachable!("it is a text") };
        assert!(state.contains("\"mail\": \"Where is my parcel?\""), "{state}");
        assert_eq!(asked_with(json!({ "inputFrom": { "handler": "ask" } })), None);
        assert_eq!(asked_with(json!({ "inputFrom": "{{ gone }}" })), None);
    }
}
