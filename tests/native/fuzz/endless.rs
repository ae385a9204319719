//! Answers without end.

use stepweave_core::document::Provider;
use stepweave_core::error::{Code, Error};
use stepweave_core::models::Stream;

use crate::alone;
use crate::memory::held;

const PROVIDERS: [Provider; 4] =
    [Provider::Openai, Provider::OpenaiResponses, Provider::Anthropic, Provider::Gemini];

/// Many times what a reader may hold.
const TIMES: usize = 20_000;

/// Bytes that nothing may add up to.
const NOTHING: usize = 64 * 1024;

/// Bytes that an event may have.
const LONGEST_EVENT: usize = 16 * 1024 * 1024;

/// Bytes that an answer may have.
const LONGEST_ANSWER: usize = 128 * 1024 * 1024;

fn held_for(provider: Provider, event: &str) -> usize {
    let _alone = alone();
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
        let _alone = alone();
        let (error, held) = held(|| endless(provider, &[b'x'; 64 * 1024]));
        assert!(error.message.ends_with(" sent an event without end"), "{}", error.message);
        assert_eq!((error.code, error.hint.as_str()), (Code::Limit, "check the base URL"));
        // A buffer of twice its length, and the one before that while it is copied.
        assert!(held <= 3 * LONGEST_EVENT + NOTHING, "{provider:?} held {held} bytes");
    }
}

#[test]
fn an_answer_without_end_is_refused() {
    let _alone = alone();
    let event =
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(256 * 1024));
    let (error, held) = held(|| endless(Provider::Openai, event.as_bytes()));
    assert_eq!(error.code, Code::Limit);
    assert_eq!(error.message, "https://api.openai.com sent an answer without end");
    assert!(held <= 3 * LONGEST_ANSWER, "{held} bytes were held");
}

/// How a reader refuses what is pushed again and again.
fn endless(provider: Provider, piece: &[u8]) -> Error {
    let mut stream = Stream::new(provider);
    (0..2 * LONGEST_ANSWER / piece.len()).try_for_each(|_| stream.push(piece)).unwrap_err()
}
