//! Limits on how long something takes, and waits that a journal remembers.

use std::future::Future;
use std::pin::{Pin, pin};

use futures_util::future::{Either, select};

use super::error::Source;
use super::journal::Place;
use super::walk::Walk;
use super::{Digest, Error, Host};

/// A limit was reached.
pub(super) struct Late(Source);

impl Late {
    /// The error that tells it.
    pub(super) fn told(self, error: Error) -> Error {
        error.met_in(self.0)
    }
}

/// What the future gives, unless it takes longer than this.
pub(crate) async fn within<H: Host, T>(
    host: &H,
    limit_ms: u64,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut output = None;
    ends_within(host, limit_ms, pin!(async { output = Some(future.await) })).await;
    output
}

/// Waits for whichever comes first. Apart from what the future gives, so that the program has it once only.
async fn ends_within<H: Host>(host: &H, limit_ms: u64, future: Pin<&mut dyn Future<Output = ()>>) {
    let _ = select(future, pin!(host.sleep(limit_ms))).await;
}

impl<H: Host> Walk<'_, H> {
    /// What the future gives, unless it takes longer than this or an earlier run saw it do so.
    pub(super) async fn within<T>(
        &self,
        place: &Place<'_>,
        limit_ms: u64,
        future: impl Future<Output = T>,
    ) -> Result<T, Late> {
        let mut output = None;
        let late = self.ends_within(place, limit_ms, pin!(async { output = Some(future.await) })).await;
        output.ok_or(late)
    }

    async fn ends_within(
        &self,
        place: &Place<'_>,
        limit_ms: u64,
        future: Pin<&mut dyn Future<Output = ()>>,
    ) -> Late {
        let Some(key) = self.own_key(place, "timeout") else {
            ends_within(self.host, limit_ms, future).await;
            return Late(Source::Live);
        };
        if self.is_recorded(place, &key) {
            let _ = select(future, pin!(self.host.replay(&key))).await;
            return Late(Source::Journal);
        }
        if let Either::Right((_, future)) = select(future, pin!(self.host.sleep(limit_ms))).await {
            // What is in the journal before the limit comes before it in a replay, and so it does here.
            let _ = select(future, pin!(self.note(place, &key, Digest::default()))).await;
        }
        Late(Source::Live)
    }

    /// Waits, unless an earlier run did so already.
    pub(super) async fn rest(&self, place: &Place<'_>, call: &str, wait: impl Future<Output = ()>) {
        let Some(key) = self.key(place, call) else { return wait.await };
        if self.is_recorded(place, &key) {
            // Only that it is over matters.
            let _ = self.host.replay(&key).await;
            return;
        }
        wait.await;
        self.note(place, &key, Digest::default()).await;
    }
}
