//! Why something in a run failed: a stable code, words for people, and what only some failures say.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::OutputMode;
use crate::usage::Usage;

/// What kind of failure it was, in words that a caller can act on. The words are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The document is wrong.
    Document,
    /// A value does not fit its schema.
    Validation,
    /// A template or an expression is wrong.
    Template,
    /// A function of the host failed or returned what cannot be used.
    Handler,
    /// The endpoint's answer cannot be used, or it refused the request.
    Model,
    /// The key is missing, wrong, or not meant for this endpoint.
    Auth,
    /// The endpoint accepts no more calls now.
    RateLimit,
    /// The endpoint could not be reached, or broke off.
    Network,
    /// It took longer than allowed.
    Timeout,
    /// It was cancelled.
    Cancelled,
    /// Two members of a parallel wrote the same key.
    Conflict,
    /// A bound was passed.
    Limit,
    /// A tool failed, or was called wrongly.
    Tool,
    /// Model calls have used what they may.
    Budget,
    /// A request was sent that must not be sent twice, and nobody knows whether it was carried out.
    UnknownOutcome,
    /// The engine itself failed.
    Internal,
}

impl Code {
    /// The code of this word; [`Code::Internal`] for a word that is none.
    fn from_word(word: &str) -> Self {
        match word {
            "document" => Self::Document,
            "validation" => Self::Validation,
            "template" => Self::Template,
            "handler" => Self::Handler,
            "model" => Self::Model,
            "auth" => Self::Auth,
            "rate_limit" => Self::RateLimit,
            "network" => Self::Network,
            "timeout" => Self::Timeout,
            "cancelled" => Self::Cancelled,
            "conflict" => Self::Conflict,
            "limit" => Self::Limit,
            "tool" => Self::Tool,
            "budget" => Self::Budget,
            "unknown_outcome" => Self::UnknownOutcome,
            _ => Self::Internal,
        }
    }
}

/// Why a step failed; its fields are those of a [`Failure`].
///
/// It is a single pointer: whatever may fail is moved about at every step, and nearly always it goes well.
///
/// ```
/// use stepweave_core::error::{Code, Error};
/// let error = Error::new(Code::Model, "the endpoint answered 404").with_hint("check the model's name");
/// assert_eq!(error.code, Code::Model);
/// assert_eq!(error.to_string(), "the endpoint answered 404");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Error(Box<Failure>);

/// The content of an [`Error`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// What kind of failure it was.
    pub code: Code,
    /// What was wrong and where.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// Whether the same attempt may succeed later.
    pub retryable: bool,
    /// The wait that the endpoint requires, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Whether some of the model's answer had been emitted before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after_delta: bool,
    /// What only some failures say.
    #[serde(flatten)]
    pub details: Details,
    /// Whether it came from a journal.
    #[serde(skip)]
    pub(crate) source: Source,
    /// Whether what all of the run may use is used up, so that nothing in the run survives it.
    #[serde(skip)]
    pub(crate) ends_run: bool,
    /// Whether an endpoint said so itself, and may do later what it does not do now.
    #[serde(skip)]
    pub(crate) is_passing: bool,
    /// The host's own number for what failed, by which it finds the original error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<u32>,
}

/// What only some failures say.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// The problems of a value or a document, each with its path: `[{ path, code, message }]`. An error thrown by a function of
    /// the host may have more keys in each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Value>,
    /// What the call of a model used that ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What an endpoint said to a function of the host that is a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refusal>,
    /// Another output mode for the same request to a model that rejected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_mode: Option<OutputMode>,
    /// Where a function of the host that checks refuses a value, as JSON Pointers; the engine takes them out again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Whether the endpoint may have refused the form that the question demands of its answer.
    #[serde(skip)]
    pub(crate) may_be_form: bool,
}

/// An endpoint's refusal, as a function of the host passes it on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// Such as 429.
    pub status: u16,
    /// Names in lower case.
    pub headers: Map<String, Value>,
    /// The body's text.
    pub body: String,
    /// Whose it is: the endpoint's origin, or the provider's name.
    pub origin: String,
}

/// Where a failure was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Source {
    /// In this run.
    #[default]
    Live,
    /// In an earlier run, from whose journal it comes.
    Journal,
    /// Between this run and what was brought along for it: the journal that it replays, or what a person answered.
    Misfit,
}

impl Error {
    /// A failure that will not go away by itself.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Failure {
            code,
            message: message.into(),
            hint: String::new(),
            retryable: false,
            retry_after_ms: None,
            after_delta: false,
            details: Details::default(),
            source: Source::Live,
            ends_run: false,
            is_passing: false,
            op: None,
        }))
    }

    /// The error that a host sends as JSON: `{ code, message, hint?, retryable?, retryAfterMs?, problems?, refused? }`.
    pub fn from_json(json: &Value) -> Self {
        let text = |key| json.get(key).and_then(Value::as_str).unwrap_or_default();
        Self::new(Code::from_word(text("code")), text("message")).with(|failure| {
            failure.hint = text("hint").to_owned();
            failure.retryable = json.get("retryable") == Some(&Value::Bool(true));
            let wait = json.get("retryAfterMs").and_then(Value::as_f64);
            failure.retry_after_ms = wait.filter(|wait| *wait > 0.0).map(|wait| wait.ceil() as u64);
            failure.after_delta = json.get("afterDelta") == Some(&Value::Bool(true));
            failure.details = Details::from_json(json);
        })
    }

    /// The same, of what was brought along for the run and does not fit it: another attempt would find it so too.
    pub(crate) fn misfit(self) -> Self {
        self.with(|failure| (failure.source, failure.retryable) = (Source::Misfit, false))
    }

    /// The same, met there.
    pub(crate) fn met_in(self, source: Source) -> Self {
        self.with(|failure| failure.source = source)
    }

    /// Whether a journal or a person's answer does not fit the run, which nothing in the run can survive.
    pub(crate) fn is_misfit(&self) -> bool {
        self.source == Source::Misfit
    }

    /// The same, for the end of what all of the run may use.
    pub(crate) fn ending_run(self) -> Self {
        self.with(|failure| failure.ends_run = true)
    }

    /// The same, for a failed operation of the host.
    #[must_use]
    pub fn of_operation(self, op: u32) -> Self {
        self.with(|failure| failure.op = Some(op))
    }

    /// The same with a sentence on what to do.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        self.with(|failure| failure.hint = hint.into())
    }

    /// The same, worth another attempt.
    #[must_use]
    pub fn retryable(self) -> Self {
        self.with(|failure| failure.retryable = true)
    }

    /// The same, for an endpoint that may do it later.
    pub(crate) fn passing(self) -> Self {
        self.with(|failure| (failure.retryable, failure.is_passing) = (true, true))
    }

    /// The same, changed so.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Failure)) -> Self {
        change(&mut self);
        self
    }
}

impl Details {
    fn from_json(json: &Value) -> Self {
        let faults = json.get("faults").and_then(Value::as_array);
        Self {
            problems: json.get("problems").cloned(),
            usage: json.get("usage").map(Usage::from_json),
            refused: json.get("refused").and_then(Refusal::from_json),
            output_mode: json.get("outputMode").and_then(Value::as_str).and_then(OutputMode::from_word),
            faults: faults.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            may_be_form: false,
        }
    }
}

impl Refusal {
    fn from_json(json: &Value) -> Option<Self> {
        let text = |key| json.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let status = json.get("status")?.as_u64()?;
        let headers = json.get("headers")?.as_object()?.clone();
        Some(Self { status: status as u16, headers, body: text("body"), origin: text("origin") })
    }
}

impl Deref for Error {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Failure {
        &mut self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
