//! The format of chat completions.

use serde_json::{Value, json};

use crate::document::{Provider, ToolChoice};
use crate::models::sample::{SampleRequest, gave, read, read_whole};
use crate::models::{Finish, Media, MediaKind, MediaSource, Part, Reply, ToolCall, Turn};
use crate::usage::Usage;

fn delta(delta: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn ends(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn calls(reply: &Reply) -> Vec<(&str, &str, String)> {
    reply.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.input.to_string())).collect()
}

/// Reads these pieces of calls, each as a separate chunk.
fn read_calls(provider: Provider, pieces: &[Value]) -> Reply {
    let mut chunks: Vec<Value> = pieces.iter().map(|piece| delta(json!({ "tool_calls": [piece] }))).collect();
    chunks.push(ends("tool_calls"));
    read(provider, &chunks).unwrap()
}

fn call(id: &str, name: &str, input: Value) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), input, broken: None, is_cut_off: false }
}

fn image(source: MediaSource) -> Part {
    Part::Media(Media { kind: MediaKind::Image, media_type: "image/png".to_owned(), source, name: None })
}

// Requests

#[test]
fn a_question_becomes_messages() {
    let mut sample =
        SampleRequest::of(Provider::Openai, "gpt-4.1").params(json!({ "temperature": 0.2, "seed": 7 }));
    sample.instructions = Some("Be brief.");
    assert_eq!(
        sample.body(),
        json!({
            "model": "gpt-4.1",
            "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Hi" }],
            "stream": true,
            "stream_options": { "include_usage": true },
            "temperature": 0.2,
            "seed": 7,
        })
    );
    assert_eq!(sample.request().unwrap().url, "https://api.openai.com/v1/chat/completions");
}

#[test]
fn options_of_a_stream_go_only_where_they_are_taken() {
    assert!(SampleRequest::of(Provider::Mistral, "mistral-small").body().get("stream_options").is_none());
    let whole = SampleRequest::of(Provider::Openai, "gpt-4.1").params(json!({ "stream": false }));
    assert!(whole.body().get("stream_options").is_none());
}

#[test]
fn a_version_goes_into_the_address() {
    let mut sample = SampleRequest::of(Provider::Azure, "my-deployment");
    sample.setup.model.base_url = Some("https://x.openai.azure.com/openai/v1/".to_owned());
    sample.setup.model.api_version = Some("preview".to_owned());
    let url = "https://x.openai.azure.com/openai/v1/chat/completions?api-version=preview";
    assert_eq!(sample.request().unwrap().url, url);
}

#[test]
fn an_address_of_ones_own_is_required() {
    let error = SampleRequest::of(Provider::Azure, "my-deployment").request().unwrap_err();
    assert_eq!(error.message, "models of the provider `azure` need a `baseUrl`");
    let hint = "give the address of your own, such as https://<resource>.openai.azure.com/openai/v1";
    assert_eq!(error.hint, hint);
}

#[test]
fn images_and_files_are_parts() {
    let pdf = Media {
        kind: MediaKind::File,
        media_type: "application/pdf".to_owned(),
        source: MediaSource::Data("JVBERi0=".to_owned()),
        name: None,
    };
    let parts = vec![
        Part::Text("What is this?".to_owned()),
        image(MediaSource::Data("iVBORw0=".to_owned())),
        image(MediaSource::Url("https://example.org/a.png".to_owned())),
        Part::Media(pdf),
    ];
    let body = SampleRequest::of(Provider::Openai, "gpt-4.1").turns([Turn::User(parts)]).body();
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "text", "text": "What is this?" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0=" } },
            { "type": "image_url", "image_url": { "url": "https://example.org/a.png" } },
            {
                "type": "file",
                "file": { "filename": "file.pdf", "file_data": "data:application/pdf;base64,JVBERi0=" },
            },
        ])
    );
}

