//! Everything that is wrong with a document, each problem with its path and a hint.
//!
//! The text is read, then one iterative walk along the [grammar](crate::grammar) reports every problem of
//! structure and collects the names and strings that the later checks look at.

use serde::Deserialize;
use serde_json::Value;

use self::path::Path;
use crate::document::{Document, MAX_STEP_DEPTH};
use crate::problem::{Problem, Severity};

mod conflicts;
#[cfg(feature = "language")]
mod javascript;
#[cfg(feature = "language")]
mod known;
mod names;
mod nesting;
mod path;
#[cfg(feature = "language")]
mod reads;
mod requests;
#[cfg_attr(not(feature = "language"), path = "validate/texts/absent.rs")]
mod texts;
mod tools;
mod walk;
mod wording;

/// What was found in a document.
#[derive(Debug)]
pub struct Report {
    /// Every problem, in the order of the document.
    pub problems: Vec<Problem>,
    /// The document; there is none when a problem is an error.
    pub document: Option<Document>,
    /// If the document is rejected, its JSON Schemas and their paths: a host that reads them may report more.
    pub schemas: Vec<(String, Value)>,
}

impl Report {
    fn refused(problem: Problem) -> Self {
        Self { problems: vec![problem], document: None, schemas: Vec::new() }
    }
}

/// Checks all but templates and expressions: those can be mended where the structure can be shown.
///
/// ```
/// use stepweave_core::validate::check_structure;
/// let report = check_structure(r#"{ "version": 1, "name": "n", "steps": [], "stps": [] }"#);
/// assert_eq!(report.problems[0].message, "a workflow has no key `stps`");
/// ```
pub fn check_structure(text: &str) -> Report {
    check(text, Texts::Unread)
}

/// Checks a document, its templates and its expressions.
pub fn validate(text: &str) -> Report {
    check(text, Texts::Read)
}

/// Whether templates and expressions are checked too.
#[derive(Clone, Copy, PartialEq)]
enum Texts {
    Read,
    Unread,
}

fn check(text: &str, texts: Texts) -> Report {
    let value = match read(text) {
        Ok(value) => value,
        Err(problem) => return Report::refused(problem),
    };
    let mut found = walk::walk(&value);
    names::check(&found.mentions, &mut found.problems);
    texts::check_names(&found.mentions, &mut found.problems);
    if texts == Texts::Read {
        texts::check(&found.mentions, &mut found.problems);
    }
    // Where the structure is wrong the typed document cannot be read, and its conflicts have to wait.
    let mut document = None;
    if !found.problems.iter().any(|problem| problem.severity == Severity::Error) {
        match Document::from_json(value.clone()) {
            Ok(read) => {
                if cfg!(feature = "agents") {
                    requests::check(&read, &mut found.problems);
                    tools::check(&read, &mut found.problems);
                }
                conflicts::check(&read, &mut found.problems);
                if texts == Texts::Read {
                    texts::check_reads(&read, &mut found.problems);
                }
                if !found.problems.iter().any(|problem| problem.severity == Severity::Error) {
                    document = Some(read);
                }
            }
            Err(error) => found.problems.push(Problem::error(
                "",
                "document",
                format!("the document cannot be read: {error}"),
                "compare it with the published JSON Schema",
            )),
        }
    }
    let schemas = if document.is_some() { Vec::new() } else { located(&found.schemas) };
    Report { problems: found.problems, document, schemas }
}

fn located(schemas: &[(Path<'_>, &Value)]) -> Vec<(String, Value)> {
    // Some only name the function that checks.
    let is_written = |value: &Value| value.get("handler").is_none_or(|handler| !handler.is_string());
    let written = schemas.iter().filter(|(_, schema)| is_written(schema));
    written.map(|(path, schema)| (path.render(), (*schema).clone())).collect()
}

fn read(text: &str) -> Result<Value, Problem> {
    if let Some(depth) = nesting::beyond_limit(text) {
        return Err(Problem::error(
            "",
            "limit",
            format!("the JSON is nested more than {depth} levels deep"),
            format!("steps may be nested {MAX_STEP_DEPTH} levels deep; flatten the document"),
        ));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    // The depth was bounded above, without recursion.
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| with_whole_numbers(value)))
        .map_err(|error| {
            Problem::error(
                "",
                "not_json",
                format!("this is not JSON: {error}"),
                "check the text at that line and column: a missing comma, quote or bracket",
            )
        })
}

/// `2.0` is the whole number 2, as in JSON Schema and in JavaScript.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(n) if n.fract() == 0.0 && n.abs() < 2_f64.powi(53) => (n as i64).into(),
            _ => number.into(),
        },
        Value::Array(list) => list.into_iter().map(with_whole_numbers).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_whole_numbers(value))).collect(),
        other => other,
    }
}
