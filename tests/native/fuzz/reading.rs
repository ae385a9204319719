//! Reads an input and sees how much memory that takes.

use peak_alloc::PeakAlloc;
use stepweave_core::document::Provider;
use stepweave_core::engine::Error;
use stepweave_core::models::{Reply, Stream};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What came of an input.
#[derive(Debug, PartialEq)]
pub(crate) struct Reading {
    /// What was there before the end, or before the failure.
    text: String,
    reasoning: String,
    pub(crate) outcome: Result<Reply, Error>,
}

/// Reads an input in pieces.
pub(crate) fn read<'a>(provider: Provider, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut stream = Stream::new(provider);
    let pushed = pieces.into_iter().try_for_each(|piece| stream.push(piece));
    let (text, reasoning) = (stream.partial().text.clone(), stream.partial().reasoning.clone());
    Reading { text, reasoning, outcome: pushed.and_then(|()| stream.end()) }
}

/// Does something, and tells the bytes that were held at once on the way. Nothing else may run in this process meanwhile.
pub(crate) fn held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let done = work();
    (done, MEMORY.peak_usage().saturating_sub(before))
}
