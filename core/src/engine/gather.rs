//! Many steps, of which a bounded number run at once.

use std::future::Future;

use futures_util::future::{Either, FutureExt, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt};

use super::walk::apart;

/// What follows from a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// The next one may begin in its stead.
    Next,
    /// It is not over and counts as running: nothing begins in its stead.
    Waits,
    /// No further one begins, and the running ones are awaited.
    Stop,
}

/// Awaits what `begin` makes for each number below `count`, at most so many at once, and gives the results by number.
/// There is none for those that were not begun.
pub(super) fn gather<'f, F: Future + 'f>(
    count: usize,
    concurrency: Option<u32>,
    begin: &'f impl Fn(usize) -> F,
    after: &'f dyn Fn(&F::Output) -> After,
) -> impl Future<Output = Vec<Option<F::Output>>> {
    let limit = concurrency.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    if limit < count {
        return Either::Right(apart(in_turn(count, limit, begin, after)));
    }
    // All begin at once: there is none that a result could keep from it.
    Either::Left(join_all((0..count).map(begin)).map(|results| results.into_iter().map(Some).collect()))
}

async fn in_turn<F: Future>(
    count: usize,
    limit: usize,
    begin: impl Fn(usize) -> F,
    after: &dyn Fn(&F::Output) -> After,
) -> Vec<Option<F::Output>> {
    let mut results: Vec<Option<F::Output>> = (0..count).map(|_| None).collect();
    let mut next = 0..count;
    let mut free = limit;
    let mut running = FuturesUnordered::new();
    loop {
        while free > 0 {
            let Some(number) = next.next() else { break };
            let result = begin(number);
            running.push(async move { (number, result.await) });
            free -= 1;
        }
        let Some((number, result)) = running.next().await else { return results };
        match after(&result) {
            After::Next => free += 1,
            After::Waits => {}
            After::Stop => next = 0..0,
        }
        if let Some(slot) = results.get_mut(number) {
            *slot = Some(result);
        }
    }
}
