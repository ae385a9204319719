//! What an agent is sent besides its input: files, and the earlier conversation.

use serde_json::Value;

use super::agent::Progress;
use super::budget::tokens;
use super::flow::Flow;
use super::journal::Caller;
use super::plan::{Decider, Remembered};
use super::walk::Walk;
use crate::error::{Code, Error};
use crate::host::{Host, Wants};
use crate::json;
use crate::literal::json;
use crate::models::{Media, ModelSetup, Part, Reply, ToolResult, Turn};

impl<H: Host> Walk<'_, H> {
    /// The images and files that belong to the input.
    pub(super) async fn files(
        &self,
        step: &str,
        files: &Decider,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<Vec<Part>, Error> {
        let given = match files {
            Decider::Expression(files) => self.json(&self.evaluate(files, "`files`", flow, state).await?),
            Decider::Function(function) => {
                self.json(&self.call_for(*function, Wants::List, flow, state, caller, "files").await?)
            }
        };
        let Value::Array(given) = given else {
            return Err(
                Error::new(Code::Validation, format!("the `files` of `{step}` are no list")).with_hint(FORM)
            );
        };
        let read = |(number, file): (usize, &Value)| {
            Media::from_json(file).map(Part::Media).or_else(|| titled(file)).ok_or_else(|| {
                Error::new(Code::Validation, format!("`files[{number}]` of `{step}` is no image and no file"))
                    .with_hint(FORM)
            })
        };
        given.iter().enumerate().map(read).collect()
    }

    /// The conversation that the state has under this key.
    pub(super) fn remembered(
        &self,
        step: &str,
        key: &str,
        state: &H::Value,
        model: &str,
    ) -> Result<Conversation, Error> {
        let Some(kept) = self.host.member(state, key) else { return Ok(Conversation::default()) };
        match self.json(&kept) {
            Value::Null => Ok(Conversation::default()),
            Value::Array(messages) => Ok(Conversation::read(step, key, messages, model)?.begun_by_user()),
            _ => Err(Error::new(
                Code::Validation,
                format!("the history of `{step}` under `{key}` is no conversation"),
            )
            .with_hint("it is a list of messages, { role, content }; `[]` is a new one")),
        }
    }
}

/// How a message says which model made it: only that one understands its `echo`.
pub(super) fn name_of(setup: Option<&ModelSetup>) -> String {
    setup.map_or_else(String::new, |ModelSetup { model, .. }| {
        format!("{}/{}", model.provider.word(), model.model)
    })
}

/// A conversation as it was before an answer.
#[derive(Default)]
pub(super) struct Conversation {
    pub(super) turns: Vec<Turn>,
    /// The same as they were written: they are kept so, for another model may understand more of them.
    pub(super) messages: Vec<Value>,
}

/// The conversation with the turns of this answer, as long as it may be.
pub(super) fn conversation(history: &Remembered, progress: &Progress, model: &str) -> Value {
    let kept = kept(progress);
    let own = kept.iter().skip(progress.messages.len()).map(|turn| message(turn, model));
    let mut messages: Vec<Value> = progress.messages.iter().cloned().chain(own).collect();
    // What is summed up is so before the next question.
    if history.summary.is_none() {
        let first = first_kept(&kept, &messages, history.max_messages, history.max_tokens);
        messages.drain(..first);
    }
    messages.into()
}

/// The turns without the answers that were rejected.
pub(super) fn kept(progress: &Progress) -> Vec<&Turn> {
    let mut kept: Vec<&Turn> = Vec::with_capacity(progress.turns.len());
    for (number, turn) in progress.turns.iter().enumerate() {
        // A user speaks once in a run. What follows in that role rejects the answer before it, from before its pauses
        // on: neither is kept.
        if number > progress.earlier && matches!(turn, Turn::User(_)) {
            while matches!(kept.last(), Some(Turn::Assistant(_))) {
                kept.pop();
            }
        } else {
            kept.push(turn);
        }
    }
    kept
}

/// The index of the first of the newest messages that fit.
pub(super) fn first_kept(
    turns: &[&Turn],
    messages: &[Value],
    max_messages: usize,
    max_tokens: Option<u64>,
) -> usize {
    let mut first = messages.len().saturating_sub(max_messages);
    if let Some(most) = max_tokens {
        let mut size = 0;
        let fitting = messages.iter().zip(turns).rev().take_while(|(message, turn)| {
            size += tokens(json::text(message).len().saturating_sub(turn.wordless_bytes()));
            size <= most
        });
        first = first.max(messages.len() - fitting.count());
    }
    // A conversation begins with a user's message, and results of tools follow their calls.
    while turns.get(first).is_some_and(|turn| !matches!(turn, Turn::User(_))) {
        first += 1;
    }
    first.min(messages.len())
}

/// A message as the state keeps it: a text where it is no more than that.
fn message(turn: &Turn, model: &str) -> Value {
    let text = match turn {
        Turn::User(parts) => match parts.as_slice() {
            [Part::Text(text)] => Some(("user", text)),
            _ => None,
        },
        Turn::Assistant(Reply { text, reasoning, calls, echo: Value::Null, .. })
            if reasoning.is_empty() && calls.is_empty() =>
        {
            Some(("assistant", text))
        }
        _ => None,
    };
    if let Some((role, text)) = text {
        return json!({ "role": role, "content": text });
    }
    let mut message = turn.to_json();
    if let Some(map) = message.as_object_mut().filter(|map| map.contains_key("echo")) {
        map.insert("model".to_owned(), model.into());
    }
    message
}

/// The input of an agent.
pub(super) struct Said {
    /// What was said before, where the input is a conversation.
    pub(super) before: Conversation,
    /// The user's message.
    pub(super) question: Vec<Part>,
}

