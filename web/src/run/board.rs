//! What is known of the run that the page shows: its status, and that of each step.

use std::collections::HashMap;

use serde_json::Value;

use super::event::{Event, Failure, Pending, RunResult, StepRef, Usage, Warning};
use super::executions::Executions;

/// How far a step, or the whole run, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Nothing has happened yet.
    #[default]
    Idle,
    /// It is in progress.
    Running,
    /// It ended well.
    Done,
    /// It failed.
    Error,
    /// Its model calls used all that they may.
    Budget,
    /// It was left out.
    Skipped,
    /// It was stopped.
    Cancelled,
    /// It waits for a person.
    Suspended,
}

impl Status {
    /// The word that people read, also the name of its colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Done => "done",
            Self::Error => "error",
            Self::Budget => "budget",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Suspended => "suspended",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "done" => Self::Done,
            "error" => Self::Error,
            "budget" => Self::Budget,
            "skipped" => Self::Skipped,
            "cancelled" => Self::Cancelled,
            "suspended" => Self::Suspended,
            _ => Self::Idle,
        }
    }
}

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
    pub duration_ms: Option<f64>,
    /// What its models counted.
    pub usage: Option<Usage>,
    /// When a failed attempt is repeated.
    pub retry_in_ms: Option<f64>,
    /// Whether the demo model made the answer up.
    pub simulated: bool,
    /// Why it was left out.
    pub reason: Option<String>,
}

/// What is known of a call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRun {
    /// Identifies it among the calls of its step.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// What it was called with.
    pub input: Value,
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
    /// What the step has to show: its answer, what it decided, or what it set.
    pub fn shown(&self) -> Option<String> {
        if let Some(failure) = &self.error {
            return Some(failure.message.clone());
        }
        match (&self.output, &self.patch) {
            (Some(Value::String(text)), _) => Some(text.clone()),
            (Some(value), _) if !value.is_null() => Some(value.to_string()),
            (_, Some(patch)) if self.text.is_empty() => Some(patch.to_string()),
            _ if !self.text.is_empty() => Some(self.text.clone()),
            _ if self.status == Status::Running => self.doing(),
            _ => self.reason.clone(),
        }
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

    fn end_call(&mut self, id: &str, end: Result<Value, Failure>, duration_ms: f64) {
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.id == id) {
            call.end = Some(end);
            call.duration_ms = Some(duration_ms);
        }
    }
}

/// The run that the page shows.
#[derive(Debug, Clone, Default)]
pub struct Board {
    /// How far the run is.
    pub status: Status,
    /// What is known of each step, by its id.
    pub steps: HashMap<String, Executions>,
    /// The ids in the order in which steps were reached.
    pub order: Vec<String>,
    /// What it came to.
    pub result: Option<RunResult>,
    /// Why it could not be run at all.
    pub refusal: Option<Failure>,
    /// The result before it was resumed.
    before: Option<Box<RunResult>>,
    /// Its warnings, and the lines that steps logged.
    pub warnings: Vec<Warning>,
}

impl Board {
    /// The board of a run that begins now.
    pub fn starting() -> Self {
        Self { status: Status::Running, ..Self::default() }
    }

    /// The board of a resumed run: events up to there are emitted once more, or it continues.
    pub fn resumed(&self) -> Self {
        Self {
            status: Status::Running,
            steps: self.steps.clone(),
            order: self.order.clone(),
            before: self.result.clone().map(Box::new),
            ..Self::default()
        }
    }

    /// What is known of a step.
    pub fn step(&self, id: &str) -> Option<&Executions> {
        self.steps.get(id)
    }

    /// The approvals that an execution waits for: one, or several tool calls.
    pub fn pending(&self, key: &str) -> Vec<&Pending> {
        let asked = self.result.iter().flat_map(|result| &result.pending);
        asked.filter(|one| one.step.key() == key).collect()
    }

