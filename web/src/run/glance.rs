//! What a card, or a line of a list, shows of an execution.

use super::status::Status;
use super::step_run::{StepRun, beginning};
use crate::step::face::counted;
use crate::step::span::Took;

/// More letters fit on no card and in no line.
const MOST_BYTES: usize = 600;

/// More names are not read.
const MOST_CALLS: usize = 20;

/// Little enough to be made anew with each frame, however much the step has answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Glance {
    /// What the step is called.
    pub name: String,
    /// How far it is.
    pub status: Status,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// The beginning of what it has to show, or the end of what still arrives.
    pub text: Option<String>,
    /// Whether that is why it failed.
    pub failed: bool,
    /// When it tries again, in milliseconds since 1970, while it waits for that.
    pub tries_at: Option<f64>,
    /// How long it took.
    pub took: Option<Took>,
    /// Whether the demo model made the answer up.
    pub simulated: bool,
    /// Whether the step was not run and gave its pinned output.
    pub pinned: bool,
    /// How often a loop has run its steps.
    pub rounds: Option<u64>,
    /// What it decided.
    pub decision: Option<bool>,
    /// How many tools its model called.
    pub calls: usize,
    /// The first of them.
    pub called: Vec<String>,
    /// How many of the calls failed.
    pub failed_calls: usize,
    /// Why the last of those did.
    pub call_failure: Option<String>,
}

impl Glance {
    /// How many calls of tools failed, and what was said of the last one.
    pub fn failed(&self) -> Option<(String, String)> {
        Some((failed_calls(self.failed_calls), self.call_failure.clone()?))
    }
}

/// How many calls of tools failed.
pub fn failed_calls(count: usize) -> String {
    counted(count, "call") + " failed"
}

impl From<&StepRun> for Glance {
    fn from(run: &StepRun) -> Self {
        Self {
            name: run.name.clone(),
            status: run.status,
            attempt: run.attempt,
            text: run.shown(MOST_BYTES),
            failed: run.error.is_some() && run.waits().is_none(),
            tries_at: run.retry.filter(|_| run.status == Status::Running).map(|retry| retry.at),
            took: run.took,
            simulated: run.simulated,
            pinned: run.pinned,
            rounds: run.rounds(),
            decision: run.output.as_ref().and_then(|output| output.as_bool()),
            calls: run.calls.len(),
            called: run.calls.iter().take(MOST_CALLS).map(|call| call.tool.clone()).collect(),
            failed_calls: run.failed_calls(),
            call_failure: run.last_failed_call().map(|(_, failure)| beginning(&failure.message, MOST_BYTES)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn bytes(glance: &Glance) -> usize {
        glance.text.as_ref().map_or(0, String::len) + glance.called.iter().map(String::len).sum::<usize>()
    }

    #[test]
    fn a_glance_at_a_long_answer_is_as_short_as_one_at_a_short_one() {
        let long = "bees ".repeat(200_000);
        let call = |number: usize| crate::run::step_run::CallRun {
            id: number.to_string(),
            tool: "search".to_owned(),
            input: Value::String(long.clone()),
            by_provider: false,
            end: Some(Ok(Value::String(long.clone()))),
            duration_ms: None,
        };
        let runs = [
            StepRun {
                status: Status::Running,
                text: long.clone(),
                reasoning: long.clone(),
                ..StepRun::default()
            },
            StepRun { output: Some(json!(long)), ..StepRun::default() },
            StepRun { output: Some(json!({ "found": [long, long] })), ..StepRun::default() },
            StepRun { patch: Some(json!({ "found": long })), ..StepRun::default() },
            StepRun { calls: (0..100).map(call).collect(), ..StepRun::default() },
        ];
        for run in runs {
            assert!(bytes(&Glance::from(&run)) <= 720, "{}", bytes(&Glance::from(&run)));
        }
    }
}
