//! What was observed of a run, in forms that can be compared.

use std::collections::BTreeMap;

use serde_json::json;
use stepweave_core::engine::{Ending, Plan};
use stepweave_core::event::{Event, Spot};

use crate::world::Lived;

impl Lived {
    /// The key of an execution.
    pub(crate) fn key(&self, spot: Spot, plan: &Plan) -> String {
        let prefix = match spot.scope {
            0 => "",
            scope => self.prefixes[scope as usize - 1].as_str(),
        };
        format!("{prefix}{}", plan.steps[spot.step as usize].id)
    }

    /// How the run ended.
    pub(crate) fn ending(&self, plan: &Plan) -> String {
        match self.outcome.as_ref().map(|outcome| &outcome.ending) {
            None => "left".to_owned(),
            Some(Ending::Done) => "done".to_owned(),
            Some(Ending::Suspended) => "suspended".to_owned(),
            Some(Ending::Failed { error, stopped_by }) => {
                let by = stopped_by.map(|spot| self.key(spot, plan));
                format!("error {:?} {} by {by:?}", error.code, error.message)
            }
        }
    }

    /// How each execution ended, by its key: its status, and what it gave.
    pub(crate) fn results(&self, plan: &Plan) -> BTreeMap<String, String> {
        let mut results = BTreeMap::new();
        for (_, event) in &self.events {
            let (spot, ending) = match event {
                Event::StepStart { spot, .. } => (spot, "running".to_owned()),
                Event::StepDone { spot, finished } => {
                    (spot, format!("done {:?} {:?}", finished.output, finished.patch))
                }
                Event::StepError { spot, failed } => {
                    (spot, format!("error {:?} {}", failed.error.code, failed.error.message))
                }
                Event::StepSkipped { spot, reason } => (spot, format!("skipped {reason}")),
                Event::StepSuspended { spot, .. } => (spot, "suspended".to_owned()),
                Event::StepDelta { .. }
                | Event::StepReasoning { .. }
                | Event::StepReset { .. }
                | Event::StepUsage { .. }
                | Event::ToolStart { .. }
                | Event::ToolEnd { .. }
                | Event::ItemError { .. }
                | Event::Warning { .. } => continue,
            };
            results.insert(self.key(*spot, plan), ending);
        }
        results
    }

    /// The events in order, each with its time and its execution. The pieces of an answer have no times: a replay
    /// tells them all when the answer came.
    pub(crate) fn lines(&self, plan: &Plan) -> Vec<(u64, String, String)> {
        let mut lines = Vec::new();
        for (at, event) in &self.events {
            let (spot, line) = match event {
                Event::StepDelta { .. } | Event::StepReasoning { .. } => continue,
                Event::StepStart { spot, attempt, .. } => (Some(*spot), format!("start #{attempt}")),
                Event::StepDone { spot, finished } => (Some(*spot), format!("{finished:?}")),
                Event::StepError { spot, failed } => {
                    let stopped_by = failed.stopped_by.map(|spot| self.key(spot, plan));
                    let error = json!(failed.error);
                    let times = (failed.attempts, failed.started_at, failed.duration_ms, failed.retry_in_ms);
                    (Some(*spot), format!("error {error} {times:?} {stopped_by:?}"))
                }
                Event::StepSkipped { spot, reason } => (Some(*spot), format!("skipped {reason}")),
                Event::StepSuspended { spot, request } => (Some(*spot), format!("suspended {request:?}")),
                Event::StepReset { spot } => (Some(*spot), "reset".to_owned()),
                Event::StepUsage { spot, usage } => (Some(*spot), format!("usage {usage:?}")),
                Event::ToolStart { spot, call, .. } => (Some(*spot), format!("tool {call:?}")),
                Event::ToolEnd { spot, id, outcome, .. } => (Some(*spot), format!("tool {id} {outcome:?}")),
                Event::ItemError { spot, error } => (Some(*spot), format!("item {error:?}")),
                Event::Warning { spot, message, .. } => (*spot, format!("warning {message}")),
            };
            lines.push((*at, spot.map_or(String::new(), |spot| self.key(spot, plan)), line));
        }
        lines
    }

    /// The pieces of answers, by execution. Those of an answer that never came to its end are in no journal.
    pub(crate) fn pieces(&self, plan: &Plan) -> BTreeMap<String, String> {
        let mut pieces: BTreeMap<String, String> = BTreeMap::new();
        for (_, event) in &self.events {
            if let Event::StepDelta { spot, text } = event {
                pieces.entry(self.key(*spot, plan)).or_default().push_str(text);
            }
        }
        let results = self.results(plan);
        pieces.retain(|key, _| results.get(key).is_some_and(|result| result.starts_with("done")));
        pieces
    }
}
