//! What JavaScript reads of the state, which nobody here parses: names behind `state.`.

use std::ops::Range;

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
    code.strip_suffix("state").is_some_and(|before| {
        !before.ends_with(|letter| letters::goes_on(letter) || matches!(letter, '.' | '$'))
    })
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
}
