//! What is known of a step that may run many times: each execution under its key.

use std::sync::Arc;

use indexmap::IndexMap;

use super::status::Status;
use super::step_run::StepRun;

/// The executions of a step in the order in which they were reached. Runs that have ended share with the one that goes
/// on what has not changed since.
#[derive(Debug, Clone, Default)]
pub struct Executions {
    runs: IndexMap<String, Arc<StepRun>>,
    latest: usize,
    tally: Tally,
}

/// How many executions are how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// All that were reached.
    pub all: usize,
    /// Those that ended well.
    pub done: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those in progress.
    pub running: usize,
    /// Those that wait for a person.
    pub suspended: usize,
    /// The calls of tools that failed in all of them.
    pub failed_calls: usize,
}

/// Where to go from an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// To the one before.
    Back,
    /// To the next one.
    On,
    /// To the next one that failed, from the beginning again behind the last.
    ToFailure,
}

impl Executions {
    /// Changes what is known of an execution, which becomes the latest.
    pub fn change(&mut self, key: &str, change: impl FnOnce(&mut StepRun)) {
        self.latest = match self.runs.get_index_of(key) {
            Some(index) => index,
            None => {
                self.tally.all += 1;
                self.runs.insert_full(key.to_owned(), Arc::default()).0
            }
        };
        if let Some((_, run)) = self.runs.get_index_mut(self.latest) {
            self.tally.leave(run.status);
            self.tally.failed_calls -= run.failed_calls();
            change(Arc::make_mut(run));
            self.tally.enter(run.status);
            self.tally.failed_calls += run.failed_calls();
        }
    }

    /// Gives every execution of one status another one.
    pub fn settle(&mut self, from: Status, to: Status) {
        if self.tally.of(from) == Some(0) {
            return;
        }
        for run in self.runs.values_mut().filter(|run| run.status == from) {
            self.tally.leave(from);
            Arc::make_mut(run).status = to;
            self.tally.enter(to);
        }
    }

    /// The execution that something happened to last.
    pub fn latest(&self) -> Option<&StepRun> {
        self.runs.get_index(self.latest).map(|(_, run)| run.as_ref())
    }

    /// The key of that execution.
    pub fn latest_key(&self) -> Option<&str> {
        self.runs.get_index(self.latest).map(|(key, _)| key.as_str())
    }

    /// The keys of all, in the order in which they were reached.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().map(String::as_str)
    }

    /// The execution under a key.
    pub fn get(&self, key: &str) -> Option<&StepRun> {
        self.runs.get(key).map(Arc::as_ref)
    }

    /// The key of the first execution that is so far.
    pub fn first_of(&self, status: Status) -> Option<&str> {
        if self.tally.of(status) == Some(0) {
            return None;
        }
        self.runs.iter().find(|(_, run)| run.status == status).map(|(key, _)| key.as_str())
    }

    /// The status of the step as a whole: executions in progress count before those that have ended.
    pub fn status(&self) -> Status {
        match self.tally {
            Tally { running: 1.., .. } => Status::Running,
            Tally { suspended: 1.., .. } => Status::Suspended,
            _ => self.latest().map_or(Status::Idle, |run| run.status),
        }
    }

    /// How many executions are how far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The key of the execution that a turn leads to.
    pub fn turn(&self, from: &str, turn: Turn) -> Option<&str> {
        let at = self.runs.get_index_of(from)?;
        let to = match turn {
            Turn::Back => at.checked_sub(1)?,
            Turn::On => at + 1,
            Turn::ToFailure => {
                let around = (at + 1..self.runs.len()).chain(0..=at);
                let mut failed = around.filter(|index| {
                    self.runs.get_index(*index).is_some_and(|(_, run)| run.status == Status::Error)
                });
                failed.next()?
            }
        };
        self.runs.get_index(to).map(|(key, _)| key.as_str())
    }

    /// The key of the first execution in the iteration that somebody names, such as `17`, or by its key, such as `s4#16`.
    pub fn named(&self, words: &str) -> Option<&str> {
        let words = words.trim().trim_start_matches('#');
        let mut keys = self.runs.keys().map(String::as_str);
        if let Some((_, key, _)) = self.runs.get_full(words) {
            return Some(key);
        }
        let number = words.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let number = number.map(|number| number.to_string());
        keys.find(|key| {
            let iterations = key.rsplit_once('/').map_or("", |(scope, _)| scope);
            iterations.rsplit('/').any(|one| {
                one == words || one.split_once('#').is_some_and(|(_, own)| number.as_deref() == Some(own))
            })
        })
    }
}

/// The iterations, and calls of tools, in the key of an execution as people read them; nothing at the top.
pub fn iterations(key: &str) -> String {
    let Some((scope, _)) = key.rsplit_once('/') else { return String::new() };
    let numbers = scope.split('/').filter_map(|one| one.rsplit_once('#'));
    numbers
        .map(|(_, number)| call(number).or_else(|| round(number)).unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" › ")
}

/// An item of a foreach or a round of a loop: keys count them from 0, and people from 1.
fn round(number: &str) -> Option<String> {
    Some(format!("#{}", number.parse::<usize>().ok()? + 1))
}

