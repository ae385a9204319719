//! The values of JavaScript: the port merges and compares them, since the state never crosses as a whole.

use js_sys::{Array, JSON, Object, Reflect};
use stepweave_core::error::Error;
use stepweave_core::host::{SharedKey, Values, Violation};
use stepweave_core::json;
use wasm_bindgen::{JsCast, JsValue};

use super::JsHost;
use crate::answer;

impl Values for JsHost {
    type Value = JsValue;

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
        member(value.dyn_ref()?, key)
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
            other => self.port.adopt(JSON::parse(&json::text(&other)).unwrap_or(JsValue::NULL)),
        }
    }

    #[cfg(feature = "language")]
    fn template_view(&self, value: &JsValue) -> stepweave_core::language::Value {
        crate::view::value(value.clone())
    }

    #[cfg(feature = "language")]
    fn intrinsics(&self) -> stepweave_core::language::Intrinsics {
        crate::view::INTRINSICS
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

    fn length(&self, value: &JsValue) -> Option<usize> {
        Some(value.dyn_ref::<Array>()?.length() as usize)
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
}

/// What an object has under a key. A list has no keys, though JavaScript counts its length as one.
pub(crate) fn member(object: &Object, key: &str) -> Option<JsValue> {
    let key = JsValue::from_str(key);
    // What an object inherits, such as `constructor`, is not part of the state.
    if Array::is_array(object) || !Object::has_own(object, &key) {
        return None;
    }
    Reflect::get(object, &key).ok()
}
