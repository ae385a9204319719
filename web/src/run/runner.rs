//! Starts runs through the bridge and keeps the board of the one that is shown.

use std::collections::HashMap;

use indexmap::IndexMap;
use leptos::prelude::*;
use serde_json::{Map, Value, json};
use stepweave_core::document::Step;
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::board::{self, Board, Taken, Taking};
use super::event::Failure;
use super::executions::Executions;
use super::ran::Ran;
use super::status::Status;
use crate::bridge::{Bridge, RemoteRun, RunOptions, SecretValue, StoredRun};

/// The run that the page shows.
#[derive(Clone, Copy)]
pub struct Runner {
    /// How far the run is.
    pub status: RwSignal<Status>,
    /// The step that began last.
    pub begun: RwSignal<Option<String>>,
    /// Counts up with every change of the board; what shows all of the run follows it.
    pub progress: RwSignal<u64>,
    /// The execution that a person looks at; nothing for the latest one of each step.
    pub looked: RwSignal<Option<String>>,
    /// What the workflow is called whose run is in progress while another one is open.
    pub elsewhere: RwSignal<Option<String>>,
    /// The id of the workflow that was left last while its run was in progress.
    left: StoredValue<String>,
    /// The runs of that workflow, the one that was in progress last. They are shown once it is open again, and nowhere before:
    /// the ids of steps are the same in most workflows.
    away: RwSignal<IndexMap<u64, Ended>>,
    board: StoredValue<Board>,
    watched: StoredValue<HashMap<String, ArcTrigger>>,
    under_way: StoredValue<Option<RemoteRun>, LocalStorage>,
    /// The document and the options of the run, to take it up again with.
    setup: StoredValue<(Ran, RunOptions)>,
    /// The number of the run that is shown, the first one being 1.
    pub shown: RwSignal<u64>,
    /// The runs of this visit that have ended by their numbers, the latest last.
    past: RwSignal<IndexMap<u64, Ended>>,
    /// The highest number of a run of the open workflow.
    started: StoredValue<u64>,
    /// Messages to the worker are numbered, so that late messages about a former run are ignored.
    number: StoredValue<u64>,
    /// Counts the boards that were shown.
    boards: RwSignal<u64>,
}

/// All that is kept of a run that is not shown.
#[derive(Debug, Clone, Default)]
struct Ended {
    board: Board,
    setup: (Ran, RunOptions),
}

/// How many runs that have ended are kept.
const MOST_PAST: usize = 10;

impl Runner {
    /// A runner that has run nothing.
    pub fn new() -> Self {
        Self {
            status: RwSignal::new(Status::Idle),
            begun: RwSignal::new(None),
            progress: RwSignal::new(0),
            looked: RwSignal::new(None),
            elsewhere: RwSignal::new(None),
            left: StoredValue::new(String::new()),
            away: RwSignal::new(IndexMap::new()),
            board: StoredValue::new(Board::default()),
            watched: StoredValue::new(HashMap::new()),
            under_way: StoredValue::new_local(None),
            setup: StoredValue::new((Ran::default(), RunOptions::default())),
            shown: RwSignal::new(0),
            past: RwSignal::new(IndexMap::new()),
            started: StoredValue::new(0),
            number: StoredValue::new(0),
            boards: RwSignal::new(0),
        }
    }

    /// Starts a run of a document with what it is given, over its initial state. From a step on, what the steps before it
    /// gave in the shown run is taken over.
    pub fn start(
        &self,
        bridge: &Bridge,
        document: String,
        mut options: RunOptions,
        state: Map<String, Value>,
    ) {
        let journal = options.from.as_ref().and_then(|_| self.journal());
        let from = options.from.take().filter(|_| journal.is_some());
        let number = self.number_next(0);
        options.number = Some(number);
        self.shown.set(number);
        self.setup.set_value((Ran::new(document), options));
        self.looked.set(None);
        // Only with a journal can a run stop for a person, be taken up again, and be begun at a step.
        let mut past = json!({ "journal": journal.unwrap_or(Value::Bool(true)) });
        if let (Some(past), false) = (past.as_object_mut(), state.is_empty()) {
            past.insert("state".to_owned(), Value::Object(state));
        }
        self.begin(bridge, Board::starting(), from, &past);
    }

