//! OpenAI chat completions, as most endpoints speak it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Reply, refusal, sse};
use crate::engine::{AgentSetup, Code, Error, Event, Host, Origin, Request, SecretHeader, StepIndex, Usage};

/// Where OpenAI itself answers.
const HOME: &str = "https://api.openai.com/v1";

/// Bytes that an answer which is not a stream may have.
const MAX_BODY: usize = 16 * 1024 * 1024;

pub(super) async fn ask<H: Host>(
    host: &H,
    step: StepIndex,
    setup: &AgentSetup,
    input: &str,
) -> Result<Reply, Error> {
    let request = request(setup, input);
    let place = refusal::Place { url: request.url.clone(), model: setup.model.model.clone() };
    let mut response = host.fetch(step, request).await?;
    if !(200..300).contains(&response.status) {
        let body = whole_body(host, &mut response.body).await.unwrap_or_default();
        return Err(refusal::error(&place, response.status, &response.headers, &body));
    }
    let content_type = response.headers.get("content-type").map_or("", String::as_str);
    let mut answer = Answer::new(place);
    if content_type.starts_with("application/json") {
        // Some endpoints answer in one piece, whatever was asked.
        let body = whole_body(host, &mut response.body).await?;
        answer.whole(&body)?;
        if !answer.text.is_empty() {
            host.emit(Event::StepDelta { step, text: answer.text.clone() });
        }
    } else {
        stream(host, step, &mut response.body, &mut answer).await?;
    }
    answer.end(host, step)
}

async fn stream<H: Host>(
    host: &H,
    step: StepIndex,
    body: &mut H::Body,
    answer: &mut Answer,
) -> Result<(), Error> {
    let mut events = sse::Events::default();
    while let Some(bytes) = host.read(body).await? {
        let found = events.push(&bytes).map_err(|sse::TooLarge| answer.place.too_large())?;
        tell(host, step, answer, found)?;
        if answer.done {
            return Ok(());
        }
    }
    tell(host, step, answer, events.end().into_iter().collect())
}

/// Reads the events and tells the text that they add, in one part.
fn tell<H: Host>(host: &H, step: StepIndex, answer: &mut Answer, events: Vec<String>) -> Result<(), Error> {
    let before = answer.text.len();
    let result = events.iter().try_for_each(|data| answer.chunk(data));
    if let Some(text) = answer.text.get(before..).filter(|text| !text.is_empty()) {
        host.emit(Event::StepDelta { step, text: text.to_owned() });
    }
    result
}

async fn whole_body<H: Host>(host: &H, body: &mut H::Body) -> Result<String, Error> {
    let mut bytes = Vec::new();
    while let Some(more) = host.read(body).await? {
        bytes.extend(more);
        if bytes.len() > MAX_BODY {
            return Err(Error::new(Code::Limit, format!("the answer is larger than {MAX_BODY} bytes")));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn request(setup: &AgentSetup, input: &str) -> Request {
    let base = setup.model.base_url.as_deref().unwrap_or(HOME).trim_end_matches('/');
    let mut messages = Vec::new();
    if let Some(instructions) = setup.instructions.as_deref().filter(|text| !text.is_empty()) {
        messages.push(json!({ "role": "system", "content": instructions }));
    }
    messages.push(json!({ "role": "user", "content": input }));
    let mut body = json!({
        "model": setup.model.model,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    if let Some(body) = body.as_object_mut() {
        body.extend(setup.params.clone());
    }
    let auth = setup.model.api_key.as_ref().map(|key| SecretHeader {
        secret: key.secret.clone(),
        header: "authorization",
        prefix: "Bearer ",
    });
    Request {
        url: format!("{base}/chat/completions"),
        method: "POST",
        headers: BTreeMap::from([("content-type", "application/json".to_owned())]),
        body: body.to_string(),
        auth,
    }
}

/// An answer as far as it has arrived.
struct Answer {
    place: refusal::Place,
    text: String,
    usage: Option<Usage>,
    finish: Option<String>,
    done: bool,
}

impl Answer {
    fn new(place: refusal::Place) -> Self {
        Self { place, text: String::new(), usage: None, finish: None, done: false }
    }

    fn chunk(&mut self, data: &str) -> Result<(), Error> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        self.read(data, |choice| choice.delta)
    }

    fn whole(&mut self, body: &str) -> Result<(), Error> {
        self.read(body, |choice| choice.message)
    }

    fn read(&mut self, text: &str, pick: fn(Choice) -> Option<Message>) -> Result<(), Error> {
        let Ok(chunk) = serde_json::from_str::<Chunk>(text) else {
            return Err(self.place.not_an_answer(text));
        };
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(refusal::told_in_stream(&self.place, &error));
        }
        if chunk.choices.is_none() && chunk.usage.is_none() {
            return Err(self.place.not_an_answer(text));
        }
        if let Some(usage) = chunk.usage {
            let (input, output) = (usage.prompt_tokens, usage.completion_tokens);
            self.usage = Some(Usage { input_tokens: input, output_tokens: output });
        }
        for mut choice in chunk.choices.unwrap_or_default() {
            if let Some(finish) = choice.finish_reason.take() {
                self.finish = Some(finish);
            }
            if let Some(message) = pick(choice) {
                self.text.push_str(&message.text());
            }
        }
        Ok(())
    }

    fn end<H: Host>(self, host: &H, step: StepIndex) -> Result<Reply, Error> {
        match self.finish.as_deref() {
            // Some endpoints leave the reason out and only say that they are done.
            None if !self.done => return Err(self.place.broke_off()),
            Some("content_filter") => return Err(self.place.filtered()),
            Some("length") => host.emit(Event::Warning {
                step: Some(step),
                code: "cut_off",
                message: "the answer reached the model's limit of tokens and was cut off".to_owned(),
            }),
            _ => {}
        }
        Ok(Reply { text: self.text, usage: self.usage, origin: Origin::Real })
    }
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<ChunkUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Message>,
    message: Option<Message>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Value>,
}

#[derive(Deserialize)]
struct ChunkUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl Message {
    /// The text of a message, whose content is a text or, at some endpoints, a list of parts.
    fn text(self) -> String {
        match self.content {
            Some(Value::String(text)) => text,
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                texts.collect()
            }
            _ => String::new(),
        }
    }
}
