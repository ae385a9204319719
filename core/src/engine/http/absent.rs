//! Requests in a run whose engine has none.

use std::future::Ready;
use std::marker::PhantomData;
use std::rc::Rc;

use super::agent::Talk;
use super::flow::Flow;
use super::journal::Caller;
use super::leaf::{Answer, Trouble};
use super::plan::{Fetch, Node};
use super::time::Limit;
use super::walk::Walk;
use crate::digest::Digest;
use crate::error::Error;
use crate::host::Host;

/// What requests have done: nothing.
pub(super) struct Done<V>(PhantomData<V>);

impl<V> Default for Done<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<V> Done<V> {
    /// What a person has answered in an earlier attempt: there are no calls of tools.
    pub(super) fn said(&self, _: &str, _: Digest) -> Option<(V, bool)> {
        None
    }

    /// Takes note of what a person has answered.
    pub(super) fn hear(&self, _: &str, _: Digest, _: &V) {}
}

impl<H: Host> Walk<'_, H> {
    /// Says of which requests nobody knows whether they were carried out.
    pub(super) fn warn_open(&self) {}

    /// A failure as it counts for a run that is taken up.
    pub(super) fn as_recorded(&self, _: &Node, _: &Caller<'_>, error: Error) -> Error {
        error
    }

    /// How far the agent of a step in a call has come: there is none.
    pub(super) fn talk_in_call(&self, _: &Caller<'_>) -> Option<Rc<Talk>> {
        None
    }

    /// Lets go of what calls have done.
    pub(super) fn forget_calls(&self, _: &Caller<'_>) {}

    /// Sends the request of a step; there is none.
    pub(super) fn http(
        &self,
        fetch: &Fetch,
        _: &Flow<H::Value>,
        _: &Caller<'_>,
    ) -> Ready<Result<Answer<H::Value>, Trouble>> {
        match *fetch {}
    }

    /// What an attempt gives that was cut short by its time limit.
    pub(super) fn cut_short(
        &self,
        _: &Node,
        error: Error,
        _: &Limit<'_>,
        _: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Trouble> {
        Err(error.into())
    }

    /// How often a step is tried again.
    pub(super) fn most_retries(node: &Node, _: &Error) -> u32 {
        node.max_retries
    }
}
