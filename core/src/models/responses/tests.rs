//! The format of OpenAI's responses.

use serde_json::{Value, json};

use crate::document::{Provider, ToolChoice};
use crate::models::sample::{SampleRequest, gave, read, read_whole};
use crate::models::{Finish, Media, MediaKind, MediaSource, Part, Reply, ToolCall, Turn};
use crate::usage::Usage;

const PROVIDER: Provider = Provider::OpenaiResponses;

fn sample(model: &str) -> SampleRequest {
    SampleRequest::of(PROVIDER, model)
}

fn delta(text: &str) -> Value {
    json!({ "type": "response.output_text.delta", "delta": text })
}

fn completed(response: Value) -> Value {
    json!({ "type": "response.completed", "response": response })
}

fn read_done(events: &[Value]) -> Reply {
    let mut events = events.to_vec();
    events.push(completed(json!({ "status": "completed", "output": [] })));
    read(PROVIDER, &events).unwrap()
}

fn calls(reply: &Reply) -> Vec<(&str, &str, String)> {
    reply.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.input.to_string())).collect()
}

// Requests

#[test]
fn a_question_becomes_input() {
    let mut sample = sample("gpt-4.1").params(json!({ "temperature": 0.2 }));
    sample.instructions = Some("Be brief.");
    assert_eq!(
        sample.body(),
        json!({
            "model": "gpt-4.1",
            "instructions": "Be brief.",
            "input": [{ "role": "user", "content": "Hi" }],
            "stream": true,
            "store": false,
            "temperature": 0.2,
        })
    );
    assert_eq!(sample.request().unwrap().url, "https://api.openai.com/v1/responses");
}

#[test]
fn thoughts_are_requested_of_models_that_have_them() {
    let include = json!(["reasoning.encrypted_content"]);
    assert_eq!(sample("gpt-5-mini").body()["include"], include);
    assert_eq!(sample("o4-mini").body()["include"], include);
    for model in ["gpt-4o", "gpt-5-chat-latest"] {
        assert!(sample(model).body().get("include").is_none(), "{model}");
    }
}

#[test]
fn images_and_files_are_parts() {
    let media = |kind, media_type: &str, source| {
        Part::Media(Media { kind, media_type: media_type.to_owned(), source, name: Some("a.pdf".to_owned()) })
    };
    let data = || MediaSource::Data("AAAA".to_owned());
    let url = || MediaSource::Url("https://example.org/a".to_owned());
    let parts = vec![
        Part::Text("What is this?".to_owned()),
        media(MediaKind::Image, "image/png", data()),
        media(MediaKind::File, "application/pdf", data()),
        media(MediaKind::File, "application/pdf", url()),
    ];
    assert_eq!(
        sample("gpt-5").turns([Turn::User(parts)]).body()["input"][1]["content"],
        json!([
            { "type": "input_text", "text": "What is this?" },
            { "type": "input_image", "image_url": "data:image/png;base64,AAAA" },
            { "type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA" },
            { "type": "input_file", "file_url": "https://example.org/a" },
        ])
    );
}

#[test]
fn tools_are_flat_and_say_whether_they_are_strict() {
    let strict = json!({
        "type": "object", "properties": { "q": { "type": "string" } },
        "required": ["q"], "additionalProperties": false,
    });
    let body = sample("gpt-5")
        .tool("a", strict.clone())
        .tool("b", json!({}))
        .choice(ToolChoice::Named("b".to_owned()))
        .body();
    let open = json!({ "type": "object", "properties": {} });
    assert_eq!(
        body["tools"],
        json!([
            { "type": "function", "name": "a", "parameters": strict, "strict": true },
            { "type": "function", "name": "b", "parameters": open, "strict": false },
        ])
    );
    assert_eq!(body["tool_choice"], json!({ "type": "function", "name": "b" }));
}

#[test]
fn a_json_answer_is_requested_beside_other_settings_of_the_text() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let body =
        sample("gpt-5").output(schema.clone()).params(json!({ "text": { "verbosity": "low" } })).body();
    let format = json!({ "type": "json_schema", "name": "answer", "strict": false, "schema": schema });
    assert_eq!(body["text"], json!({ "format": format, "verbosity": "low" }));
}

