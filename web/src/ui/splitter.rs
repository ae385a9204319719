//! The line at the edge of a part of the page, which is dragged or moved with the arrow keys.

use leptos::ev;
use leptos::prelude::*;

use crate::page::division::Part;
use crate::page::state::app;

/// How far an arrow key moves it, in pixels.
const STEP: f64 = 24.0;

/// The line before a part that stands at the right or at the bottom.
#[component]
pub fn Splitter(
    /// What it makes larger and smaller.
    part: Part,
) -> impl IntoView {
    let app = app();
    let size = app.division.size(part);
    let [least, first, most] = part.sizes();
    // Where the pointer was pressed, and how large the part was.
    let held = RwSignal::new(None::<(f64, f64)>);
    let position = move |event: &ev::PointerEvent| {
        f64::from(if part.is_width() { event.client_x() } else { event.client_y() })
    };
    let keep = move || app.bridge.with_value(|bridge| app.division.keep(bridge, part));
    let press = move |event: ev::PointerEvent| {
        let line: web_sys::Element = event_target(&event);
        // A pointer that is gone already drags nothing.
        let _ = line.set_pointer_capture(event.pointer_id());
        held.set(Some((position(&event), size.get_untracked())));
    };
    let drag = move |event: ev::PointerEvent| {
        if let Some((from, before)) = held.get_untracked() {
            size.set(part.within(before + from - position(&event)));
        }
    };
    let drop = move |_| {
        if held.get_untracked().is_some() {
            held.set(None);
            keep();
        }
    };
    let key = move |event: ev::KeyboardEvent| {
        let now = size.get_untracked();
        let next = match (event.key().as_str(), part.is_width()) {
            ("ArrowLeft", true) | ("ArrowUp", false) => now + STEP,
            ("ArrowRight", true) | ("ArrowDown", false) => now - STEP,
            ("Home", _) => least,
            ("End", _) => most,
            ("Enter", _) => first,
            _ => return,
        };
        event.prevent_default();
        // The page would select the next step.
        event.stop_propagation();
        size.set(part.within(next));
        keep();
    };
    let reset = move |_| {
        size.set(first);
        keep();
    };
    view! {
        <div
            class="splitter"
            class:held=move || held.get().is_some()
            data-part=part.name()
            role="separator"
            tabindex="0"
            title="Drag, or double-click for the first size (Enter)"
            aria-label=part.label()
            aria-orientation=if part.is_width() { "vertical" } else { "horizontal" }
            aria-valuemin=least.to_string()
            aria-valuemax=most.to_string()
            aria-valuenow=move || size.get().round().to_string()
            on:pointerdown=press
            on:pointermove=drag
            on:pointerup=drop
            on:pointercancel=drop
            on:keydown=key
            on:dblclick=reset
        ></div>
    }
}
