//! A workflow without its steps.

use stepweave_core::document::Document;

/// Everything of a document but its steps: an edit of the settings does not look at them, and copying thousands would
/// cost.
pub fn without_steps(document: &Document) -> Document {
    Document {
        version: document.version,
        name: document.name.clone(),
        description: document.description.clone(),
        input: document.input.clone(),
        output: document.output.clone(),
        initial_state: document.initial_state.clone(),
        models: document.models.clone(),
        agents: document.agents.clone(),
        tools: document.tools.clone(),
        prices: document.prices.clone(),
        steps: Vec::new(),
        retry_policy: document.retry_policy.clone(),
        on_error: document.on_error,
        limits: document.limits,
        notes: document.notes.clone(),
        pins: document.pins.clone(),
        extensions: document.extensions.clone(),
    }
}