    /// Takes an event in. Gives the id of the step that it changed.
    pub fn take(&mut self, event: Event) -> Option<String> {
        match event {
            Event::StepStart { step, attempt, .. } => {
                let name = step.name.clone();
                let fresh = StepRun { name, status: Status::Running, attempt, ..StepRun::default() };
                self.change(step, |own| {
                    // The results of tools stay when a model is called again.
                    let calls = if attempt > 1 { std::mem::take(&mut own.calls) } else { Vec::new() };
                    *own = StepRun { calls, ..fresh };
                })
            }
            Event::StepDelta { step, text } => self.change(step, |own| own.text.push_str(&text)),
            Event::StepReasoning { step, text } => self.change(step, |own| own.reasoning.push_str(&text)),
            Event::StepReset { step } => self.change(step, |own| {
                own.text.clear();
                own.reasoning.clear();
            }),
            Event::ToolStart { step, call_id: id, tool, input } => self.change(step, |own| {
                own.calls.push(CallRun { id, tool, input, end: None, duration_ms: None });
            }),
            Event::ToolDone { step, call_id, output, duration_ms } => {
                self.change(step, |own| own.end_call(&call_id, Ok(output), duration_ms))
            }
            Event::ToolError { step, call_id, error, duration_ms } => {
                self.change(step, |own| own.end_call(&call_id, Err(error), duration_ms))
            }
            Event::StepDone { step, duration_ms, output, patch, usage, simulated } => {
                self.change(step, |own| {
                    own.status = Status::Done;
                    own.duration_ms = Some(duration_ms);
                    own.usage = usage;
                    (own.output, own.patch, own.simulated, own.error) = (output, patch, simulated, None);
                })
            }
            Event::StepError { step, error, duration_ms, retry_in_ms } => self.change(step, |own| {
                own.status = if retry_in_ms.is_some() { Status::Running } else { Status::Error };
                own.duration_ms = Some(duration_ms);
                own.retry_in_ms = retry_in_ms;
                own.error = Some(error);
            }),
            Event::StepSkipped { step, reason } => self.change(step, |own| {
                own.status = Status::Skipped;
                own.reason = Some(reason);
            }),
            Event::StepSuspended { step } => self.change(step, |own| own.status = Status::Suspended),
            Event::RunWarning(warning) => {
                self.warnings.push(warning);
                None
            }
            Event::RunEnd { result } => {
                match self.refused_answer(&result) {
                    Some(failure) => self.refuse(failure),
                    None => self.end(result),
                }
                None
            }
            Event::RunStart | Event::Other => None,
        }
    }

    /// Ends the run because it could not be run at all, or the engine failed. A resumed run waits for
    /// its answer as before.
    pub fn refuse(&mut self, failure: Failure) {
        match self.before.take() {
            Some(before) => self.end(*before),
            None => {
                self.status = if failure.code == "cancelled" { Status::Cancelled } else { Status::Error };
                self.settle(Status::Running, Status::Cancelled);
            }
        }
        self.refusal = Some(failure);
    }

    /// Why a person's answer was refused, if that is what ended the run.
    fn refused_answer(&self, result: &RunResult) -> Option<Failure> {
        let before = self.before.as_ref().filter(|_| result.status == "error")?;
        let asked = |step: &StepRef| before.pending.iter().any(|question| question.step.key() == step.key());
        let refused = |error: &&Failure| error.code == "validation" && error.step.as_ref().is_some_and(asked);
        result.errors.iter().find(refused).cloned()
    }

    fn end(&mut self, result: RunResult) {
        self.status = Status::of(&result.status);
        for told in &result.step_results {
            let own = self.steps.get_mut(&told.step.id);
            if let Some(own) = own.filter(|own| own.get(told.step.key()).is_some()) {
                own.change(told.step.key(), |run| run.status = Status::of(&told.status));
            }
        }
        for question in &result.pending {
            self.change(question.step.clone(), |own| own.status = Status::Suspended);
        }
        // What still runs when a run is suspended is what the question stands in.
        let left = if self.status == Status::Suspended { Status::Suspended } else { Status::Cancelled };
        self.settle(Status::Running, left);
        self.result = Some(result);
    }

    fn settle(&mut self, from: Status, to: Status) {
        self.steps.values_mut().for_each(|step| step.settle(from, to));
    }

