//! Arithmetic. Whole numbers have 64 bits; what is beyond becomes a floating-point number.

use super::budget::{Halt, Step};
use super::evaluate::Intrinsics;
use super::tree::Binary;
use super::value::Value;

/// A number, or what counts as one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Whole(i64),
    Float(f64),
}

impl Number {
    /// `true` is 1 and `false` is 0.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Boolean(value) => Some(Self::Whole((*value).into())),
            Value::Integer(number) => Some(Self::Whole(*number)),
            Value::Float(number) => Some(Self::Float(*number)),
            _ => None,
        }
    }

    pub(super) fn float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Whole(number) => Self::Integer(number),
            Number::Float(number) => Self::Float(number),
        }
    }
}

/// What an operator makes of two numbers; nothing where there is no such number.
pub(super) fn computed(
    operator: Binary,
    left: Number,
    right: Number,
    intrinsics: Intrinsics,
) -> Option<Number> {
    let whole = match (left, right) {
        (Number::Whole(left), Number::Whole(right)) => match operator {
            Binary::Add => left.checked_add(right),
            Binary::Subtract => left.checked_sub(right),
            Binary::Multiply => left.checked_mul(right),
            Binary::DivideWhole => divided(left, right).map(|(quotient, _)| quotient),
            Binary::Remainder => divided(left, right).map(|(_, remainder)| remainder),
            Binary::Power => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
            _ => None,
        },
        _ => None,
    };
    if let Some(whole) = whole {
        return Some(Number::Whole(whole));
    }
    let (left, right) = (left.float(), right.float());
    let by_zero =
        matches!(operator, Binary::Divide | Binary::DivideWhole | Binary::Remainder) && right == 0.0;
    if by_zero || (operator == Binary::Power && left == 0.0 && right < 0.0) {
        return None;
    }
    // With the sign of the divisor.
    let remainder = || {
        let remainder = (intrinsics.remainder)(left, right);
        if remainder != 0.0 && (remainder < 0.0) != (right < 0.0) { remainder + right } else { remainder }
    };
    Some(Number::Float(match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide => left / right,
        Binary::DivideWhole => ((left - remainder()) / right).round(),
        Binary::Remainder => remainder(),
        _ => left.powf(right),
    }))
}

/// The number with the other sign.
pub(super) fn negated(value: &Value) -> Step<Value> {
    match value {
        Value::Integer(number) => {
            Ok(number.checked_neg().map_or(Value::Float(-(*number as f64)), Value::Integer))
        }
        Value::Float(number) => Ok(Value::Float(-number)),
        other => Err(Halt::Wrong(format!("{} has no sign", crate::shape::with_article(other.kind())))),
    }
}

/// Quotient and remainder, which has the sign of the divisor.
fn divided(left: i64, right: i64) -> Option<(i64, i64)> {
    let (quotient, remainder) = (left.checked_div(right)?, left.checked_rem(right)?);
    match remainder != 0 && (remainder < 0) != (right < 0) {
        true => Some((quotient - 1, remainder + right)),
        false => Some((quotient, remainder)),
    }
}
