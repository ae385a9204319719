//! Every recorded answer, cut in every way, is read as the provider's own client reads it. What that client reads stands in
//! `tests/wire/expected`, which `tests/wire/sdks.test.mjs` makes and checks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use stepweave_core::error::{Code, Error};
use stepweave_core::models::{Reply, Served, Stage, ToolCall};
use stepweave_tests::cuts::Cuts;
use stepweave_tests::reading::{Emitted, Reading, read};
use stepweave_tests::recordings::{Recording, recordings, say};

/// How much of an endpoint's own words an error has to quote.
const QUOTED: usize = 200;

#[test]
fn every_recording_is_read_as_the_official_client_reads_it() {
    let Some(recordings) = recordings() else { return };
    let mut table = BTreeMap::<_, Row>::new();
    let mut differences = Vec::new();
    for recording in &recordings {
        let row = table.entry((&recording.format, &recording.host)).or_default();
        row.recordings += 1;
        // What differs alike in several ways is reported once.
        let mut found = BTreeMap::<String, Vec<String>>::new();
        for cuts in Cuts::ALL {
            row.readings += 1;
            let difference = differences_in(recording, cuts);
            if !difference.is_empty() {
                row.mismatches += 1;
                found.entry(difference).or_default().push(cuts.to_string());
            }
        }
        let Recording { host, name, .. } = recording;
        differences
            .extend(found.iter().map(|(what, cuts)| format!("{host}/{name}, {}:\n{what}", cuts.join(", "))));
    }
    print(&table);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[derive(Default)]
struct Row {
    recordings: usize,
    readings: usize,
    mismatches: usize,
}

fn print(table: &BTreeMap<(&String, &String), Row>) {
    say(&format!(
        "\n{:<10} {:<34} {:>10} {:>9} {:>10}",
        "format", "host", "recordings", "readings", "mismatches"
    ));
    let mut sum = Row::default();
    for ((format, host), Row { recordings, readings, mismatches }) in table {
        say(&format!("{format:<10} {host:<34} {recordings:>10} {readings:>9} {mismatches:>10}"));
        sum.recordings += recordings;
        sum.readings += readings;
        sum.mismatches += mismatches;
    }
    let Row { recordings, readings, mismatches } = sum;
    let modes: Vec<String> = Cuts::ALL.iter().map(ToString::to_string).collect();
    say(&format!("{:<45} {recordings:>10} {readings:>9} {mismatches:>10}", "all"));
    say(&format!("cut in {} ways: {}\n", modes.len(), modes.join(", ")));
}

/// What is read otherwise than expected, a line for each field.
fn differences_in(recording: &Recording, cuts: Cuts) -> String {
    let read = reading(recording, cuts, &recording.expected);
    let fields =
        recording.expected.keys().chain(read.keys().filter(|key| !recording.expected.contains_key(*key)));
    fields
        .filter(|field| recording.expected.get(*field) != read.get(*field))
        .map(|field| {
            let shown = |values: &Map<String, Value>| values.get(field).map_or("nothing".to_owned(), short);
            format!(
                "  {field}: read {}\n  {:width$}  expected {}\n",
                shown(&read),
                "",
                shown(&recording.expected),
                width = field.len()
            )
        })
        .collect()
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

/// What is read, in the form of the expected files.
fn reading(recording: &Recording, cuts: Cuts, expected: &Map<String, Value>) -> Map<String, Value> {
    let Reading { emitted, outcome } = read(recording.provider, cuts.pieces(&recording.bytes));
    match outcome {
        Ok(reply) => {
            let mut read = replied(&reply, expected);
            if emitted != (Emitted { text: reply.text, reasoning: reply.reasoning }) {
                read.insert("emitted".to_owned(), json!([emitted.text, emitted.reasoning]));
            }
            read
        }
        Err(error) => failed(emitted, &error, expected),
    }
}

fn replied(reply: &Reply, expected: &Map<String, Value>) -> Map<String, Value> {
    let mut read = texts(&reply.text, &reply.reasoning, &reply.extras.refusal);
    let expected_calls = expected.get("toolCalls").and_then(Value::as_array);
    let calls = reply.calls.iter().enumerate();
    let calls = calls.map(|(at, call)| tool_call(call, expected_calls.and_then(|calls| calls.get(at))));
    read.insert("toolCalls".to_owned(), calls.collect());
    read.insert("finish".to_owned(), reply.finish.word().into());
    if let Some(usage) = reply.usage {
        let mut usage = usage.to_json();
        // What a provider charges is its own word; the clients have no such number.
        usage.as_object_mut().unwrap().shift_remove("cost");
        read.insert("usage".to_owned(), usage);
    }
    read
}

/// An id is made up where the endpoint gives none.
fn tool_call(call: &ToolCall, expected: Option<&Value>) -> Value {
    let mut json = json!({ "id": call.id, "name": call.name, "input": call.input });
    let map = json.as_object_mut().unwrap();
    if expected.is_some_and(|expected| expected.get("id").is_none()) && !call.id.is_empty() {
        map.shift_remove("id");
    }
    if let Some(broken) = &call.broken {
        map.insert("broken".to_owned(), broken.as_str().into());
    }
    json
}

/// An error ends the answer: what came before it is kept, and why the model ended no longer counts.
fn failed(emitted: Emitted, error: &Error, expected: &Map<String, Value>) -> Map<String, Value> {
    let mut read = texts(&emitted.text, &emitted.reasoning, "");
    let words = expected.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
    let quote = |words: &str| {
        words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect::<String>()
    };
    let is_quoted = words.is_some_and(|words| error.message.contains(&quote(words)));
    for field in ["toolCalls", "usage", "finish"] {
        if let Some(value) = expected.get(field) {
            read.insert(field.to_owned(), value.clone());
        }
    }
    let error = if is_quoted { expected["error"].clone() } else { error.message.as_str().into() };
    read.insert("error".to_owned(), error);
    read
}

fn texts(text: &str, reasoning: &str, refusal: &str) -> Map<String, Value> {
    let mut texts = Map::new();
    texts.insert("text".to_owned(), text.into());
    for (field, value) in [("reasoning", reasoning), ("refusal", refusal)] {
        if !value.is_empty() {
            texts.insert(field.to_owned(), value.into());
        }
    }
    texts
}

/// Bytes of the recordings that are cut at every place.
const SHORT: usize = 3600;

#[test]
fn a_recording_that_ends_anywhere_is_whole_or_broken_off() {
    let Some(recordings) = recordings() else { return };
    let short =
        |recording: &&Recording| recording.bytes.len() < SHORT && !recording.expected.contains_key("error");
    let mut seen = BTreeMap::new();
    for recording in recordings.iter().filter(short) {
        seen.insert((&recording.format, &recording.bytes), recording);
    }
    let formats: BTreeSet<_> = seen.keys().map(|(format, _)| format.as_str()).collect();
    assert!(["chat", "gemini", "messages"].iter().all(|format| formats.contains(format)), "{formats:?}");
    for recording in seen.values() {
        for end in 0..recording.bytes.len() {
            let Reading { outcome, .. } = read(recording.provider, [&recording.bytes[..end]]);
            let at = || format!("{}/{}, of which {end} bytes came", recording.host, recording.name);
            match outcome {
                Ok(reply) => assert_eq!(reply.text, recording.expected["text"].as_str().unwrap(), "{}", at()),
                Err(error) => {
                    assert_eq!((error.code, error.retryable), (Code::Network, true), "{}: {error}", at());
                }
            }
        }
    }
}

/// What endpoints did themselves in real answers, as a line for each beginning and end.
#[test]
fn what_endpoints_did_themselves_is_read_out_of_their_recordings() {
    let Some(recordings) = recordings() else { return };
    for (name, expected) in [
        (
            "test_anthropic_code_execution_tool_stream.0",
            &[
                "code_execution {\"command\":\"echo \\\"65465-6544 * 65464-6+1.02255\\\" | bc -l\"}",
                "code_execution gave \"-428330955.97745\\n\"",
            ][..],
        ),
        (
            "test_code_execution_stream.0",
            &[
                "code_execution {\"code\":\"result = 65465 - 6544 * 65464 - 6 + 1.02255\\nprint(result)\"}",
                "code_execution gave \"-428330955.97745\\n\"",
            ],
        ),
        (
            "test_native_output_with_builtin_tools_stream.0",
            &["web_search {\"queries\":[\"largest city in Mexico\"]}", "web_search gave 4 pages"],
        ),
        (
            "test_google_model_web_search_tool_stream.0",
            &["web_search {\"queries\":[\"weather in San Francisco today\"]}", "web_search gave 5 pages"],
        ),
        (
            "test_openai_responses_model_web_search_tool_stream.0",
            &[
                "web_search {\"type\":\"search\",\"query\":\"weather: San Francisco, CA\"}",
                "web_search gave 0 pages",
            ],
        ),
    ] {
        let recording = recordings.iter().find(|recording| recording.name == name).unwrap();
        for cuts in Cuts::ALL {
            let reply = read(recording.provider, cuts.pieces(&recording.bytes)).outcome.unwrap();
            let lines: Vec<String> = reply.extras.served.iter().map(line).collect();
            assert_eq!(lines, expected, "{name}, {cuts}");
        }
    }
}

/// A search that was paused in one answer gives its pages in the next.
#[test]
fn a_pause_leaves_a_search_open_that_the_next_answer_ends() {
    let Some(recordings) = recordings() else { return };
    let served = |name: &str| {
        let recording = recordings.iter().find(|recording| recording.name == name).unwrap();
        read(recording.provider, [recording.bytes.as_slice()]).outcome.unwrap().extras.served
    };
    let before = served("test_pause_turn_web_search_streaming_vcr.0");
    let after = served("test_pause_turn_web_search_streaming_vcr.1");
    let (last, first) = (before.last().unwrap(), after.first().unwrap());
    assert!(matches!(last.stage, Stage::Began(_)), "{last:?}");
    assert!(matches!(first.stage, Stage::Gave(_)), "{first:?}");
    assert_eq!(last.id, first.id);
}

fn line(served: &Served) -> String {
    let does = served.does.word();
    match &served.stage {
        Stage::Began(input) => format!("{does} {input}"),
        Stage::Gave(Value::Array(pages)) => format!("{does} gave {} pages", pages.len()),
        Stage::Gave(output) => format!("{does} gave {output}"),
        Stage::Failed(why) => format!("{does} failed: {why}"),
    }
}
