//! The overview: when zoomed far out, all cards as plain boxes on one canvas.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::geometry::{Point, Rect};
use crate::layout::Layout;
use crate::page::state::{App, app};
use crate::page::viewport::Viewport;
use crate::run::status::Status;

/// The overview canvas; it is there only below the overview's zoom.
#[component]
pub fn Overview() -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Canvas>::new();
    Effect::new(move || {
        let Some(canvas) = node.get() else { return };
        // The board's progress colours the boxes while a run goes on.
        app.runner.progress.track();
        app.editor.selection.track();
        let (view, size) = (app.camera.view.get(), app.camera.size.get());
        app.editor.layout.with(|layout| draw(app, &canvas, layout, view, size));
    });
    view! { <canvas class="overview" node_ref=node aria-hidden="true"></canvas> }
}

fn draw(app: App, canvas: &HtmlCanvasElement, layout: &Layout, view: Viewport, (width, height): (f64, f64)) {
    let Some(context) = prepare(canvas, (width, height)) else { return };
    let Some(colours) = Colours::of(canvas) else { return };
    let seen = view.seen(width, height);
    context.set_line_width(1.0);
    context.set_stroke_style_str(&colours.line);
    for card in layout.cards.iter() {
        if let Some(frame) = card.frame.filter(|frame| frame.touches(seen)) {
            let rect = on_screen(view, frame);
            context.stroke_rect(rect.x, rect.y, rect.width, rect.height);
        }
    }
    context.set_fill_style_str(colours.paper());
    for paper in layout.papers().filter(|paper| paper.rect.touches(seen)) {
        let rect = on_screen(view, paper.rect);
        context.fill_rect(rect.x, rect.y, rect.width.max(1.5), rect.height.max(1.0));
    }
    for card in layout.cards.iter().filter(|card| card.rect.touches(seen)) {
        let rect = on_screen(view, card.rect);
        let status = app.runner.status_now(&card.id);
        context.set_fill_style_str(colours.fill(status));
        context.fill_rect(rect.x, rect.y, rect.width.max(1.5), rect.height.max(1.5));
        if app.editor.selection.with_untracked(|selection| selection.contains(&card.id)) {
            context.set_stroke_style_str(&colours.accent);
            context.stroke_rect(rect.x - 1.0, rect.y - 1.0, rect.width + 2.0, rect.height + 2.0);
        }
    }
}

/// A canvas of this size on the screen, empty and as sharp as the screen is.
pub(super) fn prepare(
    canvas: &HtmlCanvasElement,
    (width, height): (f64, f64),
) -> Option<CanvasRenderingContext2d> {
    let ratio = window().device_pixel_ratio();
    let (pixels_across, pixels_down) = ((width * ratio) as u32, (height * ratio) as u32);
    if canvas.width() != pixels_across || canvas.height() != pixels_down {
        canvas.set_width(pixels_across);
        canvas.set_height(pixels_down);
    }
    let context = canvas.get_context("2d").ok().flatten()?.dyn_into::<CanvasRenderingContext2d>().ok()?;
    // The transform of a fresh context is never singular, so setting it cannot fail.
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    Some(context)
}

fn on_screen(view: Viewport, world: Rect) -> Rect {
    let corner = view.screen_from_world(Point::new(world.x, world.y));
    Rect::new(corner.x, corner.y, world.width * view.zoom, world.height * view.zoom)
}

/// The page's colours, read from its style so that there is one list of them.
pub(super) struct Colours {
    line: String,
    card: String,
    accent: String,
    done: String,
    error: String,
    waiting: String,
    paper: String,
}

impl Colours {
    pub(super) fn of(canvas: &HtmlCanvasElement) -> Option<Self> {
        let style = window().get_computed_style(canvas).ok()??;
        let read = |name: &str| style.get_property_value(name).unwrap_or_default().trim().to_owned();
        Some(Self {
            line: read("--line"),
            card: read("--overview-card"),
            accent: read("--accent"),
            done: read("--done"),
            error: read("--error"),
            waiting: read("--warning"),
            paper: read("--paper-line"),
        })
    }

    pub(super) fn paper(&self) -> &str {
        &self.paper
    }

    pub(super) fn selected(&self) -> &str {
        &self.accent
    }

    pub(super) fn fill(&self, status: Status) -> &str {
        match status {
            Status::Running => &self.accent,
            Status::Done => &self.done,
            Status::Error => &self.error,
            Status::Suspended => &self.waiting,
            Status::Idle | Status::Budget | Status::Skipped | Status::Cancelled => &self.card,
        }
    }
}
