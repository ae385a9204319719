//! The canvas as an element: the world of cards, wires and slots, moved by one transform.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::controls::Controls;
use super::minimap::Minimap;
use super::overview::Overview;
use super::places::PlacePicker;
use super::pointer;
use super::world::World;
use crate::geometry::{Point, Rect, px, translate};
use crate::page::focus::{is_typing, once_drawn};
use crate::page::icon::{icon, of_kind};
use crate::page::narrow::is_narrow;
use crate::page::resizing;
use crate::page::state::{App, app};
use crate::run::status::Status;
use crate::step::kinds::Kind;
use crate::tools::{Target, Tool};

/// The canvas.
#[component]
pub fn Canvas() -> impl IntoView {
    let app = app();
    follow_size(app);
    follow_focus(app);
    follow_added(app);
    follow_run(app);
    follow_hidden(app);
    pointer::listen(app);

    let overview = app.camera.overview;
    let press = move |event: ev::PointerEvent| {
        let at = app.camera.view.get_untracked().world_from_screen(pointer::on_canvas(app, &event));
        // In the overview cards are no elements, so the canvas looks them up.
        let card = app.editor.layout.with_untracked(|layout| layout.card_at(at).map(|card| card.id.clone()));
        let target = card.filter(|_| overview.get_untracked()).map_or(Target::Canvas, Target::Card);
        pointer::press(app, &event, target);
    };
    // The browser's own focus on press would scroll the canvas and displace the world.
    let keep_still = move |event: ev::MouseEvent| {
        event.prevent_default();
        leave_fields();
    };
    let wheel = move |event: ev::WheelEvent| {
        event.prevent_default();
        let unit = if event.delta_mode() == 1 { 16.0 } else { 1.0 };
        let (across, down) = (event.delta_x() * unit, event.delta_y() * unit);
        if event.ctrl_key() || event.meta_key() {
            let factor = (-down.clamp(-60.0, 60.0) * 0.01).exp();
            app.camera.zoom_by(factor, pointer::on_canvas(app, &event));
        } else if event.shift_key() && across == 0.0 {
            app.camera.pan(Point::new(-down, 0.0));
        } else {
            app.camera.pan(Point::new(-across, -down));
        }
    };
    let mode = move || {
        app.tool.with(|tool| match tool {
            Tool::Panning { .. } | Tool::Pinching { .. } => "panning",
            Tool::MovingCard { .. } | Tool::BringingKind { .. } => "holding",
            _ if app.pointer.space.get() => "pannable",
            _ => "",
        })
    };

    view! {
        <div
            class="canvas"
            class:far=app.camera.far
            class:overviewed=overview
            data-mode=mode
            data-run=move || run_of(app.runner.status.get())
            role="region"
            aria-label="Workflow canvas"
            node_ref=app.pointer.canvas
            style:background-position=move || {
                let origin = app.camera.view.get().origin_on_screen;
                format!("{} {}", px(origin.x), px(origin.y))
            }
            style:background-size=move || {
                let step = dots(app.camera.view.get().zoom);
                format!("{0} {0}", px(step))
            }
            on:pointerdown=press
            on:mousedown=keep_still
            on:wheel=wheel
            on:scroll=|event| {
                let canvas: web_sys::Element = event_target(&event);
                canvas.set_scroll_left(0);
                canvas.set_scroll_top(0);
            }
        >
            <Show when=move || overview.get()><Overview /></Show>
            <World />
            <PlacePicker />
            <Ghost />
            <SelectionBox />
            <Minimap />
            <Controls />
        </div>
    }
}

/// Whether there is a run that has ended: the steps that it did not reach are then paler.
fn run_of(status: Status) -> &'static str {
    match status {
        Status::Idle => "",
        Status::Running => "running",
        _ => "ended",
    }
}

