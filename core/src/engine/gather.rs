//! Many steps, of which a bounded number run at once.

use std::future::Future;
use std::pin::Pin;

use futures_util::future::{Either, FutureExt, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt};

use super::walk::apart;

/// How many begin before others go first. So many at most begin without a look at what became of them.
pub(super) const AT_ONCE: usize = 100;

/// Ends once the next ones may begin.
pub(super) type Pause<'p> = Pin<Box<dyn Future<Output = ()> + 'p>>;

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
pub(super) fn gather<'f, 'p: 'f, F: Future + 'f>(
    count: usize,
    concurrency: Option<u32>,
    begin: &'f impl Fn(usize) -> F,
    after: &'f dyn Fn(&F::Output) -> After,
    pause: &'f dyn Fn() -> Pause<'p>,
) -> impl Future<Output = Vec<Option<F::Output>>> {
    let limit = concurrency.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    if limit.min(AT_ONCE) < count {
        return Either::Right(apart(in_turn(count, limit, begin, after, pause)));
    }
    // All begin at once: there is none that a result could keep from it.
    Either::Left(join_all((0..count).map(begin)).map(|results| results.into_iter().map(Some).collect()))
}

async fn in_turn<'p, F: Future>(
    count: usize,
    limit: usize,
    begin: impl Fn(usize) -> F,
    after: &dyn Fn(&F::Output) -> After,
    pause: &dyn Fn() -> Pause<'p>,
) -> Vec<Option<F::Output>> {
    let mut results: Vec<Option<F::Output>> = (0..count).map(|_| None).collect();
    let mut next = 0..count;
    let mut free = limit;
    let mut fresh = AT_ONCE;
    let mut running = FuturesUnordered::new();
    loop {
        while free > 0 && fresh > 0 {
            let Some(number) = next.next() else { break };
            running.push(Either::Left(begin(number).map(move |result| Some((number, result)))));
            free -= 1;
            fresh -= 1;
            if fresh == 0 {
                // It stands behind those that have begun.
                running.push(Either::Right(pause().map(|()| None)));
            }
        }
        let Some(ended) = running.next().await else { return results };
        let Some((number, result)) = ended else {
            fresh = AT_ONCE;
            continue;
        };
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;
    use std::pin::pin;

    use futures_util::future::pending;
    use futures_util::task::noop_waker_ref;

    use super::*;

    const MANY: usize = 100_000;

    /// How many of many have begun after one poll, of which each `begin` makes one.
    fn begun<F: Future<Output = usize>>(
        begin: impl Fn(usize) -> F,
        after: impl Fn(&usize) -> After,
        pause: impl Fn() -> Pause<'static>,
    ) -> usize {
        let begun = Cell::new(0);
        let counted = |number| {
            begun.set(begun.get() + 1);
            begin(number)
        };
        let gathered = pin!(gather(MANY, Some(u32::MAX), &counted, &after, &pause));
        let _ = gathered.poll(&mut std::task::Context::from_waker(noop_waker_ref()));
        begun.get()
    }

    #[test]
    fn no_more_begin_before_others_had_their_turn() {
        let pauses = || -> Pause<'static> { Box::pin(pending()) };
        assert_eq!(begun(|_| pending(), |_| After::Next, pauses), AT_ONCE);
        assert_eq!(begun(ready, |_| After::Next, pauses), AT_ONCE);
    }

    #[test]
    fn no_more_begin_once_one_stops_them() {
        let goes_on = || -> Pause<'static> { Box::pin(ready(())) };
        let stops = |number: &usize| if *number == 250 { After::Stop } else { After::Next };
        assert_eq!(begun(ready, stops, goes_on), 3 * AT_ONCE);
    }

    #[test]
    fn all_begin_and_their_results_are_in_order() {
        let goes_on = || -> Pause<'static> { Box::pin(ready(())) };
        let (begin, after) = (ready, |_: &usize| After::Next);
        let all = gather(MANY, None, &begin, &after, &goes_on).now_or_never();
        assert_eq!(all, Some((0..MANY).map(Some).collect()));
    }
}
