//! Where the canvas looks: pan and zoom, and the way between screen and world.

use crate::geometry::{Point, Rect};

/// The farthest a person can zoom out, but for showing everything.
pub const MIN_ZOOM: f64 = 0.02;
/// The closest a person can zoom in.
pub const MAX_ZOOM: f64 = 2.5;
/// From here on the smallest text on a card, of 12.5 pixels, has at least 11 on the screen.
pub const READABLE_ZOOM: f64 = 0.88;
/// So far a growing workflow is shown whole: four lanes side by side fit between palette and inspector in a window of
/// 1280 pixels, and the names on their cards, of 13 pixels, have nearly 9 on the screen.
const SHAPE_ZOOM: f64 = 0.68;
/// The width of a canvas in pixels below which it is that of a phone.
const NARROW: f64 = 600.0;
/// Below this marks on cards are a few pixels wide.
pub const FAR_ZOOM: f64 = 0.5;
/// Below this cards are drawn as plain boxes on one canvas instead of being elements.
pub const OVERVIEW_ZOOM: f64 = 0.3;

/// The part of the world that is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Where the world's origin is on the screen.
    pub origin_on_screen: Point,
    /// Screen pixels per world unit.
    pub zoom: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { origin_on_screen: Point::new(0.0, 0.0), zoom: 1.0 }
    }
}

impl Viewport {
    /// The screen position of a point in the world.
    pub fn screen_from_world(self, world: Point) -> Point {
        Point::new(
            world.x * self.zoom + self.origin_on_screen.x,
            world.y * self.zoom + self.origin_on_screen.y,
        )
    }

    /// The world position of a point on the screen.
    pub fn world_from_screen(self, screen: Point) -> Point {
        Point::new(
            (screen.x - self.origin_on_screen.x) / self.zoom,
            (screen.y - self.origin_on_screen.y) / self.zoom,
        )
    }

    /// The part of the world that a canvas of this size shows.
    pub fn seen(self, width: f64, height: f64) -> Rect {
        let corner = self.world_from_screen(Point::default());
        Rect::new(corner.x, corner.y, width / self.zoom, height / self.zoom)
    }

    /// Moved along by a way on the screen.
    pub fn panned(self, way_on_screen: Point) -> Self {
        Self { origin_on_screen: self.origin_on_screen.plus(way_on_screen), ..self }
    }

    /// Zoomed so that the point of the world under `on_screen` stays there.
    pub fn zoomed_at(self, on_screen: Point, zoom: f64) -> Self {
        // Where everything is shown of a very large workflow, the zoom is smaller already.
        let zoom = zoom.clamp(MIN_ZOOM.min(self.zoom), MAX_ZOOM);
        let world = self.world_from_screen(on_screen);
        let origin_on_screen = Point::new(on_screen.x - world.x * zoom, on_screen.y - world.y * zoom);
        Self { origin_on_screen, zoom }
    }

    /// Shows all of `bounds` in the middle, never larger than life.
    pub fn fitting(bounds: Rect, width: f64, height: f64) -> Self {
        Self::default().growing_to(bounds, (width, height))
    }

    /// Shows all of `bounds` in the middle, as large as now where there is room.
    fn growing_to(self, bounds: Rect, (width, height): (f64, f64)) -> Self {
        let margin = 16.0;
        let across = (width - 2.0 * margin).max(1.0) / bounds.width.max(1.0);
        let down = (height - 2.0 * margin).max(1.0) / bounds.height.max(1.0);
        let zoom = across.min(down).min(self.zoom);
        let center = bounds.center();
        let origin_on_screen = Point::new(width / 2.0 - center.x * zoom, height / 2.0 - center.y * zoom);
        Self { origin_on_screen, zoom }
    }

    /// Shows all of `bounds` in the middle of something small, however small it gets, with hardly a margin.
    pub fn scaled_into(bounds: Rect, width: f64, height: f64) -> Self {
        let margin = 4.0;
        let across = (width - 2.0 * margin) / bounds.width.max(1.0);
        let down = (height - 2.0 * margin) / bounds.height.max(1.0);
        let (zoom, center) = (across.min(down).min(1.0), bounds.center());
        let origin_on_screen = Point::new(width / 2.0 - center.x * zoom, height / 2.0 - center.y * zoom);
        Self { origin_on_screen, zoom }
    }

