//! The culling grid: which things lie in a part of the world, without looking at all of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::geometry::Rect;

/// The side of a cell in world units.
pub const CELL: f64 = 512.0;

/// Things wider than this many cells are looked at each time instead of standing in every cell they cross.
const MANY_CELLS: i64 = 48;

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

    /// The rectangle of all the cells.
    pub fn rect(self) -> Rect {
        let side = |from: i32, to: i32| f64::from(to - from + 1) * CELL;
        Rect::new(
            f64::from(self.left) * CELL,
            f64::from(self.top) * CELL,
            side(self.left, self.right),
            side(self.top, self.bottom),
        )
    }

    fn count(self) -> i64 {
        i64::from(self.right - self.left + 1) * i64::from(self.bottom - self.top + 1)
    }

    fn cells(self) -> impl Iterator<Item = (i32, i32)> {
        (self.top..=self.bottom)
            .flat_map(move |row| (self.left..=self.right).map(move |column| (column, row)))
    }
}

/// Numbered rectangles, found by the cells they touch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    cells: HashMap<(i32, i32), Vec<u32>, BuildHasherDefault<CellHasher>>,
    large: Vec<(u32, Rect)>,
}

impl Grid {
    /// The grid of these rectangles, numbered from 0.
    pub fn of(rects: impl Iterator<Item = Rect>) -> Self {
        let mut grid = Self::default();
        for (number, rect) in rects.enumerate() {
            let number = number as u32;
            let range = CellRange::covering(rect);
            if range.count() > MANY_CELLS {
                grid.large.push((number, rect));
                continue;
            }
            for cell in range.cells() {
                grid.cells.entry(cell).or_default().push(number);
            }
        }
        grid
    }

    /// The numbers of what touches these cells, rising and each once.
    pub fn within(&self, range: CellRange) -> Vec<usize> {
        let rect = range.rect();
        let large =
            self.large.iter().filter(|(_, one)| one.touches(rect)).map(|(number, _)| *number as usize);
        let mut found: Vec<usize> = large.collect();
        for cell in range.cells() {
            found.extend(self.cells.get(&cell).into_iter().flatten().map(|number| *number as usize));
        }
        // Rising numbers are the order of the tree: it keeps the elements' order stable while panning.
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Mixes two small numbers; the standard hasher was a third of the time of a layout.
#[derive(Debug, Clone, Default)]
pub struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_i32(i32::from(*byte));
        }
    }

    fn write_i32(&mut self, value: i32) {
        self.0 =
            (self.0.rotate_left(5) ^ u64::from(value.cast_unsigned())).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0
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
        ];
        let grid = Grid::of(rects.into_iter());
        assert_eq!(grid.within(CellRange::covering(Rect::new(0.0, 0.0, 400.0, 400.0))), [1, 2]);
        assert_eq!(grid.within(CellRange::covering(Rect::new(520.0, 0.0, 10.0, 10.0))), [1]);
    }

    #[test]
    fn very_large_things_are_found_too() {
        let grid = Grid::of([Rect::new(-1e6, 0.0, 2e6, 1.0)].into_iter());
        assert_eq!(grid.within(CellRange::covering(Rect::new(9000.0, 0.0, 10.0, 10.0))), [0]);
        assert!(grid.within(CellRange::covering(Rect::new(9000.0, 9000.0, 10.0, 10.0))).is_empty());
    }
}
