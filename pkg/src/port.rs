//! What a run needs from JavaScript: an object that takes notes while the engine works.

use wasm_bindgen::prelude::*;

/// Which of a step's functions is called.
#[derive(Clone, Copy)]
pub(crate) enum CallKind {
    Run = 0,
    Decide = 1,
    Compose = 2,
}

#[wasm_bindgen]
extern "C" {
    /// One object for each run. Its methods only push to lists or handle plain frozen data: none calls code of
    /// a user, and none throws.
    #[derive(Clone)]
    pub type Port;

    // --- Values

    #[wasm_bindgen(method)]
    pub(crate) fn merge(this: &Port, state: &JsValue, patch: &JsValue) -> JsValue;
    #[wasm_bindgen(method, js_name = mergeAll)]
    pub(crate) fn merge_all(this: &Port, state: &JsValue, patches: Vec<JsValue>) -> JsValue;
    #[wasm_bindgen(method)]
    pub(crate) fn diff(this: &Port, before: &JsValue, after: &JsValue) -> JsValue;
    #[wasm_bindgen(method)]
    pub(crate) fn json(this: &Port, value: &JsValue) -> String;
    /// Freezes a value that the engine made.
    #[wasm_bindgen(method)]
    pub(crate) fn adopt(this: &Port, value: JsValue) -> JsValue;

    // --- Operations, answered by `settle` or `fail`

    #[wasm_bindgen(method)]
    pub(crate) fn call(this: &Port, op: u32, kind: u32, step: u32, attempt: u32, state: &JsValue);
    #[wasm_bindgen(method)]
    pub(crate) fn fetch(this: &Port, op: u32, step: u32, request: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn read(this: &Port, op: u32, stream: u32);
    #[wasm_bindgen(method)]
    pub(crate) fn sleep(this: &Port, op: u32, milliseconds: f64);
    #[wasm_bindgen(method)]
    pub(crate) fn abort(this: &Port, op: u32);
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &Port, stream: u32);

    // --- Events

    #[wasm_bindgen(method, js_name = stepStart)]
    pub(crate) fn step_start(this: &Port, step: u32, attempt: u32);
    #[wasm_bindgen(method, js_name = stepDelta)]
    pub(crate) fn step_delta(this: &Port, step: u32, text: &str);
    #[wasm_bindgen(method, js_name = stepDone)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn step_done(
        this: &Port,
        step: u32,
        attempts: u32,
        started_at: f64,
        duration_ms: f64,
        output: &JsValue,
        patch: &JsValue,
        usage: Option<String>,
        simulated: bool,
    );
    #[wasm_bindgen(method, js_name = stepError)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn step_error(
        this: &Port,
        step: u32,
        attempts: u32,
        started_at: f64,
        duration_ms: f64,
        error: &str,
        retry_in_ms: Option<f64>,
        stopped_by: Option<u32>,
    );
    #[wasm_bindgen(method, js_name = stepSkipped)]
    pub(crate) fn step_skipped(this: &Port, step: u32, reason: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn warning(this: &Port, step: Option<u32>, code: &str, message: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn finish(this: &Port, state: &JsValue, error: Option<String>, stopped_by: Option<u32>);
}
