//! The filters, tests and functions that templates and expressions have.

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

use super::json::{json_from_value, text_from_value};

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("trim", |text: &str| text.trim().to_owned());
    environment.add_filter("upper", |text: &str| text.to_uppercase());
    environment.add_filter("lower", |text: &str| text.to_lowercase());
    environment.add_filter("replace", |text: &str, from: &str, to: &str| text.replace(from, to));
    environment
        .add_filter("split", |text: &str, by: &str| text.split(by).map(Value::from).collect::<Vec<_>>());
    environment
        .add_filter("truncate", |text: &str, length: usize| text.chars().take(length).collect::<String>());
    environment.add_filter("length", length);
    environment.add_filter("first", |list: Value| edge(&list, |items| items.into_iter().next()));
    environment.add_filter("last", |list: Value| edge(&list, |mut items| items.pop()));
    environment.add_filter("join", join);
    environment.add_filter("default", |value: Value, other: Value| {
        match value.is_undefined() || value.is_none() {
            true => other,
            false => value,
        }
    });
    environment.add_filter("round", round);
    environment.add_filter("int", |value: Value| number(&value).map(|n| n.trunc() as i64));
    environment.add_filter("float", |value: Value| number(&value));
    environment.add_filter("string", |value: Value| text_from_value(&value));
    environment.add_filter("tojson", |value: Value| json_from_value(&value).map(|json| json.to_string()));
    environment.add_filter("keys", keys);

    environment.add_test("defined", |value: &Value| !value.is_undefined());
    environment.add_test("undefined", Value::is_undefined);
    environment.add_test("none", Value::is_none);
    environment.add_test("string", |value: &Value| value.kind() == ValueKind::String);
    environment.add_test("number", |value: &Value| value.kind() == ValueKind::Number);
    environment.add_test("boolean", |value: &Value| value.kind() == ValueKind::Bool);
    environment.add_test("sequence", |value: &Value| value.kind() == ValueKind::Seq);
    environment.add_test("mapping", |value: &Value| value.kind() == ValueKind::Map);
    environment.add_test("containing", |text: &str, part: &str| text.contains(part));
}

fn length(value: Value) -> Result<usize, Error> {
    value.len().ok_or_else(|| wrong(format!("a {} has no length", value.kind())))
}

fn edge(list: &Value, pick: impl Fn(Vec<Value>) -> Option<Value>) -> Result<Value, Error> {
    if let Some(text) = list.as_str() {
        let letters = text.chars().map(|c| Value::from(c.to_string())).collect();
        return Ok(pick(letters).unwrap_or(Value::UNDEFINED));
    }
    Ok(pick(list.try_iter()?.collect()).unwrap_or(Value::UNDEFINED))
}

fn join(list: Value, between: Option<&str>) -> Result<String, Error> {
    let texts: Vec<String> = list.try_iter()?.map(|item| text_from_value(&item)).collect::<Result<_, _>>()?;
    Ok(texts.join(between.unwrap_or("")))
}

fn round(value: Value, digits: Option<i32>) -> Result<f64, Error> {
    let scale = 10_f64.powi(digits.unwrap_or(0));
    Ok((number(&value)? * scale).round() / scale)
}

fn keys(map: Value) -> Result<Vec<Value>, Error> {
    match map.kind() {
        ValueKind::Map => Ok(map.try_iter()?.collect()),
        other => Err(wrong(format!("a {other} has no keys"))),
    }
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
