//! Reads answers of chat completions, whatever the dialect.

use serde_json::{Map, Value};

use crate::json;
use crate::literal::json;
use crate::models::fields::{at, list, something, text, tokens};
use crate::models::presets::{Preset, Quirk};
use crate::models::stream::Fault;
use crate::models::{Finish, Media, Partial, Reply, Source};
use crate::usage::{Usage, cost_in};

/// How the calls of tools arrive.
#[derive(Clone, Copy)]
enum Calls {
    InPieces,
    Whole,
}

/// What only answers have, even where there is nothing in them yet.
const MARKS: [&str; 4] = ["choices", "usage", "prompt_filter_results", "x_groq"];

/// Reads a chunk of a stream.
pub(in crate::models) fn event(partial: &mut Partial, chunk: &Value) -> Result<(), Fault> {
    let is_answer = MARKS.iter().any(|key| chunk.get(key).is_some())
        || text(chunk, "object").starts_with("chat.completion");
    if is_answer {
        read(partial, chunk, Calls::InPieces)?;
    }
    if is_answer { Ok(()) } else { Err(Fault::NotAnAnswer) }
}

/// Reads an answer in one piece.
pub(in crate::models) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    if list(answer, "choices").is_empty() {
        return Err(Fault::NotAnAnswer);
    }
    read(partial, answer, Calls::Whole)
}

/// Errors come beside the choices, instead of them, or in one of them.
fn read(partial: &mut Partial, chunk: &Value, calls: Calls) -> Result<(), Fault> {
    let choices = list(chunk, "choices");
    let choice = choices.iter().find(|choice| is_first(choice)).unwrap_or(&Value::Null);
    let beside = at(chunk, "x_groq");
    if let Some(used) = [chunk, beside, choice].iter().find_map(|place| usage(place.get("usage")?)) {
        partial.usage = Some(used);
    }
    if let Some(reason) = finish(choice) {
        partial.finish = Some(reason);
    }
    partial.known_as(text(chunk, "id"));
    if let Some(message) = message(partial, choice, calls) {
        add(partial, message, calls);
    } else if something(choice, "text").is_some() {
        partial.pass_over(Some(text(chunk, "object")).filter(|kind| !kind.is_empty()).unwrap_or("text"));
    }
    cite(partial, chunk);
    match choices.iter().find_map(|choice| something(choice, "error")) {
        Some(error) => Err(Fault::Reported(error.clone())),
        None => Ok(()),
    }
}

/// What a choice adds. Some endpoints repeat in each chunk the message so far, and some put an empty delta beside a
/// whole message.
fn message<'a>(partial: &Partial, choice: &'a Value, calls: Calls) -> Option<&'a Value> {
    let (delta, whole) = (something(choice, "delta"), something(choice, "message"));
    match calls {
        Calls::Whole => whole.or(delta),
        Calls::InPieces if partial.is_empty() => {
            delta.filter(|delta| says_something(delta)).or(whole).or(delta)
        }
        Calls::InPieces => delta.or(whole),
    }
}

fn says_something(message: &Value) -> bool {
    let is_said = |value: &Value| match value {
        Value::String(text) => !text.is_empty(),
        other => !other.is_null(),
    };
    message.as_object().into_iter().flatten().any(|(key, value)| key != "role" && is_said(value))
}

/// The sources of the answer: Perplexity and xAI send them beside the choices.
fn cite(partial: &mut Partial, chunk: &Value) {
    let found = list(chunk, "search_results");
    let named = if found.is_empty() { list(chunk, "citations") } else { found };
    named.iter().for_each(|source| partial.cite(Source::of(source)));
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
    // Some count the reasoning apart from the answer; the sum shows it.
    if tokens(json, "total_tokens") == Some(input.saturating_add(output).saturating_add(reasoning)) {
        output = output.saturating_add(reasoning);
    }
    let cached = of("prompt_tokens_details", "cached_tokens")
        .or_else(|| tokens(json, "prompt_cache_hit_tokens"))
        .or_else(|| tokens(json, "cached_tokens"));
    let written = of("prompt_tokens_details", "cache_write_tokens");
    Some(Usage {
        cached_input_tokens: cached.unwrap_or_default(),
        cache_write_tokens: written
            .or_else(|| tokens(json, "cache_creation_input_tokens"))
            .unwrap_or_default(),
        reasoning_tokens: reasoning,
        cost: cost_in(json),
        ..Usage::new(input, output)
    })
}

fn add(partial: &mut Partial, message: &Value, calls: Calls) {
    add_reasoning(partial, message);
    match at(message, "content") {
        Value::Null => {}
        Value::String(text) => partial.text.push_str(text),
        Value::Array(parts) => parts.iter().for_each(|part| add_part(partial, part)),
        _ => partial.pass_over("content"),
    }
    partial.extras.refusal.push_str(text(message, "refusal"));
    list(message, "images").iter().for_each(|image| add_part(partial, image));
    for annotation in list(message, "annotations") {
        partial.cite(Source::of(something(annotation, "url_citation").unwrap_or(annotation)));
    }
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

/// A content part of a list: a text, reasoning, or an image that the model made.
fn add_part(partial: &mut Partial, part: &Value) {
    match part.get("thinking") {
        Some(Value::String(thought)) => partial.reasoning.push_str(thought),
        Some(Value::Array(thoughts)) => {
            partial.reasoning.extend(thoughts.iter().map(|one| text(one, "text")))
        }
        _ => match text(part, "type") {
            "image_url" => partial.extras.files.extend(Media::at(text(at(part, "image_url"), "url"))),
            // Mistral's, with numbers of what a tool gave.
            "reference" => {}
            _ if part.get("text").is_some() => partial.text.push_str(text(part, "text")),
            kind => partial.pass_over(kind),
        },
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
    for (known, more) in [(&mut call.id, text(piece, "id")), (&mut call.name, text(function, "name"))] {
        if known.is_empty() {
            known.push_str(more);
        }
    }
    match function.get("arguments") {
        Some(Value::String(more)) => call.arguments.push_str(more),
        Some(arguments @ Value::Object(_)) => call.arguments = json::text(arguments),
        _ => {}
    }
}

/// The keys under which endpoints send the model's reasoning.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// The key of OpenRouter's, which has signatures too.
const DETAILS: &str = "reasoning_details";

fn add_reasoning(partial: &mut Partial, message: &Value) {
    if let Some(key) = REASONING.iter().find(|key| !text(message, key).is_empty()) {
        partial.reasoning.push_str(text(message, key));
        if partial.echo.is_null() {
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
pub(super) fn put_echo(message: &mut Map<String, Value>, reply: &Reply, preset: &Preset) {
    if let Some(details) = reply.echo.get(DETAILS) {
        message.insert(DETAILS.to_owned(), details.clone());
    }
    // Endpoints want the thoughts that led to a call, and some refuse all others.
    let key = text(&reply.echo, "reasoning");
    let is_wanted = match key {
        "reasoning" => preset.has(Quirk::TakesReasoning),
        _ => !key.is_empty(),
    };
    if is_wanted && !reply.calls.is_empty() {
        message.insert(key.to_owned(), reply.reasoning.as_str().into());
    }
}
