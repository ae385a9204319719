//! What is said between an agent and its model.

use serde_json::Value;

use super::{Extras, Media, Served};
use crate::event::Origin;
use crate::json;
use crate::literal::json;
use crate::usage::Usage;

/// One side's turn in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// The user's message.
    User(Vec<Part>),
    /// What the model answered.
    Assistant(Reply),
    /// What the tools gave that the model called in the turn before.
    Tools(Vec<ToolResult>),
}

impl Turn {
    /// A text for the model.
    pub fn text(text: impl Into<String>) -> Self {
        Self::User(vec![Part::Text(text.into())])
    }
}

/// A content part of a user's message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A text.
    Text(String),
    /// An image or another file.
    Media(Media),
}

/// A tool that the model wants to be called.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The endpoint's name for the call; made up where it gives none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments; null when they are `broken`.
    pub input: Value,
    /// The arguments as they came, when they are no JSON object.
    pub broken: Option<String>,
    /// Whether the model reached its limit of tokens while it wrote the call.
    pub is_cut_off: bool,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The tool's result, or the message about its failure.
    pub output: Value,
    /// Whether it is a failure.
    pub is_error: bool,
}

impl ToolResult {
    /// The output as a text: a text as it is, anything else as JSON.
    pub fn text(&self) -> String {
        match &self.output {
            Value::String(text) => text.clone(),
            other => json::text(other),
        }
    }

    /// The output as content parts, if there are images or files in it: it is one, or a list of these and of texts.
    pub(super) fn parts(&self) -> Option<Vec<Part>> {
        let part = |part: &Value| {
            let text = match part.get("type").and_then(Value::as_str)? {
                "text" => part.get("text").and_then(Value::as_str).map(str::to_owned),
                _ => None,
            };
            let media = || Media::from_json(part).map(Part::Media);
            // Anything else beside an image, such as the description of a sound, is sent as it is.
            text.map(Part::Text).or_else(media).or_else(|| Some(Part::Text(json::text(part))))
        };
        let list = self.output.as_array().map_or(std::slice::from_ref(&self.output), Vec::as_slice);
        let parts: Vec<Part> = list.iter().map(part).collect::<Option<_>>()?;
        parts.iter().any(|part| matches!(part, Part::Media(_))).then_some(parts)
    }

    /// The output as a text, and the images and files that it names by their numbers, from this one on.
    pub(super) fn as_text(&self, from: usize) -> (String, Vec<Media>) {
        let Some(parts) = self.parts() else { return (self.text(), Vec::new()) };
        let (mut texts, mut media) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Text(text) => texts.push(text),
                Part::Media(medium) => {
                    texts.push(format!("[file {} below]", from + media.len() + 1));
                    media.push(medium);
                }
            }
        }
        (texts.join("\n"), media)
    }
}

/// Why a model ended its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finish {
    /// It has said what it had to say.
    #[default]
    Stop,
    /// It reached a limit of tokens.
    Length,
    /// It wants tools to be called.
    ToolCalls,
    /// The endpoint's filter held the answer back.
    Filtered,
    /// The model refused to answer.
    Refused,
    /// The endpoint interrupts it; it goes on when it is sent what it has said.
    Paused,
    /// Something that only the endpoint knows.
    Other,
}

impl Finish {
    const WORDS: [(Self, &'static str); 7] = [
        (Self::Stop, "stop"),
        (Self::Length, "length"),
        (Self::ToolCalls, "toolCalls"),
        (Self::Filtered, "filtered"),
        (Self::Refused, "refused"),
        (Self::Paused, "paused"),
        (Self::Other, "other"),
    ];

    /// The word that stands for it in results.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(finish, _)| *finish == self).map_or("other", |(_, word)| word)
    }

    /// What a word stands for; [`Finish::Other`] for an unknown one.
    pub fn from_word(word: &str) -> Self {
        Self::WORDS.iter().find(|(_, known)| *known == word).map_or(Self::Other, |(finish, _)| *finish)
    }
}

/// A model's whole answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// What the model thought before, where the endpoint shows it.
    pub reasoning: String,
    /// The tools it wants to be called.
    pub calls: Vec<ToolCall>,
    /// What the call used, where the endpoint says so.
    pub usage: Option<Usage>,
    /// Why it ended.
    pub finish: Finish,
    /// The answer in the endpoint's own form, for the next turn with the same model: signatures of thoughts and
    /// the like. Null where the rest of the reply says everything.
    pub echo: Value,
    /// What came beside the text.
    pub extras: Box<Extras>,
    /// Whether a model was called at all.
    pub origin: Origin,
}

