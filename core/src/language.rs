//! The language of templates and expressions: MiniJinja's dialect, small and bounded (docs/expressions.md).
//!
//! A text is read once, into a flat [tree](tree) whose every node knows its [`Span`]. The evaluator (with the feature
//! `engine`), the validator and the builder all read that tree, so that they cannot disagree about what a text says.

pub use self::address::{encoded, leads_elsewhere, origin_of};
#[cfg(feature = "engine")]
pub use self::budget::{DEFAULT_FUEL, Fault, FaultKind};
#[cfg(feature = "engine")]
pub use self::evaluate::{Evaluated, Given, Intrinsics, Scope};
pub use self::names::{Access, BareKey, Need, Path, Read};
pub use self::parser::OPERATORS;
pub use self::tree::{Expression, Span, SyntaxError, Template};
#[cfg(feature = "engine")]
pub use self::value::{Shape, Undefined, Value, View};
pub use self::vocabulary::{LOOP_KEYS, Offered, filters, statements, tests};
pub use self::words::Word;

mod address;
mod lexer;
mod names;
mod parser;
pub(crate) mod renaming;
mod tree;
mod unescape;
mod vocabulary;
mod words;

#[cfg(feature = "engine")]
mod budget;
#[cfg(feature = "engine")]
mod compare;
#[cfg(feature = "engine")]
mod evaluate;
#[cfg(feature = "engine")]
mod filters;
#[cfg(feature = "engine")]
mod numbers;
#[cfg(feature = "engine")]
mod operators;
#[cfg(feature = "engine")]
mod print;
#[cfg(feature = "engine")]
mod reading;
#[cfg(feature = "engine")]
mod repetition;
#[cfg(feature = "engine")]
mod value;
