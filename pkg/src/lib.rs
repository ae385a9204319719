//! The wasm bindings: they hold runs by number, poll them and carry values across. No rule of a workflow lives here.
//!
//! The boundary is synchronous. JavaScript starts a run, polls it, carries out the operations that the run wrote to its
//! [`Port`](port::Port), settles them and polls again. No code of a user runs while an export is on the stack.

use std::hint::black_box;
use std::rc::Rc;

use serde::Serialize;
use stepweave_core::digest::Digest;
use stepweave_core::document::Limits;
use stepweave_core::engine::{Function, Plan, Schema, StepInfo};
use stepweave_core::json;
use stepweave_core::problem::Problem;
use stepweave_core::validate::{Report, validate};
use wasm_bindgen::prelude::*;

use crate::ops::Settled;

mod answer;
mod host;
mod ops;
mod port;
mod runs;
#[cfg(feature = "language")]
mod view;

/// It is as fast as the one of the standard library, and 8 KB smaller when packed.
#[global_allocator]
static ALLOCATOR: rlsf::GlobalTlsf = rlsf::GlobalTlsf::new();

/// Checks a document and compiles it.
///
/// Gives JSON: `{ plan, problems, steps, functions, schemas, digest }`. `bounds` are limits of the host as JSON, which the plan keeps whatever the
/// document says; empty where there are none. `plan` is 0 when the document is refused; `steps` has the id, path, name
/// and type of each step in the order of the document; functions and schemas are what the port speaks of by number, or
/// for a refused document the schemas that stand in it;
/// the digest tells documents apart.
#[wasm_bindgen]
pub fn compile(text: &str, bounds: &str) -> String {
    make_room(text);
    let Report { mut problems, document, schemas } = validate(text);
    let made = |document| Plan::bounded(&document, bounds_of(bounds)?);
    let plan = document.and_then(|document| match made(document) {
        Ok(plan) => Some(plan),
        Err(message) => {
            problems.push(Problem::error(
                "",
                "document",
                message,
                "compare it with the published JSON Schema",
            ));
            None
        }
    });
    let plan = plan.map(Rc::new);
    let refused: Vec<_> = schemas.into_iter().map(|(path, schema)| Schema::new(path, schema)).collect();
    let compiled = Compiled {
        plan: plan.clone().map_or(0, runs::keep_plan),
        problems,
        steps: plan.as_ref().map_or(&[], |plan| &plan.steps),
        functions: plan.as_ref().map_or(&[], |plan| &plan.functions),
        schemas: plan.as_ref().map_or(&refused, |plan| &plan.schemas),
        digest: Digest::default().with(text).hex(),
    };
    // What is made of numbers and texts always has a JSON form.
    json::text(&compiled)
}

/// Forgets a plan. Runs in progress keep it as long as they need it.
#[wasm_bindgen]
pub fn release(plan: u32) {
    runs::release_plan(plan);
}

/// Begins a run of a plan and gives its number; nothing happens before the first [`poll`]. 0: there is no such plan.
///
/// `replay` says how a journal is used: 0 not at all, 1 resume, 2 edit, 3 strict, 4 renew. With `from`, the step of this index
/// and those behind it are run anew. With `pins`, steps that the document pins are not run.
#[wasm_bindgen]
pub fn start(
    plan: u32,
    state: JsValue,
    port: port::Port,
    seed: u32,
    replay: u32,
    from: Option<u32>,
    pins: bool,
) -> u32 {
    runs::start(plan, state, port, runs::settings(seed, replay, from, pins))
}

/// Goes on with a run as far as it can go without an answer. True: it has ended, and its number is free.
#[wasm_bindgen]
pub fn poll(run: u32, now: f64) -> bool {
    runs::poll(run, now)
}

/// Settles an operation of the run.
#[wasm_bindgen]
pub fn settle(run: u32, op: u32, value: JsValue) {
    runs::answer(run, op, Ok(Settled { value, yielded: None }));
}

/// Settles an operation and goes on with the run, like [`settle`] and then [`poll`]: a single crossing of the boundary.
#[wasm_bindgen]
pub fn resume(run: u32, op: u32, value: JsValue, now: f64) -> bool {
    settle(run, op, value);
    runs::poll(run, now)
}

/// Answers the call of a function that yielded this before it returned.
#[wasm_bindgen(js_name = settleYielded)]
pub fn settle_yielded(run: u32, op: u32, value: JsValue, yielded: JsValue) {
    runs::answer(run, op, Ok(Settled { value, yielded: Some(yielded) }));
}

/// Tells a run that an operation failed; the error is JSON: `{ code, message, hint, retryable, retryAfterMs? }`.
#[wasm_bindgen]
pub fn fail(run: u32, op: u32, error: &str) {
    runs::answer(run, op, Err(answer::error_from_json(error, op)));
}

/// Drops a run and returns the state that it had reached. Its port is informed which operations to abort.
#[wasm_bindgen]
pub fn cancel(run: u32) -> JsValue {
    runs::cancel(run)
}

/// Bytes of memory that each key and each text of a document takes at least while it is checked.
const BYTES_OF_A_STRING: usize = 128;

/// Lets the memory grow at once by what is surely needed. The allocator takes a page of 64 KB at a time, and for a document
/// of 100,000 steps that took longer than to check it. Where there is not so much memory, it goes on page by page.
fn make_room(text: &str) {
    let strings = text.bytes().filter(|byte| *byte == b'"').count() / 2;
    let mut room = Vec::<u8>::new();
    let _ = room.try_reserve_exact(strings.saturating_mul(BYTES_OF_A_STRING));
    drop(black_box(room));
}

/// Bounds that cannot be read let nothing run: without them a run would have none.
fn bounds_of(text: &str) -> Result<Limits, String> {
    match text {
        "" => Ok(Limits::default()),
        _ => Limits::from_json(json::read(text).map_err(|error| error.to_string())?),
    }
}

#[derive(Serialize)]
struct Compiled<'a> {
    plan: u32,
    problems: Vec<Problem>,
    steps: &'a [StepInfo],
    functions: &'a [Function],
    schemas: &'a [Schema],
    digest: String,
}
