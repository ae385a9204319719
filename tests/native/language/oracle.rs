//! MiniJinja, as Stepweave used it before it had a language of its own.

use std::ops::Range;

use minijinja::value::{Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use serde_json::{Map, Number};

use crate::verdict::{Kind, Verdict};

/// What MiniJinja says of a text.
pub(crate) fn template(source: &str, state: &serde_json::Value) -> Verdict {
    let environment = environment();
    match environment.template_from_str(source) {
        Err(error) => refused(&error, true),
        Ok(template) => match template.render(scope(state)) {
            Ok(text) => Verdict::Given(text),
            Err(error) => refused(&error, false),
        },
    }
}

/// What MiniJinja says of an expression.
pub(crate) fn expression(source: &str, state: &serde_json::Value) -> Verdict {
    let environment = environment();
    let expression = match environment.compile_expression(source) {
        Ok(expression) => expression,
        Err(error) => return refused(&error, true),
    };
    match expression.eval(scope(state)).and_then(|value| json(&value, 0)) {
        Ok(json) => Verdict::Given(json.to_string()),
        Err(error) => refused(&error, false),
    }
}

fn scope(state: &serde_json::Value) -> Value {
    let mut names = state.clone();
    names["state"] = state.clone();
    Value::from(minijinja::value::Serde(names))
}

fn refused(error: &Error, is_reading: bool) -> Verdict {
    let kind = match error.kind() {
        _ if is_reading => Kind::Syntax,
        ErrorKind::UndefinedError => Kind::Missing,
        ErrorKind::OutOfFuel => Kind::Limit,
        _ => Kind::Wrong,
    };
    let place = error.range().unwrap_or(Range { start: 0, end: 0 });
    Verdict::Refused { kind, message: error.to_string(), place, line: error.line().unwrap_or(1) }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(2_000_000));
    environment.set_debug(true);
    environment.set_formatter(|out, _, value| {
        out.write_str(&text_of(value)?).map_err(|_| Error::from(ErrorKind::WriteFailure))
    });
    for (name, change) in [("upper", str::to_uppercase as fn(&str) -> String), ("lower", str::to_lowercase)] {
        environment.add_filter(name, move |value: Value| text(&value).map(change));
    }
    for &(name, filter) in FILTERS {
        environment.add_filter(name, move |value: Value, rest: Rest<Value>| match value.is_undefined() {
            // Here no filter but this one works on what is not there.
            true if name != "default" => Err(Error::from(ErrorKind::UndefinedError)),
            _ => filter(&value, &rest),
        });
    }
    for &(name, test) in TESTS {
        environment.add_test(name, move |value: Value, rest: Rest<Value>| test(&value, &rest));
    }
    environment
}

type Filter = fn(&Value, &[Value]) -> Result<Value, Error>;
type Test = fn(&Value, &[Value]) -> Result<bool, Error>;

