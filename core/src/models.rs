//! Language models: what is asked, in the wire format that the endpoint speaks, and what it answers.

use crate::document::Provider;
use serde_json::{Value, json};

use crate::engine::{AgentSetup, Error, Host, Origin, Spot, Usage};

mod demo;
mod openai;
mod patience;
mod refusal;
mod sse;

/// A model's whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// What the call used, where the endpoint says so.
    pub usage: Option<Usage>,
    /// Whether a model was asked at all.
    pub origin: Origin,
}

impl Reply {
    /// The answer as a journal keeps it.
    pub(crate) fn to_json(&self) -> Value {
        let usage = self.usage.map(|Usage { input_tokens, output_tokens }| [input_tokens, output_tokens]);
        json!({ "text": self.text, "usage": usage, "simulated": self.origin == Origin::Simulated })
    }

    /// The answer that a journal kept.
    pub(crate) fn from_json(json: &Value) -> Self {
        let tokens = |index| json.get("usage")?.get(index)?.as_u64();
        let usage = tokens(0).zip(tokens(1));
        Self {
            text: json.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
            usage: usage.map(|(input_tokens, output_tokens)| Usage { input_tokens, output_tokens }),
            origin: match json.get("simulated") {
                Some(Value::Bool(true)) => Origin::Simulated,
                _ => Origin::Real,
            },
        }
    }
}

/// Asks the agent's model; each part of the answer is told as it arrives.
///
/// # Errors
/// When the endpoint cannot be reached, refuses, or sends what is not an answer.
pub async fn ask<H: Host>(host: &H, spot: Spot, setup: &AgentSetup, input: &str) -> Result<Reply, Error> {
    match setup.model.provider {
        Provider::Openai => openai::ask(host, spot, setup, input).await,
        Provider::Demo => Ok(demo::ask(host, spot, setup, input).await),
    }
}
