//! What the commands do that takes more than one call.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use crate::canvas::places::pick_at;
use crate::canvas::pointer;
use crate::geometry::{Point, Rect};
use crate::layout::note::NoteOf;
use crate::model::editor::Editor;
use crate::model::place::{Direction, next};
use crate::page::focus::is_typing;
use crate::page::narrow::is_narrow;
use crate::page::noting;
use crate::page::state::{App, Start};
use crate::run::status::Status;
use crate::step::kinds::Kind;
use crate::ui::launch;

/// Takes the last change back, or what is half written in a field and was written after it.
pub fn undo(app: App) {
    app.editor.seal();
    // The fields come with the views, as does what takes that back.
    let views = untrack(|| app.chunks.views.get());
    views.map_or(Editor::undo as fn(&Editor), |views| views.undo)(&app.editor);
    app.editor.layout.with_untracked(|layout| app.camera.look_back(layout));
}

/// Makes the change again that was taken back last.
pub fn redo(app: App) {
    let views = untrack(|| app.chunks.views.get());
    views.map_or(Editor::redo as fn(&Editor), |views| views.redo)(&app.editor);
}

/// Adds a step that keeps some items of a list.
pub fn keep(app: App) {
    // It comes with the views: without them there is no field for its code either.
    app.chunks.views.get().into_iter().for_each(|views| (views.keep)(app));
}

/// Runs the workflow, or stops it.
pub fn toggle_run(app: App) {
    if app.runner.status.get_untracked() == Status::Running {
        launch::stop(app);
    } else {
        launch::run(app, Start::Whole);
    }
}

/// Shows the page in the next look: light, dark, or as the system is.
pub fn turn_look(app: App) {
    let look = app.bridge.with_value(|bridge| bridge.turn_look(None));
    app.editor.notice.set(Some(format!("Look: {look}")));
}

/// Everything that is in no other step.
pub fn select_all(app: App) {
    let ids: Vec<String> = app
        .editor
        .document
        .with_untracked(|document| document.steps.iter().map(|step| step.id.clone()).collect());
    app.editor.choose_all(&ids);
}

/// To the card before or after, in the order of the tree.
pub fn go(app: App, direction: Direction) {
    if let Some(id) = neighbour(app, direction) {
        app.editor.choose(Some(id));
    }
}

/// The selection grows by the card before or after.
pub fn extend(app: App, direction: Direction) {
    if let Some(id) = neighbour(app, direction) {
        app.editor.extend_to(&id);
        app.editor.focus.set(Some(id));
    }
}

fn neighbour(app: App, direction: Direction) -> Option<String> {
    app.editor.layout.with_untracked(|layout| {
        let own = app.editor.selected.get_untracked().and_then(|id| layout.position(&id));
        let index = match (own, direction) {
            (None, _) => 0,
            (Some(own), Direction::Down) => own + 1,
            (Some(own), Direction::Up) => own.checked_sub(1)?,
        };
        layout.cards.get(index).map(|card| card.id.clone())
    })
}

/// Moves the selected steps among their neighbours.
pub fn nudge(app: App, direction: Direction) {
    app.editor.nudge(&app.editor.chosen(), direction);
}

/// Puts the selected steps into a new container.
pub fn wrap(app: App, kind: Kind) {
    app.editor.wrap(&app.editor.chosen(), kind);
}

/// From a card to its first field.
pub fn edit(app: App) {
    app.inspecting.set(true);
    focus(".inspector section:not(.run-of-step) .input");
}

/// Opens the note of the selected step, on the canvas.
pub fn note(app: App) {
    if let Some(id) = app.editor.selected.get_untracked() {
        noting::open(app, NoteOf::Step(id));
    }
}

/// Offers the kinds of steps for the slot behind the selected step, or inside it when it is empty.
pub fn add(app: App) {
    let selected = app.editor.selected.get_untracked();
    pick_at(app, app.editor.document.with_untracked(|document| next(document, selected.as_deref())));
}

/// From a step to what it gave in the run that is shown.
pub fn read_output(app: App) {
    app.inspecting.set(true);
    // A step that was not reached has nothing to read.
    request_animation_frame(|| {
        let _ = focus(".run-of-step");
    });
}

/// Shows the outline, or leaves it.
pub fn toggle_outline(app: App) {
    app.outlined.update(|shown| *shown = !*shown);
    request_animation_frame(move || {
        let chosen = app.editor.selected.get_untracked();
        if !focus(".outline [tabindex='0']")
            && let Some(id) = chosen
        {
            app.editor.choose(Some(id));
        }
    });
}

/// Shows the JSON of the workflow in the place of the canvas, or the canvas again.
pub fn toggle_json(app: App) {
    app.as_json.update(|shown| *shown = !*shown);
}

/// Shows all of the workflow.
pub fn show_all(app: App) {
    app.camera.fit(app.editor.layout.with_untracked(|layout| layout.bounds));
}

/// Shows the selected steps, with what is in them.
pub fn show_selected(app: App) {
    let bounds = app.editor.layout.with_untracked(|layout| {
        let rects = app.editor.chosen().into_iter().filter_map(|id| Some(layout.card(&id)?.whole()));
        rects.reduce(|all, one| {
            let corner = Point::new(all.x.min(one.x), all.y.min(one.y));
            Rect::around(corner, Point::new(all.right().max(one.right()), all.bottom().max(one.bottom())))
        })
    });
    bounds.into_iter().for_each(|bounds| app.camera.fit(bounds));
}

/// Copies, cuts or pastes through the system's clipboard, as the browser's own keys do.
pub fn clipboard(app: App, act: &'static str) {
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        if !bridge.clipboard(act).await {
            let said = "The browser did not allow it here. Ctrl C, X and V work without being asked.";
            app.editor.notice.set(Some(said.to_owned()));
        }
    });
}

/// Out of whatever is going on, one level at a time.
pub fn escape(app: App) {
    if pointer::cancel(app) {
        return;
    }
    if app.picking.with_untracked(Option::is_some) {
        app.picking.set(None);
        // The menu had the focus.
        app.editor.focus.set(None);
        return app.editor.focus.set(app.editor.selected.get_untracked());
    }
    // On a phone it is a sheet that covers what is selected.
    if app.inspecting.get_untracked() && is_narrow() {
        app.inspecting.set(false);
        return app.editor.focus.set(app.editor.selected.get_untracked());
    }
    let many = app.editor.selection.with_untracked(|selection| selection.len() > 1);
    match app.editor.selected.get_untracked() {
        // From a field back to the card, from several to the one chosen last, from the card to nothing.
        Some(id) if is_typing() => app.editor.focus.set(Some(id)),
        Some(id) if many => app.editor.select(Some(id)),
        _ => app.editor.select(None),
    }
}

/// Gives the first such element the keyboard's focus; whether there is one.
fn focus(selector: &str) -> bool {
    let found = document().query_selector(selector).ok().flatten();
    let element = found.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok());
    element.is_some_and(|element| element.focus().is_ok())
}
