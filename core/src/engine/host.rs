use std::future::Future;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Error, Event, Scope, Spot};
use crate::document::Provider;

/// What the engine needs from the world. One value serves one run.
///
/// The state and everything in it are the host's values: the engine holds and passes them on without looking
/// inside, so that a large state costs nothing to carry.
pub trait Host {
    /// A JSON value in the host's own form; cloning it is cheap and it never changes.
    type Value: Clone + 'static;
    /// An answer's body that is still arriving; dropping it gives it up.
    type Body;
    /// Leave to ask an endpoint that takes few requests at once; dropping it gives it back.
    type Permit;

    // --- Values

    /// The state with the keys of the patch over it.
    fn merge(&self, state: &Self::Value, patch: &Self::Value) -> Self::Value;
    /// The state with the keys of all the patches over it, the last one on top. It takes as long as there are keys,
    /// however many patches bring them.
    fn merge_all(&self, state: &Self::Value, patches: Vec<Self::Value>) -> Self::Value;
    /// The keys of `after` whose value is not that of `before`, with their values.
    fn diff(&self, before: &Self::Value, after: &Self::Value) -> Self::Value;
    /// The keys that several of the patches have, in the order in which later ones bring them again.
    fn shared_keys(&self, patches: &[Self::Value]) -> Vec<SharedKey>;
    /// The state with what each of these later states changed in it; nothing if two of them changed the same key.
    /// A host for which many calls are slow does it in one.
    fn join(&self, state: &Self::Value, ends: &[Self::Value]) -> Option<Self::Value> {
        let patches: Vec<_> = ends.iter().map(|end| self.diff(state, end)).collect();
        self.shared_keys(&patches).is_empty().then(|| self.merge_all(state, patches))
    }
    /// What an object has under a key.
    fn member(&self, value: &Self::Value, key: &str) -> Option<Self::Value>;
    /// The value as JSON text.
    fn json_text(&self, value: &Self::Value) -> String;
    /// An object with these keys and values.
    fn object(&self, entries: Vec<(&str, Self::Value)>) -> Self::Value;
    /// A list of these values.
    fn list(&self, items: Vec<Self::Value>) -> Self::Value;
    /// The values of a list; nothing if it is none.
    fn items(&self, value: &Self::Value) -> Option<Vec<Self::Value>>;
    /// How many bytes the value takes as JSON text.
    fn bytes(&self, value: &Self::Value) -> u64;
    /// Where the value does not fit the plan's schema of this number: so many places at most.
    ///
    /// # Errors
    /// When the schema cannot be used, or checking the value takes too much.
    fn violations(&self, schema: u32, value: &Self::Value, most: u32) -> Result<Vec<Violation>, Error>;
    /// The value with what the plan's schema of this number says for keys that are missing (`default`), where some are:
    /// for those of objects that its `properties`, `items`, `prefixItems`, `allOf` and `$ref` lead to.
    fn filled(&self, schema: u32, value: &Self::Value) -> Option<Self::Value>;
    /// The host's form of a JSON value.
    fn value_from_json(&self, json: Value) -> Self::Value;
    /// The value as templates read it.
    fn template_view(&self, value: &Self::Value) -> crate::language::Value;

    // --- Functions of the host's user

