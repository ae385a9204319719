//! Answers in the form of Gemini's generateContent.

use serde_json::{Map, Value};

use super::arguments;
use crate::document::Provided;
use crate::json;
use crate::literal::json;
use crate::models::fields::{at, list, text};
use crate::models::served::found;
use crate::models::stream::Fault;
use crate::models::{Finish, Media, MediaSource, Partial, Source};
use crate::usage::Usage;

/// Open searches to which the pages of an answer are given: it does not say which one found a page, so each gets them all.
const MAX_SHARED: usize = 8;

/// Under this key an echo keeps an answer in this format.
pub(super) const KEY: &str = "gemini";

/// The keys of parts that are understood, or that follow from the endpoint's own tools.
const PARTS: [&str; 11] = [
    "text",
    "thought",
    "thoughtSignature",
    "partMetadata",
    "videoMetadata",
    "mediaResolution",
    "inlineData",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(in crate::models) struct State {
    /// The parts of the answer, as long as they have only what the reply has too. Then they are its echo.
    parts: Vec<Value>,
    /// The call whose arguments are still coming.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    /// The index of its part in the echo.
    part: usize,
    /// The index of the call among the calls.
    call: usize,
    arguments: Value,
}

/// Reads a chunk of a stream.
pub(in crate::models) fn event(state: &mut State, partial: &mut Partial, chunk: &Value) -> Result<(), Fault> {
    // Without the wish for events a stream is one list.
    if let (Value::Array(chunks), true) = (chunk, chunk.get(0).is_some()) {
        return chunks.iter().try_for_each(|chunk| event(state, partial, chunk));
    }
    let fields = ["candidates", "usageMetadata", "promptFeedback", "modelVersion", "responseId"];
    if fields.iter().all(|field| at(chunk, field).is_null()) {
        return Err(Fault::NotAnAnswer);
    }
    count(partial, at(chunk, "usageMetadata"));
    partial.known_as(text(chunk, "responseId"));
    let feedback = at(chunk, "promptFeedback");
    if !is_unsaid(text(feedback, "blockReason")) {
        let words = [text(feedback, "blockReasonMessage"), text(feedback, "blockReason")];
        filtered(partial, words);
    }
    // Of several answers to one question the first one counts.
    let is_first = |candidate: &&Value| at(candidate, "index").as_u64().unwrap_or_default() == 0;
    let Some(candidate) = list(chunk, "candidates").iter().find(is_first) else { return Ok(()) };
    for part in list(at(candidate, "content"), "parts") {
        read(state, partial, part)?;
    }
    cite(partial, candidate);
    end_search(partial, candidate);
    end(state, partial, candidate)
}

/// Reads an answer in one piece.
pub(in crate::models) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    event(&mut State::default(), partial, answer)
}

/// Pages that a search has found, and what else the answer goes back to.
fn cite(partial: &mut Partial, candidate: &Value) {
    let grounds = list(at(candidate, "groundingMetadata"), "groundingChunks");
    // What kind of ground it is stands around it: the web, a map, a document.
    let grounds = grounds.iter().flat_map(|ground| ground.as_object().into_iter().flat_map(Map::values));
    let cited = list(at(candidate, "citationMetadata"), "citationSources").iter();
    let cited = cited.chain(list(at(candidate, "citationMetadata"), "citations"));
    grounds.chain(cited).for_each(|source| partial.cite(Source::of(source)));
}

/// What the endpoint does itself: code that it runs, and a search, whose pages come with the end of the answer.
fn serve(partial: &mut Partial, part: &Value) {
    if partial.has_all_served() {
        return;
    }
    let id = |part: &Value, partial: &Partial| match text(part, "id") {
        "" => next_id(partial),
        id => id.to_owned(),
    };
    let (code, call, result) =
        (at(part, "executableCode"), at(part, "toolCall"), at(part, "codeExecutionResult"));
    if code.is_object() {
        partial.begin_served(
            &id(code, partial),
            Provided::CodeExecution,
            json!({ "code": text(code, "code") }),
        );
    }
    if text(call, "toolType").starts_with("GOOGLE_SEARCH") {
        partial.begin_served(&id(call, partial), Provided::WebSearch, at(call, "args").clone());
    }
    let running = partial.open_served(Provided::CodeExecution).next();
    if let (true, Some(id)) = (result.is_object(), running.map(str::to_owned)) {
        let printed = text(result, "output");
        let outcome = match text(result, "outcome") {
            "OUTCOME_OK" | "" => Ok(printed.into()),
            other => Err(if printed.is_empty() { other } else { printed }.to_owned()),
        };
        partial.end_served(&id, Provided::CodeExecution, outcome);
    }
}

