//! The format of Gemini.

use serde_json::{Value, json};

use crate::document::{Provider, ToolChoice};
use crate::models::sample::{SampleRequest, calling, gave, read, read_whole};
use crate::models::{Finish, Media, MediaKind, MediaSource, Part, Stage, ToolResult, Turn};

fn sample(model: &str, params: Value) -> SampleRequest {
    SampleRequest::of(Provider::Gemini, model).params(params)
}

fn media(source: MediaSource) -> Part {
    let kind = MediaKind::Image;
    Part::Media(Media { kind, media_type: "image/png".to_owned(), source, name: None })
}

#[test]
fn the_model_and_the_way_of_answering_stand_in_the_url() {
    let at = |model, params| sample(model, params).request().unwrap().url;
    let base = "https://generativelanguage.googleapis.com/v1beta";
    for (model, params, path) in [
        ("gemini-3", json!({}), "/models/gemini-3:streamGenerateContent?alt=sse"),
        ("tunedModels/mine", json!({}), "/tunedModels/mine:streamGenerateContent?alt=sse"),
        ("gemini-3", json!({ "stream": false }), "/models/gemini-3:generateContent"),
    ] {
        assert_eq!(at(model, params), format!("{base}{path}"));
    }
}

#[test]
fn a_question_has_everything_in_its_place() {
    let params = json!({
        "top_p": 0.5, "max_tokens": 9, "stop": "END", "thinkingConfig": { "includeThoughts": true },
        "safetySettings": [], "tools": [{ "googleSearch": {} }], "generationConfig": { "seed": 1 }, "stream": true,
    });
    let turns = [
        Turn::User(vec![
            Part::Text("What is it?".to_owned()),
            media(MediaSource::Data("iVBO".to_owned())),
            media(MediaSource::Url("gs://a/b.png".to_owned())),
        ]),
        Turn::Assistant(calling("c1", "weather", Value::Null)),
        Turn::Tools(vec![gave("c1", "weather", "grey".into())]),
    ];
    let schema = json!({ "type": "object", "properties": { "ok": { "const": true } } });
    let sample = sample("gemini-3-pro", params).only(turns).weather().output(schema);
    let sample = SampleRequest { instructions: Some("Be brief."), ..sample };
    assert_eq!(
        sample.body(),
        json!({
            "systemInstruction": { "parts": [{ "text": "Be brief." }] },
            "contents": [
                { "role": "user", "parts": [
                    { "text": "What is it?" },
                    { "inlineData": { "mimeType": "image/png", "data": "iVBO" } },
                    { "fileData": { "mimeType": "image/png", "fileUri": "gs://a/b.png" } },
                ] },
                { "role": "model", "parts": [
                    { "text": "Let me look." },
                    { "functionCall": { "id": "c1", "name": "weather", "args": {} },
                        "thoughtSignature": "skip_thought_signature_validator" },
                ] },
                { "role": "user", "parts": [
                    { "functionResponse": { "id": "c1", "name": "weather", "response": { "output": "grey" } } },
                ] },
            ],
            "generationConfig": {
                "topP": 0.5, "maxOutputTokens": 9, "stopSequences": ["END"], "seed": 1,
                "thinkingConfig": { "includeThoughts": true }, "responseMimeType": "application/json",
                "responseJsonSchema": { "type": "object", "properties": { "ok": { "enum": [true] } } },
            },
            "safetySettings": [],
            "tools": [
                { "functionDeclarations": [{ "name": "weather", "description": "Tells the weather.",
                    "parametersJsonSchema": sample.tools[0].input }] },
                { "googleSearch": {} },
            ],
        })
    );
}

#[test]
fn choices_of_tools_have_their_words() {
    let sent = |choice| {
        let body = sample("gemini-3", json!({})).weather().choice(choice).body();
        body.pointer("/toolConfig/functionCallingConfig").cloned()
    };
    assert_eq!(sent(ToolChoice::Auto), None);
    assert_eq!(sent(ToolChoice::Required), Some(json!({ "mode": "ANY" })));
    assert_eq!(sent(ToolChoice::None), Some(json!({ "mode": "NONE" })));
    let named = json!({ "mode": "ANY", "allowedFunctionNames": ["weather"] });
    assert_eq!(sent(ToolChoice::Named("weather".to_owned())), Some(named));
}

#[test]
fn a_model_that_takes_no_schema_beside_tools_gets_it_in_words() {
    let is_held = |sample: SampleRequest| {
        let body = sample.output(json!({ "type": "object" })).body();
        assert_ne!(body.get("generationConfig").is_some(), body.get("systemInstruction").is_some());
        body.get("generationConfig").is_some()
    };
    assert!(is_held(sample("gemini-2.5-pro", json!({}))));
    assert!(!is_held(sample("gemini-2.5-pro", json!({})).weather()));
    assert!(is_held(sample("gemini-3-pro", json!({})).weather()));
    assert!(!is_held(sample("gemini-3-pro", json!({})).weather().choice(ToolChoice::Required)));
}

fn chunk(parts: Value) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] })
}

