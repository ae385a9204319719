//! The minimap: all of a large workflow in the corner, with the part that the canvas shows. A press there goes there.

use std::time::Duration;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;

use super::overview::{Colours, prepare};
use crate::geometry::{Point, Rect, px, translate};
use crate::layout::Layout;
use crate::page::state::{App, app};
use crate::page::viewport::Viewport;

/// How large it is at most.
const SIZE: (f64, f64) = (168.0, 132.0);
/// The room around it, to the edges and to what is beside it.
const ROOM: f64 = 14.0;
/// How far the map may be behind.
const PAUSE: Duration = Duration::from_millis(100);
/// Fewer cards are found without it.
const LEAST_CARDS: usize = 30;

/// The minimap, where there is more of the workflow than the canvas shows.
#[component]
pub fn Minimap() -> impl IntoView {
    let app = app();
    let needed = Memo::new(move |_| {
        let (width, height) = app.camera.size.get();
        let seen = app.camera.view.get().seen(width, height);
        app.mapped.get()
            && app
                .editor
                .layout
                .with(|layout| layout.cards.len() >= LEAST_CARDS && !seen.holds(layout.bounds))
    });
    Effect::new(move || {
        let covered = (SIZE.0 + 2.0 * ROOM, SIZE.1 + 2.0 * ROOM);
        app.camera.corner.set(if needed.get() { covered } else { (0.0, 0.0) });
    });
    view! { <Show when=move || needed.get()><Map /></Show> }
}

#[component]
fn Map() -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Canvas>::new();
    let view = Memo::new(move |_| {
        Viewport::scaled_into(app.editor.layout.with(|layout| layout.bounds), SIZE.0, SIZE.1)
    });
    // The cards are drawn a moment after they have changed, once for whatever has happened by then; where the canvas looks is
    // an element of its own, for it changes all the time.
    let awaited = StoredValue::new(false);
    let redraw = move || {
        awaited.try_set_value(false);
        // The map may be gone by then.
        if let Some(canvas) = node.try_get_untracked().flatten()
            && let Some(view) = view.try_get_untracked()
        {
            app.editor.layout.with_untracked(|layout| draw(app, &canvas, layout, view));
        }
    };
    let several = Memo::new(move |_| {
        app.editor.selection.with(|selection| (selection.len() > 1).then(|| selection.clone()))
    });
    Effect::new(move || {
        app.runner.progress.track();
        several.track();
        app.editor.layout.track();
        view.track();
        if node.get().is_some() && !awaited.get_value() {
            awaited.set_value(set_timeout_with_handle(redraw, PAUSE).is_ok());
        }
    });
    // So is one selected step: nothing is drawn to go from one to the next.
    let one = move || {
        let only = app.editor.selection.with(|selection| match selection.len() {
            1 => selection.last().map(str::to_owned),
            _ => None,
        });
        let rect = app.editor.layout.with(|layout| layout.card(&only?).map(|card| card.rect))?;
        Some(on_map(view.get(), rect))
    };
    let seen = move || {
        let (width, height) = app.camera.size.get();
        let world = app.camera.view.get().seen(width, height);
        let view = view.get();
        let from = view.screen_from_world(Point::new(world.x, world.y));
        let to = view.screen_from_world(Point::new(world.right(), world.bottom()));
        let inside = |point: Point| Point::new(point.x.clamp(0.0, SIZE.0), point.y.clamp(0.0, SIZE.1));
        Rect::around(inside(from), inside(to))
    };
    let go = move |event: &ev::PointerEvent| {
        let at = Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()));
        app.camera.center_on(view.get_untracked().world_from_screen(at));
    };
    let press = move |event: ev::PointerEvent| {
        event.stop_propagation();
        if let Some(canvas) = node.get_untracked() {
            // The pointer may be gone already; there is nothing to follow then.
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        go(&event);
    };
    let drag = move |event: ev::PointerEvent| {
        if event.buttons() == 1 {
            go(&event);
        }
    };
    view! {
        <div class="minimap" aria-hidden="true">
            <canvas node_ref=node on:pointerdown=press on:pointermove=drag></canvas>
            <div
                class="minimap-one"
                hidden=move || one().is_none()
                style:transform=move || one().map(|at| translate(at.x, at.y))
                style:width=move || one().map(|at| px(at.width))
                style:height=move || one().map(|at| px(at.height))
            ></div>
            <div
                class="minimap-seen"
                style:transform=move || translate(seen().x, seen().y)
                style:width=move || px(seen().width)
                style:height=move || px(seen().height)
            ></div>
        </div>
    }
}

fn draw(app: App, canvas: &web_sys::HtmlCanvasElement, layout: &Layout, view: Viewport) {
    let Some((context, colours)) = prepare(canvas, SIZE).zip(Colours::of(canvas)) else { return };
    context.set_fill_style_str(colours.paper());
    for paper in layout.papers() {
        let at = on_map(view, paper.rect);
        context.fill_rect(at.x, at.y, at.width, at.height);
    }
    let mut colour = "";
    app.editor.selection.with_untracked(|selection| {
        let several = Some(selection).filter(|selection| selection.len() > 1);
        for card in &layout.cards {
            let selected = several.is_some_and(|several| several.contains(&card.id));
            let status = app.runner.status_now(&card.id);
            let own = if selected { colours.selected() } else { colours.fill(status) };
            // Most are alike, and a colour is read anew each time that it is said.
            if own != colour {
                colour = own;
                context.set_fill_style_str(own);
            }
            let at = on_map(view, card.rect);
            context.fill_rect(at.x, at.y, at.width, at.height);
        }
    });
}

/// Where something of the world is on the map, large enough to be seen.
fn on_map(view: Viewport, rect: Rect) -> Rect {
    let at = view.screen_from_world(Point::new(rect.x, rect.y));
    Rect::new(at.x, at.y, (rect.width * view.zoom).max(1.5), (rect.height * view.zoom).max(1.0))
}