    fn change(&mut self, step: StepRef, change: impl FnOnce(&mut StepRun)) -> Option<String> {
        if !self.steps.contains_key(&step.id) {
            self.order.push(step.id.clone());
        }
        let own = self.steps.entry(step.id.clone()).or_default();
        own.change(step.key(), |run| {
            if run.name.is_empty() {
                run.name.clone_from(&step.name);
            }
            change(run);
        });
        Some(step.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn board(events: &[Value]) -> Board {
        let mut board = Board::starting();
        for event in events {
            board.take(serde_json::from_value(event.clone()).unwrap());
        }
        board
    }

    fn step() -> Value {
        json!({ "id": "s1", "path": "steps[0]", "name": "research" })
    }

    #[test]
    fn text_streams_until_the_answer_is_there() {
        let start = json!({ "type": "step.start", "seq": 1, "at": 0, "step": step(), "attempt": 1 });
        let delta = |text: &str| json!({ "type": "step.delta", "step": step(), "text": text });
        let streaming = board(&[start.clone(), delta("Bees "), delta("dance")]);
        assert_eq!(streaming.step("s1").unwrap().latest().unwrap().shown().as_deref(), Some("Bees dance"));
        let done = json!({ "type": "step.done", "step": step(), "attempts": 1, "durationMs": 12, "output": "Bees dance.", "simulated": true });
        let board = board(&[start, delta("Bees "), done]);
        let research = board.step("s1").unwrap().latest().unwrap();
        assert_eq!((research.status, research.simulated), (Status::Done, true));
        assert_eq!(research.shown().as_deref(), Some("Bees dance."));
    }

    #[test]
    fn a_repeated_attempt_begins_with_empty_text() {
        let start = |attempt| json!({ "type": "step.start", "step": step(), "attempt": attempt });
        let error = json!({ "type": "step.error", "step": step(), "attempts": 1, "durationMs": 5, "retryInMs": 100,
            "error": { "code": "network", "message": "it broke off", "retryable": true } });
        let waiting = board(&[start(1), error.clone()]);
        assert_eq!(waiting.step("s1").unwrap().status(), Status::Running);
        let board = board(&[start(1), error, start(2)]);
        assert_eq!(board.step("s1").unwrap().latest().unwrap().error, None);
        assert_eq!(board.order, ["s1"]);
    }

    #[test]
    fn the_end_settles_what_was_running() {
        let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
        let end = json!({ "type": "run.cancelled", "result": { "runId": "r", "status": "cancelled", "state": {},
            "stepResults": [], "usage": { "inputTokens": 1, "outputTokens": 2 }, "errors": [] } });
        let board = board(&[start, end]);
        assert_eq!(board.status, Status::Cancelled);
        assert_eq!(board.step("s1").unwrap().status(), Status::Cancelled);
    }

    #[test]
    fn calls_of_tools_are_kept_when_a_model_is_asked_again() {
        let start = |attempt| json!({ "type": "step.start", "step": step(), "attempt": attempt });
        let call = |id: &str| json!({ "type": "tool.start", "step": step(), "callId": id, "tool": "search", "input": { "q": id } });
        let done = json!({ "type": "tool.done", "step": step(), "callId": "c1", "tool": "search", "output": [1], "durationMs": 4 });
        let failed = json!({ "type": "tool.error", "step": step(), "callId": "c2", "tool": "search", "durationMs": 4,
            "error": { "code": "tool", "message": "no such page" } });
        let latest = |events: &[Value]| board(events).step("s1").unwrap().latest().unwrap().clone();
        let calling = latest(&[start(1), call("c1")]);
        assert_eq!(calling.shown().as_deref(), Some("Calls search…"));
        let error = json!({ "type": "step.error", "step": step(), "attempts": 1, "durationMs": 5, "retryInMs": 100,
            "error": { "code": "network", "message": "it broke off" } });
        let again = latest(&[start(1), call("c1"), done, call("c2"), failed, error, start(2)]);
        let ends: Vec<_> = again.calls.iter().map(|call| (call.id.as_str(), call.status())).collect();
        assert_eq!(ends, [("c1", Status::Done), ("c2", Status::Error)]);
        assert_eq!(latest(&[start(1), call("c1"), start(1)]).calls, []);
    }

    #[test]
    fn what_was_told_of_an_answer_is_dropped_when_a_model_is_asked_anew() {
        let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
        let told = |word: &str, text: &str| json!({ "type": word, "step": step(), "text": text });
        let thinking = board(&[start.clone(), told("step.reasoning", "Hm. ")]);
        assert_eq!(thinking.step("s1").unwrap().latest().unwrap().shown().as_deref(), Some("Thinks…"));
        let reset = json!({ "type": "step.reset", "step": step() });
        let board = board(&[
            start,
            told("step.reasoning", "Hm. "),
            told("step.delta", "Bees"),
            reset,
            told("step.delta", "Wasps"),
        ]);
        let run = board.step("s1").unwrap().latest().unwrap();
        assert_eq!((run.text.as_str(), run.reasoning.as_str()), ("Wasps", ""));
    }

    #[test]
    fn a_run_ends_when_its_budget_is_used_up() {
        let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
        let end = json!({ "type": "run.budget", "result": { "status": "budget", "state": {},
            "stepResults": [{ "id": "s1", "key": "s1", "status": "error" }], "errors": [] } });
        let board = board(&[start, end]);
        assert_eq!(board.status, Status::Budget);
        assert_eq!(board.step("s1").unwrap().status(), Status::Error);
    }

    #[test]
    fn a_step_may_ask_for_several_calls_of_tools() {
        let pay = |number: u32| json!({ "key": format!("s1/tool1.{number}"), "step": step(), "tool": { "name": "pay", "input": { "sum": number } } });
        let end = json!({ "type": "run.suspended", "result": { "status": "suspended", "state": {},
            "stepResults": [{ "id": "s1", "key": "s1", "status": "suspended" }], "pending": [pay(1), pay(2)] } });
        let board = board(&[json!({ "type": "step.start", "step": step(), "attempt": 1 }), end]);
        let asked: Vec<_> = board.pending("s1").into_iter().map(|one| one.key.as_str()).collect();
        assert_eq!(asked, ["s1/tool1.1", "s1/tool1.2"]);
        assert_eq!(board.step("s1").unwrap().status(), Status::Suspended);
    }

    #[test]
    fn a_run_whose_worker_had_to_be_ended_was_stopped() {
        let mut board = board(&[json!({ "type": "step.start", "step": step(), "attempt": 1 })]);
        let ended =
            json!({ "code": "cancelled", "message": "the run was cancelled; its worker gave no sign" });
        board.refuse(serde_json::from_value(ended).unwrap());
        assert_eq!(
            (board.status, board.step("s1").unwrap().status()),
            (Status::Cancelled, Status::Cancelled)
        );
    }

    #[test]
    fn unknown_events_are_passed_over() {
        assert_eq!(board(&[json!({ "type": "step.pondered", "seq": 4 })]).status, Status::Running);
    }

    #[test]
    fn a_suspended_run_keeps_its_questions_until_it_goes_on() {
        let step = json!({ "id": "s5", "path": "steps[0].steps[0]", "name": "ask", "key": "s4#1/s5" });
        let outer = json!({ "id": "s4", "path": "steps[0]", "name": "each", "key": "s4" });
        let start = |step: &Value| json!({ "type": "step.start", "step": step, "attempt": 1 });
        let end = json!({ "type": "run.suspended", "result": { "status": "suspended", "state": {},
            "journal": { "version": 1, "id": "r", "entries": [] },
            "stepResults": [{ "id": "s5", "key": "s4#0/s5", "status": "done" }],
            "pending": [{ "key": "s4#1/s5", "step": step, "message": "Go?", "schema": { "type": "boolean" } }] } });
        let mut first = step.clone();
        first["key"] = json!("s4#0/s5");
        let board = board(&[start(&outer), start(&first), start(&step), end]);
        assert_eq!(board.status, Status::Suspended);
        assert_eq!(board.step("s5").unwrap().tally().suspended, 1);
        assert_eq!(board.step("s5").unwrap().tally().done, 1);
        assert_eq!(board.step("s4").unwrap().status(), Status::Suspended);
        assert_eq!(board.pending("s4#1/s5")[0].message.as_deref(), Some("Go?"));
        let resumed = board.resumed();
        assert_eq!((resumed.status, resumed.pending("s4#1/s5").len()), (Status::Running, 0));
        assert_eq!(resumed.step("s5").unwrap().tally().done, 1);
        let mut refused = resumed;
        refused.refuse(serde_json::from_value(json!({ "code": "conflict", "message": "no" })).unwrap());
        assert_eq!(refused.status, Status::Suspended);
        assert!(refused.refusal.is_some() && refused.pending("s4#1/s5").len() == 1);
    }

    #[test]
    fn a_question_stays_open_when_its_answer_does_not_fit() {
        let step = json!({ "id": "s1", "path": "steps[0]", "name": "ask", "key": "s1" });
        let start = json!({ "type": "step.start", "step": step, "attempt": 1 });
        let end = |status: &str, errors: Value, pending: Value| {
            json!({ "type": format!("run.{status}"), "result": { "status": status, "state": {},
                "stepResults": [{ "id": "s1", "key": "s1", "status": status }], "errors": errors, "pending": pending } })
        };
        let asked =
            board(&[start.clone(), end("suspended", json!([]), json!([{ "key": "s1", "step": step }]))]);
        let after = |code: &str| {
            let failure = json!({ "code": code, "message": "it must be 1 or more", "step": step });
            let mut board = asked.resumed();
            board.take(serde_json::from_value(start.clone()).unwrap());
            board.take(serde_json::from_value(end("error", json!([failure]), json!([]))).unwrap());
            board
        };
        let refused = after("validation");
        assert_eq!(refused.status, Status::Suspended);
        assert!(refused.pending("s1").len() == 1);
        assert_eq!(refused.refusal.unwrap().message, "it must be 1 or more");
        assert_eq!(after("limit").status, Status::Error);
    }

    #[test]
    fn a_replayed_step_is_counted_once() {
        let step = json!({ "id": "s5", "path": "steps[0].steps[0]", "name": "ask", "key": "s4#1/s5" });
        let start = json!({ "type": "step.start", "step": step, "attempt": 1 });
        let again = json!({ "type": "step.start", "step": step, "attempt": 1, "replayed": true });
        let done =
            json!({ "type": "step.done", "step": step, "durationMs": 1, "output": true, "replayed": true });
        let board = board(&[start, again, done]);
        let tally = board.step("s5").unwrap().tally();
        assert_eq!((tally.all, tally.done, tally.running), (1, 1, 0));
    }
}
