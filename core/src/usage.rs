//! What calls of models used: tokens, and what they cost.

use std::ops::AddAssign;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// About how many bytes of a text make a token.
pub(crate) const BYTES_A_TOKEN: usize = 4;

/// About how many tokens a text of so many bytes is.
pub(crate) fn tokens(bytes: usize) -> u64 {
    (bytes / BYTES_A_TOKEN) as u64
}

/// A sum of money without the error of sums of fractions, which is far behind what any price is exact to.
pub(crate) fn dollars(sum: f64) -> f64 {
    (sum * 1e12).round_ties_even() / 1e12
}

/// What an object says under `cost`. No endpoint gives money back, that of a stranger's document least of all: what it took from
/// a sum would be there for the models of others.
pub(crate) fn cost_in(json: &Value) -> Option<f64> {
    json.get("cost").and_then(Value::as_f64).filter(|cost| *cost >= 0.0)
}

/// What model calls used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Tokens of the prompts.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Of the prompts, those that the endpoint had kept.
    pub cached_input_tokens: u64,
    /// Of the prompts, those that the endpoint keeps from now on.
    pub cache_write_tokens: u64,
    /// Of the answers, those of the reasoning.
    pub reasoning_tokens: u64,
    /// US dollars, where the price is known.
    pub cost: Option<f64>,
}

impl Usage {
    /// Tokens of a prompt and of its answer.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Tokens in and out.
    pub fn tokens(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// As events, results and journals have it: `{ inputTokens, outputTokens, … }`, without zeros.
    pub fn to_json(self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        put("inputTokens", self.input_tokens.into());
        put("outputTokens", self.output_tokens.into());
        for (key, tokens) in [
            ("cachedInputTokens", self.cached_input_tokens),
            ("cacheWriteTokens", self.cache_write_tokens),
            ("reasoningTokens", self.reasoning_tokens),
        ] {
            if tokens > 0 {
                put(key, tokens.into());
            }
        }
        if let Some(cost) = self.cost {
            put("cost", cost.into());
        }
        json.into()
    }

    /// Reads the form that [`Usage::to_json`] writes.
    pub fn from_json(json: &Value) -> Self {
        let tokens = |key| json.get(key).and_then(Value::as_u64).unwrap_or_default();
        Self {
            input_tokens: tokens("inputTokens"),
            output_tokens: tokens("outputTokens"),
            cached_input_tokens: tokens("cachedInputTokens"),
            cache_write_tokens: tokens("cacheWriteTokens"),
            reasoning_tokens: tokens("reasoningTokens"),
            cost: cost_in(json),
        }
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
        self.cost = match (self.cost, other.cost) {
            (Some(cost), Some(more)) => Some(dollars(cost + more)),
            (one, other) => one.or(other),
        };
    }
}
