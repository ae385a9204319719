//! What an answer means that is no success.

use serde_json::Value;

use crate::error::{Code, Error};
use crate::json;
use crate::models::words_of;

/// Bytes of a body in which an endpoint's own words are looked for.
pub(super) const MOST_WORDS: u64 = 64 * 1024;

/// An answer that is no success.
pub(super) struct Refusal<'a> {
    pub(super) endpoint: &'a str,
    /// Where exactly, without the query.
    pub(super) address: &'a str,
    pub(super) status: u16,
    pub(super) headers: &'a Value,
    pub(super) body: &'a Value,
    pub(super) is_with_secret: bool,
}

/// Why an answer is not taken.
pub(super) struct Refused {
    pub(super) error: Error,
    /// Whether it says that nothing was done.
    pub(super) is_undone: bool,
}

/// What it means.
pub(super) fn meaning_of(refusal: &Refusal<'_>, now: f64, time_of: &dyn Fn(&str) -> Option<f64>) -> Refused {
    let Refusal { endpoint, address, status, headers, body, is_with_secret } = *refusal;
    let body = match body {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => json::text(other),
    };
    let empty = serde_json::Map::new();
    let (words, wait) = words_of(headers.as_object().unwrap_or(&empty), &body, now, time_of);
    let no_secret = "the request was sent without a secret: name it in `auth`";
    let (code, what, hint, is_later) = match status {
        200..=299 => (
            Code::Validation,
            "answered, but not with what its `success` asks for",
            "look at `success`, and at what the endpoint says",
            false,
        ),
        401 if is_with_secret => (
            Code::Auth,
            "does not accept the secret",
            "check the secret, and that it belongs to this endpoint",
            false,
        ),
        401 => (Code::Auth, "wants to know who asks", no_secret, false),
        403 if is_with_secret => {
            (Code::Auth, "refuses access", "the secret may not do this: look at what it allows", false)
        }
        403 => (Code::Auth, "refuses access", no_secret, false),
        402 => (
            Code::RateLimit,
            "takes no more requests: the quota or the credit of the account is used up",
            "look at the account's balance and limits",
            false,
        ),
        404 | 410 => (
            Code::Validation,
            "is not there",
            "check the path and its values; `success` can take this status as an answer",
            false,
        ),
        405 => (
            Code::Validation,
            "does not take this method here",
            "check the request's `method` and its path",
            false,
        ),
        413 => (Code::Limit, "does not take so much at once", "send less", false),
        429 => (Code::RateLimit, "asks to come back later", "send less at once", true),
        // Whenever it says: it has not done anything.
        503 if wait.is_some() || headers.get("retry-after").is_some() => {
            (Code::RateLimit, "asks to come back later", "try again later", true)
        }
        408 | 425 => (Code::Network, "was not ready for the request", "try again", true),
        501 => (Code::Network, "cannot do this", "its own words say what it lacks", false),
        500.. => (Code::Network, "failed", "try again, or look at the endpoint's status page", true),
        _ => (
            Code::Validation,
            "does not accept the request",
            "its own words say what is wrong with it",
            false,
        ),
    };
    let who = if matches!(status, 404 | 410) { address } else { endpoint };
    let mut message = format!("{who} {what} (status {status})");
    if !words.is_empty() {
        message.push_str(": ");
        message.push_str(&words);
    }
    let error = Error::new(code, message).with_hint(hint);
    // An endpoint that fails, or leads elsewhere, does not say how far it came; one that refuses, or has no time, does.
    let is_undone = !(is_later || (300..400).contains(&status)) || code == Code::RateLimit;
    let error = match is_later {
        true => error.passing().with(|failure| failure.retry_after_ms = wait),
        false => error,
    };
    Refused { error, is_undone }
}

/// What to do where a request has no answer that may be sent twice, and has been.
pub(super) const SENT_AGAIN: &str = "onUnknown sends it again once, and a retryPolicy more often; after that look at the endpoint whether it was, and resume";

/// What to do where nobody knows whether a request was carried out.
const LOOK: &str = "look at the endpoint whether it was; then run again from this step, or set its onUnknown to \"retry\" or \"skip\" and resume";

/// The error of a request of which nobody knows whether it was carried out.
pub(super) fn unknown(what: &str, why: &str) -> Error {
    Error::new(Code::UnknownOutcome, format!("{what}: nobody knows whether it was carried out, since {why}"))
        .with_hint(LOOK)
}

/// The error of a request that must not be sent twice, and whose answer does not say that nothing was done.
pub(super) fn perhaps_done(error: Error, what: &str) -> Error {
    error.with(|failure| {
        failure.code = Code::UnknownOutcome;
        failure.message = format!("{}; nobody knows whether {what} was carried out", failure.message);
        failure.hint = LOOK.to_owned();
        failure.retryable = false;
    })
}
