//! How long an endpoint wants to be left alone.

use serde_json::{Map, Value};

use super::words::Words;
use crate::decimal;

/// The host's clock, for endpoints that send dates.
pub(in crate::models) struct Clock<'a> {
    /// Milliseconds since 1970.
    pub(in crate::models) now: f64,
    /// Parses a date.
    pub(in crate::models) time_of: &'a dyn Fn(&str) -> Option<f64>,
}

/// What stands before a time in the sentences of endpoints. In a page they are all there is: browsers hide most headers.
const PHRASES: [&str; 3] = ["again in ", "retry in ", "retry after "];

/// The longest wait that is given: three decades.
const LONGEST: f64 = 1e12;

/// Milliseconds until the endpoint may be called again, if it says so.
pub(super) fn wait_ms(headers: &Map<String, Value>, words: &Words, clock: &Clock<'_>) -> Option<u64> {
    let header = |name: &str| headers.get(name).and_then(Value::as_str);
    // What is past, or no number, says nothing of when. What is years away says that no time soon is one.
    let wait = |wait: f64| Some(wait).filter(|wait| *wait > 0.0).map(|wait| wait.min(LONGEST));
    let until = |text: &str| clock.until(text).and_then(wait);
    header("retry-after-ms")
        .and_then(|text| wait(decimal::read(text.trim())?))
        .or_else(|| until(header("retry-after")?))
        .or_else(|| until(words.delay.as_deref()?))
        .or_else(|| wait(in_sentence(&words.signs)?))
        // These times have many units: what is that far away was read in the wrong one.
        .or_else(|| wait(until_reset(headers, clock)?).filter(|wait| *wait < LONGEST))
        .map(|wait| wait.ceil() as u64)
}

impl Clock<'_> {
    /// Milliseconds until the time in a text: `30` and `34.4s` count from now, `1741305600000` and dates do not.
    fn until(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        match decimal::read(text) {
            Some(number) if number >= 1e12 => Some(number - self.now),
            Some(number) if number >= 1e9 => Some(number * 1000.0 - self.now),
            Some(number) => Some(number * 1000.0),
            None => duration_ms(text).or_else(|| {
                // JavaScript sees dates in many texts; one without a time of day is none of an endpoint.
                let time = text.contains(':').then(|| (self.time_of)(text))?;
                Some(time? - self.now)
            }),
        }
    }
}

/// The longest wait until a limit of which nothing remains is set back.
fn until_reset(headers: &Map<String, Value>, clock: &Clock<'_>) -> Option<f64> {
    let resets = headers.iter().filter_map(|(name, left)| {
        let is_spent = name.contains("ratelimit") && name.contains("remaining") && left == "0";
        let reset = is_spent.then(|| headers.get(&name.replace("remaining", "reset")))?;
        clock.until(reset?.as_str()?)
    });
    resets.reduce(f64::max)
}

/// Milliseconds of a sentence such as `Please try again in 1.2s.` or `retry after 20 seconds`.
fn in_sentence(signs: &str) -> Option<f64> {
    let rest = PHRASES.iter().find_map(|phrase| Some(signs.split_once(phrase)?.1))?;
    let mut parts = rest.split_whitespace();
    let amount = parts.next()?.trim_end_matches(['.', ',', ';']);
    match decimal::read(amount) {
        Some(number) => {
            let unit = parts.next().unwrap_or_default();
            let factor = if unit.starts_with("minute") { 60_000.0 } else { 1000.0 };
            Some(number * factor)
        }
        None => duration_ms(amount),
    }
}

/// Milliseconds of a duration such as `6m0s`, `17.4s` or `26ms`.
fn duration_ms(text: &str) -> Option<f64> {
    let is_amount = |letter: char| letter.is_ascii_digit() || letter == '.';
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let (amount, tail) = rest.split_at(rest.find(|letter| !is_amount(letter))?);
        let (unit, next) = tail.split_at(tail.find(is_amount).unwrap_or(tail.len()));
        let factor = match unit {
            "d" => 86_400_000.0,
            "h" => 3_600_000.0,
            "m" => 60_000.0,
            "s" => 1000.0,
            "ms" => 1.0,
            "us" | "µs" => 0.001,
            "ns" => 0.000_001,
            _ => return None,
        };
        total += decimal::read(amount)? * factor;
        rest = next;
    }
    (!text.is_empty()).then_some(total)
}