#[test]
fn calls_and_their_results_are_sent_again() {
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "search".to_owned(),
        input: json!({ "q": "x" }),
        broken: None,
        is_cut_off: false,
    };
    let reply = Reply { text: "Let me look.".to_owned(), calls: vec![call], ..Reply::default() };
    let result = gave("c1", "search", json!("found"));
    let body = sample("gpt-4.1").turns([Turn::Assistant(reply), Turn::Tools(vec![result])]).body();
    assert_eq!(
        body["input"],
        json!([
            { "role": "user", "content": "Hi" },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Let me look." }] },
            { "type": "function_call", "call_id": "c1", "name": "search", "arguments": "{\"q\":\"x\"}" },
            { "type": "function_call_output", "call_id": "c1", "output": "found" },
        ])
    );
}

#[test]
fn the_items_of_an_answer_go_back_as_they_came() {
    let thought = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAA" });
    let lost = json!({ "type": "reasoning", "id": "rs_2", "summary": [] });
    let call =
        json!({ "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}" });
    let output = json!([thought, lost, call]);
    let reply = read(PROVIDER, &[completed(json!({ "status": "completed", "output": output }))]).unwrap();
    let input = sample("gpt-5").turns([Turn::Assistant(reply)]).body()["input"].clone();
    assert_eq!(input, json!([{ "role": "user", "content": "Hi" }, thought, call]));
}

#[test]
fn an_answer_that_says_everything_needs_no_echo() {
    let message = json!({ "type": "message", "content": [{ "type": "output_text", "text": "Hi" }] });
    let output = json!([message]);
    let reply = read(PROVIDER, &[completed(json!({ "status": "completed", "output": output }))]).unwrap();
    assert_eq!((reply.text.as_str(), &reply.echo), ("Hi", &Value::Null));
}

// Answers

#[test]
fn text_refusal_and_reasoning_are_read() {
    let events = [
        json!({ "type": "response.created", "response": { "status": "queued" } }),
        json!({ "type": "response.reasoning_summary_text.delta", "delta": "Short", "item_id": "rs_1" }),
        delta("Hel"),
        delta("lo"),
        json!({ "type": "response.something.new", "delta": "?" }),
    ];
    let reply = read_done(&events);
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hello", "Short"));
    let refused = read_done(&[json!({ "type": "response.refusal.delta", "delta": "No." })]);
    assert_eq!((refused.extras.refusal.as_str(), refused.finish), ("No.", Finish::Refused));
}

#[test]
fn a_summary_says_nothing_new_of_thoughts_that_are_reported() {
    let events = [
        json!({ "type": "response.reasoning_text.delta", "delta": "Long" }),
        json!({ "type": "response.reasoning_summary_text.delta", "delta": "Short" }),
    ];
    assert_eq!(read_done(&events).reasoning, "Long");
}

/// An event about the call of this number, in each way that endpoints identify calls.
fn about(number: u64, way: &str, kind: &str, mut event: Value) -> Value {
    let map = event.as_object_mut().unwrap();
    map.insert("type".to_owned(), kind.into());
    // Some give every event of the same item another id.
    let id = if way == "changing ids" { format!("{kind}{number}") } else { format!("fc_{number}") };
    if way != "ids" {
        map.insert("output_index".to_owned(), number.into());
    }
    match map.get_mut("item").and_then(Value::as_object_mut) {
        Some(item) => item.insert("id".to_owned(), id.into()),
        None => map.insert("item_id".to_owned(), id.into()),
    };
    event
}

