//! What an agent is sent besides its input: files, and the earlier conversation.

use std::borrow::Cow;

use serde_json::Value;

use super::flow::Flow;
use super::journal::Place;
use super::plan::{Decider, Remembered};
use super::walk::Walk;
use crate::error::{Code, Error};
use crate::host::{Host, Wants};
use crate::literal::json;
use crate::models::{Media, Part, Reply, Turn};

impl<H: Host> Walk<'_, H> {
    /// The images and files that belong to the input.
    pub(super) async fn files(
        &self,
        step: &str,
        files: &Decider,
        flow: &Flow<H::Value>,
        state: &H::Value,
        place: &Place<'_>,
    ) -> Result<Vec<Part>, Error> {
        let given = match files {
            Decider::Expression(files) => self.json(&self.evaluate(files, "`files`", flow, state).await?),
            Decider::Function(function) => {
                self.json(&self.call_for(*function, Wants::List, flow, state, place, "files").await?)
            }
        };
        let Value::Array(given) = given else {
            return Err(
                Error::new(Code::Validation, format!("the `files` of `{step}` are no list")).with_hint(FORM)
            );
        };
        let read = |(number, file): (usize, &Value)| {
            Media::from_json(file).map(Part::Media).ok_or_else(|| {
                Error::new(Code::Validation, format!("`files[{number}]` of `{step}` is no image and no file"))
                    .with_hint(FORM)
            })
        };
        given.iter().enumerate().map(read).collect()
    }

    /// The conversation that the state has under this key.
    pub(super) fn remembered(&self, step: &str, key: &str, state: &H::Value) -> Result<Vec<Turn>, Error> {
        let Some(kept) = self.host.member(state, key) else { return Ok(Vec::new()) };
        let wrong = || {
            Error::new(Code::Validation, format!("the history of `{step}` under `{key}` is no conversation"))
                .with_hint(
                    "it is a list of { role: \"user\" or \"assistant\", content: a text }; `[]` is a new one",
                )
        };
        let read = |message: H::Value| {
            let message = self.json(&message);
            let text = message.get("content").and_then(Value::as_str).ok_or_else(wrong)?;
            match message.get("role").and_then(Value::as_str) {
                Some("user") => Ok(Turn::text(text)),
                Some("assistant") => Ok(answered(text.to_owned())),
                _ => Err(wrong()),
            }
        };
        match self.host.items(&kept) {
            Some(messages) => messages.into_iter().map(read).collect(),
            None if self.json(&kept).is_null() => Ok(Vec::new()),
            None => Err(wrong()),
        }
    }
}

/// The conversation with its newest message and answer, without the oldest messages.
pub(super) fn conversation(history: &Remembered, earlier: usize, turns: &[Turn], answer: &str) -> Value {
    let mut messages = Vec::new();
    for turn in turns.iter().take(earlier + 1) {
        match turn {
            Turn::User(parts) => messages.push(("user", texts(parts))),
            Turn::Assistant(reply) => messages.push(("assistant", reply.text.as_str().into())),
            Turn::Tools(_) => {}
        }
    }
    messages.push(("assistant", answer.into()));
    let mut first = messages.len().saturating_sub(history.max_messages);
    // A conversation begins with a user's message.
    while messages.get(first).is_some_and(|(role, _)| *role == "assistant") {
        first += 1;
    }
    let kept = messages.iter().skip(first);
    kept.map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// What was said, without the images and files: a conversation keeps texts.
fn texts(parts: &[Part]) -> Cow<'_, str> {
    let mut said = Cow::Borrowed("");
    for part in parts {
        match part {
            Part::Text(text) if said.is_empty() => said = text.as_str().into(),
            Part::Text(text) => said.to_mut().extend(["\n\n", text]),
            Part::Media(_) => {}
        }
    }
    said
}

/// The input of an agent.
pub(super) struct Said {
    /// What was said before, where the input is a conversation.
    pub(super) before: Vec<Turn>,
    /// The user's message.
    pub(super) question: Vec<Part>,
}

impl Said {
    pub(super) fn text(text: String) -> Self {
        Self { before: Vec::new(), question: vec![Part::Text(text)] }
    }
}

/// What a function says that writes an agent's input: a text, a list of texts, images and files, or a conversation.
pub(super) fn said_by(step: &str, said: Value) -> Result<Said, Error> {
    let list = match said {
        Value::Array(list) => list,
        text => vec![text],
    };
    if !list.iter().any(|part| part.get("role").is_some()) {
        return Ok(Said { before: Vec::new(), question: said_parts(step, "inputFrom", &list)? });
    }
    let messages = list.iter().enumerate();
    let mut before = messages
        .map(|(number, message)| said_before(step, number, message))
        .collect::<Result<Vec<_>, _>>()?;
    match before.pop() {
        Some(Turn::User(question)) => Ok(Said { before, question }),
        _ => {
            let message = format!("the conversation that `{step}` is given does not end with a question");
            Err(Error::new(Code::Validation, message).with_hint("its last message has the role `user`"))
        }
    }
}

/// A message of a conversation that is given as an input.
fn said_before(step: &str, number: usize, message: &Value) -> Result<Turn, Error> {
    let place = format!("inputFrom[{number}]");
    let wrong = |what: &str, hint: &'static str| {
        Error::new(Code::Validation, format!("`{place}` of `{step}` {what}")).with_hint(hint)
    };
    let content = match message.get("content") {
        Some(Value::String(text)) => vec![Part::Text(text.clone())],
        Some(Value::Array(parts)) => said_parts(step, &format!("{place}.content"), parts)?,
        _ => {
            return Err(wrong(
                "is a message without `content`",
                "write { role: \"user\", content: a text or a list of parts }",
            ));
        }
    };
    match message.get("role").and_then(Value::as_str) {
        Some("user") => Ok(Turn::User(content)),
        Some("assistant") => Ok(answered(texts(&content).into_owned())),
        role => Err(wrong(
            &format!("is a message with the role `{}`", role.unwrap_or_default()),
            "a conversation has the roles `user` and `assistant`; what a model is told first are the agent's `instructions`",
        )),
    }
}

/// What a model answered before.
fn answered(text: String) -> Turn {
    Turn::Assistant(Reply { text, ..Reply::default() })
}

/// Texts, images and files. `place` is their path, for an error.
fn said_parts(step: &str, place: &str, list: &[Value]) -> Result<Vec<Part>, Error> {
    let read = |(number, part): (usize, &Value)| {
        let text = part.as_str().or_else(|| part.get("text").and_then(Value::as_str));
        text.map(|text| Part::Text(text.to_owned()))
            .or_else(|| Media::from_json(part).map(Part::Media))
            .ok_or_else(|| {
                let message = format!("`{place}[{number}]` of `{step}` is no text, no image and no file");
                Error::new(Code::Validation, message).with_hint(FORM)
            })
    };
    list.iter().enumerate().map(read).collect()
}

const FORM: &str = "give a list of { type: \"image\" or \"file\", mediaType: \"image/png\", data: base64 text }, or `url` in place of `data`";