#[test]
fn sounds_are_heard() {
    let sound = |kind: &str, source| Part::Media(Media::made(kind, source));
    let data = || MediaSource::Data("UklGRg==".to_owned());
    for (kind, format) in [
        ("audio/wav", "wav"),
        ("audio/x-wav", "wav"),
        ("audio/vnd.wave", "wav"),
        ("audio/mpeg", "mp3"),
        ("audio/mp3", "mp3"),
        ("audio/mp4", "m4a"),
        ("audio/ogg", "ogg"),
        ("audio/x-flac", "flac"),
    ] {
        let parts = vec![Part::Text("Who speaks?".to_owned()), sound(kind, data())];
        let body = SampleRequest::of(Provider::Openai, "gpt-audio").turns([Turn::User(parts)]).body();
        let heard = json!({ "type": "input_audio", "input_audio": { "data": "UklGRg==", "format": format } });
        assert_eq!(body["messages"][1]["content"][1], heard, "{kind}");
    }
    // What lies elsewhere is a file there too.
    let elsewhere = sound("audio/wav", MediaSource::Url("https://example.org/a.wav".to_owned()));
    let body = SampleRequest::of(Provider::Openai, "gpt-audio").turns([Turn::User(vec![elsewhere])]).body();
    assert_eq!(body["messages"][1]["content"][0]["type"], "file");
}

#[test]
fn texts_in_files_are_said() {
    let file = |name: Option<&str>| {
        Part::Media(Media {
            kind: MediaKind::File,
            media_type: "text/csv".to_owned(),
            source: MediaSource::Data("YSxi".to_owned()),
            name: name.map(str::to_owned),
        })
    };
    let parts = vec![file(None), file(Some("numbers.csv"))];
    let body = SampleRequest::of(Provider::Ollama, "llama3").turns([Turn::User(parts)]).body();
    let text = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(body["messages"][1]["content"], json!([text("a,b"), text("numbers.csv:\n\na,b")]));
}

#[test]
fn calls_and_their_results_are_sent_again() {
    let reply = Reply { calls: vec![call("c1", "search", json!({ "q": "x" }))], ..Reply::default() };
    let result = gave("c1", "search", json!({ "n": 1 }));
    let turns = [Turn::Assistant(reply), Turn::Tools(vec![result])];
    let body = SampleRequest::of(Provider::Openai, "gpt-4.1").turns(turns.clone()).body();
    let function = json!({ "name": "search", "arguments": "{\"q\":\"x\"}" });
    let tool_calls = json!([{ "id": "c1", "type": "function", "function": function }]);
    assert_eq!(
        body["messages"][1],
        json!({ "role": "assistant", "content": null, "tool_calls": tool_calls })
    );
    assert_eq!(body["messages"][2], json!({ "role": "tool", "tool_call_id": "c1", "content": "{\"n\":1}" }));
    // Workers AI wants a text.
    let mut sample = SampleRequest::of(Provider::WorkersAi, "@cf/meta/llama").turns(turns);
    sample.setup.model.base_url = Some("https://example.org/ai/v1".to_owned());
    assert_eq!(sample.body()["messages"][1]["content"], "");
}

