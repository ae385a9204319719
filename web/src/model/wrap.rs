//! Steps into a new container, and out of one again.

use stepweave_core::document::Document;
use stepweave_core::edit::{Block, Edit, Slot, find, slot_of};

use super::together::{Trial, common_block};
use crate::step::kinds::Kind;

/// Puts steps of one list into a new container, which stands where the first of them was; gives the container's id.
/// Nothing when the steps are in several lists, or when steps cannot be put into that kind.
///
/// Whether the steps may be so deep is for whoever makes the edit: it is refused whole.
pub fn wrap(document: &Document, ids: &[String], kind: Kind) -> Option<(String, Edit)> {
    let block = common_block(document, ids)?;
    let slots = ids.iter().filter_map(|id| slot_of(document, id));
    let index = slots.map(|slot| slot.index).min()?;
    let container = kind.blank(document);
    let id = container.id.clone();
    let key = container.blocks().into_iter().next()?.0.into_owned();
    let moves = ids.iter().enumerate().map(|(index, step)| Edit::Move {
        step: step.clone(),
        to: Slot { block: Block::Inside { step: id.clone(), key: key.clone() }, index },
    });
    let insert = Edit::Insert { slot: Slot { block, index }, step: container };
    let edits = std::iter::once(insert).chain(moves).collect();
    Some((id, Edit::Group(edits)))
}

/// Puts what is in these containers in their place, the branches one after the other; gives the ids of what came out.
/// Nothing when none of them is a container with steps.
pub fn unwrap(document: &Document, ids: &[String]) -> Option<(Vec<String>, Edit)> {
    let mut trial = Trial::of(document);
    let mut out = Vec::new();
    for id in ids.iter().filter(|id| can_unwrap(document, id)) {
        let Slot { block, index } = slot_of(&trial.document, id)?;
        let inside: Vec<String> = find(document, id)?
            .blocks()
            .into_iter()
            .flat_map(|(_, steps)| steps.iter().map(|step| step.id.clone()))
            .collect();
        for (index, step) in (index..).zip(&inside) {
            trial.make(Edit::Move { step: step.clone(), to: Slot { block: block.clone(), index } }).ok()?;
        }
        trial.make(Edit::Remove { step: id.clone() }).ok()?;
        out.extend(inside);
    }
    (!out.is_empty()).then(|| (out, trial.edit()))
}

