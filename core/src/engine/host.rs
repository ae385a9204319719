use std::collections::BTreeMap;
use std::future::Future;

use serde::Serialize;

use super::{Error, Event, StepIndex};

/// What the engine needs from the world. One value serves one run.
///
/// The state and everything in it are the host's values: the engine holds and passes them on without looking
/// inside, so that a large state costs nothing to carry.
pub trait Host {
    /// A JSON value in the host's own form; cloning it is cheap and it never changes.
    type Value: Clone;
    /// An answer's body that is still arriving; dropping it gives it up.
    type Body;

    // --- Values

    /// The state with the keys of the patch over it.
    fn merge(&self, state: &Self::Value, patch: &Self::Value) -> Self::Value;
    /// The state with the keys of all the patches over it, the last one on top. It takes as long as there are keys,
    /// however many patches bring them.
    fn merge_all(&self, state: &Self::Value, patches: Vec<Self::Value>) -> Self::Value;
    /// The keys of `after` whose value is not that of `before`, with their values.
    fn diff(&self, before: &Self::Value, after: &Self::Value) -> Self::Value;
    /// The keys of an object, in order.
    fn keys(&self, value: &Self::Value) -> Vec<String>;
    /// The value as JSON text.
    fn json_text(&self, value: &Self::Value) -> String;
    /// The host's form of a JSON value.
    fn value_from_json(&self, json: serde_json::Value) -> Self::Value;
    /// The value as templates read it.
    fn template_view(&self, value: &Self::Value) -> minijinja::Value;

    // --- Functions of the host's user

    /// The patch that the step's function returns.
    fn run(&self, call: Call<'_, Self::Value>) -> impl Future<Output = Result<Self::Value, Error>>;
    /// What the step's predicate decides.
    fn decide(&self, call: Call<'_, Self::Value>) -> impl Future<Output = Result<bool, Error>>;
    /// The text that the step's `inputFrom` function returns.
    fn compose(&self, call: Call<'_, Self::Value>) -> impl Future<Output = Result<String, Error>>;

    // --- The world

    /// Sends a request; the answer's status and headers are there when this ends.
    fn fetch(
        &self,
        step: StepIndex,
        request: Request,
    ) -> impl Future<Output = Result<Response<Self::Body>, Error>>;
    /// The next bytes of a body, or nothing at its end.
    fn read(&self, body: &mut Self::Body) -> impl Future<Output = Result<Option<Vec<u8>>, Error>>;
    /// Ends after this many milliseconds.
    fn sleep(&self, milliseconds: u64) -> impl Future<Output = ()>;
    /// Called after a step that asked nothing of the outside. A host that shares its thread ends this late from
    /// time to time, so that a long row of such steps lets others go first.
    fn pause(&self) -> impl Future<Output = ()>;
    /// Milliseconds since 1970.
    fn now(&self) -> f64;
    /// A number from 0 to 1, without the 1.
    fn random(&self) -> f64;
    /// Takes note of what happened.
    fn emit(&self, event: Event<Self::Value>);
}

/// A call of a function that the host's user wrote.
#[derive(Debug)]
pub struct Call<'a, V> {
    /// For which step.
    pub step: StepIndex,
    /// For which attempt; the first is 1.
    pub attempt: u32,
    /// The state that the function sees.
    pub state: &'a V,
}

/// An HTTP request. The value of a secret is never in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Request {
    /// The whole address.
    pub url: String,
    /// Such as `POST`.
    pub method: &'static str,
    /// Names in lower case.
    pub headers: BTreeMap<&'static str, String>,
    /// The body's text.
    pub body: String,
    /// The header into which the host puts a secret at the last moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<SecretHeader>,
}

/// A header whose value the host fills in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretHeader {
    /// The secret's name.
    pub secret: String,
    /// The header's name, in lower case.
    pub header: &'static str,
    /// What stands before the secret, such as `Bearer `.
    pub prefix: &'static str,
}

/// The beginning of an answer.
#[derive(Debug)]
pub struct Response<B> {
    /// Such as 200.
    pub status: u16,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// What follows.
    pub body: B,
}
