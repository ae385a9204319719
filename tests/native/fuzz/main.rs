//! Broken answers: the readers of all formats refuse them or make the best of them. They never panic, they read the same
//! however the bytes are cut, and what they hold is bounded by what they were given.
//!
//! `cargo xtask fuzz` reads a million inputs in each format; STEPWEAVE_FUZZ is the number of inputs, STEPWEAVE_FUZZ_SEED
//! chooses others.

#![allow(missing_docs, reason = "test code")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use stepweave_core::document::Provider;
use stepweave_core::models::Stream;
use stepweave_tests::cuts::Cuts;
use stepweave_tests::reading::read;
use stepweave_tests::recordings::{Recording, recordings, say};

use crate::memory::held;
use crate::recipe::{Answer, Recipe, body, recipe};

mod endless;
mod memory;
mod recipe;

/// Bytes that reading may hold for each byte of an input. The worst are lists of small values: a few bytes become a JSON
/// value in a list that grows by doubling, and once or twice more what the endpoint wants back.
const HELD_PER_BYTE: usize = 256;

/// The same for what endpoints really send, event by event.
const REALLY_HELD_PER_BYTE: usize = 4;

/// Bytes that reading may hold whatever the input is.
const HELD_ANYWAY: usize = 64 * 1024;

/// Characters that an error may have: it may quote, but not repeat.
const LONGEST_ERROR: usize = 1000;

/// The allocator counts for the whole process, so that the tests of this file wait for each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn recorded_answers_take_little_memory() {
    let _alone = alone();
    let Some(recordings) = recordings() else { return };
    for Recording { host, name, provider, bytes, .. } in &recordings {
        let pieces = Cuts::Events.pieces(bytes);
        let (_, most) = held(|| read(*provider, pieces));
        let bound = REALLY_HELD_PER_BYTE * bytes.len() + HELD_ANYWAY;
        assert!(most <= bound, "{host}/{name}: {most} bytes were held for {}", bytes.len());
    }
}

#[test]
fn broken_chat_completions() {
    fuzz("chat", Provider::Openai);
}

#[test]
fn broken_responses() {
    fuzz("responses", Provider::OpenaiResponses);
}

#[test]
fn broken_messages() {
    fuzz("messages", Provider::Anthropic);
}

#[test]
fn broken_gemini() {
    fuzz("gemini", Provider::Gemini);
}

/// What is reported in the end.
#[derive(Debug, Default)]
struct Report {
    inputs: usize,
    bytes: usize,
    refused: usize,
    /// The most that was held, and for which length of an input.
    most: (usize, usize),
    /// The most for each byte of an input that is not short.
    ratio: f64,
}

fn fuzz(format: &str, provider: Provider) {
    let _alone = alone();
    let Some(recordings) = recordings() else { return };
    let answers: Vec<Answer> =
        recordings.iter().filter(|one| one.format == format).map(|one| Answer::new(&one.bytes)).collect();
    let (cases, seed) = (number("STEPWEAVE_FUZZ", 1000), number("STEPWEAVE_FUZZ_SEED", 1));
    let report = RefCell::new(Report::default());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let result = runner.run(&recipe(), |recipe| one(provider, &recipe, &answers, &report));
    if let Err(TestError::Fail(reason, recipe)) = &result {
        let input = recipe.bytes(&answers);
        panic!("{format}, seed {seed}: {reason}\n{recipe:?}\n{}", String::from_utf8_lossy(&input));
    }
    result.unwrap();
    let Report { inputs, bytes, refused, most: (most, length), ratio } = report.into_inner();
    let megabytes = bytes as f64 / 1e6;
    say(&format!(
        "{format:<10} {inputs:>8} inputs, {megabytes:.1} MB, seed {seed}: 0 panics, {refused} refused; \
         held at most {most} bytes (for {length}), {ratio:.1} for each byte"
    ));
}

fn one(
    provider: Provider,
    recipe: &Recipe,
    answers: &[Answer],
    report: &RefCell<Report>,
) -> Result<(), TestCaseError> {
    let bytes = recipe.bytes(answers);
    let pieces = Cuts::Random(recipe.seed).pieces(&bytes);
    let (reading, most) = held(|| read(provider, pieces));
    prop_assert!(
        most <= HELD_PER_BYTE * bytes.len() + HELD_ANYWAY,
        "{most} bytes were held for an input of {}",
        bytes.len()
    );
    let undivided = read(provider, [&*bytes]);
    prop_assert_eq!(&undivided.outcome, &reading.outcome, "in one piece, and in pieces");
    if let Err(error) = &reading.outcome {
        // Of an answer that fails, what was emitted is all there is.
        prop_assert_eq!(&undivided.emitted, &reading.emitted, "in one piece, and in pieces");
        prop_assert!(error.message.chars().count() <= LONGEST_ERROR, "{}", error.message);
    }
    let mut whole = Stream::new(provider);
    let _ = whole.push(body(&bytes).as_bytes()).and_then(|()| whole.end());
    let mut report = report.borrow_mut();
    report.inputs += 1;
    report.bytes += bytes.len();
    report.refused += usize::from(reading.outcome.is_err());
    report.most = report.most.max((most, bytes.len()));
    if bytes.len() >= 1024 {
        report.ratio = report.ratio.max(most as f64 / bytes.len() as f64);
    }
    Ok(())
}

fn number(variable: &str, usual: u32) -> u32 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a whole number")),
        Err(_) => usual,
    }
}
