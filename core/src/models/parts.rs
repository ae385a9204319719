//! The request and response format of models that are functions of the host.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::params::params;
use super::stream::Fault;
use super::structured;
use super::{Finish, Media, Offer, Partial, ProvidedOffer, Question, Source, Turn};
use crate::document::{OutputMode, ToolChoice};
use crate::json;
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
    put("messages", question.turns.iter().map(Turn::to_json).collect());
    if !question.tools.is_empty() {
        put("tools", question.tools.iter().map(offer).collect());
        if *question.choice != ToolChoice::Auto {
            put("toolChoice", question.choice.clone().into());
        }
    }
    // No function has such tools: this is for what is compared with a journal.
    if !question.provided.is_empty() {
        let bounded = |offer: &ProvidedOffer| {
            offer.bounded(json!({ "does": offer.tool.does.word() }), ["uses", "allowed", "blocked"])
        };
        put("provided", question.provided.iter().map(bounded).collect());
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
                call.arguments = json::text(part.get("input").unwrap_or(&Value::Null));
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
