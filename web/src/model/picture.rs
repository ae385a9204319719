//! A workflow's layout made small, as the library shows it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use stepweave_core::decimal::written;
use stepweave_core::json;

use crate::geometry::Rect;
use crate::layout::Layout;

/// How many boxes a picture has at most.
const MOST_BOXES: usize = 240;

/// A small picture of a layout: the paths of an SVG.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Picture {
    /// The `viewBox`.
    pub view: String,
    /// The frames around what is inside of steps.
    pub frames: String,
    /// The cards.
    pub cards: String,
}

impl Picture {
    /// The picture of a layout.
    pub fn of(layout: &Layout) -> Self {
        let Rect { x, y, width, height } = layout.bounds;
        let mut picture = Self { view: [x, y, width, height].map(whole).join(" "), ..Self::default() };
        for card in layout.cards.iter().take(MOST_BOXES) {
            draw(&mut picture.cards, card.rect);
            if let Some(frame) = card.frame {
                draw(&mut picture.frames, frame);
            }
        }
        picture
    }

    /// As it is stored.
    pub fn text(&self) -> String {
        // Three texts always have a JSON form.
        json::text(self)
    }
}

fn whole(length: f64) -> String {
    written(length.round())
}

fn draw(path: &mut String, Rect { x, y, width, height }: Rect) {
    let [x, y, width, height] = [x, y, width, height].map(whole);
    // Writing to a text cannot fail.
    let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::document::Document;

    #[test]
    fn a_picture_has_a_box_for_each_step_and_is_bounded() {
        let text = include_str!("../../../examples/research-report.json");
        let document: Document = serde_json::from_str(text).unwrap();
        let layout = Layout::of(&document);
        let picture = Picture::of(&layout);
        assert_eq!(picture.cards.matches('M').count(), layout.cards.len());
        assert!(picture.frames.contains('M'));
        assert_eq!(serde_json::from_str::<Picture>(&picture.text()).unwrap(), picture);
    }
}
