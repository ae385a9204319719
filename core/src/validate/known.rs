//! The keys that the state can have at a path of a document.

use indexmap::IndexMap;

use crate::document::{Document, Run, Step, StepKind};
use crate::language::Span;
use crate::state::output_key;

/// Whether something is there in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Sure,
    Maybe,
}

/// What is known of the keys that are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Openness {
    /// There are none.
    #[default]
    Closed,
    /// A run may be given some, but its document says what it usually begins with.
    Lenient,
    /// There may be any.
    Open,
}

/// What the state and `steps` can have at a path.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    keys: IndexMap<String, Certainty>,
    pub(super) outputs: IndexMap<String, Certainty>,
    pub(super) openness: Openness,
    /// Whether an end step is before it, so that nothing behind it runs.
    pub(super) is_over: bool,
}

impl Scene {
    pub(super) fn key(&self, key: &str) -> Option<Certainty> {
        self.keys.get(key).copied()
    }

    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    pub(super) fn give(&mut self, key: &str, certainty: Certainty) {
        give(&mut self.keys, key, certainty);
    }

    pub(super) fn give_output(&mut self, step: &str, certainty: Certainty) {
        give(&mut self.outputs, step, certainty);
    }

    /// The same where no step has run yet.
    pub(super) fn without_outputs(&self) -> Self {
        Self { outputs: IndexMap::new(), ..self.clone() }
    }

    /// One of the two came to be: sure is what both have for sure.
    pub(super) fn or(&mut self, other: &Self) {
        match (self.is_over, other.is_over) {
            (_, true) => return,
            (true, false) => return *self = other.clone(),
            (false, false) => {}
        }
        let either = |own: &mut IndexMap<String, Certainty>, other: &IndexMap<String, Certainty>| {
            for (key, certainty) in own.iter_mut() {
                if other.get(key) != Some(&Certainty::Sure) {
                    *certainty = Certainty::Maybe;
                }
            }
            for key in other.keys() {
                if !own.contains_key(key) {
                    own.insert(key.clone(), Certainty::Maybe);
                }
            }
        };
        either(&mut self.keys, &other.keys);
        either(&mut self.outputs, &other.outputs);
        self.openness = self.openness.max(other.openness);
    }

    /// Both came to be.
    pub(super) fn and(&mut self, other: &Self) {
        other.keys.iter().for_each(|(key, certainty)| give(&mut self.keys, key, *certainty));
        other.outputs.iter().for_each(|(step, certainty)| give(&mut self.outputs, step, *certainty));
        self.openness = self.openness.max(other.openness);
        self.is_over |= other.is_over;
    }
}

fn give(all: &mut IndexMap<String, Certainty>, key: &str, certainty: Certainty) {
    match all.get_mut(key) {
        Some(known) if certainty == Certainty::Sure => *known = certainty,
        Some(_) => {}
        None => {
            all.insert(key.to_owned(), certainty);
        }
    }
}

/// All that any step of a document gives, wherever it stands.
pub(super) struct All<'d> {
    scene: Scene,
    document: &'d Document,
}

impl<'d> All<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut scene = Scene::default();
        for (_, steps) in document.blocks() {
            gather(steps, &mut scene, Through::Everything);
        }
        Self { scene, document }
    }

    /// What these steps may give to the state in which they run.
    pub(super) fn given_by(&self, steps: &[Step]) -> Scene {
        let mut scene = Scene::default();
        gather(steps, &mut scene, Through::SameState);
        scene
    }

    pub(super) fn has_key(&self, key: &str) -> bool {
        self.scene.has_key(key)
    }

    pub(super) fn has_step(&self, name: &str) -> bool {
        self.scene.outputs.contains_key(name)
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = &str> {
        self.scene.outputs.keys().map(String::as_str)
    }

    /// What to write instead of a word with dashes, and what it looks like; nothing if there is nothing of that name.
    pub(super) fn dashed(&self, text: &str, word: Span) -> Option<(String, &'static str)> {
        let name = word.of(text);
        let is_behind_steps =
            text.get(..word.start as usize).is_some_and(|before| before.ends_with("steps."));
        let keys = || self.document.initial_state.keys().any(|key| key == name) || self.has_key(name);
        if is_behind_steps && self.has_step(name) {
            Some((format!("steps[\"{name}\"]"), "a step"))
        } else if keys() {
            Some((format!("state[\"{name}\"]"), "a key of the state"))
        } else if self.has_step(name) {
            Some((format!("steps[\"{name}\"].output"), "a step"))
        } else {
            None
        }
    }
}

/// How far what a step gives is followed.
#[derive(Clone, Copy, PartialEq)]
enum Through {
    SameState,
    Everything,
}

fn gather(steps: &[Step], scene: &mut Scene, through: Through) {
    for step in steps.iter().filter(|step| step.enabled) {
        scene.give_output(&step.name, Certainty::Maybe);
        let mut inside = || step.blocks().into_iter().for_each(|(_, steps)| gather(steps, scene, through));
        match &step.kind {
            StepKind::Function(Run::Set(set)) => {
                set.keys().for_each(|key| scene.give(key, Certainty::Maybe));
            }
            StepKind::Function(_) => scene.openness = Openness::Open,
            StepKind::Wait(_) | StepKind::End(_) => {}
            StepKind::Agent(call) => {
                if let Some(history) = &call.history {
                    scene.give(&history.key, Certainty::Maybe);
                }
                scene.give(&output_key(&step.name), Certainty::Maybe);
            }
            StepKind::Http(_) => scene.give(&output_key(&step.name), Certainty::Maybe),
            StepKind::Approval(_) => {
                inside();
                scene.give(&output_key(&step.name), Certainty::Maybe);
            }
            StepKind::Foreach(_) | StepKind::Workflow(_) => {
                if through == Through::Everything {
                    inside();
                }
                match &step.kind {
                    StepKind::Workflow(inner) if inner.set.is_some() => {
                        let keys = inner.set.iter().flat_map(|set| set.keys());
                        keys.for_each(|key| scene.give(key, Certainty::Maybe));
                    }
                    _ => scene.give(&output_key(&step.name), Certainty::Maybe),
                }
            }
            StepKind::Condition(_)
            | StepKind::Switch(_)
            | StepKind::Parallel(_)
            | StepKind::Sequence(_)
            | StepKind::Loop(_) => inside(),
        }
    }
}
