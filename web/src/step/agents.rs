//! Agents and models that come into being with the steps that need them.

use stepweave_core::document::{Agent, Document, Model, Provider};

use super::free::free;

/// An id for the agent of a step of this name that no agent has.
pub fn free_id(document: &Document, name: &str) -> String {
    free(name, &|id| document.agents.contains_key(id))
}

/// An id for one more model of the workflow.
pub fn free_model_id(document: &Document) -> String {
    free("model", &|id| document.models.contains_key(id))
}

/// Adds an agent with the workflow's first model; the demo model when there is none yet.
pub fn add(document: &mut Document, id: String) {
    if document.models.is_empty() {
        document.models.insert("default".to_owned(), demo_model());
    }
    let model = document.models.keys().next().cloned().unwrap_or_default();
    document.agents.insert(id, Agent { model, ..Agent::default() });
}

/// The name of the model that is the browser's own.
pub const ON_DEVICE: &str = "prompt-api";

/// The name under which the page lends it to the worker.
pub const ON_DEVICE_HANDLER: &str = "on-device";

/// The model that works without a key.
pub fn demo_model() -> Model {
    Model::new(Provider::Demo, "demo")
}
