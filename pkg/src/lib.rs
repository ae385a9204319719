//! The wasm bindings: they hold runs by number, poll them and carry values across. No rule of a workflow lives here.
//!
//! The boundary is synchronous. JavaScript starts a run, polls it, makes the calls that the run asked its
//! [`Port`](port::Port) for, settles them and polls again. No code of a user runs while an export is on the stack.

use serde::Serialize;
use stepweave_core::engine::{Plan, StepInfo};
use stepweave_core::problem::Problem;
use stepweave_core::validate::{Report, validate};
use wasm_bindgen::prelude::*;

mod answer;
mod host;
mod ops;
mod port;
mod runs;
mod view;

/// Checks a document and makes it ready to be run.
///
/// Gives JSON: `{ plan, problems, steps }`, where `plan` is 0 when the document is refused and `steps` has the
/// id, path, name and type of each step in the order of the document.
#[wasm_bindgen]
pub fn compile(text: &str) -> String {
    tell_panics();
    let Report { mut problems, document } = validate(text);
    let plan = document.and_then(|document| match Plan::new(&document, view::LETTER_CASE) {
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
    let steps = plan.as_ref().map(|plan| plan.steps.clone()).unwrap_or_default();
    let compiled = Compiled { plan: plan.map_or(0, runs::keep_plan), problems, steps };
    // A struct of numbers and texts always has a JSON form.
    serde_json::to_string(&compiled).unwrap_or_default()
}

/// Forgets a plan. Runs that are under way keep it as long as they need it.
#[wasm_bindgen]
pub fn release(plan: u32) {
    runs::release_plan(plan);
}

/// Begins a run of a plan and gives its number; nothing happens before the first [`poll`]. 0: there is no such plan.
#[wasm_bindgen]
pub fn start(plan: u32, state: JsValue, port: port::Port, seed: f64) -> u32 {
    runs::start(plan, state, port, seed)
}

/// Goes on with a run as far as it can go without an answer. True: it has ended, and its number is free.
#[wasm_bindgen]
pub fn poll(run: u32, now: f64) -> bool {
    runs::poll(run, now)
}

/// Answers an operation that the run asked for.
#[wasm_bindgen]
pub fn settle(run: u32, op: u32, value: JsValue) {
    runs::answer(run, op, Ok(value));
}

/// Tells a run that an operation failed; the error is JSON: `{ code, message, hint, retryable, retryAfterMs? }`.
#[wasm_bindgen]
pub fn fail(run: u32, op: u32, error: &str) {
    runs::answer(run, op, Err(answer::error_from_json(error, op)));
}

/// Drops a run. Its port is told which operations to give up.
#[wasm_bindgen]
pub fn cancel(run: u32) {
    runs::cancel(run);
}

#[derive(Serialize)]
struct Compiled {
    plan: u32,
    problems: Vec<Problem>,
    steps: Vec<StepInfo>,
}

/// A panic leaves the instance as a JavaScript error with its message, so that the caller can tell what broke.
fn tell_panics() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}
