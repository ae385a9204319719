//! The state as templates read it: what a template names is fetched from the JavaScript object when it is named.

use std::sync::Arc;

use js_sys::{Array, JsString, Object as JsObject, Reflect};
use minijinja::value::{Enumerator, Object, ObjectRepr, Value};
use send_wrapper::SendWrapper;
use stepweave_core::template::LetterCase;
use wasm_bindgen::{JsCast, JsValue};

/// JavaScript knows the letters of all languages.
pub(crate) const LETTER_CASE: LetterCase = LetterCase {
    upper: |text| JsString::from(text).to_upper_case().into(),
    lower: |text| JsString::from(text).to_lower_case().into(),
};

/// Whole numbers up to here are exact in JavaScript.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// A JSON value of JavaScript as a value of templates.
pub(crate) fn value(js: JsValue) -> Value {
    if let Some(text) = js.as_string() {
        return text.into();
    }
    if let Some(number) = js.as_f64() {
        let whole = number.fract() == 0.0 && number.abs() < MAX_EXACT;
        return if whole { Value::from(number as i64) } else { Value::from(number) };
    }
    if let Some(boolean) = js.as_bool() {
        return boolean.into();
    }
    if js.is_null() {
        return Value::from(());
    }
    if Array::is_array(&js) {
        return Value::from_object(List(SendWrapper::new(js.unchecked_into())));
    }
    if js.is_object() {
        return Value::from_object(Record(SendWrapper::new(js.unchecked_into())));
    }
    Value::UNDEFINED
}

/// The keys of an object, in order.
fn keys(js: &JsValue) -> Vec<String> {
    match js.dyn_ref::<JsObject>() {
        Some(object) => JsObject::keys(object).iter().filter_map(|key| key.as_string()).collect(),
        None => Vec::new(),
    }
}

/// What an object has under a key.
pub(crate) fn member(object: &JsObject, key: &str) -> Option<JsValue> {
    let key = JsValue::from_str(key);
    // What an object inherits, such as `constructor`, is not part of the state.
    if !JsObject::has_own(object, &key) {
        return None;
    }
    Reflect::get(object, &key).ok()
}

#[derive(Debug)]
struct List(SendWrapper<Array>);

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let index = u32::try_from(key.as_usize()?).ok()?;
        (index < self.0.length()).then(|| value(self.0.get(index)))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.length() as usize)
    }
}

#[derive(Debug)]
struct Record(SendWrapper<JsObject>);

impl Object for Record {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        member(&self.0, key.as_str()?).map(value)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(keys(&self.0).into_iter().map(Value::from).collect())
    }
}
