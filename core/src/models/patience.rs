//! How long an answer is waited for.

use std::future::Future;

use super::refusal::Place;
use crate::engine::{Error, Host, within};

/// The limits of the waits for one answer, in milliseconds.
pub(super) struct Patience {
    pub(super) first_token_ms: Option<u64>,
    pub(super) idle_ms: Option<u64>,
}

/// Which part of an answer is waited for.
#[derive(Clone, Copy)]
pub(super) enum Part {
    First,
    Next,
}

impl Patience {
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
        within(host, limit, future).await.ok_or_else(|| place.silent(limit, key))
    }
}
