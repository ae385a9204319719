//! What is equal, what comes before what, and what is in what.

use std::cmp::Ordering;

use super::budget::{Budget, Halt, Step};
use super::numbers::Number;
use super::value::{Shape, Value};

/// Kinds in the order in which values of different kinds stand.
const KINDS: [&str; 8] = ["undefined", "none", "bool", "number", "string", "sequence", "map", "iterator"];

impl Budget {
    /// Whether two values are equal.
    pub(super) fn equal(&mut self, left: &Value, right: &Value, depth: usize) -> Step<bool> {
        self.nested(depth)?;
        self.touch(16)?;
        if let (Some(left), Some(right)) = (Number::of(left), Number::of(right)) {
            return Ok(ordered(left, right) == Ordering::Equal);
        }
        if left.is_text() && right.is_text() {
            return Ok(may_be_equal(left, right) && self.order_texts(left, right)? == Ordering::Equal);
        }
        if let (Some(length), Some(other)) = (left.items(), right.items()) {
            return Ok(length == other
                && self.order_lists(left, right, depth, Compare::Equality)? == Ordering::Equal);
        }
        if left.is_object() && right.is_object() {
            let (Some(keys), Some(others)) = (self.keys(left)?, self.keys(right)?) else { return Ok(false) };
            if keys.len() != others.len() {
                return Ok(false);
            }
            for key in keys {
                // Objects that a text has made are looked through for each key.
                self.touch_values(2)?;
                self.touch(others.len() / 8)?;
                let (Some(left), Some(right)) = (left.member(&key), right.member(&key)) else {
                    return Ok(false);
                };
                if !self.equal(&left, &right, depth + 1)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Ok(matches!((left, right), (Value::None, Value::None) | (Value::Undefined(_), Value::Undefined(_))))
    }

    /// Whether two rows of values are equal.
    pub(super) fn equal_items(&mut self, left: &[Value], right: &[Value], depth: usize) -> Step<bool> {
        for (left, right) in left.iter().zip(right) {
            if !self.equal(left, right, depth)? {
                return Ok(false);
            }
        }
        Ok(left.len() == right.len())
    }

    /// Which of two values comes first.
    pub(super) fn order(&mut self, left: &Value, right: &Value, depth: usize) -> Step<Ordering> {
        self.nested(depth)?;
        self.touch(16)?;
        let rank = |value: &Value| match value.items() {
            // Every list is a list, whoever made it.
            Some(_) => 5,
            None => KINDS.iter().position(|kind| *kind == value.kind()).unwrap_or_default(),
        };
        let kinds = rank(left).cmp(&rank(right));
        if kinds.is_ne() {
            return Ok(kinds);
        }
        if let (Some(left), Some(right)) = (Number::of(left), Number::of(right)) {
            return Ok(ordered(left, right));
        }
        if left.is_text() {
            return self.order_texts(left, right);
        }
        if left.items().is_some() {
            return self.order_lists(left, right, depth, Compare::Order);
        }
        let (keys, others) = (self.keys(left)?.unwrap_or_default(), self.keys(right)?.unwrap_or_default());
        for (key, other) in keys.iter().zip(&others) {
            self.touch_values(2)?;
            self.touch((keys.len() + others.len()) / 8)?;
            let (value, value_of_other) = (left.member(key), right.member(other));
            let value = value.unwrap_or(Value::UNDEFINED);
            let values = self.order(&value, &value_of_other.unwrap_or(Value::UNDEFINED), depth + 1)?;
            let order = key.cmp(other).then(values);
            if order.is_ne() {
                return Ok(order);
            }
        }
        Ok(keys.len().cmp(&others.len()))
    }

    /// Whether something is in a text, a list or the keys of an object.
    pub(super) fn contains(&mut self, container: &Value, value: &Value) -> Step<bool> {
        if let Some(text) = self.text(container)? {
            let mut part = String::new();
            self.print(value, &mut part)?;
            self.touch(2 * text.len())?;
            return Ok(text.contains(part.as_str()));
        }
        if let Some(length) = container.items() {
            for item in (0..length).map_while(|index| container.item(index)) {
                self.touch_values(2)?;
                if self.equal(&item, value, 0)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        match container.is_object() {
            true => Ok(self.text(value)?.is_some_and(|key| container.member(&key).is_some())),
            false => Err(Halt::Wrong("cannot perform a containment check on this value".to_owned())),
        }
    }

    fn order_texts(&mut self, left: &Value, right: &Value) -> Step<Ordering> {
        let (left, right) = (self.text(left)?, self.text(right)?);
        let length = |text: &Option<std::rc::Rc<str>>| text.as_ref().map_or(0, |text| text.len());
        self.touch(length(&left).min(length(&right)))?;
        Ok(left.cmp(&right))
    }

    fn order_lists(&mut self, left: &Value, right: &Value, depth: usize, by: Compare) -> Step<Ordering> {
        let (length, other) = (left.items().unwrap_or(0), right.items().unwrap_or(0));
        for index in 0..length.min(other) {
            self.touch_values(3)?;
            let (Some(left), Some(right)) = (left.item(index), right.item(index)) else { break };
            let order = match by {
                Compare::Order => self.order(&left, &right, depth + 1)?,
                Compare::Equality if self.equal(&left, &right, depth + 1)? => Ordering::Equal,
                Compare::Equality => Ordering::Less,
            };
            if order.is_ne() {
                return Ok(order);
            }
        }
        Ok(length.cmp(&other))
    }
}

/// How two lists are compared.
#[derive(Clone, Copy)]
enum Compare {
    Equality,
    Order,
}

/// Which of two numbers is less. What is no number at all stands before or behind all others, by its sign.
fn ordered(left: Number, right: Number) -> Ordering {
    match (left, right) {
        (Number::Whole(left), Number::Whole(right)) => left.cmp(&right),
        (Number::Whole(left), Number::Float(right)) => whole_to_float(left, right),
        (Number::Float(left), Number::Whole(right)) => whole_to_float(right, left).reverse(),
        (Number::Float(left), Number::Float(right)) => floats(left, right),
    }
}

fn floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| left.total_cmp(&right))
}

fn whole_to_float(left: i64, right: f64) -> Ordering {
    match floats(left as f64, right) {
        // Beyond 2^53 several whole numbers are the same floating-point number.
        Ordering::Equal if right < i64::MAX as f64 => left.cmp(&(right as i64)),
        Ordering::Equal => Ordering::Less,
        order => order,
    }
}

/// Whether texts may be equal by what is known without reading them.
fn may_be_equal(left: &Value, right: &Value) -> bool {
    // A text of the host has at most three times as many bytes as it says.
    let sizes = |value: &Value| match value {
        Value::Text(text) => (text.len(), text.len()),
        Value::View(view) => match view.shape() {
            Shape::Text(size) => (size, size.saturating_mul(3)),
            _ => (0, 0),
        },
        _ => (0, 0),
    };
    let ((least, most), (other_least, other_most)) = (sizes(left), sizes(right));
    least <= other_most && other_least <= most
}
