//! Reads answers of OpenAI Responses.

use serde_json::Value;

use crate::document::Provided;
use crate::json;
use crate::literal::json;
use crate::models::fields::{at, list, something, text, tokens};
use crate::models::served::found;
use crate::models::stream::Fault;
use crate::models::{Finish, Media, MediaSource, Partial, Source};
use crate::usage::{Usage, cost_in};

/// The key of the echo under which the items stand.
pub(super) const KEY: &str = "responses";

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(in crate::models) struct State {
    /// The items that are whole.
    items: Vec<Value>,
    /// The reasoning comes in full, so that its summary adds nothing.
    has_thoughts: bool,
    /// The text that is arriving.
    open: Open,
}

/// A text that comes in pieces, or whole at its end, or both.
#[derive(Debug, Default)]
struct Open {
    /// What it is.
    kind: String,
    /// Its index among the items, and within its item.
    place: [Option<u64>; 2],
    /// How much of it has come.
    length: usize,
}

impl Open {
    /// Of the text that an event is about, this much more has come.
    fn add(&mut self, kind: &str, event: &Value, length: usize) {
        let place = place(event);
        if self.kind == kind && self.place == place {
            self.length += length;
        } else {
            *self = Self { kind: kind.to_owned(), place, length };
        }
    }

    /// What of a whole text has not come in pieces yet; nothing of one that is another than its pieces said, or that
    /// may have come before this one.
    fn rest<'a>(&self, kind: &str, event: &Value, so_far: &str, whole: &'a str) -> &'a str {
        let place = place(event);
        if self.kind == kind && self.place == place {
            let begins = so_far.get(so_far.len().saturating_sub(self.length)..).unwrap_or_default();
            return whole.strip_prefix(begins).unwrap_or_default();
        }
        let is_new = place > self.place || (place == [None; 2] && so_far.is_empty());
        if is_new { whole } else { "" }
    }
}

fn place(event: &Value) -> [Option<u64>; 2] {
    let part = ["content_index", "summary_index"].iter().find_map(|key| tokens(event, key));
    [tokens(event, "output_index"), part]
}

/// Which text of the answer an event is about, if about any.
fn text_in<'a>(state: &State, partial: &'a mut Partial, kind: &str) -> Option<&'a mut String> {
    Some(match kind {
        "output_text" => &mut partial.text,
        "refusal" => &mut partial.extras.refusal,
        "reasoning_text" => &mut partial.reasoning,
        "reasoning_summary_text" if !state.has_thoughts => &mut partial.reasoning,
        _ => return None,
    })
}

/// Reads an event of a stream.
pub(in crate::models) fn event(state: &mut State, partial: &mut Partial, event: &Value) -> Result<(), Fault> {
    let kind = text(event, "type");
    let delta = text(event, "delta");
    let said = kind.strip_prefix("response.").and_then(|kind| kind.rsplit_once('.')).unwrap_or_default();
    state.has_thoughts |= said == ("reasoning_text", "delta");
    match (said, text_in(state, partial, said.0)) {
        ((_, "delta"), Some(text)) => {
            text.push_str(delta);
            state.open.add(said.0, event, delta.len());
        }
        // Some endpoints give a text at its end only.
        ((kind, "done"), Some(so_far)) => {
            let key = if kind == "refusal" { kind } else { "text" };
            let rest = state.open.rest(kind, event, so_far, text(event, key));
            so_far.push_str(rest);
            if !rest.is_empty() {
                state.open.add(kind, event, rest.len());
            }
        }
        _ => {}
    }
    match kind {
        "response.created" | "response.in_progress" => partial.known_as(text(at(event, "response"), "id")),
        "response.output_text.annotation.added" => partial.cite(Source::of(at(event, "annotation"))),
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
            // Some endpoints send nothing of a message before it is complete.
            let is_new = state.open.length == 0 || place(event)[0] > state.open.place[0];
            for part in list(item, "content").iter().filter(|_| is_new && text(item, "type") == "message") {
                partial.text.push_str(text(part, "text"));
            }
            serve(partial, item);
            state.items.push(item.clone());
        }
        "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
            let response = event.get("response").unwrap_or(&Value::Null);
            let items = std::mem::take(&mut state.items);
            return end(partial, response, items);
        }
        "" => return Err(Fault::NotAnAnswer),
        _ => {}
    }
    Ok(())
}

/// Reads an answer in one piece.
pub(in crate::models) fn whole(partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
    if !at(answer, "output").is_array() && text(answer, "status") != "failed" {
        return Err(Fault::NotAnAnswer);
    }
    end(partial, answer, Vec::new())
}

