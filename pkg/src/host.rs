//! The engine's host in JavaScript: each need of the engine becomes a note on the run's port.

use std::cell::Cell;

use js_sys::{Array, Date, JSON, Object, Reflect};
use stepweave_core::engine::{
    Asked, Call, Entry, Error, Event, Failed, Finished, Gate, Host, Origin, Request, Response, Returned,
    Scope, SharedKey, Spot, Violation,
};
use wasm_bindgen::{JsCast, JsValue};

use crate::answer;
use crate::ops::{Ops, Settled};
use crate::port::Port;
use crate::view;

/// How long the engine may work before JavaScript's other work gets a turn, in milliseconds.
const TURN_MS: f64 = 10.0;

/// How much work is done between two looks at the clock, in units of the fuel of expressions.
const WORK_BETWEEN_LOOKS: u64 = 10_000;

/// One run's view of the world.
pub(crate) struct JsHost {
    pub(crate) port: Port,
    pub(crate) ops: Ops,
    pub(crate) now: Cell<f64>,
    pub(crate) turn: Turn,
}

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

/// Leave to ask an endpoint.
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

impl Host for JsHost {
    type Value = JsValue;
    type Body = Body;
    type Permit = Permit;

    fn merge(&self, state: &JsValue, patch: &JsValue) -> JsValue {
        self.port.merge(state, patch)
    }

    fn merge_all(&self, state: &JsValue, patches: Vec<JsValue>) -> JsValue {
        self.port.merge_all(state, patches)
    }

    fn join(&self, state: &JsValue, ends: &[JsValue]) -> Option<JsValue> {
        let joined = self.port.join(state, ends.iter().collect());
        (!joined.is_undefined()).then_some(joined)
    }

    fn diff(&self, before: &JsValue, after: &JsValue) -> JsValue {
        self.port.diff(before, after)
    }

    fn shared_keys(&self, patches: &[JsValue]) -> Vec<SharedKey> {
        let shared = self.port.shared_keys(patches.to_vec());
        shared.map(|json| answer::shared_keys(&json)).unwrap_or_default()
    }

    fn member(&self, value: &JsValue, key: &str) -> Option<JsValue> {
        view::member(value.dyn_ref()?, key)
    }

    fn json_text(&self, value: &JsValue) -> String {
        self.port.json(value)
    }

    fn value_from_json(&self, json: serde_json::Value) -> JsValue {
        match json {
            serde_json::Value::Bool(value) => value.into(),
            serde_json::Value::Null => JsValue::NULL,
            // JavaScript reads it in its own way: `__proto__` is a key like others, large numbers are rounded.
            serde_json::Value::String(text) => self.port.adopt(text.into()),
            other => self.port.adopt(JSON::parse(&other.to_string()).unwrap_or(JsValue::NULL)),
        }
    }

    fn template_view(&self, value: &JsValue) -> stepweave_core::language::Value {
        view::value(value.clone())
    }

    fn object(&self, entries: Vec<(&str, JsValue)>) -> JsValue {
        let object = Object::new();
        for (key, value) in entries {
            // A plain new object takes every key.
            let _ = Reflect::set(&object, &key.into(), &value);
        }
        self.port.adopt(object.into())
    }

    fn list(&self, items: Vec<JsValue>) -> JsValue {
        self.port.adopt(items.into_iter().collect::<Array>().into())
    }

    fn items(&self, value: &JsValue) -> Option<Vec<JsValue>> {
        Some(value.dyn_ref::<Array>()?.to_vec())
    }

    fn bytes(&self, value: &JsValue) -> u64 {
        self.port.bytes(value) as u64
    }

    fn violations(&self, schema: u32, value: &JsValue, most: u32) -> Result<Vec<Violation>, Error> {
        answer::violations(&self.port.violations(schema, value, most))
    }

    fn filled(&self, schema: u32, value: &JsValue) -> Option<JsValue> {
        let filled = self.port.filled(schema, value);
        (!filled.is_undefined()).then_some(filled)
    }

    async fn call(&self, call: Call<'_, JsValue>) -> Result<Returned<JsValue>, Error> {
        let Call { function, wants, spot: Spot { step, scope }, attempt, state, call_id } = call;
        let call_id = call_id.map(str::to_owned);
        let ask = |op| self.port.call(op, function, wants as u32, step, scope, attempt, state, call_id);
        let Settled { value, yielded } = self.ops.open(&self.port, ask).await?;
        Ok(Returned { value, yielded })
    }

    fn recorded(&self, key: &str) -> Option<String> {
        self.port.recorded(key)
    }

    fn mismatch(&self, Spot { step, scope }: Spot, key: &str) {
        self.port.mismatch(step, scope, key);
    }

    async fn replay(&self, key: &str) -> Result<JsValue, Error> {
        Ok(self.ops.open(&self.port, |op| self.port.replay(op, key)).await?.value)
    }

