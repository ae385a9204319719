//! What a run needs from JavaScript: an object that takes notes while the engine works.

use js_sys::Array;
use wasm_bindgen::prelude::*;

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
    /// Undefined when two of the states changed the same key.
    #[wasm_bindgen(method)]
    pub(crate) fn join(this: &Port, state: &JsValue, ends: Array) -> JsValue;
    #[wasm_bindgen(method)]
    pub(crate) fn diff(this: &Port, before: &JsValue, after: &JsValue) -> JsValue;
    /// As JSON: `[{ key, first, second }]`; nothing when no key is shared.
    #[wasm_bindgen(method, js_name = sharedKeys)]
    pub(crate) fn shared_keys(this: &Port, patches: Vec<JsValue>) -> Option<String>;
    #[wasm_bindgen(method)]
    pub(crate) fn json(this: &Port, value: &JsValue) -> String;
    /// Freezes a value that the engine made.
    #[wasm_bindgen(method)]
    pub(crate) fn adopt(this: &Port, value: JsValue) -> JsValue;

    /// About how many bytes of JSON the value takes.
    #[wasm_bindgen(method)]
    pub(crate) fn bytes(this: &Port, value: &JsValue) -> f64;
    /// Where the value does not fit a schema of the plan, as JSON: `{ violations }` or `{ error }`.
    #[wasm_bindgen(method)]
    pub(crate) fn violations(this: &Port, schema: u32, value: &JsValue, most: u32) -> String;
    /// The value with what a schema of the plan says for missing keys; undefined where none is missing.
    #[wasm_bindgen(method)]
    pub(crate) fn filled(this: &Port, schema: u32, value: &JsValue) -> JsValue;
    /// Milliseconds since 1970; NaN when the text is no time.
    #[wasm_bindgen(method, js_name = timeOf)]
    pub(crate) fn time_of(this: &Port, text: &str) -> f64;

    // --- The journal

    #[wasm_bindgen(method)]
    pub(crate) fn recorded(this: &Port, key: &str) -> Option<String>;
    /// The request under this key is not the one that the journal has an answer to.
    #[wasm_bindgen(method)]
    pub(crate) fn mismatch(this: &Port, step: u32, scope: u32, key: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn answer(this: &Port, op: u32, key: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn replay(this: &Port, op: u32, key: &str);
    #[wasm_bindgen(method)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn record(
        this: &Port,
        op: u32,
        key: &str,
        step: u32,
        scope: u32,
        fingerprints: &str,
        value: &JsValue,
        error: Option<String>,
    );

    // --- Operations, answered by `settle` or `fail`

    #[wasm_bindgen(method)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn call(
        this: &Port,
        op: u32,
        called: u32,
        wants: u32,
        step: u32,
        scope: u32,
        attempt: u32,
        state: &JsValue,
        call_id: Option<String>,
    );
    #[wasm_bindgen(method)]
    pub(crate) fn admit(
        this: &Port,
        op: u32,
        step: u32,
        scope: u32,
        endpoint: &str,
        concurrency: Option<u32>,
        requests_per_minute: Option<u32>,
    );
    /// Gives the leave back that the operation of this number gave.
    #[wasm_bindgen(method)]
    pub(crate) fn release(this: &Port, permit: u32);
    /// Makes other requests to the endpoint of this permit wait for so long.
    #[wasm_bindgen(method)]
    pub(crate) fn shut(this: &Port, permit: u32, milliseconds: f64);
    #[wasm_bindgen(method)]
    pub(crate) fn fetch(this: &Port, op: u32, step: u32, scope: u32, request: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn prepare(this: &Port, op: u32, step: u32, scope: u32, request: &str);
    /// Sends the request that the operation of this number has prepared.
    #[wasm_bindgen(method)]
    pub(crate) fn exchange(this: &Port, op: u32, prepared: u32);
    #[wasm_bindgen(method)]
    pub(crate) fn read(this: &Port, op: u32, stream: u32);
    #[wasm_bindgen(method)]
    pub(crate) fn sleep(this: &Port, op: u32, milliseconds: f64);
    /// Lets other work of the thread go first.
    #[wasm_bindgen(method)]
    pub(crate) fn pause(this: &Port, op: u32);
    /// Whether more has happened than the limit of events allows.
    #[wasm_bindgen(method, js_name = isFull)]
    pub(crate) fn is_full(this: &Port) -> bool;
    #[wasm_bindgen(method, js_name = sleepUntil)]
    pub(crate) fn sleep_until(this: &Port, op: u32, time: f64);
    /// Gives up an operation, or what it gave and nobody has used.
    #[wasm_bindgen(method)]
    pub(crate) fn abort(this: &Port, op: u32);
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &Port, stream: u32);

    // --- Events

    /// A round of a loop begins: its number, that of the round the loop is in, the loop, which round, and what the
    /// keys of the executions inside begin with.
    #[wasm_bindgen(method)]
    pub(crate) fn enter(this: &Port, scope: u32, outer: u32, step: u32, round: u32, prefix: &str);
    #[wasm_bindgen(method, js_name = stepStart)]
    pub(crate) fn step_start(this: &Port, step: u32, scope: u32, attempt: u32, input: &JsValue);
    #[wasm_bindgen(method, js_name = stepDelta)]
    pub(crate) fn step_delta(this: &Port, step: u32, scope: u32, text: &str);
    #[wasm_bindgen(method, js_name = stepReasoning)]
    pub(crate) fn step_reasoning(this: &Port, step: u32, scope: u32, text: &str);
    /// The answer emitted so far is discarded.
    #[wasm_bindgen(method, js_name = stepReset)]
    pub(crate) fn step_reset(this: &Port, step: u32, scope: u32);
    #[wasm_bindgen(method, js_name = stepUsage)]
    pub(crate) fn step_usage(this: &Port, step: u32, scope: u32, usage: &str);
    #[wasm_bindgen(method, js_name = toolStart)]
    pub(crate) fn tool_start(
        this: &Port,
        step: u32,
        scope: u32,
        call_id: &str,
        tool: &str,
        input: &JsValue,
        by_provider: bool,
    );
    /// A call of a tool gave this output or, as JSON text, that error.
    #[wasm_bindgen(method, js_name = toolEnd)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn tool_end(
        this: &Port,
        step: u32,
        scope: u32,
        call_id: &str,
        tool: &str,
        duration_ms: f64,
        output: &JsValue,
        error: Option<String>,
        by_provider: bool,
    );
    #[wasm_bindgen(method, js_name = stepDone)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn step_done(
        this: &Port,
        step: u32,
        scope: u32,
        attempts: u32,
        started_at: f64,
        duration_ms: f64,
        output: &JsValue,
        patch: &JsValue,
        extras: &JsValue,
        origin: u32,
    );
    #[wasm_bindgen(method, js_name = stepError)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn step_error(
        this: &Port,
        step: u32,
        scope: u32,
        attempts: u32,
        started_at: f64,
        duration_ms: f64,
        error: &str,
        retry_in_ms: Option<f64>,
        stopped_by_step: Option<u32>,
        stopped_by_scope: Option<u32>,
    );
    #[wasm_bindgen(method, js_name = stepSkipped)]
    pub(crate) fn step_skipped(this: &Port, step: u32, scope: u32, reason: &str);
    /// A step waits for a person; without a key, for a step inside it that does. With a tool, that person has to
    /// allow its call with this input.
    #[wasm_bindgen(method, js_name = stepSuspended)]
    #[allow(clippy::too_many_arguments, reason = "plain arguments cross the boundary faster than an object")]
    pub(crate) fn step_suspended(
        this: &Port,
        step: u32,
        scope: u32,
        key: Option<String>,
        message: Option<String>,
        schema: Option<u32>,
        call_id: Option<String>,
        tool: Option<String>,
        input: &JsValue,
        expires_at: Option<f64>,
    );
    /// An item of a foreach came to nothing, which the foreach survives.
    #[wasm_bindgen(method, js_name = itemError)]
    pub(crate) fn item_error(this: &Port, step: u32, scope: u32, error: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn warning(this: &Port, step: Option<u32>, scope: Option<u32>, code: &str, message: &str);
    #[wasm_bindgen(method)]
    pub(crate) fn finish(
        this: &Port,
        state: &JsValue,
        suspended: bool,
        error: Option<String>,
        stopped_by_step: Option<u32>,
        stopped_by_scope: Option<u32>,
    );
}
