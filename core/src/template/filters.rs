//! The filters and tests that templates and expressions have.
//!
//! All are plain functions of one type, so that MiniJinja's machinery for arguments is linked once and not for
//! each of them.

use minijinja::value::{Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

use super::MAX_OUTPUT;
use super::json::{MAX_ITEMS, json_from_value, text_from_value, too_large};
use crate::shape::with_article;

type Filter = fn(&Value, &[Value]) -> Result<Value, Error>;
type Test = fn(&Value, &[Value]) -> Result<bool, Error>;

const FILTERS: &[(&str, Filter)] = &[
    ("trim", |value, _| Ok(text(value)?.trim().into())),
    ("replace", |value, rest| {
        let (text, from, to) = (text(value)?, text_at(rest, 0)?, text_at(rest, 1)?);
        bounded(text.matches(from).count().saturating_mul(to.len()).saturating_add(text.len()))?;
        Ok(text.replace(from, to).into())
    }),
    ("split", |value, rest| Ok(text(value)?.split(text_at(rest, 0)?).map(Value::from).collect())),
    ("truncate", |value, rest| {
        let length = number(argument(rest, 0)?)?.max(0.0) as usize;
        Ok(text(value)?.chars().take(length).collect::<String>().into())
    }),
    ("length", |value, _| {
        value.len().map(Value::from).ok_or_else(|| wrong(format!("{} has no length", kind_of(value))))
    }),
    ("first", |value, _| Ok(items(value)?.into_iter().next().unwrap_or(Value::UNDEFINED))),
    ("last", |value, _| Ok(items(value)?.pop().unwrap_or(Value::UNDEFINED))),
    ("join", |value, rest| {
        let texts: Vec<String> = items(value)?.iter().map(text_from_value).collect::<Result<_, _>>()?;
        let between = if rest.is_empty() { "" } else { text_at(rest, 0)? };
        let length = texts.iter().map(String::len).fold(0, usize::saturating_add);
        bounded(length.saturating_add(between.len().saturating_mul(texts.len())))?;
        Ok(texts.join(between).into())
    }),
    ("default", |value, rest| match value.is_undefined() || value.is_none() {
        true => Ok(argument(rest, 0)?.clone()),
        false => Ok(value.clone()),
    }),
    ("round", |value, rest| {
        let digits = if rest.is_empty() { 0.0 } else { number(argument(rest, 0)?)? };
        let scale = 10_f64.powi(digits.clamp(-15.0, 15.0) as i32);
        let number = number(value)?;
        // A number that large has no digits to round.
        let rounded = (number * scale).round() / scale;
        Ok(if rounded.is_finite() { rounded } else { number }.into())
    }),
    ("int", |value, _| Ok(number(value)?.trunc().into())),
    ("float", |value, _| Ok(number(value)?.into())),
    ("string", |value, _| Ok(text_from_value(value)?.into())),
    ("tojson", |value, _| Ok(json_from_value(value)?.to_string().into())),
    ("keys", |value, _| match value.kind() {
        ValueKind::Map => Ok(value.try_iter()?.collect()),
        _ => Err(wrong(format!("{} has no keys", kind_of(value)))),
    }),
];

const TESTS: &[(&str, Test)] = &[
    ("defined", |value, _| Ok(!value.is_undefined())),
    ("undefined", |value, _| Ok(value.is_undefined())),
    ("none", |value, _| Ok(value.is_none())),
    ("string", |value, _| Ok(value.kind() == ValueKind::String)),
    ("number", |value, _| Ok(value.kind() == ValueKind::Number)),
    ("boolean", |value, _| Ok(value.kind() == ValueKind::Bool)),
    ("sequence", |value, _| Ok(value.kind() == ValueKind::Seq)),
    ("mapping", |value, _| Ok(value.kind() == ValueKind::Map)),
    ("containing", |value, rest| Ok(text(value)?.contains(text_at(rest, 0)?))),
];

/// How texts become upper and lower case. The tables for it are large, and most hosts have their own.
#[derive(Debug, Clone, Copy)]
pub struct LetterCase {
    /// The text in capital letters.
    pub upper: fn(&str) -> String,
    /// The text in small letters.
    pub lower: fn(&str) -> String,
}

pub(super) fn add_to(environment: &mut Environment<'static>, letter_case: LetterCase) {
    for (name, change) in [("upper", letter_case.upper), ("lower", letter_case.lower)] {
        environment.add_filter(name, move |value: Value| text(&value).map(change));
    }
    for &(name, filter) in FILTERS {
        environment.add_filter(name, move |value: Value, rest: Rest<Value>| filter(&value, &rest));
    }
    for &(name, test) in TESTS {
        environment.add_test(name, move |value: Value, rest: Rest<Value>| test(&value, &rest));
    }
}

fn kind_of(value: &Value) -> String {
    with_article(&value.kind().to_string())
}

fn text(value: &Value) -> Result<&str, Error> {
    value.as_str().ok_or_else(|| wrong(format!("{} is not a text", kind_of(value))))
}

fn text_at(rest: &[Value], place: usize) -> Result<&str, Error> {
    text(argument(rest, place)?)
}

fn argument(rest: &[Value], place: usize) -> Result<&Value, Error> {
    rest.get(place).ok_or_else(|| wrong(format!("the filter's argument {} is missing", place + 1)))
}

fn items(value: &Value) -> Result<Vec<Value>, Error> {
    match value.as_str() {
        Some(text) => Ok(text.chars().map(|c| Value::from(c.to_string())).collect()),
        None if value.len().is_some_and(|length| length > MAX_ITEMS) => Err(too_large()),
        None => Ok(value.try_iter()?.collect()),
    }
}

/// Refuses to make a text of more bytes than a template may produce.
fn bounded(bytes: usize) -> Result<(), Error> {
    if bytes > MAX_OUTPUT { Err(too_large()) } else { Ok(()) }
}

fn number(value: &Value) -> Result<f64, Error> {
    let parsed = match value.as_str() {
        Some(text) => text.trim().parse().ok(),
        None => f64::try_from(value.clone()).ok(),
    };
    parsed.filter(|n| n.is_finite()).ok_or_else(|| wrong(format!("{value} is not a number")))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}
