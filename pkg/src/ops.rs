//! Operations that a run waits for: each is a future that JavaScript settles by number.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use stepweave_core::engine::Error;
use wasm_bindgen::JsValue;

use crate::port::Port;

/// What JavaScript answered.
pub(crate) type Answer = Result<Settled, Error>;

/// A good answer.
pub(crate) struct Settled {
    pub(crate) value: JsValue,
    /// What the called function yielded before.
    pub(crate) yielded: Option<JsValue>,
}

/// The operations of one run that have no answer yet.
#[derive(Default)]
pub(crate) struct Ops {
    last: Cell<u32>,
    open: RefCell<BTreeMap<u32, Slot>>,
}

#[derive(Default)]
struct Slot {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

impl Ops {
    /// Opens an operation; `ask` tells the port which number it has.
    pub(crate) fn open(self: &Rc<Self>, port: &Port, ask: impl FnOnce(u32)) -> Op {
        let id = self.last.get().wrapping_add(1);
        self.last.set(id);
        self.open.borrow_mut().insert(id, Slot::default());
        ask(id);
        Op { id, ops: Rc::clone(self), port: port.clone() }
    }

    /// Answers an operation. An answer to one that was given up changes nothing.
    pub(crate) fn answer(&self, id: u32, answer: Answer) {
        let waker = self.open.borrow_mut().get_mut(&id).and_then(|slot| {
            slot.answer = Some(answer);
            slot.waker.take()
        });
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// An operation under way. Dropping it tells the port to give it up.
pub(crate) struct Op {
    id: u32,
    ops: Rc<Ops>,
    port: Port,
}

impl Future for Op {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let mut open = self.ops.open.borrow_mut();
        let Some(slot) = open.get_mut(&self.id) else { return Poll::Pending };
        match slot.answer.take() {
            Some(answer) => {
                open.remove(&self.id);
                Poll::Ready(answer)
            }
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Op {
    fn drop(&mut self) {
        if self.ops.open.borrow_mut().remove(&self.id).is_some() {
            self.port.abort(self.id);
        }
    }
}
