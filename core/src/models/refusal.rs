//! What an endpoint's refusal means, and what a person can do about it.

use serde_json::{Map, Value};

use self::kinds::{Kind, Outlook, kind};
pub(super) use self::wait::Clock;
use self::words::{Words, quoted};
use super::Partial;
use crate::error::{Code, Error, Refusal};
use crate::usage::{Usage, tokens};

mod kinds;
#[cfg(test)]
mod tests;
mod wait;
mod words;

/// Which endpoint and model an error is about.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) url: String,
    pub(super) model: String,
}

/// A response that is not an answer.
pub(super) struct Refused<'a> {
    pub(super) status: u16,
    pub(super) headers: &'a Map<String, Value>,
    pub(super) body: &'a str,
    /// What is known of a refused key or access that the endpoint does not say; empty where nothing.
    pub(super) hint: &'a str,
}

/// What helps where an answer has begun well.
const TRY_AGAIN: &str = "try again; the text so far is in the step's result";

impl Endpoint {
    pub(super) fn not_an_answer(&self, text: &str) -> Error {
        let message = format!("{} sent what is no answer of a model: {}", self.host(), quoted(text));
        Error::new(Code::Model, message).with_hint("check the base URL; it usually ends with /v1")
    }

    pub(super) fn garbled(&self, text: &str) -> Error {
        self.not_an_answer(text).with_hint(TRY_AGAIN)
    }

    pub(super) fn not_understood(&self, kind: &str) -> Error {
        let message =
            format!("{} answered with `{}` alone, which is not understood", self.host(), quoted(kind));
        Error::new(Code::Model, message)
            .with_hint("take what asks for it out of the model's params, or another endpoint of the model")
    }

    pub(super) fn broke_off(&self) -> Error {
        Error::new(Code::Network, format!("{} broke off before its answer was whole", self.host()))
            .with_hint(TRY_AGAIN)
            .passing()
    }

    pub(super) fn silent(&self, limit_ms: u64, key: &str) -> Error {
        Error::new(Code::Timeout, format!("{} sent nothing for {limit_ms} ms", self.host()))
            .with_hint(format!("try again, or raise limits.{key}"))
            .retryable()
    }

    pub(super) fn lifeless(&self, limit_ms: u64) -> Error {
        let message = format!("{} has sent no part of an answer for {limit_ms} ms", self.host());
        Error::new(Code::Timeout, message)
            .with_hint("try again, or give it longer with limits.firstTokenMs or limits.idleMs")
            .retryable()
    }

    pub(super) fn wants_tools(&self) -> Error {
        Error::new(Code::Model, format!("{} wants to call a tool instead of answering", self.host()))
            .with_hint("give the agent `tools`, or take them out of the model's params")
    }

    pub(super) fn refused(&self, words: &str) -> Error {
        let at = if self.url.is_empty() { "" } else { "at " };
        let mut message = format!("the model {at}{} refuses to answer", self.host());
        if !words.is_empty() {
            message.push_str(": ");
            message.push_str(&quoted(words));
        }
        Error::new(Code::Model, message).with_hint("change the instructions or the input")
    }

    pub(super) fn filtered(&self, words: &str) -> Error {
        let mut message = format!("{} held the answer back by its content filter", self.host());
        if !words.is_empty() {
            message.push_str(": ");
            message.push_str(&quoted(words));
        }
        Error::new(Code::Model, message).with_hint("change the instructions or the input")
    }

    pub(super) fn endless(&self, what: &str) -> Error {
        Error::new(Code::Limit, format!("{} sent {what} without end", self.host()))
            .with_hint("check the base URL")
    }

    /// An answer that is longer than what may be used by far. What has come of it counts.
    pub(super) fn over_budget(&self, partial: &Partial, bound: &str) -> Error {
        let tokens = tokens(partial.bytes());
        // Some endpoints tell at the beginning what they count at the end.
        let told = partial.usage.unwrap_or_default();
        let usage = Usage { output_tokens: told.output_tokens.max(tokens), ..told };
        let message = format!("{} has sent about {tokens} tokens of an answer, and goes on", self.host());
        Error::new(Code::Budget, message)
            .with_hint(format!("that is far more than what is left of {bound}: raise it, or ask for less"))
            .with(|failure| failure.details.usage = Some(usage))
    }