/// A name for the next call: older models give none.
fn next_id(partial: &Partial) -> String {
    format!("{}_{}", partial.extras.id, partial.extras.served.len())
}

/// The answer is at its end, and so are its searches.
fn end_search(partial: &mut Partial, candidate: &Value) {
    if is_unsaid(text(candidate, "finishReason")) {
        return;
    }
    let grounding = at(candidate, "groundingMetadata");
    let queries = at(grounding, "webSearchQueries");
    let mut open: Vec<_> = partial.open_served(Provided::WebSearch).map(str::to_owned).collect();
    // Older models do not show the call.
    if open.is_empty() && queries.get(0).is_some() {
        let id = next_id(partial);
        partial.begin_served(&id, Provided::WebSearch, json!({ "queries": queries }));
        open.push(id);
    }
    if open.is_empty() || partial.has_all_served() {
        return;
    }
    let pages = found(list(grounding, "groundingChunks").iter().map(|ground| at(ground, "web")));
    let without = open.len().saturating_sub(MAX_SHARED);
    for (number, id) in open.iter().enumerate() {
        // A copy for each of a thousand searches would be more than there is memory.
        let pages = if number < without { json!([]) } else { pages.clone() };
        partial.end_served(id, Provided::WebSearch, Ok(pages));
    }
}

fn is_unsaid(reason: &str) -> bool {
    reason.is_empty() || reason.ends_with("_UNSPECIFIED")
}

fn filtered(partial: &mut Partial, words: [&str; 2]) {
    partial.finish = Some(Finish::Filtered);
    partial.extras.refusal = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default().to_owned();
}

/// Each count is of the whole answer so far.
fn count(partial: &mut Partial, usage: &Value) {
    if !usage.is_object() {
        return;
    }
    let tokens = |key| at(usage, key).as_u64().unwrap_or_default();
    let thought = tokens("thoughtsTokenCount");
    let input = tokens("promptTokenCount").saturating_add(tokens("toolUsePromptTokenCount"));
    let output = tokens("candidatesTokenCount").saturating_add(thought);
    partial.usage = Some(Usage {
        cached_input_tokens: tokens("cachedContentTokenCount"),
        reasoning_tokens: thought,
        ..Usage::new(input, output)
    });
}

fn read(state: &mut State, partial: &mut Partial, part: &Value) -> Result<(), Fault> {
    if part.as_object().is_none_or(Map::is_empty) {
        return Ok(());
    }
    let call = at(part, "functionCall");
    if call.is_object() {
        return read_call(state, partial, part, call);
    }
    serve(partial, part);
    let said = text(part, "text");
    let is_thought = at(part, "thought") == &Value::Bool(true);
    if is_thought {
        partial.reasoning.push_str(said);
    } else {
        partial.text.push_str(said);
    }
    let inside = at(part, "inlineData");
    if inside.is_object() && !is_thought {
        let data = MediaSource::Data(text(inside, "data").to_owned());
        partial.extras.files.push(Media::made(text(inside, "mimeType"), data));
    }
    if let Some(kind) =
        part.as_object().and_then(|part| part.keys().find(|key| !PARTS.contains(&key.as_str())))
    {
        partial.pass_over(kind);
    }
    let signature = at(part, "thoughtSignature");
    let says_more = !signature.is_null() || !at(part, "text").is_string();
    if said.is_empty() && !says_more {
        return Ok(());
    }
    close(state, partial);
    let kept = kept(state, partial, says_more);
    // Texts grow, until one is signed.
    let last = kept.last_mut().filter(|last| {
        !says_more && at(last, "thoughtSignature").is_null() && at(last, "thought") == at(part, "thought")
    });
    match last.and_then(|last| last.get_mut("text")) {
        Some(Value::String(text)) => text.push_str(said),
        _ => kept.push(sendable(part)),
    }
    Ok(())
}

