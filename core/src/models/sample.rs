//! Questions and answers for the tests of the formats.

use serde_json::{Value, json};

use super::{ModelSetup, Offer, Question, Reply, Stream, ToolCall, ToolResult, Turn};
use crate::document::{Model, Provider, ToolChoice};
use crate::engine::Error;

/// A model with these parameters.
pub(super) fn setup(provider: Provider, model: &str, params: Value) -> ModelSetup {
    let params = params.as_object().cloned().unwrap_or_default();
    let model = Model::new(provider, model);
    ModelSetup { model, function: None, params, price: None, first_token_ms: None, idle_ms: None }
}

/// A question of a conversation, without anything else.
pub(super) fn question<'a>(setup: &'a ModelSetup, turns: &'a [Turn]) -> Question<'a> {
    let choice = &ToolChoice::Auto;
    Question { setup, agent: "a", instructions: None, turns, tools: &[], choice, output: None }
}

/// A tool that takes a city.
pub(super) fn weather() -> Offer {
    let input =
        json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    Offer { name: "weather".to_owned(), description: Some("Tells the weather.".to_owned()), input }
}

/// An answer that calls this tool.
pub(super) fn calling(id: &str, name: &str, input: Value) -> Reply {
    let call = ToolCall { id: id.to_owned(), name: name.to_owned(), input, broken: None };
    Reply { text: "Let me look.".to_owned(), calls: vec![call], ..Reply::default() }
}

/// What a tool gave.
pub(super) fn gave(id: &str, name: &str, output: Value) -> ToolResult {
    ToolResult { id: id.to_owned(), name: name.to_owned(), output, is_error: false }
}

/// The answer in a stream of these events.
pub(super) fn read(provider: Provider, events: &[Value]) -> Result<Reply, Error> {
    let mut stream = Stream::new(provider);
    for event in events {
        stream.push(format!("data: {event}\r\n\r\n").as_bytes())?;
    }
    stream.end()
}

/// The answer in one piece.
pub(super) fn read_whole(provider: Provider, answer: &Value) -> Result<Reply, Error> {
    let mut stream = Stream::new(provider);
    stream.whole(&answer.to_string())?;
    stream.end()
}
