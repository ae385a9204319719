//! The keys that JavaScript returns, which nobody here parses: those of the objects that stand behind `return`.

use indexmap::IndexSet;
use stepweave_core::letters;

/// How many places are looked at where code returns something.
const MOST_RETURNS: usize = 100;

/// How many letters of an object are looked at.
const MOST_LETTERS: usize = 20_000;

/// The keys, each once, in the order in which they stand there. Those that are computed or spread are not known.
pub fn returned(code: &str) -> IndexSet<&str> {
    let mut found = IndexSet::new();
    for (at, word) in code.match_indices("return").take(MOST_RETURNS) {
        let (before, behind) =
            (code.get(..at).unwrap_or_default(), code.get(at + word.len()..).unwrap_or_default());
        let line = before.rsplit('\n').next().unwrap_or_default();
        if before.ends_with(letters::goes_on) || line.contains("//") {
            continue;
        }
        let Some(object) = behind.trim_start_matches([' ', '\t', '(']).strip_prefix('{') else { continue };
        found.extend(keys(object));
    }
    found
}

/// The keys of an object whose brace has been read.
fn keys(object: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut from) = (0_usize, None, Some(0));
    let mut letters = object.char_indices().take(MOST_LETTERS);
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, ':' | ',' | '(' | '}') if depth == 0 => {
                let member = from.take().and_then(|from| object.get(from..at)).unwrap_or_default().trim();
                let key = member.trim_matches(['"', '\'']);
                found.extend(Some(key).filter(|key| letters::is_name(key)));
                match letter {
                    '}' => break,
                    ',' => from = Some(at + 1),
                    '(' => depth += 1,
                    _ => {}
                }
            }
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_what_is_returned_are_found() {
        for (code, keys) in [
            ("return { rows: state.csv.split(','), total };", vec!["rows", "total"]),
            (
                "if (a) {\n  return { 'a b': 1, 'ok': f({ no: 1 }, [2, 3]), \"x\": `}, no: 1` };\n}\nreturn ({ ok: 1, last: 'it\\'s, no: 2' })",
                vec!["ok", "x", "last"],
            ),
            (
                "return { ...state, sum(a, b) { return { inner: 1 } }, [computed]: 1, n: a ? b : c }",
                vec!["sum", "n", "inner"],
            ),
            ("// return { no: 1 }\nreturn list;", vec![]),
            ("myreturn { no: 1 }", vec![]),
            ("return { half", vec![]),
            ("return {}", vec![]),
        ] {
            assert_eq!(returned(code).into_iter().collect::<Vec<_>>(), keys, "{code}");
        }
    }
}
