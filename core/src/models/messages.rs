//! Anthropic Messages.

use serde_json::{Map, Value, json};

use super::stream::Fault;
use super::{Partial, Question};

/// What has to be remembered between two events.
#[derive(Debug, Default)]
pub(super) struct State;

/// Where the question goes, behind the base URL.
pub(super) fn path(_question: &Question<'_>) -> String {
    String::new()
}

/// The headers that it needs.
pub(super) fn headers(_question: &Question<'_>, _headers: &mut Map<String, Value>) {}

/// The body of a request.
pub(super) fn body(_question: &Question<'_>) -> Value {
    json!({})
}

/// Reads an event of a stream.
pub(super) fn event(_state: &mut State, _partial: &mut Partial, _event: &Value) -> Result<(), Fault> {
    Err(Fault::NotAnAnswer)
}

/// Reads an answer in one piece.
pub(super) fn whole(_partial: &mut Partial, _answer: &Value) -> Result<(), Fault> {
    Err(Fault::NotAnAnswer)
}