    /// Calls a function of the plan. What it gives fits what the call wants.
    fn call(&self, call: Call<'_, Self::Value>)
    -> impl Future<Output = Result<Returned<Self::Value>, Error>>;

    // --- The journal

    /// What was asked under this key, if the journal has the answer: its fingerprint, or nothing where the journal does
    /// not say it and the document is the same.
    fn recorded(&self, key: &str) -> Option<String>;
    /// Takes note that what is asked under this key is not what the journal has an answer to. The answer is used all the
    /// same, so that everything of the kind is told, and the host gives the run up before it asks the world again.
    fn mismatch(&self, spot: Spot, key: &str);
    /// The answer that the journal has under this key. Answers come in the order in which they were recorded, and
    /// before anything is asked of the world or of people.
    fn replay(&self, key: &str) -> impl Future<Output = Result<Self::Value, Error>>;
    /// Puts an answer into the journal; ends when it is kept for good.
    fn record(&self, entry: Entry<'_, Self::Value>) -> impl Future<Output = ()>;
    /// What a person answered to the question of this key.
    fn answer(&self, key: &str) -> impl Future<Output = Option<Self::Value>>;

    // --- The world

    /// Ends when a request may be sent through the gate. Whoever comes first goes first, and all runs that share the
    /// host's clock share its gates.
    fn admit(&self, spot: Spot, gate: Gate) -> impl Future<Output = Self::Permit>;
    /// Lets nobody else through the gate of this permit for so many milliseconds.
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
    /// Called before work that asks nothing of the outside, and after it with about how much it was, in units of the
    /// fuel of expressions. A host that shares its thread ends this late from time to time, so that long work lets others go
    /// first.
    fn pause(&self, work: u64) -> impl Future<Output = ()>;
    /// Milliseconds since 1970; while a journal answers, the time of its answer.
    fn now(&self) -> f64;
    /// The time that a text such as `2030-01-31T12:00:00Z` tells, in milliseconds since 1970.
    fn time_of(&self, text: &str) -> Option<f64>;
    /// Takes note of a round of a loop that begins.
    fn enter(&self, scope: Scope<'_>);
    /// Takes note of what happened.
    fn emit(&self, event: Event<Self::Value>);
}

/// A key that a patch has and another one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedKey {
    /// The key.
    pub key: String,
    /// The place of the last patch before that has it.
    pub first: usize,
    /// The place of the patch that brings it again.
    pub second: usize,
}

/// A call of a function that the host's user wrote.
#[derive(Debug)]
pub struct Call<'a, V> {
    /// The function's number in the plan.
    pub function: u32,
    /// What it has to give.
    pub wants: Wants,
    /// For which execution.
    pub spot: Spot,
    /// For which attempt; the first is 1.
    pub attempt: u32,
    /// What the function is given: the state, the value to check, or the arguments of a tool.
    pub state: &'a V,
    /// For a tool, the call's id; it is the same whenever the run is taken up again.
    pub call_id: Option<&'a str>,
}

/// What a function has to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// A patch of the state.
    Patch = 0,
    /// True or false.
    Decision = 1,
    /// A text.
    Text = 2,
    /// A list.
    List = 3,
    /// The value it was given, perhaps changed; it fails if the value does not fit.
    Checked = 4,
    /// Any value.
    Output = 5,
}

/// What a function gave.
#[derive(Debug)]
pub struct Returned<V> {
    /// What it returned.
    pub value: V,
    /// What it yielded before, if it is a generator: all texts as one, or a list.
    pub yielded: Option<V>,
}

/// An answer of the outside, as a journal keeps it.
#[derive(Debug)]
pub struct Entry<'a, V> {
    /// Which question it answers, independent of timing.
    pub key: &'a str,
    /// The execution that asked.
    pub spot: Spot,
    /// What was asked: a fingerprint. For a time limit those of the limit and of each question that it cut short, with
    /// spaces between.
    pub asked: &'a str,
    /// The answer.
    pub answer: Result<&'a V, &'a Error>,
}

/// A place where a value does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The place in the value, as a JSON Pointer.
    pub at: String,
    /// The keyword of the schema that it breaks.
    pub keyword: String,
    /// The place of the keyword in the schema, as a JSON Pointer.
    pub rule: String,
    /// For `required`, the key that is missing.
    pub missing: Option<String>,
}

/// How much an endpoint is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Which endpoint: its scheme, host and port or, where a function answers, the model's name.
    pub endpoint: String,
    /// Requests that may be under way there at once, from the beginning of a request to the end of its answer.
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
    /// The function of the plan that answers in place of an endpoint.
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
    pub headers: Map<String, Value>,
    /// What the host knows of a refusal that the endpoint does not say; empty where nothing.
    pub hint: String,
    /// What follows.
    pub body: B,
}
