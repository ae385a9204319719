//! The viewport as the page holds it, and the canvas's size.

use leptos::prelude::*;

use super::viewport::{FAR_ZOOM, OVERVIEW_ZOOM, READABLE_ZOOM, Viewport};
use crate::geometry::{Point, Rect};
use crate::layout::cells::CellRange;
use crate::layout::{CardBox, Layout};

/// How many times larger it is at most.
const MOST_ENLARGED: f64 = 3.0;

/// A step that the view moved to when it was added.
struct Added {
    step: String,
    before: Viewport,
    then: Viewport,
}

/// Where the canvas looks.
#[derive(Clone, Copy)]
pub struct Camera {
    /// Pan and zoom.
    pub view: RwSignal<Viewport>,
    /// The canvas's width and height on the screen.
    pub size: RwSignal<(f64, f64)>,
    /// What covers its lower right corner, on the screen: nothing, or the map.
    pub corner: RwSignal<(f64, f64)>,
    /// Whether the view follows a run; it does until the person moves it.
    pub following: RwSignal<bool>,
    /// Where it looked when the run began that it follows, and what was seen there.
    pub before_run: StoredValue<Option<(Viewport, Rect)>>,
    /// The last steps that it moved to when they were added: where it looked before, and then.
    before_added: StoredValue<Vec<Added>>,
    /// Whether the last change is shown as a glide instead of at once.
    pub gliding: RwSignal<bool>,
    /// How much larger in the world something is whose size on the screen does not shrink.
    pub kept_size: Memo<f64>,
    /// Whether nobody sees what moves on a card.
    pub far: Memo<bool>,
    /// Whether single cards are too small to be elements.
    pub overview: Memo<bool>,
    /// The cells that are seen. It changes far more seldom than the view.
    pub cells: Memo<CellRange>,
}

impl Camera {
    /// A camera that looks at the origin.
    pub fn new() -> Self {
        let view = RwSignal::new(Viewport::default());
        let size = RwSignal::new((1000.0, 700.0));
        Self {
            view,
            size,
            corner: RwSignal::new((0.0, 0.0)),
            following: RwSignal::new(true),
            before_run: StoredValue::new(None),
            before_added: StoredValue::new(Vec::new()),
            gliding: RwSignal::new(false),
            kept_size: Memo::new(move |_| (1.0 / view.get().zoom).clamp(1.0, MOST_ENLARGED)),
            far: Memo::new(move |_| view.get().zoom < FAR_ZOOM),
            overview: Memo::new(move |_| view.get().zoom < OVERVIEW_ZOOM),
            cells: Memo::new(move |_| {
                let (width, height) = size.get();
                CellRange::covering(view.get().seen(width, height))
            }),
        }
    }

    /// Looks at a workflow as the page opens it, in a canvas of this size.
    pub fn open(&self, bounds: Rect, size: (f64, f64)) {
        self.gliding.set(false);
        self.size.set(size);
        self.view.set(Viewport::opening(bounds, size.0, size.1));
    }

    /// Whether nobody has looked elsewhere since then.
    pub fn is_as_opened(&self, bounds: Rect) -> bool {
        let (width, height) = self.size.get_untracked();
        self.view.get_untracked() == Viewport::opening(bounds, width, height)
    }

    /// Takes another size of the canvas: what was in its middle stays there.
    pub fn resize(&self, size: (f64, f64)) {
        let before = self.size.get_untracked();
        self.gliding.set(false);
        self.size.set(size);
        let way = Point::new((size.0 - before.0) / 2.0, (size.1 - before.1) / 2.0);
        self.view.update(|view| *view = view.panned(way));
    }

    /// Moves the view along with the pointer.
    pub fn pan(&self, way: Point) {
        self.following.set(false);
        self.gliding.set(false);
        self.view.update(|view| *view = view.panned(way));
    }

    /// Zooms by a factor around a point of the screen.
    pub fn zoom_by(&self, factor: f64, on_screen: Point) {
        self.following.set(false);
        self.gliding.set(false);
        self.view.update(|view| *view = view.zoomed_at(on_screen, view.zoom * factor));
    }

