//! An object whose keys are taken out one by one.
//!
//! What does not fit is noted, and read as what is empty: code that gave up where it stands would have to drop there all
//! that was read before, and was a third larger.

use std::cell::Cell;
use std::fmt;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::step;
use crate::document::Step;

/// Why something cannot be read. The validator, which has walked a whole document before, says more.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    /// The key is not there.
    Missing(&'static str),
    /// What the key has is of another form.
    Unfit(&'static str),
    /// There is something else where an object has to be.
    NoObject,
}

impl fmt::Display for Fault {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(key) => write!(text, "`{key}` is missing"),
            Self::Unfit(key) => write!(text, "`{key}` does not fit"),
            Self::NoObject => text.write_str("there is something else where an object has to be"),
        }
    }
}

/// The first fault of what is read, if there is one.
#[derive(Default)]
pub(super) struct FirstFault(Cell<Option<Fault>>);

impl FirstFault {
    /// Reads a whole value.
    ///
    /// # Errors
    /// With the first fault.
    pub(super) fn of<T>(value: Value, read: impl FnOnce(Value, &Self) -> T) -> Result<T, String> {
        let first = Self::default();
        let whole = read(value, &first);
        first.0.get().map_or(Ok(whole), |fault| Err(fault.to_string()))
    }

    pub(super) fn note(&self, fault: Fault) {
        self.0.set(self.0.get().or(Some(fault)));
    }
}

pub(super) struct Fields<'f> {
    /// The keys that are left.
    pub(super) map: Map<String, Value>,
    first: &'f FirstFault,
}

impl<'f> Fields<'f> {
    pub(super) fn of(value: Value, first: &'f FirstFault) -> Self {
        match value {
            Value::Object(map) => Self { map, first },
            _ => {
                first.note(Fault::NoObject);
                Self { map: Map::new(), first }
            }
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.shift_remove(key)
    }

    pub(super) fn maybe<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(Value, &FirstFault) -> T,
    ) -> Option<T> {
        Some(read(self.take(key)?, self.first))
    }

    /// Where the key is missing, `read` gets null.
    pub(super) fn need<T>(&mut self, key: &'static str, read: impl FnOnce(Value, &FirstFault) -> T) -> T {
        let value = self.take(key).unwrap_or_else(|| {
            self.first.note(Fault::Missing(key));
            Value::Null
        });
        read(value, self.first)
    }

    /// One of some words.
    pub(super) fn word<T>(&mut self, key: &'static str, from_word: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = self.take(key)?;
        let meant = value.as_str().and_then(from_word);
        if meant.is_none() {
            self.first.note(Fault::Unfit(key));
        }
        meant
    }

    /// A boolean that is true unless the document says `false`.
    pub(super) fn switch(&mut self, key: &str) -> bool {
        self.take(key) != Some(Value::Bool(false))
    }

    /// A boolean that is false unless the document says `true`.
    pub(super) fn is_true(&mut self, key: &str) -> bool {
        self.take(key) == Some(Value::Bool(true))
    }

    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        match self.take(key) {
            Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn text(&mut self, key: &'static str) -> String {
        self.needed(key, Self::maybe_text)
    }

    pub(super) fn maybe_text(&mut self, key: &'static str) -> Option<String> {
        match self.take(key)? {
            Value::String(text) => Some(text),
            _ => self.unfit(key),
        }
    }

    pub(super) fn number<N: TryFrom<u64>>(&mut self, key: &'static str) -> Option<N> {
        let number = self.take(key)?.as_u64().and_then(|number| N::try_from(number).ok());
        number.or_else(|| self.unfit(key))
    }

    pub(super) fn need_number<N: TryFrom<u64> + Default>(&mut self, key: &'static str) -> N {
        self.needed(key, Self::number)
    }

    pub(super) fn fraction(&mut self, key: &str) -> Option<f64> {
        self.take(key)?.as_f64()
    }

    pub(super) fn object(&mut self, key: &'static str) -> Map<String, Value> {
        self.maybe(key, |value, first| Fields::of(value, first).map).unwrap_or_default()
    }

    pub(super) fn entries<T>(
        &mut self,
        key: &'static str,
        read: fn(Value, &FirstFault) -> T,
    ) -> IndexMap<String, T> {
        self.object(key).into_iter().map(|(name, value)| (name, read(value, self.first))).collect()
    }

    pub(super) fn need_steps(&mut self, key: &'static str) -> Vec<Step> {
        self.needed(key, Self::steps)
    }

    pub(super) fn steps(&mut self, key: &'static str) -> Option<Vec<Step>> {
        match self.take(key)? {
            Value::Array(steps) => Some(steps.into_iter().map(|value| step(value, self.first)).collect()),
            _ => self.unfit(key),
        }
    }

    /// What is read where it has to be there. Whatever is read notes what does not fit before it is missed here.
    fn needed<T: Default>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Self, &'static str) -> Option<T>,
    ) -> T {
        read(self, key).unwrap_or_else(|| {
            self.first.note(Fault::Missing(key));
            T::default()
        })
    }

    fn unfit<T>(&self, key: &'static str) -> Option<T> {
        self.first.note(Fault::Unfit(key));
        None
    }
}
