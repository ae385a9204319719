//! What JavaScript reads of the state, which nobody here parses: names behind `state.`.

use std::ops::Range;

use indexmap::IndexSet;

use crate::letters;

/// Where keys stand that the code has no other value for.
pub(super) fn keys(code: &str) -> Vec<Range<usize>> {
    let mut keys = Vec::new();
    for (point, _) in code.match_indices('.') {
        let (before, rest) = code.split_at(point);
        let key = rest.get(1..).unwrap_or_default();
        let length = letters::length(key);
        let behind = key.get(length..).unwrap_or_default().trim_ascii_start();
        let may_be_absent = behind.starts_with(['?', '|', '&', '$', '(']);
        if length > 0 && !may_be_absent && is_state(before.strip_suffix('?').unwrap_or(before)) {
            keys.push(point + 1..point + 1 + length);
        }
    }
    keys
}

/// The keys without which the code throws, or calculates with nothing: wherever they stand something is done with their
/// value, and nothing in the code may give them or look whether they are there.
pub(super) fn needed(code: &str) -> IndexSet<&str> {
    let (mut needed, mut others) = (IndexSet::new(), quoted(code));
    if code.contains("catch") {
        return needed;
    }
    let mut comments = comments(code).into_iter().peekable();
    for (at, _) in code.match_indices("state") {
        let (before, rest) = code.split_at(at);
        let rest = rest.get("state".len()..).unwrap_or_default();
        if !is_whole(before) {
            continue;
        }
        let Some(key) = rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.')) else {
            // The whole state, or a variable that is called so.
            if rest.starts_with(letters::goes_on) || before.ends_with("...") {
                continue;
            }
            return IndexSet::new();
        };
        let (key, behind) = key.split_at(letters::length(key));
        while comments.next_if(|comment| comment.end <= at).is_some() {}
        let is_said = comments.peek().is_none_or(|comment| at < comment.start);
        let is_gone_through = before.ends_with("...") || before.ends_with(" of ");
        match is_said && (is_gone_through || is_used(behind.trim_ascii_start())) {
            true => needed.insert(key),
            false => others.insert(key),
        };
    }
    needed.retain(|key| !key.is_empty() && !others.contains(key));
    needed
}

/// The names that stand in quotes.
fn quoted(code: &str) -> IndexSet<&str> {
    const QUOTES: [char; 3] = ['\'', '"', '`'];
    let behind = code.match_indices(QUOTES).filter_map(|(at, quote)| code.get(at + quote.len()..));
    let names = behind.map(|behind| behind.split_at(letters::length(behind)));
    names.filter(|(_, rest)| rest.starts_with(QUOTES)).map(|(name, _)| name).collect()
}

/// Where comments stand, and what looks like one, such as the end of an address.
fn comments(code: &str) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = code.get(from..).and_then(|rest| rest.find('/')).map(|at| from + at) {
        let rest = code.get(at + 1..).unwrap_or_default();
        let length = match rest.chars().next() {
            Some('/') => rest.find('\n'),
            Some('*') => rest.find("*/").map(|end| end + 2),
            _ => Some(0),
        };
        from = length.map_or(code.len(), |length| at + 1 + length);
        if from > at + 1 {
            found.push(at..from);
        }
    }
    found
}

/// Whether what stands behind a value does something with it that nothing else than a value allows.
fn is_used(behind: &str) -> bool {
    let calculates = behind.starts_with(['*', '/', '%', '-', '+'])
        && !behind.starts_with("//")
        && !behind.starts_with("/*");
    behind.starts_with(['.', '[']) || calculates
}

/// The code that reads another key wherever it reads this one.
pub(super) fn renamed(code: &str, old: &str, new: &str) -> String {
    let (mut written, mut from) = (String::new(), 0);
    for at in keys(code) {
        if code.get(at.clone()) == Some(old) {
            written.extend([code.get(from..at.start).unwrap_or_default(), new]);
            from = at.end;
        }
    }
    written.push_str(code.get(from..).unwrap_or_default());
    written
}

/// Whether code ends with the state.
pub(crate) fn is_state(code: &str) -> bool {
    code.strip_suffix("state").is_some_and(is_whole)
}

/// Whether a name may begin behind this code.
fn is_whole(before: &str) -> bool {
    let before = before.strip_suffix("...").unwrap_or(before);
    !before.ends_with(|letter| letters::goes_on(letter) || matches!(letter, '.' | '$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_state_is_read_unless_the_code_says_what_holds_without_it() {
        let of = |code: &str| {
            keys(code).into_iter().filter_map(|at| code.get(at).map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(
            of("return { sum: state.prices.map((p) => p * state?.größe) + state .x }"),
            ["prices", "größe"]
        );
        for none in [
            "return state.a ?? 1 + state.b || 2 + state.c?.d + (state.e && 1) + (state.f ? 1 : 2)",
            "return mystate.a + my.state.b + $state.c + state['d'] + states.e + state.$f + state.g$ + state.1",
            "const { a } = state",
            "return state.",
            ".",
            "",
        ] {
            assert!(of(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_key_is_needed_where_the_code_does_something_with_its_value_and_never_looks_whether_it_is_there() {
        for (code, expected) in [
            ("return { total: state.csv.trim() }", vec!["csv"]),
            (
                "const csv = state.csv\n  .trim(); return { csv, n: state.n * 2, all: [...state.list, state?.b[0]] }",
                vec!["csv", "n", "list", "b"],
            ),
            ("for (const x of state.items) {} return { ...state, sum: state.a + 1 }", vec!["items", "a"]),
            (
                "return { a: state.a, b: f(state.b), c: state.c === 1, d: state.d?.x, e: state.e ?? 1 }",
                vec![],
            ),
            ("if (state.a) return { b: state.a.trim() }", vec![]),
            ("state.a ??= ''; state.b = []; return { a: state.a.trim(), b: state.b.length }", vec![]),
            ("if ('a' in state) return { b: state.a.trim() }", vec![]),
            ("return { b: 'a' in { ...state } ? state.a.trim() : '' }", vec![]),
            ("const state = load(); return { b: state.a.trim() }", vec![]),
            ("return list.reduce((state, x) => ({ n: state.n + x }), {})", vec![]),
            ("try { return { b: state.a.trim() } } catch { return {} }", vec![]),
            (
                "// state.a.trim()\n/* state.b.c */ return { c: mystate.d.e, f: states.g.h, i: my.state.j.k } // state.l.m",
                vec![],
            ),
            ("return state.", vec![]),
        ] {
            assert_eq!(needed(code).into_iter().collect::<Vec<_>>(), expected, "{code}");
        }
    }
}
