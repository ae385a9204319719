//! A journal in memory, as the engine's host keeps it.

use std::collections::BTreeSet;

use futures_channel::oneshot::Sender;
use serde_json::Value;
use stepweave_core::error::Error;

use crate::host::Board;

/// What was answered, in the order of the answers.
#[derive(Debug, Clone, Default)]
pub struct Journal {
    /// The answers.
    pub entries: Vec<Kept>,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Which question it answers.
    pub key: String,
    /// What was asked.
    pub asked: String,
    /// Its number among all that was told and answered.
    pub seq: u64,
    /// When the answer came.
    pub at: u64,
    /// The pieces that were told on the way, and what the keys of their scope begin with.
    pub told: (u32, String, Vec<Told>),
    /// The answer.
    pub answer: Result<Value, Error>,
}

/// A piece of an answer.
#[derive(Debug, Clone)]
pub struct Told {
    /// When it was told.
    pub at: u64,
    /// Its number among all that was told and answered.
    pub seq: u64,
    /// The piece.
    pub text: String,
}

impl Journal {
    /// What was asked under a key.
    pub fn asked(&self, key: &str) -> Option<String> {
        self.place(key).map(|place| self.entries[place].asked.clone())
    }

    /// The number of the latest answer under a key.
    pub fn place(&self, key: &str) -> Option<usize> {
        let place = self.entries.iter().rposition(|kept| kept.key == key)?;
        // A time limit of the whole run that a later part went beyond is history.
        (key != "timeout" || place + 1 == self.entries.len()).then_some(place)
    }
}

/// Who waits for the journal, each with the place of the answer.
#[derive(Default)]
pub struct Replays {
    waiting: Vec<(usize, Sender<Result<Value, Error>>)>,
    /// The numbers of the pieces that were told again.
    told: BTreeSet<u64>,
}

impl Replays {
    /// Somebody waits for what the journal has under this key.
    pub fn wait(&mut self, board: &Board, key: &str, answer: Sender<Result<Value, Error>>) {
        let place = board.journal.borrow().place(key).expect("the key was looked up");
        self.waiting.push((place, answer));
    }

    /// What a journal answers comes in the order in which it was answered: tells the earliest. False: nobody waits.
    pub fn tell_next(&mut self, board: &Board) -> bool {
        self.waiting.retain(|(_, answer)| !answer.is_canceled());
        let Some(first) = (0..self.waiting.len()).min_by_key(|place| self.waiting[*place].0) else {
            return false;
        };
        let place = self.waiting[first].0;
        let kept = board.journal.borrow().entries[place].clone();
        self.tell_before(board, place, kept.seq);
        let (_, answer) = self.waiting.swap_remove(first);
        board.replayed.set(Some(kept.at));
        let _ = answer.send(kept.answer);
        true
    }

    /// What was told before an answer, by executions that are under way, in order; and all that belongs to it.
    fn tell_before(&mut self, board: &Board, place: usize, seq: u64) {
        let mut pieces = Vec::new();
        for (waiting, _) in &self.waiting {
            let (step, prefix, told) = board.journal.borrow().entries[*waiting].told.clone();
            let told = told.into_iter().filter(|told| *waiting == place || told.seq < seq);
            pieces.extend(told.map(|told| (step, prefix.clone(), told)));
        }
        pieces.sort_by_key(|(.., told)| told.seq);
        for (step, prefix, told) in pieces {
            if self.told.insert(told.seq) {
                board.tell_again(step, &prefix, &told);
            }
        }
    }

    /// Whether nobody waits any more.
    pub fn are_given_up(&self) -> bool {
        self.waiting.iter().all(|(_, answer)| answer.is_canceled())
    }
}
