//! Everything that is wrong with a document, each problem with its path and a hint.
//!
//! The text is read, then one iterative walk along the [grammar](crate::grammar) reports every problem of
//! structure and collects the names and strings that the later checks look at.

use serde_json::Value;

#[cfg(feature = "language")]
pub use self::http::{files as files_of_request, templates as templates_of_request};
use self::path::Path;
pub use self::pins::why_not_pinned;
use crate::document::nesting::MAX_JSON_DEPTH;
use crate::document::{Document, MAX_STEP_DEPTH};
use crate::json::{self, Cause, Fault};
use crate::problem::Problem;

#[cfg(feature = "language")]
mod answers;
mod begins;
#[cfg(feature = "language")]
pub(crate) mod code;
mod conflicts;
mod ends;
#[cfg(feature = "language")]
mod http;
#[cfg(feature = "language")]
mod javascript;
#[cfg(feature = "language")]
mod known;
#[cfg(feature = "language")]
mod mcp;
mod names;
mod path;
mod pins;
#[cfg(feature = "language")]
mod place;
mod provided;
#[cfg(feature = "language")]
mod reads;
mod requests;
mod summaries;
#[cfg_attr(not(feature = "language"), path = "validate/texts/absent.rs")]
mod texts;
mod tools;
mod walk;
mod wording;

/// What was found in a document.
#[derive(Debug)]
pub struct Report {
    /// Every problem, in the order of the document; the last one says if there are more than a report has room for.
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
    let (value, twice) = match read(text) {
        Ok(read) => read,
        Err(problem) => return Report::refused(problem),
    };
    let found = walk::walk(&value);
    let mut problems = found.problems;
    if let Some(place) = twice {
        let hint = "only the last of them counts: leave one out, or name it otherwise";
        problems.push(Problem::warning("", "duplicate_key", place.to_string(), hint));
    }
    names::check(&found.mentions, &mut problems);
    texts::check_names(&found.mentions, &mut problems);
    if texts == Texts::Read {
        texts::check(&found.mentions, &mut problems);
    }
    let schemas = located(&found.schemas);
    // Where the structure is wrong the typed document cannot be read, and its conflicts have to wait.
    let mut document = None;
    if !problems.has_errors() {
        // It takes the JSON apart: a copy of a long document would take longer than all of this.
        match Document::from_json(value) {
            Ok(read) => {
                if cfg!(feature = "agents") {
                    requests::check(&read, &mut problems);
                    tools::check(&read, &mut problems);
                    tools::check_calls(&read, &mut problems);
                    summaries::check(&read, &mut problems);
                    provided::check(&read, &mut problems);
                }
                #[cfg(feature = "language")]
                http::check(&read, &mut problems);
                #[cfg(feature = "language")]
                mcp::check(&read, &mut problems);
                begins::check(&read, &mut problems);
                conflicts::check(&read, &mut problems);
                ends::check(&read, &mut problems);
                pins::check(&read, &mut problems);
                if texts == Texts::Read {
                    texts::check_reads(&read, &mut problems);
                }
                if !problems.has_errors() {
                    document = Some(read);
                }
            }
            Err(error) => problems.push(Problem::error(
                "",
                "document",
                format!("the document cannot be read: {error}"),
                "compare it with the published JSON Schema",
            )),
        }
    }
    let schemas = if document.is_some() { Vec::new() } else { schemas };
    Report { problems: problems.into_vec(), document, schemas }
}

fn located(schemas: &[(Path<'_>, &Value)]) -> Vec<(String, Value)> {
    // Some only name the function that checks.
    let is_written = |value: &Value| value.get("handler").is_none_or(|handler| !handler.is_string());
    let written = schemas.iter().filter(|(_, schema)| is_written(schema));
    written.map(|(path, schema)| (path.render(), (*schema).clone())).collect()
}

fn read(text: &str) -> Result<(Value, Option<Fault>), Problem> {
    let (mut value, twice) = json::read_noting(text, MAX_JSON_DEPTH).map_err(|fault| match fault.cause {
        Cause::Depth => Problem::error(
            "",
            "limit",
            format!("the JSON is nested more than {MAX_JSON_DEPTH} levels deep"),
            format!("steps may be nested {MAX_STEP_DEPTH} levels deep; flatten the document"),
        ),
        _ => Problem::error(
            "",
            "not_json",
            format!("this is not JSON: {fault}"),
            "check the text at that line and column: a missing comma, quote or bracket",
        ),
    })?;
    make_numbers_whole(&mut value);
    Ok((value, twice))
}

/// `2.0` is the whole number 2, as in JSON Schema and in JavaScript.
fn make_numbers_whole(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(n) = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 2_f64.powi(53)) {
                *number = (n as i64).into();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(make_numbers_whole),
        Value::Object(map) => map.values_mut().for_each(make_numbers_whole),
        _ => {}
    }
}