/// The last word of an answer: it has everything in it, at most endpoints.
fn end(partial: &mut Partial, response: &Value, items: Vec<Value>) -> Result<(), Fault> {
    partial.is_done = true;
    partial.known_as(text(response, "id"));
    if let Some(used) = response.get("usage").and_then(usage) {
        partial.usage = Some(used);
    }
    let why = text(response.get("incomplete_details").unwrap_or(&Value::Null), "reason");
    partial.finish = Some(match (text(response, "status"), why) {
        ("failed" | "cancelled", _) => {
            return Err(Fault::Reported(something(response, "error").unwrap_or(response).clone()));
        }
        ("incomplete", "max_output_tokens") => Finish::Length,
        ("incomplete", "content_filter") => Finish::Filtered,
        ("incomplete", _) => Finish::Other,
        ("completed" | "", _) => Finish::Stop,
        // The answer of a background request has to be fetched later.
        (status, _) => {
            partial.pass_over(status);
            Finish::Other
        }
    });
    let output = list(response, "output");
    let mut items = if output.is_empty() { items } else { output.to_vec() };
    items.iter().for_each(|item| put_more(partial, item));
    if !output.is_empty() {
        put_output(partial, output);
    }
    for item in &mut items {
        mend(item);
    }
    if items.iter().any(says_more) {
        partial.echo = json!({ KEY: items });
    }
    Ok(())
}

/// Whether an item has content that a reply cannot hold.
fn says_more(item: &Value) -> bool {
    let is_plain = matches!(text(item, "type"), "message" | "function_call");
    !is_plain || ["phase", "namespace"].iter().any(|key| something(item, key).is_some())
}

/// Items of tools that the endpoint runs itself.
const SERVED: [&str; 4] = ["web_search_call", "file_search_call", "image_generation_call", "mcp_call"];

/// The call of a tool that the endpoint has run, with what it gave.
fn serve(partial: &mut Partial, item: &Value) {
    let (does, input, output) = match text(item, "type") {
        "web_search_call" => {
            let mut action = at(item, "action").clone();
            let sources = action.as_object_mut().and_then(|action| action.shift_remove("sources"));
            (
                Provided::WebSearch,
                action,
                found(sources.as_ref().and_then(Value::as_array).into_iter().flatten()),
            )
        }
        "code_interpreter_call" => {
            let printed = list(item, "outputs").iter().map(|output| text(output, "logs"));
            let code = json!({ "code": text(item, "code") });
            (Provided::CodeExecution, code, printed.collect::<String>().into())
        }
        _ => return,
    };
    let id = text(item, "id");
    partial.begin_served(id, does, input);
    let outcome = match text(item, "status") {
        "completed" | "" => Ok(output),
        status => Err(status.to_owned()),
    };
    partial.end_served(id, does, outcome);
}

/// What of an item is no text and no call.
fn put_more(partial: &mut Partial, item: &Value) {
    serve(partial, item);
    let kind = text(item, "type");
    match kind {
        "message" => {
            let annotations = list(item, "content").iter().flat_map(|part| list(part, "annotations"));
            annotations.for_each(|annotation| partial.cite(Source::of(annotation)));
        }
        "image_generation_call" if !text(item, "result").is_empty() => {
            let kind = match text(item, "output_format") {
                "" => "image/png".to_owned(),
                format => ["image/", format].concat(),
            };
            partial.extras.files.push(Media::made(&kind, MediaSource::Data(text(item, "result").to_owned())));
        }
        "code_interpreter_call" => {
            let drawn = list(item, "outputs").iter().filter(|output| text(output, "type") == "image");
            partial.extras.files.extend(drawn.filter_map(|output| Media::at(text(output, "url"))));
        }
        "reasoning" | "function_call" => {}
        _ if SERVED.contains(&kind) => {}
        _ => partial.pass_over(kind),
    }
}

/// A call that was cut off is sent again with arguments that can be read.
fn mend(item: &mut Value) {
    let arguments = text(item, "arguments");
    let is_broken = text(item, "type") == "function_call" && json::read(arguments).is_err();
    if let (true, Some(map)) = (is_broken, item.as_object_mut()) {
        map.insert("arguments".to_owned(), "{}".into());
    }
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
                let parts = if thoughts.is_empty() { list(item, "summary") } else { thoughts };
                reasoning.extend(parts.iter().map(|part| text(part, "text")));
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
    (partial.text, partial.extras.refusal, partial.reasoning) = (said, refusal, reasoning);
}

/// Which call an event is about: the index says so, since some endpoints change the ids on the way; others send no
/// index, or neither, and then it is the last one.
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

/// The arguments in one piece, which replaces the pieces that came before.
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
        cache_write_tokens: of("input_tokens_details", "cache_write_tokens").unwrap_or_default(),
        reasoning_tokens: of("output_tokens_details", "reasoning_tokens").unwrap_or_default(),
        cost: cost_in(json),
        ..Usage::new(tokens(json, "input_tokens")?, tokens(json, "output_tokens")?)
    })
}
