//! What model calls cost.

pub(crate) use self::table::known_price;
use super::ModelSetup;
use crate::document::{Provider, Rates};
use crate::engine::Usage;

mod table;

/// Tokens for which prices are told.
const PRICED_TOKENS: f64 = 1e6;

/// Whether it will be known what a call of this model cost: OpenRouter tells it.
pub(crate) fn has_price(setup: &ModelSetup) -> bool {
    setup.price.is_some() || setup.model.provider == Provider::Openrouter
}

/// The usage with what it costs, where a price is known and the endpoint has told none.
pub(crate) fn priced(setup: &ModelSetup, usage: Option<Usage>) -> Option<Usage> {
    let usage = usage?;
    let Some(price) = setup.price.as_ref().filter(|_| usage.cost.is_none()) else { return Some(usage) };
    let long = price.long_prompt.as_ref().filter(|long| usage.input_tokens > long.above);
    let Rates { input, output, cached_input } = *long.map_or(&price.rates, |long| &long.rates);
    let cached = usage.cached_input_tokens.min(usage.input_tokens);
    let cost = (usage.input_tokens - cached) as f64 * input
        + cached as f64 * cached_input.unwrap_or(input)
        + usage.output_tokens as f64 * output;
    Some(Usage { cost: Some(cost / PRICED_TOKENS), ..usage })
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
        let rates = Rates { input: 2.0, output: 8.0, cached_input: Some(0.5) };
        let price = Some(Price { rates, long_prompt: None });
        let usage = Usage { cached_input_tokens: 400_000, ..Usage::new(1_000_000, 500_000) };
        assert_eq!(cost(price, usage), Some(0.6 * 2.0 + 0.4 * 0.5 + 0.5 * 8.0));
        assert_eq!(cost(price, Usage { cost: Some(0.01), ..usage }), Some(0.01));
        assert_eq!(cost(None, usage), None);
        let flat = Some(Price { rates: Rates { cached_input: None, ..rates }, long_prompt: None });
        assert_eq!(cost(flat, usage), Some(6.0));
        // More was kept than was sent: no endpoint gives money back.
        let wrong = Usage { cached_input_tokens: 9, ..Usage::new(4, 0) };
        assert_eq!(cost(price, wrong), Some(4.0 * 0.5 / 1e6));
    }

    #[test]
    fn the_whole_of_a_long_prompt_costs_more_and_so_does_its_answer() {
        let rates = Rates { input: 2.0, output: 8.0, cached_input: Some(0.5) };
        let long =
            LongPrompt { above: 200_000, rates: Rates { input: 4.0, output: 12.0, cached_input: None } };
        let price = Some(Price { rates, long_prompt: Some(long) });
        assert_eq!(cost(price, Usage::new(200_000, 100_000)), Some(1.2));
        let usage = Usage { cached_input_tokens: 250_000, ..Usage::new(500_000, 100_000) };
        assert_eq!(cost(price, usage), Some(3.2));
    }
}
