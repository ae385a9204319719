//! What is known of each provider, as rows of data.

use crate::document::Provider;

/// How an endpoint is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
    /// Gemini's generateContent.
    Gemini,
    /// The parts that a function of the host gives.
    Parts,
    /// Not at all: the answer is made here.
    Demo,
}

/// What is known of a provider.
#[derive(Debug)]
pub struct Preset {
    /// How it is spoken to.
    pub format: Format,
    /// The header that carries the key.
    pub key_header: &'static str,
    /// What stands before the key in it.
    pub key_prefix: &'static str,
}

const BEARER: Preset =
    Preset { format: Format::Chat, key_header: "authorization", key_prefix: "Bearer " };

/// What is known of this provider.
pub fn preset(provider: Provider) -> &'static Preset {
    match provider {
        Provider::Demo => &Preset { format: Format::Demo, ..BEARER },
        Provider::Custom => &Preset { format: Format::Parts, ..BEARER },
        _ => &BEARER,
    }
}
