//! How far the state of an interrupted run had come.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::engine::{Code, Event};

use crate::drive::Driven;

/// What the finished steps changed, over what the run began with: merged as the engine merges, so that of two
/// members of a parallel that wrote the same key the last declared wins here too.
pub fn progress(driven: &Driven, document: &Document) -> Value {
    let mut patches = BTreeMap::new();
    let mut clashes = BTreeSet::new();
    for (_, event) in driven.board.events.borrow().iter() {
        match event {
            Event::StepDone { step, finished } => {
                let patch = finished.patch.as_ref().and_then(|patch| patch.as_object().cloned());
                patches.insert(*step, patch.unwrap_or_default());
            }
            Event::StepError { step, failed }
                if failed.error.code == Code::Conflict && failed.stopped_by.is_none() =>
            {
                clashes.insert(*step);
            }
            _ => {}
        }
    }
    let first = driven.first.as_object().expect("a state is an object").clone();
    Progress { patches, clashes, next: 0 }.block(&document.steps, first).into()
}

struct Progress {
    patches: BTreeMap<u32, Map<String, Value>>,
    /// The parallels whose members clashed: they leave the state as it was.
    clashes: BTreeSet<u32>,
    next: u32,
}

impl Progress {
    fn block(&mut self, steps: &[Step], state: Map<String, Value>) -> Map<String, Value> {
        steps.iter().fold(state, |reached, step| self.step(step, reached))
    }

    fn step(&mut self, step: &Step, mut state: Map<String, Value>) -> Map<String, Value> {
        let place = self.next;
        self.next += 1;
        let StepKind::Parallel(fork) = &step.kind else {
            state.extend(self.patches.remove(&place).unwrap_or_default());
            return step.blocks().fold(state, |reached, (_, steps)| self.block(steps, reached));
        };
        let mut merged = state.clone();
        for member in &fork.members {
            let end = self.step(member, state.clone());
            merged.extend(end.into_iter().filter(|(key, value)| state.get(key) != Some(value)));
        }
        if self.clashes.contains(&place) { state } else { merged }
    }
}
