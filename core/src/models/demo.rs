//! The demo model: an offline simulation, so that a workflow can be tried without a key.
//!
//! It is deterministic: the same agent and input always give the same text.

use super::{Part, Question, Reply, Teller, Turn};
use crate::engine::{Host, Origin, Usage};

/// Milliseconds between two parts of an answer, so that it can be watched.
const PACE_MS: u64 = 18;

/// Words that are told at once.
const WORDS_A_PART: usize = 3;

pub(super) async fn ask<H: Host>(question: &Question<'_>, teller: &Teller<'_, H>) -> Reply {
    let input = last_text(question.turns);
    let text = compose(question.agent, input);
    for part in parts(&text) {
        teller.host.sleep(PACE_MS).await;
        teller.text(&part);
    }
    let prompt = input.len() + question.instructions.map_or(0, str::len);
    let usage = Usage::new(tokens(prompt), tokens(text.len()));
    Reply { text, usage: Some(usage), origin: Origin::Simulated, ..Reply::default() }
}

/// What was said to the model last.
fn last_text(turns: &[Turn]) -> &str {
    let said = turns.iter().rev().find_map(|turn| match turn {
        Turn::User(parts) => parts.iter().find_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Media(_) => None,
        }),
        _ => None,
    });
    said.unwrap_or_default()
}

/// Endpoints count about four bytes to a token.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

fn compose(agent: &str, input: &str) -> String {
    let topic = excerpt(input, 14);
    let words = input.split_whitespace().count();
    let angle = ANGLES.get(fingerprint(agent, input) % ANGLES.len()).copied().unwrap_or_default();
    format!(
        "[simulated] On “{topic}”: {angle} (The demo model read {words} words as `{agent}`; no model was asked.)"
    )
}

const ANGLES: [&str; 4] = [
    "here the answer would weigh the main points, name one risk and propose a next step.",
    "here the answer would sum up what is known, point at a gap and say how to close it.",
    "here the answer would compare two options and say which one is better, and why.",
    "here the answer would list the facts by weight and end with a short conclusion.",
];

fn excerpt(text: &str, words: usize) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    let kept: String = all.iter().take(words).copied().collect::<Vec<_>>().join(" ");
    let kept = kept.chars().take(120).collect::<String>();
    if all.len() > words { format!("{kept} …") } else { kept }
}

/// FNV-1a, so that different questions get different answers, on every machine the same ones.
fn fingerprint(agent: &str, input: &str) -> usize {
    let hash = agent
        .bytes()
        .chain(input.bytes())
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}

fn parts(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    words.chunks(WORDS_A_PART).map(|chunk| chunk.concat()).collect()
}
