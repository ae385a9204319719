//! Everything that is wrong with a document, each problem with its path and a hint.
//!
//! The text is read, then one iterative walk along the [grammar](crate::grammar) reports every problem of
//! structure and collects the names and strings that the later checks look at.

use serde::Deserialize;
use serde_json::Value;

use self::path::Path;
use crate::document::{Document, MAX_STEP_DEPTH};
use crate::language::{Expression, SyntaxError, Template};
use crate::parts::Parts;
use crate::problem::{Problem, Severity};
use crate::shape::Role;

mod conflicts;
mod javascript;
mod known;
mod names;
mod nesting;
mod path;
mod reads;
mod requests;
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
    /// The modules of the engine that the document needs and that are not loaded: nothing else is reported before they are.
    pub needs: Parts,
}

impl Report {
    fn refused(problem: Problem) -> Self {
        Self { problems: vec![problem], document: None, schemas: Vec::new(), needs: Parts::NONE }
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
    check(text, Texts::Unread, Parts::ALL)
}

/// Checks a document, its templates and its expressions.
pub fn validate(text: &str) -> Report {
    validate_with(text, Parts::ALL)
}

/// Checks a document, its templates and its expressions, when only these modules of the engine are loaded.
pub fn validate_with(text: &str, parts: Parts) -> Report {
    check(text, Texts::Read, parts)
}

/// Whether templates and expressions are checked too.
#[derive(Clone, Copy, PartialEq)]
enum Texts {
    Read,
    Unread,
}

fn check(text: &str, texts: Texts, parts: Parts) -> Report {
    let value = match read(text) {
        Ok(value) => value,
        Err(problem) => return Report::refused(problem),
    };
    let mut found = walk::walk(&value);
    let needed = needed(&found.mentions);
    let needs = needed.without(parts);
    if needs != Parts::NONE {
        return Report { problems: Vec::new(), document: None, schemas: Vec::new(), needs };
    }
    names::check(&found.mentions, &mut found.problems);
    if texts == Texts::Read {
        check_texts(&found.mentions, &mut found.problems);
    }
    // Where the structure is wrong the typed document cannot be read, and its conflicts have to wait.
    let mut document = None;
    if !found.problems.iter().any(|problem| problem.severity == Severity::Error) {
        match Document::from_json(value.clone()) {
            Ok(read) => {
                requests::check(&read, &mut found.problems);
                tools::check(&read, &mut found.problems);
                conflicts::check(&read, &mut found.problems);
                if texts == Texts::Read && needed.without(Parts::MODELS) != Parts::NONE {
                    reads::check(&read, &mut found.problems);
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
    Report { problems: found.problems, document, schemas, needs }
}

fn located(schemas: &[(Path<'_>, &Value)]) -> Vec<(String, Value)> {
    // Some only name the function that checks.
    let is_written = |value: &Value| value.get("handler").is_none_or(|handler| !handler.is_string());
    let written = schemas.iter().filter(|(_, schema)| is_written(schema));
    written.map(|(path, schema)| (path.render(), (*schema).clone())).collect()
}

/// The modules of the engine that check and run a document with these mentions.
fn needed(mentions: &[walk::Mention<'_>]) -> Parts {
    mentions.iter().fold(Parts::NONE, |needed, mention| match mention.role {
        Role::Template | Role::Expression => needed.with(Parts::TEMPLATES),
        Role::AgentRef => needed.with(Parts::MODELS),
        _ => needed,
    })
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

fn check_texts(mentions: &[walk::Mention<'_>], problems: &mut Vec<Problem>) {
    for mention in mentions {
        let (code, hint, read) = match mention.role {
            Role::Template => (
                "template_syntax",
                "close every `{{` with `}}` and every `{%` with `%}`",
                Template::parse(mention.text).map(drop),
            ),
            Role::Expression => (
                "expression_syntax",
                "write an expression such as `score >= 3 and topic != ''`; a text stands in quotes: `'Hello ' ~ topic`",
                Expression::parse(mention.text).map(drop),
            ),
            _ => continue,
        };
        if let Err(SyntaxError { message, hint: own, span }) = read {
            let hint =
                javascript::hint(mention.role, mention.text).or(own).unwrap_or_else(|| hint.to_owned());
            let message = match span.line(mention.text) {
                1 => message,
                line => format!("{message} (line {line})"),
            };
            problems.push(Problem::error(mention.path.render(), code, message, hint));
        } else if javascript::reads_length(mention.role, mention.text) {
            problems.push(Problem::warning(
                mention.path.render(),
                "length_as_key",
                "`.length` is a key of that name, which lists and texts do not have",
                "write `topics | length` for how many there are, and `box['length']` for a key that is called so",
            ));
        }
    }
}