/// Whether a step is there for the steps inside, and has some.
pub fn can_unwrap(document: &Document, id: &str) -> bool {
    find(document, id).is_some_and(|step| {
        Kind::of(step).is_container() && step.blocks().iter().any(|(_, steps)| !steps.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::model::sketch::{ids, shape};
    use stepweave_core::edit::{EditError, apply};

    use super::*;

    fn leaf(id: &str) -> Value {
        json!({ "id": id, "type": "wait", "name": id, "wait": { "ms": 1 } })
    }

    fn read(steps: Value) -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t", "steps": steps })).unwrap()
    }

    fn document() -> Document {
        read(json!([
            leaf("s1"), leaf("s2"),
            { "id": "s3", "type": "condition", "name": "c", "condition": "true",
              "steps": [leaf("s4"), leaf("s5")], "else": [leaf("s6")] },
            { "id": "s7", "type": "parallel", "name": "p", "parallel": [
                { "id": "s8", "type": "sequence", "name": "q", "steps": [leaf("s9"), leaf("s10")] }, leaf("s11")] } ]))
    }

    #[track_caller]
    fn check(edit: Edit, expected: &str) {
        let mut changed = document();
        let back = apply(&mut changed, edit).unwrap();
        assert_eq!(shape(&changed.steps), expected);
        apply(&mut changed, back).unwrap();
        assert_eq!(changed, document());
    }

    #[track_caller]
    fn check_wrap(steps: &str, kind: Kind, expected: &str) {
        check(wrap(&document(), &ids(steps), kind).unwrap().1, expected);
    }

    #[test]
    fn steps_of_one_list_go_into_every_container() {
        let rest = "s3(s4 s5|s6) s7(s8(s9 s10) s11)";
        for kind in [Kind::Parallel, Kind::Sequence, Kind::Foreach, Kind::Loop, Kind::Workflow] {
            check_wrap("s1 s2", kind, &format!("s12(s1 s2) {rest}"));
        }
        check_wrap("s2", Kind::Condition, &format!("s1 s12(s2|) {rest}"));
        check_wrap("s2", Kind::Switch, &format!("s1 s12(s2|) {rest}"));
    }

    #[test]
    fn a_branch_a_lane_and_a_member_are_wrapped_where_they_are() {
        check_wrap("s5", Kind::Loop, "s1 s2 s3(s4 s12(s5)|s6) s7(s8(s9 s10) s11)");
        check_wrap("s6", Kind::Loop, "s1 s2 s3(s4 s5|s12(s6)) s7(s8(s9 s10) s11)");
        check_wrap("s8 s11", Kind::Sequence, "s1 s2 s3(s4 s5|s6) s7(s12(s8(s9 s10) s11))");
        check_wrap("s3", Kind::Foreach, "s1 s2 s12(s3(s4 s5|s6)) s7(s8(s9 s10) s11)");
    }

    #[test]
    fn steps_that_are_apart_come_together() {
        check_wrap("s1 s7", Kind::Parallel, "s12(s1 s7(s8(s9 s10) s11)) s2 s3(s4 s5|s6)");
    }

    #[test]
    fn steps_of_several_lists_are_not_wrapped_and_none_is_put_into_a_leaf() {
        assert_eq!(wrap(&document(), &ids("s1 s4"), Kind::Loop), None);
        assert_eq!(wrap(&document(), &ids("s4 s6"), Kind::Loop), None);
        assert_eq!(wrap(&document(), &[], Kind::Loop), None);
        assert_eq!(wrap(&document(), &ids("nobody"), Kind::Loop), None);
        assert_eq!(wrap(&document(), &ids("s1"), Kind::Wait), None);
    }

    #[test]
    fn what_would_be_too_deep_is_refused_whole() {
        let mut document = read(json!([leaf("s1")]));
        let deep = std::iter::from_fn(|| {
            let (_, edit) = wrap(&document, &ids("s1"), Kind::Loop)?;
            let before = document.clone();
            let made = apply(&mut document, edit);
            if made.is_err() {
                assert_eq!(document, before);
            }
            Some(made.err())
        });
        assert_eq!(deep.take(2_000).find_map(|error| error), Some(EditError::TooDeep));
    }

    #[test]
    fn a_container_gives_way_to_what_is_in_it() {
        for (containers, expected, out) in [
            ("s3", "s1 s2 s4 s5 s6 s7(s8(s9 s10) s11)", "s4 s5 s6"),
            ("s7", "s1 s2 s3(s4 s5|s6) s8(s9 s10) s11", "s8 s11"),
            ("s8", "s1 s2 s3(s4 s5|s6) s7(s9 s10 s11)", "s9 s10"),
            ("s1 s3 s7", "s1 s2 s4 s5 s6 s8(s9 s10) s11", "s4 s5 s6 s8 s11"),
        ] {
            let (found, edit) = unwrap(&document(), &ids(containers)).unwrap();
            check(edit, expected);
            assert_eq!(found, ids(out));
        }
        for none in ["s1", "nobody", ""] {
            assert_eq!(unwrap(&document(), &ids(none)), None, "{none}");
        }
        assert_eq!(
            unwrap(&read(json!([{ "id": "s1", "type": "sequence", "name": "q", "steps": [] }])), &ids("s1")),
            None
        );
    }

    #[test]
    fn what_was_wrapped_comes_out_as_it_was() {
        let mut changed = document();
        let (id, edit) = wrap(&changed, &ids("s1 s2"), Kind::Loop).unwrap();
        apply(&mut changed, edit).unwrap();
        let (_, edit) = unwrap(&changed, &[id]).unwrap();
        apply(&mut changed, edit).unwrap();
        assert_eq!(changed, document());
    }
}
