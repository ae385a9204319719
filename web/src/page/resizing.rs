//! Elements that get another size.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

/// Calls whenever the element has another size, as long as the present owner lives.
pub fn follow(element: &Element, act: impl FnMut() + 'static) {
    let called = Closure::<dyn FnMut()>::new(act);
    // Without an observer the size is that of the beginning.
    let Ok(observer) = ResizeObserver::new(called.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let held = StoredValue::new_local(Some((observer, called)));
    on_cleanup(move || {
        if let Some((observer, _)) = held.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}
