//! What models cost, in US dollars for a million tokens.
//!
//! The numbers are those of <https://github.com/pydantic/genai-prices> (commit 47df840, 2026-08-21), which reads
//! the pages of the providers. Where a provider has several, it is the standard price of short prompts: some take
//! more above 200 000 or 272 000 tokens, and for writing into their cache. Where a price rises by a known day,
//! it is the later one (`gemini-3.6-flash` and `gemini-3.7-flash` cost half of it until the end of 2026).

use crate::document::{Price, Provider};

/// The name of a model; what it takes for a prompt, an answer, and a prompt that it had kept.
type Rows = &'static [(&'static str, f64, f64, f64)];

/// What a model costs, if that is known: at endpoints of one's own nothing.
pub(crate) fn known_price(provider: Provider, model: &str) -> Option<Price> {
    let rows = match provider {
        Provider::Openai | Provider::OpenaiResponses | Provider::Azure => OPENAI,
        Provider::Anthropic => ANTHROPIC,
        Provider::Gemini => GEMINI,
        Provider::Groq => GROQ,
        Provider::Mistral => MISTRAL,
        Provider::Deepseek => DEEPSEEK,
        Provider::Xai => XAI,
        Provider::Together => TOGETHER,
        Provider::Demo | Provider::Ollama | Provider::Lmstudio | Provider::Vllm | Provider::Llamacpp => {
            return Some(Price { input: 0.0, output: 0.0, cached_input: None });
        }
        // OpenRouter tells what each call cost; of the others nothing is known.
        Provider::Openrouter | Provider::WorkersAi | Provider::Custom => return None,
    };
    let fits = |name: &str| model.strip_prefix(name).is_some_and(is_version);
    let named = rows.iter().filter(|(name, ..)| fits(name));
    let (_, input, output, cached) = *named.max_by_key(|(name, ..)| name.len())?;
    Some(Price { input, output, cached_input: Some(cached) })
}

/// Whether this behind a model's name still means the same model: a date, a number of three digits, `latest` or
/// `preview`. `-mini`, `.5` and the like are other models, whose price is not known from this one.
fn is_version(rest: &str) -> bool {
    let Some(version) = rest.strip_prefix('-') else { return rest.is_empty() };
    let digits = version.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3 || version == "latest" || version.starts_with("preview")
}

const OPENAI: Rows = &[
    ("gpt-5.6-sol", 5.0, 30.0, 0.5),
    ("gpt-5.6", 5.0, 30.0, 0.5),
    ("gpt-5.6-terra", 2.0, 12.0, 0.2),
    ("gpt-5.6-luna", 0.2, 1.2, 0.02),
    ("gpt-5.5", 5.0, 30.0, 0.5),
    ("gpt-5.5-pro", 30.0, 180.0, 30.0),
    ("gpt-5.4", 2.5, 15.0, 0.25),
    ("gpt-5.4-mini", 0.75, 4.5, 0.075),
    ("gpt-5.4-nano", 0.2, 1.25, 0.02),
    ("gpt-5.4-pro", 30.0, 180.0, 30.0),
    ("gpt-5.3", 1.75, 14.0, 0.175),
    ("gpt-5.3-chat", 1.75, 14.0, 0.175),
    ("gpt-5.3-codex", 1.75, 14.0, 0.175),
    ("gpt-5.2", 1.75, 14.0, 0.175),
    ("gpt-5.2-chat", 1.75, 14.0, 0.175),
    ("gpt-5.2-codex", 1.75, 14.0, 0.175),
    ("gpt-5.2-pro", 21.0, 168.0, 21.0),
    ("gpt-5.1", 1.25, 10.0, 0.125),
    ("gpt-5.1-chat", 1.25, 10.0, 0.125),
    ("gpt-5.1-codex", 1.25, 10.0, 0.125),
    ("gpt-5.1-codex-max", 1.25, 10.0, 0.125),
    ("gpt-5.1-codex-mini", 0.25, 2.0, 0.025),
    ("gpt-5", 1.25, 10.0, 0.125),
    ("gpt-5-chat", 1.25, 10.0, 0.125),
    ("gpt-5-codex", 1.25, 10.0, 0.125),
    ("gpt-5-mini", 0.25, 2.0, 0.025),
    ("gpt-5-nano", 0.05, 0.4, 0.005),
    ("gpt-5-pro", 15.0, 120.0, 15.0),
    ("gpt-4.1", 2.0, 8.0, 0.5),
    ("gpt-4.1-mini", 0.4, 1.6, 0.1),
    ("gpt-4.1-nano", 0.1, 0.4, 0.025),
    ("gpt-4o", 2.5, 10.0, 1.25),
    ("gpt-4o-mini", 0.15, 0.6, 0.075),
    ("o3", 2.0, 8.0, 0.5),
    ("o3-mini", 1.1, 4.4, 0.55),
    ("o3-pro", 20.0, 80.0, 20.0),
    ("o4-mini", 1.1, 4.4, 0.275),
    ("o1", 15.0, 60.0, 7.5),
    ("o1-pro", 150.0, 600.0, 150.0),
];

