//! Reads answers of chat completions, whatever the dialect.

use serde_json::{Map, Value};

use crate::engine::Usage;
use crate::literal::json;
use crate::models::fields::{list, something, text, tokens};
use crate::models::stream::Fault;
use crate::models::{Finish, Partial, Reply};

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(in crate::models) struct State {
    /// Whether this is known to be an answer: what is not understood then is passed over.
    has_begun: bool,
}

/// How the calls of tools arrive.
#[derive(Clone, Copy)]
enum Calls {
    InPieces,
    Whole,
}

/// What only answers have, even where there is nothing in them yet.
const MARKS: [&str; 4] = ["choices", "usage", "prompt_filter_results", "x_groq"];

/// Reads a chunk of a stream.
pub(in crate::models) fn event(state: &mut State, partial: &mut Partial, chunk: &Value) -> Result<(), Fault> {
    let is_answer = is_answer(chunk);
    if is_answer {
        read(partial, chunk, Calls::InPieces);
    }
    told(chunk)?;
    state.has_begun |= is_answer;
    if state.has_begun { Ok(()) } else { Err(Fault::NotAnAnswer) }
}

/// Reads an answer in one piece.
pub(in crate::models) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    told(answer)?;
    if list(answer, "choices").is_empty() {
        return Err(Fault::NotAnAnswer);
    }
    read(partial, answer, Calls::Whole);
    Ok(())
}

fn is_answer(chunk: &Value) -> bool {
    MARKS.iter().any(|key| chunk.get(key).is_some()) || text(chunk, "object").starts_with("chat.completion")
}

/// Errors come beside the choices, in one of them, or instead of them.
fn told(chunk: &Value) -> Result<(), Fault> {
    let in_choice = || list(chunk, "choices").iter().find_map(|choice| something(choice, "error"));
    let error = something(chunk, "error").or_else(in_choice);
    let is_error = || text(chunk, "object") == "error";
    match error.or_else(|| is_error().then_some(chunk)) {
        Some(error) => Err(Fault::Told(error.clone())),
        None => Ok(()),
    }
}

fn read(partial: &mut Partial, chunk: &Value, calls: Calls) {
    let choice = list(chunk, "choices").iter().find(|choice| is_first(choice)).unwrap_or(&Value::Null);
    let beside = chunk.get("x_groq").unwrap_or(&Value::Null);
    if let Some(used) = [chunk, beside, choice].iter().find_map(|place| usage(place.get("usage")?)) {
        partial.usage = Some(used);
    }
    if let Some(reason) = finish(choice) {
        partial.finish = Some(reason);
    }
    if let Some(message) = something(choice, "delta").or_else(|| something(choice, "message")) {
        add(partial, message, calls);
    }
}

/// Of several answers to one question the first one counts.
fn is_first(choice: &Value) -> bool {
    tokens(choice, "index").is_none_or(|index| index == 0)
}

fn finish(choice: &Value) -> Option<Finish> {
    Some(match text(choice, "finish_reason") {
        "" => return None,
        _ if text(choice, "native_finish_reason") == "refusal" => Finish::Refused,
        "stop" | "eos" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "content_filter" => Finish::Filtered,
        "refusal" => Finish::Refused,
        _ => Finish::Other,
    })
}

/// What was used; nothing for the empty objects that some endpoints send along.
fn usage(json: &Value) -> Option<Usage> {
    let of = |key: &str, part: &str| tokens(json.get(key)?, part);
    let input = tokens(json, "prompt_tokens")?;
    let mut output = tokens(json, "completion_tokens").unwrap_or_default();
    let reasoning = of("completion_tokens_details", "reasoning_tokens").unwrap_or_default();
    // Some count the reasoning apart from the answer; the sum tells.
    if tokens(json, "total_tokens") == Some(input.saturating_add(output).saturating_add(reasoning)) {
        output = output.saturating_add(reasoning);
    }
    let cached = of("prompt_tokens_details", "cached_tokens")
        .or_else(|| tokens(json, "prompt_cache_hit_tokens"))
        .or_else(|| tokens(json, "cached_tokens"));
    Some(Usage {
        cached_input_tokens: cached.unwrap_or_default(),
        reasoning_tokens: reasoning,
        cost: json.get("cost").and_then(Value::as_f64),
        ..Usage::new(input, output)
    })
}

