//! Keys that two members of a parallel plainly write.

use indexmap::IndexMap;

use crate::document::{Document, OnConflict, Run, Step, StepKind};
use crate::problem::{Problem, Severity};
use crate::state::output_key;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    writes(&document.steps, "steps", problems);
}

/// The keys that the steps of a block plainly write, each with the name of a step that does.
fn writes(steps: &[Step], path: &str, problems: &mut Vec<Problem>) -> IndexMap<String, String> {
    let mut all = IndexMap::new();
    for (index, step) in steps.iter().enumerate() {
        all.extend(step_writes(step, &format!("{path}[{index}]"), problems));
    }
    all
}

fn step_writes(step: &Step, path: &str, problems: &mut Vec<Problem>) -> IndexMap<String, String> {
    if !step.enabled {
        return IndexMap::new();
    }
    match &step.kind {
        StepKind::Agent(_) => IndexMap::from_iter([(output_key(&step.name), step.name.clone())]),
        StepKind::Function(Run::Set(set)) => set.keys().map(|key| (key.clone(), step.name.clone())).collect(),
        StepKind::Function(Run::Handler(_)) => IndexMap::new(),
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
        StepKind::Condition(branch) => {
            // Which way is taken is not plain, so what stands there is only looked into.
            writes(&branch.steps, &format!("{path}.steps"), problems);
            writes(&branch.otherwise, &format!("{path}.else"), problems);
            IndexMap::new()
        }
        _ => {
            step.blocks().flat_map(|(key, steps)| writes(steps, &format!("{path}.{key}"), problems)).collect()
        }
    }
}

fn conflict(path: &str, message: String, on_conflict: OnConflict) -> Problem {
    let severity = match on_conflict {
        OnConflict::Warn => Severity::Warning,
        OnConflict::Error => Severity::Error,
    };
    let hint = "let each member of a parallel write keys of its own; else the last one wins";
    Problem { severity, ..Problem::error(path, "write_conflict", message, hint) }
}
