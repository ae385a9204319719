//! What is done with several steps at once, as one edit.

use stepweave_core::document::{Document, Step, every};
use stepweave_core::edit::{Block, Edit, EditError, Slot, apply, find, slot_of};

use super::place::{Direction, is_elsewhere, lane};
use super::settings::without_steps;
use crate::layout::Place;

/// Edits of which each builds on those before it; they are tried on a copy of the document.
pub struct Trial {
    /// The document after all edits so far.
    pub document: Document,
    edits: Vec<Edit>,
}

impl Trial {
    /// Begins with the document as it is.
    pub fn of(document: &Document) -> Self {
        Self { document: document.clone(), edits: Vec::new() }
    }

    /// One more edit.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn make(&mut self, edit: Edit) -> Result<(), EditError> {
        apply(&mut self.document, edit.clone())?;
        self.edits.push(edit);
        Ok(())
    }

    /// All of them as one.
    pub fn edit(self) -> Edit {
        Edit::Group(self.edits)
    }
}

/// Takes steps out.
pub fn remove(ids: &[String]) -> Edit {
    match ids {
        [only] => Edit::Remove { step: only.clone() },
        // From the end, so that fewer steps have to move up.
        many => Edit::Group(many.iter().rev().map(|id| Edit::Remove { step: id.clone() }).collect()),
    }
}

/// Takes steps out for good, with what is pinned to them.
pub fn delete(document: &Document, ids: &[String]) -> Edit {
    let removed = remove(ids);
    let steps = every(ids.iter().filter_map(|id| find(document, id)));
    let gone: Vec<&str> = steps.map(|step| step.id.as_str()).collect();
    if !document.pins.keys().any(|id| gone.contains(&id.as_str())) {
        return removed;
    }
    let mut settings = without_steps(document);
    settings.pins.retain(|id, _| !gone.contains(&id.as_str()));
    Edit::Group(vec![Edit::Settings(Box::new(settings)), removed])
}

/// Moves steps into a slot, one after the other; nothing when all would stay where they are.
pub fn shift(document: &Document, ids: &[String], place: &Place) -> Option<Edit> {
    if let ([only], Place::Slot(to)) = (ids, place) {
        let elsewhere = is_elsewhere(document, only, place);
        return elsewhere.then(|| Edit::Move { step: only.clone(), to: to.clone() });
    }
    let mut trial = Trial::of(document);
    match place {
        Place::Slot(slot) => {
            let mut to = slot.clone();
            for id in ids {
                trial.make(Edit::Move { step: id.clone(), to }).ok()?;
                to = slot_of(&trial.document, id)?;
                to.index += 1;
            }
        }
        Place::Lane(member) => {
            let steps: Vec<Step> = ids.iter().filter_map(|id| find(document, id).cloned()).collect();
            trial.make(remove(ids)).ok()?;
            let (_, edit) = lane(&trial.document, member, steps)?;
            trial.make(edit).ok()?;
        }
    }
    (trial.document.steps != document.steps).then(|| trial.edit())
}

/// Moves steps of one list one position up or down in it. Those at its end stay, and so do those behind them.
pub fn nudge(document: &Document, ids: &[String], direction: Direction) -> Option<Edit> {
    let block = common_block(document, ids)?;
    let mut order: Vec<&str> = steps_of(document, &block)?.iter().map(|step| step.id.as_str()).collect();
    let moves = |id: &str| ids.iter().any(|own| own == id);
    let mut edits = Vec::new();
    let last = order.len().checked_sub(1)?;
    let pairs: Vec<(usize, usize)> = match direction {
        Direction::Up => (1..=last).map(|index| (index, index - 1)).collect(),
        Direction::Down => (0..last).rev().map(|index| (index, index + 1)).collect(),
    };
    for (from, to) in pairs {
        let (Some(own), Some(other)) = (order.get(from).copied(), order.get(to).copied()) else { continue };
        if moves(own) && !moves(other) {
            order.swap(from, to);
            let index = if to > from { to + 1 } else { to };
            edits.push(Edit::Move { step: own.to_owned(), to: Slot { block: block.clone(), index } });
        }
    }
    match edits.len() {
        0 => None,
        1 => edits.pop(),
        _ => Some(Edit::Group(edits)),
    }
}

/// The list that all of these steps are in; nothing when they are in several.
pub fn common_block(document: &Document, ids: &[String]) -> Option<Block> {
    let block = slot_of(document, ids.first()?)?.block;
    let steps = steps_of(document, &block)?;
    ids.iter().all(|id| steps.iter().any(|step| step.id == *id)).then_some(block)
}

/// The steps of a list.
pub fn steps_of<'a>(document: &'a Document, block: &Block) -> Option<&'a Vec<Step>> {
    match block {
        Block::Root => Some(&document.steps),
        Block::Inside { step, key } => {
            let blocks = find(document, step)?.blocks();
            blocks.into_iter().find(|(name, _)| name == key).map(|(_, steps)| steps)
        }
    }
}

