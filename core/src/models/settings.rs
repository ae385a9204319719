//! Settings that every format has, each under its own name.

use serde_json::{Map, Value};

use super::fields::{something, text, tokens};
use super::params::refuses_sampling;
use super::presets::{Format, preset};
use super::{Question, gemini};
use crate::document::Provider;
use crate::literal::json;

/// A setting, and the names under which it may be written: what a model's params say and what its agent's do may be
/// spelled by two formats.
struct Setting {
    kind: Kind,
    names: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Tokens that an answer may have.
    Tokens,
    /// Texts before which it ends.
    Stop,
    /// How much the model thinks first.
    Effort,
    /// What all formats spell alike, but for Gemini, which has the first of its names; these all take the second.
    Spelling,
}

/// The package has the same names in `pkg/ts/models/spellings.ts`.
const SETTINGS: [Setting; 7] = [
    Setting {
        kind: Kind::Tokens,
        names: &["maxOutputTokens", "max_output_tokens", "max_tokens", "max_completion_tokens", "maxTokens"],
    },
    Setting { kind: Kind::Stop, names: &["stopSequences", "stop_sequences", "stop"] },
    Setting { kind: Kind::Effort, names: &["reasoningEffort", "reasoning_effort"] },
    Setting { kind: Kind::Spelling, names: &["topP", "top_p"] },
    Setting { kind: Kind::Spelling, names: &["topK", "top_k"] },
    Setting { kind: Kind::Spelling, names: &["presencePenalty", "presence_penalty"] },
    Setting { kind: Kind::Spelling, names: &["frequencyPenalty", "frequency_penalty"] },
];

/// Tokens for reasoning, for models that take a number instead of an effort.
const BUDGETS: [(&str, u64); 3] = [("low", 1024), ("medium", 8192), ("high", 24_576)];

/// The fewest tokens of thoughts that Anthropic takes.
const LEAST_BUDGET: u64 = 1024;

fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.names.contains(&name))
}

/// All names of the setting that a parameter is, if it is one.
fn names_of(name: &str) -> &'static [&'static str] {
    setting(name).map_or(&[], |setting| setting.names)
}

/// Whether parameters have this setting, under any of its names.
pub(super) fn has(params: &Map<String, Value>, name: &str) -> bool {
    params.contains_key(name) || names_of(name).iter().any(|other| params.contains_key(*other))
}

/// Puts parameters over others, whichever of its names a setting has in either.
pub(crate) fn put_over(params: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (name, value) in over {
        for other in names_of(name) {
            params.shift_remove(*other);
        }
        params.insert(name.clone(), value.clone());
    }
}

/// The parameters with each setting under the name that it has in the question's format, and where that has none,
/// without it.
pub(super) fn translate(
    question: &Question<'_>,
    params: Map<String, Value>,
    dropped: &mut Vec<String>,
) -> Map<String, Value> {
    let format = preset(question.setup.model.provider).format;
    if matches!(format, Format::Parts | Format::Demo) {
        return params;
    }
    let (mut translated, mut effort) = (Map::new(), None);
    for (name, value) in params {
        match setting(&name) {
            None => drop(translated.insert(name, value)),
            Some(Setting { kind: Kind::Effort, .. }) => effort = Some(value),
            // Gemini's own writer makes its names of these.
            Some(Setting { kind: Kind::Spelling, names: [_, own] }) => {
                drop(translated.insert((*own).to_owned(), value));
            }
            Some(&Setting { kind, .. }) => match own_name(question, format, kind, &name) {
                None => dropped.push(name),
                Some(own) => {
                    // Only chat completions take a text for a list of one.
                    let is_one = kind == Kind::Stop && format != Format::Chat && !value.is_array();
                    translated.insert(own.to_owned(), if is_one { vec![value].into() } else { value });
                }
            },
        }
    }
    if let Some(effort) = effort
        && !put_effort(question, format, &effort, &mut translated)
    {
        dropped.push("reasoningEffort".to_owned());
    }
    translated
}

