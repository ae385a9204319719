//! Limits on how long something takes, and waits that a journal remembers.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::iter;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};

use futures_util::future::{Either, select};

use super::agent::Talk;
use super::journal::{Caller, Known};
use super::walk::Walk;
use crate::digest::Digest;
use crate::error::{Error, Source};
use crate::host::{Host, ends_within};

/// A limit on how long something takes, and the requests made meanwhile.
pub(super) struct Limit<'s> {
    ms: u64,
    /// Under which key a journal has it that the limit was reached.
    key: Option<String>,
    /// The requests of an earlier run that the limit cut short, as long as no other is made.
    in_vain: RefCell<Option<String>>,
    is_edited: bool,
    /// Those that wait for another request.
    waiting: RefCell<Vec<Waker>>,
    /// The open requests.
    open: RefCell<Vec<Digest>>,
    /// How many requests that must not be sent twice were sent within it and have no answer.
    unanswered: Cell<u32>,
    /// Whether it is reached, which is being kept.
    is_over: Cell<bool>,
    /// The conversation that it cuts short, if it is one on an attempt.
    talk: Option<&'s Talk>,
    outer: Option<&'s Limit<'s>>,
}

impl<'s> Limit<'s> {
    /// Notes that a request leaves which must not be sent twice.
    pub(super) fn note_sent(caller: &Caller<'s>) {
        Self::around(caller).for_each(|limit| limit.unanswered.update(|many| many.saturating_add(1)));
    }

    /// Notes that it has its answer.
    pub(super) fn note_answered(caller: &Caller<'s>) {
        Self::around(caller).for_each(|limit| limit.unanswered.update(|many| many.saturating_sub(1)));
    }

    /// Whether it has cut short a request of which nobody knows whether it was carried out. Whoever asks decides about that:
    /// the limits around this one no longer have it open.
    #[cfg(feature = "agents")]
    pub(super) fn leaves_unknown(&self) -> bool {
        let many = self.unanswered.take();
        for limit in iter::successors(self.outer, |limit| limit.outer) {
            limit.unanswered.update(|all| all.saturating_sub(many));
        }
        many > 0
    }

    /// The limits on requests of this execution, the innermost first.
    pub(super) fn around(caller: &Caller<'s>) -> impl Iterator<Item = &'s Self> + use<'s> {
        iter::successors(caller.limit, |limit| limit.outer)
    }

    /// Whether the time of this caller is over.
    pub(super) fn is_over_for(caller: &Caller<'s>) -> bool {
        Self::around(caller).any(|limit| limit.is_over.get())
    }

    /// Ends when this request, which has no answer, may be made: at once if no earlier run made it in vain, else when
    /// another request is made beside it. A request that no earlier run made shows that the run has passed that limit.
    pub(super) async fn outgrown_by(&self, fingerprint: Digest) {
        poll_fn(|context| {
            let mut in_vain = self.in_vain.borrow_mut();
            let is_same = |recorded: &String| {
                // A limit that the run survived is reported whatever is requested.
                !self.is_edited || recorded.split(' ').skip(1).any(|question| question == fingerprint.hex())
            };
            if in_vain.as_ref().is_some_and(is_same) {
                self.waiting.borrow_mut().push(context.waker().clone());
                return Poll::Pending;
            }
            *in_vain = None;
            self.waiting.take().into_iter().for_each(Waker::wake);
            Poll::Ready(())
        })
        .await;
    }

    /// Ends once an earlier run's cut by the limit is over, after which a person was asked again.
    pub(super) async fn passed(&self) {
        poll_fn(|context| match self.is_in_vain() {
            true => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
            false => Poll::Ready(()),
        })
        .await;
    }

    /// A request to the outside begins.
    pub(super) fn begin(&self, fingerprint: Digest) {
        self.open.borrow_mut().push(fingerprint);
    }

    /// It was answered.
    pub(super) fn end(&self, fingerprint: Digest) {
        let mut open = self.open.borrow_mut();
        if let Some(index) = open.iter().position(|other| *other == fingerprint) {
            open.swap_remove(index);
        }
    }

    fn is_in_vain(&self) -> bool {
        self.in_vain.borrow().is_some()
    }

    /// The fingerprint of the limit.
    fn digest(&self) -> String {
        Digest::default().with(&self.ms.to_string()).hex()
    }

