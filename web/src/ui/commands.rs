//! The keyboard commands. A card that has the focus takes arrows and letters; fields keep theirs.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::launch;
use crate::canvas::places::pick_at;
use crate::canvas::pointer;
use crate::model::place::{Direction, next};
use crate::page::state::{App, Dialog};
use crate::run::status::Status;

/// Listens for keys.
pub fn listen(app: App) {
    let down = window_event_listener(ev::keydown, move |event| on_key(app, &event));
    let up = window_event_listener(ev::keyup, move |event| {
        if event.code() == "Space" {
            app.pointer.space.set(false);
        }
    });
    let blur = window_event_listener(ev::blur, move |_| app.pointer.space.set(false));
    on_cleanup(move || {
        down.remove();
        up.remove();
        blur.remove();
    });
}

fn on_key(app: App, event: &ev::KeyboardEvent) {
    if app.dialog.with_untracked(Option::is_some) {
        return;
    }
    let command = event.ctrl_key() || event.meta_key();
    let typing = typing(event);
    let done = match (command, event.shift_key(), event.key().to_lowercase().as_str()) {
        (true, false, "z") => undo(app),
        (true, true, "z") | (true, false, "y") => redo(app),
        (true, _, "enter") => toggle_run(app),
        (true, false, "o") => glide(|| app.dialog.set(Some(Dialog::Library))),
        (true, _, _) if typing => false,
        (true, false, "d") => with_selected(app, |ids| app.editor.duplicate(ids)),
        (true, false, "a") => select_all(app),
        (false, _, "escape") => escape(app),
        (false, _, _) if typing => false,
        (false, _, _) => plain_key(app, event),
        _ => false,
    };
    if done {
        event.prevent_default();
    }
}

fn plain_key(app: App, event: &ev::KeyboardEvent) -> bool {
    if is_switched_off(app, event) {
        return false;
    }
    let on_button =
        target(event).is_some_and(|element| element.closest("button, summary, a").ok().flatten().is_some());
    match event.key().as_str() {
        " " if !on_button => {
            app.pointer.space.set(true);
            true
        }
        "Delete" | "Backspace" if !on_button => with_selected(app, |ids| app.editor.remove(ids)),
        "l" | "L" => glide(|| toggle_outline(app)),
        "?" => glide(|| app.dialog.set(Some(Dialog::Keys))),
        "ArrowUp" | "ArrowLeft" => go(app, event, Direction::Up),
        "ArrowDown" | "ArrowRight" => go(app, event, Direction::Down),
        _ if !on_button && on_step(app, event) => true,
        "+" | "=" => glide(|| app.camera.zoom_middle(1.25)),
        "-" => glide(|| app.camera.zoom_middle(0.8)),
        "0" => glide(|| app.camera.zoom_to_one()),
        "1" => glide(|| app.camera.fit(app.editor.layout.with_untracked(|layout| layout.bounds))),
        _ => false,
    }
}

/// What the keys do with the selected step that are the same on the canvas and in the outline.
pub fn on_step(app: App, event: &ev::KeyboardEvent) -> bool {
    if is_switched_off(app, event) {
        return false;
    }
    match event.key().as_str() {
        "Enter" => edit(app),
        "a" | "A" => {
            let selected = app.editor.selected.get_untracked();
            pick_at(app, app.editor.document.with_untracked(|document| next(document, selected.as_deref())));
            true
        }
        "o" | "O" => read_output(app),
        _ => false,
    }
}

/// Whether the key writes a character and such keys do nothing here. Space writes none that anybody dictates.
fn is_switched_off(app: App, event: &ev::KeyboardEvent) -> bool {
    let key = event.key();
    key.chars().count() == 1 && key != " " && !app.single_keys.get_untracked()
}

/// From a step to what it gave in the run that is shown.
fn read_output(app: App) -> bool {
    app.inspecting.set(true);
    request_animation_frame(|| {
        let section = document().query_selector(".run-of-step").ok().flatten();
        if let Some(section) = section.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) {
            // A step that was not reached has nothing to read.
            let _ = section.focus();
        }
    });
    true
}

