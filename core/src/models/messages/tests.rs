//! The format of Anthropic's messages.

use serde_json::{Value, json};

use crate::document::{Provider, ToolChoice};
use crate::models::sample::{SampleRequest, calling, gave, read, read_whole};
use crate::models::{Finish, Media, MediaKind, MediaSource, Part, Reply, ToolResult, Turn};

fn sample(params: Value) -> SampleRequest {
    SampleRequest::of(Provider::Anthropic, "claude").params(params)
}

fn media(kind: MediaKind, media_type: &str, source: MediaSource) -> Part {
    Part::Media(Media { kind, media_type: media_type.to_owned(), source, name: Some("n".to_owned()) })
}

fn data(text: &str) -> MediaSource {
    MediaSource::Data(text.to_owned())
}

#[test]
fn a_question_has_everything_in_its_place() {
    let sample = sample(json!({
        "thinking": { "type": "enabled", "budget_tokens": 2000 }, "tools": [{ "type": "web_search_20250305" }],
        "output_config": { "effort": "low" },
    }));
    let turns = [
        Turn::User(vec![
            Part::Text("What is it?".to_owned()),
            Part::Text(" \n".to_owned()),
            media(MediaKind::Image, "image/png", data("iVBO")),
            media(MediaKind::Image, "image/png", MediaSource::Url("https://a.test/b.png".to_owned())),
            media(MediaKind::File, "application/pdf", data("JVBE")),
            media(MediaKind::File, "text/csv", data("YSxi")),
        ]),
        Turn::Assistant(calling("c1", "weather", json!({ "city": "Kiel" }))),
        Turn::Tools(vec![
            gave("c1", "weather", json!({ "sky": "grey" })),
            ToolResult { is_error: true, ..gave("c2", "weather", "gone".into()) },
        ]),
        Turn::Assistant(Reply::default()),
        Turn::text("And now?"),
    ];
    let schema = json!({ "type": "object", "properties": { "ok": { "type": "boolean" } } });
    let named = ToolChoice::Named("weather".to_owned());
    let sample = sample.only(turns).weather().choice(named).output(schema);
    let sample = SampleRequest { instructions: Some("Be brief."), ..sample };
    assert_eq!(
        sample.body(),
        json!({
            "model": "claude", "max_tokens": 10192, "system": "Be brief.", "stream": true,
            "messages": [
                { "role": "user", "content": [
                    { "type": "text", "text": "What is it?" },
                    { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBO" } },
                    { "type": "image", "source": { "type": "url", "url": "https://a.test/b.png" } },
                    { "type": "document", "title": "n",
                        "source": { "type": "base64", "media_type": "application/pdf", "data": "JVBE" } },
                    { "type": "document", "title": "n",
                        "source": { "type": "text", "media_type": "text/plain", "data": "a,b" } },
                ] },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "Let me look." },
                    { "type": "tool_use", "id": "c1", "name": "weather", "input": { "city": "Kiel" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "c1", "content": "{\"sky\":\"grey\"}" },
                    { "type": "tool_result", "tool_use_id": "c2", "content": "gone", "is_error": true },
                ] },
                { "role": "user", "content": [{ "type": "text", "text": "And now?" }] },
            ],
            "tools": [
                { "name": "weather", "description": "Tells the weather.", "input_schema": sample.tools[0].input },
                { "type": "web_search_20250305" },
            ],
            "tool_choice": { "type": "tool", "name": "weather" },
            "thinking": { "type": "enabled", "budget_tokens": 2000 },
            "output_config": { "effort": "low", "format": { "type": "json_schema", "schema": {
                "type": "object", "properties": { "ok": { "type": "boolean" } }, "additionalProperties": false,
            } } },
        })
    );
}

#[test]
fn the_params_say_how_long_an_answer_may_be() {
    assert_eq!(sample(json!({})).body()["max_tokens"], 8192);
    assert_eq!(sample(json!({ "max_tokens": 5 })).body()["max_tokens"], 5);
}

#[test]
fn an_open_schema_is_requested_in_words() {
    let schema = json!({ "type": "object", "additionalProperties": { "type": "number" } });
    let body = sample(json!({})).output(schema.clone()).body();
    assert_eq!(body.get("output_config"), None);
    assert!(body["system"].as_str().unwrap().ends_with(&schema.to_string()), "{body}");
}

