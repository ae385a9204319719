//! Answers without end.

use std::sync::PoisonError;

use stepweave_core::document::Provider;
use stepweave_core::engine::Code;
use stepweave_core::models::Stream;

use crate::ALONE;
use crate::memory::held;

const PROVIDERS: [Provider; 4] =
    [Provider::Openai, Provider::OpenaiResponses, Provider::Anthropic, Provider::Gemini];

/// Many times what a reader may hold.
const TIMES: usize = 20_000;

/// Bytes that nothing may add up to.
const NOTHING: usize = 64 * 1024;

/// Bytes that an event may have.
const LONGEST: usize = 16 * 1024 * 1024;

fn held_for(provider: Provider, event: &str) -> usize {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut stream = Stream::new(provider);
    let (read, held) = held(|| (0..TIMES).try_for_each(|_| stream.push(event.as_bytes())));
    read.unwrap_or_else(|error| panic!("{provider:?} refuses {event:?}: {error:?}"));
    held
}

#[test]
fn what_says_nothing_is_not_kept() {
    let anywhere =
        [": keep-alive\n\n", "event: ping\nid: 7\nretry: 3000\n\n", "\r\n", "unknown: field\n\n", "\n\n\n"];
    let own = [
        (Provider::Openai, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":null}]}\n\n"),
        (
            Provider::Openai,
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n",
        ),
        (
            Provider::OpenaiResponses,
            "data: {\"type\":\"response.of_the_future\",\"delta\":\"some words\"}\n\n",
        ),
        (Provider::Anthropic, "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        (
            Provider::Anthropic,
            "event: future\ndata: {\"type\":\"of_the_future\",\"text\":\"some words\"}\n\n",
        ),
        (Provider::Gemini, "data: {\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":1}}\r\n\r\n"),
    ];
    let everywhere = PROVIDERS.into_iter().flat_map(|provider| anywhere.map(|event| (provider, event)));
    for (provider, event) in everywhere.chain(own) {
        let held = held_for(provider, event);
        assert!(held <= NOTHING, "{provider:?} holds {held} bytes for {TIMES} times {event:?}");
    }
}

#[test]
fn a_line_without_end_is_refused() {
    for provider in PROVIDERS {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = [b'x'; 64 * 1024];
        let mut stream = Stream::new(provider);
        let (read, held) = held(|| (0..1024).try_for_each(|_| stream.push(&piece)));
        assert_eq!(read.unwrap_err().code, Code::Limit);
        // A buffer of twice its length, and the one before that while it is copied.
        assert!(held <= 3 * LONGEST + NOTHING, "{provider:?} held {held} bytes");
    }
}
