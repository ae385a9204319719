//! How long an answer is waited for.

use std::cell::Cell;
use std::future::Future;

use super::refusal::Endpoint;
use super::{ModelSetup, Partial};
use crate::error::Error;
use crate::host::{Waits, World, within};

/// Milliseconds that an endpoint may take for its first byte where nobody says.
const FIRST_BYTE_MS: u64 = 300_000;

/// Milliseconds that an endpoint may send nothing at all where nobody says.
const SILENCE_MS: u64 = 120_000;

/// Milliseconds that bytes outside of an answer, such as comments, keep a call alive.
const LIFELESS_MS: u64 = 600_000;

/// The limits of the waits for one answer, in milliseconds.
pub(super) struct Patience {
    first_token_ms: Option<u64>,
    idle_ms: Option<u64>,
    lifeless_ms: Option<u64>,
    began_at: f64,
    /// When there was more of the answer for the last time, and how much.
    grown: Cell<(f64, usize)>,
}

/// What is waited for.
#[derive(Clone, Copy)]
pub(super) enum Part {
    First,
    Next,
}

/// How long the host waits for the bytes of an endpoint. What is said is watched over here, token by token; a function of
/// the host may take its time.
pub(super) fn waits(setup: &ModelSetup) -> Waits {
    if setup.function.is_some() {
        return Waits::default();
    }
    let said = setup.first_token_ms.max(setup.idle_ms);
    let is_all_said = setup.first_token_ms.is_some() && setup.idle_ms.is_some();
    Waits {
        first_byte_ms: setup.first_token_ms.is_none().then_some(FIRST_BYTE_MS),
        silence_ms: (!is_all_said).then_some(said.unwrap_or_default().max(SILENCE_MS)),
    }
}

impl Patience {
    /// The wait for an answer of this agent's model begins now.
    pub(super) fn begin<W: World>(world: &W, setup: &ModelSetup) -> Self {
        let (now, said) = (world.now(), setup.first_token_ms.max(setup.idle_ms));
        Self {
            first_token_ms: setup.first_token_ms,
            idle_ms: setup.idle_ms,
            lifeless_ms: setup.function.is_none().then_some(said.unwrap_or_default().max(LIFELESS_MS)),
            began_at: now,
            grown: Cell::new((now, 0)),
        }
    }

    /// What the future gives, unless the endpoint lets us wait too long.
    pub(super) async fn wait<W: World, T>(
        &self,
        world: &W,
        endpoint: &Endpoint,
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
            Part::First => (world.now() - self.began_at).max(0.0) as u64,
            Part::Next => 0,
        };
        let left = limit.saturating_sub(waited);
        within(world, left, future).await.ok_or_else(|| endpoint.silent(limit, key))
    }

    /// Records how far the answer has come.
    ///
    /// # Errors
    /// When the endpoint has sent nothing but other bytes for too long.
    pub(super) fn look<W: World>(
        &self,
        world: &W,
        endpoint: &Endpoint,
        so_far: &Partial,
    ) -> Result<(), Error> {
        let (grown_at, size) = self.grown.get();
        let (now, larger) = (world.now(), so_far.bytes());
        if larger > size {
            self.grown.set((now, larger));
            return Ok(());
        }
        match self.lifeless_ms {
            Some(limit) if now - grown_at > limit as f64 => Err(endpoint.lifeless(limit)),
            _ => Ok(()),
        }
    }
}
