//! OpenAI Responses.

use serde_json::{Map, Value};

pub(super) use self::answer::{State, event, whole};
use super::chat::{OUTPUT, content, versioned};
use super::fields::{list, something, text};
use super::params::{add_tools, params, refuses_sampling};
use super::{Media, MediaSource, Offer, Part, ProvidedOffer, Question, Reply, Turn, structured};
use crate::document::{OutputMode, Provided, ToolChoice};
use crate::literal::json;

mod answer;

/// Where the question goes, behind the base URL.
pub(super) fn path(question: &Question<'_>) -> String {
    versioned("/responses", question)
}

/// The headers that it needs.
pub(super) fn headers(_question: &Question<'_>, _headers: &mut Map<String, Value>) {}

/// The body of a request.
pub(super) fn body(question: &Question<'_>) -> Value {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", question.setup.model.model.as_str().into());
    if let Some(instructions) = structured::instructions(question) {
        put("instructions", instructions.into());
    }
    put("input", input(question.turns).into());
    put("stream", true.into());
    // The conversation is here: nothing of it has to be kept there. What the model thought comes along instead, and
    // is encrypted. Models that do not think, which are those that take a temperature, refuse the wish for it.
    put("store", false.into());
    let thinks = refuses_sampling(question).then_some("reasoning.encrypted_content");
    // What its own tools gave is left out otherwise.
    let found = question.may(Provided::WebSearch).then_some("web_search_call.action.sources");
    let printed = question.may(Provided::CodeExecution).then_some("code_interpreter_call.outputs");
    let include: Vec<Value> = [thinks, found, printed].into_iter().flatten().map(Value::from).collect();
    if !include.is_empty() {
        put("include", include.into());
    }
    if let (Some(choice), false) = (choice(question.choice), question.tools.is_empty()) {
        put("tool_choice", choice);
    }
    match structured::means(question) {
        Some(OutputMode::Schema) => put("text", json!({ "format": format(question) })),
        Some(OutputMode::Json) => put("text", json!({ "format": { "type": "json_object" } })),
        Some(OutputMode::Prompt) | None => None,
    };
    let (mut params, _) = params(question);
    // `text` has other settings than the format.
    if let (Some(Value::Object(more)), Some(Value::Object(text))) = (params.get("text"), body.get_mut("text"))
    {
        text.extend(more.clone());
        params.shift_remove("text");
    }
    body.extend(params);
    add_tools(
        &mut body,
        question.tools.iter().map(tool).chain(question.provided.iter().map(provided)).collect(),
    );
    body.into()
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some("required".into()),
        ToolChoice::None => Some("none".into()),
        ToolChoice::Named(name) => Some(json!({ "type": "function", "name": name })),
    }
}

fn tool(tool: &Offer) -> Value {
    let parameters = tool.parameters();
    // Said nothing, the endpoint takes every schema for a strict one.
    let strict = structured::is_strict(&parameters);
    tool.described(
        json!({ "type": "function", "name": tool.name, "parameters": parameters, "strict": strict }),
    )
}

fn provided(offer: &ProvidedOffer) -> Value {
    match offer.tool.does {
        Provided::CodeExecution => json!({ "type": "code_interpreter", "container": { "type": "auto" } }),
        Provided::WebSearch if offer.tool.allowed_domains.is_empty() => json!({ "type": "web_search" }),
        Provided::WebSearch => {
            let filters = offer.bounded(json!({}), ["max_uses", "allowed_domains", "blocked_domains"]);
            json!({ "type": "web_search", "filters": filters })
        }
    }
}

fn format(question: &Question<'_>) -> Value {
    let schema = question.output.unwrap_or(&Value::Null);
    let strict = structured::is_strict(schema);
    json!({ "type": "json_schema", "name": OUTPUT, "strict": strict, "schema": schema })
}

fn input(turns: &[Turn]) -> Vec<Value> {
    let mut items = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => items.push(json!({ "role": "user", "content": content(parts, part) })),
            Turn::Assistant(reply) => say(&mut items, reply),
            Turn::Tools(results) => items.extend(results.iter().map(|result| {
                let output = match result.parts() {
                    Some(parts) => parts.iter().map(part).collect::<Value>(),
                    None => result.text().into(),
                };
                json!({ "type": "function_call_output", "call_id": result.id, "output": output })
            })),
        }
    }
    items
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Media(media) if media.is_image() => {
            json!({ "type": "input_image", "image_url": media.url() })
        }
        Part::Media(media) => file(media),
    }
}

fn file(media: &Media) -> Value {
    match (&media.source, media.titled_text()) {
        (_, Some(text)) => json!({ "type": "input_text", "text": text }),
        (MediaSource::Url(url), _) => json!({ "type": "input_file", "file_url": url }),
        (MediaSource::Data(_), _) => {
            json!({ "type": "input_file", "filename": media.file_name(), "file_data": media.url() })
        }
    }
}

/// What the model said: its own items where they are known, for they hold what it thought.
fn say(items: &mut Vec<Value>, reply: &Reply) {
    let own = list(&reply.echo, answer::KEY);
    if own.iter().any(|item| text(item, "type") != "reasoning") {
        items.extend(own.iter().filter(|item| can_be_said_again(item)).cloned());
        return;
    }
    if !reply.text.is_empty() {
        // In full: some servers recognise an answer only by its type and parts.
        let content = json!([{ "type": "output_text", "text": reply.text }]);
        items.push(json!({ "type": "message", "role": "assistant", "content": content }));
    }
    items.extend(reply.calls.iter().map(|call| {
        json!({
            "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments(),
        })
    }));
}

/// An endpoint that keeps nothing knows a thought only by what it holds.
fn can_be_said_again(item: &Value) -> bool {
    text(item, "type") != "reasoning"
        || something(item, "encrypted_content").is_some()
        || !list(item, "content").is_empty()
}

#[cfg(test)]
mod tests;