#[test]
fn calls_are_distinguished_however_they_are_numbered() {
    for way in ["places", "ids", "changing ids"] {
        let item = |number: u64, arguments: &str| {
            let (call, name) = (format!("c{number}"), format!("f{number}"));
            json!({ "item": { "type": "function_call", "call_id": call, "name": name, "arguments": arguments } })
        };
        let events = [
            about(1, way, "response.output_item.added", item(1, "")),
            about(1, way, "response.function_call_arguments.delta", json!({ "delta": "{\"x\":" })),
            about(2, way, "response.output_item.added", item(2, "")),
            about(1, way, "response.function_call_arguments.delta", json!({ "delta": "1}" })),
            about(2, way, "response.function_call_arguments.done", json!({ "arguments": "{}" })),
            about(1, way, "response.output_item.done", item(1, "{\"x\":1}")),
        ];
        let expected = [("c1", "f1", "{\"x\":1}".to_owned()), ("c2", "f2", "{}".to_owned())];
        let reply = read_done(&events);
        assert_eq!(calls(&reply), expected, "{way}");
        assert_eq!(reply.finish, Finish::ToolCalls);
    }
}

#[test]
fn the_last_word_counts() {
    let message = json!({ "type": "message", "content": [{ "type": "output_text", "text": "2 + 2 = 4" }] });
    let thought =
        json!({ "type": "reasoning", "summary": [{ "text": "sum" }], "content": [{ "text": "all" }] });
    let output = json!([thought, message]);
    let usage = json!({
        "input_tokens": 20, "input_tokens_details": { "cached_tokens": 5 },
        "output_tokens": 8, "output_tokens_details": { "reasoning_tokens": 4 },
        "cost": 0.001,
    });
    let last = completed(json!({ "status": "completed", "output": output, "usage": usage, "error": null }));
    // A stream that is resumed later has only the end of the text.
    let reply = read(PROVIDER, &[delta(" 4"), last]).unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("2 + 2 = 4", "all"));
    let usage = Usage { cached_input_tokens: 5, reasoning_tokens: 4, cost: Some(0.001), ..Usage::new(20, 8) };
    assert_eq!(reply.usage, Some(usage));
}

#[test]
fn every_reason_to_end_is_understood() {
    for (reason, expected) in [
        ("max_output_tokens", Finish::Length),
        ("content_filter", Finish::Filtered),
        ("something_new", Finish::Other),
    ] {
        let response = json!({ "status": "incomplete", "incomplete_details": { "reason": reason } });
        let events = [delta("x"), json!({ "type": "response.incomplete", "response": response })];
        let reply = read(PROVIDER, &events).unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), ("x", expected), "{reason}");
    }
}

#[test]
fn errors_are_found_wherever_they_are() {
    let error = json!({ "code": "rate_limit_exceeded", "message": "Slow down" });
    for last in [
        json!({ "type": "error", "code": "rate_limit_exceeded", "message": "Slow down", "param": null }),
        json!({ "type": "error", "error": error, "sequence_number": 2 }),
        json!({ "type": "response.failed", "response": { "status": "failed", "error": error } }),
        json!({ "error": error }),
    ] {
        let message = read(PROVIDER, &[delta("x"), last.clone()]).unwrap_err().message.clone();
        assert!(message.ends_with("Slow down"), "{last}: {message}");
    }
}

#[test]
fn an_end_without_the_last_word_is_a_break() {
    let error = read(PROVIDER, &[delta("x")]).unwrap_err();
    assert_eq!(error.message, "https://api.openai.com broke off before its answer was whole");
}

#[test]
fn what_is_no_answer_is_recognised() {
    assert!(read(PROVIDER, &[json!({ "choices": [] })]).is_err());
    assert!(read_whole(PROVIDER, &json!({ "choices": [] })).is_err());
}

#[test]
fn an_answer_in_one_piece_is_read() {
    let output = json!([
        { "type": "message", "content": [{ "type": "output_text", "text": "Hi" }] },
        { "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{\"x\":1}" },
    ]);
    let answer = json!({ "object": "response", "status": "completed", "output": output, "error": null });
    let reply = read_whole(PROVIDER, &answer).unwrap();
    assert_eq!(reply.text, "Hi");
    assert_eq!(calls(&reply), [("c1", "f", "{\"x\":1}".to_owned())]);
    let failed =
        json!({ "object": "response", "status": "failed", "output": [], "error": { "message": "Broken" } });
    assert!(read_whole(PROVIDER, &failed).unwrap_err().message.ends_with("Broken"));
}
