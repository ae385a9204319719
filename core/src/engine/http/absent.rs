//! Requests in a run whose engine has none.

use std::future::Ready;
use std::marker::PhantomData;

use super::flow::Flow;
use super::journal::Caller;
use super::leaf::{Answer, Trouble};
use super::plan::{Fetch, Node};
use super::time::Limit;
use super::walk::Walk;
use crate::error::Error;
use crate::host::Host;

/// What requests have done: nothing.
pub(super) struct Done<V>(PhantomData<V>);

impl<V> Default for Done<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H: Host> Walk<'_, H> {
    /// Says of which requests nobody knows whether they were carried out.
    pub(super) fn warn_open(&self) {}

    /// A failure as it counts for a run that is taken up.
    pub(super) fn as_recorded(&self, _: &Node, _: &Caller<'_>, error: Error) -> Error {
        error
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