    /// The fingerprints that a journal keeps when the limit is reached, and whether some of an answer was emitted: that answer
    /// comes into no journal, and a run that is taken up behind the limit drops what was emitted of it all the same.
    fn fingerprints(&self) -> String {
        let open = self.open.borrow();
        let mut text = open.iter().fold(self.digest(), |text, request| text + " " + &request.hex());
        if self.talk.is_some_and(Talk::has_emitted) {
            text.push_str(SAID);
        }
        text
    }

    /// Whether an earlier run had emitted some of the answer that the limit cut short.
    pub(super) fn has_cut_answer(&self) -> bool {
        self.in_vain.borrow().as_ref().is_some_and(|recorded| recorded.ends_with(SAID))
    }
}

/// What stands behind the fingerprints of a limit that cut an answer short of which some was emitted.
const SAID: &str = " said";

/// A limit was reached.
pub(super) struct Late {
    source: Source,
    /// The limit.
    pub(super) limit_ms: u64,
}

impl Late {
    /// The error of the limit.
    pub(super) fn attribute(self, error: Error) -> Error {
        error.met_in(self.source)
    }
}

impl<H: Host> Walk<'_, H> {
    /// A limit on the requests of an execution, with the conversation that it may cut short.
    pub(super) fn limit<'s>(&self, caller: &Caller<'s>, ms: u64, talk: Option<&'s Talk>) -> Limit<'s> {
        let key = self.own_key(caller, "timeout");
        let recorded = key.as_deref().and_then(|key| self.recorded(caller, key));
        let limit = Limit {
            ms,
            key,
            in_vain: RefCell::default(),
            is_edited: self.is_edited(),
            waiting: RefCell::default(),
            open: RefCell::default(),
            unanswered: Cell::default(),
            is_over: Cell::default(),
            talk,
            outer: caller.limit,
        };
        let counts =
            |recorded: &String| !limit.is_edited || recorded.split(' ').next() == Some(&limit.digest());
        *limit.in_vain.borrow_mut() = recorded.filter(counts);
        limit
    }

    /// What the future gives, unless it takes longer than this or an earlier run saw it do so.
    pub(super) async fn within<T>(
        &self,
        caller: &Caller<'_>,
        limit: &Limit<'_>,
        future: impl Future<Output = T>,
    ) -> Result<T, Late> {
        let mut output = None;
        let late = self.ends_within(caller, limit, pin!(async { output = Some(future.await) })).await;
        output.ok_or(late)
    }

    async fn ends_within(
        &self,
        caller: &Caller<'_>,
        limit: &Limit<'_>,
        mut future: Pin<&mut dyn Future<Output = ()>>,
    ) -> Late {
        let live = Late { source: Source::Live, limit_ms: limit.ms };
        let Some(key) = limit.key.as_deref() else {
            ends_within(self.host, limit.ms, future).await;
            return live;
        };
        if limit.is_in_vain() {
            let mut replayed = pin!(self.host.replay(key));
            let ended = poll_fn(|context| match future.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Some(None)),
                Poll::Pending if !limit.is_in_vain() => Poll::Ready(None),
                Poll::Pending => {
                    replayed.as_mut().poll(context).map(|replayed| Some(self.replayed_limit(replayed)))
                }
            });
            if let Some(replayed) = ended.await {
                return Late { source: Source::Journal, limit_ms: replayed.unwrap_or(limit.ms) };
            }
        }
        if let Either::Right((_, future)) = select(future, pin!(self.host.sleep(limit.ms))).await {
            limit.is_over.set(true);
            // What is in the journal before the limit comes before it in a replay, and so it does here.
            let _ = select(future, pin!(self.note(caller, key, &limit.fingerprints(), Some(limit.ms)))).await;
        }
        live
    }

    /// The limit that a journal says was reached; older ones do not say it.
    pub(super) fn replayed_limit(&self, replayed: Result<H::Value, Error>) -> Option<u64> {
        self.json(&replayed.ok()?).as_u64()
    }

    /// Waits, unless an earlier run did so already.
    pub(super) async fn rest(
        &self,
        caller: &Caller<'_>,
        call: &str,
        fingerprint: Digest,
        wait: impl Future<Output = ()>,
    ) {
        let Some(key) = self.key(caller, call) else { return wait.await };
        let is_over = match self.known(caller, &key, fingerprint) {
            Known::Nothing => false,
            Known::Same => true,
            Known::Other => self.is_history(),
        };
        if is_over {
            // Only that it is over matters.
            let _ = self.host.replay(&key).await;
            return;
        }
        wait.await;
        self.note(caller, &key, &fingerprint.hex(), None).await;
    }
}
