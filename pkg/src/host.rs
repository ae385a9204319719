//! The engine's host in JavaScript: each need of the engine becomes a note on the run's port.

use std::cell::Cell;

use stepweave_core::error::Error;
use stepweave_core::event::{ApprovalRequest, Event, Failed, Finished, Runner, Scope, Spot};
use stepweave_core::host::{Call, Entry, Host, Returned, Sending, Values};
use stepweave_core::json;
use wasm_bindgen::JsValue;

pub(crate) use self::world::Turn;
use crate::ops::{Ops, Settled};
use crate::port::Port;

pub(crate) mod values;
mod world;

/// One run's view of the world.
pub(crate) struct JsHost {
    pub(crate) port: Port,
    pub(crate) ops: Ops,
    pub(crate) now: Cell<f64>,
    pub(crate) turn: Turn,
}

/// A request that may leave.
pub(crate) struct Prepared {
    number: u32,
    port: Port,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        self.port.abort(self.number);
    }
}

impl Host for JsHost {
    type Prepared = Prepared;

    async fn prepare(&self, Spot { step, scope }: Spot, sending: Sending) -> Result<Prepared, Error> {
        let sending = json::text(&sending);
        let mut number = 0;
        let ask = |op| {
            number = op;
            self.port.prepare(op, step, scope, &sending);
        };
        self.ops.open(&self.port, ask).await?;
        Ok(Prepared { number, port: self.port.clone() })
    }

    async fn exchange(&self, prepared: Prepared) -> Result<JsValue, Error> {
        let ask = |op| self.port.exchange(op, prepared.number);
        Ok(self.ops.open(&self.port, ask).await?.value)
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
        let Entry { key, spot: Spot { step, scope }, fingerprints, answer } = entry;
        let nothing = JsValue::UNDEFINED;
        let (value, error) = match answer {
            Ok(value) => (value, None),
            Err(error) => (&nothing, Some(json::text(error))),
        };
        let ask = |op| self.port.record(op, key, step, scope, fingerprints, value, error);
        // What cannot be kept ends the run from outside.
        let _ = self.ops.open(&self.port, ask).await;
    }

    async fn answer(&self, key: &str) -> Option<JsValue> {
        let answer = self.ops.open(&self.port, |op| self.port.answer(op, key)).await.ok()?;
        Some(answer.value).filter(|answer| !answer.is_undefined())
    }

    fn enter(&self, Scope { scope, spot, round, prefix }: Scope<'_>) {
        self.port.enter(scope, spot.scope, spot.step, round, prefix);
    }

    fn emit(&self, event: Event<JsValue>) {
        let port = &self.port;
        match event {
            Event::StepStart { spot: Spot { step, scope }, attempt, input } => {
                port.step_start(step, scope, attempt, &input);
            }
            Event::StepDelta { spot: Spot { step, scope }, text } => port.step_delta(step, scope, &text),
            Event::StepReasoning { spot: Spot { step, scope }, text } => {
                port.step_reasoning(step, scope, &text);
            }
            Event::StepReset { spot: Spot { step, scope } } => port.step_reset(step, scope),
            Event::StepUsage { spot: Spot { step, scope }, usage } => {
                port.step_usage(step, scope, &json::text(&usage.to_json()));
            }
            Event::ToolStart { spot: Spot { step, scope }, call, runner } => {
                let input = self.value_from_json(call.input);
                port.tool_start(step, scope, &call.id, &call.tool, &input, runner == Runner::Provider);
            }
            Event::ToolEnd { spot: Spot { step, scope }, id, tool, duration_ms, outcome, runner } => {
                let (output, error) = match outcome {
                    Ok(output) => (output, None),
                    Err(error) => (JsValue::UNDEFINED, Some(json::text(&error))),
                };
                let by_provider = runner == Runner::Provider;
                port.tool_end(step, scope, &id, &tool, duration_ms, &output, error, by_provider);
            }
            Event::StepDone { spot, finished } => done(port, spot, finished),
            Event::StepError { spot, failed } => failure(port, spot, &failed),
            Event::StepSkipped { spot: Spot { step, scope }, reason } => {
                port.step_skipped(step, scope, reason)
            }
            Event::StepSuspended { spot: Spot { step, scope }, request } => match request {
                None => {
                    port.step_suspended(step, scope, None, None, None, None, None, &JsValue::UNDEFINED, None)
                }
                Some(ApprovalRequest { key, message, schema, call, expires_at }) => {
                    let (id, tool, input) = match call {
                        Some(call) => (Some(call.id), Some(call.tool), self.value_from_json(call.input)),
                        None => (None, None, JsValue::UNDEFINED),
                    };
                    port.step_suspended(
                        step,
                        scope,
                        Some(key),
                        message,
                        schema,
                        id,
                        tool,
                        &input,
                        expires_at,
                    );
                }
            },
            Event::ItemError { spot: Spot { step, scope }, error } => {
                port.item_error(step, scope, &json::text(&error));
            }
            Event::Warning { spot, code, message } => {
                let (step, scope) = spot.map(|spot| (spot.step, spot.scope)).unzip();
                port.warning(step, scope, code, &message);
            }
        }
    }
}

fn done(port: &Port, Spot { step, scope }: Spot, finished: Finished<JsValue>) {
    let Finished { attempts, started_at, duration_ms, output, patch, extras, origin } = finished;
    let [output, patch, extras] = [output, patch, extras].map(Option::unwrap_or_default);
    let origin = origin as u32;
    port.step_done(step, scope, attempts, started_at, duration_ms, &output, &patch, &extras, origin);
}

fn failure(port: &Port, Spot { step, scope }: Spot, failed: &Failed) {
    let error = json::text(&failed.error);
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
