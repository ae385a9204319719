//! What model calls cost.

use super::ModelSetup;
use crate::engine::Usage;

/// Tokens for which prices are told.
const PRICED_TOKENS: f64 = 1e6;

/// The usage with what it costs, where a price is known and the endpoint has told none.
pub(crate) fn priced(setup: &ModelSetup, usage: Option<Usage>) -> Option<Usage> {
    let usage = usage?;
    let Some(price) = setup.price.filter(|_| usage.cost.is_none()) else { return Some(usage) };
    let cached = usage.cached_input_tokens.min(usage.input_tokens);
    let cost = (usage.input_tokens - cached) as f64 * price.input
        + cached as f64 * price.cached_input.unwrap_or(price.input)
        + usage.output_tokens as f64 * price.output;
    Some(Usage { cost: Some(cost / PRICED_TOKENS), ..usage })
}
