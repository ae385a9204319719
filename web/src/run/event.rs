//! The events of a run as the npm package emits them, as far as the page shows them.

use crate::step::upright::{optional, sentence};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an answer goes back to, or what a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Where it is.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What of it is quoted.
    pub text: String,
}

/// Something that happened in a run.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type")]
pub enum Event {
    /// The run begins.
    #[serde(rename = "run.start")]
    RunStart,
    /// The page, and no run, says of one that goes on that nothing of it went on for a while.
    #[serde(rename = "page.away")]
    Away(Away),
    /// A step begins, or begins again.
    #[serde(rename = "step.start")]
    StepStart {
        /// The step.
        step: StepRef,
        /// 1 for the first attempt.
        attempt: u32,
        /// Whether it happened before the run was resumed and is only emitted again.
        #[serde(default)]
        replayed: bool,
    },
    /// A piece of an answer arrived.
    #[serde(rename = "step.delta")]
    StepDelta {
        /// The step.
        step: StepRef,
        /// The piece.
        text: String,
    },
    /// A piece of what a model thinks before it answers arrived.
    #[serde(rename = "step.reasoning")]
    StepReasoning {
        /// The step.
        step: StepRef,
        /// The piece.
        text: String,
    },
    /// The answer so far is discarded: a model is called again.
    #[serde(rename = "step.reset")]
    StepReset {
        /// The step.
        step: StepRef,
    },
    /// A model calls a tool.
    #[serde(rename = "tool.start", rename_all = "camelCase")]
    ToolStart {
        /// The step.
        step: StepRef,
        /// Identifies the call among those of its step.
        call_id: String,
        /// The tool's name.
        tool: String,
        /// What it is called with.
        input: Value,
        /// Whether the provider of the model runs it.
        #[serde(default)]
        by_provider: bool,
    },
    /// A call of a tool gave its output.
    #[serde(rename = "tool.done", rename_all = "camelCase")]
    ToolDone {
        /// The step.
        step: StepRef,
        /// The call.
        call_id: String,
        /// What it gave.
        output: Value,
        /// How long it took.
        duration_ms: f64,
        /// When, in milliseconds since 1970.
        at: Option<f64>,
    },
    /// A call of a tool failed, or was not allowed.
    #[serde(rename = "tool.error", rename_all = "camelCase")]
    ToolError {
        /// The step.
        step: StepRef,
        /// The call.
        call_id: String,
        /// Why.
        error: Failure,
        /// How long it took.
        duration_ms: f64,
        /// When, in milliseconds since 1970.
        at: Option<f64>,
    },
    /// A step is done.
    #[serde(rename = "step.done", rename_all = "camelCase")]
    StepDone {
        /// The step.
        step: StepRef,
        /// How long it took.
        duration_ms: f64,
        /// When, in milliseconds since 1970.
        at: Option<f64>,
        /// What it answered or decided.
        output: Option<Value>,
        /// What it changed in the state.
        patch: Option<Value>,
        /// What its models counted.
        usage: Option<Usage>,
        /// Whether the demo model made it up.
        #[serde(default)]
        simulated: bool,
        /// Whether the step was not run and gave its pinned output.
        #[serde(default)]
        pinned: bool,
        /// What an answer cites.
        #[serde(default)]
        sources: Vec<Source>,
    },
    /// An attempt failed.
    #[serde(rename = "step.error", rename_all = "camelCase")]
    StepError {
        /// The step.
        step: StepRef,
        /// Why.
        error: Failure,
        /// How long it took.
        duration_ms: f64,
        /// When, in milliseconds since 1970.
        at: Option<f64>,
        /// When it is tried again, if it is.
        retry_in_ms: Option<f64>,
    },
    /// A step was left out.
    #[serde(rename = "step.skipped")]
    StepSkipped {
        /// The step.
        step: StepRef,
        /// Why.
        reason: String,
    },
    /// A step waits for a person.
    #[serde(rename = "step.suspended")]
    StepSuspended {
        /// The step.
        step: StepRef,
    },
    /// Something to look at, or a line that a step logged.
    #[serde(rename = "run.warning")]
    RunWarning(Warning),
    /// The run is over.
    #[serde(
        rename = "run.done",
        alias = "run.error",
        alias = "run.budget",
        alias = "run.cancelled",
        alias = "run.suspended"
    )]
    RunEnd {
        /// What it came to.
        result: RunResult,
    },
    /// A kind of event that this page does not know yet.
    #[serde(other)]
    Other,
}

