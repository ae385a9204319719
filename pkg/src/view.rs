//! The state as templates read it: what a template names is fetched from the JavaScript object when it is named.

use std::any::Any;
use std::rc::Rc;

use js_sys::{Array, JsString, Object};
use stepweave_core::language::{Intrinsics, Shape, Undefined, Value, View};
use wasm_bindgen::{JsCast, JsValue};

use crate::host::values::member;

/// JavaScript knows the letter case of all scripts, and calculates.
pub(crate) const INTRINSICS: Intrinsics = Intrinsics {
    upper: |text| JsString::from(text).to_upper_case().into(),
    lower: |text| JsString::from(text).to_lower_case().into(),
    remainder: |left, right| (&JsValue::from(left) % &JsValue::from(right)).as_f64().unwrap_or(f64::NAN),
};

/// Whole numbers up to here are exact in JavaScript.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// A JSON value of JavaScript as a value of templates.
pub(crate) fn value(js: JsValue) -> Value {
    if let Some(number) = js.as_f64() {
        let whole = number.fract() == 0.0 && number.abs() < MAX_EXACT;
        return if whole { Value::Integer(number as i64) } else { Value::Float(number) };
    }
    if let Some(boolean) = js.as_bool() {
        return Value::Boolean(boolean);
    }
    if js.is_null() {
        return Value::None;
    }
    match js.is_string() || js.is_object() {
        true => Value::View(Rc::new(JsView(js))),
        false => Value::Undefined(Undefined::Strict),
    }
}

/// A text, a list or an object.
#[derive(Debug)]
struct JsView(JsValue);

impl View for JsView {
    fn shape(&self) -> Shape {
        if let Some(text) = self.0.dyn_ref::<JsString>() {
            return Shape::Text(text.length() as usize);
        }
        match self.0.dyn_ref::<Array>() {
            Some(list) => Shape::List(list.length() as usize),
            None => Shape::Object,
        }
    }

    fn text(&self) -> String {
        self.0.as_string().unwrap_or_default()
    }

    fn item(&self, index: usize) -> Option<Value> {
        let list = self.0.dyn_ref::<Array>()?;
        let index = u32::try_from(index).ok()?;
        (index < list.length()).then(|| value(list.get(index)))
    }

    fn member(&self, key: &str) -> Option<Value> {
        member(self.0.dyn_ref()?, key).map(value)
    }

    fn keys(&self) -> Option<Vec<String>> {
        let object = self.0.dyn_ref::<Object>().filter(|object| !Array::is_array(object))?;
        Some(Object::keys(object).iter().filter_map(|key| key.as_string()).collect())
    }

    fn host_value(&self) -> Option<&dyn Any> {
        Some(&self.0)
    }
}
