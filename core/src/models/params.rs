//! The parameters that go into a request.

use serde_json::{Map, Value};

use super::Question;
use super::presets::{Quirk, Sampling, preset};
use super::settings;

/// The key of parameters that nobody set by name: the defaults of a type of step.
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
/// let (instructions, turns, tools, provided, choice, output) = (None, &[], &[], &[], &ToolChoice::Auto, None);
/// let question = Question {
///     setup: &setup, agent: "writer", instructions, turns, tools, provided, choice, output, output_mode: None,
///     longest_wait_ms: 60_000, most: None,
/// };
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
    if refuses_sampling_in_thought(question) && settings::thinks(&given) {
        let drop_one = |name: &&str| params.shift_remove(*name).is_some();
        dropped.extend(SAMPLING.iter().copied().filter(drop_one).map(str::to_owned));
    }
    if preset(question.setup.model.provider).has(Quirk::OneSampler) {
        drop_either(&mut params, &given, &mut dropped);
    }
    settings::put_over(&mut params, &given);
    if !takes_sampling(question) {
        for name in SAMPLING {
            if params.shift_remove(name).is_some() {
                dropped.push(name.to_owned());
            }
        }
    }
    (settings::translate(question, params, &mut dropped), dropped)
}

/// Whether the model takes no sampling parameters while it thinks. Claude does not, whoever serves it.
fn refuses_sampling_in_thought(question: &Question<'_>) -> bool {
    let model = &question.setup.model;
    preset(model.provider).sampling != Sampling::Taken || model.model.contains("claude")
}

