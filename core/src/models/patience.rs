//! How long an answer is waited for.

use std::future::Future;

use super::ModelSetup;
use super::refusal::Place;
use crate::engine::{Error, Host, within};

/// The limits of the waits for one answer, in milliseconds.
pub(super) struct Patience {
    first_token_ms: Option<u64>,
    idle_ms: Option<u64>,
    began_at: f64,
}

/// Which part of an answer is waited for.
#[derive(Clone, Copy)]
pub(super) enum Part {
    First,
    Next,
}

impl Patience {
    /// The wait for an answer of this agent's model begins now.
    pub(super) fn begin<H: Host>(host: &H, setup: &ModelSetup) -> Self {
        Self { first_token_ms: setup.first_token_ms, idle_ms: setup.idle_ms, began_at: host.now() }
    }

    /// What the future gives, unless the endpoint lets us wait too long.
    pub(super) async fn wait<H: Host, T>(
        &self,
        host: &H,
        place: &Place,
        part: Part,
        future: impl Future<Output = T>,
    ) -> Result<T, Error> {
        let (limit, key) = match part {
            Part::First => (self.first_token_ms, "firstTokenMs"),
            Part::Next => (self.idle_ms, "idleMs"),
        };
        let Some(limit) = limit else { return Ok(future.await) };
        // Whatever arrives before the first text, such as comments that keep the line open, is no answer yet.
        let waited = match part {
            Part::First => (host.now() - self.began_at).max(0.0) as u64,
            Part::Next => 0,
        };
        let left = limit.saturating_sub(waited);
        within(host, left, future).await.ok_or_else(|| place.silent(limit, key))
    }
}
