//! What an endpoint's refusal means, and what a person can do about it.

use serde_json::{Map, Value};

use crate::engine::{Code, Error};

/// Which endpoint and model an error is about.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) url: String,
    pub(super) model: String,
}

/// Characters of an endpoint's own words that are told.
const QUOTED: usize = 300;

impl Place {
    pub(super) fn not_an_answer(&self, text: &str) -> Error {
        let message = format!("{} sent what is not a chat completion: {}", self.host(), quoted(text));
        Error::new(Code::Model, message).with_hint("check the base URL; it usually ends with /v1")
    }

    pub(super) fn broke_off(&self) -> Error {
        Error::new(Code::Network, format!("{} broke off before its answer was whole", self.host()))
            .with_hint("try again; the text so far is in the step's result")
            .retryable()
    }

    pub(super) fn silent(&self, limit_ms: u64, key: &str) -> Error {
        Error::new(Code::Timeout, format!("{} sent nothing for {limit_ms} ms", self.host()))
            .with_hint(format!("try again, or raise limits.{key}"))
            .retryable()
    }

    pub(super) fn wants_tools(&self) -> Error {
        Error::new(Code::Model, format!("{} wants to call a tool instead of answering", self.host()))
            .with_hint("give the agent `tools`, or take them out of the model's params")
    }

    pub(super) fn refused(&self, words: &str) -> Error {
        let message = match words {
            "" => format!("the model at {} refuses to answer", self.host()),
            words => format!("the model at {} refuses to answer: {}", self.host(), quoted(words)),
        };
        Error::new(Code::Model, message).with_hint("change the instructions or the input")
    }

    pub(super) fn filtered(&self) -> Error {
        Error::new(Code::Model, format!("{} held the answer back by its content filter", self.host()))
            .with_hint("change the instructions or the input")
    }

    pub(super) fn too_large(&self) -> Error {
        Error::new(Code::Limit, format!("{} sent an event without end", self.host()))
            .with_hint("check the base URL")
    }

    /// The scheme, host and port of the endpoint.
    fn host(&self) -> &str {
        let from = self.url.find("://").map_or(0, |at| at + 3);
        let rest = self.url.get(from..).unwrap_or("");
        let end = from + rest.find('/').unwrap_or(rest.len());
        self.url.get(..end).unwrap_or(&self.url)
    }
}

/// The error that an answer with this status means.
pub(super) fn error(place: &Place, status: u16, headers: &Map<String, Value>, body: &str) -> Error {
    let host = place.host();
    let words = endpoint_words(body);
    let said = |what: &str| match words.is_empty() {
        true => format!("{host} {what} (status {status})"),
        false => format!("{host} {what} (status {status}): {words}"),
    };
    let error = match status {
        401 => Error::new(Code::Auth, said("does not accept the key"))
            .with_hint("check the key, and that it belongs to this endpoint"),
        403 => Error::new(Code::Auth, said("refuses access"))
            .with_hint("the key may not use this model, or the endpoint does not allow this page's origin"),
        404 => Error::new(
            Code::Model,
            said(&format!("does not know the model `{}` or the address", place.model)),
        )
        .with_hint("check the model's name and the base URL, which usually ends with /v1"),
        429 => Error::new(Code::RateLimit, said("asks to come back later"))
            .with_hint("wait, send less at once, or raise the limit at the endpoint")
            .retryable(),
        408 | 409 | 500.. => Error::new(Code::Model, said("failed"))
            .with_hint("try again, or look at the endpoint's log or status page")
            .retryable(),
        _ => Error::new(Code::Model, said("refuses the request"))
            .with_hint("its own words say what it does not accept; check the model's params"),
    };
    Error { retry_after_ms: retry_after(headers), ..error }
}

/// The error that an endpoint told in the middle of its answer.
pub(super) fn told_in_stream(place: &Place, error: &Value) -> Error {
    let words = words_of(error).unwrap_or_else(|| error.to_string());
    let message = format!("{} reports an error in its answer: {}", place.host(), quoted(&words));
    Error::new(Code::Model, message)
        .with_hint("try again; the text so far is in the step's result")
        .retryable()
}

/// Milliseconds until the endpoint wants to be asked again.
fn retry_after(headers: &Map<String, Value>) -> Option<u64> {
    let number = |name: &str| {
        headers.get(name).and_then(Value::as_str).and_then(|text| text.trim().parse::<f64>().ok())
    };
    let milliseconds = number("retry-after-ms").or_else(|| Some(number("retry-after")? * 1000.0))?;
    (milliseconds >= 0.0).then_some(milliseconds as u64)
}

/// What the endpoint itself says, whatever form it gives it.
fn endpoint_words(body: &str) -> String {
    let told = serde_json::from_str::<Value>(body).ok().and_then(|json| {
        let error = json.get("error").unwrap_or(&json);
        words_of(error)
    });
    match told {
        Some(words) => quoted(&words),
        // A page of HTML says nothing that a person could use.
        None if body.trim_start().starts_with('<') => String::new(),
        None => quoted(body),
    }
}

fn words_of(error: &Value) -> Option<String> {
    let words = error.as_str().or_else(|| error.get("message").and_then(Value::as_str))?;
    Some(words.to_owned())
}

fn quoted(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