/// A call of a tool, by its turn and its place in that; both are counted from 1.
fn call(number: &str) -> Option<String> {
    let (turn, place) = number.strip_prefix("tool")?.split_once('.')?;
    let (place, attempt) = place.split_once('@').unwrap_or((place, ""));
    let again = if attempt.is_empty() { "" } else { " again" };
    Some(format!("call {turn}.{}{again}", place.parse::<usize>().ok()? + 1))
}

impl Tally {
    fn of(&self, status: Status) -> Option<usize> {
        match status {
            Status::Done => Some(self.done),
            Status::Error => Some(self.failed),
            Status::Running => Some(self.running),
            Status::Suspended => Some(self.suspended),
            Status::Idle | Status::Budget | Status::Skipped | Status::Cancelled => None,
        }
    }

    fn count(&mut self, status: Status) -> Option<&mut usize> {
        match status {
            Status::Done => Some(&mut self.done),
            Status::Error => Some(&mut self.failed),
            Status::Running => Some(&mut self.running),
            Status::Suspended => Some(&mut self.suspended),
            Status::Idle | Status::Budget | Status::Skipped | Status::Cancelled => None,
        }
    }

    fn enter(&mut self, status: Status) {
        if let Some(count) = self.count(status) {
            *count += 1;
        }
    }

    fn leave(&mut self, status: Status) {
        if let Some(count) = self.count(status) {
            *count -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::event::Failure;
    use crate::run::step_run::CallRun;
    use serde_json::Value;

    fn each(statuses: &[Status]) -> Executions {
        let mut all = Executions::default();
        for (number, status) in statuses.iter().enumerate() {
            all.change(&format!("s4#{number}/s5"), |run| run.status = *status);
        }
        all
    }

    #[test]
    fn the_tally_follows_every_change() {
        let mut all = each(&[Status::Running, Status::Running, Status::Error]);
        all.change("s4#0/s5", |run| run.status = Status::Done);
        assert_eq!(all.tally(), Tally { all: 3, done: 1, failed: 1, running: 1, ..Tally::default() });
        assert_eq!(all.status(), Status::Running);
        all.settle(Status::Running, Status::Cancelled);
        assert_eq!(all.tally(), Tally { all: 3, done: 1, failed: 1, running: 0, ..Tally::default() });
        assert_eq!(all.status(), Status::Done);
        assert_eq!(all.get("s4#1/s5").unwrap().status, Status::Cancelled);
    }

    #[test]
    fn the_tally_counts_the_calls_that_failed() {
        let call = |id: &str| CallRun {
            id: id.to_owned(),
            tool: "find".to_owned(),
            input: Value::Null,
            by_provider: false,
            end: None,
            duration_ms: None,
        };
        let mut all = Executions::default();
        for key in ["s4#0/s5", "s4#1/s5"] {
            all.change(key, |run| run.calls = vec![call("a"), call("b")]);
            all.change(key, |run| run.end_call("a", Err(Failure::unreadable("x")), 1.0));
            all.change(key, |run| run.end_call("b", Ok(Value::Null), 1.0));
        }
        assert_eq!(all.tally().failed_calls, 2);
        // Another attempt begins without them.
        all.change("s4#0/s5", |run| run.calls.clear());
        assert_eq!(all.tally().failed_calls, 1);
    }

    #[test]
    fn one_goes_from_execution_to_execution() {
        let all = each(&[Status::Error, Status::Done, Status::Done, Status::Error]);
        assert_eq!(all.latest_key(), Some("s4#3/s5"));
        assert_eq!(all.turn("s4#1/s5", Turn::Back), Some("s4#0/s5"));
        assert_eq!(all.turn("s4#0/s5", Turn::Back), None);
        assert_eq!(all.turn("s4#3/s5", Turn::On), None);
        assert_eq!(all.turn("s4#0/s5", Turn::ToFailure), Some("s4#3/s5"));
        assert_eq!(all.turn("s4#3/s5", Turn::ToFailure), Some("s4#0/s5"));
        assert_eq!(each(&[Status::Done]).turn("s4#0/s5", Turn::ToFailure), None);
    }

    #[test]
    fn an_execution_is_found_by_the_number_of_its_item() {
        let mut all = each(&[Status::Done; 20]);
        all.change("s4#20/s6#2/s5", |run| run.status = Status::Done);
        for words in ["18", "#18", "s4#17", "s4#17/s5", " 18 "] {
            assert_eq!(all.named(words), Some("s4#17/s5"), "{words}");
        }
        assert_eq!(all.named("s6#2"), Some("s4#20/s6#2/s5"));
        for words in ["99", "0", "x"] {
            assert_eq!(all.named(words), None, "{words}");
        }
    }

    #[test]
    fn iterations_are_read_outside_in() {
        assert_eq!(iterations("s4#17/s6#2/s9"), "#18 › #3");
        assert_eq!(iterations("s4#17/s6#tool2.0/t1#3/t2"), "#18 › call 2.1 › #4");
        assert_eq!(iterations("s6#tool2.0@2/t1"), "call 2.1 again");
        assert_eq!(iterations("s9"), "");
    }
}
