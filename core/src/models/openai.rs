//! OpenAI chat completions, as most endpoints speak it.

use serde_json::{Map, Value, json};

use super::patience::{Part, Patience};
use super::{Reply, refusal, sse};
use crate::engine::{AgentSetup, Code, Error, Event, Host, Origin, Request, SecretHeader, Spot, Usage};

/// Where OpenAI itself answers.
const HOME: &str = "https://api.openai.com/v1";

/// Bytes that an answer which is not a stream may have.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Bytes of something else that are kept to be told.
const MAX_HEAD: usize = 400;

pub(super) async fn ask<H: Host>(
    host: &H,
    spot: Spot,
    setup: &AgentSetup,
    input: &str,
) -> Result<Reply, Error> {
    let request = request(setup, input);
    let place = refusal::Place { url: request.url.clone(), model: setup.model.model.clone() };
    let patience = Patience::begin(host, setup);
    let fetched = patience.wait(host, &place, Part::First, host.fetch(spot, request)).await?;
    let mut response = fetched?;
    if !(200..300).contains(&response.status) {
        let body = whole_body(host, &mut response.body, &place, &patience).await.unwrap_or_default();
        return Err(refusal::error(&place, response.status, &response.headers, &body));
    }
    let is_whole = is_json(response.headers.get("content-type").and_then(Value::as_str).unwrap_or_default());
    let mut answer = Answer::new(place);
    if is_whole {
        // Some endpoints answer in one piece, whatever was asked.
        let body = whole_body(host, &mut response.body, &answer.place, &patience).await?;
        answer.whole(&body)?;
        if !answer.text.is_empty() {
            host.emit(Event::StepDelta { spot, text: answer.text.clone() });
        }
    } else {
        stream(host, spot, &mut response.body, &mut answer, &patience).await?;
    }
    answer.end(host, spot)
}

async fn stream<H: Host>(
    host: &H,
    spot: Spot,
    body: &mut H::Body,
    answer: &mut Answer,
    patience: &Patience,
) -> Result<(), Error> {
    let mut events = sse::Events::default();
    loop {
        let part = if answer.text.is_empty() { Part::First } else { Part::Next };
        let read = patience.wait(host, &answer.place, part, host.read(body)).await?;
        let Some(bytes) = read? else { break };
        answer.keep_head(&bytes);
        let found = events.push(&bytes).map_err(|sse::TooLarge| answer.place.too_large())?;
        tell(host, spot, answer, found)?;
        if answer.done {
            return Ok(());
        }
    }
    tell(host, spot, answer, events.end().into_iter().collect())
}

/// Reads the events and tells the text that they add, in one part.
fn tell<H: Host>(host: &H, spot: Spot, answer: &mut Answer, events: Vec<String>) -> Result<(), Error> {
    let before = answer.text.len();
    let result = events.iter().try_for_each(|data| answer.chunk(data));
    if let Some(text) = answer.text.get(before..).filter(|text| !text.is_empty()) {
        host.emit(Event::StepDelta { spot, text: text.to_owned() });
    }
    result
}

