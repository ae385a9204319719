//! Documents of every kind of step, made at random.

use std::fmt;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use stepweave_core::validate::validate;

/// Whether what is run in a document may depend on which of two things was faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Races {
    Allowed,
    Excluded,
}

/// A document as JSON, shown as such.
pub(crate) struct Written(pub(crate) Value);

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Has no items of a foreach go on at once.
fn one_after_the_other(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(one_after_the_other),
        Value::Object(step) => {
            if step.get("type").is_some_and(|kind| kind == "foreach") {
                step.insert("concurrency".to_owned(), 1.into());
            }
            step.values_mut().for_each(one_after_the_other);
        }
        _ => {}
    }
}

/// A document of a few steps.
pub(crate) fn document(races: Races) -> impl Strategy<Value = Written> {
    let limits = match races {
        Races::Allowed => vec![
            json!({}),
            json!({ "timeoutMs": 45 }),
            json!({ "stepTimeoutMs": 15 }),
            json!({ "maxSteps": 7 }),
            json!({ "maxStateBytes": 90 }),
        ],
        Races::Excluded => vec![json!({}), json!({ "maxStateBytes": 400 })],
    };
    let head = (
        prop::sample::select(limits),
        weighted(0.2, Just("continue")),
        (0..3_u32, prop::sample::select(vec![0, 7]), prop::sample::select(vec![0.0, 0.5])),
    );
    let documents = (vec(step(races), 1..5), head).prop_map(move |(mut steps, (limits, on_error, retry))| {
        let mut count = 0;
        // What items give counts as it comes: which of those that go on at once is one too many depends on which was faster.
        if races == Races::Excluded && limits.get("maxStateBytes").is_some() {
            steps.iter_mut().for_each(one_after_the_other);
        }
        steps.iter_mut().for_each(|step| number(step, &mut count));
        let (max_retries, backoff_ms, jitter) = retry;
        let mut document = json!({
            "version": 1,
            "name": "any",
            "initialState": { "a": 1, "b": 2, "c": 3 },
            "models": { "demo": { "provider": "demo", "model": "demo" } },
            "agents": { "demo": { "model": "demo" } },
            "retryPolicy": { "maxRetries": max_retries, "backoffMs": backoff_ms, "jitter": jitter },
            "limits": limits,
            "steps": steps,
        });
        if let Some(word) = on_error {
            document["onError"] = word.into();
        }
        Written(document)
    });
    // Some members of a parallel are seen to write the same key before anything has run.
    documents
        .prop_filter("the document is valid", |written| validate(&written.0.to_string()).document.is_some())
}

fn step(races: Races) -> impl Strategy<Value = Value> {
    leaf(races).prop_recursive(3, 14, 3, move |inner| container(inner, races))
}

/// Gives each step its id and its name.
fn number(step: &mut Value, count: &mut u32) {
    *count += 1;
    step["id"] = format!("s{count}").into();
    step["name"] = format!("n{count}").into();
    for key in ["steps", "else", "expired", "parallel", "default", "cases"] {
        for inner in step.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            match (key, inner.get_mut("steps")) {
                ("cases", Some(Value::Array(steps))) => steps.iter_mut().for_each(|step| number(step, count)),
                _ => number(inner, count),
            }
        }
    }
}

fn leaf(races: Races) -> BoxedStrategy<Value> {
    let key = || prop::sample::select(vec!["a", "b", "c"]);
    let call = (
        prop::sample::select(vec!["good", "flaky", "odd", "down"]),
        weighted(0.3, 0..2_u32),
        weighted(0.3, Just(15)),
    )
        .prop_map(|(handler, retries, timeout)| {
            let mut step = json!({ "type": "function", "run": { "handler": handler } });
            // What may succeed the second time is given a second time.
            let retries = if handler == "flaky" { Some(2) } else { retries };
            insert(&mut step, "retryCount", retries);
            insert(&mut step, "timeoutMs", timeout);
            step
        });
    let checked = prop::sample::select(vec!["input", "output"]).prop_map(
        |side| json!({ "type": "function", "run": { "handler": "good" }, side: { "handler": "odd" } }),
    );
    let set = (key(), prop::sample::select(vec!["a + 1", "(a + b) % 7", "b * c % 5", "missing + 1"]))
        .prop_map(|(key, source)| json!({ "type": "function", "run": { "set": { key: source } } }));
    let wait = prop::sample::select(vec![
        json!({ "ms": 0 }),
        json!({ "ms": 12 }),
        json!({ "ms": 30 }),
        json!({ "until": "a * 10" }),
    ])
    .prop_map(|wait| json!({ "type": "wait", "wait": wait }));
    let approval = prop::sample::select(vec![
        json!({}),
        json!({ "message": "Is {{ a }} right?", "schema": { "type": "integer" } }),
    ])
    .prop_map(|mut step| {
        step["type"] = "approval".into();
        step
    });
    let agent = prop::sample::select(vec![json!("With {{ a }}"), json!({ "handler": "good" })])
        .prop_map(|input| json!({ "type": "agent", "agent": "demo", "inputFrom": input }));
    let ends = match races {
        Races::Allowed => vec![
            json!({}),
            json!({ "status": "error", "message": "{{ a }} is enough" }),
            json!({ "scope": "round" }),
            json!({ "scope": "item" }),
            json!({ "scope": "item", "status": "error" }),
        ],
        // What ends more than its item keeps others from beginning.
        Races::Excluded => vec![json!({ "scope": "item" }), json!({ "scope": "item", "status": "error" })],
    };
    let end = prop::sample::select(ends).prop_map(|end| json!({ "type": "end", "end": end }));
    tolerant(
        prop_oneof![12 => call, 2 => checked, 6 => set, 4 => wait, 6 => approval, 2 => agent, 1 => end]
            .boxed(),
    )
}

