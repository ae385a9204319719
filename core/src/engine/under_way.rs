//! The steps that a run is at.

use std::cell::RefCell;

use super::journal::CALL;
use super::plan::Plan;
use crate::event::StepIndex;

/// The steps that are under way, once for each execution. Of those in a call of a tool none is: the agent is, and a limit may
/// drop them.
#[derive(Default)]
pub(super) struct UnderWay(RefCell<Vec<StepIndex>>);

impl UnderWay {
    /// A step is under way from now on, in an execution whose key begins so.
    pub(super) fn enter(&self, step: StepIndex, prefix: &str) {
        if !cfg!(feature = "agents") || !prefix.contains(CALL) {
            self.0.borrow_mut().push(step);
        }
    }

    /// It is over.
    pub(super) fn leave(&self, step: StepIndex) {
        let mut steps = self.0.borrow_mut();
        if let Some(place) = steps.iter().rposition(|other| *other == step) {
            steps.swap_remove(place);
        }
    }

    /// What is said of them behind what happened: nothing, where there are none.
    pub(super) fn names(&self, plan: &Plan) -> String {
        let mut text = String::new();
        for (step, info) in (0..).zip(&plan.steps) {
            if self.0.borrow().contains(&step) {
                text += if text.is_empty() { ", at `" } else { ", `" };
                text += &info.name;
                text += "`";
            }
        }
        text
    }
}