async fn whole_body<H: Host>(
    host: &H,
    body: &mut H::Body,
    place: &refusal::Place,
    patience: &Patience,
) -> Result<String, Error> {
    let mut bytes = Vec::new();
    while let Some(more) = patience.wait(host, place, Part::First, host.read(body)).await?? {
        bytes.extend(more);
        if bytes.len() > MAX_BODY {
            return Err(Error::new(Code::Limit, format!("the answer is larger than {MAX_BODY} bytes")));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a content type is JSON: `application/json` or `application/…+json`, with or without parameters.
fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Of several answers to one question the first one counts.
fn is_first(choice: &Value) -> bool {
    choice.get("index").and_then(Value::as_u64).is_none_or(|index| index == 0)
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
        // Endpoints refuse options of a stream that is not asked for.
        if body.get("stream") != Some(&Value::Bool(true)) {
            body.shift_remove("stream_options");
        }
    }
    let auth = setup.model.api_key.as_ref().map(|key| SecretHeader {
        secret: key.secret.clone(),
        header: "authorization",
        prefix: "Bearer ",
    });
    let mut headers = Map::new();
    headers.insert("content-type".to_owned(), "application/json".into());
    Request { url: format!("{base}/chat/completions"), method: "POST", headers, body: body.to_string(), auth }
}

/// An answer as far as it has arrived.
struct Answer {
    place: refusal::Place,
    text: String,
    usage: Option<Usage>,
    finish: Option<String>,
    done: bool,
    /// How the body begins, as long as nothing of it was understood: it tells what else answered.
    head: Vec<u8>,
    understood: bool,
}

impl Answer {
    fn new(place: refusal::Place) -> Self {
        Self {
            place,
            text: String::new(),
            usage: None,
            finish: None,
            done: false,
            head: Vec::new(),
            understood: false,
        }
    }

    fn keep_head(&mut self, bytes: &[u8]) {
        if !self.understood {
            let room = MAX_HEAD.saturating_sub(self.head.len());
            self.head.extend(bytes.iter().take(room));
        }
    }

    fn chunk(&mut self, data: &str) -> Result<(), Error> {
        self.understood = true;
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        self.read(data, "delta")
    }

    fn whole(&mut self, body: &str) -> Result<(), Error> {
        self.understood = true;
        self.read(body, "message")?;
        // Its length says that it is whole, whether or not it says why it ended.
        self.done = true;
        Ok(())
    }

    fn read(&mut self, text: &str, part: &str) -> Result<(), Error> {
        let Ok(chunk) = serde_json::from_str::<Value>(text) else {
            return Err(self.place.not_an_answer(text));
        };
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(refusal::told_in_stream(&self.place, error));
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        let usage = chunk.get("usage").filter(|usage| usage.is_object());
        if choices.is_none() && usage.is_none() {
            return Err(self.place.not_an_answer(text));
        }
        if let Some(usage) = usage {
            let tokens = |key| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
            let (input_tokens, output_tokens) = (tokens("prompt_tokens"), tokens("completion_tokens"));
            self.usage = Some(Usage { input_tokens, output_tokens });
        }
        for choice in choices.into_iter().flatten().filter(|choice| is_first(choice)) {
            if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
                self.finish = Some(finish.to_owned());
            }
            self.add(choice.get(part).and_then(|message| message.get("content")));
        }
        Ok(())
    }

    /// The content of a message is a text or, at some endpoints, a list of parts.
    fn add(&mut self, content: Option<&Value>) {
        match content {
            Some(Value::String(text)) => self.text.push_str(text),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                self.text.extend(texts);
            }
            _ => {}
        }
    }

    fn end<H: Host>(self, host: &H, spot: Spot) -> Result<Reply, Error> {
        match self.finish.as_deref() {
            None if !self.understood && !self.head.is_empty() => {
                return Err(self.place.not_an_answer(&String::from_utf8_lossy(&self.head)));
            }
            // Some endpoints leave the reason out and only say that they are done.
            None if !self.done => return Err(self.place.broke_off()),
            Some("content_filter") => return Err(self.place.filtered()),
            Some("tool_calls" | "function_call") if self.text.is_empty() => {
                return Err(self.place.wants_tools());
            }
            _ if self.text.is_empty() => host.emit(Event::Warning {
                spot: Some(spot),
                code: "empty_answer",
                message: "the model answered with an empty text".to_owned(),
            }),
            Some("length") => host.emit(Event::Warning {
                spot: Some(spot),
                code: "cut_off",
                message: "the answer reached the model's limit of tokens and was cut off".to_owned(),
            }),
            _ => {}
        }
        Ok(Reply { text: self.text, usage: self.usage, origin: Origin::Real })
    }
}
