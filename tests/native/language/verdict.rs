//! What is said of a text: what it gives, or why it gives nothing.

use std::ops::Range;
use std::rc::Rc;

use serde_json::Value as Json;
use stepweave_core::language::{
    DEFAULT_FUEL, Evaluated, Expression, Fault, FaultKind, Given, Scope, Span, SyntaxError, Template, Value,
};
use stepweave_tests::drive::INTRINSICS;
use stepweave_tests::view::view;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    Given(String),
    Refused { kind: Kind, message: String, place: Range<usize>, line: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Syntax,
    Missing,
    Wrong,
    Limit,
}

/// What the language of our own says of a template.
pub(crate) fn template(source: &str, state: &Rc<Json>) -> Verdict {
    match Template::parse(source) {
        Err(error) => unread(error, source),
        Ok(template) => verdict(template.render(&scope(state, DEFAULT_FUEL)), source, |text| text),
    }
}

/// What the language of our own says of an expression.
pub(crate) fn expression(source: &str, state: &Rc<Json>) -> Verdict {
    match Expression::parse(source) {
        Err(error) => unread(error, source),
        Ok(expression) => {
            verdict(expression.evaluate(&scope(state, DEFAULT_FUEL)), source, |given| match given {
                Given::Made(json) => json.to_string(),
                Given::Kept(view) => view
                    .host_value()
                    .and_then(|value| value.downcast_ref::<Rc<Json>>())
                    .expect("a view of JSON")
                    .to_string(),
            })
        }
    }
}

pub(crate) fn scope(state: &Rc<Json>, fuel: u64) -> Scope {
    Scope { state: view(state), whole: "the state", outputs: Value::None, intrinsics: INTRINSICS, fuel }
}

fn unread(error: SyntaxError, source: &str) -> Verdict {
    Verdict::Refused {
        kind: Kind::Syntax,
        message: error.message,
        place: range(error.span),
        line: error.span.line(source),
    }
}

fn verdict<T>(evaluated: Evaluated<T>, source: &str, text: impl Fn(T) -> String) -> Verdict {
    match evaluated.result {
        Ok(given) => Verdict::Given(text(given)),
        Err(Fault { kind, message, span, .. }) => {
            let kind = match kind {
                FaultKind::Missing => Kind::Missing,
                FaultKind::Wrong => Kind::Wrong,
                FaultKind::Limit | FaultKind::Size => Kind::Limit,
            };
            Verdict::Refused { kind, message, place: range(span), line: span.line(source) }
        }
    }
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
