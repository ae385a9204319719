//! What filters make of values, and what tests say of them.

use std::rc::Rc;

use super::budget::{Budget, Halt, Step};
use super::evaluate::{Evaluator, Intrinsics};
use super::numbers::Number;
use super::tree::Id;
use super::value::{Origin, Value};
use super::vocabulary::{Filter, Test};
use crate::decimal;
use crate::json;
use crate::shape::{occurrences, with_article};

impl Evaluator<'_> {
    pub(super) fn filter(
        &mut self,
        filter: Filter,
        value: Value,
        id: Id,
        arguments: &[Value],
    ) -> Step<Value> {
        if filter == Filter::Default {
            let absent = value.is_undefined() || matches!(value, Value::None);
            return Ok(if absent { argument(arguments, 0) } else { value });
        }
        self.not_undefined(&value, id)?;
        let Intrinsics { upper, lower, .. } = self.scope.intrinsics;
        let budget = &mut self.budget;
        Ok(match filter {
            Filter::Default => value,
            Filter::Trim => {
                let text = budget.text_of(&value)?;
                budget.make(text.len())?;
                text.trim().into()
            }
            // JavaScript changes the case of a copy and gives another one back.
            Filter::Upper => budget.text_with(&value, 4, upper)?,
            Filter::Lower => budget.text_with(&value, 4, lower)?,
            Filter::Replace => {
                let text = budget.text_of(&value)?;
                let (from, to) =
                    (budget.text_of(&argument(arguments, 0))?, budget.text_of(&argument(arguments, 1))?);
                budget.touch(2 * text.len())?;
                let count = occurrences(&text, &from);
                budget.make(count.saturating_mul(to.len()).saturating_add(text.len()))?;
                text.replace(&*from, &to).into()
            }
            Filter::Split => {
                let (text, by) = (budget.text_of(&value)?, budget.text_of(&argument(arguments, 0))?);
                budget.touch(2 * text.len())?;
                let count = occurrences(&text, &by) + 1;
                budget.make_list(count)?;
                // Each piece is a separate string.
                budget.make_list(count)?;
                budget.touch(text.len())?;
                let items = text.split(&*by).map(Value::from).collect();
                self.list(items, Origin::Written)?
            }
            Filter::Truncate => {
                let text = budget.text_of(&value)?;
                let length = budget.number(&argument(arguments, 0))?.max(0.0) as usize;
                budget.make(text.len())?;
                text.chars().take(length).collect::<String>().into()
            }
            Filter::Length => Value::Integer(budget.length(&value)? as i64),
            Filter::First | Filter::Last => self.end(filter, &value)?,
            Filter::Join => self.join(&value, arguments.first())?,
            Filter::Round => {
                let digits = arguments.first().map_or(Ok(0.0), |digits| budget.number(digits))?;
                let scale = 10_f64.powi(digits.clamp(-15.0, 15.0) as i32);
                let number = budget.number(&value)?;
                let rounded = (number * scale).round() / scale;
                // A number that large has no digits to round.
                Value::Float(if rounded.is_finite() { rounded } else { number })
            }
            Filter::Int => Value::Float(budget.number(&value)?.trunc()),
            Filter::Float => Value::Float(budget.number(&value)?),
            Filter::String => {
                let mut text = String::new();
                budget.print(&value, &mut text)?;
                text.into()
            }
            Filter::ToJson => {
                let text = json::text(&budget.json(&value)?);
                budget.make(text.len())?;
                text.into()
            }
            Filter::Keys => {
                let keys = budget.keys(&value)?;
                let Some(keys) = keys else { return Err(no("keys", &value)) };
                self.list(keys.into_iter().map(Value::from).collect(), Origin::Written)?
            }
        })
    }

    /// The first or the last of what a value gives.
    fn end(&mut self, filter: Filter, value: &Value) -> Step<Value> {
        let is_first = filter == Filter::First;
        if let Some(length) = value.items() {
            let place = if is_first { 0 } else { length.wrapping_sub(1) };
            return Ok(value.item(place).unwrap_or(Value::UNDEFINED));
        }
        let end = if let Some(text) = self.budget.text(value)? {
            let mut letters = text.chars();
            let letter = if is_first { letters.next() } else { letters.next_back() };
            letter.map(|letter| Value::from(&*letter.encode_utf8(&mut [0; 4])))
        } else {
            let mut items = self.budget.items(value)?.ok_or_else(|| not_iterable(value))?.into_iter();
            if is_first { items.next() } else { items.next_back() }
        };
        Ok(end.unwrap_or(Value::UNDEFINED))
    }

    fn join(&mut self, value: &Value, between: Option<&Value>) -> Step<Value> {
        let items = self.budget.items(value)?.ok_or_else(|| not_iterable(value))?;
        let between = between.map_or(Ok(Rc::from("")), |between| self.budget.text_of(between))?;
        let mut text = String::new();
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.budget.print(&Value::Text(Rc::clone(&between)), &mut text)?;
            }
            self.budget.print(item, &mut text)?;
        }
        self.budget.make(text.len())?;
        Ok(text.into())
    }
}