    /// Whether a run can begin at a step with what the shown run gave before it; follows the run.
    pub fn can_go_on(&self) -> bool {
        self.progress.track();
        self.status.get() != Status::Running && self.has_journal()
    }

    /// The runs of this visit that have ended, the latest first: the number of each, and what is read of it and of the
    /// document that it ran; follows them.
    pub fn past<T>(&self, read: impl Fn(&Board, &Ran) -> T) -> Vec<(u64, T)> {
        let past = |(number, ended): (&u64, &Ended)| (*number, read(&ended.board, &ended.setup.0));
        self.past.with(|all| all.iter().rev().map(past).collect())
    }

    /// By which name the shown run is stored until it has ended; follows it.
    pub fn stored(&self) -> Option<String> {
        self.progress.track();
        self.setup.with_value(|(_, options)| options.again.clone())
    }

    /// The document of the shown run, as it was when that began; follows which run is shown.
    pub fn ran(&self) -> Ran {
        self.boards.track();
        self.setup.with_value(|(ran, _)| ran.clone())
    }

    /// Reads a step as it was when the shown run began; follows which run is shown.
    pub fn step_ran<T>(&self, id: &str, read: impl FnOnce(&Step) -> T) -> Option<T> {
        self.ran().document()?.step(id).map(read)
    }

    /// Whether the shown run had these keys.
    pub fn had(&self, keys: &[SecretValue]) -> bool {
        self.setup.with_value(|(_, options)| options.secrets == keys)
    }

    /// The number of the run of this visit that is stored by this name and has come to its end or waits.
    pub fn number_of(&self, stored: &str) -> Option<u64> {
        let is_it = |(_, ended): &(&u64, &Ended)| ended.setup.1.again.as_deref() == Some(stored);
        self.past.with(|all| all.iter().find(is_it).map(|(number, _)| *number))
    }

    /// Shows a run that has ended.
    pub fn look_at(&self, number: u64) {
        let ended = self.past.with_untracked(|past| past.get(&number).cloned());
        if let Some(Ended { board, setup }) = ended.filter(|_| self.status.get_untracked() != Status::Running)
        {
            self.setup.set_value(setup);
            self.looked.set(None);
            self.shown.set(number);
            self.show(board);
        }
    }

    /// Whether the shown run has a journal at this moment.
    pub fn has_journal(&self) -> bool {
        self.board.with_value(|board| board.result.as_ref().is_some_and(|result| result.journal.is_some()))
    }

    /// The journal of the shown run, once that has ended or waits.
    pub fn journal(&self) -> Option<Value> {
        self.board.with_value(|board| board.result.as_ref()?.journal.clone())
    }

    /// The document of the latest run that has come to its end or waits, and the state that it began with.
    pub fn began_with(&self) -> Option<(Ran, Map<String, Value>)> {
        self.past.with_untracked(|past| {
            let (_, Ended { board, setup: (document, _) }) = past.last()?;
            let journal = board.result.as_ref()?.journal.as_ref()?;
            let state = journal.pointer("/entries/0/ok/state")?.as_object()?;
            Some((document.clone(), state.clone()))
        })
    }

    /// Takes a suspended run up again with a person's answer. It goes on with the document it was started with,
    /// whatever has become of that meanwhile, and with the keys, the addresses and the relay that the person has given by now.
    pub fn answer(&self, bridge: &Bridge, key: &str, answer: Value, now: RunOptions) {
        let (journal, board) = self.board.with_value(|board| {
            (board.result.as_ref().and_then(|result| result.journal.clone()), board.resumed())
        });
        if let Some(journal) = journal {
            self.setup.update_value(|(_, options)| {
                let (pins, again, number) = (options.pins, options.again.take(), options.number);
                *options = RunOptions { pins, again, number, ..now };
            });
            self.begin(bridge, board, None, &json!({ "journal": journal, "answers": { key: answer } }));
        }
    }

