//! Conversations, in every format.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use serde_json::{Value, json};

use super::*;
use crate::document::Provider;
use crate::models::sample::{SampleRequest, calling, gave, read, read_whole};

fn extras(reply: &Reply) -> Value {
    // What a journal kept is the same.
    assert_eq!(&Reply::from_json(&reply.to_json()), reply);
    reply.extras.to_json().into()
}

#[test]
fn sources_and_the_id_of_an_answer_are_read_in_every_format() {
    let page = json!({ "url": "https://a.test/", "title": "A" });
    let citation = json!({ "type": "url_citation", "url": "https://a.test/", "title": "A" });
    let chat = json!({ "id": "r1", "choices": [{ "finish_reason": "stop", "message": {
        "content": "Hi", "annotations": [{ "type": "url_citation", "url_citation": page }, { "type": "url_citation", "url_citation": page }],
    } }] });
    let perplexity = json!({ "id": "r1", "citations": ["https://a.test/"], "search_results": [page],
        "choices": [{ "finish_reason": "stop", "delta": { "role": "assistant", "content": "" }, "message": { "content": "Hi" } }] });
    let responses = json!({ "id": "r1", "status": "completed", "output": [
        { "type": "web_search_call" },
        { "type": "message", "content": [{ "type": "output_text", "text": "Hi", "annotations": [citation] }] },
    ] });
    let messages = json!({ "id": "r1", "stop_reason": "end_turn", "content": [
        { "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} },
        { "type": "web_search_tool_result", "content": [{ "type": "web_search_result", "url": "https://a.test/", "title": "A" }] },
        { "type": "text", "text": "Hi" },
    ] });
    let gemini = json!({ "responseId": "r1", "candidates": [{ "finishReason": "STOP", "content": { "parts": [{ "text": "Hi" }] },
        "groundingMetadata": { "groundingChunks": [{ "web": { "uri": "https://a.test/", "title": "A" } }] } }] });
    for (provider, whole) in [
        (Provider::Openai, chat),
        (Provider::Openai, perplexity),
        (Provider::OpenaiResponses, responses),
        (Provider::Anthropic, messages),
        (Provider::Gemini, gemini),
    ] {
        let reply = read_whole(provider, &whole).unwrap();
        assert_eq!(reply.text, "Hi");
        assert_eq!(extras(&reply), json!({ "responseId": "r1", "sources": [page] }), "{provider:?}");
    }
}

#[test]
fn sources_are_read_while_an_answer_comes() {
    let source = json!({ "url": "https://a.test/", "title": "A" });
    let annotation = json!({ "type": "url_citation", "url": "https://a.test/", "title": "A" });
    let responses = [
        json!({ "type": "response.created", "response": { "id": "r1" } }),
        json!({ "type": "response.output_text.delta", "delta": "Hi" }),
        json!({ "type": "response.output_text.annotation.added", "annotation": annotation }),
        json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } }),
    ];
    assert_eq!(extras(&read(Provider::OpenaiResponses, &responses).unwrap())["sources"], json!([source]));
    let citation = json!({ "type": "char_location", "document_title": "A", "cited_text": "so it is" });
    let messages = [
        json!({ "type": "message_start", "message": { "id": "r1" } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "citations_delta", "citation": citation } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Hi" } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
    ];
    let found = extras(&read(Provider::Anthropic, &messages).unwrap());
    assert_eq!(found["sources"], json!([{ "title": "A", "text": "so it is" }]));
}

#[test]
fn images_that_a_model_made_are_read() {
    let image = json!([{ "type": "image", "mediaType": "image/png", "data": "aGk=" }]);
    let shown = json!([{ "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } }]);
    let choice = |message: Value| json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
    for (provider, whole) in [
        (Provider::Openrouter, choice(json!({ "content": "", "images": shown }))),
        (Provider::Openai, choice(json!({ "content": shown }))),
        (
            Provider::OpenaiResponses,
            json!({ "status": "completed", "output": [{ "type": "image_generation_call", "result": "aGk=" }] }),
        ),
        (
            Provider::OpenaiResponses,
            json!({ "status": "completed", "output": [
                { "type": "code_interpreter_call", "outputs": [{ "type": "logs", "logs": "1" }, { "type": "image", "url": "data:image/png;base64,aGk=" }] },
                { "type": "message", "content": [{ "type": "output_text", "text": "Look." }] },
            ] }),
        ),
        (
            Provider::Gemini,
            json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [{ "inlineData": { "mimeType": "image/png", "data": "aGk=" } }] } }] }),
        ),
        (Provider::Custom, json!({ "type": "image", "mediaType": "image/png", "data": "aGk=" })),
    ] {
        let events = [whole, json!({ "type": "finish", "reason": "stop" })];
        let last = if provider == Provider::Custom { 2 } else { 1 };
        let reply = match last {
            1 => read_whole(provider, &events[0]).unwrap(),
            _ => read(provider, &events).unwrap(),
        };
        assert_eq!(extras(&reply)["files"], image, "{provider:?}");
    }
}

