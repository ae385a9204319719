//! Many steps at a time, a bounded number of them under way.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

/// What is under way: its number, and what comes out of it.
pub(super) type Under<'f, T> = Pin<Box<dyn Future<Output = (usize, T)> + 'f>>;

/// Awaits what `begin` makes for each number below `count`; `end` is told each result with its number.
/// When it breaks, no further one is begun, and those under way are awaited.
pub(super) async fn gather<'f, T>(
    count: usize,
    concurrency: Option<u32>,
    begin: &dyn Fn(usize) -> Under<'f, T>,
    end: &mut dyn FnMut(usize, T) -> ControlFlow<()>,
) {
    let limit = concurrency.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
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
