//! What is known of one execution of a step, and of the calls of tools in it.

use std::io::{self, ErrorKind, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{Failure, Source, Usage};
use super::status::Status;
use crate::model::readable::readable;
use crate::step::span::{Took, measured};
use crate::step::upright::{upright, upright_json};

/// What is known of one execution of a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepRun {
    /// What the step is called, as it was when the run began.
    pub name: String,
    /// How far it is.
    pub status: Status,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// What has arrived of an answer.
    pub text: String,
    /// What has arrived of what its model thought.
    pub reasoning: String,
    /// The tools that its model called, in order.
    pub calls: Vec<CallRun>,
    /// What it answered or decided.
    pub output: Option<Value>,
    /// What it changed in the state.
    pub patch: Option<Value>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// How long it took.
    pub took: Option<Took>,
    /// What its models counted.
    pub usage: Option<Usage>,
    /// Until when it waits for its next attempt, since one has failed.
    pub retry: Option<Retry>,
    /// Whether the demo model made the answer up.
    pub simulated: bool,
    /// Whether it was not run and gave its pinned output.
    pub pinned: bool,
    /// What its answer cites.
    pub sources: Vec<Source>,
    /// Why it was left out.
    pub reason: Option<String>,
}

/// A wait for the next attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// For how long.
    pub in_ms: f64,
    /// Until when, in milliseconds since 1970.
    pub at: f64,
}

/// What is known of a call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRun {
    /// Identifies it among the calls of its step.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// What it was called with.
    pub input: Value,
    /// Whether the provider of the model ran it.
    pub by_provider: bool,
    /// Its outcome; nothing yet while it is in progress.
    pub end: Option<Result<Value, Failure>>,
    /// How long it took.
    pub duration_ms: Option<f64>,
}

impl CallRun {
    /// How far it is.
    pub fn status(&self) -> Status {
        match &self.end {
            None => Status::Running,
            Some(Ok(_)) => Status::Done,
            Some(Err(_)) => Status::Error,
        }
    }
}

impl StepRun {
    /// What the step has to show, its answer, what it decided, or what it set, to be read at a glance and in at most so
    /// many bytes: the beginning, but the end of what still arrives. Takes no longer for a value that is longer.
    pub fn shown(&self, most: usize) -> Option<String> {
        if let Some(failure) = &self.error {
            return Some(beginning(&failure.message, most));
        }
        match (&self.output, &self.patch) {
            (Some(Value::String(text)), _) => Some(beginning(text, most)),
            (Some(value), _) if !value.is_null() => Some(beginning_of_value(value, most)),
            (_, Some(patch)) if self.text.is_empty() => Some(beginning_of_value(patch, most)),
            _ if !self.text.is_empty() && self.status == Status::Running => Some(end(&self.text, most)),
            _ if !self.text.is_empty() => Some(beginning(&self.text, most)),
            _ if self.status == Status::Running => self.doing(),
            _ => self.reason.clone(),
        }
    }

    /// For how long it waits for which attempt, if it does.
    pub fn waits(&self) -> Option<String> {
        let Retry { in_ms, .. } = self.retry.filter(|_| self.status == Status::Running)?;
        Some(format!("Waits {} for attempt {}", measured(in_ms), self.attempt + 1))
    }

    /// How often a loop has run its steps.
    pub fn rounds(&self) -> Option<u64> {
        self.output.as_ref()?.get("iterations")?.as_u64()
    }

    /// What it has answered, as a text: also of a whole response, or what has arrived so far.
    pub fn answer(&self) -> Option<String> {
        match &self.output {
            Some(Value::Object(response)) if response.contains_key("finishReason") => {
                response.get("text").and_then(Value::as_str).map(str::to_owned)
            }
            Some(value) if !value.is_null() => Some(readable(value)),
            _ => Some(self.text.clone()).filter(|text| !text.is_empty()),
        }
    }

    /// The only value that it has set, with its key, where that is a text.
    pub fn set_text(&self) -> Option<(&str, &str)> {
        let mut set = self.patch.as_ref()?.as_object()?.iter();
        match (set.next(), set.next()) {
            (Some((key, Value::String(text))), None) => Some((key, text)),
            _ => None,
        }
    }

    /// How many calls of tools failed, whatever the step made of that.
    pub fn failed_calls(&self) -> usize {
        self.calls.iter().filter(|call| matches!(call.end, Some(Err(_)))).count()
    }

