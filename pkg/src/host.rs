//! The engine's host in JavaScript: each need of the engine becomes a note on the run's port.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::JSON;
use stepweave_core::engine::{
    Call, Error, Event, Failed, Finished, Host, Origin, Request, Response, StepIndex,
};
use wasm_bindgen::JsValue;

use crate::answer;
use crate::ops::{Op, Ops};
use crate::port::{CallKind, Port};
use crate::view;

/// How many steps that ask nothing of JavaScript may run before its other work gets a turn.
const STEPS_IN_A_ROW: u32 = 100;

/// One run's view of the world.
pub(crate) struct JsHost {
    pub(crate) port: Port,
    pub(crate) ops: Rc<Ops>,
    pub(crate) now: Rc<Cell<f64>>,
    pub(crate) seed: Cell<u32>,
    pub(crate) steps_without_pause: Cell<u32>,
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

impl JsHost {
    fn call(&self, kind: CallKind, call: &Call<'_, JsValue>) -> Op {
        self.ops.open(&self.port, |op| self.port.call(op, kind as u32, call.step, call.attempt, call.state))
    }
}

impl Host for JsHost {
    type Value = JsValue;
    type Body = Body;

    fn merge(&self, state: &JsValue, patch: &JsValue) -> JsValue {
        self.port.merge(state, patch)
    }

    fn merge_all(&self, state: &JsValue, patches: Vec<JsValue>) -> JsValue {
        self.port.merge_all(state, patches)
    }

    fn diff(&self, before: &JsValue, after: &JsValue) -> JsValue {
        self.port.diff(before, after)
    }

    fn keys(&self, value: &JsValue) -> Vec<String> {
        view::keys(value)
    }

    fn json_text(&self, value: &JsValue) -> String {
        self.port.json(value)
    }

    fn value_from_json(&self, json: serde_json::Value) -> JsValue {
        match json {
            serde_json::Value::String(text) => text.into(),
            serde_json::Value::Bool(value) => value.into(),
            // JavaScript reads it in its own way: `__proto__` is a key like others, large numbers are rounded.
            other => self.port.adopt(JSON::parse(&other.to_string()).unwrap_or(JsValue::NULL)),
        }
    }

    fn template_view(&self, value: &JsValue) -> minijinja::Value {
        view::value(value.clone())
    }

    async fn run(&self, call: Call<'_, JsValue>) -> Result<JsValue, Error> {
        self.call(CallKind::Run, &call).await
    }

    async fn decide(&self, call: Call<'_, JsValue>) -> Result<bool, Error> {
        answer::decision(&self.call(CallKind::Decide, &call).await?)
    }

    async fn compose(&self, call: Call<'_, JsValue>) -> Result<String, Error> {
        answer::text(&self.call(CallKind::Compose, &call).await?)
    }

    async fn fetch(&self, step: StepIndex, request: Request) -> Result<Response<Body>, Error> {
        let request = serde_json::to_string(&request).unwrap_or_default();
        let response = self.ops.open(&self.port, |op| self.port.fetch(op, step, &request)).await?;
        answer::response(&response, |stream| Body { stream, port: self.port.clone() })
    }

    async fn read(&self, body: &mut Body) -> Result<Option<Vec<u8>>, Error> {
        let bytes = self.ops.open(&self.port, |op| self.port.read(op, body.stream)).await?;
        Ok(answer::bytes(&bytes))
    }

    async fn sleep(&self, milliseconds: u64) {
        // A timer cannot fail; if its host ends it early, the wait is over.
        let _ = self.ops.open(&self.port, |op| self.port.sleep(op, milliseconds as f64)).await;
    }

    async fn pause(&self) {
        let steps = self.steps_without_pause.get() + 1;
        self.steps_without_pause.set(steps % STEPS_IN_A_ROW);
        if steps == STEPS_IN_A_ROW {
            self.sleep(0).await;
        }
    }

    fn now(&self) -> f64 {
        self.now.get()
    }

    fn random(&self) -> f64 {
        // Xorshift: jitter needs spread, not secrecy.
        let mut seed = self.seed.get().max(1);
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        self.seed.set(seed);
        f64::from(seed) / (f64::from(u32::MAX) + 1.0)
    }

    fn emit(&self, event: Event<JsValue>) {
        let port = &self.port;
        match event {
            Event::StepStart { step, attempt } => port.step_start(step, attempt),
            Event::StepDelta { step, text } => port.step_delta(step, &text),
            Event::StepDone { step, finished } => done(port, step, finished),
            Event::StepError { step, failed } => failure(port, step, &failed),
            Event::StepSkipped { step, reason } => port.step_skipped(step, reason),
            Event::Warning { step, code, message } => port.warning(step, code, &message),
        }
    }
}

fn done(port: &Port, step: StepIndex, finished: Finished<JsValue>) {
    let Finished { attempts, started_at, duration_ms, output, patch, usage, origin } = finished;
    let usage = usage.and_then(|usage| serde_json::to_string(&usage).ok());
    let (output, patch) = (output.unwrap_or_default(), patch.unwrap_or_default());
    let simulated = origin == Origin::Simulated;
    port.step_done(step, attempts, started_at, duration_ms, &output, &patch, usage, simulated);
}

fn failure(port: &Port, step: StepIndex, failed: &Failed) {
    let error = serde_json::to_string(&failed.error).unwrap_or_default();
    port.step_error(
        step,
        failed.attempts,
        failed.started_at,
        failed.duration_ms,
        &error,
        failed.retry_in_ms.map(|wait| wait as f64),
        failed.stopped_by,
    );
}
