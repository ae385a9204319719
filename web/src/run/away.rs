//! A run that goes on while another workflow is open.

use indexmap::IndexMap;

use super::board::Board;
use super::runner::Ended;
use crate::bridge::RunOptions;

/// The workflow of a run that is in progress while another one is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
}

/// All that is shown of a run once its workflow is open again. Until then it is shown nowhere: the ids of steps are the same
/// in most workflows.
#[derive(Debug, Clone)]
pub struct Away {
    /// The id of its workflow.
    pub workflow: String,
    /// What is known of it.
    pub board: Board,
    /// Its document and its options.
    pub setup: (String, RunOptions),
    /// Its number.
    pub shown: u64,
    /// The runs of that workflow that have ended.
    pub past: IndexMap<u64, Ended>,
}