#[test]
fn choices_of_tools_have_their_words() {
    let sent = |choice| sample(json!({})).weather().choice(choice).body().get("tool_choice").cloned();
    assert_eq!(sent(ToolChoice::Auto), None);
    assert_eq!(sent(ToolChoice::Required), Some(json!({ "type": "any" })));
    assert_eq!(sent(ToolChoice::None), Some(json!({ "type": "none" })));
    assert_eq!(sample(json!({})).choice(ToolChoice::None).body().get("tool_choice"), None);
}

#[test]
fn the_version_is_said_and_newer_ones_take_no_temperature() {
    let mut sample = sample(json!({ "temperature": 0.5, "top_k": 3 }));
    sample.setup.model.model = "claude-haiku-4-5".to_owned();
    assert_eq!(sample.request().unwrap().url, "https://api.anthropic.com/v1/messages");
    assert_eq!(sample.request().unwrap().headers["anthropic-version"], "2023-06-01");
    assert_eq!(sample.body()["temperature"], 0.5);
    sample.setup.model.api_version = Some("2026-10-21".to_owned());
    assert_eq!(sample.request().unwrap().headers["anthropic-version"], "2026-10-21");
    assert_eq!(sample.body().get("temperature"), None);
}

fn start() -> Value {
    json!({ "type": "message_start", "message": { "content": [], "stop_reason": null, "usage": {
        "input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5, "output_tokens": 1,
    } } })
}

fn begin(index: u64, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn end(reason: &str) -> [Value; 2] {
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": reason },
        "usage": { "input_tokens": null, "output_tokens": 30, "output_tokens_details": { "thinking_tokens": 20 } } });
    [end, json!({ "type": "message_stop" })]
}

#[test]
fn thoughts_texts_and_calls_are_distinguished_and_kept_for_the_next_turn() {
    let [end, stop] = end("tool_use");
    let reply = read(
        Provider::Anthropic,
        &[
            start(),
            json!({ "type": "ping" }),
            begin(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
            delta(0, json!({ "type": "thinking_delta", "thinking": "Hm" })),
            delta(0, json!({ "type": "thinking_delta", "thinking": "m." })),
            delta(0, json!({ "type": "signature_delta", "signature": "SIG" })),
            json!({ "type": "content_block_stop", "index": 0 }),
            begin(1, json!({ "type": "redacted_thinking", "data": "SECRET" })),
            begin(2, json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} })),
            delta(2, json!({ "type": "input_json_delta", "partial_json": "{\"query\":\"x\"}" })),
            begin(3, json!({ "type": "web_search_tool_result", "tool_use_id": "s1", "content": [] })),
            begin(4, json!({ "type": "text", "text": "", "citations": [] })),
            delta(4, json!({ "type": "citations_delta", "citation": { "url": "u" } })),
            delta(4, json!({ "type": "text_delta", "text": "So" })),
            begin(5, json!({ "type": "text", "text": "" })),
            begin(6, json!({ "type": "tool_use", "id": "t1", "name": "first", "input": {} })),
            begin(7, json!({ "type": "tool_use", "id": "t2", "name": "second", "input": {} })),
            delta(7, json!({ "type": "input_json_delta", "partial_json": "" })),
            delta(6, json!({ "type": "input_json_delta", "partial_json": "{\"a\":" })),
            delta(6, json!({ "type": "input_json_delta", "partial_json": "1}" })),
            json!({ "type": "something_new", "index": 6 }),
            end,
            stop,
            json!({ "type": "error", "error": { "message": "sent after the end" } }),
        ],
    )
    .unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("So", "Hmm."));
    assert_eq!(reply.finish, Finish::ToolCalls);
    let calls: Vec<_> =
        reply.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), &call.input)).collect();
    assert_eq!(calls, [("t1", "first", &json!({ "a": 1 })), ("t2", "second", &json!({}))]);
    assert_eq!(
        reply.usage.unwrap().to_json(),
        json!({ "inputTokens": 115, "outputTokens": 30, "cachedInputTokens": 100, "cacheWriteTokens": 5, "reasoningTokens": 20 })
    );
    let kept = json!([
        { "type": "thinking", "thinking": "Hmm.", "signature": "SIG" },
        { "type": "redacted_thinking", "data": "SECRET" },
        { "type": "server_tool_use", "id": "s1", "name": "web_search", "input": { "query": "x" } },
        { "type": "web_search_tool_result", "tool_use_id": "s1", "content": [] },
        { "type": "text", "text": "So" },
        { "type": "tool_use", "id": "t1", "name": "first", "input": { "a": 1 } },
        { "type": "tool_use", "id": "t2", "name": "second", "input": {} },
    ]);
    let body = sample(json!({})).only([Turn::Assistant(reply)]).body();
    assert_eq!(body["messages"][0]["content"], kept);
}

