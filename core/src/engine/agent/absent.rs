//! Agents in a run whose engine has none.

use std::future::Ready;

use serde_json::Value;

use super::flow::Flow;
use super::journal::Caller;
use super::leaf::{Answer, Trouble};
use super::plan::{Ask, Node};
use super::walk::Walk;
use crate::error::Error;
use crate::host::Host;

/// How far the agent of a step has come: there is none.
#[derive(Default)]
pub(super) struct Talk {}

impl Talk {
    /// The model that an agent turns to.
    pub(super) fn falls_back(&self, ask: &Ask) -> Option<(String, String)> {
        match *ask {}
    }

    /// Whether some of an answer was emitted.
    pub(super) fn has_emitted(&self) -> bool {
        false
    }

    /// Notes that an earlier run emitted some of one: there is none.
    pub(super) fn note_emitted(&self) {}

    /// Whether there is an answer that was emitted and is no longer valid.
    pub(super) fn takes_back(&self) -> bool {
        false
    }
}

/// What model calls have used: nothing.
#[derive(Debug, Default)]
pub(super) struct Spent {}

impl<H: Host> Walk<'_, H> {
    /// Lets the agent answer; there is none.
    pub(super) fn asking(
        &self,
        _: &Node,
        ask: &Ask,
        _: &Flow<H::Value>,
        _: &H::Value,
        _: &Caller<'_>,
        _: &Talk,
    ) -> Ready<Result<Answer<H::Value>, Trouble>> {
        match *ask {}
    }

    /// An answer that is pinned; there is none.
    pub(super) fn pinned_answer(
        &self,
        _: &Node,
        ask: &Ask,
        _: &Value,
        _: &Caller<'_>,
    ) -> Ready<Result<H::Value, Error>> {
        match *ask {}
    }
}
