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
    /// The fingerprints of the request.
    pub fingerprints: String,
    /// Its number among all emitted pieces and answers.
    pub seq: u64,
    /// When the answer came.
    pub at: u64,
    /// The pieces that were emitted on the way, and what the keys of their scope begin with.
    pub pieces: (u32, String, Vec<Piece>),
    /// The answer.
    pub answer: Result<Value, Error>,
}

/// A piece of an answer.
#[derive(Debug, Clone)]
pub struct Piece {
    /// When it was emitted.
    pub at: u64,
    /// Its number among all emitted pieces and answers.
    pub seq: u64,
    /// The piece; nothing where what was emitted of the answer is dropped.
    pub text: Option<String>,
}

impl Journal {
    /// The fingerprints of the request under a key.
    pub fn fingerprints_of(&self, key: &str) -> Option<String> {
        self.place(key).map(|place| self.entries[place].fingerprints.clone())
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
    /// The numbers of the pieces that were emitted again.
    emitted: BTreeSet<u64>,
}

impl Replays {
    /// Somebody waits for what the journal has under this key.
    pub fn wait(&mut self, board: &Board, key: &str, answer: Sender<Result<Value, Error>>) {
        let place = board.journal.borrow().place(key).expect("the key was looked up");
        self.waiting.push((place, answer));
    }

    /// What a journal answers comes in the order in which it was answered: gives the earliest. False: nobody waits.
    pub fn answer_next(&mut self, board: &Board) -> bool {
        self.waiting.retain(|(_, answer)| !answer.is_canceled());
        let Some(first) = (0..self.waiting.len()).min_by_key(|place| self.waiting[*place].0) else {
            return false;
        };
        let place = self.waiting[first].0;
        let kept = board.journal.borrow().entries[place].clone();
        self.emit_before(board, place, kept.seq);
        let (_, answer) = self.waiting.swap_remove(first);
        board.replayed.set(Some(kept.at));
        let _ = answer.send(kept.answer);
        true
    }

    /// Emits again what executions that are under way emitted before an answer, in order, and all that belongs to the answer.
    fn emit_before(&mut self, board: &Board, place: usize, seq: u64) {
        let mut pieces = Vec::new();
        for (waiting, _) in &self.waiting {
            let (step, prefix, emitted) = board.journal.borrow().entries[*waiting].pieces.clone();
            let emitted = emitted.into_iter().filter(|piece| *waiting == place || piece.seq < seq);
            pieces.extend(emitted.map(|piece| (step, prefix.clone(), piece)));
        }
        pieces.sort_by_key(|(.., piece)| piece.seq);
        for (step, prefix, piece) in pieces {
            if self.emitted.insert(piece.seq) {
                board.emit_again(step, &prefix, &piece);
            }
        }
    }

    /// Whether nobody waits any more.
    pub fn are_given_up(&self) -> bool {
        self.waiting.iter().all(|(_, answer)| answer.is_canceled())
    }
}
