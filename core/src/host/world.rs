//! What the engine needs from outside of a run: endpoints, and the time.

use std::borrow::Cow;
use std::future::Future;
use std::pin::{Pin, pin};

use futures_util::future::select;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::Provider;
use crate::error::Error;
use crate::event::Spot;

/// Endpoints and the time. It knows nothing of states and steps' values.
pub trait World {
    /// An answer's body that is still arriving; dropping it gives it up.
    type Body;
    /// Permission to call an endpoint with bounds; dropping it gives it back.
    type Permit;

    /// Ends when the rate limiter lets a request start. Requests are served first come, first served, and all runs that share the
    /// host's clock share its rate limiters.
    fn admit(&self, spot: Spot, gate: Gate) -> impl Future<Output = Self::Permit>;
    /// Makes all other requests to the endpoint of this permit wait for so many milliseconds.
    fn close(&self, permit: &Self::Permit, milliseconds: u64);
    /// Sends a request; the answer's status and headers are there when this ends.
    fn fetch(
        &self,
        spot: Spot,
        request: Request,
    ) -> impl Future<Output = Result<Response<Self::Body>, Error>>;
    /// The next bytes of a body, or nothing at its end.
    fn read(&self, body: &mut Self::Body) -> impl Future<Output = Result<Option<Vec<u8>>, Error>>;
    /// Ends after this many milliseconds.
    fn sleep(&self, milliseconds: u64) -> impl Future<Output = ()>;
    /// Ends at this time, in milliseconds since 1970, or at once when it is past.
    fn sleep_until(&self, time: f64) -> impl Future<Output = ()>;
    /// Called before work without requests to the outside, and after it with about how much it was, in units of the
    /// fuel of expressions. A host that shares its thread delays the end of this from time to time, so that long work lets
    /// others run first.
    fn pause(&self, work: u64) -> impl Future<Output = ()>;
    /// Milliseconds since 1970; while a journal answers, the time of its answer.
    fn now(&self) -> f64;
    /// Parses a time such as `2030-01-31T12:00:00Z`, in milliseconds since 1970.
    fn time_of(&self, text: &str) -> Option<f64>;
}

/// What the future gives, unless it takes longer than this many milliseconds.
pub(crate) async fn within<W: World, T>(
    world: &W,
    limit_ms: u64,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut output = None;
    ends_within(world, limit_ms, pin!(async { output = Some(future.await) })).await;
    output
}

/// Waits for whichever comes first. Apart from what the future gives, so that the program has it once only.
pub(crate) async fn ends_within<W: World>(
    world: &W,
    limit_ms: u64,
    future: Pin<&mut dyn Future<Output = ()>>,
) {
    let _ = select(future, pin!(world.sleep(limit_ms))).await;
}

/// The bounds on calls of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Which endpoint: its scheme, host and port or, where a function answers, the model's name.
    pub endpoint: String,
    /// HTTP requests that may be in flight at once, from the beginning of a request to the end of its answer.
    pub concurrency: Option<u32>,
    /// Requests that may begin there within a minute, whichever minute it is.
    pub requests_per_minute: Option<u32>,
}

/// An HTTP request. The value of a secret is never in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Request {
    /// The whole address.
    pub url: String,
    /// Such as `POST`.
    pub method: &'static str,
    /// Names in lower case.
    pub headers: Map<String, Value>,
    /// The body's text.
    pub body: String,
    /// The header into which the host puts a secret at the last moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<SecretHeader>,
    /// Whose endpoint it is.
    pub provider: Provider,
    /// How long it is waited for where nobody says.
    pub waits: Waits,
    /// The function of the plan that answers instead of an endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<u32>,
}

/// How long the host waits for bytes of an answer, in milliseconds. It is the host that measures, and no clock of the run:
/// these bounds are there so that no run is held for ever, and cost nothing while bytes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Waits {
    /// For the first byte of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// For each of the later ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence_ms: Option<u64>,
}

/// A header whose value the host fills in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretHeader {
    /// The secret's name.
    pub secret: String,
    /// The header's name, in lower case.
    pub header: Cow<'static, str>,
    /// What stands before the secret, such as `Bearer `.
    pub prefix: &'static str,
}

/// A request of a document: of an `http` step, or of a tool. The value of a secret is never in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sending {
    /// Such as `POST`.
    pub method: &'static str,
    /// The address; relative to `base` where there is one.
    pub url: String,
    /// The address of the page that named this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Names in lower case.
    pub headers: Map<String, Value>,
    /// The body's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body's fields, where it is a form with files: `[{ name, text?, file?, type?, filename? }]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Value>,
    /// The secret that the host puts in at the last moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<Credential>,
    /// Where it may go; anywhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<Vec<String>>,
    /// As what the body of the answer is read.
    pub response: &'static str,
    /// Bytes that the body of the answer may have.
    pub max_bytes: u64,
    /// Whether it must not be sent twice. The host adds the key by which the endpoint recognises it.
    pub once: bool,
    /// For a tool, the call's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// A secret, and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Credential {
    /// In a header.
    Header(SecretHeader),
    /// In the query.
    Query {
        /// The secret's name.
        secret: String,
        /// The parameter's name.
        query: String,
    },
    /// As the password of a user.
    Basic {
        /// The secret's name.
        secret: String,
        /// The user.
        user: String,
    },
    /// In exchange for a token.
    #[serde(rename_all = "camelCase")]
    Token {
        /// The secret's name.
        secret: String,
        /// Where the token is fetched.
        token_url: String,
        /// Who fetches it.
        client_id: String,
        /// What the token is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
    },
}

/// The beginning of an answer.
#[derive(Debug)]
pub struct Response<B> {
    /// Such as 200.
    pub status: u16,
    /// Names in lower case.
    pub headers: Map<String, Value>,
    /// What the host knows of a refusal that the endpoint does not say; empty where nothing.
    pub hint: String,
    /// What follows.
    pub body: B,
}
