//! Keys that two members of a parallel plainly write.

use indexmap::IndexMap;

use crate::document::{Document, Inner, Loop, OnConflict, Repeat, Run, Step, StepKind};
use crate::problem::{Problem, Problems, Severity};
use crate::state::output_key;

pub(super) fn check(document: &Document, problems: &mut Problems) {
    for (path, steps) in document.blocks() {
        writes(steps, &path, problems);
    }
}

/// The keys that the steps of a block plainly write, each with the name of a step that does.
fn writes(steps: &[Step], path: &str, problems: &mut Problems) -> IndexMap<String, String> {
    let mut all = IndexMap::new();
    for (index, step) in steps.iter().enumerate() {
        all.extend(step_writes(step, &format!("{path}[{index}]"), problems));
    }
    all
}

fn step_writes(step: &Step, path: &str, problems: &mut Problems) -> IndexMap<String, String> {
    if !step.enabled {
        return IndexMap::new();
    }
    match &step.kind {
        StepKind::Agent(_) | StepKind::Http(_) => answer(step),
        StepKind::Function(Run::Set(set)) => keys_of(set, step),
        StepKind::Function(Run::Handler(_) | Run::Code(_)) | StepKind::Wait(_) | StepKind::End(_) => {
            IndexMap::new()
        }
        StepKind::Foreach(_) | StepKind::Approval(_) => {
            look_into(step, path, problems);
            answer(step)
        }
        StepKind::Workflow(Inner { set, .. }) => {
            look_into(step, path, problems);
            set.as_ref().map_or_else(|| answer(step), |set| keys_of(set, step))
        }
        StepKind::Parallel(fork) => {
            let mut all: IndexMap<String, String> = IndexMap::new();
            for (index, member) in fork.members.iter().enumerate() {
                let path = format!("{path}.parallel[{index}]");
                for (key, writer) in step_writes(member, &path, problems) {
                    if let Some(first) = all.get(&key) {
                        let message = format!("`{first}` and `{writer}` both write `{key}`");
                        problems.push(conflict(&path, message, fork.on_conflict));
                    } else {
                        all.insert(key, writer);
                    }
                }
            }
            all
        }
        StepKind::Condition(_)
        | StepKind::Switch(_)
        | StepKind::Loop(Loop { repeat: Repeat::While(_), .. }) => {
            // Which way is taken is not plain.
            look_into(step, path, problems);
            IndexMap::new()
        }
        StepKind::Sequence(steps) | StepKind::Loop(Loop { steps, .. }) => {
            writes(steps, &format!("{path}.steps"), problems)
        }
    }
}

/// Reports what is wrong inside a step whose keys do not plainly become those of the state around it.
fn look_into(step: &Step, path: &str, problems: &mut Problems) {
    for (key, steps) in step.blocks() {
        writes(steps, &format!("{path}.{key}"), problems);
    }
}

fn answer(step: &Step) -> IndexMap<String, String> {
    IndexMap::from_iter([(output_key(&step.name), step.name.clone())])
}

fn keys_of(set: &IndexMap<String, String>, step: &Step) -> IndexMap<String, String> {
    set.keys().map(|key| (key.clone(), step.name.clone())).collect()
}

fn conflict(path: &str, message: String, on_conflict: OnConflict) -> Problem {
    let severity = match on_conflict {
        OnConflict::Warn => Severity::Warning,
        OnConflict::Error => Severity::Error,
    };
    let hint = "let each member of a parallel write keys of its own; else the last one wins";
    Problem { severity, ..Problem::error(path, "write_conflict", message, hint) }
}
