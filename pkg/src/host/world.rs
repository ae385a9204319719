//! Endpoints, timers and the turns of the event loop.

use std::cell::Cell;

use js_sys::Date;
use stepweave_core::error::Error;
use stepweave_core::event::Spot;
use stepweave_core::host::{Gate, Request, Response, World};
use stepweave_core::json;

use super::JsHost;
use crate::answer;
use crate::port::Port;

/// How long the engine may work before JavaScript's other work gets a turn, in milliseconds.
const TURN_MS: f64 = 10.0;

/// How much work is done between two looks at the clock, in units of the fuel of expressions.
const WORK_BETWEEN_LOOKS: u64 = 10_000;

/// A turn of JavaScript's event loop: how long the engine has worked in it.
pub(crate) struct Turn {
    /// When it was looked at the clock first.
    began: Cell<Option<f64>>,
    work: Cell<u64>,
    is_over: Cell<bool>,
}

impl Turn {
    pub(crate) fn new() -> Self {
        Self { began: Cell::new(None), work: Cell::new(0), is_over: Cell::new(false) }
    }

    /// The engine begins to work.
    pub(crate) fn begin(&self) {
        self.began.set(None);
        self.is_over.set(false);
    }

    /// Whether the turn is over, after so much more work. Once it is, all that goes on at the same time waits. It is over
    /// at the same work on every machine when the run has to end because of its events.
    fn is_over_after(&self, work: u64, port: &Port) -> bool {
        let done = self.work.get().saturating_add(work);
        self.work.set(done);
        if done >= WORK_BETWEEN_LOOKS && !self.is_over.get() {
            self.work.set(0);
            let now = Date::now();
            // Before the first look at the clock a turn has taken what its work takes, about a microsecond for ten.
            let is_over = match self.began.get() {
                Some(began) => now - began >= TURN_MS,
                None => done >= 10 * WORK_BETWEEN_LOOKS,
            };
            self.began.set(self.began.get().or(Some(now)));
            self.is_over.set(is_over || port.is_full());
        }
        self.is_over.get()
    }
}

/// Permission to call an endpoint.
pub(crate) struct Permit {
    number: u32,
    port: Port,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.port.release(self.number);
    }
}

/// A body that is still arriving.
pub(crate) struct Body {
    stream: u32,
    port: Port,
}

impl Drop for Body {
    fn drop(&mut self) {
        self.port.close(self.stream);
    }
}

impl World for JsHost {
    type Body = Body;
    type Permit = Permit;

    async fn admit(&self, Spot { step, scope }: Spot, gate: Gate) -> Permit {
        let Gate { endpoint, concurrency, requests_per_minute } = gate;
        let mut number = 0;
        let ask = |op| {
            number = op;
            self.port.admit(op, step, scope, &endpoint, concurrency, requests_per_minute);
        };
        // A failure of the rate limiter ends the run from outside.
        let _ = self.ops.open(&self.port, ask).await;
        Permit { number, port: self.port.clone() }
    }

    fn close(&self, permit: &Permit, milliseconds: u64) {
        self.port.shut(permit.number, milliseconds as f64);
    }

    async fn fetch(&self, Spot { step, scope }: Spot, request: Request) -> Result<Response<Body>, Error> {
        let request = json::text(&request);
        let response = self.ops.open(&self.port, |op| self.port.fetch(op, step, scope, &request)).await?;
        answer::response(&response.value, |stream| Body { stream, port: self.port.clone() })
    }

    async fn read(&self, body: &mut Body) -> Result<Option<Vec<u8>>, Error> {
        let bytes = self.ops.open(&self.port, |op| self.port.read(op, body.stream)).await?;
        Ok(answer::bytes(&bytes.value))
    }

    async fn sleep(&self, milliseconds: u64) {
        // A timer cannot fail; if its host ends it early, the wait is over.
        let _ = self.ops.open(&self.port, |op| self.port.sleep(op, milliseconds as f64)).await;
    }

    async fn sleep_until(&self, time: f64) {
        let _ = self.ops.open(&self.port, |op| self.port.sleep_until(op, time)).await;
    }

    async fn pause(&self, work: u64) {
        let mut work = work;
        // What goes on first in the next turn may use that up too.
        while self.turn.is_over_after(std::mem::take(&mut work), &self.port) {
            // Nothing can go wrong with it; it is on the heap, since steps are as large as what they may wait for.
            let _ = Box::pin(self.ops.open(&self.port, |op| self.port.pause(op))).await;
        }
    }

    fn now(&self) -> f64 {
        self.now.get()
    }

    fn time_of(&self, text: &str) -> Option<f64> {
        Some(self.port.time_of(text)).filter(|time| time.is_finite())
    }
}
