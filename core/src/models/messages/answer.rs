//! Answers in the form of Anthropic Messages.

use serde_json::{Map, Value};

use crate::document::Provided;
use crate::json;
use crate::literal::json;
use crate::models::fields::{at, list, text, tokens};
use crate::models::served::found;
use crate::models::stream::Fault;
use crate::models::{Finish, Partial, Source};
use crate::usage::Usage;

/// Under this key an echo keeps an answer in this format.
pub(super) const KEY: &str = "messages";

/// What the search is called.
pub(super) const SEARCH: &str = "web_search";

/// What the room is called in which code runs; what is done in it has longer names.
pub(super) const CODE: &str = "code_execution";

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(in crate::models) struct State {
    /// The blocks of the answer, in the order in which they began.
    blocks: Vec<Block>,
    tokens: Tokens,
}

#[derive(Debug)]
struct Block {
    /// The endpoint's number for it.
    index: Option<u64>,
    /// As it was begun, with what was added.
    content: Map<String, Value>,
    /// The JSON text of the arguments, if it calls a tool.
    input: String,
}

/// The usage so far; each event has the total of what changed.
#[derive(Debug, Default)]
struct Tokens {
    input: u64,
    read_from_cache: u64,
    written_to_cache: u64,
    output: u64,
    thought: u64,
}

/// Reads an event of a stream.
pub(in crate::models) fn event(state: &mut State, partial: &mut Partial, event: &Value) -> Result<(), Fault> {
    match at(event, "type").as_str().ok_or(Fault::NotAnAnswer)? {
        "message_start" => message(state, partial, at(event, "message")),
        "content_block_start" => {
            begin(state, partial, tokens(event, "index"), at(event, "content_block"));
        }
        "content_block_delta" => add(state, partial, tokens(event, "index"), at(event, "delta")),
        "content_block_stop" => {
            let is_ended = |block: &&Block| block.index == tokens(event, "index");
            if let Some(block) = state.blocks.iter().rev().find(is_ended) {
                begin_served(partial, &block.content, json::read(&block.input).ok());
            }
        }
        "message_delta" => {
            count(&mut state.tokens, partial, at(event, "usage"));
            end(state, partial, at(event, "delta"));
        }
        "message_stop" => partial.is_done = true,
        // Pings, ends of blocks, and what the endpoint will add one day.
        _ => {}
    }
    Ok(())
}

/// Reads an answer in one piece.
pub(in crate::models) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    if !at(answer, "content").is_array() {
        return Err(Fault::NotAnAnswer);
    }
    message(&mut State::default(), partial, answer);
    Ok(())
}

/// Reads a message, which at the beginning of a stream has seldom anything in it.
fn message(state: &mut State, partial: &mut Partial, message: &Value) {
    partial.known_as(text(message, "id"));
    for content in list(message, "content") {
        begin(state, partial, None, content);
    }
    count(&mut state.tokens, partial, at(message, "usage"));
    end(state, partial, message);
}

fn begin(state: &mut State, partial: &mut Partial, index: Option<u64>, content: &Value) {
    let kind = text(content, "type");
    match kind {
        "text" => partial.text.push_str(text(content, "text")),
        "thinking" | "redacted_thinking" | "tool_use" | "server_tool_use" => {}
        // Pages that a search of the endpoint's own has found, and what else its own tools gave.
        _ if kind.ends_with("_tool_result") => {
            list(content, "content").iter().for_each(|found| partial.cite(Source::of(found)));
            end_served(partial, kind, content);
        }
        _ => partial.pass_over(kind),
    }
    list(content, "citations").iter().for_each(|citation| partial.cite(Source::of(citation)));
    partial.reasoning.push_str(text(content, "thinking"));
    if kind == "tool_use"
        && let Some(call) = partial.call(&state.blocks.len().to_string())
    {
        call.id = text(content, "id").to_owned();
        call.name = text(content, "name").to_owned();
        // Streams begin with no arguments, whole answers have them here.
        if at(content, "input").as_object().is_some_and(|input| !input.is_empty()) {
            call.arguments = json::text(at(content, "input"));
        }
    }
    let content = content.as_object().cloned().unwrap_or_default();
    // In a whole answer it does not grow.
    if index.is_none() {
        begin_served(partial, &content, content.get("input").cloned());
    }
    state.blocks.push(Block { index, content, input: String::new() });
}

/// What is done by a tool of this name, or one whose result has it.
fn done_by(name: &str) -> Option<Provided> {
    match name {
        SEARCH => Some(Provided::WebSearch),
        _ => name.ends_with(CODE).then_some(Provided::CodeExecution),
    }
}

fn begin_served(partial: &mut Partial, content: &Map<String, Value>, input: Option<Value>) {
    let name = if text_of(content, "type") == "server_tool_use" { text_of(content, "name") } else { "" };
    if let Some(does) = done_by(name) {
        partial.begin_served(text_of(content, "id"), does, input.unwrap_or_else(|| json!({})));
    }
}

