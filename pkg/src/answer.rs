//! Answers of JavaScript as the engine takes them.

use std::collections::BTreeMap;

use js_sys::{Array, Object, Reflect, Uint8Array};
use stepweave_core::engine::{Code, Error, Response};
use wasm_bindgen::{JsCast, JsValue};

/// The error of an operation that failed, with the operation's number.
pub(crate) fn error_from_json(json: &str, op: u32) -> Error {
    match serde_json::from_str(json) {
        Ok(error) => Error { op: Some(op), ..Error::from_json(&error) },
        Err(_) => Error { op: Some(op), ..Error::new(Code::Handler, json) },
    }
}

/// What a predicate decided.
pub(crate) fn decision(value: &JsValue) -> Result<bool, Error> {
    value.as_bool().ok_or_else(|| Error::new(Code::Internal, "a predicate was settled without a boolean"))
}

/// The text that a function gave.
pub(crate) fn text(value: &JsValue) -> Result<String, Error> {
    value.as_string().ok_or_else(|| Error::new(Code::Internal, "a text was settled without a string"))
}

/// Bytes of a body, or nothing at its end.
pub(crate) fn bytes(value: &JsValue) -> Option<Vec<u8>> {
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
}

/// The beginning of an answer: `{ status, headers, stream }`.
pub(crate) fn response<B>(value: &JsValue, body: impl FnOnce(u32) -> B) -> Result<Response<B>, Error> {
    let number = |key: &str| Reflect::get(value, &key.into()).ok().and_then(|found| found.as_f64());
    let (Some(status), Some(stream)) = (number("status"), number("stream")) else {
        return Err(Error::new(Code::Internal, "a fetch was settled without a status or a stream"));
    };
    let mut headers = BTreeMap::new();
    if let Ok(found) = Reflect::get(value, &"headers".into()) {
        for entry in Object::entries(found.unchecked_ref()).iter() {
            let pair: &Array = entry.unchecked_ref();
            if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string()) {
                headers.insert(name, value);
            }
        }
    }
    Ok(Response { status: status as u16, headers, body: body(stream as u32) })
}
