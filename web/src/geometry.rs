//! Points and rectangles. A name says which space a value is in: `screen` (CSS pixels of the canvas) or `world`.

use stepweave_core::decimal::written;

/// A length as style sheets have it.
pub fn px(length: f64) -> String {
    format!("{}px", written(length))
}

/// The transform that moves something there.
pub fn translate(x: f64, y: f64) -> String {
    format!("translate({}, {})", px(x), px(y))
}

/// A position, or the distance from one position to another.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Point {
    /// The point at these coordinates.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The way from `other` to here.
    pub fn minus(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }

    /// The point that lies `way` further.
    pub fn plus(self, way: Self) -> Self {
        Self::new(self.x + way.x, self.y + way.y)
    }

    /// How far `other` is from here.
    pub fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// The point in the middle of here and `other`.
    pub fn middle(self, other: Self) -> Self {
        Self::new((self.x + other.x) / 2.0, (self.y + other.y) / 2.0)
    }
}

/// A rectangle whose sides are level.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    /// The left side.
    pub x: f64,
    /// The top side.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl Rect {
    /// The rectangle with this top left corner and size.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The smallest rectangle that holds both points.
    pub fn around(a: Point, b: Point) -> Self {
        Self::new(a.x.min(b.x), a.y.min(b.y), (a.x - b.x).abs(), (a.y - b.y).abs())
    }

    /// The right side.
    pub fn right(self) -> f64 {
        self.x + self.width
    }

    /// The bottom side.
    pub fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// The middle.
    pub fn center(self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether the point is inside or on a side.
    pub fn contains(self, point: Point) -> bool {
        point.x >= self.x && point.x <= self.right() && point.y >= self.y && point.y <= self.bottom()
    }

    /// Whether all of the other one is inside.
    pub fn holds(self, other: Self) -> bool {
        self.contains(Point::new(other.x, other.y))
            && self.contains(Point::new(other.right(), other.bottom()))
    }

    /// Whether the two share a point.
    pub fn touches(self, other: Self) -> bool {
        self.x <= other.right()
            && other.x <= self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom()
    }

    /// The rectangle with each side moved outwards by `margin`.
    pub fn grown(self, margin: f64) -> Self {
        Self::new(self.x - margin, self.y - margin, self.width + 2.0 * margin, self.height + 2.0 * margin)
    }

    /// How far the point is from the nearest point of the rectangle; 0 inside.
    pub fn distance(self, point: Point) -> f64 {
        let x = (self.x - point.x).max(point.x - self.right()).max(0.0);
        let y = (self.y - point.y).max(point.y - self.bottom()).max(0.0);
        x.hypot(y)
    }
}
