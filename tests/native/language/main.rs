//! The language of templates and expressions beside MiniJinja, whose dialect it speaks: random texts over random states
//! give the same, or are refused for the same reason at the same place.
//!
//! `cargo xtask fuzz` compares a million; STEPWEAVE_FUZZ is their number, STEPWEAVE_FUZZ_SEED chooses others.

#![allow(missing_docs, reason = "test code")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use serde_json::Value as Json;

use crate::dice::Dice;
use crate::generate::Pair;
use crate::verdict::{Kind, Verdict};

mod chains;
mod dice;
mod differences;
mod generate;
mod oracle;
mod verdict;

#[test]
fn expressions_are_minijinjas() {
    compare("expressions", |dice| generate::expression(dice, 3), verdict::expression, oracle::expression);
}

#[test]
fn templates_are_minijinjas() {
    compare("templates", |dice| generate::template(dice, 2), verdict::template, oracle::template);
}

#[derive(Default)]
struct Report {
    texts: usize,
    given: usize,
    refused: BTreeMap<String, usize>,
    wanted: BTreeMap<&'static str, usize>,
}

fn compare(
    name: &str,
    text: impl Fn(&mut Dice) -> Pair,
    own: impl Fn(&str, &Rc<Json>) -> Verdict,
    other: impl Fn(&str, &Json) -> Verdict,
) {
    let (count, seed) = (number("STEPWEAVE_FUZZ", 20_000), number("STEPWEAVE_FUZZ_SEED", 1));
    let mut dice = Dice::new(seed);
    let mut report = Report::default();
    let mut failures = Vec::new();
    for _ in 0..count {
        let state = Rc::new(generate::state(&mut dice));
        let mut pair = text(&mut dice);
        if dice.one_in(4) {
            let own = generate::broken(&mut dice, &pair.own);
            pair = Pair { other: own.clone(), own };
        }
        let ours = own(&pair.own, &state);
        // Some slices that go backwards end MiniJinja.
        let theirs = catch_unwind(AssertUnwindSafe(|| other(&pair.other, &state))).unwrap_or_else(|_| {
            let message = "it panicked".to_owned();
            Verdict::Refused { kind: Kind::Limit, message, place: 0..0, line: 1 }
        });
        report.texts += 1;
        match &ours {
            Verdict::Given(_) => report.given += 1,
            Verdict::Refused { kind, .. } => *report.refused.entry(format!("{kind:?}")).or_default() += 1,
        }
        if agree(&pair, &ours, &theirs) {
            continue;
        }
        match differences::wanted(&pair.own, &ours, &theirs) {
            Some(row) => *report.wanted.entry(row).or_default() += 1,
            None => failures.push(format!(
                "{:?}\n  asked as {:?}\n  over {state}\n  ours   {ours:?}\n  theirs {theirs:?}",
                pair.own, pair.other
            )),
        }
    }
    println!(
        "{name}: {} texts, seed {seed}: {} gave a value, refused {:?}, wanted differences {:?}, others {}",
        report.texts,
        report.given,
        report.refused,
        report.wanted,
        failures.len()
    );
    failures.sort_by_key(String::len);
    let shown: Vec<&str> = failures.iter().take(12).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} of {} differ, such as\n{}",
        failures.len(),
        report.texts,
        shown.join("\n")
    );
}

/// Whether both say the same.
fn agree(pair: &Pair, ours: &Verdict, theirs: &Verdict) -> bool {
    match (ours, theirs) {
        (Verdict::Given(ours), Verdict::Given(theirs)) => ours == theirs,
        (
            Verdict::Refused { kind, place, line, message },
            Verdict::Refused { kind: other, place: there, line: line_there, .. },
        ) => {
            // What MiniJinja is given in other words stands elsewhere, and it does not say where an undefined value is
            // printed or given.
            if kind != other || pair.own != pair.other || there.end == 0 {
                return kind == other;
            }
            let touches = place.start <= there.end + 1 && there.start <= place.end + 1;
            match kind {
                // At the end of a text it names the last word, and this what is missing there.
                Kind::Syntax => touches || place.end >= pair.own.trim_end().len(),
                // Of an operand that is undefined it names what follows: a filter, a test, the way that was to be taken.
                Kind::Missing => line == line_there && (touches || there.start >= place.end),
                // Where a `for` has a condition it names that, and not what cannot be repeated.
                _ => line == line_there && (touches || message.contains("is not iterable")),
            }
        }
        _ => false,
    }
}

fn number(variable: &str, usual: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a whole number")),
        Err(_) => usual,
    }
}