    async fn record(&self, entry: Entry<'_, JsValue>) {
        let Entry { key, spot: Spot { step, scope }, asked, answer } = entry;
        let nothing = JsValue::UNDEFINED;
        let (value, error) = match answer {
            Ok(value) => (value, None),
            Err(error) => (&nothing, serde_json::to_string(error).ok()),
        };
        let ask = |op| self.port.record(op, key, step, scope, asked, value, error);
        // What cannot be kept ends the run from outside.
        let _ = self.ops.open(&self.port, ask).await;
    }

    async fn answer(&self, key: &str) -> Option<JsValue> {
        let answer = self.ops.open(&self.port, |op| self.port.answer(op, key)).await.ok()?;
        Some(answer.value).filter(|answer| !answer.is_undefined())
    }

    async fn admit(&self, Spot { step, scope }: Spot, gate: Gate) -> Permit {
        let Gate { endpoint, concurrency, requests_per_minute } = gate;
        let mut number = 0;
        let ask = |op| {
            number = op;
            self.port.admit(op, step, scope, &endpoint, concurrency, requests_per_minute);
        };
        // What goes wrong with a gate ends the run from outside.
        let _ = self.ops.open(&self.port, ask).await;
        Permit { number, port: self.port.clone() }
    }

    fn close(&self, permit: &Permit, milliseconds: u64) {
        self.port.shut(permit.number, milliseconds as f64);
    }

    async fn fetch(&self, Spot { step, scope }: Spot, request: Request) -> Result<Response<Body>, Error> {
        let request = serde_json::to_string(&request).unwrap_or_default();
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

    fn enter(&self, Scope { scope, spot, round, prefix }: Scope<'_>) {
        self.port.enter(scope, spot.scope, spot.step, round, prefix);
    }

    fn emit(&self, event: Event<JsValue>) {
        let port = &self.port;
        match event {
            Event::StepStart { spot: Spot { step, scope }, attempt } => port.step_start(step, scope, attempt),
            Event::StepDelta { spot: Spot { step, scope }, text } => port.step_delta(step, scope, &text),
            Event::StepReasoning { spot: Spot { step, scope }, text } => {
                port.step_reasoning(step, scope, &text);
            }
            Event::StepReset { spot: Spot { step, scope } } => port.step_reset(step, scope),
            Event::StepUsage { spot: Spot { step, scope }, usage } => {
                port.step_usage(step, scope, &usage.to_json().to_string());
            }
            Event::ToolStart { spot: Spot { step, scope }, call } => {
                port.tool_start(step, scope, &call.id, &call.name, &self.value_from_json(call.input));
            }
            Event::ToolEnd { spot: Spot { step, scope }, id, tool, duration_ms, outcome } => {
                let (output, error) = match outcome {
                    Ok(output) => (output, None),
                    Err(error) => (JsValue::UNDEFINED, serde_json::to_string(&error).ok()),
                };
                port.tool_end(step, scope, &id, &tool, duration_ms, &output, error);
            }
            Event::StepDone { spot, finished } => done(port, spot, finished),
            Event::StepError { spot, failed } => failure(port, spot, &failed),
            Event::StepSkipped { spot: Spot { step, scope }, reason } => {
                port.step_skipped(step, scope, reason)
            }
            Event::StepSuspended { spot: Spot { step, scope }, request } => match request {
                None => port.step_suspended(step, scope, None, None, None, None, None, &JsValue::UNDEFINED),
                Some(Asked { key, message, schema, call }) => {
                    let (id, tool, input) = match call {
                        Some(call) => (Some(call.id), Some(call.name), self.value_from_json(call.input)),
                        None => (None, None, JsValue::UNDEFINED),
                    };
                    port.step_suspended(step, scope, Some(key), message, schema, id, tool, &input);
                }
            },
            Event::ItemError { spot: Spot { step, scope }, error } => {
                port.item_error(step, scope, &serde_json::to_string(&error).unwrap_or_default());
            }
            Event::Warning { spot, code, message } => {
                let (step, scope) = spot.map(|spot| (spot.step, spot.scope)).unzip();
                port.warning(step, scope, code, &message);
            }
        }
    }
}

fn done(port: &Port, Spot { step, scope }: Spot, finished: Finished<JsValue>) {
    let Finished { attempts, started_at, duration_ms, output, patch, origin } = finished;
    let (output, patch) = (output.unwrap_or_default(), patch.unwrap_or_default());
    let simulated = origin == Origin::Simulated;
    port.step_done(step, scope, attempts, started_at, duration_ms, &output, &patch, simulated);
}

fn failure(port: &Port, Spot { step, scope }: Spot, failed: &Failed) {
    let error = serde_json::to_string(&failed.error).unwrap_or_default();
    let (stopped_step, stopped_scope) = failed.stopped_by.map(|spot| (spot.step, spot.scope)).unzip();
    port.step_error(
        step,
        scope,
        failed.attempts,
        failed.started_at,
        failed.duration_ms,
        &error,
        failed.retry_in_ms.map(|wait| wait as f64),
        stopped_step,
        stopped_scope,
    );
}
