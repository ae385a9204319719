//! What one evaluation may take. It pays for every byte that it touches, so that no text, no list and no loop can
//! grow or take time without end.

use super::tree::{Id, Span};
use crate::grammar::MAX_FUEL;

/// What an evaluation may take when the document does not say.
pub const DEFAULT_FUEL: u64 = 200_000;

/// Bytes that may be touched for one unit of fuel, which is what each operator, name and statement takes.
const BYTES_OF_A_UNIT: u64 = 256;

/// Bytes that a text may have.
pub(super) const MAX_TEXT: usize = 16 * 1024 * 1024;

/// Items that a list may have.
pub(super) const MAX_ITEMS: usize = 1_000_000;

/// Bytes of texts and lists that one evaluation may make, whether it keeps them or not.
const MAX_MADE: u64 = 64 * 1024 * 1024;

/// What a value in a list takes.
const VALUE: usize = 24;

/// What a value of JSON takes, with its place in memory.
const JSON_VALUE: u64 = 48;

/// How deep a value may nest.
pub(super) const MAX_DEPTH: usize = 128;

/// Why a template or an expression gave no value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Of which kind it is.
    pub kind: FaultKind,
    /// What is wrong.
    pub message: String,
    /// The piece of the text that could not be evaluated.
    pub span: Span,
    /// What is written instead where a value may be absent, if it is one that is missing.
    pub instead: Option<String>,
}

/// The kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It names what is not there.
    Missing,
    /// It does what cannot be done.
    Wrong,
    /// It took more than it may.
    Limit,
    /// It grew too large, or too deep.
    Size,
}

/// What ends an evaluation.
#[derive(Debug)]
pub(super) enum Halt {
    /// What this node gives is undefined; without a node, something in a value is.
    Undefined(Option<Id>),
    /// This choice has nothing for what does not hold.
    NoElse(Id),
    Wrong(String),
    /// Too much was touched or made.
    Spent,
    /// The text that the template gives is too long.
    TooLong,
    /// A value is nested too deep.
    TooDeep,
}

pub(super) type Step<T> = Result<T, Halt>;

#[derive(Debug)]
pub(super) struct Budget {
    given: u64,
    left: u64,
    made: u64,
}

impl Budget {
    pub(super) fn new(fuel: u64) -> Self {
        let given = fuel.min(MAX_FUEL) * BYTES_OF_A_UNIT;
        Self { given, left: given, made: 0 }
    }

    /// The units of fuel that were taken so far.
    pub(super) fn spent(&self) -> u64 {
        (self.given - self.left).div_ceil(BYTES_OF_A_UNIT)
    }

    /// Pays for an operator, a name or a statement.
    pub(super) fn step(&mut self) -> Step<()> {
        self.touch(BYTES_OF_A_UNIT as usize)
    }

    /// Pays for looking at so many bytes.
    pub(super) fn touch(&mut self, bytes: usize) -> Step<()> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Halt::Spent)
            }
        }
    }

    /// Pays for looking at values of a list or an object: reading one from the host takes as long as many bytes do.
    pub(super) fn touch_values(&mut self, count: usize) -> Step<()> {
        self.touch(count.saturating_mul(BYTES_OF_A_UNIT as usize / 2))
    }

    /// Pays for a text that is about to be made.
    pub(super) fn make(&mut self, bytes: usize) -> Step<()> {
        self.made = self.made.saturating_add(bytes as u64);
        if bytes > MAX_TEXT || self.made > MAX_MADE {
            return Err(Halt::Spent);
        }
        self.touch(bytes)
    }

    /// Pays for a value of JSON that is about to be made: what a list holds many times over becomes as many values.
    pub(super) fn make_json(&mut self) -> Step<()> {
        self.made = self.made.saturating_add(JSON_VALUE);
        if self.made > MAX_MADE {
            return Err(Halt::Spent);
        }
        self.touch_values(2)
    }

    /// Pays for a list that is about to be made.
    pub(super) fn make_list(&mut self, items: usize) -> Step<()> {
        let bytes = items.saturating_mul(VALUE);
        self.made = self.made.saturating_add(bytes as u64);
        if items > MAX_ITEMS || self.made > MAX_MADE {
            return Err(Halt::Spent);
        }
        self.touch(bytes)
    }
}