    /// Takes a run up again that an earlier visit has left, with its journal. What it did is not done again.
    pub fn take_up(&self, bridge: &Bridge, run: StoredRun, options: RunOptions) -> bool {
        let Ok(entries) = serde_json::from_str::<Value>(&run.entries) else { return false };
        // The version of a journal is in its first entry.
        let version = entries.pointer("/0/ok/version").cloned().unwrap_or(json!(1));
        let number = self.number_next(run.number);
        let options = RunOptions { again: Some(run.run.clone()), number: Some(number), ..options };
        self.setup.set_value((Ran::new(run.document), options));
        self.looked.set(None);
        self.shown.set(number);
        let journal = json!({ "version": version, "id": run.run, "entries": entries });
        self.begin(bridge, Board::starting(), None, &json!({ "journal": journal }));
        true
    }

    /// Has the runs again that have ended in earlier visits or in other tabs, the newest first. All are in the order of their
    /// numbers then; one that cannot be read is left out.
    pub fn recall(&self, runs: Vec<StoredRun>, taking: Taking) {
        let mut all = IndexMap::new();
        for run in runs.into_iter().rev().filter(|run| self.number_of(&run.run).is_none()) {
            let mut board = Board::starting();
            if taking(&mut board, &run.entries).is_ok_and(|taken| taken.ended) {
                let number = self.number_next(run.number);
                let options =
                    RunOptions { again: Some(run.run), number: Some(number), ..RunOptions::default() };
                all.insert(number, Ended { board, setup: (Ran::new(run.document), options) });
            }
        }
        self.past.update(|past| {
            all.extend(std::mem::take(past));
            // Another tab may have run something since the first of this visit.
            all.sort_unstable_keys();
            shorten(&mut all);
            *past = all;
        });
    }

    /// Shows the last run that has ended.
    pub fn look_at_last(&self) {
        let last = self.past.with_untracked(|past| past.last().map(|(number, _)| *number));
        last.into_iter().for_each(|number| self.look_at(number));
    }

    /// Counts on behind the runs that are stored, the last of which has this number.
    pub fn count_from(&self, last: u64) {
        self.started.update_value(|many| *many = last.max(*many));
    }

    /// The number of a run: the one that it is stored with, or else the next one.
    fn number_next(&self, stored: u64) -> u64 {
        let number = if stored > 0 { stored } else { self.started.get_value() + 1 };
        self.count_from(number);
        number
    }

    /// Stops the run that is under way.
    pub fn stop(&self) {
        if let Some(run) = self.under_way.get_value() {
            run.cancel();
        }
    }

    /// Stops the run that is under way as a page does that goes away: where its workflow is opened again, it is offered.
    pub fn cut(&self) {
        if let Some(run) = self.under_way.try_update_value(Option::take).flatten() {
            run.cut();
            self.number.update_value(|number| *number += 1);
            if self.is_away() {
                self.away.update(|all| drop(all.pop()));
                self.elsewhere.set(None);
            } else {
                self.setup.set_value(Default::default());
                self.show(Board::default());
            }
        }
    }

    /// Whether a run is in progress, be it of the open workflow or of another one.
    pub fn is_busy(&self) -> bool {
        self.status.get_untracked() == Status::Running || self.elsewhere.with_untracked(Option::is_some)
    }

    /// One workflow is left and another one opened. A run in progress goes on with nothing of it shown, until its own
    /// workflow is open again; every other one is forgotten.
    pub fn enter(&self, left: String, name: String, opened: &str) {
        let is_back = self.left.with_value(|left| left == opened);
        let away = self.away.get_untracked();
        if is_back {
            self.away.set(IndexMap::new());
        }
        let mut past = if is_back { away } else { IndexMap::new() };
        if self.status.get_untracked() == Status::Running {
            let mut all = self.past.get_untracked();
            self.keep(&mut all);
            self.away.set(all);
            self.left.set_value(left);
            self.elsewhere.set(Some(name));
        } else if is_back {
            self.left.set_value(String::new());
            self.elsewhere.set(None);
        }
        // Each workflow counts its own runs.
        self.started.set_value(past.keys().copied().max().unwrap_or_default());
        let (shown, Ended { board, setup }) =
            past.last().map(|(number, run)| (*number, run.clone())).unwrap_or_default();
        if board.status == Status::Running {
            past.shift_remove(&shown);
        }
        self.looked.set(None);
        self.begun.set(None);
        self.setup.set_value(setup);
        self.shown.set(shown);
        self.past.set(past);
        self.show(board);
    }

