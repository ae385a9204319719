//! Values of a wrong type that plainly mean the right one.

use serde_json::Value;

use crate::error::Error;
use crate::host::Violation;
use crate::json;
/// Values that are converted at most.
pub(super) const MOST: u32 = 10_000;

/// Converts what breaks the types or the values that its schema wants where that can be done without loss. True: something
/// was converted.
pub(super) fn coerce(value: &mut Value, schema: &Value, violations: &[Violation]) -> bool {
    let mut changed = false;
    for violation in violations {
        let Some(found) = value.pointer_mut(&violation.at) else { continue };
        let Some(rule) = schema.pointer(&violation.rule) else { continue };
        if let Some(converted) = meant(found, &violation.keyword, rule) {
            *found = converted;
            changed = true;
        }
    }
    changed
}

/// What a value plainly means where this rule refuses it.
fn meant(found: &Value, keyword: &str, rule: &Value) -> Option<Value> {
    match keyword {
        "type" => each(rule).filter_map(Value::as_str).find_map(|wanted| converted(found, wanted)),
        "const" => one_of(found, std::slice::from_ref(rule)),
        "enum" => one_of(found, rule.as_array()?),
        // What branches would convert differently means nothing plainly.
        "anyOf" | "oneOf" => {
            let mut meanings = rule.as_array()?.iter().filter_map(|branch| {
                ["const", "enum", "type"]
                    .into_iter()
                    .find_map(|keyword| Some((keyword, branch.get(keyword)?)))
                    .and_then(|(keyword, rule)| meant(found, keyword, rule))
            });
            meanings.next().filter(|meaning| meanings.all(|other| other == *meaning))
        }
        _ => None,
    }
}

/// The one of these values that a value means.
fn one_of(found: &Value, values: &[Value]) -> Option<Value> {
    TYPES.iter().filter_map(|wanted| converted(found, wanted)).find(|converted| values.contains(converted))
}

/// The members of a list, or what is alone.
fn each(rule: &Value) -> std::slice::Iter<'_, Value> {
    rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice).iter()
}

/// What the values may be that a check in code refuses, which says where it refuses something and not what it wants:
/// one type after the other is tried, and what is refused no longer stays converted.
pub(super) struct Trial {
    value: Value,
    /// The values that are rejected.
    faults: Vec<String>,
    /// The conversions of the current check, and the values before.
    tried: Vec<(String, Value)>,
    /// The types that are still to be tried.
    types: std::slice::Iter<'static, &'static str>,
    helped: bool,
    rounds: u32,
}

const TYPES: [&str; 3] = ["number", "boolean", "string"];

/// A check in code reports only some of its violations at once.
const ROUNDS: u32 = 20;

impl Trial {
    pub(super) fn new(value: Value, refused: &Error) -> Self {
        let faults = refused.details.faults.clone();
        Self { value, faults, tried: Vec::new(), types: TYPES.iter(), helped: false, rounds: 1 }
    }

    /// The value as it is to be checked next; nothing when there is nothing more to try.
    pub(super) fn next(&mut self) -> Option<Value> {
        loop {
            let Some(wanted) = self.types.next() else {
                if !self.helped || self.rounds == ROUNDS {
                    return None;
                }
                self.rounds += 1;
                self.helped = false;
                self.types = TYPES.iter();
                continue;
            };
            for at in &self.faults {
                let Some(found) = self.value.pointer_mut(at) else { continue };
                if let Some(converted) = converted(found, wanted) {
                    self.tried.push((at.clone(), std::mem::replace(found, converted)));
                }
            }
            if !self.tried.is_empty() {
                return Some(self.value.clone());
            }
        }
    }

    /// Takes back what is refused as before.
    pub(super) fn learn(&mut self, refused: &Error) -> Helped {
        let faults = refused.details.faults.clone();
        let (mut helped, all) = (0, self.tried.len());
        for (at, before) in self.tried.drain(..) {
            if !faults.contains(&at) {
                helped += 1;
            } else if let Some(found) = self.value.pointer_mut(&at) {
                *found = before;
            }
        }
        self.helped |= helped > 0;
        self.faults = faults;
        match helped {
            0 => Helped::None,
            _ if helped == all => Helped::All,
            _ => Helped::Some,
        }
    }

    /// The value with what helped.
    pub(super) fn value(self) -> Value {
        self.value
    }
}

/// Which of the values that were converted are refused no longer.
pub(super) enum Helped {
    All,
    Some,
    None,
}

fn converted(value: &Value, wanted: &str) -> Option<Value> {
    match (value, wanted) {
        (Value::String(text), "integer" | "number") => {
            // Only what JSON itself would read as a number: no `0x10`, no `1e999`, no blanks inside.
            let number: Value = json::read(text.trim()).ok().filter(Value::is_number)?;
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 2_f64.powi(53));
            // From 2^53 on a number has fewer digits than its text may have.
            let is_exact = || text.contains(['e', 'E']) || number.as_f64().is_some_and(|n| n.fract() != 0.0);
            match (wanted, whole) {
                (_, Some(whole)) => Some((whole as i64).into()),
                ("number", None) if is_exact() => Some(number),
                _ => None,
            }
        }
        (Value::String(text), "boolean") => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        (Value::Number(_) | Value::Bool(_), "string") => Some(json::text(value).into()),
        _ => None,
    }
}
