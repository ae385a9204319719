//! What the engine runs in: every value, function, request and clock that it knows belongs to its host.

pub use self::values::{SharedKey, Values, Violation};
pub(crate) use self::world::ends_within;
#[cfg(feature = "agents")]
pub(crate) use self::world::within;
pub use self::world::{Credential, Gate, Request, Response, SecretHeader, Sending, Waits, World};

use std::future::Future;

use crate::error::Error;
use crate::event::{Event, Scope, Spot};

mod values;
mod world;

/// What the engine needs from the outside. One value serves one run.
pub trait Host: Values + World {
    // --- Functions of the host's user

    /// Calls a function of the plan. What it gives fits what the call wants.
    fn call(&self, call: Call<'_, Self::Value>)
    -> impl Future<Output = Result<Returned<Self::Value>, Error>>;

    // --- Requests of documents

    /// A request of the document that may leave; dropping it gives it up.
    type Prepared;

    /// Asks whether a request of the document may leave, and fetches what it needs for that. Nothing of it is sent.
    fn prepare(&self, spot: Spot, sending: Sending) -> impl Future<Output = Result<Self::Prepared, Error>>;
    /// Sends it at once and gives its answer, `{ status, headers, body }`: names of headers in lower case, the body as the
    /// request wants it. Where redirects were followed it has the `origin` that they have led to.
    fn exchange(&self, prepared: Self::Prepared) -> impl Future<Output = Result<Self::Value, Error>>;

    // --- The journal

    /// The fingerprint of the request under this key, if the journal has the answer; empty where the journal has
    /// no fingerprints and the document is the same.
    fn recorded(&self, key: &str) -> Option<String>;
    /// Records that the request under this key is not the one that the journal has an answer to. The answer is used all the
    /// same, so that all mismatches are reported, and the host ends the run before it calls anything outside again.
    fn mismatch(&self, spot: Spot, key: &str);
    /// The answer that the journal has under this key. Answers come in the order in which they were recorded, and
    /// before any request to the outside or to people.
    fn replay(&self, key: &str) -> impl Future<Output = Result<Self::Value, Error>>;
    /// Puts an answer into the journal; ends when it is kept for good.
    fn record(&self, entry: Entry<'_, Self::Value>) -> impl Future<Output = ()>;
    /// What a person answered to the question of this key.
    fn answer(&self, key: &str) -> impl Future<Output = Option<Self::Value>>;

    // --- What happened

    /// Takes note of a round of a loop that begins.
    fn enter(&self, scope: Scope<'_>);
    /// Takes note of what happened.
    fn emit(&self, event: Event<Self::Value>);
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
    /// For a tool, the call's id; it is the same whenever the run is resumed.
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
    /// As `Checked`, of a value whose keys belong to a state: it stays an object.
    CheckedKeys = 6,
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
    /// The execution that made the request.
    pub spot: Spot,
    /// The fingerprint of the request. For a time limit those of the limit and of each request that it cut short, with
    /// spaces between.
    pub fingerprints: &'a str,
    /// The answer.
    pub answer: Result<&'a V, &'a Error>,
}