fn container(inner: impl Strategy<Value = Value> + Clone + 'static, races: Races) -> BoxedStrategy<Value> {
    let block = vec(inner.clone(), 1..4);
    let way = vec(inner, 0..3);
    let decider = || {
        prop::sample::select(vec![
            json!("a % 2 == 0"),
            json!({ "handler": "good" }),
            json!({ "handler": "odd" }),
        ])
    };
    let condition = (decider(), block.clone(), way.clone()).prop_map(|(decider, steps, otherwise)| {
        json!({ "type": "condition", "condition": decider, "steps": steps, "else": otherwise })
    });
    let switch = (decider(), way.clone(), decider(), way.clone(), way.clone()).prop_map(
        |(first, one, second, two, default)| {
            let cases = json!([{ "when": first, "steps": one }, { "when": second, "steps": two }]);
            json!({ "type": "switch", "cases": cases, "default": default })
        },
    );
    let parallel = (block.clone(), weighted(0.4, 1..3_u32), weighted(0.2, Just("error"))).prop_map(
        |(members, concurrency, on_conflict)| {
            let mut step = json!({ "type": "parallel", "parallel": members });
            insert(&mut step, "concurrency", concurrency);
            insert(&mut step, "onConflict", on_conflict);
            step
        },
    );
    let sequence = block.clone().prop_map(|steps| json!({ "type": "sequence", "steps": steps }));
    let foreach = (
        prop::sample::select(vec![json!("[1, a, b]"), json!("[]"), json!({ "handler": "good" })]),
        block.clone(),
        1..4_u32,
        prop::sample::select(vec!["stop", "null", "drop"]),
        weighted(0.3, Just("a + item")),
        weighted(0.2, Just(json!({ "handler": "odd" }))),
    )
        .prop_map(move |(items, steps, concurrency, on_item_error, result, check)| {
            // Which items had begun when one failed depends on which was faster.
            let races = races == Races::Allowed || on_item_error != "stop";
            let concurrency = if races { concurrency } else { 1 };
            let mut step = json!({
                "type": "foreach", "items": items, "steps": steps,
                "concurrency": concurrency, "onItemError": on_item_error,
            });
            insert(&mut step, "result", result);
            insert(&mut step, "output", check);
            step
        });
    let repeat = (
        prop::sample::select(vec!["while", "until"]),
        decider(),
        1..4_u32,
        prop::sample::select(vec!["error", "continue"]),
        block.clone(),
    )
        .prop_map(|(word, decider, max, on_max, steps)| {
            json!({ "type": "loop", "repeat": { word: decider }, "maxIterations": max, "onMax": on_max, "steps": steps })
        });
    let workflow = (
        weighted(0.5, Just(json!({ "a": "b", "b": "a", "c": "c" }))),
        weighted(0.5, Just(json!({ "b": "a + 1" }))),
        block.clone(),
    )
        .prop_map(|(with, set, steps)| {
            let mut step = json!({ "type": "workflow", "steps": steps });
            insert(&mut step, "with", with);
            insert(&mut step, "set", set);
            step
        });
    let ways = (
        weighted(0.7, Just("output > 2")),
        weighted(0.7, block.clone()),
        weighted(0.5, way.clone()),
        // Whether it is too late depends on when a run is resumed: here it never is.
        weighted(0.5, (Just(10_000_000_u32), weighted(0.5, way.clone()))),
    )
        .prop_map(|(approved, steps, otherwise, expiry)| {
            let mut step = json!({ "type": "approval", "schema": { "type": "integer" } });
            // An answer that decides nothing is not kept, so that no replay tells of it.
            let is_needed = steps.is_some() || otherwise.is_some();
            insert(&mut step, "approved", approved.or(is_needed.then_some("output > 2")));
            insert(&mut step, "steps", steps);
            insert(&mut step, "else", otherwise);
            if let Some((milliseconds, expired)) = expiry {
                step["expiresMs"] = milliseconds.into();
                insert(&mut step, "expired", expired);
            }
            step
        });
    tolerant(prop_oneof![1 => condition, 1 => ways, 1 => switch, 2 => parallel, 1 => sequence, 2 => foreach, 1 => repeat, 1 => workflow].boxed())
}

/// Sometimes what happens in the step does not stop what is around it, and sometimes it is left out.
fn tolerant(step: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let extras = prop_oneof![
        12 => Just(Map::new()),
        2 => Just(Map::from_iter([("required".to_owned(), json!(false))])),
        1 => Just(Map::from_iter([("onError".to_owned(), json!("continue"))])),
        1 => Just(Map::from_iter([("enabled".to_owned(), json!(false))])),
    ];
    (step, extras)
        .prop_map(|(mut step, extras)| {
            step.as_object_mut().expect("a step is an object").extend(extras);
            step
        })
        .boxed()
}

fn insert(step: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        step[key] = value.into();
    }
}