impl Reply {
    /// Bytes of what the model has written.
    pub(crate) fn bytes(&self) -> usize {
        let calls = self.calls.iter().map(|call| call.name.len() + call.arguments().len());
        self.text.len() + self.reasoning.len() + calls.sum::<usize>()
    }

    /// Whether there is anything in it that is emitted while it comes.
    pub(crate) fn says_something(&self) -> bool {
        !(self.text.is_empty() && self.reasoning.is_empty())
    }

    /// Takes in what came next of an answer, but for its calls and the endpoint's own form.
    pub(crate) fn goes_on(&mut self, part: &Self) {
        self.text.push_str(&part.text);
        self.reasoning.push_str(&part.reasoning);
        (self.finish, self.origin) = (part.finish, part.origin);
        self.extras.take_in(&part.extras);
    }

    /// The answer as a journal keeps it.
    pub(crate) fn to_json(&self) -> Value {
        let calls: Vec<Value> = self.calls.iter().map(ToolCall::to_json).collect();
        let served: Vec<Value> = self.extras.served.iter().map(Served::to_json).collect();
        let mut kept = json!({ "text": self.text, "finish": self.finish.word() });
        let Some(map) = kept.as_object_mut() else { return kept };
        let more = [
            ("reasoning", Value::from(self.reasoning.as_str()), self.reasoning.is_empty()),
            ("refusal", self.extras.refusal.as_str().into(), self.extras.refusal.is_empty()),
            ("calls", calls.into(), self.calls.is_empty()),
            ("served", served.into(), self.extras.served.is_empty()),
            ("usage", self.usage.map_or(Value::Null, |usage| usage.to_json()), self.usage.is_none()),
            ("echo", self.echo.clone(), self.echo.is_null()),
            ("simulated", true.into(), self.origin == Origin::Real),
        ];
        for (key, value, is_nothing) in more {
            if !is_nothing {
                map.insert(key.to_owned(), value);
            }
        }
        map.extend(self.extras.to_json());
        kept
    }

    /// The answer that a journal kept.
    pub(crate) fn from_json(json: &Value) -> Self {
        let text = |key| json.get(key).and_then(Value::as_str).unwrap_or_default();
        let calls = json.get("calls").and_then(Value::as_array);
        Self {
            text: text("text").to_owned(),
            reasoning: text("reasoning").to_owned(),
            calls: calls.into_iter().flatten().map(ToolCall::from_json).collect(),
            usage: json.get("usage").map(Usage::from_json),
            finish: Finish::from_word(text("finish")),
            echo: json.get("echo").cloned().unwrap_or_default(),
            extras: Box::new(Extras::from_json(json)),
            origin: match json.get("simulated") {
                Some(Value::Bool(true)) => Origin::Simulated,
                _ => Origin::Real,
            },
        }
    }
}

impl ToolCall {
    pub(crate) fn to_json(&self) -> Value {
        let mut json = json!({ "id": self.id, "name": self.name, "input": self.input });
        let Some(map) = json.as_object_mut() else { return json };
        if let Some(broken) = &self.broken {
            map.insert("broken".to_owned(), broken.as_str().into());
        }
        if self.is_cut_off {
            map.insert("cutOff".to_owned(), true.into());
        }
        json
    }

    /// The arguments as JSON text; endpoints that read them again choke on broken ones.
    pub(super) fn arguments(&self) -> String {
        if self.input.is_null() { "{}".to_owned() } else { json::text(&self.input) }
    }

    /// The arguments where endpoints know nothing but objects.
    pub(super) fn arguments_object(&self) -> Value {
        if self.input.is_object() { self.input.clone() } else { json!({}) }
    }

    fn from_json(json: &Value) -> Self {
        let text = |key| json.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            id: text("id").unwrap_or_default(),
            name: text("name").unwrap_or_default(),
            input: json.get("input").cloned().unwrap_or_default(),
            broken: text("broken"),
            is_cut_off: json.get("cutOff") == Some(&Value::Bool(true)),
        }
    }
}

#[cfg(test)]
mod tests;
