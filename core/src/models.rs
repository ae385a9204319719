//! Language models: what is asked, in the wire format that the endpoint speaks, and what it answers.

use crate::document::Provider;
use crate::engine::{AgentSetup, Error, Host, Origin, StepIndex, Usage};

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

/// Asks the agent's model; each part of the answer is told as it arrives.
///
/// # Errors
/// When the endpoint cannot be reached, refuses, or sends what is not an answer.
pub async fn ask<H: Host>(
    host: &H,
    step: StepIndex,
    setup: &AgentSetup,
    input: &str,
) -> Result<Reply, Error> {
    match setup.model.provider {
        Provider::Openai => openai::ask(host, step, setup, input).await,
        Provider::Demo => Ok(demo::ask(host, step, setup, input).await),
    }
}