#[test]
fn images_that_a_tool_gave_go_to_the_model_as_images() {
    let image = json!({ "type": "image", "mediaType": "image/png", "data": "aGk=" });
    let output = json!([{ "type": "text", "text": "A dot:" }, image, { "type": "audio", "bytes": 3 }]);
    let sent = |provider, model: &str| {
        SampleRequest::of(provider, model)
            .weather()
            .only([
                Turn::text("Look"),
                Turn::Assistant(Reply { text: String::new(), ..calling("c1", "weather", json!({})) }),
                Turn::Tools(vec![gave("c1", "weather", output.clone())]),
            ])
            .body()
    };
    let audio = r#"{"type":"audio","bytes":3}"#;
    let text = format!("A dot:\n[file 1 below]\n{audio}");

    let chat = sent(Provider::Openai, "gpt-4.1");
    assert_eq!(chat["messages"][2], json!({ "role": "tool", "tool_call_id": "c1", "content": text }));
    let url = json!({ "url": "data:image/png;base64,aGk=" });
    assert_eq!(
        chat["messages"][3],
        json!({ "role": "user", "content": [{ "type": "image_url", "image_url": url }] })
    );

    let responses = sent(Provider::OpenaiResponses, "gpt-4.1");
    let parts = json!([
        { "type": "input_text", "text": "A dot:" },
        { "type": "input_image", "image_url": "data:image/png;base64,aGk=" },
        { "type": "input_text", "text": audio },
    ]);
    assert_eq!(responses["input"][2]["output"], parts);

    let messages = sent(Provider::Anthropic, "claude-sonnet-5");
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "aGk=" });
    let parts = json!([
        { "type": "text", "text": "A dot:" }, { "type": "image", "source": source }, { "type": "text", "text": audio },
    ]);
    assert_eq!(messages["messages"][2]["content"][0]["content"], parts);

    let inline = json!({ "inlineData": { "mimeType": "image/png", "data": "aGk=" } });
    let newer = sent(Provider::Gemini, "gemini-3.5-flash");
    let response = &newer["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!((&response["response"], &response["parts"]), (&json!({ "output": text }), &json!([inline])));
    let older = sent(Provider::Gemini, "gemini-2.5-flash");
    assert_eq!(older["contents"][2]["parts"][1], inline);
    assert_eq!(older["contents"][2]["parts"][0]["functionResponse"].get("parts"), None);

    // An output without an image is sent as it is.
    let plain = json!([{ "type": "text", "text": "A" }, { "type": "text", "text": "B" }]);
    let turns = [
        Turn::Assistant(calling("c1", "weather", json!({}))),
        Turn::Tools(vec![gave("c1", "weather", plain.clone())]),
    ];
    let body = SampleRequest::of(Provider::Openai, "gpt-4.1").weather().turns(turns).body();
    assert_eq!(body["messages"][2]["content"], plain.to_string());
}

#[test]
fn what_a_tool_showed_is_not_counted_as_words() {
    let image = json!({ "type": "image", "mediaType": "image/png", "data": "A".repeat(4000) });
    let turns = [
        Turn::Assistant(calling("c1", "weather", json!({}))),
        Turn::Tools(vec![gave("c1", "weather", image)]),
    ];
    let sample = SampleRequest::of(Provider::Openai, "gpt-4.1").turns(turns);
    let body = crate::models::neutral(&sample.question()).to_string();
    assert!(body.len() > 4000);
    assert!(sample.question().words_in(&body) < 1000);
}

#[test]
fn what_gpt_oss_thought_before_a_call_goes_back_to_ollama() {
    let events = [
        json!({ "choices": [{ "delta": { "reasoning": "I need " } }] }),
        json!({ "choices": [{ "delta": { "reasoning": "the weather." } }] }),
        json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "c1", "function": { "name": "weather", "arguments": "{}" } }] }, "finish_reason": "tool_calls" }] }),
    ];
    for (provider, is_sent) in [(Provider::Ollama, true), (Provider::Llamacpp, true), (Provider::Groq, false)]
    {
        let reply = read(provider, &events).unwrap();
        let turns = [Turn::Assistant(reply), Turn::Tools(vec![gave("c1", "weather", json!("sun"))])];
        let body = SampleRequest::of(provider, "gpt-oss:20b").weather().turns(turns).body();
        let sent = body["messages"][1].get("reasoning");
        assert_eq!(sent, is_sent.then_some(&json!("I need the weather.")), "{provider:?}");
    }
}

#[test]
fn what_a_call_wrote_into_a_cache_is_read() {
    let chat = |usage: Value| json!({ "choices": [{ "message": { "content": "Hi" }, "finish_reason": "stop" }], "usage": usage });
    for usage in [
        json!({ "prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": { "cache_write_tokens": 4 } }),
        json!({ "prompt_tokens": 9, "completion_tokens": 1, "cache_creation_input_tokens": 4 }),
    ] {
        let reply = read_whole(Provider::Openai, &chat(usage)).unwrap();
        assert_eq!(reply.usage.unwrap().cache_write_tokens, 4);
    }
    let usage = json!({ "input_tokens": 5, "output_tokens": 1, "cache_creation_input_tokens": 4 });
    let message =
        json!({ "content": [{ "type": "text", "text": "Hi" }], "stop_reason": "end_turn", "usage": usage });
    let used = read_whole(Provider::Anthropic, &message).unwrap().usage.unwrap();
    assert_eq!((used.input_tokens, used.cache_write_tokens), (9, 4));
}
