//! The lines between cards, and the text of an SVG path that draws them.

use std::fmt::Write;

use stepweave_core::decimal::written;

use super::Way;
use crate::geometry::{Point, Rect};

const ROUND: f64 = 12.0;

/// Which step says whether a run took a wire, by the number of its card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// It leads to this step: taken once the step is reached.
    To(usize),
    /// It leads from a step to the next one: taken once that is reached and the run has passed the first, which may be newer
    /// than the run.
    On {
        /// The first.
        from: usize,
        /// The next one.
        to: usize,
    },
    /// It leads from the card of this step into what is in it: taken once any of that is reached, or the step has ended.
    Into(usize),
    /// It leads on from this step: taken once the step has ended and the run goes on.
    From(usize),
    /// It leads back to the card of what repeats: taken once the first step inside is reached more often than it.
    Again {
        /// What repeats.
        step: usize,
        /// The first step inside.
        first: usize,
    },
    /// Past all that this approval decides over, along its only lane without steps: taken once it has ended and none of them
    /// is reached. What its answer means is an expression of its own.
    Past(usize),
    /// Along a lane without steps: taken once the step that decides has decided for it.
    By {
        /// What decides.
        step: usize,
        /// Which lane it is.
        way: Way,
    },
    /// No step says it: the wire of an empty list, and the line that several lanes share.
    Nowhere,
}

impl Lead {
    /// Another one where no step says this one.
    pub fn or(self, other: Self) -> Self {
        if self == Self::Nowhere { other } else { self }
    }
}

/// One piece of a connector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wire {
    /// Straight, without a tip.
    Line(Point, Point),
    /// Straight down to a card, with a tip.
    Arrow(Point, Point),
    /// From a level line at the height of `from` around a corner and down to `to`, with a tip.
    Drop {
        /// The corner's side: where the level line comes from.
        from: Point,
        /// The end.
        to: Point,
    },
    /// Down from `from`, then around a corner onto a level line at the height of `to`.
    Join {
        /// The beginning.
        from: Point,
        /// Where the level line leads to.
        to: Point,
    },
    /// From the end of what is repeated along the side and back to the card, with a tip.
    Back {
        /// The beginning.
        from: Point,
        /// Where it goes up.
        side: f64,
        /// The card's side.
        to: Point,
    },
}

impl Wire {
    /// The rectangle around it.
    pub fn rect(&self) -> Rect {
        let (a, b) = match *self {
            Self::Line(a, b) | Self::Arrow(a, b) => (a, b),
            // The level line itself is a separate wire, so a drop reaches no further than its corner.
            Self::Drop { from, to } => (Point::new(to.x + corner(from.x, to.x), from.y), to),
            Self::Join { from, to } => (from, Point::new(from.x + corner(to.x, from.x), to.y)),
            Self::Back { from, side, to } => (from, Point::new(side, to.y)),
        };
        Rect::around(a, b).grown(5.0)
    }

    /// Adds the piece with its share of the line that it has with other lanes.
    pub fn draw_whole(&self, path: &mut String) {
        // Writing to a string cannot fail.
        let _ = match *self {
            Self::Drop { from, to } => {
                write!(path, "M{}H{}", at(from), written(to.x + corner(from.x, to.x)))
            }
            Self::Join { from, to } => {
                write!(path, "M{}H{}", at(to), written(from.x + corner(to.x, from.x)))
            }
            Self::Line(..) | Self::Arrow(..) | Self::Back { .. } => Ok(()),
        };
        self.draw(path);
    }

    /// Adds the piece to the text of an SVG path.
    pub fn draw(&self, path: &mut String) {
        // Writing to a string cannot fail.
        let _ = match *self {
            Self::Line(a, b) => write!(path, "M{}L{}", at(a), at(b)),
            Self::Arrow(a, b) => write!(path, "M{}V{}{}", at(a), written(b.y), tip(b)),
            Self::Drop { from, to } => {
                let start = Point::new(to.x + corner(from.x, to.x), from.y);
                let (turn, end) = (Point::new(to.x, from.y), Point::new(to.x, from.y + ROUND));
                write!(path, "M{}Q{} {}V{}{}", at(start), at(turn), at(end), written(to.y), tip(to))
            }
            Self::Join { from, to } => {
                let (turn, end) = (Point::new(from.x, to.y), Point::new(from.x + corner(to.x, from.x), to.y));
                write!(path, "M{}V{}Q{} {}", at(from), written(to.y - ROUND), at(turn), at(end))
            }
            Self::Back { from, side, to } => {
                let (low, high, turn) = (from.y, to.y, side + ROUND);
                let corners = [(side, low), (side, low - ROUND), (side, high), (turn, high)];
                let [a, b, c, d] = corners.map(|(x, y)| at(Point::new(x, y)));
                let (turn, up) = (written(turn), written(high + ROUND));
                write!(path, "M{}H{turn}Q{a} {b}V{up}Q{c} {d}H{}{}", at(from), written(to.x), tip_across(to))
            }
        };
    }
}

/// A position as paths have it.
fn at(point: Point) -> String {
    format!("{} {}", written(point.x), written(point.y))
}

/// How far along the level line a corner begins, towards `line` seen from `own`.
fn corner(line: f64, own: f64) -> f64 {
    (line - own).clamp(-ROUND, ROUND)
}

fn tip(end: Point) -> String {
    let (left, right) = (Point::new(end.x - 4.0, end.y - 5.0), Point::new(end.x + 4.0, end.y - 5.0));
    format!("M{}L{}L{}", at(left), at(Point::new(end.x, end.y - 0.5)), at(right))
}

fn tip_across(end: Point) -> String {
    let (above, below) = (Point::new(end.x - 5.0, end.y - 4.0), Point::new(end.x - 5.0, end.y + 4.0));
    format!("M{}L{}L{}", at(above), at(Point::new(end.x - 0.5, end.y)), at(below))
}

/// The rounded rectangle of a frame as SVG path text.
pub fn frame_path(path: &mut String, rect: Rect, round: f64) {
    let Rect { x, y, width, height } = rect;
    let (across, down) = (written(width - 2.0 * round), written(height - 2.0 * round));
    let start = at(Point::new(x + round, y));
    let round = written(round);
    let _ = write!(
        path,
        "M{start}h{across}a{round} {round} 0 0 1 {round} {round}v{down}a{round} {round} 0 0 1 -{round} {round}h-{across}a{round} {round} 0 0 1 -{round} -{round}v-{down}a{round} {round} 0 0 1 {round} -{round}z"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_turns_the_corner_from_its_side() {
        let mut path = String::new();
        Wire::Drop { from: Point::new(0.0, 10.0), to: Point::new(100.0, 60.0) }.draw(&mut path);
        assert!(path.starts_with("M88 10Q100 10 100 22V60"), "{path}");
    }

    #[test]
    fn a_wide_drop_is_found_only_near_its_corner() {
        let rect = Wire::Drop { from: Point::new(0.0, 10.0), to: Point::new(9000.0, 60.0) }.rect();
        assert!(rect.x > 8900.0);
    }
}
