//! Documents with thousands of steps, names or problems are checked by work that grows with them. What is counted are
//! the bytes that are given out on the way, never time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

use std::alloc::System;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use stepweave_core::problem::{Problem, Severity};
use stepweave_core::validate::validate;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A document whose steps are these, with an `input` of one key, so that each other name is known or reported.
fn document(steps: &str) -> String {
    format!(
        r#"{{"version":1,"name":"wide","input":{{"type":"object","properties":{{"q":{{}}}}}},
        "models":{{"m":{{"provider":"demo","model":"m"}}}},"agents":{{"a":{{"model":"m"}}}},"steps":[{steps}]}}"#
    )
}

fn joined(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, index| {
        let separator = if index == 0 { "" } else { separator };
        write!(all, "{separator}{}", item(index)).unwrap();
        all
    })
}

fn set(index: usize, value: &str) -> String {
    format!(
        r#"{{"id":"q{index}","name":"q{index}","type":"function","run":{{"set":{{"k{index}":"{value}"}}}}}}"#
    )
}

fn step(index: usize, what: &str) -> String {
    format!(r#"{{"id":"s{index}","name":"s{index}",{what}}}"#)
}

fn steps(count: usize, what: impl Fn(usize) -> String) -> String {
    document(&joined(count, ",", |index| step(index, &what(index))))
}

fn prompt(count: usize, item: impl Fn(usize) -> String) -> String {
    let text = joined(count, " ", item);
    document(&step(0, &format!(r#""type":"agent","agent":"a","inputFrom":"{text}""#)))
}

/// What a shape is called, and a document of it with so many of what it is about.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 22] = [
    ("steps", |n| document(&joined(n, ",", |i| set(i, "1")))),
    ("optional steps", |n| {
        steps(n, |i| format!(r#""type":"function","required":false,"run":{{"set":{{"k{i}":"1"}}}}"#))
    }),
    ("conditions", |n| {
        steps(n, |i| format!(r#""type":"condition","condition":"true","steps":[{}]"#, set(i, "1")))
    }),
    ("loops over lists", |n| {
        steps(n, |i| format!(r#""type":"foreach","items":"[1]","steps":[{}]"#, set(i, "1")))
    }),
    ("rounds", |n| {
        steps(n, |i| format!(r#""type":"loop","repeat":{{"while":"false"}},"steps":[{}]"#, set(i, "1")))
    }),
    ("workflows", |n| steps(n, |i| format!(r#""type":"workflow","steps":[{}]"#, set(i, "1")))),
    ("approvals", |n| steps(n, |i| format!(r#""type":"approval","message":"?","steps":[{}]"#, set(i, "1")))),
    ("cases", |n| {
        let cases = joined(n, ",", |i| format!(r#"{{"when":"true","steps":[{}]}}"#, set(i, "1")));
        document(&step(n, &format!(r#""type":"switch","default":[],"cases":[{cases}]"#)))
    }),
    ("siblings", |n| {
        let members = joined(n, ",", |i| set(i, "1"));
        document(&step(n, &format!(r#""type":"parallel","parallel":[{members}]"#)))
    }),
    ("unknown names", |n| document(&joined(n, ",", |i| set(i, &format!("unknown{i}"))))),
    ("unknown steps", |n| document(&joined(n, ",", |i| set(i, &format!("steps.unknown{i}.output"))))),
    ("unknown agents", |n| steps(n, |i| format!(r#""type":"agent","agent":"unknown{i}""#))),
    ("unknown keys", |n| document(&step(0, &joined(n, ",", |i| format!(r#""unknown{i}":1"#))))),
    ("unknown names of one text", |n| prompt(n, |i| format!("{{{{ unknown{i} }}}}"))),
    ("tests in one text", |n| prompt(n, |i| format!("{{{{ unknown{i} is defined }}}}"))),
    ("variables of one text", |n| prompt(n, |i| format!("{{% set v{i} = v{i} %}}"))),
    ("texts below a long key", |n| {
        let texts = joined(n, ",", |_| r#""a""#.to_owned());
        let key = "k".repeat(n);
        document(&step(
            0,
            &format!(
                r#""type":"http","http":{{"url":"https://a.example","method":"POST","body":{{"json":{{"{key}":[{texts}]}}}}}}"#
            ),
        ))
    }),
    ("faults below a long key", |n| {
        let texts = joined(n, ",", |_| r#""{{ unknown }}""#.to_owned());
        let key = "k".repeat(n);
        document(&step(
            0,
            &format!(
                r#""type":"http","http":{{"url":"https://a.example","method":"POST","body":{{"json":{{"{key}":[{texts}]}}}}}}"#
            ),
        ))
    }),
    ("tools and fallbacks", |n| {
        let tools = joined(n, ",", |i| format!(r#""t{i}":{{"run":{{"provider":"web_search"}}}}"#));
        let (names, fallbacks) =
            (joined(n, ",", |i| format!(r#""t{i}""#)), joined(n, ",", |_| r#""m""#.to_owned()));
        format!(
            r#"{{"version":1,"name":"wide","models":{{"m":{{"provider":"demo","model":"m"}}}},"tools":{{{tools}}},
            "agents":{{"a":{{"model":"m","fallbacks":[{fallbacks}],"tools":[{names}]}}}},"steps":[]}}"#
        )
    }),
    ("required keys", |n| {
        let (keys, names) =
            (joined(n, ",", |i| format!(r#""k{i}":{{}}"#)), joined(n, ",", |i| format!(r#""k{i}""#)));
        format!(
            r#"{{"version":1,"name":"wide","input":{{"type":"object","properties":{{{keys}}},"required":[{names}]}},"steps":[]}}"#
        )
    }),
    ("pins", |n| {
        let steps = joined(n, ",", |i| step(i, r#""type":"agent","agent":"a","inputFrom":"x""#));
        let pins = joined(n, ",", |i| format!(r#""s{i}":"text""#));
        document(&steps).replace(r#""version":1"#, &format!(r#""version":1,"pins":{{{pins}}}"#))
    }),
    ("dashes in one text", |n| prompt(n, |i| format!("{{{{ a{i}-b }}}}"))),
];

/// The allocator counts for the whole process, so that the tests of this file wait for each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many bytes are given out until a document is checked.
fn given_out(text: &str) -> usize {
    let region = Region::new(MEMORY);
    drop(validate(text));
    region.change().bytes_allocated
}

#[test]
fn a_document_twice_as_wide_takes_twice_the_work() {
    let _alone = alone();
    for (name, document) in SHAPES {
        let [once, twice] = [2_000, 4_000].map(|count| given_out(&document(count)));
        assert!(twice < once * 3, "{name}: {once} bytes, and {twice} for twice as many");
    }
}

/// Steps that are in so many levels of a kind.
fn nested(levels: usize, steps: usize, kind: &str) -> String {
    let in_each = steps / levels;
    let inner = (0..levels).fold(String::new(), |inner, level| {
        let own = joined(in_each, ",", |index| set(level * in_each + index, "1"));
        let around = step(level, &format!(r#"{kind},"steps":[{inner}]"#));
        format!("{own},{around}")
    });
    document(&inner)
}

#[test]
fn steps_that_are_nested_deeper_take_no_more_names() {
    let _alone = alone();
    for kind in [
        r#""type":"condition","condition":"true""#,
        r#""type":"sequence","required":false"#,
        r#""type":"loop","repeat":{"while":"false"},"maxIterations":2"#,
        r#""type":"loop","repeat":{"until":"true"},"maxIterations":2"#,
        r#""type":"foreach","items":"[1]""#,
        r#""type":"workflow""#,
    ] {
        let [flat, deep] = [10, 200].map(|levels| {
            let text = nested(levels, 4_000, kind);
            let region = Region::new(MEMORY);
            assert!(validate(&text).document.is_some(), "{kind}");
            region.change().allocations
        });
        assert!(deep < flat * 2, "{kind}: {flat} in 10 levels, {deep} in 200");
    }
}

#[test]
fn a_report_has_room_for_so_many_problems() {
    let _alone = alone();
    let text = prompt(20_000, |index| format!("{{{{ unknown{index} }}}}"));
    let problems = validate(&text).problems;
    let length =
        |it: &Problem| it.message.len() + it.hint.len() + it.fix.as_ref().map_or(0, |fix| fix.text.len());
    assert!(problems.iter().map(length).sum::<usize>() <= 4_000_000);
    let (last, before) = problems.split_last().unwrap();
    assert_eq!(last.message, format!("there are {} more problems", 20_000 - before.len()));
    assert_eq!((last.code, last.severity), ("limit", Severity::Warning));
    // An error among those that have no room still refuses the document.
    let late = text.replace("unknown19999 }}", "unknown19999 }}{{ broken");
    assert!(validate(&late).document.is_none());
}
