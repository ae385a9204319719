//! The lines between cards, and the text of an SVG path that draws them.

use std::fmt::Write;

use stepweave_core::document::Step;

use crate::geometry::{Point, Rect};

const ROUND: f64 = 12.0;

/// Which step says whether a run took a wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    /// It leads to this step: taken once the step is reached.
    To(String),
    /// It leads on from this step: taken once the step has ended and the run goes on.
    From(String),
    /// It leads back to the card of what repeats: taken once the first step inside is reached more often than it.
    Again {
        /// What repeats.
        step: String,
        /// The first step inside.
        first: String,
    },
    /// No step says it: the wire of an empty list, and the line that several lanes share.
    Nowhere,
}

impl Lead {
    /// To a step.
    pub fn to(step: &Step) -> Self {
        Self::To(step.id.clone())
    }

    /// On from a step.
    pub fn from(step: &Step) -> Self {
        Self::From(step.id.clone())
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
                write!(path, "M{:.1} {:.1}H{:.1}", from.x, from.y, to.x + corner(from.x, to.x))
            }
            Self::Join { from, to } => {
                write!(path, "M{:.1} {:.1}H{:.1}", to.x, to.y, from.x + corner(to.x, from.x))
            }
            Self::Line(..) | Self::Arrow(..) | Self::Back { .. } => Ok(()),
        };
        self.draw(path);
    }

    /// Adds the piece to the text of an SVG path.
    pub fn draw(&self, path: &mut String) {
        // Writing to a string cannot fail.
        let _ = match *self {
            Self::Line(a, b) => write!(path, "M{:.1} {:.1}L{:.1} {:.1}", a.x, a.y, b.x, b.y),
            Self::Arrow(a, b) => write!(path, "M{:.1} {:.1}V{:.1}{}", a.x, a.y, b.y, tip(b)),
            Self::Drop { from, to } => {
                let (way, y) = (corner(from.x, to.x), from.y);
                let start = Point::new(to.x + way, y);
                write!(
                    path,
                    "M{:.1} {y:.1}Q{:.1} {y:.1} {:.1} {:.1}V{:.1}{}",
                    start.x,
                    to.x,
                    to.x,
                    y + ROUND,
                    to.y,
                    tip(to)
                )
            }
            Self::Join { from, to } => {
                let (way, y) = (corner(to.x, from.x), to.y);
                let end = from.x + way;
                write!(
                    path,
                    "M{:.1} {:.1}V{:.1}Q{:.1} {y:.1} {end:.1} {y:.1}",
                    from.x,
                    from.y,
                    y - ROUND,
                    from.x
                )
            }
            Self::Back { from, side, to } => {
                let (low, high, turn) = (from.y, to.y, side + ROUND);
                write!(
                    path,
                    "M{:.1} {low:.1}H{turn:.1}Q{side:.1} {low:.1} {side:.1} {:.1}V{:.1}Q{side:.1} {high:.1} {turn:.1} {high:.1}H{:.1}{}",
                    from.x,
                    low - ROUND,
                    high + ROUND,
                    to.x,
                    tip_across(to)
                )
            }
        };
    }
}

/// How far along the level line a corner begins, towards `line` seen from `own`.
fn corner(line: f64, own: f64) -> f64 {
    (line - own).clamp(-ROUND, ROUND)
}

fn tip(end: Point) -> String {
    let (left, right, y) = (end.x - 4.0, end.x + 4.0, end.y - 5.0);
    format!("M{left:.1} {y:.1}L{:.1} {:.1}L{right:.1} {y:.1}", end.x, end.y - 0.5)
}

fn tip_across(end: Point) -> String {
    let (x, above, below) = (end.x - 5.0, end.y - 4.0, end.y + 4.0);
    format!("M{x:.1} {above:.1}L{:.1} {:.1}L{x:.1} {below:.1}", end.x - 0.5, end.y)
}

/// The rounded rectangle of a frame as SVG path text.
pub fn frame_path(path: &mut String, rect: Rect, round: f64) {
    let Rect { x, y, width, height } = rect;
    let (across, down) = (width - 2.0 * round, height - 2.0 * round);
    let _ = write!(
        path,
        "M{:.1} {y:.1}h{across:.1}a{round} {round} 0 0 1 {round} {round}v{down:.1}a{round} {round} 0 0 1 -{round} {round}h-{across:.1}a{round} {round} 0 0 1 -{round} -{round}v-{down:.1}a{round} {round} 0 0 1 {round} -{round}z",
        x + round
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_turns_the_corner_from_its_side() {
        let mut path = String::new();
        Wire::Drop { from: Point::new(0.0, 10.0), to: Point::new(100.0, 60.0) }.draw(&mut path);
        assert!(path.starts_with("M88.0 10.0Q100.0 10.0 100.0 22.0V60.0"), "{path}");
    }

    #[test]
    fn a_wide_drop_is_found_only_near_its_corner() {
        let rect = Wire::Drop { from: Point::new(0.0, 10.0), to: Point::new(9000.0, 60.0) }.rect();
        assert!(rect.x > 8900.0);
    }
}