/// The card under the pointer while one is held.
#[component]
fn Ghost() -> impl IntoView {
    let app = app();
    let held = Memo::new(move |_| {
        app.tool.with(|tool| match tool {
            Tool::MovingCard { step, .. } => {
                let kind = app.editor.layout.with(|layout| layout.card(step).map(|card| card.kind))?;
                let name = app.editor.step(step, |step| step.name.clone())?;
                let others = app.moved_with(step).len() - 1;
                Some((kind, if others > 0 { format!("{name} and {others} more") } else { name }))
            }
            Tool::BringingKind { kind, .. } => Some((*kind, kind.label().to_owned())),
            _ => None,
        })
    });
    let at = move || {
        app.tool.with(|tool| match tool {
            Tool::MovingCard { at, .. } | Tool::BringingKind { at, .. } => *at,
            _ => Point::default(),
        })
    };
    let shape = move |(kind, name): (Kind, String)| {
        view! {
            <div
                class="ghost"
                data-kind=kind.word()
                class:homeless=move || app.tool.with(|tool| tool.over().is_none())
                style:transform=move || translate(at().x + 10.0, at().y + 8.0)
            >
                <span class="kind-icon">{icon(of_kind(kind))}</span>
                {name}
            </div>
        }
    };
    move || held.get().map(shape)
}

/// The box around the steps that are being selected.
#[component]
fn SelectionBox() -> impl IntoView {
    let app = app();
    let corners = move || {
        app.tool.with(|tool| match tool {
            Tool::Boxing { from, at } => Some(Rect::around(*from, *at)),
            _ => None,
        })
    };
    move || {
        corners().map(|rect| {
            view! {
                <div
                    class="selection-box"
                    style:transform=translate(rect.x, rect.y)
                    style:width=px(rect.width)
                    style:height=px(rect.height)
                ></div>
            }
        })
    }
}

/// How much of a phone's canvas the bar of the zoom takes at its lower side, in pixels, as the style sheet has it.
const ZOOM_BAR: f64 = 40.0;

/// Keeps the camera's size that of the element, and looks at the workflow's top when the page opens, and when the window
/// becomes as narrow as a phone, or wide again.
fn follow_size(app: App) {
    let opened_narrow = StoredValue::new(None);
    Effect::new(move || {
        let Some(canvas) = app.pointer.canvas.get() else { return };
        let measure = move |canvas: &web_sys::Element| {
            let narrow = is_narrow();
            let covered = if narrow { ZOOM_BAR } else { 0.0 };
            let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
            let size = (width, (height - covered).max(1.0));
            if width == 0.0 {
                return;
            }
            let (camera, before) = (app.camera, app.camera.size.get_untracked());
            let bounds = app.editor.layout.with_untracked(|layout| layout.bounds);
            // A banner that comes, or goes, the view of an earlier run, or another size of the window, before anything was
            // looked at.
            let is_opening = || {
                let is_of_run = app.runner.status.get_untracked() == Status::Running;
                !is_of_run && camera.is_as_opened(bounds)
            };
            let turned = opened_narrow.get_value() != Some(narrow);
            if turned || before != size {
                opened_narrow.set_value(Some(narrow));
                if turned || is_opening() {
                    camera.open(bounds, size)
                } else {
                    camera.resize(size)
                }
                keep_edited_in_view(app);
            }
        };
        measure(&canvas);
        let watched = canvas.clone();
        resizing::follow(&watched, move || measure(&canvas));
    });
}

/// Where the inspector takes room of the canvas, what it edits stays in view.
fn keep_edited_in_view(app: App) {
    let id = app.editor.selected.get_untracked().filter(|_| app.inspecting.get_untracked());
    let rect = id.and_then(|id| card_of(app, &id));
    rect.into_iter().for_each(|rect| app.camera.reveal(rect));
}

/// Shows the card that is to take the keyboard's focus.
fn follow_focus(app: App) {
    Effect::new(move || {
        if let Some(id) = app.editor.focus.get() {
            let rect = app.editor.layout.with(|layout| layout.card(&id).map(|card| card.rect));
            if let Some(rect) = rect {
                app.camera.reveal(rect);
            }
        }
    });
}

