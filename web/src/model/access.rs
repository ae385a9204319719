//! What stands before the caret in an expression: the members that lead to what is being written.

use serde_json::Value;
use stepweave_core::letters;

/// One piece of the way to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Member {
    /// A name of the state, or a key of an object.
    Key(String),
    /// A position in a list; negative ones count from its end.
    Index(i64),
}

/// The way to a value, and the beginning of its next piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<'t> {
    /// What is written already; nothing at a name of the state.
    pub way: Vec<Member>,
    /// What is written of the next piece.
    pub begun: &'t str,
    /// Where the next piece begins: at its point, when there is one.
    pub start: usize,
}

/// What is being written at the end of an expression outside of its strings; nothing where no name can go on.
pub fn written(code: &str) -> Option<Written<'_>> {
    let begun = word_at_end(code);
    if begun.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let mut rest = code.strip_suffix(begun)?;
    let mut start = rest.len();
    let mut way = Vec::new();
    if let Some(before) = rest.strip_suffix('.') {
        start = before.len();
        (way, rest) = last_way(before)?;
    }
    stands_free(rest).then_some(Written { way, begun, start })
}

/// The way that is all of an expression; nothing when it is more than that.
pub fn whole(expression: &str) -> Option<Vec<Member>> {
    let (way, before) = last_way(expression.trim())?;
    before.is_empty().then_some(way)
}

/// The value that an expression writes out, such as `['a', 'b']`; nothing where it computes one.
pub fn literal(expression: &str) -> Option<Value> {
    let mut json = String::with_capacity(expression.len());
    let mut open = None;
    let mut letters = expression.chars();
    while let Some(letter) = letters.next() {
        match (open, letter) {
            (None, '\'' | '"') => {
                open = Some(letter);
                json.push('"');
            }
            (Some(quote), _) if letter == quote => {
                open = None;
                json.push('"');
            }
            (Some(_), '"') => json.push_str("\\\""),
            // Escapes are the same as in JSON, but for the quote.
            (Some(_), '\\') => match letters.next()? {
                '\'' => json.push('\''),
                escaped => json.extend(['\\', escaped]),
            },
            _ => json.push(letter),
        }
    }
    serde_json::from_str(&json).ok()
}

/// The value at the end of a way.
pub fn follow<'v>(value: &'v Value, way: &[Member]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, member| match member {
        Member::Key(key) => value.get(key),
        Member::Index(index) => {
            let items = value.as_array()?;
            let from_end = || items.len().checked_sub(index.unsigned_abs().try_into().ok()?);
            items.get(if *index < 0 { from_end()? } else { (*index).try_into().ok()? })
        }
    })
}

/// The way at the end of an expression, and what stands before it.
fn last_way(code: &str) -> Option<(Vec<Member>, &str)> {
    let mut rest = code;
    let mut way = Vec::new();
    loop {
        let (member, before, is_name) = last_member(rest)?;
        way.push(member);
        rest = before;
        match rest.strip_suffix('.') {
            Some(before) if is_name => rest = before,
            _ if is_name => break,
            // In front of brackets stands what they are of.
            _ => {}
        }
    }
    way.reverse();
    Some((way, rest))
}

/// The last piece of a way, what stands before it, and whether it is a name and not in brackets.
fn last_member(code: &str) -> Option<(Member, &str, bool)> {
    let Some(inner) = code.strip_suffix(']') else {
        let word = word_at_end(code);
        let is_name = !word.is_empty() && !word.starts_with(|letter: char| letter.is_ascii_digit());
        let before = code.strip_suffix(word)?;
        return is_name.then(|| (Member::Key(word.to_owned()), before, true));
    };
    let quote = inner.chars().next_back().filter(|quote| ['"', '\''].contains(quote));
    let Some(quote) = quote else {
        let (before, number) = inner.rsplit_once('[')?;
        return Some((Member::Index(number.trim().parse().ok()?), before, false));
    };
    let key = inner.strip_suffix(quote)?;
    let open = key.rfind(&format!("[{quote}"))?;
    let text = key.get(open + 2..)?;
    // Escapes are the same as in JSON, but for the quote.
    let text = if quote == '"' { text.to_owned() } else { text.replace("\\'", "'").replace('"', "\\\"") };
    let key = serde_json::from_str(&format!("\"{text}\"")).ok()?;
    Some((Member::Key(key), code.get(..open)?, false))
}

