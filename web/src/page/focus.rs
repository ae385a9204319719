//! The keyboard's focus.

use leptos::prelude::{document, request_animation_frame};
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlInputElement, MouseEvent};

/// Focus without the browser's own scrolling, which would displace the world.
pub fn focus_in_place(node: &web_sys::HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // An element that cannot be focused stays as it is.
    let _ = node.focus_with_options(&options);
}

/// Whether a field has the focus.
pub fn is_typing() -> bool {
    document().active_element().is_some_and(|element| is_field(&element))
}

/// Whether an element is one that is written into.
pub fn is_field(element: &Element) -> bool {
    // An editor of code is a whole of its own, seen from here.
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
        || element.class_list().contains("code-field")
        || element.dyn_ref::<web_sys::HtmlElement>().is_some_and(web_sys::HtmlElement::is_content_editable)
}

/// Selects the name of the row that a click on a button has added: the last one of this label beside the button.
pub fn name_new_row(click: &MouseEvent, label: &'static str) {
    let button = click.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(rows) = button.and_then(|button| button.parent_element()) else { return };
    // The row is drawn by then.
    request_animation_frame(move || {
        let Ok(names) = rows.query_selector_all(&format!("input[aria-label='{label}']")) else { return };
        let last = names.get(names.length().saturating_sub(1));
        if let Some(name) = last.and_then(|name| name.dyn_into::<HtmlInputElement>().ok()) {
            // A field that cannot be focused stays as it is.
            let _ = name.focus();
            name.select();
        }
    });
}