#[test]
fn ids_of_other_endpoints_are_made_to_fit() {
    let ids = |provider, given: &str| {
        let reply = Reply { calls: vec![call(given, "f", json!({}))], ..Reply::default() };
        let turns = [Turn::Assistant(reply), Turn::Tools(vec![gave(given, "f", json!(1))])];
        let messages = SampleRequest::of(provider, "m").turns(turns).body()["messages"].clone();
        let id = messages[1]["tool_calls"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(messages[2]["tool_call_id"], id.as_str());
        id
    };
    assert_eq!(ids(Provider::Mistral, "gSIMJiOkT"), "gSIMJiOkT");
    let (one, other) = (ids(Provider::Mistral, "call_1"), ids(Provider::Mistral, "call_2"));
    assert!(one != other && one.len() == 9 && one.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{one}");
    assert_eq!(ids(Provider::Openai, "call_1"), "call_1");
}

#[test]
fn broken_arguments_are_not_sent_again() {
    let broken = ToolCall { broken: Some("{\"q\":".to_owned()), ..call("c1", "search", Value::Null) };
    let reply = Reply { calls: vec![broken], ..Reply::default() };
    let body = SampleRequest::of(Provider::Openai, "gpt-4.1").turns([Turn::Assistant(reply)]).body();
    assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn tools_are_offered_with_the_schema_of_an_object() {
    let body = SampleRequest::of(Provider::Openai, "gpt-4.1")
        .params(json!({ "tools": [{ "type": "web_search" }] }))
        .tool("now", json!({}))
        .choice(ToolChoice::Required)
        .body();
    let function = json!({ "name": "now", "parameters": { "type": "object", "properties": {} } });
    assert_eq!(
        body["tools"],
        json!([{ "type": "function", "function": function }, { "type": "web_search" }])
    );
    assert_eq!(body["tool_choice"], "required");
}

#[test]
fn a_named_tool_is_offered_alone_where_it_cannot_be_named() {
    let sent = |provider, choice| {
        SampleRequest::of(provider, "m").tool("a", json!({})).tool("b", json!({})).choice(choice).body()
    };
    let names = |body: &Value| -> Vec<Value> {
        let tools = body["tools"].as_array().into_iter().flatten();
        tools.map(|tool| tool["function"]["name"].clone()).collect()
    };
    let named = sent(Provider::Openai, ToolChoice::Named("b".to_owned()));
    assert_eq!(named["tool_choice"], json!({ "type": "function", "function": { "name": "b" } }));
    assert_eq!(names(&named), ["a", "b"]);
    let alone = sent(Provider::Lmstudio, ToolChoice::Named("b".to_owned()));
    assert_eq!((&alone["tool_choice"], names(&alone)), (&json!("required"), vec![json!("b")]));
    assert_eq!(sent(Provider::Openai, ToolChoice::None)["tool_choice"], "none");
    let none = sent(Provider::Llamacpp, ToolChoice::None);
    assert!(none.get("tools").is_none() && none.get("tool_choice").is_none());
}

#[test]
fn a_json_answer_is_requested_by_the_means_that_the_endpoint_has() {
    let schema = json!({
        "type": "object", "properties": { "n": { "type": "integer" } },
        "required": ["n"], "additionalProperties": false,
    });
    let sample = |provider| SampleRequest::of(provider, "m").output(schema.clone());
    let format = json!({
        "type": "json_schema",
        "json_schema": { "name": "answer", "strict": true, "schema": schema },
    });
    assert_eq!(sample(Provider::Openai).body()["response_format"], format);
    let object = sample(Provider::Deepseek).body();
    assert_eq!(object["response_format"], json!({ "type": "json_object" }));
    let words = "Give your final answer as JSON alone, without any other text, that fits this JSON Schema: ";
    assert_eq!(object["messages"][0]["content"], format!("{words}{schema}"));
    let mut in_words = sample(Provider::Groq);
    in_words.instructions = Some("Count.");
    let in_words = in_words.body();
    assert!(in_words.get("response_format").is_none());
    assert_eq!(in_words["messages"][0]["content"], format!("Count.\n\n{words}{schema}"));
    // An endpoint that enforces a schema need not show it to the model, and one that only speaks the format does not enforce it.
    let mut elsewhere = sample(Provider::Openai);
    elsewhere.setup.model.base_url = Some("http://localhost:9999/v1".to_owned());
    for both in [sample(Provider::Llamacpp).body(), elsewhere.body()] {
        assert_eq!(both["response_format"], format);
        assert_eq!(both["messages"][0]["content"], format!("{words}{schema}"));
    }
    // A grammar for the answer keeps local models from calling tools.
    let with_tools = sample(Provider::Llamacpp).tool("now", json!({})).body();
    assert!(with_tools.get("response_format").is_none());
    assert!(sample(Provider::Openai).tool("now", json!({})).body().get("response_format").is_some());
    // A list is no object.
    let list = SampleRequest::of(Provider::Openai, "m").output(json!({ "type": "array" })).body();
    assert!(list.get("response_format").is_none());
}

#[test]
fn thoughts_go_back_with_the_calls_that_they_led_to() {
    let chunks = [
        delta(json!({ "reasoning_content": "Look " })),
        delta(json!({ "reasoning_content": "it up." })),
        delta(
            json!({ "tool_calls": [{ "index": 0, "id": "c1", "function": { "name": "f", "arguments": "" } }] }),
        ),
        ends("tool_calls"),
    ];
    let mut reply = read(Provider::Deepseek, &chunks).unwrap();
    let sent = |reply: &Reply| {
        let turns = [Turn::Assistant(reply.clone())];
        SampleRequest::of(Provider::Deepseek, "deepseek-chat").turns(turns).body()["messages"][1].clone()
    };
    assert_eq!(sent(&reply)["reasoning_content"], "Look it up.");
    reply.calls.clear();
    assert!(sent(&reply).get("reasoning_content").is_none());
}

#[test]
fn details_of_thoughts_go_back_in_one_piece() {
    let detail = |detail: Value| delta(json!({ "reasoning_details": [detail] }));
    let encrypted = json!({ "type": "reasoning.encrypted", "data": "gAA", "index": 1 });
    let chunks = [
        detail(json!({ "type": "reasoning.text", "text": "Two ", "index": 0, "signature": null })),
        detail(json!({ "type": "reasoning.text", "text": "steps.", "index": 0 })),
        detail(json!({ "type": "reasoning.text", "signature": "s1", "index": 0 })),
        detail(encrypted.clone()),
        detail(encrypted.clone()),
        ends("stop"),
    ];
    let reply = read(Provider::Openrouter, &chunks).unwrap();
    let turns = [Turn::Assistant(reply)];
    let message = SampleRequest::of(Provider::Openrouter, "a/b").turns(turns).body()["messages"][1].clone();
    let whole = json!({ "type": "reasoning.text", "text": "Two steps.", "index": 0, "signature": "s1" });
    assert_eq!(message["reasoning_details"], json!([whole, encrypted, encrypted]));
}

// Answers

#[test]
fn reasoning_is_read_under_either_name_and_not_twice() {
    let both = delta(json!({ "reasoning_content": "a", "reasoning": "a" }));
    let chunks = [both, delta(json!({ "reasoning": "b" })), delta(json!({ "content": "c" })), ends("stop")];
    let reply = read(Provider::Groq, &chunks).unwrap();
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("ab", "c"));
}

#[test]
fn content_may_be_a_list_of_thoughts_and_texts() {
    let thinking = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "Hm" }] }]);
    let chunks = [
        delta(json!({ "role": "assistant", "content": "" })),
        delta(json!({ "content": thinking })),
        delta(
            json!({ "content": [{ "type": "text", "text": "Yes" }, { "type": "reference", "reference_ids": [1] }] }),
        ),
        delta(json!({ "content": "." })),
        ends("stop"),
    ];
    let reply = read(Provider::Mistral, &chunks).unwrap();
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("Hm", "Yes."));
}

