//! What became of requests that must not be sent twice.

use std::cell::{Cell, RefCell};

use crate::digest::Digest;
use crate::engine::journal::{AGAIN, CALL, Caller};
use crate::engine::walk::Walk;
use crate::event::{Event, Spot};
use crate::host::Host;

/// What a run knows of them.
pub(in crate::engine) struct Done<V> {
    /// The answers to those of steps in calls of tools, until the step ends whose agent has made the calls: another attempt may
    /// make a call again. Nothing for those that have no room.
    answers: RefCell<Vec<(String, Digest, Option<V>)>>,
    /// Bytes that the answers have together.
    bytes: Cell<u64>,
    /// What people have answered for these calls, by the keys of their questions, as long.
    said: RefCell<Vec<(String, Digest, V)>>,
    /// Those that were sent and have no answer.
    open: RefCell<Vec<(Spot, String)>>,
}

impl<V> Default for Done<V> {
    fn default() -> Self {
        Self {
            answers: RefCell::default(),
            bytes: Cell::default(),
            said: RefCell::default(),
            open: RefCell::default(),
        }
    }
}

/// A request that was sent and has no answer, until this is dropped.
pub(super) struct Open<'d> {
    open: &'d RefCell<Vec<(Spot, String)>>,
    spot: Spot,
    what: String,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut open = self.open.borrow_mut();
        if let Some(index) = open.iter().position(|(spot, what)| *spot == self.spot && *what == self.what) {
            open.swap_remove(index);
        }
    }
}

impl<V: Clone> Done<V> {
    /// The answer that an earlier attempt has had to the same request of the same call, if there was room for it.
    pub(super) fn find(&self, caller: &Caller<'_>, call: &str, fingerprint: Digest) -> Option<Option<V>> {
        let name = name_of(caller, call).filter(|_| caller.prefix.contains(AGAIN))?;
        let answers = self.answers.borrow();
        let found = answers.iter().find(|(other, question, _)| *other == name && *question == fingerprint);
        found.map(|(_, _, answer)| answer.clone())
    }

    /// What a person has answered in an earlier attempt of the same call, and whether it was under this very key.
    pub(in crate::engine) fn said(&self, key: &str, fingerprint: Digest) -> Option<(V, bool)> {
        let said = self.said.borrow();
        let name = lasting(key);
        let mut same =
            said.iter().filter(|(other, question, _)| *question == fingerprint && lasting(other) == name);
        let (_, _, answer) = same.clone().next()?;
        Some((answer.clone(), same.any(|(other, ..)| other == key)))
    }

    /// Takes note of what a person has answered to a question of a call, or in one.
    pub(in crate::engine) fn hear(&self, key: &str, fingerprint: Digest, answer: &V) {
        if key.contains(CALL) || key.contains(QUESTION) {
            self.said.borrow_mut().push((key.to_owned(), fingerprint, answer.clone()));
        }
    }

    /// Takes note of a request that is sent now.
    pub(super) fn begin(&self, spot: Spot, what: String) -> Open<'_> {
        self.open.borrow_mut().push((spot, what.clone()));
        Open { open: &self.open, spot, what }
    }
}

/// Bytes that answers may have together which are kept for another attempt.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

impl<H: Host> Walk<'_, H> {
    /// Takes note of an answer, for an attempt that makes the same call again.
    pub(super) fn keep_done(&self, caller: &Caller<'_>, call: &str, fingerprint: Digest, answer: &H::Value) {
        let Some(name) = name_of(caller, call) else { return };
        let Done { answers, bytes, .. } = &self.done;
        let all = bytes.get() + self.host.bytes(answer);
        let kept = (all <= MOST_BYTES).then(|| answer.clone());
        if kept.is_some() {
            bytes.set(all);
        }
        answers.borrow_mut().push((name, fingerprint, kept));
    }

    /// Says of which requests nobody knows whether they were carried out, now that the run ends.
    pub(in crate::engine) fn warn_open(&self) {
        for (spot, what) in self.done.open.borrow().iter() {
            let message =
                format!("{what} was sent and has no answer: nobody knows whether it was carried out");
            self.host.emit(Event::Warning { spot: Some(*spot), code: "unknown_outcome", message });
        }
    }

    /// Lets go of what calls of this execution have done: no attempt makes them again, unless it is in a call itself.
    pub(in crate::engine) fn forget_calls(&self, caller: &Caller<'_>) {
        if caller.prefix.contains(CALL) {
            return;
        }
        let own = lasting(&self.execution_key(caller.spot, caller.prefix));
        let is_other = |name: &str| {
            let rest = name.strip_prefix(&own);
            !rest.is_some_and(|rest| [CALL, QUESTION].iter().any(|begin| rest.starts_with(begin)))
        };
        let mut answers = self.done.answers.borrow_mut();
        answers.retain(|(name, ..)| is_other(name));
        if answers.is_empty() {
            self.done.bytes.set(0);
        }
        self.done.said.borrow_mut().retain(|(key, ..)| is_other(&lasting(key)));
    }
}

/// What stands between the key of an execution and a question about one of its calls.
const QUESTION: &str = "/tool";

/// What names a request in whichever attempt the call is made that it belongs to; nothing for one outside of calls.
fn name_of(caller: &Caller<'_>, call: &str) -> Option<String> {
    let Caller { spot, attempt, prefix, .. } = *caller;
    prefix.contains(CALL).then(|| format!("{}{}/{attempt}/{call}", lasting(prefix), spot.step))
}

/// The keys of executions without what tells the attempts of a call apart. Ids have no `#` in them.
fn lasting(keys: &str) -> String {
    let (mut is_call, mut is_attempt) = (false, false);
    let lasts = |letter: &char| {
        is_call = *letter != '/' && (is_call || *letter == '#');
        is_attempt = is_call && (is_attempt || *letter == AGAIN);
        !is_attempt
    };
    keys.chars().filter(lasts).collect()
}
