//! A small workflow that sends a request once: what a person tries before it is part of a run.

use serde_json::{Map, Value, json};
use stepweave_core::document::{Document, HttpRequest};

use super::sample::{Given, Sample};

/// The id of the step that sends the request.
pub const SENDS: &str = "sends";

/// The id of the step that says what the request gives.
const GIVES: &str = "gives";

/// Values for what a request reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// By the keys of the state.
    pub keys: Map<String, Value>,
    /// By the names of steps.
    pub outputs: Map<String, Value>,
}

/// The workflow. Its request takes every status as an answer and asks for one page: what a person tries is to be seen.
pub fn document_of(request: &HttpRequest, values: &Values) -> Document {
    let whole = "{'status': status, 'headers': headers, 'body': body}";
    let sent = HttpRequest {
        success: Some("true".to_owned()),
        result: Some(whole.to_owned()),
        pages: None,
        ..request.clone()
    };
    let result = request.result.as_deref().unwrap_or("body");
    // Of the pages of an answer a result sees all items, and here those of the first one.
    let body = request.pages.as_ref().map(|pages| pages.items.as_deref().unwrap_or("[body]"));
    let key = free_key(values);
    let read = |member: &str| format!("{key}_output.{member}");
    let mut steps: Vec<Value> = Vec::new();
    let mut pins = Map::new();
    for (number, (name, output)) in values.outputs.iter().enumerate() {
        // It is pinned, so nothing is sent for it.
        let id = format!("step{number}");
        steps.push(
            json!({ "id": id, "type": "http", "name": name, "http": { "url": "http://pinned.invalid/" } }),
        );
        pins.insert(id, output.clone());
    }
    steps.push(json!({ "id": SENDS, "type": "http", "name": key, "http": sent }));
    let answer = json!({ "status": read("status"), "headers": read("headers"), "body": read("body") });
    steps.push(json!({ "id": "reads", "type": "function", "name": "read_answer", "run": { "set": answer } }));
    let tolerant = |id: &str, set: Value| json!({ "id": id, "type": "function", "name": id, "required": false, "run": { "set": set } });
    steps.extend(body.map(|body| tolerant("joins", json!({ "body": body }))));
    steps.push(tolerant(GIVES, json!({ "given": result })));
    let document =
        json!({ "version": 1, "name": "Try", "initialState": values.keys, "pins": pins, "steps": steps });
    // It is made of what a document may have.
    serde_json::from_value(document).unwrap_or_else(|_| Document::new("Try"))
}

/// What the answer is a sample of, out of what the two steps gave.
pub fn sample_of(
    request: &HttpRequest,
    answer: &Value,
    gave: impl Fn(&str) -> Option<Value>,
    duration_ms: f64,
) -> Sample {
    let by = request.result.clone().unwrap_or_else(|| "body".to_owned());
    let value = gave(GIVES).and_then(|patch| patch.get("given").cloned());
    Sample::of(answer, value.map(|value| Given { by, value }), duration_ms)
}

/// A name for the step that sends, whose output hides no value.
fn free_key(values: &Values) -> String {
    let mut numbered = (1_usize..).map(|number| format!("try_{number}"));
    let is_free = |name: &String| {
        !values.outputs.contains_key(name) && !values.keys.contains_key(&format!("{name}_output"))
    };
    numbered.find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::requests::read;
    use stepweave_core::validate::check_structure;

    #[test]
    fn a_trial_is_a_sound_workflow_whatever_the_request_says() {
        for (more, steps) in [
            (json!({}), 3),
            (
                json!({ "success": "status == 404", "result": "body.items[0]", "query": { "q": "{{ q }}" } }),
                3,
            ),
            (json!({ "pages": { "next": "body.next", "max": 5 } }), 4),
            (json!({ "method": "POST", "body": { "json": { "a": "{{ steps.first.output }}" } } }), 4),
        ] {
            let mut request = json!({ "url": "https://a.test/{{ id }}" });
            request.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            let request = read(request);
            let outputs = if request.body.is_some() { json!({ "first": "text" }) } else { json!({}) };
            let keys = json!({ "id": 1, "q": "bees", "try_1_output": true });
            let values = Values {
                keys: keys.as_object().cloned().unwrap(),
                outputs: outputs.as_object().cloned().unwrap(),
            };
            let document = document_of(&request, &values);
            assert_eq!(document.steps.len(), steps);
            let report = check_structure(&serde_json::to_string(&document).unwrap());
            assert_eq!(report.problems, []);
        }
    }

    #[test]
    fn a_sample_is_the_answer_with_what_the_step_gives() {
        let request =
            HttpRequest { result: Some("body | length".to_owned()), ..HttpRequest::to("https://a.test/") };
        let answer = json!({ "status": 404, "headers": { "x-a": "1" }, "body": "No." });
        let sample = sample_of(&request, &answer, |id| (id == GIVES).then(|| json!({ "given": 3 })), 7.0);
        assert_eq!((sample.status, sample.given(&request)), (404, Some(json!(3))));
        assert_eq!(sample_of(&request, &answer, |_| None, 7.0).given(&request), None);
    }
}