/// What a setting is called in a format.
fn own_name<'n>(question: &Question<'_>, format: Format, kind: Kind, name: &'n str) -> Option<&'n str> {
    Some(match (format, kind) {
        (Format::Chat, Kind::Tokens) => match name {
            // OpenAI's newer models refuse the older name, which others know alone.
            _ if is_openai(question) => "max_completion_tokens",
            "max_completion_tokens" => name,
            _ => "max_tokens",
        },
        (Format::Responses, Kind::Tokens) => "max_output_tokens",
        (Format::Messages, Kind::Tokens) => "max_tokens",
        (_, Kind::Tokens) => "maxOutputTokens",
        (Format::Chat, Kind::Stop) => "stop",
        (Format::Messages, Kind::Stop) => "stop_sequences",
        (Format::Gemini, Kind::Stop) => "stopSequences",
        _ => return None,
    })
}

fn is_openai(question: &Question<'_>) -> bool {
    let model = &question.setup.model;
    let is_home = model.provider == Provider::Openai && !model.is_elsewhere();
    is_home || refuses_sampling(question)
}

/// Says how much the model is to think; whether that could be said. What is said of it in the format's own words stays.
fn put_effort(
    question: &Question<'_>,
    format: Format,
    effort: &Value,
    params: &mut Map<String, Value>,
) -> bool {
    let word = effort.as_str().unwrap_or_default();
    let budget = BUDGETS.iter().find(|(known, _)| *known == word).map(|(_, budget)| *budget);
    match format {
        Format::Responses => put_in(params, "reasoning", "effort", effort.clone()),
        Format::Messages if refuses_sampling(question) => {
            let kind = if word == "none" { "disabled" } else { "adaptive" };
            params.entry("thinking").or_insert_with(|| json!({ "type": kind }));
            if word != "none" {
                put_in(params, "output_config", "effort", effort.clone());
            }
        }
        Format::Messages => {
            // It reasons within the tokens of its answer, and only on request.
            let most = params.get("max_tokens").and_then(Value::as_u64).map_or(u64::MAX, |most| most / 2);
            let Some(budget) = budget.map(|budget| budget.min(most)) else { return word == "none" };
            if budget < LEAST_BUDGET {
                return false;
            }
            let thinking = json!({ "type": "enabled", "budget_tokens": budget });
            params.entry("thinking").or_insert(thinking);
        }
        Format::Gemini => {
            let config = match (gemini::is_old(question), word) {
                (true, _) => json!({ "thinkingBudget": budget.unwrap_or_default() }),
                // Newer models cannot be kept from thinking altogether.
                (false, "none") => json!({ "thinkingLevel": "minimal" }),
                (false, _) => json!({ "thinkingLevel": effort }),
            };
            params.entry("thinkingConfig").or_insert(config);
        }
        _ if question.setup.model.provider == Provider::Openrouter => {
            put_in(params, "reasoning", "effort", effort.clone());
        }
        _ => drop(params.insert("reasoning_effort".to_owned(), effort.clone())),
    }
    true
}

/// Puts a value into an object of the parameters, unless it has one there.
fn put_in(params: &mut Map<String, Value>, object: &str, key: &str, value: Value) {
    if let Value::Object(inner) = params.entry(object).or_insert_with(|| json!({})) {
        inner.entry(key).or_insert(value);
    }
}

/// Whether a model is made to think, in any format's words.
pub(super) fn thinks(params: &Map<String, Value>) -> bool {
    let is_on = |(name, value): (&String, &Value)| match name.as_str() {
        "thinking" => something(value, "type").is_some() && text(value, "type") != "disabled",
        "reasoning" => {
            let has_effort = something(value, "effort").is_some_and(|effort| effort != "none");
            has_effort
                || tokens(value, "max_tokens").is_some()
                || value.get("enabled") == Some(&Value::Bool(true))
        }
        name => {
            setting(name).is_some_and(|setting| setting.kind == Kind::Effort)
                && !value.is_null()
                && value != "none"
        }
    };
    params.iter().any(is_on)
}
