//! The keyboard's focus.

use std::time::Duration;

use leptos::prelude::{document, request_animation_frame, set_timeout, window};
use leptos::task::tick;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AddEventListenerOptions, Element, FocusOptions, HtmlElement, HtmlInputElement, MouseEvent};

/// Focus without the browser's own scrolling, which would displace the world.
pub fn focus_in_place(node: &HtmlElement) {
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
        || element.dyn_ref::<HtmlElement>().is_some_and(HtmlElement::is_content_editable)
}

/// Selects the name of the row that a click on a button has added: the last one of this label beside the button.
pub fn name_new_row(click: &MouseEvent, label: &'static str) {
    let button = click.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(rows) = button.and_then(|button| button.parent_element()) else { return };
    let before = names_in(&rows, label).len();
    spawn_local(async move {
        // The row is there a few turns later. A busy page draws long after that, and what is typed must not go elsewhere.
        for _ in 0..TURNS {
            tick().await;
            if names_in(&rows, label).len() > before {
                break;
            }
        }
        names_in(&rows, label).pop().into_iter().for_each(write_over);
    });
}

/// The fields of this label in an element.
fn names_in(rows: &Element, label: &str) -> Vec<HtmlInputElement> {
    let Ok(found) = rows.query_selector_all(&format!("input[aria-label='{label}']")) else {
        return Vec::new();
    };
    (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
}

/// In so many turns of what waits for a change a row is there that it adds.
const TURNS: usize = 20;

/// Selects what stands in the field of this selector, which is drawn soon.
pub fn begin_at(field: String) {
    once_drawn(move || {
        let found = document().query_selector(&field).ok().flatten();
        found.and_then(|found| found.dyn_into().ok()).into_iter().for_each(write_over);
    });
}

/// What is typed takes the place of what stands in a field.
fn write_over(field: HtmlInputElement) {
    // A field that cannot be focused stays as it is.
    let _ = field.focus();
    field.select();
}

/// Once new fields are there: they are drawn by the next frame, and by the one after it those of a part that opens.
pub fn once_drawn(work: impl FnOnce() + 'static) {
    request_animation_frame(move || request_animation_frame(work));
}

/// Makes a change that makes fields of the inspector anew, once whatever has taken the focus from one of them is done: a
/// click needs its button until then. The focus stays where it went.
pub fn when_left(change: impl FnOnce() + 'static) {
    let make = move || {
        let place = place_of_focus();
        change();
        once_drawn(move || place.into_iter().for_each(focus_at));
    };
    // A click comes right behind the end of its press.
    let later = move || set_timeout(make, Duration::ZERO);
    if document().query_selector(":active").is_ok_and(|pressed| pressed.is_none()) {
        return later();
    }
    let once = AddEventListenerOptions::new();
    once.set_once(true);
    let later = Closure::once_into_js(later);
    // A window that takes no listener shows no page either.
    let _ = window().add_event_listener_with_callback_and_add_event_listener_options(
        "pointerup",
        later.unchecked_ref(),
        &once,
    );
}

/// What the keyboard gets to in the inspector.
const REACHED: &str = ".inspector :is(input, select, textarea, button, summary, .code-field)";

/// The elements of the inspector that the keyboard gets to and that are seen, in their order.
fn reached() -> Vec<HtmlElement> {
    let Ok(all) = document().query_selector_all(REACHED) else { return Vec::new() };
    let elements = (0..all.length()).filter_map(|index| all.get(index)?.dyn_into::<HtmlElement>().ok());
    elements.filter(|element| element.offset_parent().is_some()).collect()
}

/// The place of the element with the focus among them.
fn place_of_focus() -> Option<usize> {
    let active = document().active_element()?;
    reached().iter().position(|element| **element == active)
}

/// Whether nothing has the focus, as after what had it went away.
pub fn is_lost() -> bool {
    document().active_element().is_none_or(|element| element.tag_name() == "BODY")
}

/// Focuses the element at a place, if the focus was lost.
fn focus_at(place: usize) {
    if let (true, Some(element)) = (is_lost(), reached().get(place)) {
        focus_in_place(element);
    }
}
