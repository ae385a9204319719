//! What the steps so far gave, where no template reads it: nothing is kept.

use crate::host::Host;

/// No outputs.
#[derive(Debug, Clone, Default)]
pub(super) struct Outputs {}

impl Outputs {
    /// The same with one more.
    pub(super) fn with<H: Host>(&self, _: &str, _: &H, _: &H::Value) -> Self {
        Self {}
    }

    /// The same with what a branch added.
    pub(super) fn joined(self, _: &Self, _: &Self) -> Self {
        self
    }
}
