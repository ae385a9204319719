//! What happens to the open workflow, one change at a time: what is stored, what other tabs follow, what is replayed.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use stepweave_core::edit::Edit;

use super::sample::Sample;

/// Texts that are no valid value yet, by field.
pub type Drafts = IndexMap<String, String>;

/// One change of the open workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// An edit that stands for itself.
    Make {
        /// The edit.
        edit: Edit,
        /// What was selected before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        selected: Option<String>,
    },
    /// An edit that belongs to typing into a field.
    Type {
        /// The edit.
        edit: Edit,
        /// The field.
        field: String,
        /// What was selected before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        selected: Option<String>,
    },
    /// The field was left.
    Seal,
    /// The last edit was taken back.
    Undo {
        /// What was selected before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        selected: Option<String>,
    },
    /// It was made again.
    Redo {
        /// What was selected before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        selected: Option<String>,
    },
    /// A text that is no valid value yet was written into a field, or is none any more.
    Draft {
        /// The field.
        key: String,
        /// The text.
        text: Option<String>,
    },
    /// A container is shown as one card.
    Fold {
        /// The container.
        step: String,
    },
    /// A container is shown with what is in it.
    Unfold {
        /// The container.
        step: String,
    },
    /// A request was tried and answered, or its answer is forgotten.
    Sample {
        /// What sends the request.
        key: String,
        /// The answer.
        sample: Option<Box<Sample>>,
    },
}

/// Writes a draft down, or forgets it.
pub fn write_draft(drafts: &mut Drafts, key: String, text: Option<String>) {
    match text {
        Some(text) => drop(drafts.insert(key, text)),
        None => drop(drafts.shift_remove(&key)),
    }
}
