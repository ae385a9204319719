//! The state of a run as it follows from its events alone: what the document says, with the patches of finished steps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use stepweave_core::document::{Step, StepKind};
use stepweave_core::error::Code;
use stepweave_core::event::Event;

use crate::world::{Lived, World};

type State = Map<String, Value>;

/// The state that these events make of the initial one.
pub(crate) fn state_of(lived: &Lived, world: &World) -> Value {
    let mut model = Model {
        patches: BTreeMap::new(),
        undone: BTreeSet::new(),
        rounds: BTreeSet::new(),
        reached: &lived.state,
    };
    model.rounds.extend(lived.prefixes.iter().cloned());
    for (_, event) in &lived.events {
        match event {
            Event::StepDone { spot, finished } => {
                let patch = finished.patch.as_ref().and_then(|patch| patch.as_object().cloned());
                model.patches.insert(lived.key(*spot, &world.plan), patch.unwrap_or_default());
            }
            Event::StepError { spot, failed } if failed.error.code == Code::Conflict => {
                model.undone.extend(failed.stopped_by.is_none().then(|| lived.key(*spot, &world.plan)));
            }
            _ => {}
        }
    }
    model.block(&world.document.steps, world.document.initial_state.clone(), "").into()
}

struct Model<'a> {
    /// What finished steps changed, by key.
    patches: BTreeMap<String, State>,
    /// Parallels whose members' changes contradict each other.
    undone: BTreeSet<String>,
    /// What the keys of each round begin with.
    rounds: BTreeSet<String>,
    /// The state itself: no event has the answer to an approval whose steps are still running.
    reached: &'a Value,
}

impl Model<'_> {
    fn block(&self, steps: &[Step], state: State, prefix: &str) -> State {
        steps.iter().fold(state, |state, step| self.step(step, state, prefix))
    }

    fn step(&self, step: &Step, mut state: State, prefix: &str) -> State {
        let key = format!("{prefix}{}", step.id);
        match &step.kind {
            StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Sequence(_) => {
                // Only the way that was taken has patches.
                step.blocks().iter().fold(state, |state, (_, steps)| self.block(steps, state, prefix))
            }
            StepKind::Approval(_) if !step.blocks().is_empty() => {
                let output = format!("{}_output", step.name);
                let answer = || Some(Map::from_iter([(output.clone(), self.reached.get(&output)?.clone())]));
                state.extend(self.patches.get(&key).cloned().or_else(answer).unwrap_or_default());
                step.blocks().iter().fold(state, |state, (_, steps)| self.block(steps, state, prefix))
            }
            StepKind::Loop(repeated) => {
                let rounds = (0..).map(|round| format!("{key}#{round}/"));
                rounds
                    .take_while(|round| self.rounds.contains(round))
                    .fold(state, |state, round| self.block(&repeated.steps, state, &round))
            }
            StepKind::Parallel(_) if self.undone.contains(&key) => state,
            StepKind::Parallel(fork) => {
                let before = state.clone();
                for member in &fork.members {
                    let after = self.step(member, before.clone(), prefix);
                    state.extend(after.into_iter().filter(|(key, value)| before.get(key) != Some(value)));
                }
                state
            }
            _ => {
                state.extend(self.patches.get(&key).cloned().unwrap_or_default());
                state
            }
        }
    }
}