#[test]
fn calls_arrive_in_pieces_side_by_side() {
    let pieces = [
        json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "f", "arguments": "" } }),
        json!({ "index": 0, "function": { "arguments": "{\"x\":" } }),
        json!({ "index": 1, "id": "b", "type": "function", "function": { "name": "g", "arguments": "{}" } }),
        json!({ "index": 0, "function": { "arguments": "1}" } }),
    ];
    let reply = read_calls(Provider::Openai, &pieces);
    assert_eq!(calls(&reply), [("a", "f", "{\"x\":1}".to_owned()), ("b", "g", "{}".to_owned())]);
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[test]
fn later_pieces_do_not_overwrite_the_name() {
    let pieces = [
        json!({ "index": 1, "id": "a", "function": { "name": "f", "arguments": "{" } }),
        json!({ "index": 1, "id": "a", "function": { "name": "", "arguments": "" } }),
        json!({ "index": 1, "id": "", "function": { "name": null, "arguments": "}" } }),
    ];
    assert_eq!(calls(&read_calls(Provider::Mistral, &pieces)), [("a", "f", "{}".to_owned())]);
}

#[test]
fn whole_calls_may_share_an_index_or_lack_it() {
    let shared = [
        json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{}" } }),
        json!({ "index": 0, "id": "b", "function": { "name": "f", "arguments": "{}" } }),
    ];
    let expected = [("a", "f", "{}".to_owned()), ("b", "f", "{}".to_owned())];
    assert_eq!(calls(&read_calls(Provider::Openai, &shared)), expected);
    let none = [
        json!({ "id": "a", "function": { "name": "f", "arguments": { } } }),
        json!({ "id": "b", "function": { "name": "f", "arguments": "{" } }),
        json!({ "function": { "arguments": "}" } }),
    ];
    assert_eq!(calls(&read_calls(Provider::Ollama, &none)), expected);
}

