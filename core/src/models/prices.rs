//! What model calls cost.

pub(crate) use self::table::known_price;
use super::ModelSetup;
use crate::document::{Provider, Rates};
use crate::usage::{Usage, dollars};

mod table;

/// The number of tokens that prices are for.
const PRICED_TOKENS: f64 = 1e6;

/// Whether the cost of a call of this model will be known: OpenRouter sends it.
pub(crate) fn has_price(setup: &ModelSetup) -> bool {
    setup.price.is_some() || setup.model.provider == Provider::Openrouter
}

/// The least that a token of an answer costs, where a price is known.
pub(crate) fn least_answer_price(setup: &ModelSetup) -> Option<f64> {
    let price = setup.price.as_ref()?;
    let long = price.long_prompt.as_ref().map_or(f64::INFINITY, |long| long.rates.output);
    Some(price.rates.output.min(long) / PRICED_TOKENS)
}

/// The usage with its cost, where a price is known, the endpoint has sent no cost and anything was used.
pub(crate) fn priced(setup: &ModelSetup, usage: Option<Usage>) -> Option<Usage> {
    let usage = usage?;
    let Some(price) = setup.price.as_ref().filter(|_| usage.cost.is_none() && usage.tokens() > 0) else {
        return Some(usage);
    };
    let long = price.long_prompt.as_ref().filter(|long| usage.input_tokens > long.above);
    let Rates { input, output, cached_input, cache_write } = *long.map_or(&price.rates, |long| &long.rates);
    let cached = usage.cached_input_tokens.min(usage.input_tokens);
    let fresh = usage.input_tokens - cached;
    let written = usage.cache_write_tokens.min(fresh);
    let cost = (fresh - written) as f64 * input
        + cached as f64 * cached_input.unwrap_or(input)
        + written as f64 * cache_write.unwrap_or(input)
        + usage.output_tokens as f64 * output;
    Some(Usage { cost: Some(dollars(cost / PRICED_TOKENS)), ..usage })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]

    use super::*;
    use crate::document::{LongPrompt, Model, Price, Rates};

    fn cost(price: Option<Price>, usage: Usage) -> Option<f64> {
        let setup = ModelSetup {
            model: Model::new(Provider::Openai, "m"),
            function: None,
            params: serde_json::Map::new(),
            price,
            first_token_ms: None,
            idle_ms: None,
        };
        priced(&setup, Some(usage)).unwrap().cost
    }

    #[test]
    fn what_was_kept_is_cheaper_and_what_the_endpoint_tells_counts() {
        let rates = Rates { input: 2.0, output: 8.0, cached_input: Some(0.5), cache_write: None };
        let price = Some(Price { rates, long_prompt: None });
        let usage = Usage { cached_input_tokens: 400_000, ..Usage::new(1_000_000, 500_000) };
        assert_eq!(cost(price, usage), Some(0.6 * 2.0 + 0.4 * 0.5 + 0.5 * 8.0));
        assert_eq!(cost(price, Usage { cost: Some(0.01), ..usage }), Some(0.01));
        assert_eq!(cost(None, usage), None);
        assert_eq!(cost(price, Usage::new(0, 0)), None);
        let flat = Some(Price { rates: Rates { cached_input: None, ..rates }, long_prompt: None });
        assert_eq!(cost(flat, usage), Some(6.0));
        // More was kept than was sent: no endpoint gives money back.
        let wrong = Usage { cached_input_tokens: 9, ..Usage::new(4, 0) };
        assert_eq!(cost(price, wrong), Some(4.0 * 0.5 / 1e6));
    }

    #[test]
    fn what_the_endpoint_keeps_costs_its_own_price() {
        let rates = Rates { input: 2.0, output: 8.0, cached_input: Some(0.5), cache_write: Some(2.5) };
        let price = Some(Price { rates, long_prompt: None });
        let usage =
            Usage { cached_input_tokens: 400_000, cache_write_tokens: 100_000, ..Usage::new(1_000_000, 0) };
        assert_eq!(cost(price, usage), Some(0.5 * 2.0 + 0.4 * 0.5 + 0.1 * 2.5));
        let plain = Some(Price { rates: Rates { cache_write: None, ..rates }, long_prompt: None });
        assert_eq!(cost(plain, usage), Some(0.6 * 2.0 + 0.4 * 0.5));
        // More is kept than was sent: what was kept before counts first.
        let wrong = Usage { cached_input_tokens: 3, cache_write_tokens: 9, ..Usage::new(4, 0) };
        assert_eq!(cost(price, wrong), Some((3.0 * 0.5 + 2.5) / 1e6));
        let sonnet = super::known_price(Provider::Anthropic, "claude-sonnet-4-5").unwrap();
        assert_eq!(sonnet.rates.cache_write, Some(sonnet.rates.input * 1.25));
    }

    #[test]
    fn the_whole_of_a_long_prompt_costs_more_and_so_does_its_answer() {
        let rates = Rates { input: 2.0, output: 8.0, cached_input: Some(0.5), cache_write: None };
        let long = LongPrompt {
            above: 200_000,
            rates: Rates { input: 4.0, output: 12.0, cached_input: None, cache_write: None },
        };
        let price = Some(Price { rates, long_prompt: Some(long) });
        assert_eq!(cost(price, Usage::new(200_000, 100_000)), Some(1.2));
        let usage = Usage { cached_input_tokens: 250_000, ..Usage::new(500_000, 100_000) };
        assert_eq!(cost(price, usage), Some(3.2));
    }
}
