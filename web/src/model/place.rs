//! From what a person does with a step to the edit that does it.

use indexmap::IndexSet;
use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::edit::{Block, Edit, Slot, find, fresh_id, slot_of};

use crate::layout::Place;
use crate::step::kinds::free_name;

/// Inserts a new step into a slot.
pub fn put(document: &Document, step: Step, place: &Place) -> Option<Edit> {
    match place {
        Place::Slot(slot) => Some(Edit::Insert { slot: slot.clone(), step }),
        Place::Lane(member) => lane(document, member, step).map(|(_, edit)| edit),
    }
}

/// Moves a step into a slot; nothing when it would stay where it is.
pub fn shift(document: &Document, id: &str, place: &Place) -> Option<Edit> {
    match place {
        Place::Slot(to) => {
            let from = slot_of(document, id)?;
            let stays = from.block == to.block && (to.index == from.index || to.index == from.index + 1);
            (!stays).then(|| Edit::Move { step: id.to_owned(), to: to.clone() })
        }
        Place::Lane(member) if member == id => None,
        Place::Lane(member) => {
            let step = find(document, id)?.clone();
            let (_, edit) = lane(document, member, step)?;
            Some(Edit::Group(vec![Edit::Remove { step: id.to_owned() }, edit]))
        }
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
        match empty.filter(|(key, _)| *key != "else" && *key != "default") {
            Some((key, _)) => Some(Place::Slot(Slot {
                block: Block::Inside { step: id.to_owned(), key: key.into_owned() },
                index: 0,
            })),
            None => after(document, id),
        }
    });
    chosen.unwrap_or_else(|| end(document))
}

/// A copy of a step, with everything inside it under new ids and names, right after it.
pub fn duplicate(document: &Document, id: &str) -> Option<(String, Edit)> {
    let Slot { block, index } = slot_of(document, id)?;
    let mut copy = find(document, id)?.clone();
    let first: u64 = fresh_id(document).strip_prefix('s')?.parse().ok()?;
    let mut taken: IndexSet<String> = names(document);
    let mut open = vec![&mut copy];
    let mut next = first;
    while let Some(step) = open.pop() {
        step.id = format!("s{next}");
        next += 1;
        let name =
            (2_usize..).map(|number| format!("{}_{number}", step.name)).find(|name| !taken.contains(name))?;
        taken.insert(name.clone());
        step.name = name;
        open.extend(step.inner_mut());
    }
    Some((copy.id.clone(), Edit::Insert { slot: Slot { block, index: index + 1 }, step: copy }))
}

/// Moves a step one position up or down among its neighbours.
pub fn nudge(document: &Document, id: &str, down: Direction) -> Option<Edit> {
    let Slot { block, index } = slot_of(document, id)?;
    let last = match &block {
        Block::Root => document.steps.len(),
        Block::Inside { step, key } => {
            find(document, step)?.blocks().into_iter().find(|(name, _)| name == key)?.1.len()
        }
    };
    let index = match down {
        Direction::Up => index.checked_sub(1)?,
        Direction::Down if index + 1 < last => index + 2,
        Direction::Down => return None,
    };
    Some(Edit::Move { step: id.to_owned(), to: Slot { block, index } })
}

/// Which way along a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards its beginning.
    Up,
    /// Towards its end.
    Down,
}

fn lane(document: &Document, member: &str, step: Step) -> Option<(String, Edit)> {
    let old = find(document, member)?.clone();
    let free: u64 = fresh_id(document).strip_prefix('s')?.parse().ok()?;
    // The step that comes in may be new and have taken the fresh id already.
    let id = if step.id == format!("s{free}") { format!("s{}", free + 1) } else { format!("s{free}") };
    let lane = Step::new(id.clone(), free_name(document, "lane"), StepKind::Sequence(vec![old, step]));
    Some((id, Edit::Replace { step: member.to_owned(), with: lane }))
}

fn names(document: &Document) -> IndexSet<String> {
    let mut found = IndexSet::new();
    let mut open: Vec<&Step> = document.steps.iter().collect();
    while let Some(step) = open.pop() {
        found.insert(step.name.clone());
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    found
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
    fn a_member_moves_into_the_lane_of_another() {
        let mut document = fork();
        let edit = shift(&document, "s3", &Place::Lane("s2".into())).unwrap();
        let back = apply(&mut document, edit).unwrap();
        assert_eq!(document.steps[0].blocks()[0].1.len(), 1);
        apply(&mut document, back).unwrap();
        assert_eq!(document, fork());
    }

    #[test]
    fn staying_in_place_is_no_edit() {
        let document = fork();
        let block = Block::Inside { step: "s1".into(), key: "parallel".into() };
        for index in [0, 1] {
            assert_eq!(shift(&document, "s2", &Place::Slot(Slot { block: block.clone(), index })), None);
        }
        assert_eq!(shift(&document, "s2", &Place::Lane("s2".into())), None);
    }

    #[test]
    fn a_copy_has_its_own_ids_and_names() {
        let mut document = fork();
        let (id, edit) = duplicate(&document, "s1").unwrap();
        apply(&mut document, edit).unwrap();
        assert_eq!(document.steps.len(), 2);
        assert_eq!(document.steps[1].id, id);
        let names = names(&document);
        assert_eq!(names.len(), 6);
    }

    #[test]
    fn nudging_stops_at_the_ends() {
        let mut document = fork();
        assert_eq!(nudge(&document, "s2", Direction::Up), None);
        let edit = nudge(&document, "s2", Direction::Down).unwrap();
        apply(&mut document, edit).unwrap();
        assert_eq!(slot_of(&document, "s2").unwrap().index, 1);
        assert_eq!(nudge(&document, "s2", Direction::Down), None);
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
