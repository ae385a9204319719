//! Operations that a run waits for: each is a future that JavaScript settles by number.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::{iter, mem};

use stepweave_core::error::Error;
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
pub(crate) struct Ops(RefCell<Table>);

/// Operations by number. The last bits of a number are its index in the table; a number whose index is
/// taken is left out, so that no number is given twice.
#[derive(Default)]
struct Table {
    last: u32,
    count: usize,
    /// As many as a power of two, half of them empty at least.
    slots: Vec<Option<Slot>>,
}

struct Slot {
    id: u32,
    answer: Option<Answer>,
    waker: Option<Waker>,
}

impl Ops {
    /// Opens an operation; `ask` writes it to the port with its number.
    pub(crate) fn open<'a>(&'a self, port: &'a Port, ask: impl FnOnce(u32)) -> Op<'a> {
        let id = self.0.borrow_mut().insert();
        ask(id);
        Op { id, ops: self, port }
    }

    /// Settles an operation. An answer to one that was aborted changes nothing.
    pub(crate) fn answer(&self, id: u32, answer: Answer) {
        let waker = self.0.borrow_mut().get(id).and_then(|slot| {
            slot.answer = Some(answer);
            slot.waker.take()
        });
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Table {
    fn insert(&mut self) -> u32 {
        if self.count * 2 >= self.slots.len() {
            self.grow();
        }
        loop {
            self.last = self.last.wrapping_add(1);
            let id = self.last;
            if let Some(place) = self.place(id)
                && place.is_none()
            {
                *place = Some(Slot { id, answer: None, waker: None });
                self.count += 1;
                return id;
            }
        }
    }

    fn get(&mut self, id: u32) -> Option<&mut Slot> {
        self.place(id)?.as_mut().filter(|slot| slot.id == id)
    }

    fn remove(&mut self, id: u32) -> Option<Slot> {
        let slot = self.place(id)?.take_if(|slot| slot.id == id)?;
        self.count -= 1;
        Some(slot)
    }

    fn place(&mut self, id: u32) -> Option<&mut Option<Slot>> {
        let bits = self.slots.len().wrapping_sub(1);
        self.slots.get_mut(id as usize & bits)
    }

    /// Numbers whose last bits differ still do so when one more bit is looked at.
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(4);
        let slots = mem::replace(&mut self.slots, iter::repeat_with(|| None).take(size).collect());
        for slot in slots.into_iter().flatten() {
            if let Some(place) = self.place(slot.id) {
                *place = Some(slot);
            }
        }
    }
}

/// An operation in progress. Dropping it makes the port abort it.
pub(crate) struct Op<'a> {
    id: u32,
    ops: &'a Ops,
    port: &'a Port,
}

impl Future for Op<'_> {
    type Output = Result<Settled, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut table = self.ops.0.borrow_mut();
        let Some(slot) = table.get(self.id) else { return Poll::Pending };
        match slot.answer.take() {
            Some(answer) => {
                table.remove(self.id);
                Poll::Ready(answer)
            }
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Op<'_> {
    fn drop(&mut self) {
        if self.ops.0.borrow_mut().remove(self.id).is_some() {
            self.port.abort(self.id);
        }
    }
}
