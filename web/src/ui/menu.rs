//! The menu of what can be done with a step, a slot or the canvas: by the right button, a long touch or the keyboard.

use std::time::Duration;

use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;

use super::commands::{COMMANDS, Command, Group, In};
use crate::canvas::places::pick_at;
use crate::canvas::pointer;
use crate::geometry::Point;
use crate::layout::Place;
use crate::page::icon::{PLUS, icon};
use crate::page::roving::Roving;
use crate::page::state::{App, Menu, MenuOf, app};
use crate::tools::Tool;

/// How long a finger stays where it is.
const LONG: Duration = Duration::from_millis(500);

/// Listens for the right button, long touches and the menu key.
pub fn listen(app: App) {
    let asked = window_event_listener(ev::contextmenu, move |event| {
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
        asked.remove();
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
        app.editor.layout.with_untracked(|layout| layout.place(&key).map(|found| found.place.clone()))
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
    move || app.menu.get().map(|menu| view! { <Opened menu=menu /> })
}

#[component]
fn Opened(menu: Menu) -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Div>::new();
    let before = StoredValue::new_local(focused());
    let roving = Roving::new();
    let close = move || {
        app.menu.set(None);
        let back = before.get_value().filter(|element| element.is_connected());
        // Whoever had the focus is on the page, so that it takes it again; what is gone is followed by the step.
        match back.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            Some(element) if element.tag_name() != "BODY" => drop(element.focus()),
            _ => app.editor.focus.set(app.editor.selected.get_untracked()),
        }
    };
    let at = menu.at;
    Effect::new(move || {
        if let Some(node) = node.get() {
            let (width, height) = (f64::from(node.offset_width()), f64::from(node.offset_height()));
            let room = document()
                .document_element()
                .map_or((0.0, 0.0), |page| (f64::from(page.client_width()), f64::from(page.client_height())));
            let style = (*node).clone().unchecked_into::<web_sys::HtmlElement>().style();
            // An element of the page has a style, whose properties are known.
            let _ = style.set_property("left", &format!("{}px", at.x.min(room.0 - width - 8.0).max(8.0)));
            let _ = style.set_property("top", &format!("{}px", at.y.min(room.1 - height - 8.0).max(8.0)));
            Roving::first(&node);
        }
    });
    let on_key = move |event: ev::KeyboardEvent| {
        // No key of an open menu is one of the page.
        event.stop_propagation();
        match event.key().as_str() {
            "Escape" | "Tab" => {
                event.prevent_default();
                close();
            }
            _ if node.get_untracked().is_some_and(|node| roving.on_key(&node, &event)) => {
                event.prevent_default()
            }
            _ => {}
        }
    };
    let own = menu.clone();
    let leave = move |event: ev::FocusEvent| {
        // A menu that goes away while it has the focus is left too, and has nothing to say any more.
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        let left = event.current_target().and_then(|menu| menu.dyn_into::<web_sys::Node>().ok());
        let inside = left.is_some_and(|menu| to.is_some() && menu.contains(to.as_ref()));
        if !inside && app.menu.with_untracked(|menu| menu.as_ref() == Some(&own)) {
            app.menu.set(None);
        }
    };
    let entry = move |command: &'static Command| {
        let act = move || {
            close();
            (command.act)(app);
        };
        view! { <Entry shape=command.shape name=command.name keys=command.keys.first().copied() act=act /> }
    };
    let section = move |commands: Vec<&'static Command>| {
        (!commands.is_empty()).then(|| {
            let title = commands.first().map_or("", |command| command.group.title());
            view! { <div role="group" aria-label=title>{commands.into_iter().map(entry).collect_view()}</div> }
        })
    };
    let slot = match &menu.of {
        MenuOf::Slot(place) => Some(place.clone()),
        _ => None,
    };
    let add = slot.map(|place: Place| {
        let act = move || {
            app.menu.set(None);
            pick_at(app, place.clone());
        };
        view! { <div role="group" aria-label="Slot"><Entry shape=PLUS name="Add a step here" keys=None act=act /></div> }
    });
    let shown = Group::ALL.map(|group| {
        let own = COMMANDS.iter().filter(|command| command.group == group && is_in(command, &menu.of));
        own.filter(|command| (command.when)(app)).collect::<Vec<_>>()
    });
    view! {
        <div
            class="menu picker context-menu"
            role="menu"
            aria-label=title_of(&menu.of)
            node_ref=node
            on:keydown=on_key
            on:focusout=leave
            on:pointerdown=|event| event.stop_propagation()
        >
            {add}
            {shown.map(section).into_iter().collect_view()}
        </div>
    }
}

#[component]
fn Entry(
    shape: &'static str,
    name: &'static str,
    keys: Option<&'static str>,
    act: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button class="menu-item" role="menuitem" tabindex="-1" aria-keyshortcuts=keys.map(spoken) on:click=move |_| act()>
            {icon(shape)}
            <span>{name}</span>
            {keys.map(|keys| view! { <span class="menu-keys" aria-hidden="true">{keys}</span> })}
        </button>
    }
}

/// A chord as the attribute for assistive software has it.
fn spoken(chord: &'static str) -> String {
    let word = |word| match word {
        "Ctrl" => "Control",
        "Del" => "Delete",
        "↑" => "ArrowUp",
        "↓" => "ArrowDown",
        "−" => "-",
        "+" => "Plus",
        other => other,
    };
    chord.split(' ').map(word).collect::<Vec<_>>().join("+")
}

fn is_in(command: &Command, of: &MenuOf) -> bool {
    match of {
        MenuOf::Steps => matches!(command.menu, In::Step | In::Both),
        MenuOf::Wraps => command.group == Group::Wrap && command.menu == In::Step,
        MenuOf::Canvas => matches!(command.menu, In::Canvas | In::Both),
        MenuOf::Slot(_) => command.menu == In::Canvas,
    }
}

fn title_of(of: &MenuOf) -> &'static str {
    match of {
        MenuOf::Steps => "What can be done with the selected steps",
        MenuOf::Wraps => "Wrap the selected steps in",
        MenuOf::Slot(_) => "What can be done here",
        MenuOf::Canvas => "What can be done with the workflow",
    }
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
