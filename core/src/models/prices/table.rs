//! What models cost, in US dollars for a million tokens.
//!
//! The numbers are those of <https://github.com/pydantic/genai-prices> (commit 47df840, 2026-08-21), which reads
//! the pages of the providers. Where a provider has several, it is the standard price. Where a price rises by a known day, it is the later one (`gemini-3.6-flash` and
//! `gemini-3.7-flash` cost half of it until the end of 2026).
//!
//! A line has the name of a model; what it takes for a prompt, an answer, and a prompt that it had kept; and, where
//! long prompts cost more, above how many thousand tokens they are long. Lines of text take a third of what numbers
//! take in the wasm.

use crate::decimal;
use crate::document::{LongPrompt, Price, Provider, Rates};

/// How much more a long prompt costs, and the answer to it: the same with all that have such a price.
const LONG_INPUT: f64 = 2.0;
const LONG_OUTPUT: f64 = 1.5;

/// How much more Anthropic takes for what it keeps, for the five minutes that are usual.
const KEPT: f64 = 1.25;

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
            return Some(Price::default());
        }
        // OpenRouter sends the cost of each call; for the others nothing is known.
        Provider::Openrouter | Provider::WorkersAi | Provider::Custom => return None,
    };
    let fits = |name: &str| model.strip_prefix(name).is_some_and(is_version);
    let named = rows.lines().filter_map(|row| row.split_once(' ')).filter(|(name, _)| fits(name));
    let (_, price) = named.max_by_key(|(name, _)| name.len())?;
    let mut numbers = price.split(' ').filter_map(decimal::read);
    let (input, output, cached) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let written = (provider == Provider::Anthropic).then_some(input * KEPT);
    let long_prompt = numbers.next().map(|thousands| LongPrompt {
        above: (thousands * 1e3) as u64,
        rates: Rates {
            input: input * LONG_INPUT,
            output: output * LONG_OUTPUT,
            cached_input: Some(cached * LONG_INPUT),
            cache_write: written.map(|written| written * LONG_INPUT),
        },
    });
    Some(Price {
        rates: Rates { input, output, cached_input: Some(cached), cache_write: written },
        long_prompt,
    })
}

/// Whether this behind a model's name still means the same model: a date, a number of three digits, `latest` or
/// `preview`. `-mini`, `.5` and the like are other models, whose price is not known from this one.
fn is_version(rest: &str) -> bool {
    let Some(version) = rest.strip_prefix('-') else { return rest.is_empty() };
    let digits = version.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3 || version == "latest" || version.starts_with("preview")
}

const OPENAI: &str = "
gpt-5.6-sol 5 30 .5 272
gpt-5.6 5 30 .5 272
gpt-5.6-terra 2 12 .2 272
gpt-5.6-luna .2 1.2 .02 272
gpt-5.5 5 30 .5
gpt-5.5-pro 30 180 30
gpt-5.4 2.5 15 .25 272
gpt-5.4-mini .75 4.5 .075
gpt-5.4-nano .2 1.25 .02
gpt-5.4-pro 30 180 30 272
gpt-5.3 1.75 14 .175
gpt-5.3-chat 1.75 14 .175
gpt-5.3-codex 1.75 14 .175
gpt-5.2 1.75 14 .175
gpt-5.2-chat 1.75 14 .175
gpt-5.2-codex 1.75 14 .175
gpt-5.2-pro 21 168 21
gpt-5.1 1.25 10 .125
gpt-5.1-chat 1.25 10 .125
gpt-5.1-codex 1.25 10 .125
gpt-5.1-codex-max 1.25 10 .125
gpt-5.1-codex-mini .25 2 .025
gpt-5 1.25 10 .125
gpt-5-chat 1.25 10 .125
gpt-5-codex 1.25 10 .125
gpt-5-mini .25 2 .025
gpt-5-nano .05 .4 .005
gpt-5-pro 15 120 15
gpt-4.1 2 8 .5
gpt-4.1-mini .4 1.6 .1
gpt-4.1-nano .1 .4 .025
gpt-4o 2.5 10 1.25
gpt-4o-mini .15 .6 .075
o3 2 8 .5
o3-mini 1.1 4.4 .55
o3-pro 20 80 20
o4-mini 1.1 4.4 .275
o1 15 60 7.5
o1-pro 150 600 150
";

