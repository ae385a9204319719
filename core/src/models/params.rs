//! The parameters that go into a request.

use serde_json::{Map, Value};

use super::Question;
use super::presets::{Quirk, Sampling, preset};

/// The key under which parameters stand that nobody asked for by name: those of a kind of step.
const DEFAULTS: &str = "x-defaults";

/// What models that think before they answer refuse, in every format's spelling.
const SAMPLING: [&str; 5] = ["temperature", "top_p", "top_k", "topP", "topK"];

/// The parameters of a question, and the names of those that its model does not take and that are left out.
///
/// Those under `x-defaults` give way to those beside it.
///
/// ```
/// use serde_json::json;
/// use stepweave_core::document::{Model, Provider, ToolChoice};
/// use stepweave_core::models::{ModelSetup, Question, params};
/// let given = json!({ "x-defaults": { "temperature": 0.7 }, "max_completion_tokens": 100 });
/// let setup = ModelSetup {
///     model: Model::new(Provider::Openai, "gpt-5-mini"),
///     function: None,
///     params: given.as_object().cloned().unwrap_or_default(),
///     price: None,
///     first_token_ms: None,
///     idle_ms: None,
/// };
/// let (instructions, turns, tools, choice, output) = (None, &[], &[], &ToolChoice::Auto, None);
/// let question = Question { setup: &setup, agent: "writer", instructions, turns, tools, choice, output };
/// let (params, dropped) = params(&question);
/// assert_eq!(json!(params), json!({ "max_completion_tokens": 100 }));
/// assert_eq!(dropped, ["temperature"]);
/// ```
pub fn params(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    let mut given = question.setup.params.clone();
    let mut params = match given.shift_remove(DEFAULTS) {
        Some(Value::Object(defaults)) => defaults,
        _ => Map::new(),
    };
    let mut dropped = Vec::new();
    if preset(question.setup.model.provider).has(Quirk::OneSampler) {
        drop_either(&mut params, &given, &mut dropped);
    }
    params.extend(given);
    if !takes_sampling(question) {
        for name in SAMPLING {
            if params.shift_remove(name).is_some() {
                dropped.push(name.to_owned());
            }
        }
    }
    (params, dropped)
}

/// Where a model takes a temperature or a `top_p` and not both, what nobody asked for gives way.
fn drop_either(defaults: &mut Map<String, Value>, given: &Map<String, Value>, dropped: &mut Vec<String>) {
    for (name, other) in [("temperature", "top_p"), ("top_p", "temperature")] {
        let is_doubled =
            given.contains_key(other) || (other == "temperature" && defaults.contains_key(other));
        if is_doubled && !given.contains_key(name) && defaults.shift_remove(name).is_some() {
            dropped.push(name.to_owned());
        }
    }
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
        Sampling::Unless(names) => begins(names) && !model.model.contains("chat"),
        Sampling::Older { version, maker, names } => {
            let is_newer = version != model.api_version.as_deref().unwrap_or(preset.api_version);
            is_newer || (begins(&[maker]) && !begins(names))
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::Provider;
    use crate::models::sample::Asked;

    fn sent(asked: &Asked) -> (Value, Vec<String>) {
        let (params, dropped) = params(&asked.question());
        (params.into(), dropped)
    }

    #[test]
    fn explicit_values_win_over_defaults() {
        let given = json!({ "x-defaults": { "temperature": 0.7, "top_p": 0.9 }, "temperature": 0 });
        let asked = Asked::of(Provider::Openai, "gpt-4.1").params(given);
        assert_eq!(sent(&asked), (json!({ "temperature": 0, "top_p": 0.9 }), vec![]));
    }

    #[test]
    fn what_a_model_does_not_take_is_dropped_and_told() {
        let given = json!({ "x-defaults": { "top_p": 0.9 }, "temperature": 0, "max_completion_tokens": 9 });
        for model in ["o3-mini", "gpt-5", "gpt-5.1-codex"] {
            let asked = Asked::of(Provider::Openai, model).params(given.clone());
            let dropped = vec!["temperature".to_owned(), "top_p".to_owned()];
            assert_eq!(sent(&asked), (json!({ "max_completion_tokens": 9 }), dropped), "{model}");
        }
        for model in ["gpt-4o", "gpt-5-chat-latest", "llama-3"] {
            let asked = Asked::of(Provider::Openai, model).params(given.clone());
            assert_eq!(sent(&asked).1, Vec::<String>::new(), "{model}");
        }
    }

    #[test]
    fn the_document_has_the_last_word() {
        let mut asked = Asked::of(Provider::Openai, "gpt-5").params(json!({ "temperature": 1 }));
        asked.setup.model.sampling = Some(true);
        assert_eq!(sent(&asked), (json!({ "temperature": 1 }), vec![]));
        let mut asked = Asked::of(Provider::Ollama, "llama3").params(json!({ "temperature": 1 }));
        asked.setup.model.sampling = Some(false);
        assert_eq!(sent(&asked), (json!({}), vec!["temperature".to_owned()]));
    }

    #[test]
    fn the_version_of_an_api_decides() {
        let mut asked =
            Asked::of(Provider::Anthropic, "claude-haiku-4-5").params(json!({ "temperature": 1 }));
        assert_eq!(sent(&asked).1, Vec::<String>::new());
        asked.setup.model.api_version = Some("2026-10-21".to_owned());
        assert_eq!(sent(&asked).1, ["temperature"]);
    }

    #[test]
    fn the_newer_ones_of_a_maker_take_no_temperature() {
        for (model, takes) in [
            ("claude-3-5-haiku-latest", true),
            ("claude-opus-4-20250514", true),
            ("claude-opus-4-6", true),
            ("claude-opus-4-7", false),
            ("claude-sonnet-5", false),
            ("some-other", true),
        ] {
            let asked = Asked::of(Provider::Anthropic, model).params(json!({ "temperature": 1 }));
            assert_eq!(sent(&asked).1.is_empty(), takes, "{model}");
        }
    }

    #[test]
    fn of_a_temperature_and_a_top_p_the_one_that_was_asked_for_is_sent() {
        let both = json!({ "temperature": 0.7, "top_p": 0.9 });
        for (given, params, left_out) in [
            (json!({}), json!({ "temperature": 0.7 }), vec!["top_p"]),
            (json!({ "top_p": 0.5 }), json!({ "top_p": 0.5 }), vec!["temperature"]),
            (json!({ "temperature": 0.5 }), json!({ "temperature": 0.5 }), vec!["top_p"]),
            (both.clone(), both.clone(), vec![]),
        ] {
            let mut asked = Asked::of(Provider::Anthropic, "claude-sonnet-4-6").params(given);
            asked.setup.params.insert("x-defaults".to_owned(), both.clone());
            let left_out: Vec<String> = left_out.into_iter().map(str::to_owned).collect();
            assert_eq!(sent(&asked), (params, left_out));
        }
    }
}
