//! Reads answers of OpenAI Responses.

use serde_json::Value;

use crate::engine::Usage;
use crate::literal::json;
use crate::models::fields::{list, something, text, tokens};
use crate::models::stream::Fault;
use crate::models::{Finish, Partial};

/// The key of the echo under which the items stand.
pub(super) const KEY: &str = "responses";

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(in crate::models) struct State {
    /// The items that are whole.
    items: Vec<Value>,
    /// What the model thinks is told as it is, so that its summary says nothing new.
    has_thoughts: bool,
}

/// Reads an event of a stream.
pub(in crate::models) fn event(state: &mut State, partial: &mut Partial, event: &Value) -> Result<(), Fault> {
    let delta = text(event, "delta");
    match text(event, "type") {
        "response.output_text.delta" => partial.text.push_str(delta),
        "response.refusal.delta" => partial.refusal.push_str(delta),
        "response.reasoning_text.delta" => {
            state.has_thoughts = true;
            partial.reasoning.push_str(delta);
        }
        "response.reasoning_summary_text.delta" if !state.has_thoughts => partial.reasoning.push_str(delta),
        "response.function_call_arguments.delta" => {
            if let Some(call) = partial.call(&key(partial, event, event)) {
                call.arguments.push_str(delta);
            }
        }
        "response.function_call_arguments.done" => put_arguments(partial, event, event),
        "response.output_item.added" => {
            let item = event.get("item").unwrap_or(&Value::Null);
            put_call(partial, event, item);
        }
        "response.output_item.done" => {
            let item = event.get("item").unwrap_or(&Value::Null);
            put_call(partial, event, item);
            state.items.push(item.clone());
        }
        "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
            let response = event.get("response").unwrap_or(&Value::Null);
            let items = std::mem::take(&mut state.items);
            return end(partial, response, items);
        }
        "error" => return Err(Fault::Told(something(event, "error").unwrap_or(event).clone())),
        "" => {
            return Err(match something(event, "error") {
                Some(error) => Fault::Told(error.clone()),
                None => Fault::NotAnAnswer,
            });
        }
        _ => {}
    }
    Ok(())
}

/// Reads an answer in one piece.
pub(in crate::models) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    if let Some(error) = something(answer, "error") {
        return Err(Fault::Told(error.clone()));
    }
    if answer.get("output").is_none() {
        return Err(Fault::NotAnAnswer);
    }
    end(partial, answer, Vec::new())
}

/// The last word of an answer: it has everything in it, at most endpoints.
fn end(partial: &mut Partial, response: &Value, items: Vec<Value>) -> Result<(), Fault> {
    partial.is_done = true;
    if let Some(used) = response.get("usage").and_then(usage) {
        partial.usage = Some(used);
    }
    let why = text(response.get("incomplete_details").unwrap_or(&Value::Null), "reason");
    partial.finish = Some(match (text(response, "status"), why) {
        ("failed" | "cancelled", _) => {
            return Err(Fault::Told(something(response, "error").unwrap_or(response).clone()));
        }
        ("incomplete", "max_output_tokens") => Finish::Length,
        ("incomplete", "content_filter") => Finish::Filtered,
        ("incomplete", _) => Finish::Other,
        _ => Finish::Stop,
    });
    let output = list(response, "output");
    if !output.is_empty() {
        put_output(partial, output);
    }
    let items = if output.is_empty() { items } else { output.to_vec() };
    if items.iter().any(says_more) {
        partial.echo = json!({ KEY: items });
    }
    Ok(())
}

/// Whether an item holds what a reply has no place for.
fn says_more(item: &Value) -> bool {
    let is_plain = matches!(text(item, "type"), "message" | "function_call");
    !is_plain || ["phase", "namespace"].iter().any(|key| something(item, key).is_some())
}

fn put_output(partial: &mut Partial, output: &[Value]) {
    let (mut said, mut refusal, mut reasoning) = (String::new(), String::new(), String::new());
    partial.calls.clear();
    for (at, item) in output.iter().enumerate() {
        match text(item, "type") {
            "message" => {
                for part in list(item, "content") {
                    said.push_str(text(part, "text"));
                    refusal.push_str(text(part, "refusal"));
                }
            }
            "reasoning" => {
                let thoughts = list(item, "content");
                let told = if thoughts.is_empty() { list(item, "summary") } else { thoughts };
                reasoning.extend(told.iter().map(|part| text(part, "text")));
            }
            "function_call" => {
                if let Some(call) = partial.call(&at.to_string()) {
                    call.id = text(item, "call_id").to_owned();
                    call.name = text(item, "name").to_owned();
                    call.arguments = text(item, "arguments").to_owned();
                }
            }
            _ => {}
        }
    }
    (partial.text, partial.refusal, partial.reasoning) = (said, refusal, reasoning);
}

/// Which call an event is about. Its place tells, for some endpoints change the ids on the way; others tell no
/// place, or neither, and then it is the last one.
fn key(partial: &Partial, event: &Value, item: &Value) -> String {
    let id = [text(event, "item_id"), text(item, "id"), text(item, "call_id")];
    let id = id.into_iter().find(|id| !id.is_empty());
    match (tokens(event, "output_index"), id, partial.calls.last()) {
        (Some(place), _, _) => place.to_string(),
        (None, Some(id), _) => id.to_owned(),
        (None, None, Some(last)) => last.key.clone(),
        (None, None, None) => String::new(),
    }
}

fn put_call(partial: &mut Partial, event: &Value, item: &Value) {
    if text(item, "type") != "function_call" {
        return;
    }
    if let Some(call) = partial.call(&key(partial, event, item)) {
        call.id = text(item, "call_id").to_owned();
        call.name = text(item, "name").to_owned();
    }
    put_arguments(partial, event, item);
}

/// The arguments in one piece, in place of the pieces that came before.
fn put_arguments(partial: &mut Partial, event: &Value, from: &Value) {
    let arguments = text(from, "arguments");
    if let (false, Some(call)) = (arguments.is_empty(), partial.call(&key(partial, event, from))) {
        call.arguments = arguments.to_owned();
    }
}

fn usage(json: &Value) -> Option<Usage> {
    let of = |key: &str, part: &str| tokens(json.get(key)?, part);
    Some(Usage {
        cached_input_tokens: of("input_tokens_details", "cached_tokens").unwrap_or_default(),
        reasoning_tokens: of("output_tokens_details", "reasoning_tokens").unwrap_or_default(),
        cost: json.get("cost").and_then(Value::as_f64),
        ..Usage::new(tokens(json, "input_tokens")?, tokens(json, "output_tokens")?)
    })
}