    /// The id of the workflow that was left last while its run was in progress.
    pub fn left(&self) -> String {
        self.left.get_value()
    }

    /// The run of the workflow that was left, once it has ended: what is known of it, its document, and by which name it was
    /// stored.
    pub fn ended_away(&self) -> Option<(Board, Ran, String)> {
        let Ended { board, setup: (document, options) } =
            self.away.with_untracked(|all| all.last().map(|(_, run)| run.clone()))?;
        let has_ended = !matches!(board.status, Status::Running | Status::Suspended);
        options.again.filter(|_| has_ended).map(|run| (board, document, run))
    }

    /// Reads what is known of a step that was reached; follows its changes.
    pub fn step<T>(&self, id: &str, read: impl FnOnce(&Executions) -> T) -> Option<T> {
        self.trigger(id).track();
        self.board.with_value(|board| board.step(id).map(read))
    }

    /// The same at this moment, followed by nobody.
    pub fn step_now<T>(&self, id: &str, read: impl FnOnce(&Executions) -> T) -> Option<T> {
        self.board.with_value(|board| board.step(id).map(read))
    }

    /// The status of a step at this moment.
    pub fn status_now(&self, id: &str) -> Status {
        self.step_now(id, Executions::status).unwrap_or_default()
    }

    /// Reads the whole board; follows all its changes.
    pub fn read<T>(&self, read: impl FnOnce(&Board) -> T) -> T {
        self.progress.track();
        self.board.with_value(read)
    }

    fn begin(&self, bridge: &Bridge, board: Board, from: Option<String>, past: &Value) {
        let own = *self;
        let number = self.number.get_value() + 1;
        self.number.set_value(number);
        self.show(board);
        let (document, options) = self.setup.get_value();
        let run = bridge.start(document.text(), &RunOptions { from, ..options }, &json::text(past));
        // Whatever is begun with these again is the same run.
        self.setup.update_value(|(_, options)| options.again = Some(run.stored()));
        self.under_way.set_value(Some(run.clone()));
        spawn_local(async move {
            // What cannot be read is said at once, and the run followed to its end all the same.
            let take = |events: &str, taking: Taking| {
                own.take(number, events, taking);
                Ok(())
            };
            let refusal = board::follow(&run, take).await;
            own.end(number, refusal);
        });
    }

    fn trigger(&self, id: &str) -> ArcTrigger {
        if let Some(trigger) = self.watched.with_value(|watched| watched.get(id).cloned()) {
            return trigger;
        }
        let trigger = ArcTrigger::new();
        self.watched.update_value(|watched| drop(watched.insert(id.to_owned(), trigger.clone())));
        trigger
    }

    /// The number of the board that is shown: what was read of another one tells nothing of it; follows it.
    pub fn board_number(&self) -> u64 {
        self.boards.get()
    }

    fn show(&self, board: Board) {
        self.boards.update(|count| *count += 1);
        self.status.set(board.status);
        self.board.set_value(board);
        self.progress.update(|count| *count += 1);
        let all: Vec<ArcTrigger> = self.watched.with_value(|watched| watched.values().cloned().collect());
        all.iter().for_each(|trigger| trigger.notify());
    }