fn end_served(partial: &mut Partial, kind: &str, result: &Value) {
    let Some(does) = kind.strip_suffix("_tool_result").and_then(done_by) else { return };
    let given = at(result, "content");
    let outcome = match (text(given, "error_code"), given.as_array()) {
        ("", Some(pages)) => Ok(found(pages)),
        // What a command printed; what was read or written of a file.
        ("", None) => Ok(["stdout", "stderr", "content"].map(|key| text(given, key)).concat().into()),
        (code, _) => Err(code.to_owned()),
    };
    partial.end_served(text(result, "tool_use_id"), does, outcome);
}

fn add(state: &mut State, partial: &mut Partial, index: Option<u64>, delta: &Value) {
    let Some((number, block)) =
        state.blocks.iter_mut().enumerate().rev().find(|(_, block)| block.index == index)
    else {
        return;
    };
    match text(delta, "type") {
        "text_delta" => {
            partial.text.push_str(text(delta, "text"));
            push(&mut block.content, "text", text(delta, "text"));
        }
        "thinking_delta" => {
            partial.reasoning.push_str(text(delta, "thinking"));
            push(&mut block.content, "thinking", text(delta, "thinking"));
        }
        "signature_delta" => push(&mut block.content, "signature", text(delta, "signature")),
        "input_json_delta" => {
            let json = text(delta, "partial_json");
            if text_of(&block.content, "type") == "tool_use"
                && let Some(call) = partial.call(&number.to_string())
            {
                // What it began with was not the beginning of this.
                if block.input.is_empty() && !json.is_empty() {
                    call.arguments.clear();
                }
                call.arguments.push_str(json);
            }
            block.input.push_str(json);
        }
        "citations_delta" => partial.cite(Source::of(at(delta, "citation"))),
        // Such a delta gives the whole of its fields, as those of a compaction do.
        _ => {
            let fields = delta.as_object().into_iter().flatten().filter(|(key, _)| *key != "type");
            block.content.extend(fields.map(|(key, value)| (key.clone(), value.clone())));
        }
    }
}

fn text_of<'a>(map: &'a Map<String, Value>, key: &str) -> &'a str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn push(map: &mut Map<String, Value>, key: &str, more: &str) {
    match map.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        _ => {
            map.insert(key.to_owned(), more.into());
        }
    }
}

fn count(tokens: &mut Tokens, partial: &mut Partial, usage: &Value) {
    if !usage.is_object() {
        return;
    }
    let details = at(usage, "output_tokens_details");
    for (counted, reported) in [
        (&mut tokens.input, at(usage, "input_tokens")),
        (&mut tokens.read_from_cache, at(usage, "cache_read_input_tokens")),
        (&mut tokens.written_to_cache, at(usage, "cache_creation_input_tokens")),
        (&mut tokens.output, at(usage, "output_tokens")),
        (&mut tokens.thought, at(details, "thinking_tokens")),
    ] {
        *counted = reported.as_u64().unwrap_or(*counted);
    }
    // The endpoint counts apart what it reads from its cache and writes there.
    let input = tokens.input.saturating_add(tokens.read_from_cache).saturating_add(tokens.written_to_cache);
    partial.usage = Some(Usage {
        cached_input_tokens: tokens.read_from_cache,
        cache_write_tokens: tokens.written_to_cache,
        reasoning_tokens: tokens.thought,
        ..Usage::new(input, tokens.output)
    });
}

fn end(state: &mut State, partial: &mut Partial, said: &Value) {
    let Some(reason) = at(said, "stop_reason").as_str() else { return };
    partial.finish = Some(match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "tool_use" => Finish::ToolCalls,
        "refusal" => Finish::Refused,
        "pause_turn" => Finish::Paused,
        _ => Finish::Other,
    });
    let details = at(said, "stop_details");
    let words = [text(details, "explanation"), text(details, "category")];
    partial.extras.refusal.push_str(words.into_iter().find(|words| !words.is_empty()).unwrap_or_default());
    let blocks = std::mem::take(&mut state.blocks);
    // Texts and calls are in the reply already.
    let says_more = |block: &Block| !matches!(text_of(&block.content, "type"), "text" | "tool_use");
    if blocks.iter().any(says_more) {
        let kept: Vec<Value> = blocks.into_iter().filter_map(Block::kept).collect();
        partial.echo = json!({ KEY: kept });
    }
}

impl Block {
    /// The block as it can be sent again.
    fn kept(mut self) -> Option<Value> {
        let is_blank = |key| text_of(&self.content, key).trim().is_empty();
        let is_refused = match text_of(&self.content, "type") {
            "text" => is_blank("text"),
            // Thoughts that were cut off were not signed.
            "thinking" => is_blank("signature"),
            _ => false,
        };
        if is_refused {
            return None;
        }
        if !self.input.is_empty() {
            let input: Value = json::read(&self.input).unwrap_or_default();
            let input = if input.is_object() { input } else { json!({}) };
            self.content.insert("input".to_owned(), input);
        }
        self.content.shift_remove("citations");
        Some(self.content.into())
    }
}