impl Budget {
    pub(super) fn test(&mut self, test: Test, value: &Value, argument: Option<&Value>) -> Step<bool> {
        Ok(match test {
            Test::Defined => !value.is_undefined(),
            Test::Undefined => value.is_undefined(),
            Test::None => matches!(value, Value::None),
            Test::String => value.is_text(),
            Test::Number => value.kind() == "number",
            Test::Boolean => matches!(value, Value::Boolean(_)),
            Test::Sequence => value.items().is_some(),
            Test::Mapping => value.is_object(),
            Test::Containing => {
                let (text, part) =
                    (self.text_of(value)?, self.text_of(argument.unwrap_or(&Value::UNDEFINED))?);
                self.touch(2 * text.len())?;
                text.contains(&*part)
            }
        })
    }

    fn text_of(&mut self, value: &Value) -> Step<Rc<str>> {
        match value.is_undefined() {
            true => Err(Halt::Undefined(None)),
            false => self
                .text(value)?
                .ok_or_else(|| Halt::Wrong(format!("{} is not a text", with_article(value.kind())))),
        }
    }

    /// A text changed in a way that looks at it so many times.
    fn text_with(&mut self, value: &Value, times: usize, change: fn(&str) -> String) -> Step<Value> {
        let text = self.text_of(value)?;
        self.touch(text.len().saturating_mul(times))?;
        let text = change(&text);
        self.make(text.len())?;
        Ok(text.into())
    }

    fn length(&mut self, value: &Value) -> Step<usize> {
        if let Some(length) = value.items() {
            return Ok(length);
        }
        if let Some(text) = self.text(value)? {
            self.touch(text.len())?;
            return Ok(text.chars().count());
        }
        self.keys(value)?.map(|keys| keys.len()).ok_or_else(|| no("length", value))
    }

    /// A number, or a text that is one.
    fn number(&mut self, value: &Value) -> Step<f64> {
        if value.is_undefined() {
            return Err(Halt::Undefined(None));
        }
        let text = self.text(value)?;
        let number = match &text {
            // No number is longer.
            Some(text) if text.len() > 400 => None,
            Some(text) => decimal::read(text.trim()),
            None if value.kind() == "number" => Number::of(value).map(Number::float),
            None => None,
        };
        number.filter(|number| number.is_finite()).ok_or_else(|| {
            let shown = match &text {
                Some(text) => text.chars().take(60).collect(),
                None => value.kind().to_owned(),
            };
            Halt::Wrong(format!("{shown} is not a number"))
        })
    }
}

fn argument(arguments: &[Value], place: usize) -> Value {
    arguments.get(place).cloned().unwrap_or(Value::UNDEFINED)
}

fn no(what: &str, value: &Value) -> Halt {
    Halt::Wrong(format!("{} has no {what}", with_article(value.kind())))
}

fn not_iterable(value: &Value) -> Halt {
    Halt::Wrong(format!("{} is not iterable", value.kind()))
}
