//! Passes pointer events to the state chart, and carries out its actions.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::PointerEvent;

use crate::geometry::{Point, Rect};
use crate::layout::Place;
use crate::model::place::is_elsewhere;
use crate::model::selection::Selection;
use crate::page::state::App;
use crate::step::kinds::Kind;
use crate::tools::{Action, Event, Press, Surroundings, Target, Tool};

/// How far from a held card a place is still meant, in pixels of the screen, and in units of the world.
const REACH: f64 = 110.0;
/// How near to the canvas's side a held card moves the view, and how far in one frame.
const EDGE: f64 = 36.0;
const EDGE_STEP: f64 = 9.0;

/// What a held card has to do with the sides of the canvas.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    /// It began at one of them, or outside.
    Begun,
    /// It has been away from all of them.
    Left,
}

impl Surroundings for App {
    fn place_near(&self, on_screen: Point, moving: Option<&str>) -> Option<Place> {
        let (width, height) = self.camera.size.get_untracked();
        if on_screen.x < 0.0 || on_screen.y < 0.0 || on_screen.x > width || on_screen.y > height {
            return None;
        }
        let view = self.camera.view.get_untracked();
        let world = view.world_from_screen(on_screen);
        // A hand is as precise on a workflow that is seen from far away.
        let reach = (REACH / view.zoom).max(REACH);
        // Whoever drags one of the selected steps drags all of them.
        let moved = moving.map(|step| self.moved_with(step)).unwrap_or_default();
        let near = self
            .editor
            .layout
            .with_untracked(|layout| Some(layout.place_of(layout.place_near(world, reach, &moved)?)))?;
        let changes = match moved.as_slice() {
            [only] => self.editor.document.with_untracked(|document| is_elsewhere(document, only, &near)),
            _ => true,
        };
        changes.then_some(near)
    }
}

/// A pointer goes down on something.
pub fn press(app: App, event: &PointerEvent, target: Target) {
    let at = on_canvas(app, event);
    let pointer = event.pointer_id();
    if event.pointer_type() == "touch" && second_finger(app, pointer, at) {
        return;
    }
    let pan = event.button() == 1 || (event.button() == 0 && app.pointer.space.get_untracked());
    let press = match event.button() {
        _ if pan => Press::Pan,
        0 if event.ctrl_key() || event.meta_key() => Press::Toggle,
        0 if event.shift_key() => Press::Extend,
        0 => Press::Main,
        _ => return,
    };
    // A click on a kind is meant for the slot whose menu is open.
    if !matches!(target, Target::Kind(_)) {
        app.picking.set(None);
    }
    send(app, &Event::Down { pointer, target, press, at });
}

/// Follows pointers that are down, wherever they go.
pub fn listen(app: App) {
    let moves = window_event_listener(ev::pointermove, move |event| {
        if !is_idle(app) {
            let at = on_canvas(app, &event);
            app.pointer.fingers.update_value(|fingers| {
                if let Some(finger) = fingers.iter_mut().find(|(id, _)| *id == event.pointer_id()) {
                    finger.1 = at;
                }
            });
            send(app, &Event::Move { pointer: event.pointer_id(), at });
        }
    });
    let ups = window_event_listener(ev::pointerup, move |event| {
        lift(app, event.pointer_id());
        // To ask where the canvas is may have the browser lay out the page.
        if is_idle(app) {
            return;
        }
        let is_press =
            app.tool.with_untracked(|tool| matches!(tool, Tool::PressingCard { press: Press::Main, .. }));
        send(app, &Event::Up { pointer: event.pointer_id(), at: on_canvas(app, &event) });
        // Where there is no room beside the canvas, a tap opens the step's form. A long one has opened its menu.
        let is_tap = is_press && event.pointer_type() == "touch" && !is_on_paper(&event);
        if is_tap && app.menu.with_untracked(Option::is_none) {
            app.inspecting.set(true);
        }
    });
    let cancels = window_event_listener(ev::pointercancel, move |event| {
        lift(app, event.pointer_id());
        cancel(app);
    });
    on_cleanup(move || [moves, ups, cancels].into_iter().for_each(|handle| handle.remove()));
}

/// Whether the pointer does nothing of its own.
pub fn is_idle(app: App) -> bool {
    app.tool.with_untracked(|tool| *tool == Tool::Idle)
}

/// Whether a note is meant, and not the card that it is on.
fn is_on_paper(event: &PointerEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|element| element.closest(".paper").ok().flatten().is_some())
}

/// Ends what the pointer is doing, without a change. True: it was doing something.
pub fn cancel(app: App) -> bool {
    let busy = !is_idle(app);
    send(app, &Event::Cancel);
    busy
}

