//! What is known of the run that the page shows: its status, and that of each step.

use std::collections::{HashMap, HashSet};

use leptos::wasm_split::{SplitLoaderError, wasm_split};

use super::event::{Away, Event, Failure, Pending, RunResult, StepRef, Warning};
use super::executions::Executions;
use super::status::Status;
use super::step_run::{CallRun, Retry, StepRun};
use crate::bridge::RemoteRun;
use crate::step::span::Took;

#[cfg(test)]
mod tests;

/// More failures help nobody.
const MOST_FAILURES: usize = 20;

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
    /// When nothing of it went on.
    away: Vec<Away>,
    /// Its warnings, and the lines that steps logged.
    pub warnings: Vec<Warning>,
}

/// What events have changed that arrived together.
#[derive(Debug, Default)]
pub struct Taken {
    /// The step that has begun first.
    pub begun: Option<String>,
    /// The steps that they were about, by their ids.
    pub changed: HashSet<String>,
    /// Whether the run has come to its end.
    pub ended: bool,
}

/// How a board takes in the JSON of events that arrived together.
pub type Taking = fn(&mut Board, &str) -> serde_json::Result<Taken>;

/// It comes in a file of its own with the views that show a run: none begins before the first card.
#[wasm_split(views, fallible, wasm_split_path = leptos::wasm_split)]
pub fn taking() -> Result<Taking, SplitLoaderError> {
    Ok(Board::take_all)
}

/// Follows a run to its end: `take` gets the events that arrived together, and how a board takes them in. Gives why the
/// run could not be run or followed, if so; where `take` fails, it is not followed further.
pub async fn follow(
    run: &RemoteRun,
    mut take: impl FnMut(&str, Taking) -> serde_json::Result<()>,
) -> Option<Failure> {
    let Ok(taking) = taking().await else {
        run.cancel();
        return Some(Failure::missing());
    };
    loop {
        match run.next().await {
            Ok(Some(events)) => {
                if let Err(error) = take(&events, taking) {
                    return Some(Failure::unreadable(&error.to_string()));
                }
            }
            Ok(None) => return None,
            Err(refusal) => return Some(refusal.unwrap_or_else(|| Failure::unreadable("its error"))),
        }
    }
}

impl Board {
    /// The board of a run that begins now.
    pub fn starting() -> Self {
        Self { status: Status::Running, ..Self::default() }
    }

    /// The board of a run that is resumed: events up to there are emitted once more, or it continues.
    pub fn resumed(&self) -> Self {
        Self {
            status: Status::Running,
            steps: self.steps.clone(),
            order: self.order.clone(),
            before: self.result.clone().map(Box::new),
            away: self.away.clone(),
            ..Self::default()
        }
    }

    /// The step at which the run failed or waits.
    pub fn stopped_at(&self) -> Option<&str> {
        let result = self.result.as_ref()?;
        let failed = result.errors.iter().find_map(|failure| failure.step.as_ref());
        let waiting = result.pending.iter().map(|pending| &pending.step);
        Some(failed.into_iter().chain(waiting).next()?.id.as_str())
    }

    /// The step that asks, where a run waits for a single answer.
    pub fn only_question(&self) -> Option<&StepRef> {
        match self.result.as_ref()?.pending.as_slice() {
            [pending] => Some(&pending.step),
            _ => None,
        }
    }

    /// The step that has asked what this key answers.
    pub fn asked(&self, key: &str) -> Option<&StepRef> {
        self.result.as_ref()?.pending.iter().find(|one| one.key == key).map(|one| &one.step)
    }

    /// What failed: first of all why it could not be run.
    pub fn failures(&self) -> Vec<Failure> {
        let errors = self.result.iter().flat_map(|result| result.errors.iter());
        self.refusal.iter().chain(errors).take(MOST_FAILURES).cloned().collect()
    }

    /// What is known of a step.
    pub fn step(&self, id: &str) -> Option<&Executions> {
        self.steps.get(id)
    }

    /// The approvals that an execution waits for: one, or several tool calls.
    pub fn pending(&self, key: &str) -> Vec<&Pending> {
        let pending = self.result.iter().flat_map(|result| &result.pending);
        pending.filter(|one| one.step.key() == key).collect()
    }

    fn take_all(&mut self, events: &str) -> serde_json::Result<Taken> {
        let mut taken = Taken::default();
        for event in serde_json::from_str::<Vec<Event>>(events)? {
            match &event {
                Event::StepStart { step, replayed: false, .. } if taken.begun.is_none() => {
                    taken.begun = Some(step.id.clone());
                }
                Event::RunEnd { .. } => taken.ended = true,
                _ => {}
            }
            taken.changed.extend(self.take(event));
        }
        Ok(taken)
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
            Event::ToolStart { step, call_id: id, tool, input, by_provider } => self.change(step, |own| {
                own.calls.push(CallRun { id, tool, input, by_provider, end: None, duration_ms: None });
            }),
            Event::ToolDone { step, call_id, output, duration_ms, at } => {
                let took = self.took(at, duration_ms);
                self.change(step, |own| own.end_call(&call_id, Ok(output), took.worked_ms()))
            }
            Event::ToolError { step, call_id, error, duration_ms, at } => {
                let took = self.took(at, duration_ms);
                self.change(step, |own| own.end_call(&call_id, Err(error), took.worked_ms()))
            }
            Event::StepDone { step, duration_ms, at, output, patch, usage, simulated, pinned, sources } => {
                let took = self.took(at, duration_ms);
                self.change(step, |own| {
                    own.status = Status::Done;
                    own.took = Some(took);
                    own.usage = usage;
                    (own.output, own.patch, own.error) = (output, patch, None);
                    (own.simulated, own.pinned, own.sources) = (simulated, pinned, sources);
                })
            }
            Event::StepError { step, error, duration_ms, at, retry_in_ms } => {
                let took = self.took(at, duration_ms);
                self.change(step, |own| {
                    own.status = if retry_in_ms.is_some() { Status::Running } else { Status::Error };
                    own.took = Some(took);
                    own.retry = retry_in_ms.map(|in_ms| Retry { in_ms, at: at.unwrap_or_default() + in_ms });
                    own.error = Some(error);
                })
            }
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
            Event::Away(away) => {
                // It is told again each time that the run goes on, and lasts longer where that had only been looked at.
                self.away.retain(|known| !known.begins_with(&away));
                self.away.push(away);
                None
            }
            Event::RunStart | Event::Other => None,
        }
    }

    /// How long something took that ended at a time: for as long as the page was closed it did not.
    fn took(&self, at: Option<f64>, duration_ms: f64) -> Took {
        let away = |for_person: bool| -> f64 {
            let all = self.away.iter().filter(|away| away.for_person == for_person);
            all.map(|away| at.map_or(0.0, |at| away.within(at, duration_ms))).sum()
        };
        Took { all_ms: (duration_ms - away(false)).max(0.0), waited_ms: away(true) }
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
        let was_pending =
            |step: &StepRef| before.pending.iter().any(|question| question.step.key() == step.key());
        let refused =
            |error: &&Failure| error.code == "validation" && error.step.as_ref().is_some_and(was_pending);
        result.errors.iter().find(refused).cloned()
    }

    fn end(&mut self, result: RunResult) {
        self.status = Status::of(&result.status);
        for ended in &result.step_results {
            let own = self.steps.get_mut(&ended.step.id);
            if let Some(own) = own.filter(|own| own.get(ended.step.key()).is_some()) {
                own.change(ended.step.key(), |run| run.status = Status::of(&ended.status));
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