    /// Shows the top of `bounds` at a readable size, as the page opens.
    pub fn opening(bounds: Rect, width: f64, height: f64) -> Self {
        let fitting = Self::fitting(bounds, width, height);
        // A phone shows lanes side by side rather than one of them at the size of a desk.
        let readable = if width < NARROW { 0.6 } else { READABLE_ZOOM };
        if fitting.zoom >= readable {
            return fitting;
        }
        let across = (width - 32.0).max(1.0) / bounds.width.max(1.0);
        let zoom = across.clamp(readable, 1.0);
        let origin_on_screen = Point::new(width / 2.0 - bounds.center().x * zoom, 24.0 - bounds.y * zoom);
        Self { origin_on_screen, zoom }
    }

    /// What shows a step that was added: the whole workflow as long as it can be read then, or the step alone.
    pub fn with_added(self, step: Rect, whole: Rect, size: (f64, f64), corner: (f64, f64)) -> Self {
        if self.seen(size.0, size.1).holds(whole) {
            return self;
        }
        let grown = self.growing_to(whole, size);
        if grown.zoom >= SHAPE_ZOOM.min(self.zoom) { grown } else { self.revealing(step, size, corner) }
    }

    /// Moved just far enough that `target` is seen with some room around it, and is not in the lower right corner, which
    /// something of this size covers.
    pub fn revealing(self, target: Rect, (width, height): (f64, f64), corner: (f64, f64)) -> Self {
        let start = self.screen_from_world(Point::new(target.x, target.y));
        let end = self.screen_from_world(Point::new(target.right(), target.bottom()));
        let way = Point::new(shift(start.x, end.x, width), shift(start.y, end.y, height));
        let (start, end) = (start.plus(way), end.plus(way));
        let above_bar = height - BAR.1 - end.y;
        if start.x < BAR.0 && above_bar < 0.0 && start.y + above_bar >= ROOM && width >= NARROW {
            return self.panned(way.plus(Point::new(0.0, above_bar)));
        }
        let hidden = Point::new(end.x - (width - corner.0), end.y - (height - corner.1));
        if hidden.x <= 0.0 || hidden.y <= 0.0 {
            return self.panned(way);
        }
        let ways_out = [Point::new(0.0, -hidden.y), Point::new(-hidden.x, 0.0)];
        let fits = |out: &&Point| start.x + out.x >= ROOM && start.y + out.y >= ROOM;
        let shortest = ways_out.iter().filter(fits).max_by(|a, b| (a.x + a.y).total_cmp(&(b.x + b.y)));
        self.panned(way.plus(shortest.copied().unwrap_or_default()))
    }
}

/// The room around what is revealed.
const ROOM: f64 = 32.0;

/// How much of the lower left corner the controls take, with the space around them.
const BAR: (f64, f64) = (220.0, 60.0);

