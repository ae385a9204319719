//! Many steps at a time, a bounded number of them under way.

use std::future::Future;

use futures_util::future::{Either, FutureExt, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt};

use super::walk::apart;

/// Awaits what `begin` makes for each number below `count`, and gives the results by number. After a result with
/// which it does not go on, no further one is begun, and those under way are awaited.
pub(super) fn gather<'f, F: Future + 'f>(
    count: usize,
    concurrency: Option<u32>,
    begin: &'f impl Fn(usize) -> F,
    goes_on: &'f dyn Fn(&F::Output) -> bool,
) -> impl Future<Output = Vec<Option<F::Output>>> {
    let limit = concurrency.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    if limit < count {
        return Either::Right(apart(in_turn(count, limit, begin, goes_on)));
    }
    // All begin at once: there is none that a result could keep from it.
    Either::Left(join_all((0..count).map(begin)).map(|results| results.into_iter().map(Some).collect()))
}

async fn in_turn<F: Future>(
    count: usize,
    limit: usize,
    begin: impl Fn(usize) -> F,
    goes_on: &dyn Fn(&F::Output) -> bool,
) -> Vec<Option<F::Output>> {
    let mut results: Vec<Option<F::Output>> = (0..count).map(|_| None).collect();
    let mut waiting = 0..count;
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < limit {
            let Some(number) = waiting.next() else { break };
            let result = begin(number);
            running.push(async move { (number, result.await) });
        }
        let Some((number, result)) = running.next().await else { return results };
        if !goes_on(&result) {
            waiting = 0..0;
        }
        if let Some(slot) = results.get_mut(number) {
            *slot = Some(result);
        }
    }
}
