//! The answers of the outside, kept so that a run can be resumed.
//!
//! Every request to the outside has a key that does not depend on timing: the path of rounds, the step's id, the
//! attempt and the call, such as `s4#17/s6/1/run`. Everything else in a run follows from the answers.

use std::future::Future;
use std::pin::Pin;

use super::time::Limit;
use super::walk::{Phase, Walk};
use crate::digest::Digest;
use crate::document::OnError;
use crate::error::{Code, Error, Source};
use crate::event::{Spot, StepIndex};
use crate::host::{Entry, Host};

/// That a journal is kept, and how it is used.
#[derive(Debug, Clone, Copy)]
pub struct Journaling {
    /// What is taken from it.
    pub replay: Replay,
    /// This step and those after it in the document run again.
    pub from: Option<StepIndex>,
}

/// What is taken from a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// All answers; the failure that stopped the run is tried again. Answers to changed requests are reported to
    /// the host.
    Resume,
    /// The same, but requests that have changed are made again.
    Renew,
    /// Answers and waits of unchanged requests.
    Edit,
    /// Everything; what is not there is an error.
    Strict,
}

/// Which attempt of which execution makes the request.
#[derive(Clone, Copy)]
pub(super) struct Caller<'s> {
    pub(super) spot: Spot,
    pub(super) attempt: u32,
    /// What the keys of the executions of this scope begin with.
    pub(super) prefix: &'s str,
    /// What distinguishes the limits and repetitions of several calls in one attempt, such as `while3.`.
    pub(super) part: &'s str,
    /// The innermost limit on how long the request may take.
    pub(super) limit: Option<&'s Limit<'s>>,
}

/// What a journal has under the key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    /// The answer to this request.
    Same,
    /// The answer to another one.
    Other,
}

impl<'s> Caller<'s> {
    /// An attempt of an execution, without limits so far.
    pub(super) fn new(spot: Spot, attempt: u32, prefix: &'s str) -> Self {
        Self { spot, attempt, prefix, part: "", limit: None }
    }
}

impl<'a, H: Host> Walk<'a, H> {
    /// The key of an execution: the path of rounds and the step's id.
    pub(super) fn execution_key(&self, spot: Spot, prefix: &str) -> String {
        let id = self.plan.steps.get(spot.step as usize).map_or("", |step| step.id.as_str());
        format!("{prefix}{id}")
    }

    /// The key of a request; there is none while no journal is kept.
    pub(super) fn key(&self, caller: &Caller<'_>, call: &str) -> Option<String> {
        self.journal?;
        let Caller { spot, attempt, prefix, .. } = *caller;
        Some(format!("{}/{attempt}/{call}", self.execution_key(spot, prefix)))
    }

    /// The key of the execution's own entries; of the calls in an attempt each may have its own.
    pub(super) fn own_key(&self, caller: &Caller<'_>, word: &str) -> Option<String> {
        self.key(caller, &format!("{}{word}", caller.part))
    }

    /// The answer of the outside to a request: from the journal, or else live, and then kept.
    pub(super) async fn journaled(
        &self,
        caller: &Caller<'_>,
        call: &str,
        fingerprint: Digest,
        live: Pin<Box<dyn Future<Output = Result<H::Value, Error>> + '_>>,
    ) -> Result<H::Value, Error> {
        let Some(key) = self.key(caller, call) else { return live.await };
        let key = key.as_str();
        if self.takes_over(caller, key, fingerprint)? {
            return self.replayed(key).await;
        }
        self.outlives(caller, fingerprint).await;
        if self.is_strict() {
            return Err(self.unlike(caller, "asked nothing of the kind"));
        }
        self.may_begin(caller).await;
        Limit::around(caller).for_each(|limit| limit.begin(fingerprint));
        let answer = live.await;
        Limit::around(caller).for_each(|limit| limit.end(fingerprint));
        self.keep(Entry {
            key,
            spot: caller.spot,
            fingerprints: &fingerprint.hex(),
            answer: answer.as_ref(),
        })
        .await;
        answer
    }

    /// Ends once a request without an answer may be made, or be reported as one: never before what had ended it is reported,
    /// a time limit or, where everything is as it was, the end of the run.
    pub(super) async fn outlives(&self, caller: &Caller<'_>, fingerprint: Digest) {
        for limit in Limit::around(caller) {
            limit.outgrown_by(fingerprint).await;
        }
        if self.is_strict() && self.host.recorded(RUN_TIMEOUT).is_some() {
            std::future::pending().await
        }
    }

    /// Whether the journal's answer to a request is used. If the request has changed, this is reported to the host, or the
    /// request is made again.
    ///
    /// # Errors
    /// When that must not happen.
    pub(super) fn takes_over(
        &self,
        caller: &Caller<'_>,
        key: &str,
        fingerprint: Digest,
    ) -> Result<bool, Error> {
        match (self.known(caller, key, fingerprint), self.journal.map(|journal| journal.replay)) {
            (Known::Same, _) => Ok(true),
            (Known::Other, Some(Replay::Strict)) => Err(self.unlike(caller, "was asked something else")),
            (Known::Other, Some(Replay::Resume)) => {
                self.host.mismatch(caller.spot, key);
                Ok(true)
            }
            (Known::Other | Known::Nothing, _) => Ok(false),
        }
    }

