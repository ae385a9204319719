//! The request and response format of models that are functions of the host.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::params::params;
use super::stream::Fault;
use super::structured;
use super::{Finish, Media, Offer, Part, Partial, Question, Source, ToolCall, ToolResult, Turn};
use crate::document::{OutputMode, ToolChoice};
use crate::literal::json;
use crate::usage::Usage;

/// What the function is given.
pub(crate) fn body(question: &Question<'_>) -> Value {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", question.setup.model.model.as_str().into());
    // A function knows itself how to produce a value, unless the mode is set.
    let is_said =
        !matches!(question.output_mode.or(question.setup.model.output_mode), None | Some(OutputMode::Schema));
    let instructions = match is_said {
        true => structured::instructions(question),
        false => question.instructions.filter(|text| !text.is_empty()).map(Cow::Borrowed),
    };
    if let Some(instructions) = instructions {
        put("instructions", instructions.into());
    }
    put("messages", question.turns.iter().map(message).collect());
    if !question.tools.is_empty() {
        put("tools", question.tools.iter().map(offer).collect());
        if *question.choice != ToolChoice::Auto {
            put("toolChoice", question.choice.clone().into());
        }
    }
    if let (Some(output), false) = (question.output, is_said) {
        put("output", output.clone());
    }
    put("params", params(question).0.into());
    body.into()
}

fn offer(tool: &Offer) -> Value {
    tool.described(json!({ "name": tool.name, "input": tool.input }))
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User(parts) => json!({ "role": "user", "content": parts.iter().map(part).collect::<Vec<_>>() }),
        Turn::Assistant(reply) => {
            let mut content = Vec::new();
            if !reply.reasoning.is_empty() {
                content.push(json!({ "type": "reasoning", "text": reply.reasoning }));
            }
            if !reply.text.is_empty() {
                content.push(json!({ "type": "text", "text": reply.text }));
            }
            content.extend(reply.calls.iter().map(call));
            let mut message = json!({ "role": "assistant", "content": content });
            if let (false, Some(map)) = (reply.echo.is_null(), message.as_object_mut()) {
                map.insert("echo".to_owned(), reply.echo.clone());
            }
            message
        }
        Turn::Tools(results) => {
            json!({ "role": "tool", "results": results.iter().map(result).collect::<Vec<_>>() })
        }
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Media(media) => media.to_json(),
    }
}

fn call(call: &ToolCall) -> Value {
    json!({ "type": "toolCall", "id": call.id, "name": call.name, "input": call.input })
}

fn result(result: &ToolResult) -> Value {
    let mut json = json!({ "id": result.id, "name": result.name, "output": result.output });
    if let (true, Some(map)) = (result.is_error, json.as_object_mut()) {
        map.insert("isError".to_owned(), true.into());
    }
    json
}

/// Reads a response part of the function.
pub(super) fn event(partial: &mut Partial, part: &Value) -> Result<(), Fault> {
    let text = |key| part.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "text" => partial.text.push_str(text("text")),
        "reasoning" => partial.reasoning.push_str(text("text")),
        "toolCall" => {
            let key = partial.calls.len().to_string();
            if let Some(call) = partial.call(&key) {
                call.id = text("id").to_owned();
                call.name = text("name").to_owned();
                call.arguments = part.get("input").unwrap_or(&Value::Null).to_string();
            }
        }
        "source" => partial.cite(Source::of(part)),
        "image" | "file" => partial.extras.files.extend(Media::from_json(part)),
        "response" => partial.known_as(text("id")),
        "usage" => partial.usage = Some(Usage::from_json(part)),
        "echo" => partial.echo = part.get("value").cloned().unwrap_or_default(),
        "finish" => {
            partial.finish = Some(Finish::from_word(text("reason")));
            partial.extras.refusal.push_str(text("text"));
            partial.is_done = true;
        }
        _ => return Err(Fault::Broken),
    }
    Ok(())
}
