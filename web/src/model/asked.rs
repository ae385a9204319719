//! What a step has sent, with the values of the state that it saw: an agent its prompt, a request to which address.

use serde_json::{Map, Value};
use stepweave_core::document::{Document, Source, StepKind};
use stepweave_core::language::Template;

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

/// What a step has sent when it saw this state; nothing where a function of the host made it, or it is of another kind.
pub fn asked(document: &Document, id: &str, state: Map<String, Value>) -> Option<Asked> {
    match &document.step(id)?.kind {
        StepKind::Agent(call) => match &call.input_from {
            None => Some(Asked::Text(readable(&Value::Object(state)))),
            Some(Source::Text(text)) => written(text, state),
            Some(Source::Handler(_)) => None,
        },
        // One whose beginning stands there is seen in the form; its values are encoded, which a template does not do.
        StepKind::Http(call) => {
            let template = Template::parse(&call.http.url).ok()?;
            let is_data = !template.is_literal() && template.beginning().is_empty();
            is_data.then(|| written(&call.http.url, state)).flatten()
        }
        _ => None,
    }
}

/// A template with the values of this state.
fn written(text: &str, state: Map<String, Value>) -> Option<Asked> {
    let known: Known = state.into_iter().map(|(key, value)| (key, Some(value))).collect();
    match workflow_of(text, Code::Template, &known) {
        None => Some(Asked::Text(text.to_owned())),
        Some(made) => made.ok().map(Asked::Workflow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_tells_the_address_that_data_gave() {
        let of = |url: &str| {
            let step = json!({ "id": "s1", "type": "http", "name": "get", "http": { "url": url, "origins": "any" } });
            let document = json!({ "version": 1, "name": "t", "steps": [step] });
            let document: Document = serde_json::from_value(document).unwrap();
            asked(&document, "s1", json!({ "item": "https://a.test/1" }).as_object().cloned().unwrap())
        };
        assert!(matches!(of("{{ item }}"), Some(Asked::Workflow(_))));
        assert_eq!(of("https://a.test/{{ item }}"), None);
    }

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
