//! Answers of JavaScript as the engine takes them.

use js_sys::{Array, Object, Reflect, Uint8Array};
use serde_json::{Map, Value};
use stepweave_core::error::{Code, Error};
use stepweave_core::host::{Response, SharedKey, Violation};
use stepweave_core::json;
use wasm_bindgen::{JsCast, JsValue};

/// The error of an operation that failed, with the operation's number.
pub(crate) fn error_from_json(json: &str, op: u32) -> Error {
    match json::read(json) {
        Ok(error) => Error::from_json(&error).of_operation(op),
        Err(_) => Error::new(Code::Handler, json).of_operation(op),
    }
}

/// What a validator found: `{ violations: [{ at, keyword, rule, missing? }] }` or `{ error }`.
pub(crate) fn violations(json: &str) -> Result<Vec<Violation>, Error> {
    let found = json::read(json).unwrap_or_default();
    let Some(violations) = found.get("violations").and_then(Value::as_array) else {
        return Err(Error::from_json(found.get("error").unwrap_or(&Value::Null)));
    };
    let text = |violation: &Value, key| violation.get(key).and_then(Value::as_str).map(str::to_owned);
    let read = |violation| {
        Some(Violation {
            at: text(violation, "at")?,
            keyword: text(violation, "keyword")?,
            rule: text(violation, "rule")?,
            missing: text(violation, "missing"),
        })
    };
    Ok(violations.iter().filter_map(read).collect())
}

/// The keys that several patches have: `[{ key, first, second }]`.
pub(crate) fn shared_keys(json: &str) -> Vec<SharedKey> {
    let found = json::read(json).unwrap_or_default();
    let place = |shared: &Value, at| shared.get(at).and_then(Value::as_u64).map(|place| place as usize);
    let read = |shared: &Value| {
        let key = shared.get("key")?.as_str()?.to_owned();
        Some(SharedKey { key, first: place(shared, "first")?, second: place(shared, "second")? })
    };
    found.as_array().into_iter().flatten().filter_map(read).collect()
}

/// Bytes of a body, or nothing at its end.
pub(crate) fn bytes(value: &JsValue) -> Option<Vec<u8>> {
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
}

/// The beginning of an answer: `{ status, headers, stream, hint? }`.
pub(crate) fn response<B>(value: &JsValue, body: impl FnOnce(u32) -> B) -> Result<Response<B>, Error> {
    let number = |key: &str| Reflect::get(value, &key.into()).ok().and_then(|found| found.as_f64());
    let (Some(status), Some(stream)) = (number("status"), number("stream")) else {
        return Err(Error::new(Code::Internal, "a fetch was settled without a status or a stream"));
    };
    let hint = Reflect::get(value, &"hint".into()).ok().and_then(|hint| hint.as_string()).unwrap_or_default();
    let mut headers = Map::new();
    if let Ok(found) = Reflect::get(value, &"headers".into()) {
        for entry in Object::entries(found.unchecked_ref()).iter() {
            let pair: &Array = entry.unchecked_ref();
            if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string()) {
                headers.insert(name, value.into());
            }
        }
    }
    Ok(Response { status: status as u16, headers, hint, body: body(stream as u32) })
}
