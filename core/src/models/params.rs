//! The parameters that go into a request.

use serde_json::{Map, Value};

use super::Question;
use super::presets::{Sampling, preset};

/// The key under which parameters stand that nobody asked for by name: those of a kind of step.
const DEFAULTS: &str = "x-defaults";

/// What models that think before they answer refuse, in every format's spelling.
const SAMPLING: [&str; 5] = ["temperature", "top_p", "top_k", "topP", "topK"];

/// The parameters of a question, and the names of those that its model does not take and that are left out.
pub fn params(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let mut given = question.setup.params.clone();
    let mut params = match given.shift_remove(DEFAULTS) {
        Some(Value::Object(defaults)) => defaults,
        _ => Map::new(),
    };
    params.extend(given);
    let mut dropped = Vec::new();
    if !takes_sampling(question) {
        for name in SAMPLING {
            if params.shift_remove(name).is_some() {
                dropped.push(name.to_owned());
            }
        }
    }
    (params, dropped)
}

fn takes_sampling(question: &Question<'_>) -> bool {
    question.setup.model.sampling.unwrap_or_else(|| !refuses_sampling(question))
}

/// Whether the model is known to take no sampling parameters.
pub(super) fn refuses_sampling(question: &Question<'_>) -> bool {
    let model = &question.setup.model;
    let preset = preset(model.provider);
    let begins = |names: &[&str]| names.iter().any(|name| model.model.starts_with(name));
    match preset.sampling {
        Sampling::Taken => false,
        Sampling::Refused => true,
        Sampling::Unless(names) => begins(names) && !model.model.contains("chat"),
        Sampling::InVersion(version) => version != model.api_version.as_deref().unwrap_or(preset.api_version),
    }
}

/// Puts the tools into a body; tools of the endpoint's own may already be there, out of the parameters.
pub(super) fn add_tools(body: &mut Map<String, Value>, mut tools: Vec<Value>) {
    if let Some(Value::Array(more)) = body.shift_remove("tools") {
        tools.extend(more);
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), tools.into());
    }
}
