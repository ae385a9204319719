//! What holds for every workflow, whatever the world does: a run can be stopped anywhere and taken up again, and its
//! journal tells it again.

#![allow(missing_docs, reason = "test code")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use stepweave_core::engine::{Ending, Replay};

use crate::documents::{Races, document};
use crate::model::state_of;
use crate::world::{Leave, Lived, People, World};

mod demo;
mod documents;
mod model;
mod observed;
mod world;

/// Where a run is left, and which questions have been answered until then.
fn cut() -> impl Strategy<Value = (Leave, People)> {
    let leave = prop_oneof![
        2 => (0..12_usize).prop_map(Leave::AfterAnswers),
        1 => (1..40_usize).prop_map(Leave::AfterPolls),
        1 => Just(Leave::AtItsEnd),
    ];
    (leave, prop_oneof![Just(People::Everything), any::<u32>().prop_map(People::Half)])
}

fn whole(world: &mut World, replay: Replay, people: People) -> Lived {
    world.live(replay, Leave::AtItsEnd, people)
}

/// A journal of a run that ended, or of several that were left before.
fn recorded(world: &mut World, cuts: &[(Leave, People)], last: People) -> Lived {
    for (leave, people) in cuts {
        world.live(Replay::Resume, *leave, *people);
        world.now += 100;
    }
    whole(world, Replay::Resume, last)
}

fn people() -> impl Strategy<Value = People> {
    prop_oneof![2 => Just(People::Everything), 1 => any::<u32>().prop_map(People::Half)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_that_is_stopped_anywhere_ends_as_if_it_had_not_been(
        document in document(Races::Excluded),
        cuts in vec(cut(), 1..5),
        latency in prop_oneof![Just(0), Just(2_u64)],
    ) {
        let mut undisturbed = World::of(&document.0, latency);
        let expected = whole(&mut undisturbed, Replay::Resume, People::Everything);
        let mut world = World::of(&document.0, latency);
        let lived = recorded(&mut world, &cuts, People::Everything);
        prop_assert_eq!(lived.ending(&world.plan), expected.ending(&world.plan));
        prop_assert_eq!(&lived.state, &expected.state);
        prop_assert_eq!(lived.results(&world.plan), expected.results(&world.plan));
        prop_assert_eq!(lived.pieces(&world.plan), expected.pieces(&world.plan));
    }

    #[test]
    fn a_run_that_is_cancelled_anywhere_has_the_patches_of_finished_steps(
        document in document(Races::Allowed),
        polls in 0..60_usize,
        latency in prop_oneof![Just(0), Just(2_u64)],
    ) {
        let mut world = World::of(&document.0, latency);
        let lived = world.live(Replay::Resume, Leave::AfterPolls(polls), People::Everything);
        let patched = state_of(&lived, &world);
        // What members of a parallel give together may be more than the state may hold, and is not in it then.
        let most = document.0["limits"]["maxStateBytes"].as_u64();
        if most.is_none_or(|most| serde_json::to_string(&patched).is_ok_and(|text| text.len() as u64 <= most)) {
            prop_assert_eq!(&*lived.state, &patched);
        }
        if let Some(outcome) = &lived.outcome {
            prop_assert_eq!(&outcome.state, &lived.state);
        }
    }

    #[test]
    fn a_strict_replay_asks_nothing_and_tells_the_same(
        document in document(Races::Allowed),
        cuts in vec(cut(), 0..3),
        last in people(),
    ) {
        let mut world = World::of(&document.0, 0);
        let lived = recorded(&mut world, &cuts, last);
        world.now += 1000;
        let replayed = whole(&mut world, Replay::Strict, People::Everything);
        prop_assert_eq!(&replayed.requests, &Vec::<String>::new());
        prop_assert_eq!(replayed.kept, 0);
        prop_assert_eq!(replayed.ending(&world.plan), lived.ending(&world.plan));
        prop_assert_eq!(&replayed.state, &lived.state);
        prop_assert_eq!(in_order(replayed.lines(&world.plan)), in_order(lived.lines(&world.plan)));
        prop_assert_eq!(replayed.pieces(&world.plan), lived.pieces(&world.plan));
    }

    #[test]
    fn a_strict_replay_tells_the_same_when_keeping_takes_time(
        document in document(Races::Allowed),
        cuts in vec(cut(), 0..3),
        last in people(),
        latency in 1..12_u64,
    ) {
        let mut world = World::of(&document.0, latency);
        let lived = recorded(&mut world, &cuts, last);
        let replayed = whole(&mut world, Replay::Strict, People::Everything);
        prop_assert_eq!(&replayed.requests, &Vec::<String>::new());
        prop_assert_eq!(replayed.kept, 0);
        prop_assert_eq!(replayed.ending(&world.plan), lived.ending(&world.plan));
        prop_assert_eq!(&replayed.state, &lived.state);
        prop_assert_eq!(replayed.results(&world.plan), lived.results(&world.plan));
    }

    #[test]
    fn nothing_is_called_again_for_a_document_that_has_not_changed(
        document in document(Races::Allowed),
        cuts in vec(cut(), 0..3),
    ) {
        let mut world = World::of(&document.0, 0);
        let lived = recorded(&mut world, &cuts, People::Everything);
        let replayed = whole(&mut world, Replay::Edit, People::Everything);
        let is_done = lived.outcome.is_some_and(|outcome| matches!(outcome.ending, Ending::Done));
        if is_done {
            prop_assert_eq!(&replayed.requests, &Vec::<String>::new());
            prop_assert_eq!(&replayed.state, &lived.state);
        }
    }
}

/// Steps that start at the same time count in the same order, so that a limit stops the same one.
#[test]
fn a_replay_reaches_the_limit_of_steps_where_the_run_did() {
    let approval = |id: &str, name: &str| json!({ "type": "approval", "id": id, "name": name });
    let set = json!({ "type": "function", "id": "s4", "name": "n4", "run": { "set": { "a": "a + 1" } } });
    let inner = json!({ "type": "workflow", "id": "s2", "name": "n2", "steps": [approval("s3", "n3")] });
    let each = json!({
        "type": "foreach", "id": "s2", "name": "n2", "items": "[1, 2, 3]", "concurrency": 3,
        "steps": [approval("s3", "n3")],
    });
    for steps in [json!([inner, set]), json!([each])] {
        let document = json!({
            "version": 1, "name": "any", "initialState": { "a": 1 }, "limits": { "maxSteps": 7 },
            "steps": [{
                "type": "foreach", "id": "s1", "name": "n1", "items": "[1, 2, 3, 4]", "concurrency": 2,
                "steps": steps,
            }],
        });
        for (latency, people) in [(0, People::Everything), (1, People::Everything), (1, People::Half(7))] {
            let mut world = World::of(&document, latency);
            let lived = recorded(&mut world, &[], people);
            let replayed = whole(&mut world, Replay::Strict, People::Everything);
            assert_eq!(replayed.ending(&world.plan), lived.ending(&world.plan));
            assert_eq!(replayed.results(&world.plan), lived.results(&world.plan));
        }
    }
}

/// Which of two steps comes first within a millisecond is nobody's promise.
fn in_order(mut lines: Vec<(u64, String, String)>) -> Vec<(u64, String, String)> {
    lines.sort_by(|(at, key, _), (other_at, other_key, _)| (at, key).cmp(&(other_at, other_key)));
    lines
}
