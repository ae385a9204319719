//! Fingerprints that are the same on every machine and in every version.

use std::hash::Hasher;
use std::iter;

use serde_json::Value;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::json;

/// A fingerprint of everything that was put into it, in order.
///
/// Its bytes, the least one first: a number of 128 bits would want twice its room wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The fingerprint of this one and a text behind it.
    #[must_use]
    pub fn with(self, text: &str) -> Self {
        Self::of_parts([self.0.as_slice(), text.as_bytes()])
    }

    /// The fingerprint of a JSON value; objects that differ in nothing but the order of their keys have the same.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Array(items) => {
                let items = items.iter().map(Self::of);
                Self::of_parts(iter::once(Self::default()).chain(items).map(|digest| digest.0))
            }
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| Self::of(value).with(key));
                members.fold(Self::default().with("{"), Self::and)
            }
            // What the text of a number, a truth value and null begins with, no other has; a text has its quote.
            Value::String(text) => Self::default().with("\"").with(text),
            Value::Number(number) => match number.as_f64() {
                // `2.0` is the number 2.
                Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                    Self::default().with(&(number as i64).to_string())
                }
                _ => Self::default().with(&json::text(number)),
            },
            other => Self::default().with(&json::text(other)),
        }
    }

    /// The fingerprint of a set with this one in it too.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.number().wrapping_add(other.number()).to_le_bytes())
    }

    /// The fingerprint of a set without this one, which was in it.
    #[must_use]
    pub(crate) fn less(self, other: Self) -> Self {
        Self(self.number().wrapping_sub(other.number()).to_le_bytes())
    }

    /// As text of 32 hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:032x}", self.number())
    }

    /// A pseudo-random number from 0 to 1, without the 1.
    pub(crate) fn fraction(self) -> f64 {
        (self.number() as u64 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn of_parts(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut hasher = SipHasher13::new();
        parts.into_iter().for_each(|part| hasher.write(part.as_ref()));
        Self(hasher.finish128().as_u128().to_le_bytes())
    }

    fn number(self) -> u128 {
        u128::from_le_bytes(self.0)
    }
}