/// A time in which nothing of a run went on, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Away {
    /// From when.
    from: f64,
    /// Until when it was.
    to: f64,
    /// Whether a person's answer was waited for; otherwise the page was closed.
    pub for_person: bool,
    /// Whether other steps went on meanwhile: what has ended before the answer did not wait for it.
    #[serde(default)]
    beside: bool,
}

impl Away {
    /// Whether both are the same time, of which one may be known only in part.
    pub fn begins_with(&self, other: &Self) -> bool {
        self.from.total_cmp(&other.from).is_eq()
    }

    /// How much of it lies in what ended at this time and took so long.
    pub fn within(&self, at: f64, duration_ms: f64) -> f64 {
        if self.beside && at < self.to {
            return 0.0;
        }
        (self.to.min(at) - self.from.max(at - duration_ms)).max(0.0)
    }
}

/// Which execution of which step an event is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRef {
    /// The step's id.
    pub id: String,
    /// The iterations that it is in, then the id, such as `s4#17/s5`; the id alone at the top.
    #[serde(default)]
    key: String,
    /// What people call the step.
    #[serde(default)]
    pub name: String,
}

impl StepRef {
    /// What no other execution of any step has.
    pub fn key(&self) -> &str {
        if self.key.is_empty() { &self.id } else { &self.key }
    }
}

/// An error of the package as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable word for it.
    #[serde(default)]
    pub code: String,
    /// What went wrong.
    #[serde(deserialize_with = "sentence")]
    pub message: String,
    /// What to do.
    #[serde(default, deserialize_with = "optional")]
    pub hint: Option<String>,
    /// Where.
    pub step: Option<StepRef>,
    /// For how long an endpoint has asked to be left alone.
    #[serde(default, rename = "retryAfterMs")]
    pub retry_after_ms: Option<f64>,
}

impl Failure {
    /// Something came from a run that the page cannot read.
    pub fn unreadable(what: &str) -> Self {
        Self {
            code: "internal".to_owned(),
            message: format!("the run told something that the page does not understand: {what}"),
            hint: Some("reload the page".to_owned()),
            step: None,
            retry_after_ms: None,
        }
    }

    /// The file that reads what runs emit did not come.
    pub fn missing() -> Self {
        Self {
            code: "internal".to_owned(),
            message: "a file of the builder could not be loaded, without which no run can be followed"
                .to_owned(),
            hint: Some("check that you are online, and run it again".to_owned()),
            step: None,
            retry_after_ms: None,
        }
    }
}

/// Something to look at, or a line that a step logged.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Warning {
    /// The stable word for it.
    code: String,
    /// What.
    pub message: String,
    /// Where.
    pub step: Option<StepRef>,
}

