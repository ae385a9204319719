//! Where another answer than MiniJinja's is wanted. docs/expressions.md has the table; each row here is one of it.

use crate::verdict::{Kind, Verdict};

const OPERATORS: [&str; 7] = ["and", "or", "not", "in", "is", "if", "else"];

/// The row by which two verdicts may differ, if there is one.
pub(crate) fn wanted(source: &str, ours: &Verdict, theirs: &Verdict) -> Option<&'static str> {
    let has = |any: &[&str]| any.iter().any(|text| source.contains(text));
    let loops_over_text = has(&["loop"]) && has(&["in s", "in state[", "in t", "in a", "in v"]);
    match (ours, theirs) {
        (_, Verdict::Refused { kind: Kind::Limit, .. }) if has(&[":"]) => Some("slices go backwards"),
        (Verdict::Refused { kind: Kind::Syntax, message, .. }, _) => unread(source, message, theirs),
        (_, Verdict::Refused { kind: Kind::Syntax, .. }) if !source.is_ascii() => Some("names of any script"),
        (_, Verdict::Refused { kind: Kind::Syntax, .. }) if has(&[" is "]) => {
            Some("a test takes an argument only where it has one")
        }
        (_, Verdict::Refused { kind: Kind::Missing, .. }) | (Verdict::Given(_), Verdict::Given(_))
            if loops_over_text =>
        {
            Some("a loop over a text knows its length")
        }
        (
            Verdict::Refused { kind: Kind::Missing, .. },
            Verdict::Refused { kind: Kind::Wrong, message, .. },
        ) => {
            let tells = ["undefined", "invalid operation (", "be multiplied with"];
            if tells.iter().any(|it| message.contains(it)) {
                Some("what is undefined is missing")
            } else if has(&["~"]) {
                Some("texts of values")
            } else {
                has(&["{"]).then_some("keys of objects are strings")
            }
        }
        (Verdict::Given(_), Verdict::Given(_)) if has(&["~", " in "]) => Some("texts of values"),
        // Nothing prints what is not finite, and of several operands that cannot be joined the first is reported.
        (Verdict::Refused { message, .. }, _)
            if message.starts_with("a number is not finite") && has(&["~"]) =>
        {
            Some("texts of values")
        }
        (Verdict::Refused { .. }, Verdict::Refused { kind: Kind::Wrong, .. }) if has(&["~"]) => {
            Some("texts of values")
        }
        (Verdict::Refused { kind: Kind::Missing, .. }, Verdict::Given(_)) if has(&["{"]) && has(&[":"]) => {
            Some("keys of objects are strings")
        }
        (Verdict::Refused { message, .. }, _) if message.ends_with("cannot be a key") => {
            Some("keys of objects are strings")
        }
        (Verdict::Given(_), Verdict::Given(_)) if has(&[":-", ": -"]) => Some("slices go backwards"),
        (Verdict::Given(_), Verdict::Refused { kind: Kind::Wrong, message, .. })
            if message.contains("types sequence and sequence") =>
        {
            Some("every list is a list")
        }
        (Verdict::Given(_), Verdict::Given(_)) if has(&["<", ">"]) && has(&[":", "+", "*", "split"]) => {
            Some("every list is a list")
        }
        (Verdict::Given(_), _) if has(&["=="]) && has(&["()"]) => Some("every list is a list"),
        (Verdict::Given(_), _) if has(&["**"]) => Some("beyond 64 bits"),
        _ => None,
    }
}

/// The same for a text that cannot be read here.
fn unread(source: &str, message: &str, theirs: &Verdict) -> Option<&'static str> {
    let begins = |with: &str| message.starts_with(with);
    let unexpected = message.strip_prefix("unexpected `").and_then(|rest| rest.split('`').next());
    if begins("there is no filter")
        || begins("there is no test")
        || message.contains(" takes ")
        || unexpected == Some(".")
        || begins("unexpected input after expression") && source.contains('|')
    {
        Some("filters and tests are known when a text is read")
    } else if message.contains("cannot be called") || matches!(unexpected, Some("=" | "*" | "**")) {
        Some("there are no functions")
    } else if begins("unknown statement")
        || source.contains("set")
            && ["expected identifier", "expected assignment operator"]
                .iter()
                .any(|end| message.ends_with(end))
    {
        Some("statements")
    } else if unexpected.is_some_and(|word| OPERATORS.contains(&word)) || begins("cannot assign") {
        Some("words between operands are no names")
    } else if ["unexpected end of string", "unexpected character", "this is no number", "'_' may not"]
        .iter()
        .any(|it| begins(it))
        && !matches!(theirs, Verdict::Refused { kind: Kind::Syntax, .. })
    {
        Some("texts end")
    } else if !source.is_ascii() {
        Some("names of any script")
    } else if source.contains(" is ") {
        Some("a test takes an argument only where it has one")
    } else {
        None
    }
}
