//! End steps: whether what they end is around them, and what stands behind them.

use crate::document::{Document, ExitScope, Step, StepKind};
use crate::problem::{Problem, Problems};
use crate::shape::with_article;

/// What an end step can end besides the run.
#[derive(Clone, Copy, Default)]
struct Around {
    has_loop: bool,
    has_foreach: bool,
}

pub(super) fn check(document: &Document, problems: &mut Problems) {
    for (path, steps) in document.blocks() {
        check_block(steps, &path, Around::default(), problems);
    }
}

fn check_block(steps: &[Step], path: &str, around: Around, problems: &mut Problems) {
    let mut end = None;
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.enabled) {
        let path = format!("{path}[{index}]");
        if let Some(end) = end.take() {
            let message = format!("`{}` is never reached: `{end}` ends what is around both", step.name);
            let hint = "move it up, or put the end step into a condition";
            problems.push(Problem::warning(&path, "unreachable_step", message, hint));
        }
        check_step(step, &path, around, problems);
        end = matches!(step.kind, StepKind::End(_)).then_some(&step.name);
    }
}

fn check_step(step: &Step, path: &str, mut around: Around, problems: &mut Problems) {
    match &step.kind {
        StepKind::End(exit) => {
            let missing = match exit.scope {
                ExitScope::Round if !around.has_loop => ("round", "loop"),
                ExitScope::Item if !around.has_foreach => ("item", "foreach"),
                _ => return,
            };
            let (scope, container) = missing;
            let message = format!("`{}` ends {}, but is in no {container}", step.name, with_article(scope));
            let hint = format!(
                "put it into a {container} of the same workflow, or leave `scope` out to end the run"
            );
            problems.push(Problem::error(format!("{path}.end.scope"), "wrong_scope", message, hint));
        }
        StepKind::Parallel(fork) => {
            for (index, member) in fork.members.iter().enumerate().filter(|(_, member)| member.enabled) {
                check_step(member, &format!("{path}.parallel[{index}]"), around, problems);
            }
            return;
        }
        StepKind::Loop(_) => around.has_loop = true,
        StepKind::Foreach(_) => around.has_foreach = true,
        // What is around a workflow step is not for its steps to end.
        StepKind::Workflow(_) => around = Around::default(),
        _ => {}
    }
    for (key, steps) in step.blocks() {
        check_block(steps, &format!("{path}.{key}"), around, problems);
    }
}
