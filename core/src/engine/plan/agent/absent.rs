//! Agents in the plan of an engine that has none.

use super::Builder;
use crate::document::{AgentCall, Step};

/// An agent step: there is none.
#[derive(Debug)]
pub(in crate::engine) enum Ask {}

impl Builder<'_> {
    pub(super) fn ask(&mut self, _: &Step, call: &AgentCall, _: &str) -> Result<Ask, String> {
        Err(format!("the agent `{}` is asked, which this build of the engine cannot do", call.agent))
    }
}