#[test]
fn ids_are_made_up_where_they_lack_and_made_unique_where_they_repeat() {
    let nameless = [
        json!({ "function": { "name": "f", "arguments": "{}" } }),
        json!({ "function": { "name": "g", "arguments": "{}" } }),
    ];
    let reply = read_calls(Provider::Ollama, &nameless);
    assert_eq!(calls(&reply), [("call_0", "f", "{}".to_owned()), ("call_1", "g", "{}".to_owned())]);
    let twice = [
        json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{}" } }),
        json!({ "index": 1, "id": "a", "function": { "name": "g", "arguments": "{}" } }),
    ];
    let reply = read_calls(Provider::Vllm, &twice);
    assert_eq!(calls(&reply), [("a", "f", "{}".to_owned()), ("a_1", "g", "{}".to_owned())]);
}

#[test]
fn calls_of_the_first_form_are_read() {
    let chunks = [
        delta(json!({ "function_call": { "name": "f", "arguments": "" } })),
        delta(json!({ "function_call": { "arguments": "{\"x\":1}" } })),
        ends("function_call"),
    ];
    let reply = read(Provider::Openai, &chunks).unwrap();
    assert_eq!(calls(&reply), [("call_0", "f", "{\"x\":1}".to_owned())]);
}

#[test]
fn arguments_that_are_no_json_are_kept_as_they_are() {
    let piece = json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{\"x\":" } });
    let reply = read_calls(Provider::Openai, &[piece]);
    assert_eq!(reply.calls[0].broken.as_deref(), Some("{\"x\":"));
}

#[test]
fn a_refusal_is_an_answer_of_its_own() {
    let chunks =
        [delta(json!({ "content": null, "refusal": "No" })), delta(json!({ "refusal": "." })), ends("stop")];
    let reply = read(Provider::Openai, &chunks).unwrap();
    assert_eq!((reply.extras.refusal.as_str(), reply.finish), ("No.", Finish::Refused));
}

#[test]
fn every_reason_to_end_is_understood() {
    for (reason, expected) in [
        ("stop", Finish::Stop),
        ("eos", Finish::Stop),
        ("length", Finish::Length),
        ("model_length", Finish::Length),
        ("content_filter", Finish::Filtered),
        ("insufficient_system_resource", Finish::Other),
    ] {
        let reply = read(Provider::Openai, &[delta(json!({ "content": "x" })), ends(reason)]).unwrap();
        assert_eq!(reply.finish, expected, "{reason}");
    }
    let native = json!({
        "choices": [{ "delta": {}, "finish_reason": "content_filter", "native_finish_reason": "refusal" }],
    });
    assert_eq!(read(Provider::Openrouter, &[native]).unwrap().finish, Finish::Refused);
}

#[test]
fn an_end_without_a_reason_is_a_break_unless_it_is_reported() {
    let half = delta(json!({ "content": "x" }));
    let error = read(Provider::Openai, std::slice::from_ref(&half)).unwrap_err();
    assert_eq!(error.message, "https://api.openai.com broke off before its answer was whole");
    // A reason that is empty is none.
    let empty = json!({ "choices": [{ "delta": { "content": "x" }, "finish_reason": "" }] });
    assert!(read(Provider::Openai, &[empty]).is_err());
    // No `[DONE]` is needed behind a reason.
    assert_eq!(read(Provider::Vllm, &[half, ends("stop")]).unwrap().text, "x");
}

#[test]
fn no_endpoint_gives_money_back() {
    for (cost, counted) in
        [(json!(0.25), Some(0.25)), (json!(0), Some(0.0)), (json!(-1000), None), (json!("-1"), None)]
    {
        let used = json!({ "prompt_tokens": 1, "completion_tokens": 1, "cost": cost });
        let reply =
            read(Provider::Openrouter, &[ends("stop"), json!({ "choices": [], "usage": used })]).unwrap();
        assert_eq!(reply.usage.unwrap().cost, counted, "{cost}");
    }
}