const ANTHROPIC: Rows = &[
    ("claude-fable-5", 10.0, 50.0, 1.0),
    ("claude-opus-5", 5.0, 25.0, 0.5),
    ("claude-opus-4-8", 5.0, 25.0, 0.5),
    ("claude-opus-4-7", 5.0, 25.0, 0.5),
    ("claude-opus-4-6", 5.0, 25.0, 0.5),
    ("claude-opus-4-5", 5.0, 25.0, 0.5),
    ("claude-opus-4-1", 15.0, 75.0, 1.5),
    ("claude-opus-4-0", 15.0, 75.0, 1.5),
    ("claude-opus-4", 15.0, 75.0, 1.5),
    ("claude-sonnet-5", 3.0, 15.0, 0.3),
    ("claude-sonnet-4-6", 3.0, 15.0, 0.3),
    ("claude-sonnet-4-5", 3.0, 15.0, 0.3),
    ("claude-sonnet-4-0", 3.0, 15.0, 0.3),
    ("claude-sonnet-4", 3.0, 15.0, 0.3),
    ("claude-haiku-4-5", 1.0, 5.0, 0.1),
    ("claude-3-7-sonnet", 3.0, 15.0, 0.3),
    ("claude-3-5-haiku", 0.8, 4.0, 0.08),
    ("claude-3-haiku", 0.25, 1.25, 0.03),
];

const GEMINI: Rows = &[
    ("gemini-3.7-flash", 1.5, 7.5, 0.15),
    ("gemini-3.6-flash", 1.5, 7.5, 0.15),
    ("gemini-3.5-flash", 1.5, 9.0, 0.15),
    ("gemini-3.5-flash-lite", 0.3, 2.5, 0.03),
    ("gemini-3.1-pro-preview", 2.0, 12.0, 0.2),
    ("gemini-3.1-flash-lite", 0.25, 1.5, 0.025),
    ("gemini-3-pro-preview", 2.0, 12.0, 0.2),
    ("gemini-3-flash-preview", 0.5, 3.0, 0.05),
    ("gemini-2.5-pro", 1.25, 10.0, 0.125),
    ("gemini-2.5-flash", 0.3, 2.5, 0.03),
    ("gemini-2.5-flash-lite", 0.1, 0.4, 0.01),
    ("gemini-2.0-flash", 0.1, 0.4, 0.025),
    ("gemini-2.0-flash-lite", 0.075, 0.3, 0.075),
];

const GROQ: Rows = &[
    ("llama-3.1-8b-instant", 0.05, 0.08, 0.05),
    ("llama-3.3-70b-versatile", 0.59, 0.79, 0.59),
    ("meta-llama/llama-4-maverick-17b-128e-instruct", 0.2, 0.6, 0.2),
    ("meta-llama/llama-4-scout-17b-16e-instruct", 0.11, 0.34, 0.11),
    ("moonshotai/kimi-k2-instruct", 1.0, 3.0, 0.5),
    ("openai/gpt-oss-120b", 0.15, 0.6, 0.075),
    ("openai/gpt-oss-20b", 0.075, 0.3, 0.0375),
    ("qwen/qwen3-32b", 0.29, 0.59, 0.29),
];

const MISTRAL: Rows = &[
    ("codestral-2508", 0.3, 0.9, 0.03),
    ("devstral-2512", 0.4, 2.0, 0.04),
    ("magistral-medium", 2.0, 5.0, 2.0),
    ("magistral-small", 0.5, 1.5, 0.5),
    ("ministral-14b-2512", 0.2, 0.2, 0.02),
    ("ministral-3b-2512", 0.1, 0.1, 0.01),
    ("mistral-large-2512", 0.5, 1.5, 0.05),
    ("mistral-medium", 0.4, 2.0, 0.4),
    ("mistral-small-2603", 0.15, 0.6, 0.015),
];