    fn take(&self, number: u64, events: &str, taking: Taking) {
        if self.number.get_value() != number {
            return;
        }
        if self.is_away() {
            let taken = self.change_away(|board| taking(board, events));
            if let Some(Err(error)) = taken {
                self.refuse(Failure::unreadable(&error.to_string()));
            }
            return;
        }
        let taken = self
            .board
            .try_update_value(|board| taking(board, events))
            .unwrap_or_else(|| Ok(Taken::default()));
        let Taken { begun, changed, ended } = match taken {
            Ok(taken) => taken,
            Err(error) => return self.refuse(Failure::unreadable(&error.to_string())),
        };
        let waiting: Vec<ArcTrigger> = self.watched.with_value(|watched| {
            // The end settles steps that no event named, so all who watch have to look again.
            let concerned = watched.iter().filter(|(id, _)| ended || changed.contains(*id));
            concerned.map(|(_, trigger)| trigger.clone()).collect()
        });
        waiting.iter().for_each(|trigger| trigger.notify());
        self.progress.update(|count| *count += 1);
        if begun.is_some() {
            self.begun.set(begun);
        }
        let status = self.board.with_value(|board| board.status);
        if status != self.status.get_untracked() {
            self.status.set(status);
        }
    }

    fn end(&self, number: u64, refusal: Option<Failure>) {
        if self.number.get_value() != number {
            return;
        }
        self.under_way.set_value(None);
        if let Some(failure) = refusal {
            self.refuse(failure);
        }
        if self.is_away() {
            return self.elsewhere.set(None);
        }
        self.past.update(|past| self.keep(past));
    }

    /// Keeps the shown run. A resumed run replaces itself.
    fn keep(&self, past: &mut IndexMap<u64, Ended>) {
        let number = self.shown.get_untracked();
        let shown = Ended { board: self.board.get_value(), setup: self.setup.get_value() };
        past.shift_remove(&number);
        past.insert(number, shown);
        shorten(past);
    }

    /// Whether the run in progress belongs to a workflow that is not open.
    fn is_away(&self) -> bool {
        self.elsewhere.with_untracked(Option::is_some)
    }

    fn change_away<T>(&self, change: impl FnOnce(&mut Board) -> T) -> Option<T> {
        self.away.try_update_untracked(|all| all.last_mut().map(|(_, run)| change(&mut run.board))).flatten()
    }

    fn refuse(&self, failure: Failure) {
        if self.is_away() {
            self.change_away(|board| board.refuse(failure));
            return;
        }
        let mut board = self.board.get_value();
        board.refuse(failure);
        self.show(board);
    }
}

/// Forgets the runs for which there is no room.
fn shorten(past: &mut IndexMap<u64, Ended>) {
    while past.len() > MOST_PAST {
        past.shift_remove_index(forgotten(past.values().map(|run| run.board.status)));
    }
}

/// The place of the run that is forgotten where the last of these is one too many: the oldest that waits for nobody, as
/// one that does is shown nowhere else.
fn forgotten(runs: impl Iterator<Item = Status>) -> usize {
    { runs }.take(MOST_PAST).position(|status| status != Status::Suspended).unwrap_or_default()
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_in_the_order_of_their_numbers_whichever_tab_ran_them() {
        let owner = Owner::new();
        owner.set();
        let runner = Runner::new();
        let ended: Taking = |_, _| Ok(Taken { ended: true, ..Taken::default() });
        let stored = |number: u64| StoredRun {
            run: format!("run {number}"),
            at: number,
            number,
            document: String::new(),
            entries: String::new(),
            suspended: false,
        };
        runner.recall(vec![stored(2), stored(1)], ended);
        // The third and the fifth are of another tab, and the fourth is of this one.
        runner.recall(vec![stored(4)], ended);
        runner.recall(vec![stored(5), stored(3)], ended);
        let numbers: Vec<u64> = runner.past(|_, _| ()).into_iter().map(|(number, ())| number).collect();
        assert_eq!(numbers, [5, 4, 3, 2, 1]);
    }

    #[test]
    fn a_run_that_waits_is_forgotten_after_those_that_have_ended() {
        let forgets = |waiting: usize, last: Status| {
            let rest = std::iter::repeat_n(Status::Done, MOST_PAST - waiting);
            forgotten(std::iter::repeat_n(Status::Suspended, waiting).chain(rest).chain([last]))
        };
        assert_eq!([0, 1, 9].map(|waiting| forgets(waiting, Status::Done)), [0, 1, 9]);
        // The one that is shown stays.
        assert_eq!(forgets(10, Status::Done), 0);
        assert_eq!(forgets(10, Status::Suspended), 0);
    }
}