    /// The last call that failed: its tool, and what was said.
    pub fn last_failed_call(&self) -> Option<(&str, &Failure)> {
        self.calls
            .iter()
            .rev()
            .find_map(|call| Some((call.tool.as_str(), call.end.as_ref()?.as_ref().err()?)))
    }

    /// What a model does that has not begun its answer.
    fn doing(&self) -> Option<String> {
        let open: Vec<&str> =
            self.calls.iter().filter(|call| call.end.is_none()).map(|call| call.tool.as_str()).collect();
        match open.is_empty() {
            false => Some(format!("Calls {}…", open.join(", "))),
            true => (!self.reasoning.is_empty()).then(|| "Thinks…".to_owned()),
        }
    }

    /// Records the outcome of a tool call.
    pub fn end_call(&mut self, id: &str, end: Result<Value, Failure>, duration_ms: f64) {
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.id == id) {
            call.end = Some(end);
            call.duration_ms = Some(duration_ms);
        }
    }
}

/// The first bytes of a text, cut between letters.
pub(super) fn beginning(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text).to_owned()
}

fn end(text: &str, most: usize) -> String {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(most))..).unwrap_or(text).to_owned()
}

/// What an object has reads as a list, and everything else as JSON.
fn beginning_of_value(value: &Value, most: usize) -> String {
    let Some(members) = value.as_object().filter(|members| !members.is_empty()) else {
        return beginning_of_json(value, most);
    };
    let mut written = String::new();
    for (key, value) in members {
        let left = most.saturating_sub(written.len());
        if left == 0 {
            break;
        }
        let separator = if written.is_empty() { "" } else { ", " };
        written.extend([separator, key, ": "]);
        written.push_str(&match value {
            Value::String(text) => beginning(text, left),
            value => beginning_of_json(value, left),
        });
    }
    upright(beginning(&written, most))
}

fn beginning_of_json(value: &Value, most: usize) -> String {
    let mut room = Room { bytes: Vec::new(), most };
    // What does not fit any more ends the writing.
    let _ = serde_json::to_writer(&mut room, value);
    upright_json(room.bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()).to_owned())
}

/// Takes so many bytes and then no more.
struct Room {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.most - self.bytes.len());
        if fits == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        self.bytes.extend(bytes.iter().take(fits));
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_shown_is_cut_between_letters() {
        let output = |output: Value| StepRun { output: Some(output), ..StepRun::default() };
        assert_eq!(output(json!("Bienenstöcke")).shown(9).as_deref(), Some("Bienenst"));
        assert_eq!(output(json!([{ "a": "ööö" }])).shown(9).as_deref(), Some("[{\"a\":\"ö"));
        assert_eq!(output(json!([1, 2])).shown(usize::MAX).as_deref(), Some("[1,2]"));
    }

    #[test]
    fn what_was_set_reads_as_a_list() {
        let set =
            |patch: Value, most| StepRun { patch: Some(patch), ..StepRun::default() }.shown(most).unwrap();
        let patch = json!({ "kind": "billing", "score": 0.5, "tags": ["a"], "none": null });
        assert_eq!(set(patch.clone(), 600), "kind: billing, score: 0.5, tags: [\"a\"], none: null");
        assert_eq!(set(patch, 10), "kind: bill");
        assert_eq!(set(json!({ "größe": "ööö" }), 10), "größe: ");
        assert_eq!(set(json!({}), 600), "{}");
        assert_eq!(set(json!({ "a": "\u{202e}x" }), 600), "a: [U+202E]x");
    }

    #[test]
    fn an_answer_is_a_text() {
        let output =
            |output: Value| StepRun { output: Some(output), text: "half".into(), ..StepRun::default() };
        assert_eq!(output(json!("Bees.")).answer().as_deref(), Some("Bees."));
        assert_eq!(
            output(json!({ "text": "Bees.", "finishReason": "stop" })).answer().as_deref(),
            Some("Bees.")
        );
        assert_eq!(
            output(json!({ "text": "Bees." })).answer().as_deref(),
            Some("{\n  \"text\": \"Bees.\"\n}")
        );
        assert_eq!(StepRun { text: "half".into(), ..StepRun::default() }.answer().as_deref(), Some("half"));
        assert_eq!(StepRun::default().answer(), None);
    }

    #[test]
    fn of_what_still_arrives_the_end_is_shown() {
        let run = |status| StepRun { status, text: "Bees dance.".to_owned(), ..StepRun::default() };
        assert_eq!(run(Status::Running).shown(6).as_deref(), Some("dance."));
        assert_eq!(run(Status::Cancelled).shown(4).as_deref(), Some("Bees"));
    }
}
