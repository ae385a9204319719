//! What a model is sent.

use serde_json::{Map, Value};

use super::{ProvidedOffer, Turn};
use crate::document::{Model, OutputMode, Price, Provided, ToolChoice};

/// One call of a model.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Which model, and how.
    pub setup: &'a ModelSetup,
    /// The name of the calling agent.
    pub agent: &'a str,
    /// The system message.
    pub instructions: Option<&'a str>,
    /// The conversation so far; the last turn is not the model's.
    pub turns: &'a [Turn],
    /// The tools that it may call.
    pub tools: &'a [Offer],
    /// The tools that its endpoint may run itself.
    pub provided: &'a [ProvidedOffer],
    /// Whether it has to call one of `tools`.
    pub choice: &'a ToolChoice,
    /// The JSON Schema of the answer, if it is to be a JSON value.
    pub output: Option<&'a Value>,
    /// How JSON is requested; by default what the model's settings or its endpoint's quirks say.
    pub output_mode: Option<OutputMode>,
    /// The longest time in milliseconds for which other calls wait when the endpoint says to come back later.
    pub longest_wait_ms: u64,
    /// The words after which the answer is given up: what is left of a budget is surely used then.
    pub most: Option<Most>,
}

/// The most words that an answer may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// Their bytes.
    pub bytes: usize,
    /// The name of the bound that they follow from.
    pub bound: &'static str,
}

impl Question<'_> {
    /// Whether it is offered any tools.
    pub(super) fn has_tools(&self) -> bool {
        !(self.tools.is_empty() && self.provided.is_empty())
    }

    /// Whether the endpoint may do this itself.
    pub(super) fn may(&self, does: Provided) -> bool {
        self.provided.iter().any(|offer| offer.tool.does == does)
    }

    /// Bytes of the words in a request body. Images, files and sounds cost by their pixels, pages or seconds, which are
    /// not known here: their bytes would make an image as expensive as a book.
    pub(crate) fn words_in(&self, text: &str) -> usize {
        let wordless = self.turns.iter().map(Turn::wordless_bytes).sum();
        text.len().saturating_sub(wordless)
    }
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input: Value,
}

impl Offer {
    /// The tool in an endpoint's form, with what it does where that is said.
    pub(super) fn described(&self, mut form: Value) -> Value {
        if let (Some(description), Some(map)) = (&self.description, form.as_object_mut()) {
            map.insert("description".to_owned(), description.as_str().into());
        }
        form
    }

    /// The schema of the arguments, as endpoints want it: they are always an object.
    pub(super) fn parameters(&self) -> Value {
        match self.input.as_object() {
            Some(schema) if schema.contains_key("type") => self.input.clone(),
            other => {
                let mut schema = other.cloned().unwrap_or_default();
                schema.insert("type".to_owned(), "object".into());
                schema.entry("properties").or_insert_with(|| Map::new().into());
                schema.into()
            }
        }
    }
}

/// A model with what goes into each of its calls.
#[derive(Debug, Clone)]
pub struct ModelSetup {
    /// The model.
    pub model: Model,
    /// For a model of the host: the function's number in the plan.
    pub function: Option<u32>,
    /// The model's parameters with the agent's over them.
    pub params: Map<String, Value>,
    /// What it costs, where that is known.
    pub price: Option<Price>,
    /// Milliseconds until the answer has to begin.
    pub first_token_ms: Option<u64>,
    /// Milliseconds that the answer may pause.
    pub idle_ms: Option<u64>,
}
