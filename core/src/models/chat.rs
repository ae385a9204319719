//! OpenAI chat completions, as most endpoints speak it.

use serde_json::{Map, Value, json};

use super::stream::Fault;
use super::{Finish, Part, Partial, Question, Turn};
use crate::engine::Usage;

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(super) struct State;

/// Where the question goes, behind the base URL.
pub(super) fn path(_question: &Question<'_>) -> String {
    "/chat/completions".to_owned()
}

/// The headers that it needs.
pub(super) fn headers(_question: &Question<'_>, _headers: &mut Map<String, Value>) {}

/// The body of a request.
pub(super) fn body(question: &Question<'_>) -> Value {
    let mut messages = Vec::new();
    if let Some(instructions) = question.instructions.filter(|text| !text.is_empty()) {
        messages.push(json!({ "role": "system", "content": instructions }));
    }
    for turn in question.turns {
        match turn {
            Turn::User(parts) => messages.push(json!({ "role": "user", "content": content(parts) })),
            Turn::Assistant(reply) => messages.push(json!({ "role": "assistant", "content": reply.text })),
            Turn::Tools(_) => {}
        }
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), question.setup.model.model.as_str().into());
    body.insert("messages".to_owned(), messages.into());
    body.insert("stream".to_owned(), true.into());
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    body.extend(question.setup.params.clone());
    // Endpoints refuse options of a stream that is not asked for.
    if body.get("stream") != Some(&Value::Bool(true)) {
        body.shift_remove("stream_options");
    }
    body.into()
}

fn content(parts: &[Part]) -> Value {
    match parts {
        [Part::Text(text)] => text.as_str().into(),
        _ => Value::Null,
    }
}

/// Reads a chunk of a stream.
pub(super) fn event(_state: &mut State, partial: &mut Partial, chunk: &Value) -> Result<(), Fault> {
    read(partial, chunk, "delta")
}

/// Reads an answer in one piece.
pub(super) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    read(partial, answer, "message")
}

fn read(partial: &mut Partial, chunk: &Value, part: &str) -> Result<(), Fault> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(Fault::Told(error.clone()));
    }
    let choices = chunk.get("choices").and_then(Value::as_array);
    let usage = chunk.get("usage").filter(|usage| usage.is_object());
    if choices.is_none() && usage.is_none() {
        return Err(Fault::NotAnAnswer);
    }
    if let Some(usage) = usage {
        let tokens = |key| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
        partial.usage = Some(Usage::new(tokens("prompt_tokens"), tokens("completion_tokens")));
    }
    for choice in choices.into_iter().flatten().filter(|choice| is_first(choice)) {
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            partial.finish = Some(finish(reason));
        }
        add(partial, choice.get(part).and_then(|message| message.get("content")));
    }
    Ok(())
}

fn finish(reason: &str) -> Finish {
    match reason {
        "stop" => Finish::Stop,
        "length" => Finish::Length,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "content_filter" => Finish::Filtered,
        _ => Finish::Other,
    }
}

/// Of several answers to one question the first one counts.
fn is_first(choice: &Value) -> bool {
    choice.get("index").and_then(Value::as_u64).is_none_or(|index| index == 0)
}

/// The content of a message is a text or, at some endpoints, a list of parts.
fn add(partial: &mut Partial, content: Option<&Value>) {
    match content {
        Some(Value::String(text)) => partial.text.push_str(text),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            partial.text.extend(texts);
        }
        _ => {}
    }
}