const DEEPSEEK: Rows =
    &[("deepseek-v4-pro", 0.435, 0.87, 0.003625), ("deepseek-v4-flash", 0.14, 0.28, 0.0028)];

const XAI: Rows = &[
    ("grok-4.5", 2.0, 6.0, 0.5),
    ("grok-4.3", 1.25, 2.5, 0.2),
    ("grok-4.20", 1.25, 2.5, 0.2),
    ("grok-4-1-fast", 0.2, 0.5, 0.05),
    ("grok-4-1-fast-reasoning", 0.2, 0.5, 0.05),
    ("grok-4-1-fast-non-reasoning", 0.2, 0.5, 0.05),
    ("grok-4", 3.0, 15.0, 0.75),
    ("grok-4-fast-reasoning", 0.2, 0.5, 0.05),
    ("grok-4-fast-non-reasoning", 0.2, 0.5, 0.05),
    ("grok-code-fast-1", 0.2, 1.5, 0.02),
    ("grok-3", 3.0, 15.0, 0.75),
    ("grok-3-mini", 0.3, 0.5, 0.075),
];

const TOGETHER: Rows = &[
    ("meta-llama/Llama-3.3-70B-Instruct-Turbo", 0.88, 0.88, 0.88),
    ("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", 0.27, 0.85, 0.27),
    ("meta-llama/Llama-4-Scout-17B-16E-Instruct", 0.18, 0.59, 0.18),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn input(provider: Provider, model: &str) -> Option<f64> {
        known_price(provider, model).map(|price| price.input)
    }

    #[test]
    fn the_longest_name_that_fits_counts() {
        assert_eq!(input(Provider::Openai, "gpt-5"), Some(1.25));
        assert_eq!(input(Provider::OpenaiResponses, "gpt-5-2025-08-07"), Some(1.25));
        assert_eq!(input(Provider::Azure, "gpt-5-mini"), Some(0.25));
        assert_eq!(input(Provider::Openai, "gpt-5-chat-latest"), Some(1.25));
        assert_eq!(input(Provider::Anthropic, "claude-opus-4-20250514"), Some(15.0));
        assert_eq!(input(Provider::Anthropic, "claude-opus-4-1-20250805"), Some(15.0));
        assert_eq!(input(Provider::Anthropic, "claude-haiku-4-5-20251001"), Some(1.0));
        assert_eq!(input(Provider::Gemini, "gemini-2.0-flash-001"), Some(0.1));
        assert_eq!(input(Provider::Gemini, "gemini-2.5-flash-preview-09-2025"), Some(0.3));
        assert_eq!(input(Provider::Xai, "grok-4-0709"), Some(3.0));
    }

    #[test]
    fn another_model_is_not_taken_for_one_that_is_known() {
        for model in ["gpt-5.9", "gpt-5-ultra", "gpt-55", "claude-opus-4-1", "my-gpt-5", ""] {
            assert_eq!(input(Provider::Openai, model), None, "{model}");
        }
        assert_eq!(input(Provider::Anthropic, "claude-opus-4-9"), None);
    }

    #[test]
    fn the_same_model_may_cost_another_price_elsewhere() {
        assert_eq!(input(Provider::Groq, "openai/gpt-oss-120b"), Some(0.15));
        assert_eq!(input(Provider::Together, "openai/gpt-oss-120b"), None);
    }

    #[test]
    fn endpoints_of_ones_own_cost_nothing() {
        for provider in
            [Provider::Demo, Provider::Ollama, Provider::Lmstudio, Provider::Vllm, Provider::Llamacpp]
        {
            assert_eq!(input(provider, "gpt-5"), Some(0.0));
        }
        for provider in [Provider::Openrouter, Provider::WorkersAi, Provider::Custom] {
            assert_eq!(input(provider, "gpt-5"), None);
        }
    }

    #[test]
    fn no_row_is_there_twice_and_none_is_for_nothing() {
        for rows in [OPENAI, ANTHROPIC, GEMINI, GROQ, MISTRAL, DEEPSEEK, XAI, TOGETHER] {
            for (at, (name, input, output, cached)) in rows.iter().enumerate() {
                assert!(!rows.iter().skip(at + 1).any(|(other, ..)| other == name), "{name}");
                assert!(*input > 0.0 && *output > 0.0 && cached <= input, "{name}");
            }
        }
    }
}