/// A part as it is sent again: one with nothing but a signature is rejected, unless it has at least an empty text.
fn sendable(part: &Value) -> Value {
    let mut part = part.clone();
    if let Some(map) = part.as_object_mut()
        && map.keys().all(|key| key.starts_with("thought"))
    {
        map.insert("text".to_owned(), "".into());
    }
    part
}

fn read_call(state: &mut State, partial: &mut Partial, part: &Value, call: &Value) -> Result<(), Fault> {
    let name = text(call, "name");
    if !name.is_empty() {
        close(state, partial);
        let number = partial.calls.len();
        if let Some(begun) = partial.call(&number.to_string()) {
            begun.id = text(call, "id").to_owned();
            begun.name = name.to_owned();
        }
        let arguments = at(call, "args").as_object().cloned().unwrap_or_default();
        // The call as it is sent again: without what only says how it came.
        let mut sent = Map::new();
        for key in ["id", "name"] {
            if let Some(value) = call.get(key) {
                sent.insert(key.to_owned(), value.clone());
            }
        }
        let mut part = part.as_object().cloned().unwrap_or_default();
        part.insert("functionCall".to_owned(), sent.into());
        let kept = kept(state, partial, true);
        let place = kept.len();
        kept.push(part.into());
        state.open = Some(Open { part: place, call: number, arguments: arguments.into() });
    }
    let Some(open) = &mut state.open else { return Ok(()) };
    if !list(call, "partialArgs").iter().all(|piece| arguments::add(&mut open.arguments, piece)) {
        return Err(Fault::Broken);
    }
    if at(call, "willContinue") != &Value::Bool(true) {
        close(state, partial);
    }
    Ok(())
}

/// The call that was begun is complete.
fn close(state: &mut State, partial: &mut Partial) {
    let Some(open) = state.open.take() else { return };
    if let Some(call) = partial.calls.get_mut(open.call) {
        call.arguments = json::text(&open.arguments);
    }
    let part = kept(state, partial, true).get_mut(open.part);
    let call = part.and_then(|part| part.get_mut("functionCall")).and_then(Value::as_object_mut);
    if let Some(call) = call {
        call.insert("args".to_owned(), open.arguments);
    }
}

/// Where the parts of the answer are kept: in its echo, once they have more than the reply.
fn kept<'a>(state: &'a mut State, partial: &'a mut Partial, says_more: bool) -> &'a mut Vec<Value> {
    if says_more && partial.echo.is_null() {
        partial.echo = json!({ KEY: std::mem::take(&mut state.parts) });
    }
    match partial.echo.get_mut(KEY) {
        Some(Value::Array(parts)) => parts,
        _ => &mut state.parts,
    }
}

fn end(state: &mut State, partial: &mut Partial, candidate: &Value) -> Result<(), Fault> {
    let reason = text(candidate, "finishReason");
    if is_unsaid(reason) {
        return Ok(());
    }
    // Of a call that is still open, the arguments were cut off.
    if let (Some(open), "MAX_TOKENS") = (&mut state.open, reason) {
        open.arguments = json!({});
    }
    close(state, partial);
    let words = text(candidate, "finishMessage");
    match reason {
        "STOP" => partial.finish = Some(Finish::Stop),
        "MAX_TOKENS" => partial.finish = Some(Finish::Length),
        // The model did not write a call of an offered tool, and its output is lost: another call may do better.
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => {
            let message = [reason, if words.is_empty() { "" } else { ": " }, words].concat();
            return Err(Fault::Reported(json!({ "message": message, "status": reason })));
        }
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => filtered(partial, [words, reason]),
        _ => partial.finish = Some(Finish::Other),
    }
    Ok(())
}
