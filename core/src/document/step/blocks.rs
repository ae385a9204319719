//! The lists of steps inside a step.

use std::borrow::Cow;

use super::{Approval, Foreach, Inner, Loop, Step, StepKind};

impl Step {
    /// The lists of steps inside this one, each with its key in the document, such as `else` or `cases[0].steps`.
    pub fn blocks(&self) -> Vec<(Cow<'static, str>, &Vec<Step>)> {
        let named = |key: &'static str, steps| (Cow::Borrowed(key), steps);
        match &self.kind {
            StepKind::Agent(_)
            | StepKind::Function(_)
            | StepKind::Http(_)
            | StepKind::Wait(_)
            | StepKind::End(_) => Vec::new(),
            StepKind::Approval(approval) => {
                let Approval { steps, otherwise, expired, .. } = approval;
                let blocks = [("steps", steps), ("else", otherwise), ("expired", expired)];
                blocks.into_iter().filter_map(|(key, steps)| Some(named(key, steps.as_ref()?))).collect()
            }
            StepKind::Condition(branch) => {
                vec![named("steps", &branch.steps), named("else", &branch.otherwise)]
            }
            StepKind::Switch(switch) => {
                let cases = switch.cases.iter().enumerate();
                let mut blocks: Vec<_> =
                    cases.map(|(index, case)| (Cow::Owned(case_key(index)), &case.steps)).collect();
                blocks.push(named("default", &switch.default));
                blocks
            }
            StepKind::Parallel(fork) => vec![named("parallel", &fork.members)],
            StepKind::Sequence(steps)
            | StepKind::Foreach(Foreach { steps, .. })
            | StepKind::Loop(Loop { steps, .. })
            | StepKind::Workflow(Inner { steps, .. }) => vec![named("steps", steps)],
        }
    }

    /// The lists of steps inside this one, to be changed, in the order of [`Step::blocks`].
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Step>> {
        match &mut self.kind {
            StepKind::Agent(_)
            | StepKind::Function(_)
            | StepKind::Http(_)
            | StepKind::Wait(_)
            | StepKind::End(_) => Vec::new(),
            StepKind::Approval(approval) => {
                let Approval { steps, otherwise, expired, .. } = approval;
                [steps, otherwise, expired].into_iter().flatten().collect()
            }
            StepKind::Condition(branch) => vec![&mut branch.steps, &mut branch.otherwise],
            StepKind::Switch(switch) => {
                let mut blocks: Vec<_> = switch.cases.iter_mut().map(|case| &mut case.steps).collect();
                blocks.push(&mut switch.default);
                blocks
            }
            StepKind::Parallel(fork) => vec![&mut fork.members],
            StepKind::Sequence(steps)
            | StepKind::Foreach(Foreach { steps, .. })
            | StepKind::Loop(Loop { steps, .. })
            | StepKind::Workflow(Inner { steps, .. }) => vec![steps],
        }
    }

    /// The steps right inside this one, to be changed.
    pub fn inner_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.blocks_mut().into_iter().flatten()
    }

    /// The list of steps that the document has under `key`, to be changed.
    pub fn block_mut(&mut self, key: &str) -> Option<&mut Vec<Step>> {
        let place = self.blocks().iter().position(|(name, _)| name == key)?;
        self.blocks_mut().into_iter().nth(place)
    }
}

/// The key of the steps of a switch's case.
fn case_key(index: usize) -> String {
    format!("cases[{index}].steps")
}