fn last(reason: &str) -> Value {
    json!({ "candidates": [{ "finishReason": reason, "finishMessage": "Its words." }], "usageMetadata": {
        "promptTokenCount": 10, "toolUsePromptTokenCount": 2, "cachedContentTokenCount": 4,
        "candidatesTokenCount": 5, "thoughtsTokenCount": 3,
    } })
}

#[test]
fn thoughts_texts_and_calls_are_distinguished_and_kept_for_the_next_turn() {
    let reply = read(
        Provider::Gemini,
        &[
            chunk(json!([{ "text": "Hm", "thought": true }])),
            chunk(json!([{ "text": "m.", "thought": true }, { "text": "So" }])),
            chunk(json!([{ "text": "," }, { "executableCode": { "code": "1" } }, { "text": " yes" }])),
            json!({ "candidates": [{ "index": 1, "content": { "parts": [{ "text": "another answer" }] } }] }),
            chunk(json!([
                { "functionCall": { "name": "first", "args": { "a": 1 } }, "thoughtSignature": "SIG" },
                { "functionCall": { "id": "t2", "name": "second" } },
            ])),
            chunk(json!([{ "text": "" }, { "thoughtSignature": "END" }])),
            last("STOP"),
        ],
    )
    .unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("So, yes", "Hmm."));
    assert_eq!((reply.finish, reply.extras.refusal.as_str()), (Finish::ToolCalls, ""));
    let calls: Vec<_> = reply.calls.iter().map(|call| (call.name.as_str(), &call.input)).collect();
    assert_eq!(calls, [("first", &json!({ "a": 1 })), ("second", &json!({}))]);
    assert_eq!(
        reply.usage.unwrap().to_json(),
        json!({ "inputTokens": 12, "outputTokens": 8, "cachedInputTokens": 4, "reasoningTokens": 3 })
    );
    let results = reply.calls.iter().map(|call| gave(&call.id, &call.name, json!(7))).collect();
    let turns = [Turn::Assistant(reply), Turn::Tools(results)];
    assert_eq!(
        sample("gemini-3", json!({})).only(turns).body()["contents"],
        json!([
            { "role": "model", "parts": [
                { "text": "Hmm.", "thought": true },
                { "text": "So," },
                { "executableCode": { "code": "1" } },
                { "text": " yes" },
                { "functionCall": { "name": "first", "args": { "a": 1 } }, "thoughtSignature": "SIG" },
                { "functionCall": { "id": "t2", "name": "second", "args": {} } },
                { "thoughtSignature": "END", "text": "" },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "name": "first", "response": { "output": 7 } } },
                { "functionResponse": { "name": "second", "response": { "output": 7 }, "id": "t2" } },
            ] },
        ])
    );
}

#[test]
fn a_failure_is_sent_as_one() {
    let failed = |output| ToolResult { is_error: true, ..gave("c", "f", output) };
    let turns = [Turn::Tools(vec![failed("gone".into()), failed(json!({ "error": "gone" }))])];
    let failure = json!({ "functionResponse": { "name": "f", "response": { "error": "gone" } } });
    assert_eq!(
        sample("gemini-3", json!({})).only(turns).body()["contents"][0]["parts"],
        json!([failure, failure])
    );
}

#[test]
fn an_answer_that_says_all_is_not_kept_twice() {
    let reply = read(Provider::Gemini, &[chunk(json!([{ "text": "Hi" }])), last("STOP")]).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish, reply.echo), ("Hi", Finish::Stop, Value::Null));
}

#[test]
fn calls_whose_arguments_come_in_pieces_are_whole_at_the_end() {
    let piece = |json: Value| chunk(json!([{ "functionCall": json }]));
    let reply = read(
        Provider::Gemini,
        &[
            chunk(json!([{ "functionCall": { "name": "cook", "willContinue": true }, "thoughtSignature": "SIG" }])),
            piece(json!({ "partialArgs": [{ "jsonPath": "$.steps[0].text", "stringValue": "Bo", "willContinue": true }],
                "willContinue": true })),
            piece(json!({ "partialArgs": [{ "jsonPath": "$.steps[0].text", "stringValue": "il" }], "willContinue": true })),
            piece(json!({ "willContinue": true })),
            piece(json!({})),
            piece(json!({ "name": "serve", "willContinue": true })),
            piece(json!({ "partialArgs": [{ "jsonPath": "$.for", "numberValue": 2 }], "willContinue": true })),
            last("STOP"),
        ],
    )
    .unwrap();
    let calls: Vec<_> = reply.calls.iter().map(|call| (call.name.as_str(), &call.input)).collect();
    assert_eq!(calls, [("cook", &json!({ "steps": [{ "text": "Boil" }] })), ("serve", &json!({ "for": 2 }))]);
    assert_eq!(
        reply.echo,
        json!({ "gemini": [
            { "functionCall": { "name": "cook", "args": { "steps": [{ "text": "Boil" }] } }, "thoughtSignature": "SIG" },
            { "functionCall": { "name": "serve", "args": { "for": 2 } } },
        ] })
    );
}

