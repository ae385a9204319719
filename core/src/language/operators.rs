//! What operators make of two values, and slices.

use super::budget::{Halt, Step};
use super::evaluate::Evaluator;
use super::numbers::{Number, computed};
use super::reading::whole;
use super::tree::{Binary, Id};
use super::value::{Origin, Undefined, Value};
use crate::json;

/// A value and the node that gave it.
type Operand<'v> = (&'v Value, Id);

impl Evaluator<'_> {
    pub(super) fn binary(&mut self, operator: Binary, left: Operand<'_>, right: Operand<'_>) -> Step<Value> {
        self.not_missing(left)?;
        self.not_missing(right)?;
        let ((left, left_id), (right, right_id)) = (left, right);
        let decided = match operator {
            Binary::Equal => self.budget.equal(left, right, 0)?,
            Binary::Unequal => !self.budget.equal(left, right, 0)?,
            Binary::Less => self.budget.order(left, right, 0)?.is_lt(),
            Binary::LessOrEqual => self.budget.order(left, right, 0)?.is_le(),
            Binary::Greater => self.budget.order(left, right, 0)?.is_gt(),
            Binary::GreaterOrEqual => self.budget.order(left, right, 0)?.is_ge(),
            Binary::In | Binary::NotIn if right.is_undefined() => operator == Binary::NotIn,
            Binary::In => self.budget.contains(right, left)?,
            Binary::NotIn => !self.budget.contains(right, left)?,
            _ => {
                self.not_undefined(left, left_id)?;
                self.not_undefined(right, right_id)?;
                return self.arithmetic(operator, left, right);
            }
        };
        Ok(Value::Boolean(decided))
    }

    /// What says itself that it is nothing may be compared.
    fn not_missing(&self, (value, id): Operand<'_>) -> Step<()> {
        match value {
            Value::Undefined(Undefined::Strict) => Err(Halt::Undefined(Some(id))),
            _ => Ok(()),
        }
    }

    fn arithmetic(&mut self, operator: Binary, left: &Value, right: &Value) -> Step<Value> {
        match operator {
            Binary::Add => {
                if left.items().is_some() && right.items().is_some() {
                    let mut items = self.budget.items(left)?.unwrap_or_default();
                    items.extend(self.budget.items(right)?.unwrap_or_default());
                    self.budget.make_list(items.len())?;
                    return self.list(items, Origin::Computed);
                }
                if let (Some(left), Some(right)) = (self.budget.text(left)?, self.budget.text(right)?) {
                    self.budget.make(left.len() + right.len())?;
                    return Ok([&*left, &*right].concat().into());
                }
            }
            Binary::Multiply => {
                for (repeated, times) in [(left, right), (right, left)] {
                    if repeated.is_text() || repeated.items().is_some() {
                        return self.repeated(repeated, times);
                    }
                }
            }
            _ => {}
        }
        let sign = sign(operator);
        let (Some(a), Some(b)) = (Number::of(left), Number::of(right)) else {
            let (left, right) = (left.kind(), right.kind());
            let message = format!("tried to use {sign} operator on unsupported types {left} and {right}");
            return Err(Halt::Wrong(message));
        };
        match computed(operator, a, b, self.scope.intrinsics) {
            Some(number) => Ok(number.into()),
            None => {
                let (left, right) =
                    (json::text(&self.budget.json(left)?), json::text(&self.budget.json(right)?));
                Err(Halt::Wrong(format!("unable to calculate {left} {sign} {right}")))
            }
        }
    }

    fn repeated(&mut self, value: &Value, times: &Value) -> Step<Value> {
        // More than the memory has addresses for is too many, and still a number.
        let times = whole(times).and_then(|times| u64::try_from(times).ok());
        let times = times.map(|times| usize::try_from(times).unwrap_or(usize::MAX));
        let Some(times) = times else {
            let kind = if value.is_text() { "strings" } else { "sequences and iterables" };
            return Err(Halt::Wrong(format!("{kind} can only be multiplied with integers")));
        };
        if let Some(text) = self.budget.text(value)? {
            self.budget.make(text.len().saturating_mul(times))?;
            return Ok(text.repeat(times).into());
        }
        let length = value.items().unwrap_or(0);
        self.budget.make_list(length.saturating_mul(times))?;
        let items = self.budget.items(value)?.unwrap_or_default();
        // The budget does not bound how often a list of nothing may be repeated.
        let times = if items.is_empty() { 0 } else { times };
        let repeated = (0..times).flat_map(|_| items.iter().cloned());
        self.list(repeated.collect(), Origin::Computed)
    }

    /// Every so many of the items or characters from one position to before another.
    pub(super) fn slice(&mut self, value: &Value, bounds: [Option<Value>; 3]) -> Step<Value> {
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(&bounds) {
            *number = match bound {
                None | Some(Value::None) => None,
                Some(bound) => Some(whole(bound).ok_or_else(|| {
                    Halt::Wrong(format!("a slice is made with whole numbers, but there is {}", bound.kind()))
                })?),
            };
        }
        let [start, stop, step] = numbers;
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(Halt::Wrong("cannot slice by step size of 0".to_owned()));
        }
        if matches!(value, Value::None) {
            return self.list(Vec::new(), Origin::Written);
        }
        if let Some(text) = self.budget.text(value)? {
            self.budget.make(text.len())?;
            let letters: Vec<char> = text.chars().collect();
            let places = places(start, stop, step, letters.len());
            return Ok(places.filter_map(|place| letters.get(place)).collect::<String>().into());
        }
        let Some(length) = value.items() else {
            return Err(Halt::Wrong(format!("value of type {} cannot be sliced", value.kind())));
        };
        let places = places(start, stop, step, length);
        self.budget.make_list(places.clone().count())?;
        let items = places.filter_map(|place| value.item(place)).collect();
        self.list(items, Origin::Computed)
    }
}

/// The positions that a slice selects of so many.
fn places(
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
    length: usize,
) -> impl Iterator<Item = usize> + Clone {
    let length = length as i64;
    let (least, most) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let place = |bound: i64| if bound < 0 { bound.saturating_add(length) } else { bound }.clamp(least, most);
    let (first, end) = if step > 0 { (least, most) } else { (most, least) };
    let (start, stop) = (start.map_or(first, place), stop.map_or(end, place));
    let (from, to) = if step > 0 { (start, stop) } else { (stop, start) };
    let count = to.saturating_sub(from).max(0) as u64;
    let count = count.div_ceil(step.unsigned_abs()) as i64;
    (0..count).filter_map(move |number| usize::try_from(start + number * step).ok())
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::DivideWhole => "//",
        Binary::Remainder => "%",
        _ => "**",
    }
}
