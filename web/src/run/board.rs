//! What is known of the run that the page shows: its status, and that of each step.

use std::collections::HashMap;

use serde_json::Value;

use super::event::{Event, Failure, RunResult, StepRef};

/// How far a step, or the whole run, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Nothing has happened yet.
    #[default]
    Idle,
    /// It is under way.
    Running,
    /// It ended well.
    Done,
    /// It failed.
    Error,
    /// It was left out.
    Skipped,
    /// It was stopped.
    Cancelled,
}

impl Status {
    /// The word that people read, also the name of its colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Done => "done",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "done" => Self::Done,
            "error" => Self::Error,
            "skipped" => Self::Skipped,
            "cancelled" => Self::Cancelled,
            _ => Self::Idle,
        }
    }
}

/// What is known of a step in the run.
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
    /// What it answered or decided.
    pub output: Option<Value>,
    /// What it changed in the state.
    pub patch: Option<Value>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// How long it took.
    pub duration_ms: Option<f64>,
    /// When a failed attempt is repeated.
    pub retry_in_ms: Option<f64>,
    /// Whether the demo model made the answer up.
    pub simulated: bool,
    /// Why it was left out.
    pub reason: Option<String>,
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
            _ => self.reason.clone(),
        }
    }
}

/// The run that the page shows.
#[derive(Debug, Clone, Default)]
pub struct Board {
    /// How far the run is.
    pub status: Status,
    /// What is known of each step, by its id.
    pub steps: HashMap<String, StepRun>,
    /// The ids in the order in which steps were reached.
    pub order: Vec<String>,
    /// What it came to.
    pub result: Option<RunResult>,
    /// Why it could not be run at all.
    pub refusal: Option<Failure>,
    /// What it warned of, each with the step it is about.
    pub warnings: Vec<(Option<StepRef>, String)>,
}

impl Board {
    /// The board of a run that begins now.
    pub fn starting() -> Self {
        Self { status: Status::Running, ..Self::default() }
    }

    /// What is known of a step.
    pub fn step(&self, id: &str) -> Option<&StepRun> {
        self.steps.get(id)
    }

    /// Takes an event in. Gives the id of the step that it changed.
    pub fn take(&mut self, event: Event) -> Option<String> {
        match event {
            Event::StepStart { step, attempt } => {
                let fresh = StepRun {
                    name: step.name.clone(),
                    status: Status::Running,
                    attempt,
                    ..StepRun::default()
                };
                *self.entry(&step) = fresh;
                Some(step.id)
            }
            Event::StepDelta { step, text } => {
                self.entry(&step).text.push_str(&text);
                Some(step.id)
            }
            Event::StepDone { step, duration_ms, output, patch, simulated } => {
                let own = self.entry(&step);
                own.status = Status::Done;
                own.duration_ms = Some(duration_ms);
                (own.output, own.patch, own.simulated, own.error) = (output, patch, simulated, None);
                Some(step.id)
            }
            Event::StepError { step, error, duration_ms, retry_in_ms } => {
                let own = self.entry(&step);
                own.status = if retry_in_ms.is_some() { Status::Running } else { Status::Error };
                own.duration_ms = Some(duration_ms);
                own.retry_in_ms = retry_in_ms;
                own.error = Some(error);
                Some(step.id)
            }
            Event::StepSkipped { step, reason } => {
                let own = self.entry(&step);
                own.status = Status::Skipped;
                own.reason = Some(reason);
                Some(step.id)
            }
            Event::RunWarning { message, step } => {
                self.warnings.push((step, message));
                None
            }
            Event::RunEnd { result } => {
                self.end(result);
                None
            }
            Event::RunStart | Event::Other => None,
        }
    }

    /// Ends the run because it could not be run at all, or the engine failed.
    pub fn refuse(&mut self, failure: Failure) {
        self.status = Status::Error;
        self.stop_running(Status::Cancelled);
        self.refusal = Some(failure);
    }

    fn end(&mut self, result: RunResult) {
        self.status = Status::of(&result.status);
        for step in &result.step_results {
            if let Some(own) = self.steps.get_mut(&step.id) {
                own.status = Status::of(&step.status);
            }
        }
        self.stop_running(Status::Cancelled);
        self.result = Some(result);
    }

    fn stop_running(&mut self, status: Status) {
        for step in self.steps.values_mut().filter(|step| step.status == Status::Running) {
            step.status = status;
        }
    }

    fn entry(&mut self, step: &StepRef) -> &mut StepRun {
        if !self.steps.contains_key(&step.id) {
            self.order.push(step.id.clone());
        }
        let fresh = || StepRun { name: step.name.clone(), ..StepRun::default() };
        self.steps.entry(step.id.clone()).or_insert_with(fresh)
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
        assert_eq!(streaming.step("s1").unwrap().shown().as_deref(), Some("Bees dance"));
        let done = json!({ "type": "step.done", "step": step(), "attempts": 1, "durationMs": 12, "output": "Bees dance.", "simulated": true });
        let board = board(&[start, delta("Bees "), done]);
        let research = board.step("s1").unwrap();
        assert_eq!((research.status, research.simulated), (Status::Done, true));
        assert_eq!(research.shown().as_deref(), Some("Bees dance."));
    }

    #[test]
    fn a_repeated_attempt_begins_with_empty_text() {
        let start = |attempt| json!({ "type": "step.start", "step": step(), "attempt": attempt });
        let error = json!({ "type": "step.error", "step": step(), "attempts": 1, "durationMs": 5, "retryInMs": 100,
            "error": { "code": "network", "message": "it broke off", "retryable": true } });
        let waiting = board(&[start(1), error.clone()]);
        assert_eq!(waiting.step("s1").unwrap().status, Status::Running);
        let board = board(&[start(1), error, start(2)]);
        assert_eq!(board.step("s1").unwrap().error, None);
        assert_eq!(board.order, ["s1"]);
    }

    #[test]
    fn the_end_settles_what_was_running() {
        let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
        let end = json!({ "type": "run.cancelled", "result": { "runId": "r", "status": "cancelled", "state": {},
            "stepResults": [], "usage": { "inputTokens": 1, "outputTokens": 2 }, "errors": [] } });
        let board = board(&[start, end]);
        assert_eq!(board.status, Status::Cancelled);
        assert_eq!(board.step("s1").unwrap().status, Status::Cancelled);
    }

    #[test]
    fn unknown_events_are_passed_over() {
        assert_eq!(board(&[json!({ "type": "tool.start", "seq": 4 })]).status, Status::Running);
    }
}
