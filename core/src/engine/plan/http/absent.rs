//! Requests in the plan of an engine that has none.

use super::Builder;
use crate::document::{HttpCall, Step};

/// An `http` step: there is none.
#[derive(Debug)]
pub(in crate::engine) enum Fetch {}

impl Builder<'_> {
    pub(super) fn fetch(&mut self, step: &Step, _: &HttpCall) -> Result<Fetch, String> {
        Err(format!("`{}` sends a request, which this build of the engine cannot do", step.name))
    }
}