const ANTHROPIC: &str = "
claude-fable-5 10 50 1
claude-opus-5 5 25 .5
claude-opus-4-8 5 25 .5
claude-opus-4-7 5 25 .5
claude-opus-4-6 5 25 .5
claude-opus-4-5 5 25 .5
claude-opus-4-1 15 75 1.5
claude-opus-4-0 15 75 1.5
claude-opus-4 15 75 1.5
claude-sonnet-5 3 15 .3
claude-sonnet-4-6 3 15 .3
claude-sonnet-4-5 3 15 .3 200
claude-sonnet-4-0 3 15 .3
claude-sonnet-4 3 15 .3
claude-haiku-4-5 1 5 .1
claude-3-7-sonnet 3 15 .3
claude-3-5-haiku .8 4 .08
claude-3-haiku .25 1.25 .03
";

const GEMINI: &str = "
gemini-3.7-flash 1.5 7.5 .15
gemini-3.6-flash 1.5 7.5 .15
gemini-3.5-flash 1.5 9 .15
gemini-3.5-flash-lite .3 2.5 .03
gemini-3.1-pro-preview 2 12 .2 200
gemini-3.1-flash-lite .25 1.5 .025
gemini-3-pro-preview 2 12 .2 200
gemini-3-flash-preview .5 3 .05
gemini-2.5-pro 1.25 10 .125 200
gemini-2.5-flash .3 2.5 .03
gemini-2.5-flash-lite .1 .4 .01
gemini-2.0-flash .1 .4 .025
gemini-2.0-flash-lite .075 .3 .075
";

const GROQ: &str = "
llama-3.1-8b-instant .05 .08 .05
llama-3.3-70b-versatile .59 .79 .59
meta-llama/llama-4-maverick-17b-128e-instruct .2 .6 .2
meta-llama/llama-4-scout-17b-16e-instruct .11 .34 .11
moonshotai/kimi-k2-instruct 1 3 .5
openai/gpt-oss-120b .15 .6 .075
openai/gpt-oss-20b .075 .3 .0375
qwen/qwen3-32b .29 .59 .29
";

const MISTRAL: &str = "
codestral-2508 .3 .9 .03
devstral-2512 .4 2 .04
magistral-medium 2 5 2
magistral-small .5 1.5 .5
ministral-14b-2512 .2 .2 .02
ministral-3b-2512 .1 .1 .01
mistral-large-2512 .5 1.5 .05
mistral-medium .4 2 .4
mistral-small-2603 .15 .6 .015
";

const DEEPSEEK: &str = "
deepseek-v4-pro .435 .87 .003625
deepseek-v4-flash .14 .28 .0028
";

const XAI: &str = "
grok-4.5 2 6 .5
grok-4.3 1.25 2.5 .2
grok-4.20 1.25 2.5 .2
grok-4-1-fast .2 .5 .05
grok-4-1-fast-reasoning .2 .5 .05
grok-4-1-fast-non-reasoning .2 .5 .05
grok-4 3 15 .75
grok-4-fast-reasoning .2 .5 .05
grok-4-fast-non-reasoning .2 .5 .05
grok-code-fast-1 .2 1.5 .02
grok-3 3 15 .75
grok-3-mini .3 .5 .075
";

const TOGETHER: &str = "
meta-llama/Llama-3.3-70B-Instruct-Turbo .88 .88 .88
meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8 .27 .85 .27
meta-llama/Llama-4-Scout-17B-16E-Instruct .18 .59 .18
";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test code")]

    use super::*;

    fn input(provider: Provider, model: &str) -> Option<f64> {
        known_price(provider, model).map(|price| price.rates.input)
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
    fn long_prompts_cost_more_with_some() {
        let price = known_price(Provider::Gemini, "gemini-2.5-pro").unwrap();
        let rates = Rates { input: 2.5, output: 15.0, cached_input: Some(0.25), cache_write: None };
        let long = LongPrompt { above: 200_000, rates };
        let rates = Rates { input: 1.25, output: 10.0, cached_input: Some(0.125), cache_write: None };
        assert_eq!(price, Price { rates, long_prompt: Some(long) });
        assert_eq!(known_price(Provider::Gemini, "gemini-2.5-flash").unwrap().long_prompt, None);
        let above = |model| known_price(Provider::Openai, model).unwrap().long_prompt.map(|long| long.above);
        assert_eq!((above("gpt-5.4"), above("gpt-5.4-mini")), (Some(272_000), None));
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
            let rows: Vec<Vec<&str>> = rows.trim().lines().map(|row| row.split(' ').collect()).collect();
            for (at, row) in rows.iter().enumerate() {
                let [name, input, output, cached, long @ ..] = row.as_slice() else { panic!("{row:?}") };
                assert!(!rows.iter().skip(at + 1).any(|other| other[0] == *name), "{name}");
                let [input, output, cached] =
                    [input, output, cached].map(|cost| cost.parse::<f64>().unwrap());
                assert!(input > 0.0 && output > 0.0 && cached <= input, "{name}");
                assert!(long.is_empty() || matches!(long, ["200" | "272"]), "{name}");
            }
        }
    }
}
