//! An answer as far as it has arrived.

use serde_json::{Map, Value};

use super::{Extras, Finish, Reply, Source, ToolCall};
use crate::document::Provided;
use crate::event::Origin;
use crate::json;
use crate::usage::Usage;

/// Calls that one answer may contain: far more than any model makes, and few enough that finding one among them takes no time.
const MAX_CALLS: usize = 1024;

/// Sources that are kept of one answer.
pub(super) const MAX_SOURCES: usize = 1000;

/// An answer as far as it has arrived.
#[derive(Debug, Default)]
pub struct Partial {
    /// The text.
    pub text: String,
    /// What the model thought.
    pub reasoning: String,
    /// The calls of tools, in the order in which they began.
    pub calls: Vec<PartialCall>,
    /// What was used so far.
    pub usage: Option<Usage>,
    /// Why it ended, once it has said so.
    pub finish: Option<Finish>,
    /// Whether the endpoint has said that nothing more comes.
    pub is_done: bool,
    /// See [`Reply::echo`].
    pub echo: Value,
    /// See [`Reply::extras`].
    pub extras: Box<Extras>,
    /// The first item of a kind that is not understood.
    pub(super) unknown: Option<String>,
    /// The endpoint's own calls that have not ended yet, in the order in which they began.
    pub(super) open: Vec<(Provided, String)>,
}

/// A call as far as it has arrived.
#[derive(Debug, Default)]
pub struct PartialCall {
    /// What identifies it while it arrives.
    pub key: String,
    /// The endpoint's number of it, where it numbers them.
    pub index: Option<u64>,
    /// The endpoint's name for it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The JSON text of the arguments.
    pub arguments: String,
}

impl Partial {
    /// The call of this key, begun if it is new; nothing when there are too many.
    pub fn call(&mut self, key: &str) -> Option<&mut PartialCall> {
        if let Some(place) = self.calls.iter().position(|call| call.key == key) {
            return self.calls.get_mut(place);
        }
        if self.has_too_many_calls() {
            return None;
        }
        self.calls.push(PartialCall { key: key.to_owned(), ..PartialCall::default() });
        self.calls.last_mut()
    }

    /// The size of the answer so far: it grows with each event.
    pub(super) fn bytes(&self) -> usize {
        let calls = self.calls.iter().map(|call| 1 + call.name.len() + call.arguments.len());
        self.text.len()
            + self.reasoning.len()
            + self.extras.refusal.len()
            + self.extras.served.len()
            + calls.sum::<usize>()
    }

    /// Whether more calls were begun than any answer has.
    pub(super) fn has_too_many_calls(&self) -> bool {
        self.calls.len() > MAX_CALLS
    }

    /// Whether nothing was said that anybody could use.
    pub(super) fn is_empty(&self) -> bool {
        let said = [&self.text, &self.extras.refusal];
        said.iter().all(|text| text.is_empty()) && self.calls.is_empty() && self.extras.files.is_empty()
    }

    /// Takes note of the endpoint's name for the answer.
    pub(super) fn known_as(&mut self, id: &str) {
        if self.extras.id.is_empty() {
            id.clone_into(&mut self.extras.id);
        }
    }

    /// Takes note of an item that is not understood.
    pub(super) fn pass_over(&mut self, kind: &str) {
        self.unknown.get_or_insert_with(|| kind.to_owned());
    }

    /// Adds a source. Answers name the same one each time they cite it.
    pub(super) fn cite(&mut self, source: Source) {
        if self.extras.sources.len() >= MAX_SOURCES || source == Source::default() {
            return;
        }
        if !self.extras.sources.contains(&source) {
            self.extras.sources.push(source);
        }
    }

    /// The answer, now that nothing more comes.
    pub(super) fn reply(self) -> Reply {
        let mut calls: Vec<ToolCall> = Vec::new();
        let last = self.calls.len().saturating_sub(1);
        for (number, call) in self.calls.into_iter().enumerate() {
            let mut call = call.whole(number);
            // Of a call that the limit cut off, the arguments are broken, or have not even begun.
            let has_none = || number == last && call.input.as_object().is_some_and(Map::is_empty);
            call.is_cut_off = self.finish == Some(Finish::Length) && (call.broken.is_some() || has_none());
            // Results refer to the id, which some endpoints use twice.
            if calls.iter().any(|other| other.id == call.id) {
                call.id = format!("{}_{number}", call.id);
            }
            calls.push(call);
        }
        // Endpoints say `stop` of answers that only call tools, and the other way round.
        let finish = match self.finish.unwrap_or_default() {
            Finish::Stop | Finish::Other if !calls.is_empty() => Finish::ToolCalls,
            Finish::ToolCalls if calls.is_empty() => Finish::Stop,
            Finish::Stop if self.text.is_empty() && !self.extras.refusal.is_empty() => Finish::Refused,
            finish => finish,
        };
        Reply {
            text: self.text,
            reasoning: self.reasoning,
            calls,
            usage: self.usage,
            finish,
            echo: self.echo,
            extras: self.extras,
            origin: Origin::Real,
        }
    }
}

impl PartialCall {
    fn whole(self, number: usize) -> ToolCall {
        let id = if self.id.is_empty() { format!("call_{number}") } else { self.id };
        // No arguments at all are no arguments.
        let text = if self.arguments.trim().is_empty() { "{}" } else { &self.arguments };
        let (input, broken) = match object(text) {
            Some(input) => (input, None),
            None => (Value::Null, Some(self.arguments)),
        };
        ToolCall { id, name: self.name, input, broken, is_cut_off: false }
    }
}

/// The object that this text is as JSON. Some models write the text of an object into a text, or `null` for nothing.
fn object(text: &str) -> Option<Value> {
    match json::read(text).ok()? {
        Value::Null => Some(Value::Object(Map::new())),
        Value::String(inner) => json::read(&inner).ok().filter(Value::is_object),
        input => Some(input).filter(Value::is_object),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]

    use crate::document::Provider;
    use crate::error::Code;
    use crate::models::Stream;

    const CALLS: usize = super::MAX_CALLS + 1;

    fn call(number: usize, index: &str) -> String {
        format!(r#"{{{index}"id":"c{number}","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    }

    #[test]
    fn calls_without_end_are_refused_while_they_come() {
        let mut stream = Stream::new(Provider::Openai);
        let mut push = |number: usize| {
            let call = call(number, &format!("\"index\":{number},"));
            let chunk = format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n");
            stream.push(chunk.as_bytes())
        };
        (1..CALLS).try_for_each(&mut push).unwrap();
        let error = push(CALLS).unwrap_err();
        assert_eq!(error.code, Code::Limit);
        assert_eq!(error.message, "https://api.openai.com sent calls of tools without end");
    }

    #[test]
    fn calls_without_end_are_refused_in_one_piece() {
        let calls: Vec<String> = (0..CALLS).map(|number| call(number, "")).collect();
        let body = format!(r#"{{"choices":[{{"message":{{"tool_calls":[{}]}}}}]}}"#, calls.join(","));
        let mut stream = Stream::new(Provider::Openai);
        stream.push(body.as_bytes()).unwrap();
        let error = stream.end().unwrap_err();
        assert_eq!(error.message, "https://api.openai.com sent calls of tools without end");
    }
}
