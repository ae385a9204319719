//! OpenAI chat completions, as most endpoints speak it.

use std::borrow::Cow;

use serde_json::{Map, Value};

pub(super) use self::answer::{event, whole};
use super::address::encoded;
use super::params::{add_tools, params};
use super::presets::{Preset, Quirk, preset};
use super::{Media, Offer, Part, ProvidedOffer, Question, Reply, ToolCall, ToolResult, Turn, structured};
use crate::document::{OutputMode, ToolChoice};
use crate::literal::json;

mod answer;

/// What an answer in JSON is called where it needs a name.
pub(super) const OUTPUT: &str = "answer";

/// Where the question goes, behind the base URL.
pub(super) fn path(question: &Question<'_>) -> String {
    versioned("/chat/completions", question)
}

/// An endpoint that has several versions expects the version in the address.
pub(super) fn versioned(path: &str, question: &Question<'_>) -> String {
    match &question.setup.model.api_version {
        Some(version) => [path, "?api-version=", &encoded(version)].concat(),
        None => path.to_owned(),
    }
}

/// The headers that it needs.
pub(super) fn headers(_question: &Question<'_>, _headers: &mut Map<String, Value>) {}

/// The body of a request.
pub(super) fn body(question: &Question<'_>) -> Value {
    let preset = preset(question.setup.model.provider);
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", question.setup.model.model.as_str().into());
    put("messages", messages(question, preset).into());
    put("stream", true.into());
    if !preset.has(Quirk::NoStreamOptions) {
        put("stream_options", json!({ "include_usage": true }));
    }
    let offered = offered(question, preset);
    if let (Some(choice), false) = (choice(question, preset), offered.is_empty()) {
        put("tool_choice", choice);
    }
    match structured::means(question) {
        Some(OutputMode::Schema) => put("response_format", format(question)),
        Some(OutputMode::Json) => put("response_format", json!({ "type": "json_object" })),
        Some(OutputMode::Prompt) | None => None,
    };
    body.extend(params(question).0);
    add_tools(
        &mut body,
        offered.into_iter().map(tool).chain(question.provided.iter().map(provided)).collect(),
    );
    // Endpoints reject options of a stream if none is requested.
    if body.get("stream") != Some(&Value::Bool(true)) {
        body.shift_remove("stream_options");
    }
    body.into()
}

/// The tools that are offered.
fn offered<'a>(question: &Question<'a>, preset: &Preset) -> Vec<&'a Offer> {
    let is_offered = |tool: &&Offer| match question.choice {
        ToolChoice::Named(name) if preset.has(Quirk::NoNamedTool) => tool.name == *name,
        ToolChoice::None => !preset.has(Quirk::NoNamedTool),
        _ => true,
    };
    question.tools.iter().filter(is_offered).collect()
}

fn choice(question: &Question<'_>, preset: &Preset) -> Option<Value> {
    match question.choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some("required".into()),
        ToolChoice::None => Some("none".into()),
        ToolChoice::Named(_) if preset.has(Quirk::NoNamedTool) => Some("required".into()),
        ToolChoice::Named(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

fn tool(tool: &Offer) -> Value {
    let function = tool.described(json!({ "name": tool.name, "parameters": tool.parameters() }));
    json!({ "type": "function", "function": function })
}

/// OpenRouter's search, the only tool of an endpoint of this format that all its models have.
fn provided(offer: &ProvidedOffer) -> Value {
    let bounds = offer.bounded(json!({}), ["max_uses", "allowed_domains", "excluded_domains"]);
    json!({ "type": "openrouter:web_search", "parameters": bounds })
}

fn format(question: &Question<'_>) -> Value {
    let schema = question.output.unwrap_or(&Value::Null);
    let strict = structured::is_strict(schema);
    json!({ "type": "json_schema", "json_schema": { "name": OUTPUT, "strict": strict, "schema": schema } })
}

fn messages(question: &Question<'_>, preset: &Preset) -> Vec<Value> {
    let mut messages = Vec::new();
    if let Some(instructions) = structured::instructions(question) {
        messages.push(json!({ "role": "system", "content": instructions }));
    }
    for turn in question.turns {
        match turn {
            Turn::User(parts) => messages.push(json!({ "role": "user", "content": content(parts, part) })),
            Turn::Assistant(reply) => messages.push(said(reply, preset)),
            Turn::Tools(results) => gave(&mut messages, results, preset),
        }
    }
    messages
}

/// The results of tools. The format cannot carry images in them: they follow, as if the user showed them.
fn gave(messages: &mut Vec<Value>, results: &[ToolResult], preset: &Preset) {
    let mut shown = Vec::new();
    for result in results {
        let (text, media) = result.as_text(shown.len());
        messages.push(json!({ "role": "tool", "tool_call_id": id(&result.id, preset), "content": text }));
        shown.extend(media);
    }
    if !shown.is_empty() {
        let parts: Vec<Part> = shown.into_iter().map(Part::Media).collect();
        messages.push(json!({ "role": "user", "content": content(&parts, part) }));
    }
}

/// The user's message, as parts of this form; a single text is a string, since some endpoints know no parts.
pub(super) fn content(parts: &[Part], part: fn(&Part) -> Value) -> Value {
    match parts {
        [Part::Text(text)] => text.as_str().into(),
        _ => parts.iter().map(part).collect(),
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Media(media) if media.is_image() => {
            json!({ "type": "image_url", "image_url": { "url": media.url() } })
        }
        Part::Media(media) => file(media),
    }
}

fn file(media: &Media) -> Value {
    if let Some((data, format)) = media.sound() {
        return json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } });
    }
    match media.titled_text() {
        Some(text) => json!({ "type": "text", "text": text }),
        None => {
            json!({ "type": "file", "file": { "filename": media.file_name(), "file_data": media.url() } })
        }
    }
}

/// What the model said.
fn said(reply: &Reply, preset: &Preset) -> Value {
    let is_nothing = reply.text.is_empty() && !reply.calls.is_empty() && !preset.has(Quirk::NoNullContent);
    let content = if is_nothing { Value::Null } else { reply.text.as_str().into() };
    let mut message = json!({ "role": "assistant", "content": content });
    if let Some(map) = message.as_object_mut() {
        if !reply.calls.is_empty() {
            map.insert("tool_calls".to_owned(), reply.calls.iter().map(|one| call(one, preset)).collect());
        }
        answer::put_echo(map, reply, preset);
    }
    message
}

fn call(call: &ToolCall, preset: &Preset) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments() });
    json!({ "id": id(&call.id, preset), "type": "function", "function": function })
}

/// The id of a call as this endpoint takes it: another one may have given it.
fn id<'a>(id: &'a str, preset: &Preset) -> Cow<'a, str> {
    let is_fit = id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_fit || !preset.has(Quirk::NineLetterIds) {
        return id.into();
    }
    // FNV-1a: the same characters for the call and for its result.
    let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut rest = id.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    let mut letter = || {
        let digit = (rest % 36) as u32;
        rest /= 36;
        char::from_digit(digit, 36).unwrap_or_default()
    };
    (0..9).map(|_| letter()).collect()
}

#[cfg(test)]
mod tests;
