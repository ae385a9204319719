//! Streams of bytes, cut anywhere, in every format.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test code")]

use serde_json::{Value, json};

use super::*;
use crate::error::Code;
use crate::models::sample::{read, read_whole};

/// An answer that says `Hi`, in each format: as events, and in one piece.
fn answers() -> Vec<(Provider, Vec<Value>, Value)> {
    let chat = vec![
        json!({ "id": "a", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "H" } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "content": "i" }, "finish_reason": "stop" }] }),
    ];
    let message = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hi" }] });
    let response = json!({ "id": "a", "status": "completed", "output": [message] });
    let responses = vec![
        json!({ "type": "response.created", "response": { "id": "a", "status": "in_progress", "output": [] } }),
        json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "H" }),
        json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "i" }),
        json!({ "type": "response.completed", "response": response }),
    ];
    let messages = vec![
        json!({ "type": "message_start", "message": { "id": "a", "role": "assistant", "content": [], "usage": { "input_tokens": 1, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Hi" } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 2 } }),
        json!({ "type": "message_stop" }),
    ];
    let parts = |text: &str| json!({ "parts": [{ "text": text }], "role": "model" });
    let gemini = vec![
        json!({ "candidates": [{ "content": parts("H") }], "responseId": "a" }),
        json!({ "candidates": [{ "content": parts("i"), "finishReason": "STOP" }], "responseId": "a" }),
    ];
    vec![
        (
            Provider::Openai,
            chat,
            json!({ "id": "a", "choices": [{ "message": { "role": "assistant", "content": "Hi" }, "finish_reason": "stop" }] }),
        ),
        (Provider::OpenaiResponses, responses, response.clone()),
        (
            Provider::Anthropic,
            messages,
            json!({ "id": "a", "type": "message", "content": [{ "type": "text", "text": "Hi" }], "stop_reason": "end_turn" }),
        ),
        (
            Provider::Gemini,
            gemini,
            json!({ "candidates": [{ "content": parts("Hi"), "finishReason": "STOP" }], "responseId": "a" }),
        ),
    ]
}

fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn read_bytes(provider: Provider, bytes: &[u8]) -> Result<Reply, Error> {
    let mut stream = Stream::new(provider);
    stream.push(bytes)?;
    stream.end()
}

#[test]
fn a_stream_that_ends_anywhere_is_whole_or_broken_off() {
    for (provider, events, _) in answers() {
        for text in
            [sse(&events), sse(&events).replace('\n', "\r\n"), format!(": waiting\n\n{}", sse(&events))]
        {
            let mut whole = 0;
            for end in 0..text.len() {
                match read_bytes(provider, &text.as_bytes()[..end]) {
                    Ok(reply) => {
                        assert_eq!(reply.text, "Hi", "{provider:?}: {}", &text[..end]);
                        whole += 1;
                    }
                    Err(error) => {
                        assert_eq!(error.code, Code::Network, "{provider:?}: {}: {error}", &text[..end]);
                        assert!(error.retryable);
                    }
                }
            }
            // The reason of the end stands at most an event before the end.
            assert!(whole > 0 && whole < 100, "{provider:?}: {whole}");
        }
    }
}

#[test]
fn an_answer_in_one_piece_that_ends_in_its_middle_is_broken_off() {
    for (provider, _, whole) in answers() {
        let text = whole.to_string();
        assert_eq!(read_bytes(provider, text.as_bytes()).unwrap().text, "Hi");
        for end in 0..text.len() {
            let error = read_bytes(provider, &text.as_bytes()[..end]).unwrap_err();
            assert_eq!((error.code, error.retryable), (Code::Network, true), "{}", &text[..end]);
        }
    }
}

#[test]
fn the_form_of_an_answer_is_known_by_its_first_letter() {
    for (provider, events, whole) in answers() {
        for text in [sse(&events), whole.to_string()] {
            let text = format!("\u{feff}\r\n  {text}").replace("  data", "data");
            for cut in 0..text.len() {
                let mut stream = Stream::new(provider);
                stream.push(&text.as_bytes()[..cut]).unwrap();
                stream.push(&text.as_bytes()[cut..]).unwrap();
                assert_eq!(stream.end().unwrap().text, "Hi", "{provider:?}, cut at {cut}");
            }
        }
    }
}

#[test]
fn objects_that_are_no_part_of_an_answer_are_passed_over() {
    for (provider, events, _) in answers() {
        for at in 0..events.len() {
            let mut more = events.clone();
            more.insert(at, json!({ "status": "queued", "position": 3 }));
            assert_eq!(read(provider, &more).unwrap().text, "Hi", "{provider:?}, before event {at}");
        }
        // Alone, they are none.
        let error = read(provider, &[json!({ "status": "queued" })]).unwrap_err();
        assert_eq!(error.code, Code::Model);
        assert!(
            error.message.ends_with("sent what is no answer of a model: {\"status\":\"queued\"}"),
            "{error}"
        );
    }
}

#[test]
fn garbage_behind_a_good_beginning_is_not_blamed_on_the_address() {
    for (provider, events, _) in answers() {
        for (sent, hint) in [
            (sse(&events[..1]), "try again; the text so far is in the step's result"),
            (String::new(), "check the base URL; it usually ends with /v1"),
        ] {
            let mut stream = Stream::new(provider);
            let error = stream.push(format!("{sent}data: <html>\n\n").as_bytes()).unwrap_err();
            assert_eq!(
                (error.message.as_str().ends_with("is no answer of a model: <html>"), error.hint.as_str()),
                (true, hint),
                "{provider:?}"
            );
        }
    }
}

#[test]
fn errors_are_reported_in_every_form_that_endpoints_have_for_them() {
    for (provider, events, _) in answers() {
        for error in [
            "error: {\"code\": 500, \"message\": \"out of memory\"}\n\n",
            "event: error\ndata: {\"message\": \"out of memory\"}\n\n",
            "event: error\ndata: out of memory\n\n",
            "data: {\"error\": \"out of memory\"}\n\n",
            "data: {\"error\": {\"message\": \"out of memory\"}}\n\n",
            "data: {\"object\": \"error\", \"message\": \"out of memory\"}\n\n",
            "data: {\"type\": \"error\", \"message\": \"out of memory\"}\n\n",
            "data: {\"detail\": \"out of memory\"}\n\n",
            "data: {\"errors\": [{\"message\": \"out of memory\"}]}\n\n",
        ] {
            for before in 0..events.len() - 1 {
                let text = format!("{}{error}", sse(&events[..before]));
                let failure = read_bytes(provider, text.as_bytes()).unwrap_err();
                assert!(
                    failure.message.ends_with("reports an error (in its answer): out of memory")
                        || failure.message.contains("failed (in its answer): out of memory"),
                    "{provider:?} {error}: {failure}"
                );
            }
        }
        for error in
            [json!({ "detail": "out of memory" }), json!({ "error": { "message": "out of memory" } })]
        {
            let failure = read_whole(provider, &error).unwrap_err();
            assert!(
                failure.message.ends_with("(in its answer): out of memory"),
                "{provider:?} {error}: {failure}"
            );
        }
    }
}

#[test]
fn what_says_of_itself_that_it_is_no_error_is_none() {
    for (provider, events, whole) in answers() {
        for nothing in [json!(null), json!(false), json!("")] {
            let mut more = events.clone();
            more.iter_mut().for_each(|event| event["error"] = nothing.clone());
            assert_eq!(read(provider, &more).unwrap().text, "Hi", "{provider:?}");
            let mut whole = whole.clone();
            whole["error"] = nothing;
            assert_eq!(read_whole(provider, &whole).unwrap().text, "Hi", "{provider:?}");
        }
    }
}

#[test]
fn an_end_without_an_answer_is_no_answer() {
    for (provider, _, _) in answers() {
        assert_eq!(read_bytes(provider, b"data: [DONE]\n\n").unwrap_err().code, Code::Model, "{provider:?}");
        assert_eq!(read_bytes(provider, b"{}").unwrap_err().code, Code::Model, "{provider:?}");
        assert_eq!(read_bytes(provider, b"[]").unwrap_err().code, Code::Model, "{provider:?}");
    }
}

#[test]
fn items_that_are_not_understood_are_no_empty_answer() {
    let choice = |content: Value| json!({ "choices": [{ "message": { "content": content }, "finish_reason": "stop" }] });
    let response = |status: &str, output: Value| json!({ "status": status, "output": output });
    let message = |content: Value| json!({ "content": [content], "stop_reason": "end_turn" });
    let candidate =
        |part: Value| json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": "STOP" }] });
    for (provider, whole, kind) in [
        (Provider::Openai, choice(json!([{ "type": "hologram", "data": "x" }])), "hologram"),
        (Provider::Openai, choice(json!({ "a": 1 })), "content"),
        (
            Provider::Openai,
            json!({ "object": "text_completion", "choices": [{ "text": "Hi", "finish_reason": "stop" }] }),
            "text_completion",
        ),
        (
            Provider::OpenaiResponses,
            response("completed", json!([{ "type": "computer_call" }])),
            "computer_call",
        ),
        (Provider::OpenaiResponses, response("queued", json!([])), "queued"),
        (Provider::Anthropic, message(json!({ "type": "hologram" })), "hologram"),
        (Provider::Gemini, candidate(json!({ "hologram": { "a": 1 } })), "hologram"),
    ] {
        let error = read_whole(provider, &whole).unwrap_err();
        assert_eq!(error.code, Code::Model);
        let expected = format!("answered with `{kind}` alone, which is not understood");
        assert!(error.message.ends_with(&expected), "{provider:?}: {error}");
    }
    // Beside a text they are passed over.
    let both = choice(json!([{ "type": "hologram" }, { "type": "text", "text": "Hi" }]));
    assert_eq!(read_whole(Provider::Openai, &both).unwrap().text, "Hi");
}

#[test]
fn an_answer_of_more_words_than_any_has_is_refused_while_it_comes() {
    let words = "x".repeat(64 * 1024);
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n");
    let mut stream = Stream::new(Provider::Openai);
    let most = super::MAX_WORDS / words.len();
    (0..most).try_for_each(|_| stream.push(event.as_bytes())).unwrap();
    let error = stream.push(event.as_bytes()).unwrap_err();
    assert_eq!(error.message, "https://api.openai.com sent an answer without end");
}
