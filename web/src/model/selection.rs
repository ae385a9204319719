//! Which steps are selected together: always top-most ones, in the order of the document.

use indexmap::IndexSet;

use crate::geometry::Rect;
use crate::layout::Layout;
use crate::layout::cells::CellRange;

/// The steps that are selected, in the order of the document. None of them is inside another one.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    ids: IndexSet<String>,
}

/// Steps that were selected together. They stay so for as long as `lead` is the step that the inspector would show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// Where a range begins.
    pub anchor: Option<String>,
    /// The step that was selected last.
    pub lead: Option<String>,
    /// All of them.
    pub selection: Selection,
}

impl Selection {
    /// The top-most of these steps.
    pub fn of<'a>(layout: &Layout, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut positions: Vec<usize> = ids.into_iter().filter_map(|id| layout.position(id)).collect();
        positions.sort_unstable();
        positions.dedup();
        let mut own = Self::default();
        let mut end = 0;
        for position in positions.into_iter() {
            if let Some(card) = layout.cards.get(position).filter(|_| position >= end) {
                end = position + card.inside + 1;
                own.ids.insert(card.id.clone());
            }
        }
        own
    }

    /// All steps from one to another, whichever comes first.
    pub fn range(layout: &Layout, from: &str, to: &str) -> Self {
        let ends = layout.position(from).zip(layout.position(to));
        let cards = ends.and_then(|(from, to)| layout.cards.get(from.min(to)..=from.max(to)));
        Self::of(layout, cards.unwrap_or_default().iter().map(|card| card.id.as_str()))
    }

    /// The steps whose cards a rectangle of the world touches.
    pub fn within(layout: &Layout, world: Rect) -> Self {
        let near = layout.cards_within(CellRange::covering(world));
        let cards = near.into_iter().filter_map(|index| layout.cards.get(index));
        let touched = cards.filter(|card| card.rect.touches(world));
        Self::of(layout, touched.map(|card| card.id.as_str()))
    }

    /// With a step, or without it when it is selected. What is inside it, and what it is inside of, gives way to it.
    #[must_use]
    pub fn toggled(&self, layout: &Layout, id: &str) -> Self {
        let apart = |own: &str| !layout.holds(own, id) && !layout.holds(id, own);
        let others = self.iter().filter(|own| apart(own));
        let added = Some(id).filter(|id| !self.contains(id));
        Self::of(layout, others.chain(added))
    }

    /// The steps that still are in the document.
    #[must_use]
    pub fn in_layout(&self, layout: &Layout) -> Self {
        Self::of(layout, self.iter())
    }

    /// Whether this step is selected itself.
    pub fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, in the order of the document.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }

    /// The ids, in the order of the document.
    pub fn to_vec(&self) -> Vec<String> {
        self.ids.iter().cloned().collect()
    }

    /// The last one in the document.
    pub fn last(&self) -> Option<&str> {
        self.ids.last().map(String::as_str)
    }
}

/// The order counts too: moved steps are another selection.
impl PartialEq for Selection {
    fn eq(&self, other: &Self) -> bool {
        self.ids.as_slice() == other.ids.as_slice()
    }
}

impl Marks {
    /// What is selected: these, or the one step alone that was selected since.
    pub fn selection(&self, layout: &Layout, selected: Option<&str>) -> Selection {
        if self.lead.is_some() && self.lead.as_deref() == selected {
            self.selection.in_layout(layout)
        } else {
            Selection::of(layout, selected)
        }
    }

    /// Where a range to another step begins.
    pub fn anchor<'a>(&'a self, selected: Option<&'a str>) -> Option<&'a str> {
        if self.lead.as_deref() == selected { self.anchor.as_deref().or(selected) } else { selected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn leaf(id: &str) -> Value {
        json!({ "id": id, "type": "wait", "name": id, "wait": { "ms": 1 } })
    }

    /// a · p (b · q (c · d) · e) · f
    fn layout() -> Layout {
        let inner = json!({ "id": "q", "type": "sequence", "name": "q", "steps": [leaf("c"), leaf("d")] });
        let outer =
            json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [leaf("b"), inner, leaf("e")] });
        let document = json!({ "version": 1, "name": "t", "steps": [leaf("a"), outer, leaf("f")] });
        Layout::of(&serde_json::from_value(document).unwrap())
    }

    fn selected(ids: &[&str]) -> Selection {
        Selection::of(&layout(), ids.iter().copied())
    }

    fn text(selection: &Selection) -> String {
        selection.to_vec().join(" ")
    }

    #[test]
    fn only_the_top_most_steps_are_selected_in_the_order_of_the_document() {
        assert_eq!(text(&selected(&["f", "a"])), "a f");
        assert_eq!(text(&selected(&["d", "p", "c", "f", "f"])), "p f");
        assert_eq!(text(&selected(&["e", "c", "nobody"])), "c e");
        assert!(selected(&[]).is_empty());
    }

    #[test]
    fn a_range_goes_both_ways_and_takes_whole_steps() {
        let layout = layout();
        for (from, to, expected) in
            [("a", "f", "a p f"), ("f", "a", "a p f"), ("c", "f", "c d e f"), ("q", "q", "q")]
        {
            assert_eq!(text(&Selection::range(&layout, from, to)), expected, "{from} to {to}");
        }
        assert!(Selection::range(&layout, "a", "nobody").is_empty());
    }

    #[test]
    fn a_step_is_added_and_taken_away_again() {
        let layout = layout();
        let both = selected(&["a"]).toggled(&layout, "f");
        assert_eq!(text(&both), "a f");
        assert_eq!(text(&both.toggled(&layout, "a")), "f");
    }

    #[test]
    fn the_step_that_was_added_last_wins_over_those_inside_and_around_it() {
        let layout = layout();
        assert_eq!(text(&selected(&["a", "p"]).toggled(&layout, "c")), "a c");
        assert_eq!(text(&selected(&["a", "c", "e"]).toggled(&layout, "p")), "a p");
    }

    #[test]
    fn a_box_selects_the_cards_that_it_touches() {
        let layout = layout();
        let a = layout.card("a").unwrap().rect;
        let p = layout.card("p").unwrap().rect;
        assert_eq!(text(&Selection::within(&layout, a)), "a");
        assert_eq!(text(&Selection::within(&layout, Rect::around(a.center(), p.center()))), "a p");
        assert_eq!(text(&Selection::within(&layout, layout.bounds)), "a p f");
        assert!(Selection::within(&layout, Rect::new(-9000.0, 0.0, 5.0, 5.0)).is_empty());
    }

    #[test]
    fn marks_count_until_another_step_is_selected() {
        let layout = layout();
        let marks =
            Marks { anchor: Some("a".into()), lead: Some("f".into()), selection: selected(&["a", "p", "f"]) };
        assert_eq!(marks.selection(&layout, Some("f")).len(), 3);
        assert_eq!(text(&marks.selection(&layout, Some("b"))), "b");
        assert!(marks.selection(&layout, None).is_empty());
        assert_eq!(marks.anchor(Some("f")), Some("a"));
        assert_eq!(marks.anchor(Some("b")), Some("b"));
        assert_eq!(Marks::default().anchor(None), None);
    }
}