/// A step that was added is seen, and so is the workflow that grew by it.
fn follow_added(app: App) {
    Effect::new(move || {
        let added = app.editor.added.get();
        app.editor.layout.with_untracked(|layout| {
            let card = added.and_then(|id| layout.card(&id));
            card.into_iter().for_each(|card| app.camera.show_added(card, layout.bounds));
        });
    });
}

/// Whoever is selected is seen: the containers around it are unfolded.
fn follow_hidden(app: App) {
    Effect::new(move || {
        let hidden = app
            .editor
            .selected
            .get()
            .filter(|id| app.editor.layout.with_untracked(|layout| layout.card(id).is_none()));
        if let Some(id) = hidden {
            app.editor.unfold_around(&id);
        }
    });
}

/// Shows the step that a run has reached, until the person looks elsewhere. A run that ended well leads back, one that
/// failed or waits to the step where it stopped.
fn follow_run(app: App) {
    Effect::new(move || match app.runner.status.get() {
        Status::Done if app.camera.following.get_untracked() => {
            let seen = app.camera.return_from_run();
            let was_seen =
                |id: &String| seen.zip(card_of(app, id)).is_some_and(|(seen, card)| seen.touches(card));
            // The view of the run has taken room from the canvas: what is edited is seen, or else what the run has come to
            // last, if that was seen before.
            let last = || untrack(|| app.runner.read(|board| board.order.last().cloned())).filter(was_seen);
            reveal(app, app.editor.selected.get_untracked().or_else(last));
        }
        Status::Error | Status::Suspended if app.camera.following.get_untracked() => {
            let stopped = untrack(|| app.runner.read(|board| board.stopped_at().map(str::to_owned)));
            // Where its ways lead is read before it is answered.
            let ways =
                stopped.and_then(|id| app.editor.layout.with_untracked(|layout| layout.with_ways(&id)));
            reveal_rect(app, ways);
            show_question(app);
        }
        _ => {}
    });
    Effect::new(move || {
        reveal(app, app.runner.begun.get().filter(|_| app.camera.following.get_untracked()));
    });
}

/// Shows the form of the only question that a run waits for, unless the person is writing elsewhere. A field that only has the
/// focus still, as where the run was begun from it, is none that is written into.
fn show_question(app: App) {
    let asking = untrack(|| app.runner.read(|board| board.only_question().cloned()));
    let is_writing = is_typing() && app.has_written.get_value();
    if let Some(step) = asking.filter(|step| !is_writing && card_of(app, &step.id).is_some()) {
        app.runner.looked.set(Some(step.key().to_owned()));
        app.editor.select(Some(step.id));
        // The form of a step that was selected before stays where it was scrolled to.
        once_drawn(|| {
            if let Some(form) = document().query_selector(".question").ok().flatten() {
                form.scroll_into_view();
            }
        });
    }
}

/// Where the card of a step is now.
fn card_of(app: App, id: &str) -> Option<Rect> {
    app.editor.layout.with_untracked(|layout| layout.card(id).map(|card| card.rect))
}

fn reveal(app: App, id: Option<String>) {
    reveal_rect(app, id.and_then(|id| card_of(app, &id)));
}

fn reveal_rect(app: App, rect: Option<Rect>) {
    if let Some(rect) = rect.filter(|_| !app.camera.overview.get_untracked()) {
        app.camera.reveal(rect);
    }
}

/// The distance of the background's dots: never so near that they become a surface.
fn dots(zoom: f64) -> f64 {
    let mut step = 24.0 * zoom;
    while step < 14.0 {
        step *= 2.0;
    }
    step
}

/// Takes the focus out of a field, so that what was typed counts as finished.
fn leave_fields() {
    let active =
        document().active_element().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) =
        active.filter(|element| element.tag_name() != "BODY" && !element.class_list().contains("card"))
    {
        // Losing focus cannot fail for an element that has it.
        let _ = element.blur();
    }
}