#[test]
fn what_a_filter_holds_back_is_reported() {
    let blocked = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" }, "usageMetadata": {} });
    let reply = read(Provider::Gemini, &[blocked]).unwrap();
    assert_eq!((reply.finish, reply.extras.refusal.as_str()), (Finish::Filtered, "PROHIBITED_CONTENT"));
    let reply = read(Provider::Gemini, &[chunk(json!([{ "text": "Well" }])), last("SAFETY")]).unwrap();
    assert_eq!(
        (reply.finish, reply.extras.refusal.as_str(), reply.text.as_str()),
        (Finish::Filtered, "Its words.", "Well")
    );
}

#[test]
fn other_ends_have_their_reasons() {
    for (reason, finish) in
        [("MAX_TOKENS", Finish::Length), ("LANGUAGE", Finish::Other), ("NEW_ONE", Finish::Other)]
    {
        assert_eq!(read(Provider::Gemini, &[last(reason)]).unwrap().finish, finish);
    }
    let error = read(Provider::Gemini, &[last("MALFORMED_FUNCTION_CALL")]).unwrap_err();
    assert!(error.message.contains("MALFORMED_FUNCTION_CALL: Its words.") && error.retryable, "{error:?}");
    for reason in [Value::Null, "FINISH_REASON_UNSPECIFIED".into()] {
        let text =
            json!({ "candidates": [{ "content": { "parts": [{ "text": "Hi" }] }, "finishReason": reason }] });
        assert!(read(Provider::Gemini, &[text]).unwrap_err().message.contains("broke off"));
    }
}

#[test]
fn an_error_in_the_stream_is_reported() {
    let error = json!({ "error": { "code": 503, "message": "Overloaded", "status": "UNAVAILABLE" } });
    let error = read(Provider::Gemini, &[chunk(json!([{ "text": "Hi" }])), error]).unwrap_err();
    assert!(error.message.contains("Overloaded"), "{error:?}");
    assert!(
        read(Provider::Gemini, &[json!({ "type": "ping" })])
            .unwrap_err()
            .message
            .contains("sent what is no answer")
    );
}

#[test]
fn whole_answers_and_lists_of_chunks_are_read() {
    let hi = chunk(json!([{ "text": "Hi" }]));
    let reply = read_whole(Provider::Gemini, &json!([hi, last("STOP")])).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Hi", Finish::Stop));
    let answer =
        json!({ "candidates": [{ "content": { "parts": [{ "text": "Hi" }] }, "finishReason": "STOP" }] });
    assert_eq!(read_whole(Provider::Gemini, &answer).unwrap().text, "Hi");
    assert!(read_whole(Provider::Gemini, &json!({ "ok": true })).is_err());
}

#[test]
fn results_of_code_end_the_calls_in_their_order_and_beyond_the_bound_nothing_is_kept() {
    let began = |code: usize| json!({ "executableCode": { "code": code.to_string() } });
    let gave = |output: &str| json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": output } });
    let parts = json!([began(1), began(2), gave("one"), gave("two"), gave("of nothing")]);
    let reply = read(Provider::Gemini, &[chunk(parts), last("STOP")]).unwrap();
    let id = |number: usize| reply.extras.served[number].id.as_str();
    assert_eq!((id(2), id(3), reply.extras.served.len()), (id(0), id(1), 4));
    assert_eq!(reply.extras.served[3].stage, Stage::Gave("two".into()));

    // Each result was looked for among all calls, for each of them.
    let mut parts: Vec<Value> = (0..999).map(began).collect();
    parts.extend((0..20_000).map(|_| gave("x")));
    let reply = read(Provider::Gemini, &[chunk(parts.into()), last("STOP")]).unwrap();
    assert_eq!(reply.extras.served.len(), 1000);
}

#[test]
fn the_pages_of_a_search_are_bounded_however_many_searches_are_open() {
    let pages = |count: usize| -> Vec<Value> {
        (0..count).map(|number| json!({ "web": { "uri": format!("https://a.test/{number}") } })).collect()
    };
    let search = || json!({ "toolCall": { "toolType": "GOOGLE_SEARCH_WEB", "args": {} } });
    let found = |searches: usize, chunks: Vec<Value>| {
        let grounding = json!({ "groundingChunks": chunks });
        let end = json!({ "candidates": [{ "finishReason": "STOP", "groundingMetadata": grounding }] });
        let searches: Vec<Value> = (0..searches).map(|_| search()).collect();
        let reply = read(Provider::Gemini, &[chunk(searches.into()), end]).unwrap();
        let gave = reply.extras.served.into_iter().filter_map(|one| match one.stage {
            Stage::Gave(pages) => Some(pages.as_array().unwrap().len()),
            _ => None,
        });
        (gave.collect::<Vec<_>>(), reply.extras.sources.len())
    };
    assert_eq!(found(1, pages(3)), (vec![3], 3));
    assert_eq!(found(3, pages(3)), (vec![3, 3, 3], 3));
    let (gave, sources) = found(450, pages(20_000));
    assert_eq!((gave.len(), gave.iter().sum::<usize>(), sources), (450, 8 * 1000, 1000));
    let twice = pages(1000).into_iter().chain(pages(1000));
    assert_eq!(found(1, twice.collect()).1, 1000);
}