fn toggle_outline(app: App) {
    app.outlined.update(|shown| *shown = !*shown);
    request_animation_frame(move || {
        let line = document().query_selector(".outline [tabindex='0']").ok().flatten();
        if let Some(line) = line.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) {
            // Without the outline there is no such line.
            let _ = line.focus();
        } else if let Some(id) = app.editor.selected.get_untracked() {
            app.editor.choose(Some(id));
        }
    });
}

/// To the card before or after, in the order of the tree; with Alt the selected steps go, with Shift the selection
/// grows.
fn go(app: App, event: &ev::KeyboardEvent, direction: Direction) -> bool {
    if event.alt_key() {
        return with_selected(app, |ids| app.editor.nudge(ids, direction));
    }
    let next = app.editor.layout.with_untracked(|layout| {
        let own = app.editor.selected.get_untracked().and_then(|id| layout.position(&id));
        let index = match (own, direction) {
            (None, _) => 0,
            (Some(own), Direction::Down) => own + 1,
            (Some(own), Direction::Up) => own.checked_sub(1)?,
        };
        layout.cards.get(index).map(|card| card.id.clone())
    });
    match next {
        Some(id) if event.shift_key() => {
            app.editor.extend_to(&id);
            app.editor.focus.set(Some(id));
            true
        }
        Some(id) => glide(|| app.editor.choose(Some(id))),
        None => false,
    }
}

/// Everything that is in no other step.
pub fn select_all(app: App) -> bool {
    let ids: Vec<String> = app
        .editor
        .document
        .with_untracked(|document| document.steps.iter().map(|step| step.id.clone()).collect());
    app.editor.choose_all(&ids);
    true
}

/// From a card to its first field.
fn edit(app: App) -> bool {
    app.inspecting.set(true);
    let field = document().query_selector(".inspector section:not(.run-of-step) .input").ok().flatten();
    match field.and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok()) {
        Some(field) => field.focus().is_ok(),
        None => false,
    }
}

fn escape(app: App) -> bool {
    // An open menu is closed by the browser, which a handled key would keep from it.
    if document().query_selector(":popover-open").ok().flatten().is_some() {
        return false;
    }
    if pointer::cancel(app) {
        return true;
    }
    if app.picking.with_untracked(Option::is_some) {
        app.picking.set(None);
        // The menu had the focus.
        app.editor.focus.set(None);
        app.editor.focus.set(app.editor.selected.get_untracked());
        return true;
    }
    let many = app.editor.selection.with_untracked(|selection| selection.len() > 1);
    match app.editor.selected.get_untracked() {
        // From a field back to the card, from several to the one chosen last, from the card to nothing.
        Some(id) if typing_now() => app.editor.focus.set(Some(id)),
        Some(id) if many => app.editor.select(Some(id)),
        _ => app.editor.select(None),
    }
    true
}

/// Takes the last change back.
pub fn undo(app: App) -> bool {
    app.editor.seal();
    app.editor.undo();
    true
}

/// Makes the change again that was taken back last.
pub fn redo(app: App) -> bool {
    app.editor.redo();
    true
}

fn toggle_run(app: App) -> bool {
    if app.runner.status.get_untracked() == Status::Running {
        launch::stop(app);
    } else {
        launch::run(app, None);
    }
    true
}

fn with_selected(app: App, act: impl FnOnce(&[String])) -> bool {
    let selected = app.editor.chosen();
    if !selected.is_empty() {
        act(&selected);
    }
    !selected.is_empty()
}

fn glide(act: impl FnOnce()) -> bool {
    act();
    true
}

fn typing(event: &ev::KeyboardEvent) -> bool {
    target(event).is_some_and(|element| is_field(&element))
}

fn typing_now() -> bool {
    document().active_element().is_some_and(|element| is_field(&element))
}

fn is_field(element: &web_sys::Element) -> bool {
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
}

fn target(event: &ev::KeyboardEvent) -> Option<web_sys::Element> {
    event.target()?.dyn_into().ok()
}
