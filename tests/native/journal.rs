//! A journal in memory, as the engine's host keeps it.

use futures_channel::oneshot::Sender;
use serde_json::Value;
use stepweave_core::engine::{Digest, Error};

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
    /// The fingerprint of what was asked.
    pub asked: Digest,
    /// When the answer came.
    pub at: u64,
    /// The pieces that were told on the way, and what the keys of their scope begin with.
    pub told: (u32, String, Vec<String>),
    /// The answer.
    pub answer: Result<Value, Error>,
}

impl Journal {
    /// The fingerprint under a key.
    pub fn asked(&self, key: &str) -> Option<String> {
        self.place(key).map(|place| self.entries[place].asked.hex())
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
pub struct Replays(Vec<(usize, Sender<Result<Value, Error>>)>);

impl Replays {
    /// Somebody waits for what the journal has under this key.
    pub fn wait(&mut self, board: &Board, key: &str, answer: Sender<Result<Value, Error>>) {
        let place = board.journal.borrow().place(key).expect("the key was looked up");
        self.0.push((place, answer));
    }

    /// What a journal answers comes in the order in which it was answered: tells the earliest. False: nobody waits.
    pub fn tell_next(&mut self, board: &Board) -> bool {
        self.0.retain(|(_, answer)| !answer.is_canceled());
        let Some(first) = (0..self.0.len()).min_by_key(|place| self.0[*place].0) else { return false };
        let (place, answer) = self.0.swap_remove(first);
        let kept = board.journal.borrow().entries[place].clone();
        board.replayed.set(Some(kept.at));
        board.tell_again(&kept);
        let _ = answer.send(kept.answer);
        true
    }

    /// Whether nobody waits any more.
    pub fn are_given_up(&self) -> bool {
        self.0.iter().all(|(_, answer)| answer.is_canceled())
    }
}
