//! The gates of endpoints that take few requests, in virtual time.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use futures_channel::oneshot::Sender;
use stepweave_core::event::{Event, Spot};
use stepweave_core::host::Gate;

use crate::host::{Board, Permit};

/// How long a request counts, in milliseconds.
const MINUTE: u64 = 60_000;

/// What is held for less is not worth a word.
const LONG: u64 = 1000;

/// A gate for each endpoint.
#[derive(Debug, Default)]
pub(crate) struct Gates(BTreeMap<String, Passage>);

#[derive(Debug, Default)]
struct Passage {
    waiting: VecDeque<Waiter>,
    under_way: u32,
    /// When the requests of the last minute began.
    begun: VecDeque<u64>,
    shut_until: u64,
}

#[derive(Debug)]
struct Waiter {
    gate: Gate,
    answer: Sender<Permit>,
    /// Whose request it is, until it was said that it is held for long.
    unsaid: Option<Spot>,
}

/// When the next request may go through.
enum Next {
    Now,
    At(u64),
    /// When another one has ended.
    Later,
}

impl Gates {
    /// Puts a request behind those that wait already.
    pub(crate) fn queue(&mut self, spot: Spot, gate: Gate, answer: Sender<Permit>) {
        let passage = self.0.entry(gate.endpoint.clone()).or_default();
        passage.waiting.push_back(Waiter { gate, answer, unsaid: Some(spot) });
    }

    /// A request has ended.
    pub(crate) fn release(&mut self, endpoint: &str) {
        self.0.get_mut(endpoint).expect("it was admitted").under_way -= 1;
    }

    /// Nobody goes through until then.
    pub(crate) fn shut(&mut self, endpoint: &str, until: u64) {
        let passage = self.0.get_mut(endpoint).expect("it was admitted");
        passage.shut_until = passage.shut_until.max(until);
    }

    /// Lets through who may go; gives the time at which to look again.
    pub(crate) fn advance(&mut self, endpoint: &str, board: &Rc<Board>) -> Option<u64> {
        let now = board.now.get();
        let passage = self.0.get_mut(endpoint)?;
        passage.begun.retain(|begun| begun + MINUTE > now);
        loop {
            let Waiter { gate, answer, .. } = passage.waiting.front()?;
            if !answer.is_canceled() {
                let later = match passage.next(gate, now) {
                    Next::Now => None,
                    Next::At(time) => Some(Some(time)),
                    Next::Later => Some(None),
                };
                if let Some(later) = later {
                    passage.explain(board);
                    return later;
                }
            }
            let Waiter { gate, answer, .. } = passage.waiting.pop_front()?;
            if !answer.is_canceled() {
                passage.under_way += 1;
                passage.begun.push_back(now);
                // A permit that nobody waits for any more gives itself back.
                let _ = answer.send(Permit { endpoint: gate.endpoint, board: Rc::clone(board) });
            }
        }
    }
}

impl Passage {
    fn explain(&mut self, board: &Board) {
        let left = self.shut_until.saturating_sub(board.now.get());
        if left < LONG {
            return;
        }
        for Waiter { gate, unsaid, .. } in self.waiting.iter_mut().filter(|one| !one.answer.is_canceled()) {
            let Some(spot) = unsaid.take() else { continue };
            let message = format!(
                "a request to {} waits for {} s, since the endpoint has asked others to come back later",
                gate.endpoint,
                left.div_ceil(1000)
            );
            let event = Event::Warning { spot: Some(spot), code: "endpoint_busy", message };
            board.events.borrow_mut().push((board.time(), event));
        }
    }

    fn next(&self, gate: &Gate, now: u64) -> Next {
        if gate.concurrency.is_some_and(|most| self.under_way >= most) {
            return Next::Later;
        }
        let most = gate.requests_per_minute.unwrap_or(u32::MAX) as usize;
        let first = self.begun.len().checked_sub(most).map_or(0, |index| self.begun[index] + MINUTE);
        match first.max(self.shut_until) {
            time if time > now => Next::At(time),
            _ => Next::Now,
        }
    }
}
