//! Waiting until everything else that can go on has gone on.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Poll, Waker};

/// The turns of a walk: in each it goes on as far as it can without an answer.
#[derive(Default)]
pub(super) struct Turns {
    over: Cell<u64>,
    waiting: RefCell<Vec<Waker>>,
}

impl Turns {
    /// Walks turn by turn.
    pub(super) async fn of<T>(&self, mut walk: Pin<&mut impl Future<Output = T>>) -> T {
        poll_fn(|context| {
            let polled = walk.as_mut().poll(context);
            self.over.set(self.over.get() + 1);
            self.waiting.take().into_iter().for_each(Waker::wake);
            polled
        })
        .await
    }

    /// Ends in the next turn.
    pub(super) async fn next(&self) {
        let begun = self.over.get();
        poll_fn(|context| {
            if self.over.get() > begun {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
