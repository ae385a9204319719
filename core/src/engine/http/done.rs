//! What became of requests that must not be sent twice.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::refused;
use super::{Occasion, UNKNOWN_CALL};
use crate::digest::Digest;
use crate::document::OnUnknown;
use crate::engine::agent::Talk;
use crate::engine::journal::{AGAIN, CALL, Caller};
use crate::engine::time::Limit;
use crate::engine::walk::Walk;
use crate::error::{Code, Error};
use crate::event::{Event, Spot};
use crate::host::Host;

/// What a run knows of them.
pub(in crate::engine) struct Done<V> {
    /// What has become of those that calls of tools have sent, until the step ends whose agent has made the calls: another
    /// attempt may make a call again.
    sent: RefCell<Vec<Sent<V>>>,
    /// Bytes that the answers have together.
    bytes: Cell<u64>,
    /// What people have answered for these calls, by the keys of their questions, as long.
    said: RefCell<Vec<(String, Digest, V)>>,
    /// How far the agents of steps in calls have come, by the keys of their executions, as long.
    talks: RefCell<Vec<(String, Rc<Talk>)>>,
    /// Those that were sent and have no answer.
    open: RefCell<Vec<(Spot, String)>>,
}

impl<V> Default for Done<V> {
    fn default() -> Self {
        Self {
            sent: RefCell::default(),
            bytes: Cell::default(),
            said: RefCell::default(),
            talks: RefCell::default(),
            open: RefCell::default(),
        }
    }
}

/// A request that a call has sent.
struct Sent<V> {
    name: String,
    fingerprint: Digest,
    outcome: Outcome<V>,
}

enum Outcome<V> {
    Answered(V),
    /// The answer had no room.
    TooLarge,
    /// Nobody knows whether it was carried out, which the document wants to be a failure, or has decided about.
    Unknown {
        spot: Spot,
        error: Error,
        is_failure: bool,
    },
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
    /// What an earlier attempt has had for the same request of the same call.
    fn find(&self, name: &str, fingerprint: Digest, what: &str) -> Option<Result<V, Error>> {
        let sent = self.sent.borrow();
        let found = sent.iter().find(|other| other.name == name && other.fingerprint == fingerprint)?;
        Some(match &found.outcome {
            Outcome::Answered(answer) => Ok(answer.clone()),
            Outcome::Unknown { error, .. } => Err(error.clone()),
            Outcome::TooLarge => {
                let what = format!("{what} was sent by an earlier attempt");
                Err(refused::unknown(&what, "its answer was too large to be kept"))
            }
        })
    }

