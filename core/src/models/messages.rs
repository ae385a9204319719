//! Anthropic Messages.

use serde_json::{Map, Value};

use self::answer::KEY;
pub(super) use self::answer::{State, event, whole};
use super::fields::tokens;
use super::params::{add_tools, params};
use super::presets::preset;
use super::{Media, MediaSource, Offer, Part, ProvidedOffer, Question, Reply, ToolResult, Turn};
use super::{narrow, structured};
use crate::document::{OutputMode, Provided, ToolChoice};
use crate::literal::json;

mod answer;

/// Tokens that an answer may have where nothing else is said: the format wants a number. Every model that is still
/// served takes it, and few answers are longer.
const MAX_TOKENS: u64 = 8192;

/// Where the question goes, behind the base URL.
pub(super) fn path(_question: &Question<'_>) -> String {
    "/messages".to_owned()
}

/// The headers that it needs.
pub(super) fn headers(question: &Question<'_>, headers: &mut Map<String, Value>) {
    let model = &question.setup.model;
    let version = model.api_version.as_deref().unwrap_or(preset(model.provider).api_version);
    headers.insert("anthropic-version".to_owned(), version.into());
    // Only pages may send this one, and have to: hosts elsewhere leave it out.
    headers.insert("anthropic-dangerous-direct-browser-access".to_owned(), "true".into());
}

/// The body of a request.
pub(super) fn body(question: &Question<'_>) -> Value {
    let mut params = params(question).0;
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", question.setup.model.model.as_str().into());
    // What the model thinks counts too.
    let thought = params.get("thinking").and_then(|thinking| tokens(thinking, "budget_tokens"));
    put("max_tokens", MAX_TOKENS.saturating_add(thought.unwrap_or_default()).into());
    if let Some(instructions) = structured::instructions(question) {
        put("system", instructions.as_ref().into());
    }
    put("messages", question.turns.iter().filter_map(message).collect());
    if let (Some(choice), false) = (choice(question.choice), question.tools.is_empty()) {
        put("tool_choice", choice);
    }
    put("stream", true.into());
    if let (Some(OutputMode::Schema), Some(schema)) = (structured::means(question), question.output) {
        let config = params.entry("output_config").or_insert_with(|| json!({}));
        if let Some(config) = config.as_object_mut() {
            let schema = narrow::closed(schema);
            config.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema }));
        }
    }
    body.extend(params);
    add_tools(
        &mut body,
        question.tools.iter().map(tool).chain(question.provided.iter().map(provided)).collect(),
    );
    body.into()
}

/// A turn as a message; nothing for an answer without anything in it, which the format does not allow.
fn message(turn: &Turn) -> Option<Value> {
    let (role, content) = match turn {
        Turn::User(parts) => ("user", parts.iter().filter_map(part).collect()),
        Turn::Assistant(reply) => ("assistant", said(reply)),
        Turn::Tools(results) => ("user", results.iter().map(result).collect()),
    };
    (!content.is_empty()).then(|| json!({ "role": role, "content": content }))
}

fn part(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => text_block(text),
        Part::Media(media) => Some(medium(media)),
    }
}

/// The format refuses texts without anything to be seen.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn medium(media: &Media) -> Value {
    let kind = media.media_type.as_str();
    let is_image = media.is_image();
    let source = match &media.source {
        MediaSource::Url(url) => json!({ "type": "url", "url": url }),
        MediaSource::Data(data) => match media.text() {
            Some(text) => json!({ "type": "text", "media_type": "text/plain", "data": text }),
            None => json!({ "type": "base64", "media_type": kind, "data": data }),
        },
    };
    let mut block = json!({ "type": if is_image { "image" } else { "document" }, "source": source });
    if let (false, Some(name), Some(map)) = (is_image, &media.name, block.as_object_mut()) {
        map.insert("title".to_owned(), name.as_str().into());
    }
    block
}

fn said(reply: &Reply) -> Vec<Value> {
    if let Some(Value::Array(blocks)) = reply.echo.get(KEY) {
        return blocks.clone();
    }
    let calls = reply.calls.iter().map(|call| {
        json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments_object() })
    });
    text_block(&reply.text).into_iter().chain(calls).collect()
}

fn result(result: &ToolResult) -> Value {
    let content = match result.parts() {
        Some(parts) => parts.iter().filter_map(part).collect::<Value>(),
        None => result.text().into(),
    };
    let mut block = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if let (true, Some(map)) = (result.is_error, block.as_object_mut()) {
        map.insert("is_error".to_owned(), true.into());
    }
    block
}

fn tool(offer: &Offer) -> Value {
    offer.described(json!({ "name": offer.name, "input_schema": offer.parameters() }))
}

/// The versions that every model takes which has the tool, without a header of their own.
fn provided(offer: &ProvidedOffer) -> Value {
    let (kind, name) = match offer.tool.does {
        Provided::WebSearch => ("web_search_20250305", answer::SEARCH),
        Provided::CodeExecution => ("code_execution_20250825", answer::CODE),
    };
    offer.bounded(json!({ "type": kind, "name": name }), ["max_uses", "allowed_domains", "blocked_domains"])
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(json!({ "type": "any" })),
        ToolChoice::None => Some(json!({ "type": "none" })),
        ToolChoice::Named(tool) => Some(json!({ "type": "tool", "name": tool })),
    }
}

#[cfg(test)]
mod tests;