const FILTERS: &[(&str, Filter)] = &[
    ("trim", |value, _| Ok(text(value)?.trim().into())),
    ("replace", |value, rest| Ok(text(value)?.replace(text_at(rest, 0)?, text_at(rest, 1)?).into())),
    ("split", |value, rest| Ok(text(value)?.split(text_at(rest, 0)?).map(Value::from).collect())),
    ("truncate", |value, rest| {
        let length = number(argument(rest, 0)?)?.max(0.0) as usize;
        Ok(text(value)?.chars().take(length).collect::<String>().into())
    }),
    ("length", |value, _| {
        value.len().map(Value::from).ok_or_else(|| wrong(format!("{value} has no length")))
    }),
    ("first", |value, _| Ok(items(value)?.into_iter().next().unwrap_or(Value::UNDEFINED))),
    ("last", |value, _| Ok(items(value)?.pop().unwrap_or(Value::UNDEFINED))),
    ("join", |value, rest| {
        let texts: Vec<String> = items(value)?.iter().map(text_of).collect::<Result<_, _>>()?;
        Ok(texts.join(if rest.is_empty() { "" } else { text_at(rest, 0)? }).into())
    }),
    ("default", |value, rest| match value.is_undefined() || value.is_none() {
        true => Ok(argument(rest, 0)?.clone()),
        false => Ok(value.clone()),
    }),
    ("round", |value, rest| {
        let digits = if rest.is_empty() { 0.0 } else { number(argument(rest, 0)?)? };
        let scale = 10_f64.powi(digits.clamp(-15.0, 15.0) as i32);
        let number = number(value)?;
        let rounded = (number * scale).round() / scale;
        Ok(if rounded.is_finite() { rounded } else { number }.into())
    }),
    ("int", |value, _| Ok(number(value)?.trunc().into())),
    ("float", |value, _| Ok(number(value)?.into())),
    ("string", |value, _| Ok(text_of(value)?.into())),
    ("tojson", |value, _| Ok(json(value, 0)?.to_string().into())),
    ("keys", |value, _| match value.kind() {
        ValueKind::Map => Ok(value.try_iter()?.collect()),
        _ => Err(wrong(format!("{value} has no keys"))),
    }),
];

const TESTS: &[(&str, Test)] = &[
    ("defined", |value, _| Ok(!value.is_undefined())),
    ("undefined", |value, _| Ok(value.is_undefined())),
    ("none", |value, _| Ok(value.is_none())),
    ("string", |value, _| Ok(value.kind() == ValueKind::String)),
    ("number", |value, _| Ok(value.kind() == ValueKind::Number)),
    ("boolean", |value, _| Ok(value.kind() == ValueKind::Bool)),
    // Every list is one here, whoever made it.
    ("sequence", |value, _| Ok(matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable))),
    ("mapping", |value, _| Ok(value.kind() == ValueKind::Map)),
    ("containing", |value, rest| Ok(text(value)?.contains(text_at(rest, 0)?))),
];

fn text(value: &Value) -> Result<&str, Error> {
    match value.is_undefined() {
        true => Err(Error::from(ErrorKind::UndefinedError)),
        false => value.as_str().ok_or_else(|| wrong(format!("{value} is not a text"))),
    }
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
        None => Ok(value.try_iter()?.collect()),
    }
}

fn number(value: &Value) -> Result<f64, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let parsed = match value.as_str() {
        Some(text) => text.trim().parse().ok(),
        None => f64::try_from(value.clone()).ok(),
    };
    parsed.filter(|n: &f64| n.is_finite()).ok_or_else(|| wrong(format!("{value} is not a number")))
}

fn text_of(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Ok(json(value, 0)?.to_string()),
    }
}

fn json(value: &Value, depth: usize) -> Result<serde_json::Value, Error> {
    if depth > 128 {
        return Err(wrong("a value is nested more than 128 levels deep".to_owned()));
    }
    Ok(match value.kind() {
        ValueKind::Undefined => return Err(Error::from(ErrorKind::UndefinedError)),
        ValueKind::None => serde_json::Value::Null,
        ValueKind::Bool => value.is_true().into(),
        ValueKind::Number => json_number(value)?.into(),
        ValueKind::String => value.as_str().unwrap_or_default().into(),
        ValueKind::Seq | ValueKind::Iterable => {
            value.try_iter()?.map(|item| json(&item, depth + 1)).collect::<Result<_, _>>()?
        }
        ValueKind::Map => {
            let mut map = Map::new();
            for key in value.try_iter()? {
                map.insert(text_of(&key)?, json(&value.get_item(&key)?, depth + 1)?);
            }
            serde_json::Value::Object(map)
        }
        other => return Err(wrong(format!("{other} cannot be part of the state"))),
    })
}

fn json_number(value: &Value) -> Result<Number, Error> {
    if let Some(whole) = value.as_i64() {
        return Ok(whole.into());
    }
    let number = f64::try_from(value.clone())?;
    Number::from_f64(number).ok_or_else(|| wrong("a number is not finite".to_owned()))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}
