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
    let model = &question.setup.model;
    if let Some(sampling) = model.sampling {
        return sampling;
    }
    let preset = preset(model.provider);
    let name = model.model.as_str();
    match preset.sampling {
        Sampling::Taken => true,
        Sampling::Refused => false,
        Sampling::Unless(names) => {
            name.contains("chat") || !names.iter().any(|other| name.starts_with(other))
        }
        Sampling::InVersion(version) => version == model.api_version.as_deref().unwrap_or(preset.api_version),
    }
}