/// The name or the number that stands at the end.
pub fn word_at_end(code: &str) -> &str {
    let start = code.trim_end_matches(letters::goes_on).len();
    code.get(start..).unwrap_or_default()
}

/// Whether an operand can begin here: not behind another one, and not where a filter or a test is named.
fn stands_free(before: &str) -> bool {
    let before = before.trim_end();
    let word = word_at_end(before);
    if !word.is_empty() {
        return ["and", "or", "not", "in", "if", "elif", "else"].contains(&word);
    }
    !before.ends_with(['|', '.', ')', ']', '}', '"', '\''])
}

/// Whether the end of an expression stands inside of a text.
pub fn is_in_string(code: &str) -> bool {
    let mut open = None;
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        match (open, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(quote), letter) if letter == quote => open = None,
            (None, '"' | '\'') => open = Some(letter),
            _ => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(code: &str) -> Option<String> {
        let Written { way, begun, start } = written(code)?;
        let way: Vec<String> = way
            .into_iter()
            .map(|member| match member {
                Member::Key(key) => key,
                Member::Index(index) => format!("#{index}"),
            })
            .collect();
        Some(format!("{}>{begun}@{start}", way.join("/")))
    }

    #[test]
    fn what_an_expression_writes_out_is_its_value() {
        for (code, value) in [
            ("['https://a.test', 'it\\'s']", json!(["https://a.test", "it's"])),
            (r#" ["a", 'say "b"', "c\n"] "#, json!(["a", "say \"b\"", "c\n"])),
            ("{'a': [1, true]}", json!({ "a": [1, true] })),
            ("12", json!(12)),
        ] {
            assert_eq!(literal(code), Some(value), "{code}");
        }
        for code in ["", "urls", "['a'", "'a\\", "['a'] + more", "[a]"] {
            assert_eq!(literal(code), None, "{code}");
        }
    }

    #[test]
    fn what_is_written_is_read_backwards_from_the_caret() {
        for (code, expected) in [
            ("", Some(">@0")),
            ("bo", Some(">bo@0")),
            ("body.", Some("body>@4")),
            ("body.it", Some("body>it@4")),
            ("status > 3 and body.items[0].na", Some("body/items/#0>na@28")),
            ("body[\"odd key\"].", Some("body/odd key>@15")),
            ("body['it\\'s'][-1].x", Some("body/it's/#-1>x@17")),
            ("x + ", Some(">@4")),
            ("[a, ", Some(">@4")),
            ("body ", None),
            ("body 'x' ", None),
            ("body | ", None),
            ("body | len", None),
            ("x is def", None),
            ("1.", None),
            ("(a + b).", None),
            ("not bo", Some(">bo@4")),
            ("größe.", Some("größe>@7")),
            ("हिन्दी.x", Some("हिन्दी>x@18")),
        ] {
            assert_eq!(said(code).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn a_way_leads_to_its_value() {
        let value = json!({ "body": { "items": [{ "odd key": 1 }, 2] } });
        let at = |text: &str| whole(text).and_then(|way| follow(&value, &way).cloned());
        assert_eq!(at("body.items[0][\"odd key\"]"), Some(json!(1)));
        assert_eq!(at(" body.items[-1] "), Some(json!(2)));
        for nothing in
            ["body.items[2]", "body.items[-3]", "body.none", "body.items | length", "", "body.items[", "[0]"]
        {
            assert_eq!(at(nothing), None, "{nothing}");
        }
    }
}
