//! The culling grid: which things lie in a part of the world, without looking at all of them.

use crate::geometry::Rect;

/// The side of a cell in world units.
pub const CELL: f64 = 512.0;

/// Things taller than this many rows are looked at each time instead of standing in every row they cross.
const MANY_ROWS: i32 = 48;

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

    fn touches(self, other: Self) -> bool {
        self.left <= other.right
            && other.left <= self.right
            && self.top <= other.bottom
            && other.top <= self.bottom
    }

    fn is_tall(self) -> bool {
        self.bottom.saturating_sub(self.top) >= MANY_ROWS
    }
}

/// Numbered rectangles, found by the rows of cells they touch. The numbers of a row stand behind each other in one list for
/// all of them: the workflow is laid out anew with every step that comes or goes, and a list for each cell would be made
/// and dropped as often.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    ranges: Vec<CellRange>,
    first_row: i32,
    /// Where each row begins in `numbers`, and where the last one ends.
    starts: Vec<u32>,
    numbers: Vec<u32>,
    tall: Vec<u32>,
}

impl Grid {
    /// The grid of these rectangles, numbered from 0.
    pub fn of(rects: impl Iterator<Item = Rect>) -> Self {
        let ranges: Vec<CellRange> = rects.map(CellRange::covering).collect();
        let short = || ranges.iter().zip(0_u32..).filter(|(range, _)| !range.is_tall());
        let first_row = short().map(|(range, _)| range.top).min().unwrap_or(0);
        let end = short().map(|(range, _)| range.bottom).max().map_or(first_row, |last| last + 1);
        let row = |row: i32| (row - first_row) as usize;

        // How many stand in each row, then where each begins, then, while they are filled, where its next one goes.
        let mut starts = vec![0_u32; row(end) + 1];
        for (range, _) in short() {
            starts.iter_mut().take(row(range.bottom) + 1).skip(row(range.top)).for_each(|many| *many += 1);
        }
        let mut all = 0;
        for start in &mut starts {
            all += std::mem::replace(start, all);
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; all as usize];
        for (range, number) in short() {
            for next in next.iter_mut().take(row(range.bottom) + 1).skip(row(range.top)) {
                if let Some(place) = numbers.get_mut(*next as usize) {
                    *place = number;
                }
                *next += 1;
            }
        }
        let tall = ranges.iter().zip(0..).filter(|(range, _)| range.is_tall()).map(|(_, number)| number);
        let tall = tall.collect();
        Self { ranges, first_row, starts, numbers, tall }
    }

    /// The numbers of what touches these cells, rising and each once.
    pub fn within(&self, range: CellRange) -> Vec<usize> {
        let row = |row: i32| {
            let row = usize::try_from(row.saturating_sub(self.first_row)).unwrap_or(0);
            self.starts.get(row).or(self.starts.last()).map_or(0, |start| *start as usize)
        };
        let rows = self.numbers.get(row(range.top)..row(range.bottom.saturating_add(1)));
        let touching = rows.into_iter().flatten().chain(&self.tall).map(|number| *number as usize);
        let touching =
            touching.filter(|number| self.ranges.get(*number).is_some_and(|one| one.touches(range)));
        let mut found: Vec<usize> = touching.collect();
        // Rising numbers are the order of the tree: it keeps the elements' order stable while panning.
        found.sort_unstable();
        found.dedup();
        found
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
        let grid = Grid::of([Rect::new(-1e6, 0.0, 2e6, 1.0), Rect::new(0.0, -1e6, 1.0, 2e6)].into_iter());
        let found = |x, y| grid.within(CellRange::covering(Rect::new(x, y, 10.0, 10.0)));
        assert_eq!(found(9000.0, 0.0), [0]);
        assert_eq!(found(0.0, 9000.0), [1]);
        assert_eq!(found(0.0, 0.0), [0, 1]);
        assert!(found(9000.0, 9000.0).is_empty());
        assert!(Grid::of(std::iter::empty()).within(CellRange::covering(Rect::default())).is_empty());
    }

    #[test]
    fn everything_is_found_where_it_is_and_nowhere_else() {
        // Steps of primes, so that no two stand alike.
        let spread =
            |number: u32, step: u32, over: u32| f64::from(number * step % over) - f64::from(over / 2);
        let rect = |number| {
            let size = |step, over| f64::from(number * step % over);
            Rect::new(
                spread(number, 7919, 6007),
                spread(number, 104_729, 9001),
                size(31, 1409),
                size(53, 1103),
            )
        };
        let rects: Vec<Rect> = (0..400).map(rect).collect();
        let grid = Grid::of(rects.iter().copied());
        for number in 0..60 {
            let range = CellRange::covering(rect(number * 17 + 3));
            let touching = |(_, one): &(usize, &Rect)| CellRange::covering(**one).touches(range);
            let expected: Vec<usize> =
                rects.iter().enumerate().filter(touching).map(|(number, _)| number).collect();
            assert_eq!(grid.within(range), expected);
        }
    }
}