#[test]
fn usage_is_found_wherever_it_is() {
    let used = json!({
        "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
        "prompt_tokens_details": { "cached_tokens": 4 },
        "completion_tokens_details": { "reasoning_tokens": 3 },
        "cost": 0.25,
    });
    let expected =
        Usage { cached_input_tokens: 4, reasoning_tokens: 3, cost: Some(0.25), ..Usage::new(10, 5) };
    for last in [
        json!({ "choices": [], "usage": used }),
        json!({ "usage": used }),
        json!({ "choices": [], "x_groq": { "usage": used } }),
        json!({ "choices": [{ "index": 0, "delta": {}, "usage": used }] }),
    ] {
        let reply = read(Provider::Openai, &[ends("stop"), last.clone(), json!({ "usage": null })]).unwrap();
        assert_eq!(reply.usage, Some(expected), "{last}");
    }
}

#[test]
fn tokens_are_counted_alike_everywhere() {
    let usage =
        |used: Value| read(Provider::Openai, &[ends("stop"), json!({ "usage": used })]).unwrap().usage;
    let hits = json!({ "prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 8 });
    assert_eq!(usage(hits), Some(Usage { cached_input_tokens: 8, ..Usage::new(9, 1) }));
    // Reasoning beside the answer and not in it.
    let beside = json!({
        "prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 30,
        "completion_tokens_details": { "reasoning_tokens": 20 },
    });
    assert_eq!(usage(beside), Some(Usage { reasoning_tokens: 20, ..Usage::new(9, 21) }));
}

#[test]
fn chunks_without_choices_are_passed_over() {
    let chunks = [
        json!({ "choices": [], "prompt_filter_results": [{ "prompt_index": 0 }], "id": "", "model": "" }),
        json!({ "object": "chat.completion.chunk", "model": "m" }),
        delta(json!({ "role": "assistant" })),
        json!({ "choices": [{ "index": 0, "finish_reason": null, "content_filter_offsets": {} }] }),
        delta(json!({ "content": "Hi" })),
        json!({ "choices": [{ "index": 1, "delta": { "content": "other" } }] }),
        json!({ "type": "ping" }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "obfuscation": "x1Y" }),
    ];
    assert_eq!(read(Provider::Azure, &chunks).unwrap().text, "Hi");
}

#[test]
fn errors_are_found_wherever_they_are() {
    let error = json!({ "message": "Overloaded", "code": 502 });
    for last in [
        json!({ "error": error }),
        json!({ "error": "Overloaded" }),
        json!({ "object": "error", "message": "Overloaded", "type": "BadRequestError", "code": 400 }),
        json!({ "error": error, "choices": [{ "delta": { "content": "" }, "finish_reason": "error" }] }),
        json!({ "choices": [{ "delta": { "content": "" }, "error": error }] }),
    ] {
        let read = read(Provider::Openrouter, &[delta(json!({ "content": "x" })), last.clone()]);
        let message = read.unwrap_err().message.clone();
        assert!(message.ends_with("Overloaded"), "{last}: {message}");
    }
}

#[test]
fn what_is_no_answer_is_recognised() {
    let error = read(Provider::Openai, &[json!({ "type": "message_start" })]).unwrap_err();
    let message = "https://api.openai.com sent what is no answer of a model: {\"type\":\"message_start\"}";
    assert_eq!(error.message, message);
    assert!(read_whole(Provider::Openai, &json!({ "choices": [] })).is_err());
}

#[test]
fn an_answer_in_one_piece_is_read() {
    let function = |name: &str| json!({ "name": name, "arguments": "{}" });
    // Calls with the same id are two calls.
    let tool_calls =
        json!([{ "id": "a", "function": function("f") }, { "id": "a", "function": function("g") }]);
    let message =
        json!({ "role": "assistant", "content": "Hi", "reasoning": "Hm", "tool_calls": tool_calls });
    let answer = json!({
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 },
        "error": null,
    });
    let reply = read_whole(Provider::Openai, &answer).unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hi", "Hm"));
    assert_eq!(calls(&reply), [("a", "f", "{}".to_owned()), ("a_1", "g", "{}".to_owned())]);
    assert_eq!(reply.usage, Some(Usage::new(1, 2)));
    let error =
        read_whole(Provider::Openai, &json!({ "error": { "message": "Out of credit" } })).unwrap_err();
    assert!(error.message.ends_with("Out of credit"), "{}", error.message);
}