fn send(app: App, event: &Event) {
    let was_holding = app.tool.with_untracked(Tool::holding);
    let (tool, actions) = app.tool.get_untracked().on_event(event, &app);
    if app.tool.with_untracked(|now| *now != tool) {
        app.tool.set(tool);
    }
    actions.into_iter().for_each(|action| act(app, action));
    if !was_holding && app.tool.with_untracked(Tool::holding) {
        app.picking.set(None);
        follow_edge(app, Edge::Begun);
    }
}

/// Adds a new step to the slot whose menu is open, or else where the next one goes.
pub fn add(app: App, kind: Kind) {
    match app.picking.try_update(Option::take).flatten() {
        Some((place, _)) => app.editor.put(kind, &place),
        None => app.editor.append(kind),
    }
}

fn act(app: App, action: Action) {
    match action {
        Action::Capture(pointer) => {
            if let Some(canvas) = app.pointer.canvas.get_untracked() {
                // The pointer may be gone already; there is nothing to follow then.
                let _ = canvas.set_pointer_capture(pointer);
            }
        }
        Action::Select(step) => app.editor.select(Some(step)),
        Action::Hold(step) => {
            if !app.editor.selection.with_untracked(|selection| selection.contains(&step)) {
                app.editor.select(Some(step));
            }
        }
        Action::Toggle(step) => app.editor.toggle(&step),
        Action::Extend(step) => app.editor.extend_to(&step),
        Action::Box(from, to) => select_within(app, from, to),
        Action::SelectNothing => app.editor.select(None),
        Action::Pan(way) => app.camera.pan(way),
        Action::ZoomBy(factor, at) => app.camera.zoom_by(factor, at),
        Action::Drop(step, place) => app.editor.shift(&app.moved_with(&step), &place),
        Action::Put(kind, place) => app.editor.put(kind, &place),
        Action::Append(kind) => add(app, kind),
    }
}

fn select_within(app: App, from: Point, to: Point) {
    let view = app.camera.view.get_untracked();
    let world = Rect::around(view.world_from_screen(from), view.world_from_screen(to));
    let selection = app.editor.layout.with_untracked(|layout| Selection::within(layout, world));
    if app.editor.selection.with_untracked(|now| *now != selection) {
        let first = selection.iter().next().map(str::to_owned);
        let last = selection.last().map(str::to_owned);
        app.editor.mark(first, last, selection);
    }
}

/// While a card is held near a side of the canvas, the view moves that way. A card that comes from there, as all do from
/// the palette, has to leave it first.
fn follow_edge(app: App, edge: Edge) {
    request_animation_frame(move || {
        let at = app.tool.with_untracked(|tool| match tool {
            Tool::MovingCard { at, .. } | Tool::BringingKind { at, .. } => Some(*at),
            _ => None,
        });
        let Some(at) = at else { return };
        let (width, height) = app.camera.size.get_untracked();
        let inside = at.x >= 0.0 && at.y >= 0.0 && at.x <= width && at.y <= height;
        let way = Point::new(push(at.x, width), push(at.y, height));
        let edge = if inside && way == Point::default() { Edge::Left } else { edge };
        if inside && way != Point::default() && edge == Edge::Left {
            app.camera.pan(way);
            send(app, &Event::Move { pointer: 0, at });
        }
        follow_edge(app, edge);
    });
}

fn push(at: f64, size: f64) -> f64 {
    if at < EDGE {
        EDGE_STEP
    } else if at > size - EDGE {
        -EDGE_STEP
    } else {
        0.0
    }
}

fn second_finger(app: App, pointer: i32, at: Point) -> bool {
    app.pointer.fingers.update_value(|fingers| {
        fingers.retain(|(id, _)| *id != pointer);
        fingers.push((pointer, at));
    });
    let pair = app.pointer.fingers.with_value(|fingers| match fingers.as_slice() {
        [first, second] => Some([*first, *second]),
        _ => None,
    });
    if let Some(fingers) = pair {
        app.tool.set(Tool::pinch(fingers));
    }
    pair.is_some()
}

fn lift(app: App, pointer: i32) {
    app.pointer.fingers.update_value(|fingers| fingers.retain(|(id, _)| *id != pointer));
}

/// Where an event is, from the canvas's corner.
pub fn on_canvas(app: App, event: &web_sys::MouseEvent) -> Point {
    let corner = app.pointer.canvas.get_untracked().map(|canvas| canvas.get_bounding_client_rect());
    let (x, y) = corner.map_or((0.0, 0.0), |rect| (rect.x(), rect.y()));
    Point::new(f64::from(event.client_x()) - x, f64::from(event.client_y()) - y)
}