    /// The scheme, host and port of the endpoint; the name of a model that is a function.
    pub(super) fn host(&self) -> &str {
        if self.url.is_empty() {
            return &self.model;
        }
        let from = self.url.find("://").map_or(0, |at| at + 3);
        let rest = self.url.get(from..).unwrap_or("");
        let end = from + rest.find('/').unwrap_or(rest.len());
        self.url.get(..end).unwrap_or(&self.url)
    }

    fn error(&self, kind: &Kind, how: &str, words: &Words) -> Error {
        let mut message = format!("{} {} ({how})", self.host(), kind.what.replace("{}", &self.model));
        if !words.text.is_empty() {
            message.push_str(": ");
            message.push_str(&words.text);
        }
        let error = Error::new(kind.code, message).with_hint(kind.hint);
        match kind.outlook {
            Outlook::Later => error.passing(),
            Outlook::Never => error,
        }
    }
}

/// The error that an answer with such a status means.
pub(super) fn error(endpoint: &Endpoint, refused: &Refused<'_>, clock: &Clock<'_>) -> Error {
    let Refused { status, headers, body, hint } = *refused;
    let words = Words::of_body(body);
    let kind = kind(Some(status), &words.signs);
    let mut error = endpoint.error(kind, &format!("status {status}"), &words);
    // What has words of its own is something else, but a gateway's 404 need not be about the model.
    if kind.signs.is_empty() || status == 404 {
        error.details.may_be_form = words.may_be_of_form(status, body);
    }
    if matches!(status, 401 | 403) && !hint.is_empty() {
        hint.clone_into(&mut error.hint);
    }
    // The endpoint knows best.
    match headers.get("x-should-retry").and_then(Value::as_str) {
        Some("true") => error = error.passing(),
        Some("false") => error.retryable = false,
        _ => {}
    }
    when(error, wait::wait_ms(headers, &words, clock))
}

/// What an endpoint says in its own words, and how many milliseconds it wants to be left alone.
pub(crate) fn words_of(
    headers: &Map<String, Value>,
    body: &str,
    now: f64,
    time_of: &dyn Fn(&str) -> Option<f64>,
) -> (String, Option<u64>) {
    let words = Words::of_body(body);
    let wait = wait::wait_ms(headers, &words, &Clock { now, time_of });
    (words.text, wait)
}

/// The error itself; or, where a function of the host passed an endpoint's refusal on, the one that it means.
pub(super) fn passed_on(error: Error, model: &str, clock: &Clock<'_>) -> Error {
    let Some(Refusal { status, headers, body, origin }) = &error.details.refused else { return error };
    let endpoint = Endpoint { url: origin.clone(), model: model.to_owned() };
    let refused = Refused { status: *status, headers, body, hint: "" };
    self::error(&endpoint, &refused, clock)
        .with(|failure| (failure.op, failure.after_delta) = (error.op, error.after_delta))
}

/// The error that an endpoint sent in the middle of its answer.
pub(super) fn reported_in_stream(endpoint: &Endpoint, error: &Value) -> Error {
    let words = Words::of(error);
    let error = endpoint.error(kind(words.status, &words.signs), "in its answer", &words);
    // Without a clock only durations can be read.
    let clock = Clock { now: f64::NAN, time_of: &|_| None };
    when(error, wait::wait_ms(&Map::new(), &words, &clock))
}

/// The error, with when to come back if that helps.
fn when(error: Error, wait_ms: Option<u64>) -> Error {
    let Some(wait) = wait_ms.filter(|_| error.retryable) else { return error };
    error.with(|failure| {
        failure.retry_after_ms = Some(wait);
        let seconds = wait.div_ceil(1000);
        if seconds > 0 {
            let hint = &failure.hint;
            failure.hint = format!("come back in {seconds} s, or {hint}");
        }
    })
}