fn shift(start: f64, end: f64, size: f64) -> f64 {
    if end - start + 2.0 * ROOM > size {
        // Too large to be seen whole: its beginning counts.
        return if start < ROOM || start > size - ROOM { ROOM - start } else { 0.0 };
    }
    (ROOM - start).max(0.0) + (size - ROOM - end).min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screen_and_world_are_inverse() {
        let view = Viewport { origin_on_screen: Point::new(30.0, -12.0), zoom: 0.75 };
        let world = Point::new(412.0, 99.5);
        assert!(view.world_from_screen(view.screen_from_world(world)).distance(world) < 1e-9);
    }

    #[test]
    fn zooming_keeps_the_place_under_the_pointer() {
        let view = Viewport { origin_on_screen: Point::new(5.0, 7.0), zoom: 1.0 };
        let pointer = Point::new(200.0, 100.0);
        let before = view.world_from_screen(pointer);
        let after = view.zoomed_at(pointer, 2.0).world_from_screen(pointer);
        assert!(before.distance(after) < 1e-9);
    }

    #[test]
    fn zoom_has_bounds() {
        let view = Viewport::default();
        assert_eq!(view.zoomed_at(Point::default(), 99.0).zoom, MAX_ZOOM);
        assert_eq!(view.zoomed_at(Point::default(), 0.0).zoom, MIN_ZOOM);
    }

    #[test]
    fn fitting_shows_everything_in_the_middle() {
        let bounds = Rect::new(-500.0, 0.0, 1000.0, 4000.0);
        let seen = Viewport::fitting(bounds, 800.0, 600.0).seen(800.0, 600.0);
        assert!(seen.x <= bounds.x && seen.right() >= bounds.right());
        assert!(seen.y <= bounds.y && seen.bottom() >= bounds.bottom());
        assert!(seen.center().distance(bounds.center()) < 1e-6);
    }

    #[test]
    fn something_small_shows_everything_too() {
        for bounds in [Rect::new(-500.0, 0.0, 1000.0, 700_000.0), Rect::new(0.0, 0.0, 9000.0, 10.0)] {
            let view = Viewport::scaled_into(bounds, 168.0, 132.0);
            let seen = view.seen(168.0, 132.0);
            assert!(seen.x <= bounds.x && seen.right() >= bounds.right(), "{seen:?}");
            assert!(seen.y <= bounds.y && seen.bottom() >= bounds.bottom(), "{seen:?}");
        }
    }

    #[test]
    fn fitting_shows_everything_however_large_it_is() {
        let bounds = Rect::new(-500.0, 0.0, 1000.0, 700_000.0);
        let view = Viewport::fitting(bounds, 800.0, 600.0);
        let seen = view.seen(800.0, 600.0);
        assert!(seen.y <= bounds.y && seen.bottom() >= bounds.bottom(), "{seen:?}");
        let middle = Point::new(400.0, 300.0);
        assert_eq!(view.zoomed_at(middle, view.zoom * 0.8).zoom, view.zoom);
        assert!(view.zoomed_at(middle, view.zoom * 1.25).zoom > view.zoom);
    }

    #[test]
    fn revealing_moves_only_when_needed() {
        let view = Viewport::default();
        let revealing = |x, y, corner| {
            view.revealing(Rect::new(x, y, 50.0, 50.0), (800.0, 600.0), corner).origin_on_screen
        };
        assert_eq!(revealing(100.0, 100.0, (0.0, 0.0)), Point::new(0.0, 0.0));
        assert_eq!(revealing(900.0, 100.0, (0.0, 0.0)), Point::new(-182.0, 0.0));
        assert_eq!(revealing(700.0, 500.0, (0.0, 0.0)), Point::new(0.0, 0.0));
    }

    #[test]
    fn what_is_revealed_is_not_under_the_controls() {
        let view = Viewport::default();
        let revealing = |x, y, width| {
            view.revealing(Rect::new(x, y, 50.0, 50.0), (width, 300.0), (0.0, 0.0)).origin_on_screen
        };
        assert_eq!(revealing(100.0, 210.0, 800.0), Point::new(0.0, -20.0));
        assert_eq!(revealing(300.0, 210.0, 800.0), Point::new(0.0, 0.0));
        // On a phone they are a strip of their own.
        assert_eq!(revealing(100.0, 210.0, 400.0), Point::new(0.0, 0.0));
    }

    #[test]
    fn a_workflow_that_grows_is_seen_whole_as_long_as_it_can_be_read() {
        let (step, size, corner) = (Rect::new(0.0, 560.0, 236.0, 60.0), (800.0, 600.0), (0.0, 0.0));
        let with = |view: Viewport, whole| view.with_added(step, whole, size, corner);
        let view = Viewport::default();
        assert_eq!(with(view, Rect::new(100.0, 20.0, 500.0, 500.0)), view);
        let all = with(view, Rect::new(-100.0, 0.0, 500.0, 640.0));
        assert_eq!(all, Viewport::fitting(Rect::new(-100.0, 0.0, 500.0, 640.0), 800.0, 600.0));
        assert!((SHAPE_ZOOM..1.0).contains(&all.zoom));
        // Whoever looks from farther away goes on to.
        let far = Viewport { zoom: 0.5, ..view };
        assert_eq!(with(far, Rect::new(-900.0, 0.0, 1500.0, 900.0)).zoom, 0.5);
        // What is too large is not shown whole.
        assert_eq!(with(view, Rect::new(-100.0, 0.0, 500.0, 2000.0)).zoom, 1.0);
        // Four lanes beside each other are, between palette and inspector.
        let lanes = Rect::new(-402.0, 0.0, 4.0 * 236.0 + 3.0 * 24.0 + 2.0 * 12.0, 500.0);
        let seen = view.with_added(step, lanes, (744.0, 748.0), corner).seen(744.0, 748.0);
        assert!(seen.holds(lanes), "{seen:?}");
    }

    #[test]
    fn what_is_revealed_is_not_under_what_covers_the_corner() {
        let view = Viewport::default();
        let revealing = |x, y| {
            view.revealing(Rect::new(x, y, 50.0, 50.0), (800.0, 600.0), (180.0, 140.0)).origin_on_screen
        };
        assert_eq!(revealing(700.0, 500.0), Point::new(0.0, -90.0));
        assert_eq!(revealing(590.0, 540.0), Point::new(-20.0, -22.0));
        assert_eq!(revealing(400.0, 500.0), Point::new(0.0, 0.0));
        assert_eq!(revealing(700.0, 300.0), Point::new(0.0, 0.0));
        // Where there is no room beside it, it stays where it is.
        let all = view.revealing(Rect::new(40.0, 40.0, 700.0, 500.0), (800.0, 600.0), (180.0, 140.0));
        assert_eq!(all.origin_on_screen, Point::new(0.0, 0.0));
    }
}