impl Warning {
    /// Whether it is nothing to worry about: a line that a step's own code logged.
    pub fn is_line(&self) -> bool {
        self.code == "log"
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// `done`, `error`, `budget`, `cancelled` or `suspended`.
    pub status: String,
    /// The state at the end.
    pub state: Value,
    /// Of every step that was reached, in the order of the document.
    #[serde(default)]
    pub step_results: Vec<StepResult>,
    /// What models counted.
    pub usage: Option<Usage>,
    /// What failed.
    #[serde(default)]
    pub errors: Vec<Failure>,
    /// What a suspended run waits for.
    #[serde(default)]
    pub pending: Vec<Pending>,
    /// The journal from which a suspended run is resumed.
    pub journal: Option<Value>,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Pending {
    /// The key of the answer: that of the waiting execution, and of its tool call.
    pub key: String,
    /// The step.
    pub step: StepRef,
    /// The message to the person.
    pub message: Option<String>,
    /// JSON Schema of the answer.
    pub schema: Option<Value>,
    /// The call that is to be allowed, if it is about one.
    pub tool: Option<PendingCall>,
    /// From when on it is too late to answer, in milliseconds since 1970.
    #[serde(rename = "expiresAt")]
    pub expires_at: Option<f64>,
}

/// A call of a tool that waits to be allowed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PendingCall {
    /// The tool's name.
    pub name: String,
    /// What it would be called with.
    pub input: Value,
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct StepResult {
    /// Which execution of which step.
    #[serde(flatten)]
    pub step: StepRef,
    /// `done`, `error`, `skipped`, `cancelled` or `suspended`.
    pub status: String,
}

/// Tokens that models counted, and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
    /// US dollars, where the price is known.
    pub cost: Option<f64>,
}

impl Usage {
    /// As people read it; nothing when no model was called.
    pub fn said(self) -> Option<String> {
        if self.output_tokens == 0 {
            return None;
        }
        let tokens = format!("{} tokens in, {} out", self.input_tokens, self.output_tokens);
        Some(match self.cost {
            Some(cost) if cost >= 0.01 => format!("{tokens}, ${cost:.2}"),
            Some(cost) if cost >= 0.0001 => format!("{tokens}, ${cost:.4}"),
            Some(cost) if cost > 0.0 => format!("{tokens}, less than $0.0001"),
            Some(_) | None => tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use stepweave_core::events::{COMMON, EVENTS, EventField, EventShape, FieldKind, Presence};

    use super::*;

    /// An event of this shape as the package emits it, with those of its fields.
    fn sample(shape: &EventShape, has: impl Fn(&EventField) -> bool) -> Value {
        let step = json!({ "id": "s1", "path": "steps[0]", "name": "one", "key": "s4#2/s1" });
        let mut event = Map::from_iter([("type".to_owned(), shape.name.into())]);
        for field in COMMON.iter().chain(shape.fields).filter(|field| has(field)) {
            let value = match field.kind {
                FieldKind::Text | FieldKind::WarningCode => "text".into(),
                FieldKind::Count => 3.into(),
                FieldKind::Milliseconds => json!(12.5),
                FieldKind::True => true.into(),
                FieldKind::Any => json!({ "any": [1, null] }),
                FieldKind::Step => step.clone(),
                FieldKind::Error => {
                    json!({ "code": "handler", "message": "it broke", "retryable": false, "step": step })
                }
                FieldKind::Usage => json!({ "inputTokens": 12, "outputTokens": 4 }),
                FieldKind::ToolDecisions | FieldKind::Sources | FieldKind::Files => json!([]),
                FieldKind::Result(status) => json!({
                    "runId": "r", "status": status, "state": {}, "stepResults": [], "errors": [], "warnings": [],
                    "usage": { "inputTokens": 0, "outputTokens": 0 },
                }),
            };
            event.insert(field.key.to_owned(), value);
        }
        event.into()
    }

    #[test]
    fn every_event_of_the_table_is_read_with_all_of_its_fields_and_with_those_that_are_always_there() {
        for shape in EVENTS {
            for event in [sample(shape, |_| true), sample(shape, |field| field.presence == Presence::Always)]
            {
                let read: Event = serde_json::from_value(event.clone())
                    .unwrap_or_else(|error| panic!("{} is not read: {error} in {event}", shape.name));
                assert!(!matches!(read, Event::Other), "the page does not know {}", shape.name);
            }
        }
    }

    #[test]
    fn usage_tells_what_it_cost_where_that_is_known() {
        let said = |cost| Usage { input_tokens: 12, output_tokens: 40, cost }.said().unwrap();
        assert_eq!(said(None), "12 tokens in, 40 out");
        assert_eq!(said(Some(0.0)), "12 tokens in, 40 out");
        assert_eq!(said(Some(0.000_02)), "12 tokens in, 40 out, less than $0.0001");
        assert_eq!(said(Some(0.001_24)), "12 tokens in, 40 out, $0.0012");
        assert_eq!(said(Some(1.5)), "12 tokens in, 40 out, $1.50");
        assert_eq!(Usage::default().said(), None);
    }
}
