//! The cells of the world, by which it is known what is in view: as long as that is the same ones, nothing is looked for anew.

use crate::geometry::{Point, Rect};

/// The side of a cell in world units.
pub const CELL: f64 = 512.0;

/// A rectangle of whole cells. As long as the view stays within the same cells, the same things are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRange {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl CellRange {
    /// The cells that a rectangle touches.
    pub fn covering(rect: Rect) -> Self {
        let cell = |value: f64| (value / CELL).floor() as i32;
        Self { left: cell(rect.x), top: cell(rect.y), right: cell(rect.right()), bottom: cell(rect.bottom()) }
    }

    /// All that lies within the cells.
    pub fn rect(self) -> Rect {
        let corner = |column: i32, row: i32| Point::new(f64::from(column) * CELL, f64::from(row) * CELL);
        Rect::around(corner(self.left, self.top), corner(self.right + 1, self.bottom + 1))
    }

    /// The numbers of those rectangles that touch these cells, in their order. All of them are looked at: that is done when
    /// the view comes to other cells, and costs less than to sort them anew with every step that comes or goes.
    pub fn touched(self, rects: impl Iterator<Item = Rect>) -> Vec<usize> {
        let own = self.rect();
        rects.enumerate().filter(|(_, rect)| rect.touches(own)).map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_touches_the_cells_in_order() {
        let rects = [
            Rect::new(5000.0, 0.0, 10.0, 10.0),
            Rect::new(0.0, 0.0, 600.0, 10.0),
            Rect::new(100.0, 100.0, 10.0, 10.0),
            Rect::new(-1e6, 0.0, 2e6, 1.0),
        ];
        let found = |x, y| CellRange::covering(Rect::new(x, y, 10.0, 10.0)).touched(rects.into_iter());
        assert_eq!(found(400.0, 400.0), [1, 2, 3]);
        assert_eq!(found(520.0, 0.0), [1, 3]);
        assert_eq!(found(9000.0, 0.0), [3]);
        assert!(found(9000.0, 9000.0).is_empty());
    }
}