#[test]
fn an_answer_that_says_all_is_not_kept_twice() {
    let [end, stop] = end("end_turn");
    let text = begin(0, json!({ "type": "text", "text": "Hi" }));
    let reply = read(Provider::Anthropic, &[start(), text, end, stop]).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish, reply.echo), ("Hi", Finish::Stop, Value::Null));
}

#[test]
fn a_thought_that_was_cut_off_is_not_sent_again() {
    let [end, stop] = end("max_tokens");
    let thought = begin(0, json!({ "type": "thinking", "thinking": "Hm", "signature": "" }));
    let reply = read(Provider::Anthropic, &[start(), thought, end, stop]).unwrap();
    assert_eq!((reply.finish, reply.reasoning.as_str()), (Finish::Length, "Hm"));
    assert_eq!(reply.echo, json!({ "messages": [] }));
}

#[test]
fn arguments_that_are_no_json_are_reported_as_they_came() {
    let [end, stop] = end("max_tokens");
    let call = begin(0, json!({ "type": "tool_use", "id": "t1", "name": "first", "input": {} }));
    let cut = delta(0, json!({ "type": "input_json_delta", "partial_json": "{\"a\":" }));
    let reply = read(Provider::Anthropic, &[start(), call, cut, end, stop]).unwrap();
    assert_eq!(reply.calls[0].broken.as_deref(), Some("{\"a\":"));
}

#[test]
fn a_refusal_says_why() {
    for (details, words) in [
        (json!({ "category": "cyber", "explanation": "It was blocked." }), "It was blocked."),
        (json!({ "category": "cyber", "explanation": null }), "cyber"),
        (Value::Null, ""),
    ] {
        let end = json!({ "type": "message_delta", "delta": { "stop_reason": "refusal", "stop_details": details } });
        let reply = read(Provider::Anthropic, &[start(), end]).unwrap();
        assert_eq!((reply.finish, reply.extras.refusal.as_str()), (Finish::Refused, words));
    }
}

#[test]
fn an_error_in_the_stream_is_reported() {
    let error = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let error = read(Provider::Anthropic, &[start(), error]).unwrap_err();
    assert!(error.message.contains("Overloaded") && error.retryable, "{error:?}");
}

#[test]
fn an_end_without_a_reason_is_an_error() {
    let text = begin(0, json!({ "type": "text", "text": "Hi" }));
    let error = read(Provider::Anthropic, &[start(), text]).unwrap_err();
    assert!(error.message.contains("broke off"), "{error:?}");
    let other = json!({ "object": "chat.completion.chunk", "choices": [] });
    assert!(read(Provider::Anthropic, &[other]).unwrap_err().message.contains("sent what is no answer"));
}

#[test]
fn whole_answers_are_read() {
    let answer = json!({ "type": "message", "stop_reason": "tool_use", "usage": { "input_tokens": 1, "output_tokens": 2 },
        "content": [{ "type": "text", "text": "Hi" }, { "type": "tool_use", "id": "t", "name": "f", "input": { "a": 1 } }] });
    let reply = read_whole(Provider::Anthropic, &answer).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Hi", Finish::ToolCalls));
    assert_eq!(reply.calls[0].input, json!({ "a": 1 }));
    // The same may stand at the beginning of a stream.
    let event = json!({ "type": "message_start", "message": answer });
    assert_eq!(read(Provider::Anthropic, &[event]).unwrap(), reply);
    let error = json!({ "type": "error", "error": { "message": "no" } });
    assert!(read_whole(Provider::Anthropic, &error).unwrap_err().message.contains("no"));
    assert!(read_whole(Provider::Anthropic, &json!({ "ok": true })).is_err());
}