impl Said {
    pub(super) fn text(text: String) -> Self {
        Self { before: Conversation::default(), question: vec![Part::Text(text)] }
    }
}

/// What a function says that writes an agent's input: a text, a list of texts, images and files, or a conversation.
pub(super) fn said_by(step: &str, said: Value, model: &str) -> Result<Said, Error> {
    let list = match said {
        Value::Array(list) => list,
        text => vec![text],
    };
    if !list.iter().any(|part| part.get("role").is_some()) {
        return Ok(Said { before: Conversation::default(), question: said_parts(step, "inputFrom", &list)? });
    }
    let mut before = Conversation::read(step, "inputFrom", list, model)?;
    before.messages.pop();
    match before.turns.pop() {
        Some(Turn::User(question)) => Ok(Said { before, question }),
        _ => {
            let message = format!("the conversation that `{step}` is given does not end with a question");
            Err(Error::new(Code::Validation, message).with_hint("its last message has the role `user`"))
        }
    }
}

impl Conversation {
    /// Reads the messages of a conversation. `path` is where they stand, for an error.
    fn read(step: &str, path: &str, messages: Vec<Value>, model: &str) -> Result<Self, Error> {
        let mut turns: Vec<Turn> = Vec::with_capacity(messages.len());
        // The calls that the next message has to answer.
        let mut open: Vec<String> = Vec::new();
        for (number, message) in messages.iter().enumerate() {
            let at = MessageAt { step, path: format!("{path}[{number}]") };
            let turn = at.turn(message, model)?;
            let answered = match &turn {
                Turn::Tools(results) => results.iter().map(|result| result.id.as_str()).collect(),
                _ => Vec::new(),
            };
            if answered.len() != open.len() || !open.iter().all(|id| answered.contains(&id.as_str())) {
                return Err(at.wrong(
                    "does not answer the tool calls before it",
                    "each message with calls is followed by one with the role `tool` that has a result for each of their ids, and for no other",
                ));
            }
            open = match &turn {
                Turn::Assistant(reply) => reply.calls.iter().map(|call| call.id.clone()).collect(),
                _ => Vec::new(),
            };
            turns.push(turn);
        }
        Ok(Self { turns, messages })
    }

    /// The conversation from the user's first message on: some endpoints refuse one that begins with an answer.
    fn begun_by_user(mut self) -> Self {
        let first = self.turns.iter().take_while(|turn| !matches!(turn, Turn::User(_))).count();
        self.turns.drain(..first);
        self.messages.drain(..first);
        self
    }
}

/// Where a message of a conversation stands, for an error.
struct MessageAt<'a> {
    step: &'a str,
    path: String,
}

impl MessageAt<'_> {
    fn turn(&self, message: &Value, model: &str) -> Result<Turn, Error> {
        match (message.get("role").and_then(Value::as_str), message.get("content")) {
            (Some("tool"), _) => self.results(message),
            (Some("user"), Some(content)) => Ok(Turn::User(match content {
                Value::String(text) => vec![Part::Text(text.clone())],
                Value::Array(parts) => said_parts(self.step, &format!("{}.content", self.path), parts)?,
                _ => return Err(self.without_content()),
            })),
            (Some("assistant"), Some(content)) => self.reply(message, content, model).map(Turn::Assistant),
            (Some("user" | "assistant"), None) => Err(self.without_content()),
            (role, _) => Err(self.wrong(
                &role.map_or("is no message".to_owned(), |role| format!("is a message with the role `{role}`")),
                "a conversation has the roles `user`, `assistant` and `tool`; what a model is told first are the agent's `instructions`",
            )),
        }
    }

    /// What a model answered before.
    fn reply(&self, message: &Value, content: &Value, model: &str) -> Result<Reply, Error> {
        let parts = match content {
            Value::String(_) => std::slice::from_ref(content),
            Value::Array(parts) => parts.as_slice(),
            _ => return Err(self.without_content()),
        };
        let mut reply = Reply::default();
        for (number, part) in parts.iter().enumerate() {
            if !reply.take_part(part) {
                return Err(self.wrong(
                    &format!("has a part `content[{number}]` that no model writes"),
                    "an answer has parts { type: \"text\", text }, { type: \"reasoning\", text } and { type: \"toolCall\", id, name, input }",
                ));
            }
        }
        if message.get("model").and_then(Value::as_str).is_none_or(|by| by == model) {
            reply.echo = message.get("echo").cloned().unwrap_or_default();
        }
        Ok(reply)
    }

    fn results(&self, message: &Value) -> Result<Turn, Error> {
        let results = message.get("results").and_then(Value::as_array);
        let results: Option<Vec<_>> =
            results.and_then(|results| results.iter().map(ToolResult::from_json).collect());
        results.map(Turn::Tools).ok_or_else(|| {
            self.wrong(
                "is a message without `results`",
                "write { role: \"tool\", results: [{ id, name, output }] }",
            )
        })
    }

    fn without_content(&self) -> Error {
        self.wrong(
            "is a message without `content`",
            "write { role: \"user\", content: a text or a list of parts }",
        )
    }

    fn wrong(&self, what: &str, hint: &'static str) -> Error {
        Error::new(Code::Validation, format!("`{}` of `{}` {what}", self.path, self.step)).with_hint(hint)
    }
}

/// What was read of a file, under its name.
fn titled(file: &Value) -> Option<Part> {
    let text = |key| file.get(key).and_then(Value::as_str);
    let (Some("text"), Some(content)) = (text("type"), text("text")) else { return None };
    Some(Part::Text(text("name").map_or(content.to_owned(), |name| format!("{name}:\n\n{content}"))))
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
