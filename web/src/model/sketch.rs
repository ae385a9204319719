//! Trees of steps as tests write and read them.

use stepweave_core::document::Step;

/// Ids with spaces between them.
pub(super) fn ids(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The ids of steps, with those inside in brackets, block by block.
pub(super) fn shape(steps: &[Step]) -> String {
    let one = |step: &Step| {
        let inside: Vec<String> = step.blocks().iter().map(|(_, steps)| shape(steps)).collect();
        if inside.is_empty() { step.id.clone() } else { format!("{}({})", step.id, inside.join("|")) }
    };
    steps.iter().map(one).collect::<Vec<_>>().join(" ")
}