fn add(partial: &mut Partial, message: &Value, calls: Calls) {
    add_reasoning(partial, message);
    match message.get("content") {
        Some(Value::String(text)) => partial.text.push_str(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| add_part(partial, part)),
        _ => {}
    }
    partial.refusal.push_str(text(message, "refusal"));
    for (at, call) in list(message, "tool_calls").iter().enumerate() {
        let key = match calls {
            Calls::InPieces => key(partial, call),
            Calls::Whole => at.to_string(),
        };
        add_call(partial, &key, call, call.get("function").unwrap_or(call));
    }
    if let Some(function) = something(message, "function_call") {
        add_call(partial, "", &Value::Null, function);
    }
}

/// A part of content that is a list: a text, or what the model thinks.
fn add_part(partial: &mut Partial, part: &Value) {
    match part.get("thinking") {
        Some(Value::String(thought)) => partial.reasoning.push_str(thought),
        Some(Value::Array(thoughts)) => {
            partial.reasoning.extend(thoughts.iter().map(|one| text(one, "text")))
        }
        _ => partial.text.push_str(text(part, "text")),
    }
}

/// Which call a piece belongs to.
fn key(partial: &Partial, piece: &Value) -> String {
    let id = text(piece, "id");
    let begins = !text(piece.get("function").unwrap_or(piece), "name").is_empty();
    let fresh = || partial.calls.len().to_string();
    let known = match tokens(piece, "index") {
        Some(index) => partial.calls.iter().rev().find(|call| call.index == Some(index)),
        None if id.is_empty() && begins => None,
        None if id.is_empty() => partial.calls.last(),
        None => partial.calls.iter().rev().find(|call| call.id == id),
    };
    match known {
        // Some give every call the same index: one that begins under another id is another call.
        Some(call) if begins && !id.is_empty() && !call.id.is_empty() && call.id != id => fresh(),
        Some(call) => call.key.clone(),
        None => fresh(),
    }
}

fn add_call(partial: &mut Partial, key: &str, piece: &Value, function: &Value) {
    let Some(call) = partial.call(key) else { return };
    call.index = call.index.or_else(|| tokens(piece, "index"));
    // Later pieces repeat the names, or leave them empty.
    for (known, told) in [(&mut call.id, text(piece, "id")), (&mut call.name, text(function, "name"))] {
        if known.is_empty() {
            known.push_str(told);
        }
    }
    match function.get("arguments") {
        Some(Value::String(more)) => call.arguments.push_str(more),
        Some(arguments @ Value::Object(_)) => call.arguments = arguments.to_string(),
        _ => {}
    }
}

/// The keys under which endpoints tell what the model thinks.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// The key of OpenRouter's, which has signatures too.
const DETAILS: &str = "reasoning_details";

fn add_reasoning(partial: &mut Partial, message: &Value) {
    if let Some(key) = REASONING.iter().find(|key| !text(message, key).is_empty()) {
        partial.reasoning.push_str(text(message, key));
        if *key == "reasoning_content" && partial.echo.is_null() {
            partial.echo = json!({ "reasoning": key });
        }
    }
    for detail in list(message, DETAILS) {
        if !partial.echo.get(DETAILS).is_some_and(Value::is_array) {
            partial.echo = json!({ DETAILS: [] });
        }
        if let Some(Value::Array(details)) = partial.echo.get_mut(DETAILS) {
            add_detail(details, detail);
        }
    }
}

/// Pieces of one detail follow each other; the endpoint wants it back in one.
fn add_detail(details: &mut Vec<Value>, piece: &Value) {
    let is_same = |detail: &Value| ["type", "index"].iter().all(|key| detail.get(key) == piece.get(key));
    let last = details.last_mut().filter(|last| is_same(last) && piece.get("data").is_none());
    let (Some(Value::Object(last)), Some(piece)) = (last, piece.as_object()) else {
        details.push(piece.clone());
        return;
    };
    for (key, value) in piece {
        match (last.get_mut(key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(known)), Value::String(more)) if key == "text" || key == "summary" => {
                known.push_str(more);
            }
            _ => {
                last.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Puts into a message of the model what its endpoint wants back.
pub(super) fn put_echo(message: &mut Map<String, Value>, reply: &Reply) {
    if let Some(details) = reply.echo.get(DETAILS) {
        message.insert(DETAILS.to_owned(), details.clone());
    }
    // Endpoints want the thoughts that led to a call, and some refuse all others.
    let key = text(&reply.echo, "reasoning");
    if !key.is_empty() && !reply.calls.is_empty() {
        message.insert(key.to_owned(), reply.reasoning.as_str().into());
    }
}
