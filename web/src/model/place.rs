//! From what a person does with a step to the edit that does it.

use indexmap::IndexSet;
use stepweave_core::document::{Document, Step, StepKind, every};
use stepweave_core::edit::{Block, Edit, Slot, find, fresh_ids, ids, slot_of};

use crate::layout::Place;
use crate::step::kinds::free_name;

/// Inserts a new step into a slot.
pub fn put(document: &Document, step: Step, place: &Place) -> Option<Edit> {
    match place {
        Place::Slot(slot) => Some(Edit::Insert { slot: slot.clone(), step }),
        Place::Lane(member) => lane(document, member, vec![step]).map(|(_, edit)| edit),
    }
}

/// Whether a step that is moved into a slot is elsewhere than before.
pub fn is_elsewhere(document: &Document, id: &str, place: &Place) -> bool {
    match place {
        Place::Slot(to) => slot_of(document, id).is_some_and(|from| {
            from.block != to.block || (to.index != from.index && to.index != from.index + 1)
        }),
        Place::Lane(member) => member != id,
    }
}

/// The slot right after a step, in the same list or lane.
pub fn after(document: &Document, id: &str) -> Option<Place> {
    let Slot { block, index } = slot_of(document, id)?;
    Some(Place::Slot(Slot { block, index: index + 1 }))
}

/// The slot at the end of the workflow.
pub fn end(document: &Document) -> Place {
    Place::Slot(Slot { block: Block::Root, index: document.steps.len() })
}

/// Where a keyboard user's step goes: into the selected container when it is empty, else after the selection.
pub fn next(document: &Document, selected: Option<&str>) -> Place {
    let chosen = selected.and_then(|id| {
        let step = find(document, id)?;
        let empty = step.blocks().into_iter().find(|(_, steps)| steps.is_empty());
        // The ways that may well stay empty are left aside.
        match empty.filter(|(key, _)| *key != "else" && *key != "default" && *key != "expired") {
            Some((key, _)) => Some(Place::Slot(Slot {
                block: Block::Inside { step: id.to_owned(), key: key.into_owned() },
                index: 0,
            })),
            None => after(document, id),
        }
    });
    chosen.unwrap_or_else(|| end(document))
}

/// Which way along a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards its beginning.
    Up,
    /// Towards its end.
    Down,
}

/// Steps behind a member of a parallel, in its lane; with the lane's id.
pub(super) fn lane(document: &Document, member: &str, steps: Vec<Step>) -> Option<(String, Edit)> {
    let old = find(document, member)?.clone();
    // A step that comes in may be new and have taken the fresh id already.
    let id = fresh_ids(document).find(|id| steps.iter().all(|step| !ids(step).contains(&id.as_str())))?;
    let steps = std::iter::once(old).chain(steps).collect();
    let lane = Step::new(id.clone(), free_name(document, "lane"), StepKind::Sequence(steps));
    Some((id, Edit::Replace { step: member.to_owned(), with: lane }))
}

/// The names of all steps.
pub(super) fn names(document: &Document) -> IndexSet<String> {
    every(&document.steps).map(|step| step.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::kinds::Kind;
    use stepweave_core::edit::apply;

    fn fork() -> Document {
        serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "parallel", "name": "p", "parallel": [
                { "id": "s2", "type": "function", "name": "a", "run": { "set": {} } },
                { "id": "s3", "type": "function", "name": "b", "run": { "set": {} } }] }] }))
        .unwrap()
    }

    #[test]
    fn a_new_step_below_a_member_makes_a_lane() {
        let mut document = fork();
        let step = Kind::Agent.blank(&document);
        let edit = put(&document, step, &Place::Lane("s2".into())).unwrap();
        let back = apply(&mut document, edit).unwrap();
        let lane = find(&document, "s5").unwrap();
        assert_eq!(lane.blocks()[0].1.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["s2", "s4"]);
        apply(&mut document, back).unwrap();
        assert_eq!(document, fork());
    }

    #[test]
    fn a_step_is_elsewhere_only_in_another_place() {
        let document = fork();
        let block = Block::Inside { step: "s1".into(), key: "parallel".into() };
        for (index, expected) in [(0, false), (1, false), (2, true)] {
            let place = Place::Slot(Slot { block: block.clone(), index });
            assert_eq!(is_elsewhere(&document, "s2", &place), expected, "{index}");
        }
        assert!(!is_elsewhere(&document, "s2", &Place::Lane("s2".into())));
        assert!(is_elsewhere(&document, "s3", &Place::Lane("s2".into())));
    }

    #[test]
    fn the_next_step_goes_into_an_empty_container_or_after() {
        let document = fork();
        assert_eq!(next(&document, Some("s2")).key(), "s1/parallel/1");
        assert_eq!(next(&document, None).key(), "/1");
        let empty: Document =
            serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "sequence", "name": "p", "steps": [] }] }))
            .unwrap();
        assert_eq!(next(&empty, Some("s1")).key(), "s1/steps/0");
    }
}
