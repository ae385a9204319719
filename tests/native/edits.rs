//! Every change of a document can be taken back, and a change that cannot be made changes nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use proptest::prelude::*;
use stepweave_core::document::{Branch, Document, Fork, MAX_STEP_DEPTH, Run, Source, Step, StepKind};
use stepweave_core::edit::{Block, Edit, EditError, Slot, apply, find, fresh_id, fresh_ids, slot_of};
use stepweave_core::validate::check_structure;

fn leaf(id: &str) -> Step {
    Step::new(id, format!("step {id}"), StepKind::Function(Run::Set(Default::default())))
}

/// Two steps, a condition with both ways, a parallel with a lane.
fn sample() -> Document {
    let branch = Branch {
        condition: Source::Text("true".to_owned()),
        steps: vec![leaf("s4"), leaf("s5")],
        otherwise: vec![leaf("s6")],
    };
    let fork = Fork {
        members: vec![
            leaf("s8"),
            Step::new("s9", "lane", StepKind::Sequence(vec![leaf("s10"), leaf("s11")])),
        ],
        ..Fork::default()
    };
    Document {
        steps: vec![
            leaf("s1"),
            leaf("s2"),
            Step::new("s3", "maybe", StepKind::Condition(branch)),
            Step::new("s7", "all", StepKind::Parallel(fork)),
        ],
        ..Document::new("sample")
    }
}

fn some_id() -> impl Strategy<Value = String> {
    (1..14_u32).prop_map(|number| format!("s{number}"))
}

fn some_slot() -> impl Strategy<Value = Slot> {
    let block = prop_oneof![
        Just(Block::Root),
        (some_id(), prop::sample::select(vec!["steps", "else", "parallel"]))
            .prop_map(|(step, key)| Block::Inside { step, key: key.to_owned() }),
    ];
    (block, 0..5_usize).prop_map(|(block, index)| Slot { block, index })
}

fn some_edit() -> impl Strategy<Value = Edit> {
    let single = prop_oneof![
        (some_slot(), some_id()).prop_map(|(slot, id)| Edit::Insert { slot, step: leaf(&id) }),
        some_id().prop_map(|step| Edit::Remove { step }),
        (some_id(), some_slot()).prop_map(|(step, to)| Edit::Move { step, to }),
        (some_id(), some_id()).prop_map(|(step, id)| Edit::Replace { step, with: leaf(&id) }),
        "[a-z]{1,5}".prop_map(|name| Edit::Settings(Box::new(Document::new(name)))),
        "[a-z]{1,5}".prop_map(|name| Edit::Whole(Box::new(Document::new(name)))),
    ];
    single.prop_recursive(2, 8, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Edit::Group))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_done_can_be_taken_back_and_done_again(edits in prop::collection::vec(some_edit(), 1..8)) {
        let mut document = sample();
        let mut undo = Vec::new();
        for edit in edits {
            let before = document.clone();
            match apply(&mut document, edit.clone()) {
                Ok(back) => {
                    let after = document.clone();
                    let again = apply(&mut document, back).unwrap();
                    prop_assert_eq!(&document, &before);
                    undo.push(apply(&mut document, again).unwrap());
                    prop_assert_eq!(&document, &after);
                }
                Err(_) => prop_assert_eq!(&document, &before, "{:?}", edit),
            }
        }
        for back in undo.into_iter().rev() {
            apply(&mut document, back).unwrap();
        }
        prop_assert_eq!(document, sample());
    }
}

#[test]
fn a_step_moves_within_its_list_to_the_place_that_was_pointed_at() {
    let mut document = sample();
    let to = Slot { block: Block::Root, index: 2 };
    apply(&mut document, Edit::Move { step: "s1".to_owned(), to }).unwrap();
    let order: Vec<&str> = document.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(order, ["s2", "s1", "s3", "s7"]);
}

#[test]
fn a_step_cannot_be_moved_into_itself() {
    let inside = Slot { block: Block::Inside { step: "s9".to_owned(), key: "steps".to_owned() }, index: 0 };
    let error = apply(&mut sample(), Edit::Move { step: "s7".to_owned(), to: inside }).unwrap_err();
    assert_eq!(error, EditError::IntoItself("s7".to_owned()));
    assert_eq!(error.to_string(), "the step `s7` cannot be moved into itself");
}

/// A sequence in a sequence, so many levels deep; the innermost is empty.
fn nested(levels: usize) -> Step {
    let empty = Step::new("d1", "deep", StepKind::Sequence(Vec::new()));
    (2..=levels)
        .fold(empty, |inner, level| Step::new(format!("d{level}"), "deep", StepKind::Sequence(vec![inner])))
}

#[test]
fn steps_are_nested_no_deeper_than_a_document_is_read_again() {
    let mut document = Document { steps: vec![nested(MAX_STEP_DEPTH), leaf("s1")], ..Document::new("deep") };
    let read = |document: &Document| check_structure(&serde_json::to_string(document).unwrap());
    assert_eq!(read(&document).document.as_ref(), Some(&document));
    let inside = |step: &str| Slot {
        block: Block::Inside { step: step.to_owned(), key: "steps".to_owned() },
        index: 0,
    };
    let before = document.clone();
    let whole = Step::new("w", "around", StepKind::Sequence(vec![nested(MAX_STEP_DEPTH)]));
    for edit in [
        Edit::Insert { slot: inside("d1"), step: leaf("s2") },
        Edit::Move { step: "s1".to_owned(), to: inside("d1") },
        Edit::Replace { step: format!("d{MAX_STEP_DEPTH}"), with: whole },
    ] {
        assert_eq!(apply(&mut document, edit).unwrap_err(), EditError::TooDeep);
        assert_eq!(document, before);
    }
    apply(&mut document, Edit::Insert { slot: inside("d2"), step: leaf("s2") }).unwrap();
    assert_eq!(read(&document).document.as_ref(), Some(&document));
}

#[test]
fn a_fresh_id_is_free_whatever_numbers_a_document_has() {
    let highest = format!("s{}", u64::MAX);
    let document = Document { steps: vec![leaf(&highest), leaf("s1"), leaf("s3")], ..Document::new("far") };
    assert_eq!(fresh_id(&document), "s2");
    let ids: Vec<String> = fresh_ids(&document).take(3).collect();
    assert_eq!(ids, ["s2", "s4", "s5"]);
}

#[test]
fn steps_are_found_wherever_they_are() {
    let document = sample();
    assert_eq!(find(&document, "s11").unwrap().name, "step s11");
    let block = Block::Inside { step: "s9".to_owned(), key: "steps".to_owned() };
    assert_eq!(slot_of(&document, "s11"), Some(Slot { block, index: 1 }));
    assert_eq!(fresh_id(&document), "s12");
}