    /// What the journal has under the key of a request.
    pub(super) fn known(&self, caller: &Caller<'_>, key: &str, fingerprint: Digest) -> Known {
        match self.recorded(caller, key) {
            None => Known::Nothing,
            // An older journal has no fingerprints: who resumes it has checked that the document is the same.
            Some(recorded) if recorded.is_empty() || recorded == fingerprint.hex() => Known::Same,
            Some(_) => Known::Other,
        }
    }

    /// The fingerprint under a key of the journal, unless everything here runs again.
    pub(super) fn recorded(&self, caller: &Caller<'_>, key: &str) -> Option<String> {
        let is_anew = self.journal?.from.is_some_and(|from| {
            let step = if cfg!(feature = "agents") { self.step_of(caller) } else { caller.spot.step };
            step >= from
        });
        if is_anew { None } else { self.host.recorded(key) }
    }

    /// The step of the document's own that makes a request, itself or in a call of a tool.
    fn step_of(&self, caller: &Caller<'_>) -> StepIndex {
        let Some((whole, _)) = caller.prefix.split_once(CALL) else { return caller.spot.step };
        let id = whole.rsplit('/').next().unwrap_or_default();
        let found = self.plan.steps.iter().position(|step| step.id == id);
        found.and_then(|index| StepIndex::try_from(index).ok()).unwrap_or(caller.spot.step)
    }

    async fn replayed(&self, key: &str) -> Result<H::Value, Error> {
        self.host.replay(key).await.map_err(|error| error.met_in(Source::Journal))
    }

    /// Keeps that something happened that has no answer but perhaps a number.
    pub(super) async fn note(&self, caller: &Caller<'_>, key: &str, fingerprints: &str, number: Option<u64>) {
        let answer = self.host.value_from_json(number.into());
        self.keep(Entry { key, spot: caller.spot, fingerprints, answer: Ok(&answer) }).await;
    }

    /// Puts an answer into the journal.
    pub(super) async fn keep(&self, entry: Entry<'_, H::Value>) {
        self.goes_on().await;
        self.host.record(entry).await;
    }

    /// Ends at once, and never when the time of the caller or of the run is over: nothing begins then that nobody would hear of.
    pub(super) async fn may_begin(&self, caller: &Caller<'_>) {
        if self.phase.get() == Phase::Closing || Limit::is_over_for(caller) {
            std::future::pending::<()>().await;
        }
    }

    /// Ends at once, and never when the time of the run is over: its last entry says so.
    pub(super) async fn goes_on(&self) {
        if self.phase.get() == Phase::Closing {
            std::future::pending::<()>().await;
        }
    }

    /// Whether a failure that an earlier run stopped at is tried again, with the next attempt.
    pub(super) async fn again(
        &self,
        caller: &Caller<'_>,
        error: &Error,
        on_failure: OnError,
        around: OnError,
    ) -> bool {
        let stopped = on_failure == OnError::Stop && around == OnError::Stop || error.ends_run;
        let Some(journal) = self.journal.filter(|_| stopped && error.source == Source::Journal) else {
            return false;
        };
        let next = Caller { attempt: caller.attempt + 1, ..*caller };
        let Some(key) = self.own_key(&next, "again") else { return false };
        if self.recorded(&next, &key).is_some() {
            let _ = self.host.replay(&key).await;
            return true;
        }
        if journal.replay == Replay::Strict {
            return false;
        }
        self.note(&next, &key, &Digest::default().hex(), None).await;
        true
    }

    /// Whether limits and waits have to be those of the journal too.
    pub(super) fn is_edited(&self) -> bool {
        self.journal.is_some_and(|journal| journal.replay == Replay::Edit)
    }

    /// Whether what was waited for counts, however long the wait would be now.
    pub(super) fn is_history(&self) -> bool {
        self.journal.is_some_and(|journal| matches!(journal.replay, Replay::Resume | Replay::Strict))
    }

    /// Whether no request may be made to the outside.
    pub(super) fn is_strict(&self) -> bool {
        self.journal.is_some_and(|journal| journal.replay == Replay::Strict)
    }

    fn unlike(&self, caller: &Caller<'_>, what: &str) -> Error {
        let key = self.execution_key(caller.spot, caller.prefix);
        let message = format!("the journal does not fit: at `{key}` the run that it tells {what}");
        let hint = "replay with the workflow that was recorded, or use replay: \"edit\" to run what differs";
        Error::new(Code::Validation, message).with_hint(hint).misfit()
    }
}

/// What stands between the key of an execution and the number of one of its tool calls, in whose keys no id has a `#`.
pub(super) const CALL: &str = "#tool";

/// What stands between that and the number of the attempt that makes the call again.
#[cfg(feature = "agents")]
pub(super) const AGAIN: char = '@';

/// The key under which it is kept that a whole run took too long.
pub(super) const RUN_TIMEOUT: &str = "timeout";
