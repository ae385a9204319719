//! The menu of what can be done with a step, a slot or the canvas: by the right button, a long touch or the keyboard.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::canvas::pointer;
use crate::geometry::Point;
use crate::page::state::{App, Menu, MenuOf, app};
use crate::tools::Tool;

pub mod opened;

/// How long a finger stays where it is.
const LONG: Duration = Duration::from_millis(500);

/// Listens for the right button, long touches and the menu key.
pub fn listen(app: App) {
    let opened = window_event_listener(ev::contextmenu, move |event| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        else {
            return;
        };
        if has(&target, ".context-menu") {
            return event.prevent_default();
        }
        let at = Point::new(f64::from(event.client_x()), f64::from(event.client_y()));
        if open_on(app, &target, at) {
            event.prevent_default();
        }
    });
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let held = StoredValue::new(false);
    let forget = move || {
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    };
    // Cards keep their pointer events to themselves.
    let down = window_event_listener(ev::touchstart, move |event| {
        forget();
        held.set_value(false);
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let touches = event.touches();
        if let (Some(target), Some(touch), 1) = (target, touches.get(0), touches.length()) {
            let at = Point::new(f64::from(touch.client_x()), f64::from(touch.client_y()));
            let hold = move || held.set_value(hold(app, &target, at));
            timer.set_value(set_timeout_with_handle(hold, LONG).ok());
        }
    });
    let up = window_event_listener(ev::touchend, move |event| {
        forget();
        // What the browser makes of it would be a click, which closes the menu.
        if held.get_value() && event.cancelable() {
            event.prevent_default();
        }
        held.set_value(false);
    });
    let cancelled = window_event_listener(ev::touchcancel, move |_| forget());
    on_cleanup(move || {
        opened.remove();
        [down, up, cancelled].into_iter().for_each(|handle| handle.remove());
    });
}

/// A finger has stayed for long: unless it drags or pinches, it asks for the menu. Whether it got one.
fn hold(app: App, target: &web_sys::Element, at: Point) -> bool {
    let still = app.tool.with_untracked(|tool| {
        matches!(tool, Tool::Idle | Tool::PressingCard { .. } | Tool::PressingCanvas { .. })
    });
    let opened = still && open_on(app, target, at);
    if opened {
        pointer::cancel(app);
    }
    opened
}

/// Opens the menu of the containers that the selected steps can go into.
pub fn open_wraps(app: App) {
    let at = focused().map_or(Point::new(200.0, 200.0), |element| beside(&element));
    open(app, MenuOf::Wraps, at);
}

/// Opens the menu of what has the keyboard's focus.
pub fn open_at_focus(app: App) {
    let Some(element) = focused() else { return };
    let at = beside(&element);
    if !open_on(app, &element, at) {
        open(app, if is_selected(app) { MenuOf::Steps } else { MenuOf::Canvas }, at);
    }
}

/// Opens the menu of what is at an element of the canvas or the outline; whether there is one.
fn open_on(app: App, target: &web_sys::Element, at: Point) -> bool {
    let of = |selector: &str, name: &str| target.closest(selector).ok().flatten()?.get_attribute(name);
    if has(target, "input, textarea, select, .code-field, .controls, .menu") {
        return false;
    }
    let step = of(".card", "data-step").or_else(|| of(".line", "data-line"));
    if let Some(step) = step.filter(|id| app.editor.layout.with_untracked(|layout| layout.card(id).is_some()))
    {
        return open_of_step(app, step, at);
    }
    let slot = of(".place", "data-place").and_then(|key| {
        app.editor.layout.with_untracked(|layout| layout.place(&key).map(|found| layout.place_of(found)))
    });
    if let Some(place) = slot {
        open(app, MenuOf::Slot(place), at);
        return true;
    }
    if !has(target, ".canvas") {
        return false;
    }
    // A container is more than its card, and in the overview cards are no elements.
    let world = app.camera.view.get_untracked().world_from_screen(at.minus(corner(app)));
    let around =
        app.editor.layout.with_untracked(|layout| layout.step_around(world).map(|card| card.id.clone()));
    match around {
        Some(step) => open_of_step(app, step, at),
        None => {
            open(app, MenuOf::Canvas, at);
            true
        }
    }
}

fn open_of_step(app: App, step: String, at: Point) -> bool {
    if !app.editor.selection.with_untracked(|selection| selection.contains(&step)) {
        app.editor.select(Some(step));
    }
    open(app, MenuOf::Steps, at);
    true
}

fn open(app: App, of: MenuOf, at: Point) {
    app.picking.set(None);
    let menu = Some(Menu { of, at });
    // A long touch may be said twice: by the finger and by the browser.
    if app.menu.with_untracked(|now| *now != menu) {
        app.menu.set(menu);
    }
}
/// The menu that is open.
#[component]
pub fn ContextMenu() -> impl IntoView {
    let app = app();
    move || app.menu.get().and_then(|menu| app.chunks.views.get().map(|views| (views.menu)(menu)))
}

fn is_selected(app: App) -> bool {
    app.editor.selected.with_untracked(Option::is_some)
}

fn has(element: &web_sys::Element, selector: &str) -> bool {
    element.closest(selector).ok().flatten().is_some()
}

fn focused() -> Option<web_sys::Element> {
    document().active_element()
}

/// A point at an element, where its menu may open.
fn beside(element: &web_sys::Element) -> Point {
    let rect = element.get_bounding_client_rect();
    Point::new(rect.x() + rect.width().min(48.0), rect.y() + rect.height().min(40.0))
}

fn corner(app: App) -> Point {
    let rect = app.pointer.canvas.get_untracked().map(|canvas| canvas.get_bounding_client_rect());
    rect.map_or(Point::default(), |rect| Point::new(rect.x(), rect.y()))
}
