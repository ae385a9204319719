//! The keys that the state can have at a path of a document.

use indexmap::IndexMap;

use crate::document::{Document, Run, Step, StepKind};
use crate::language::Span;
use crate::state::output_key;

/// Whether something is there in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// Only what comes later gives it: in a loop it is there from the second round on.
    Later,
    Maybe,
    Sure,
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

/// What the state and `steps` can have at a path. A walk over the steps changes one scene; for each branch it goes back
/// to where that began, so that the branch costs what it gives, however much was there before.
#[derive(Debug, Default)]
pub(super) struct Scene {
    keys: Names,
    outputs: Names,
    pub(super) openness: Openness,
    /// Whether an end step is before it, so that nothing behind it runs.
    pub(super) is_over: bool,
    /// Whether it is in a loop, so that all that the steps of that may give has been given.
    is_repeated: bool,
}

/// A point that a scene can go back to.
#[derive(Clone, Copy)]
struct Mark {
    keys: usize,
    outputs: usize,
    openness: Openness,
    is_over: bool,
    is_repeated: bool,
}

/// What came to be between a mark and the end of a branch.
pub(super) struct Branch {
    keys: Given,
    outputs: Given,
    openness: Openness,
    is_over: bool,
}

impl Scene {
    pub(super) fn key(&self, key: &str) -> Option<Certainty> {
        self.keys.certainty(key)
    }

    pub(super) fn has_key(&self, key: &str) -> bool {
        self.key(key).is_some()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.each()
    }

    pub(super) fn give(&mut self, key: &str, certainty: Certainty) {
        self.keys.give(key, certainty);
    }

    pub(super) fn give_output(&mut self, step: &str, certainty: Certainty) {
        self.outputs.give(step, certainty);
    }

    pub(super) fn output(&self, step: &str) -> Option<Certainty> {
        self.outputs.certainty(step)
    }

    /// Leaves no outputs, as where no step has run yet; returns those that there were.
    pub(super) fn take_outputs(&mut self) -> Names {
        std::mem::take(&mut self.outputs)
    }

    pub(super) fn put_outputs_back(&mut self, outputs: Names) {
        self.outputs = outputs;
    }

    /// What comes to be in a branch that begins here; the scene stays as it is.
    pub(super) fn branch(&mut self, walk: impl FnOnce(&mut Self)) -> Branch {
        let beginning = Mark {
            keys: self.keys.changes.len(),
            outputs: self.outputs.changes.len(),
            openness: self.openness,
            is_over: self.is_over,
            is_repeated: self.is_repeated,
        };
        walk(self);
        self.rewind(beginning)
    }

    /// The same of steps that run over a state of their own: no round of a loop around them goes on in it.
    pub(super) fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        self.branch(|scene| {
            scene.is_repeated = false;
            walk(scene);
        });
    }

    /// Walks through the steps of a loop. What one round gives is there in the next one.
    pub(super) fn repeated(&mut self, steps: &[Step], walk: impl FnOnce(&mut Self)) {
        // A loop around this one has given all that is in it.
        let is_inside = std::mem::replace(&mut self.is_repeated, true);
        if !is_inside {
            gather(steps, self, Through::SameState);
        }
        walk(self);
        self.is_repeated = is_inside;
    }

    /// Goes back to a mark, and returns what has come to be since.
    fn rewind(&mut self, mark: Mark) -> Branch {
        self.is_repeated = mark.is_repeated;
        Branch {
            keys: self.keys.rewind(mark.keys),
            outputs: self.outputs.rewind(mark.outputs),
            openness: std::mem::replace(&mut self.openness, mark.openness),
            is_over: std::mem::replace(&mut self.is_over, mark.is_over),
        }
    }

    /// A branch in which nothing happens.
    pub(super) fn unchanged(&self) -> Branch {
        Branch { keys: Given::new(), outputs: Given::new(), openness: self.openness, is_over: self.is_over }
    }

    /// One of the branches that begin here came to be: sure is what all of them have for sure. One that has ended leads
    /// to no step behind it, unless all have.
    pub(super) fn one_of(&mut self, branches: &[Branch]) {
        let mut leading: Vec<&Branch> = branches.iter().filter(|branch| !branch.is_over).collect();
        if leading.is_empty() {
            leading.extend(branches.first());
        }
        self.is_over = leading.iter().any(|branch| branch.is_over);
        self.openness = leading.iter().map(|branch| branch.openness).max().unwrap_or(self.openness);
        self.keys.one_of(&leading.iter().map(|branch| &branch.keys).collect::<Vec<_>>());
        self.outputs.one_of(&leading.iter().map(|branch| &branch.outputs).collect::<Vec<_>>());
    }

    /// All of the branches came to be.
    pub(super) fn all_of(&mut self, branches: &[Branch]) {
        for branch in branches {
            self.keys.give_again(&branch.keys);
            self.outputs.give_again(&branch.outputs);
            self.openness = self.openness.max(branch.openness);
            self.is_over |= branch.is_over;
        }
    }
}