/// Changes each of these steps.
pub fn change(document: &Document, ids: &[String], change: impl Fn(&mut Step)) -> Edit {
    let changed = ids.iter().filter_map(|id| {
        let mut with = find(document, id)?.clone();
        change(&mut with);
        Some(Edit::Replace { step: id.clone(), with })
    });
    Edit::Group(changed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    use crate::model::sketch::{ids, shape};

    fn leaf(id: &str) -> Value {
        json!({ "id": id, "type": "wait", "name": id, "wait": { "ms": 1 } })
    }

    fn document() -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [
            leaf("s1"), leaf("s2"),
            { "id": "s3", "type": "parallel", "name": "p", "parallel": [leaf("s4"), leaf("s5"), leaf("s6")] },
            leaf("s7") ] }))
        .unwrap()
    }

    #[track_caller]
    fn check(edit: Option<Edit>, expected: &str) {
        let mut changed = document();
        let back = apply(&mut changed, edit.expect("an edit")).unwrap();
        assert_eq!(shape(&changed.steps), expected);
        apply(&mut changed, back).unwrap();
        assert_eq!(changed, document());
    }

    fn slot(step: Option<&str>, index: usize) -> Place {
        let block =
            step.map_or(Block::Root, |step| Block::Inside { step: step.into(), key: "parallel".into() });
        Place::Slot(Slot { block, index })
    }

    #[test]
    fn several_steps_go_at_once_and_come_back() {
        check(Some(remove(&ids("s1 s5 s7"))), "s2 s3(s4 s6)");
        check(Some(remove(&ids("s3"))), "s1 s2 s7");
    }

    #[test]
    fn what_is_pinned_to_a_step_goes_with_it() {
        let mut changed = document();
        changed.pins.extend(["s4", "s7", "s1"].map(|id| (id.to_owned(), 1.into())));
        let before = changed.clone();
        let edit = delete(&changed, &ids("s3 s7"));
        let back = apply(&mut changed, edit).unwrap();
        assert_eq!(json!(changed.pins), json!({ "s1": 1 }));
        assert_eq!(shape(&changed.steps), "s1 s2");
        apply(&mut changed, back).unwrap();
        assert_eq!(changed, before);
        assert_eq!(delete(&changed, &ids("s2")), remove(&ids("s2")));
    }

    #[test]
    fn several_steps_move_into_a_slot_in_their_order() {
        let document = document();
        check(shift(&document, &ids("s1 s7"), &slot(Some("s3"), 1)), "s2 s3(s4 s1 s7 s5 s6)");
        check(shift(&document, &ids("s1 s5 s7"), &slot(None, 2)), "s2 s1 s5 s7 s3(s4 s6)");
        check(shift(&document, &ids("s2 s6"), &slot(None, 0)), "s2 s6 s1 s3(s4 s5) s7");
    }

    #[test]
    fn several_steps_move_into_a_lane() {
        let edit = shift(&document(), &ids("s1 s7"), &Place::Lane("s5".into()));
        check(edit, "s2 s3(s4 s8(s5 s1 s7) s6)");
        assert_eq!(shift(&document(), &ids("s5 s7"), &Place::Lane("s5".into())), None);
        check(shift(&document(), &ids("s4"), &Place::Lane("s5".into())), "s1 s2 s3(s8(s5 s4) s6) s7");
    }

    #[test]
    fn a_step_that_leaves_a_member_for_its_lane_is_there_once() {
        let mut document = document();
        let deep = json!({ "id": "s5", "type": "condition", "name": "c", "condition": "true",
            "steps": [leaf("s9"), leaf("s10")], "else": [] });
        let with = serde_json::from_value(deep).unwrap();
        apply(&mut document, Edit::Replace { step: "s5".into(), with }).unwrap();
        for (moved, expected) in [("s9", "s11(s5(s10|) s9)"), ("s9 s10", "s8(s5(|) s9 s10)")] {
            let mut changed = document.clone();
            let edit = shift(&document, &ids(moved), &Place::Lane("s5".into())).unwrap();
            let back = apply(&mut changed, edit).unwrap();
            assert_eq!(shape(&changed.steps), format!("s1 s2 s3(s4 {expected} s6) s7"));
            apply(&mut changed, back).unwrap();
            assert_eq!(changed, document);
        }
    }

    #[test]
    fn where_all_would_stay_is_no_edit() {
        for index in 0..=2 {
            assert_eq!(shift(&document(), &ids("s1 s2"), &slot(None, index)), None, "{index}");
        }
        assert_eq!(shift(&document(), &ids("s1 s3"), &slot(Some("s3"), 0)), None, "into itself");
    }

    #[test]
    fn several_steps_go_up_and_down_in_their_list() {
        let document = document();
        check(nudge(&document, &ids("s5 s6"), Direction::Up), "s1 s2 s3(s5 s6 s4) s7");
        check(nudge(&document, &ids("s1 s2"), Direction::Down), "s3(s4 s5 s6) s1 s2 s7");
        check(nudge(&document, &ids("s1 s3"), Direction::Up), "s1 s3(s4 s5 s6) s2 s7");
        assert_eq!(nudge(&document, &ids("s1 s2"), Direction::Up), None, "they are at the top");
        assert_eq!(nudge(&document, &ids("s1 s4"), Direction::Down), None, "they are in two lists");
    }
}
