//! Many steps at a time, a bounded number of them under way.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;

/// Awaits what `begin` makes for each number below `count`; `end` is told each result with its number.
/// When it breaks, no further one is begun, and those under way are awaited.
pub(super) async fn gather<F: Future>(
    count: usize,
    concurrency: Option<u32>,
    begin: impl Fn(usize) -> F,
    end: &mut dyn FnMut(usize, F::Output) -> ControlFlow<()>,
) {
    let limit = concurrency.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    if limit < count {
        let begin = &begin;
        let begin =
            |number| -> Under<'_, F::Output> { Box::pin(async move { (number, begin(number).await) }) };
        return in_turn(count, limit, &begin, end).await;
    }
    // All begin at once: there is nothing that `end` could keep from it.
    for (number, result) in join_all((0..count).map(begin)).await.into_iter().enumerate() {
        let _ = end(number, result);
    }
}

/// What is under way: its number, and what comes out of it.
type Under<'f, T> = Pin<Box<dyn Future<Output = (usize, T)> + 'f>>;

async fn in_turn<'f, T>(
    count: usize,
    limit: usize,
    begin: &dyn Fn(usize) -> Under<'f, T>,
    end: &mut dyn FnMut(usize, T) -> ControlFlow<()>,
) {
    let mut waiting = 0..count;
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < limit {
            let Some(number) = waiting.next() else { break };
            running.push(begin(number));
        }
        let Some((number, result)) = running.next().await else { break };
        if end(number, result).is_break() {
            waiting = 0..0;
        }
    }
}