/// Names with what is known of them, and each change in its order.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// A name of another branch stays in it, with nothing: in what a branch gives, names are their places in this.
    known: IndexMap<String, Option<Certainty>>,
    /// The place of the changed name, and what was known of it before.
    changes: Vec<(usize, Option<Certainty>)>,
}

/// The names that a branch gives. One that was uncertain at first may come twice.
type Given = Vec<(usize, Certainty)>;

impl Names {
    fn certainty(&self, name: &str) -> Option<Certainty> {
        self.known.get(name).copied().flatten()
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        self.known.iter().filter_map(|(name, known)| known.map(|_| name.as_str()))
    }

    /// The number of the name, in the order in which they were added.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.known.get_index_of(name)
    }

    /// A name that is not among them yet; returns its place.
    pub(super) fn add(&mut self, name: &str) -> usize {
        self.known.insert_full(name.to_owned(), None).0
    }

    fn give(&mut self, name: &str, certainty: Certainty) {
        let place = self.place(name).unwrap_or_else(|| self.add(name));
        self.give_at(place, certainty);
    }

    fn give_again(&mut self, given: &Given) {
        given.iter().for_each(|(place, certainty)| self.give_at(*place, *certainty));
    }

    /// What is sure once is never less.
    fn give_at(&mut self, place: usize, certainty: Certainty) {
        if let Some((_, known)) = self.known.get_index_mut(place)
            && *known < Some(certainty)
        {
            self.changes.push((place, known.replace(certainty)));
        }
    }

    fn one_of(&mut self, branches: &[&Given]) {
        let mut given: Vec<_> = branches.iter().flat_map(|branch| branch.iter().copied()).collect();
        given.sort_unstable_by_key(|(place, _)| *place);
        for of_one in given.chunk_by(|(one, _), (other, _)| one == other) {
            // In each branch it becomes sure once at most.
            let sure = of_one.iter().filter(|(_, certainty)| *certainty == Certainty::Sure).count();
            let certainty = if sure == branches.len() { Certainty::Sure } else { Certainty::Maybe };
            of_one.iter().take(1).for_each(|(place, _)| self.give_at(*place, certainty));
        }
    }

    /// Takes back the changes after so many; returns what they made.
    fn rewind(&mut self, length: usize) -> Given {
        let mut given = Given::new();
        while self.changes.len() > length
            && let Some((place, before)) = self.changes.pop()
        {
            if let Some((_, known)) = self.known.get_index_mut(place)
                && let Some(certainty) = std::mem::replace(known, before)
            {
                given.push((place, certainty));
            }
        }
        given
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

    pub(super) fn has_key(&self, key: &str) -> bool {
        self.scene.has_key(key)
    }

    pub(super) fn has_step(&self, name: &str) -> bool {
        self.scene.output(name).is_some()
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = &str> {
        self.scene.outputs.each()
    }

    /// What to write instead of a word with dashes, and what it looks like; nothing if there is nothing of that name.
    pub(super) fn dashed(&self, text: &str, word: Span) -> Option<(String, &'static str)> {
        let name = word.of(text);
        let is_behind_steps =
            text.get(..word.start as usize).is_some_and(|before| before.ends_with("steps."));
        let keys = || self.document.initial_state.contains_key(name) || self.has_key(name);
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
        scene.give_output(&step.name, Certainty::Later);
        let mut inside = || step.blocks().into_iter().for_each(|(_, steps)| gather(steps, scene, through));
        match &step.kind {
            StepKind::Function(Run::Set(set)) => {
                set.keys().for_each(|key| scene.give(key, Certainty::Later));
            }
            StepKind::Function(_) => scene.openness = Openness::Open,
            StepKind::Wait(_) | StepKind::End(_) => {}
            StepKind::Agent(call) => {
                if let Some(history) = &call.history {
                    scene.give(&history.key, Certainty::Later);
                }
                scene.give(&output_key(&step.name), Certainty::Later);
            }
            StepKind::Http(_) => scene.give(&output_key(&step.name), Certainty::Later),
            StepKind::Approval(_) => {
                inside();
                scene.give(&output_key(&step.name), Certainty::Later);
            }
            StepKind::Foreach(_) | StepKind::Workflow(_) => {
                if through == Through::Everything {
                    inside();
                }
                match &step.kind {
                    StepKind::Workflow(inner) if inner.set.is_some() => {
                        let keys = inner.set.iter().flat_map(|set| set.keys());
                        keys.for_each(|key| scene.give(key, Certainty::Later));
                    }
                    _ => scene.give(&output_key(&step.name), Certainty::Later),
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