    /// What is said of one that may have been carried out and is a failure for that, among those that belong to calls of an
    /// execution, or to this one of them.
    fn unknown(&self, execution: &str, call: Option<&str>) -> Option<String> {
        self.sent.borrow().iter().find_map(|sent| match &sent.outcome {
            Outcome::Unknown { error, is_failure: true, .. } if belongs(&sent.name, execution, call) => {
                Some(error.message.clone())
            }
            _ => None,
        })
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
    /// What an earlier attempt has had for the same request of the same call. `what` is what messages call it.
    pub(super) fn find_done(
        &self,
        occasion: &Occasion<'_, H::Value>,
        caller: &Caller<'_>,
        call: &str,
        fingerprint: Digest,
        what: &str,
    ) -> Option<Result<H::Value, Error>> {
        self.done.find(&self.name_of(occasion, caller, call)?, fingerprint, what)
    }

    /// Takes note of what became of a request, for an attempt that makes the same call again.
    pub(super) fn keep_done(
        &self,
        occasion: &Occasion<'_, H::Value>,
        caller: &Caller<'_>,
        call: &str,
        fingerprint: Digest,
        answer: &Result<H::Value, Error>,
    ) {
        let Some(name) = self.name_of(occasion, caller, call) else { return };
        let Done { sent, bytes, .. } = &self.done;
        let mut sent = sent.borrow_mut();
        if sent.iter().any(|other| other.name == name && other.fingerprint == fingerprint) {
            return;
        }
        let outcome = match answer {
            Ok(answer) => {
                let all = bytes.get() + self.host.bytes(answer);
                if all > MOST_BYTES {
                    Outcome::TooLarge
                } else {
                    bytes.set(all);
                    Outcome::Answered(answer.clone())
                }
            }
            Err(error) if error.code == Code::UnknownOutcome => Outcome::Unknown {
                spot: caller.spot,
                error: error.clone(),
                is_failure: occasion.on_unknown == OnUnknown::Fail,
            },
            Err(_) => return,
        };
        sent.push(Sent { name, fingerprint, outcome });
    }

    /// The error of a time limit on an execution, or on one call of its agent. Where a request was sent that must not be sent
    /// again, and nobody knows whether it was carried out, it says that.
    pub(in crate::engine) fn in_time(
        &self,
        error: Error,
        limit: &Limit<'_>,
        caller: &Caller<'_>,
        call: Option<&str>,
    ) -> Error {
        if limit.leaves_unknown() {
            return refused::unknown(&error.message, "its answer did not come in time").met_in(error.source);
        }
        let execution = lasting(&self.execution_key(caller.spot, caller.prefix));
        match self.done.unknown(&execution, call) {
            None => error,
            Some(why) => {
                let late = format!("{}; {why}", error.message);
                Error::new(Code::UnknownOutcome, late).with_hint(UNKNOWN_CALL).met_in(error.source)
            }
        }
    }

    /// Says of which requests nobody knows whether they were carried out, now that the run ends.
    pub(in crate::engine) fn warn_open(&self) {
        let warn = |spot: Spot, message: String| {
            self.host.emit(Event::Warning { spot: Some(spot), code: "unknown_outcome", message });
        };
        for (spot, what) in self.done.open.borrow().iter() {
            warn(
                *spot,
                format!("{what} was sent and has no answer: nobody knows whether it was carried out"),
            );
        }
        for sent in self.done.sent.borrow().iter() {
            if let Outcome::Unknown { spot, error, is_failure: true } = &sent.outcome {
                warn(*spot, error.message.clone());
            }
        }
    }

    /// How far the agent of a step in a call has come: an attempt that makes the call again goes on there. Nothing for
    /// other steps, whose attempts all belong to one execution.
    pub(in crate::engine) fn talk_in_call(&self, caller: &Caller<'_>) -> Option<Rc<Talk>> {
        if !caller.prefix.contains(CALL) {
            return None;
        }
        let name = lasting(&self.execution_key(caller.spot, caller.prefix));
        let mut talks = self.done.talks.borrow_mut();
        if let Some((_, talk)) = talks.iter().find(|(other, _)| *other == name) {
            return Some(Rc::clone(talk));
        }
        let talk = Rc::<Talk>::default();
        talks.push((name, Rc::clone(&talk)));
        Some(talk)
    }

    /// Lets go of what calls of this execution have done: no attempt makes them again, unless it is in a call itself.
    pub(in crate::engine) fn forget_calls(&self, caller: &Caller<'_>) {
        if caller.prefix.contains(CALL) {
            return;
        }
        let own = lasting(&self.execution_key(caller.spot, caller.prefix));
        let mut sent = self.done.sent.borrow_mut();
        sent.retain(|sent| !belongs(&sent.name, &own, None));
        if sent.is_empty() {
            self.done.bytes.set(0);
        }
        self.done.said.borrow_mut().retain(|(key, ..)| !belongs(&lasting(key), &own, None));
        self.done.talks.borrow_mut().retain(|(name, _)| !belongs(name, &own, None));
    }

    /// What names a request in whichever attempt the call is made that it belongs to; nothing for one outside of calls.
    fn name_of(&self, occasion: &Occasion<'_, H::Value>, caller: &Caller<'_>, call: &str) -> Option<String> {
        let Caller { spot, attempt, prefix, .. } = *caller;
        if occasion.call_id.is_some() {
            return Some(format!("{}/{call}", lasting(&self.execution_key(spot, prefix))));
        }
        prefix.contains(CALL).then(|| format!("{}{}/{attempt}/{call}", lasting(prefix), spot.step))
    }
}

/// Whether this is named after the calls of an execution, or after this one of them.
fn belongs(name: &str, execution: &str, call: Option<&str>) -> bool {
    let Some(rest) = name.strip_prefix(execution) else { return false };
    match call {
        None => [CALL, QUESTION].iter().any(|begin| rest.starts_with(begin)),
        Some(call) => rest
            .strip_prefix(['#', '/'])
            .and_then(|rest| rest.strip_prefix(call))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.'])),
    }
}

/// What stands between the key of an execution and a question about one of its calls.
const QUESTION: &str = "/tool";

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