    /// Zooms by a factor around the middle, as a glide.
    pub fn zoom_middle(&self, factor: f64) {
        let (width, height) = self.size.get_untracked();
        self.glide(|view| view.zoomed_at(Point::new(width / 2.0, height / 2.0), view.zoom * factor));
    }

    /// Shows life size around the middle.
    pub fn zoom_to_one(&self) {
        let (width, height) = self.size.get_untracked();
        self.glide(|view| view.zoomed_at(Point::new(width / 2.0, height / 2.0), 1.0));
    }

    /// Shows all of the bounds.
    pub fn fit(&self, bounds: Rect) {
        let (width, height) = self.size.get_untracked();
        self.glide(|_| Viewport::fitting(bounds, width, height));
    }

    /// Looks at a point of the world, at the same zoom.
    pub fn center_on(&self, world: Point) {
        let (width, height) = self.size.get_untracked();
        self.following.set(false);
        self.gliding.set(false);
        self.view.update(|view| {
            let now = view.screen_from_world(world);
            *view = view.panned(Point::new(width / 2.0, height / 2.0).minus(now));
        });
    }

    /// Moves just far enough to show a rectangle.
    pub fn reveal(&self, rect: Rect) {
        let (width, height) = self.size.get_untracked();
        let now = self.view.get_untracked();
        // A card that is to be read or edited is of no use in the overview.
        let near = if now.zoom < OVERVIEW_ZOOM {
            now.zoomed_at(Point::new(width / 2.0, height / 2.0), READABLE_ZOOM)
        } else {
            now
        };
        let next = near.revealing(rect, (width, height), self.corner.get_untracked());
        if next != now {
            self.glide(|_| next);
        }
    }

    /// Shows a step that was added, with the whole workflow as long as it can be read then.
    pub fn show_added(&self, card: &CardBox, whole: Rect) {
        if self.overview.get_untracked() {
            return self.reveal(card.rect);
        }
        let (now, size) = (self.view.get_untracked(), self.size.get_untracked());
        let next = now.with_added(card.whole(), whole, size, self.corner.get_untracked());
        if next != now {
            self.before_added
                .update_value(|all| all.push(Added { step: card.id.clone(), before: now, then: next }));
            self.glide(|_| next);
        }
    }

    /// After a change was taken back: where that was a step that it moved to, it looks where it looked before, unless the
    /// person has looked elsewhere since. It never looks at nothing.
    pub fn look_back(&self, layout: &Layout) {
        let (now, (width, height)) = (self.view.get_untracked(), self.size.get_untracked());
        let back =
            self.before_added.try_update_value(|all| all.pop_if(|last| layout.card(&last.step).is_none()));
        let back = back.flatten().filter(|last| last.then == now).map_or(now, |last| last.before);
        let sees_it = back.seen(width, height).touches(layout.bounds);
        let next = if sees_it { back } else { back.revealing(layout.start, (width, height), (0.0, 0.0)) };
        if next != now {
            self.glide(|_| next);
        }
    }

    /// Follows a run from here, until the person looks elsewhere.
    pub fn follow(&self) {
        let (view, (width, height)) = (self.view.get_untracked(), self.size.get_untracked());
        self.before_run.set_value(Some((view, view.seen(width, height))));
        self.following.set(true);
    }

    /// Looks again where it looked before the run, if the person has not looked elsewhere since; gives what was seen there.
    pub fn return_from_run(&self) -> Option<Rect> {
        let (before, seen) = self.before_run.try_update_value(Option::take).flatten()?;
        if !self.following.get_untracked() {
            return None;
        }
        if before != self.view.get_untracked() {
            self.glide(|_| before);
        }
        Some(seen)
    }

    fn glide(&self, next: impl FnOnce(Viewport) -> Viewport) {
        self.gliding.set(true);
        self.view.update(|view| *view = next(*view));
    }
}

impl Default for Camera {
    fn default() -> Self {
        Self::new()
    }
}