/// Where a model accepts either a temperature or a `top_p`, defaults give way.
fn drop_either(defaults: &mut Map<String, Value>, given: &Map<String, Value>, dropped: &mut Vec<String>) {
    for (name, other) in [("temperature", "top_p"), ("top_p", "temperature")] {
        let is_doubled =
            settings::has(given, other) || (other == "temperature" && defaults.contains_key(other));
        if is_doubled && !settings::has(given, name) && defaults.shift_remove(name).is_some() {
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
    use crate::models::sample::SampleRequest;

    fn sent(sample: &SampleRequest) -> (Value, Vec<String>) {
        let (params, dropped) = params(&sample.question());
        (params.into(), dropped)
    }

    #[test]
    fn explicit_values_win_over_defaults() {
        let given = json!({ "x-defaults": { "temperature": 0.7, "top_p": 0.9 }, "temperature": 0 });
        let sample = SampleRequest::of(Provider::Openai, "gpt-4.1").params(given);
        assert_eq!(sent(&sample), (json!({ "temperature": 0, "top_p": 0.9 }), vec![]));
    }

    #[test]
    fn what_a_model_does_not_take_is_dropped_and_reported() {
        let given = json!({ "x-defaults": { "top_p": 0.9 }, "temperature": 0, "max_completion_tokens": 9 });
        for model in ["o3-mini", "gpt-5", "gpt-5.1-codex"] {
            let sample = SampleRequest::of(Provider::Openai, model).params(given.clone());
            let dropped = vec!["temperature".to_owned(), "top_p".to_owned()];
            assert_eq!(sent(&sample), (json!({ "max_completion_tokens": 9 }), dropped), "{model}");
        }
        for model in ["gpt-4o", "gpt-5-chat-latest", "llama-3"] {
            let sample = SampleRequest::of(Provider::Openai, model).params(given.clone());
            assert_eq!(sent(&sample).1, Vec::<String>::new(), "{model}");
        }
    }

    #[test]
    fn the_document_has_the_last_word() {
        let mut sample = SampleRequest::of(Provider::Openai, "gpt-5").params(json!({ "temperature": 1 }));
        sample.setup.model.sampling = Some(true);
        assert_eq!(sent(&sample), (json!({ "temperature": 1 }), vec![]));
        let mut sample = SampleRequest::of(Provider::Ollama, "llama3").params(json!({ "temperature": 1 }));
        sample.setup.model.sampling = Some(false);
        assert_eq!(sent(&sample), (json!({}), vec!["temperature".to_owned()]));
    }

    #[test]
    fn the_version_of_an_api_decides() {
        let mut sample =
            SampleRequest::of(Provider::Anthropic, "claude-haiku-4-5").params(json!({ "temperature": 1 }));
        assert_eq!(sent(&sample).1, Vec::<String>::new());
        sample.setup.model.api_version = Some("2026-10-21".to_owned());
        assert_eq!(sent(&sample).1, ["temperature"]);
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
            let sample = SampleRequest::of(Provider::Anthropic, model).params(json!({ "temperature": 1 }));
            assert_eq!(sent(&sample).1.is_empty(), takes, "{model}");
        }
    }

    #[test]
    fn defaults_of_sampling_are_dropped_where_a_model_thinks() {
        let defaults = json!({ "temperature": 0.7, "top_p": 0.9 });
        let dropped = |provider, model: &str, given: Value| {
            let mut sample = SampleRequest::of(provider, model).params(given);
            sample.setup.params.insert("x-defaults".to_owned(), defaults.clone());
            sent(&sample).1
        };
        let thinking = json!({ "thinking": { "type": "enabled", "budget_tokens": 2000 } });
        let both = ["temperature", "top_p"];
        for (provider, model, given) in [
            (Provider::Anthropic, "claude-sonnet-4-5", thinking.clone()),
            (Provider::Anthropic, "claude-sonnet-4-5", json!({ "thinking": { "type": "adaptive" } })),
            (Provider::Anthropic, "claude-sonnet-4-5", json!({ "reasoningEffort": "low" })),
            (
                Provider::Openrouter,
                "anthropic/claude-sonnet-4.5",
                json!({ "reasoning": { "effort": "low" } }),
            ),
            (
                Provider::Openrouter,
                "anthropic/claude-sonnet-4.5",
                json!({ "reasoning": { "max_tokens": 2000 } }),
            ),
            (Provider::Openai, "claude-sonnet-4-5", thinking.clone()),
            (Provider::Azure, "my-deployment", json!({ "reasoning_effort": "low" })),
            (Provider::OpenaiResponses, "my-model", json!({ "reasoning": { "effort": "low" } })),
        ] {
            assert_eq!(dropped(provider, model, given.clone()), both, "{model} {given}");
        }
        for (provider, model, given) in [
            (Provider::Anthropic, "claude-sonnet-4-5", json!({ "thinking": { "type": "disabled" } })),
            (Provider::Anthropic, "claude-sonnet-4-5", json!({ "reasoningEffort": "none" })),
        ] {
            assert_eq!(dropped(provider, model, given), ["top_p"], "{model}");
        }
        // These take both.
        assert_eq!(
            dropped(Provider::Gemini, "gemini-3.5-flash", json!({ "reasoningEffort": "low" })),
            [""; 0]
        );
        assert_eq!(dropped(Provider::Groq, "gpt-oss", json!({ "reasoning_effort": "low" })), [""; 0]);
        // Parameters that were set by name are sent: the endpoint's own message says if it does not accept one.
        let mut sample = SampleRequest::of(Provider::Anthropic, "claude-sonnet-4-5").params(thinking);
        sample.setup.params.insert("temperature".to_owned(), json!(1));
        assert!(sent(&sample).1.is_empty());
    }

    #[test]
    fn settings_go_to_each_endpoint_under_its_own_names() {
        let portable = json!({ "maxOutputTokens": 100, "stopSequences": ["END"], "reasoningEffort": "low" });
        let chat = |tokens: &str| json!({ tokens: 100, "stop": ["END"], "reasoning_effort": "low" });
        for (provider, model, expected) in [
            (Provider::Openai, "gpt-5-mini", chat("max_completion_tokens")),
            (Provider::Openai, "gpt-4.1", chat("max_completion_tokens")),
            (Provider::Azure, "gpt-5", chat("max_completion_tokens")),
            (Provider::Groq, "m", chat("max_tokens")),
            (Provider::Ollama, "gpt-oss", chat("max_tokens")),
            (
                Provider::Openrouter,
                "m",
                json!({ "max_tokens": 100, "stop": ["END"], "reasoning": { "effort": "low" } }),
            ),
            (
                Provider::OpenaiResponses,
                "gpt-5",
                json!({ "max_output_tokens": 100, "reasoning": { "effort": "low" } }),
            ),
            (
                Provider::Anthropic,
                "claude-sonnet-5",
                json!({ "max_tokens": 100, "stop_sequences": ["END"], "thinking": { "type": "adaptive" }, "output_config": { "effort": "low" } }),
            ),
            (
                Provider::Anthropic,
                "claude-sonnet-4-5",
                json!({ "max_tokens": 100, "stop_sequences": ["END"] }),
            ),
            (
                Provider::Gemini,
                "gemini-2.5-flash",
                json!({ "maxOutputTokens": 100, "stopSequences": ["END"], "thinkingConfig": { "thinkingBudget": 1024 } }),
            ),
            (
                Provider::Gemini,
                "gemini-3.5-flash",
                json!({ "maxOutputTokens": 100, "stopSequences": ["END"], "thinkingConfig": { "thinkingLevel": "low" } }),
            ),
            (Provider::Custom, "m", portable.clone()),
        ] {
            assert_eq!(
                sent(&SampleRequest::of(provider, model).params(portable.clone())).0,
                expected,
                "{provider:?} {model}"
            );
        }
        // The format has no such setting.
        assert_eq!(
            sent(&SampleRequest::of(Provider::OpenaiResponses, "gpt-5").params(portable.clone())).1,
            ["stopSequences"]
        );
        // Too few tokens to think within.
        assert_eq!(
            sent(&SampleRequest::of(Provider::Anthropic, "claude-sonnet-4-5").params(portable)).1,
            ["reasoningEffort"]
        );
    }

    #[test]
    fn the_names_of_one_format_are_understood_by_the_others() {
        let given = json!({ "max_tokens": 100, "stop": "END", "reasoning_effort": "high" });
        for (provider, model, expected) in [
            (
                Provider::Openai,
                "o3",
                json!({ "max_completion_tokens": 100, "stop": "END", "reasoning_effort": "high" }),
            ),
            (
                Provider::Openai,
                "gpt-4.1",
                json!({ "max_completion_tokens": 100, "stop": "END", "reasoning_effort": "high" }),
            ),
            (Provider::Mistral, "m", given.clone()),
            (
                Provider::OpenaiResponses,
                "o3",
                json!({ "max_output_tokens": 100, "reasoning": { "effort": "high" } }),
            ),
            (
                Provider::Gemini,
                "gemini-3.5-flash",
                json!({ "maxOutputTokens": 100, "stopSequences": ["END"], "thinkingConfig": { "thinkingLevel": "high" } }),
            ),
        ] {
            assert_eq!(
                sent(&SampleRequest::of(provider, model).params(given.clone())).0,
                expected,
                "{provider:?} {model}"
            );
        }
        let own = json!({ "max_completion_tokens": 100, "reasoning_effort": "minimal" });
        assert_eq!(sent(&SampleRequest::of(Provider::Groq, "m").params(own.clone())).0, own);
        // An endpoint of one's own may know the older name alone.
        let mut sample = SampleRequest::of(Provider::Openai, "my-model").params(json!({ "max_tokens": 9 }));
        sample.setup.model.base_url = Some("http://localhost:8000/v1".to_owned());
        assert_eq!(sent(&sample).0, json!({ "max_tokens": 9 }));
    }

    #[test]
    fn thinking_has_room_within_the_tokens_of_an_answer() {
        for (given, thinking) in [
            (json!({ "reasoningEffort": "high" }), json!({ "type": "enabled", "budget_tokens": 24_576 })),
            (
                json!({ "reasoningEffort": "high", "maxOutputTokens": 4000 }),
                json!({ "type": "enabled", "budget_tokens": 2000 }),
            ),
            (json!({ "reasoningEffort": "none", "maxOutputTokens": 4000 }), json!(null)),
            (
                json!({ "reasoningEffort": "low", "thinking": { "type": "enabled", "budget_tokens": 1500 } }),
                json!({ "type": "enabled", "budget_tokens": 1500 }),
            ),
        ] {
            let sample = SampleRequest::of(Provider::Anthropic, "claude-opus-4-5").params(given.clone());
            assert_eq!(sent(&sample).0["thinking"], thinking, "{given}");
        }
        let sample = SampleRequest::of(Provider::Anthropic, "claude-sonnet-5")
            .params(json!({ "reasoningEffort": "none" }));
        assert_eq!(sent(&sample).0, json!({ "thinking": { "type": "disabled" } }));
    }

    #[test]
    fn one_spelling_takes_the_place_of_another() {
        for (params, over) in [
            (
                json!({ "max_tokens": 100, "stop": "A" }),
                json!({ "maxOutputTokens": 50, "stopSequences": ["B"] }),
            ),
            (json!({ "top_p": 0.9, "topK": 9, "seed": 1 }), json!({ "topP": 0.1, "top_k": 1, "seed": 2 })),
            (
                json!({ "presencePenalty": 1, "frequency_penalty": 1 }),
                json!({ "presence_penalty": 0, "frequencyPenalty": 0 }),
            ),
        ] {
            let mut params = params.as_object().cloned().unwrap();
            settings::put_over(&mut params, over.as_object().unwrap());
            assert_eq!(json!(params), over);
        }
    }

    #[test]
    fn a_setting_has_the_spelling_of_the_endpoint() {
        let own = json!({ "top_p": 0.5, "top_k": 9, "presence_penalty": 1, "frequency_penalty": 1 });
        let given = json!({ "topP": 0.5, "topK": 9, "presencePenalty": 1, "frequencyPenalty": 1 });
        for params in [&own, &given] {
            let sample = SampleRequest::of(Provider::Openai, "gpt-4.1").params(params.clone());
            assert_eq!(sent(&sample), (own.clone(), vec![]));
        }
        let sample = SampleRequest::of(Provider::Custom, "mine").params(given.clone());
        assert_eq!(sent(&sample), (given, vec![]));
    }

    #[test]
    fn of_a_temperature_and_a_top_p_the_one_that_was_set_is_sent() {
        let both = json!({ "temperature": 0.7, "top_p": 0.9 });
        for (given, params, left_out) in [
            (json!({}), json!({ "temperature": 0.7 }), vec!["top_p"]),
            (json!({ "top_p": 0.5 }), json!({ "top_p": 0.5 }), vec!["temperature"]),
            (json!({ "topP": 0.5 }), json!({ "top_p": 0.5 }), vec!["temperature"]),
            (json!({ "temperature": 0.5 }), json!({ "temperature": 0.5 }), vec!["top_p"]),
            (both.clone(), both.clone(), vec![]),
        ] {
            let mut sample = SampleRequest::of(Provider::Anthropic, "claude-sonnet-4-6").params(given);
            sample.setup.params.insert("x-defaults".to_owned(), both.clone());
            let left_out: Vec<String> = left_out.into_iter().map(str::to_owned).collect();
            assert_eq!(sent(&sample), (params, left_out));
        }
    }
}
