//! Expressions that are written as JavaScript, or with words of other languages: what to write instead.

use crate::letters;
use crate::shape::Role;

/// How a text is compared with its beginning.
const BEGINS: Option<&str> = Some("text[:4] == 'word'");

/// What others write, the longer before what it begins with, and what stands for it here.
const SPELLINGS: [(&str, Option<&str>); 16] = [
    ("===", Some("==")),
    ("!==", Some("!=")),
    ("==", None),
    ("!=", None),
    ("&&", Some("and")),
    ("||", Some("or")),
    ("!", Some("not")),
    ("?", Some("yes if test else no")),
    ("`", Some("'Hello ' ~ topic")),
    (".includes(", Some("'word' in text")),
    (" contains ", Some("'word' in text")),
    (".startsWith(", BEGINS),
    (" startswith ", BEGINS),
    (" starts with ", BEGINS),
    (".toLowerCase(", Some("text | lower")),
    (".join(", Some("list | join(', ')")),
];

/// What to write instead of the words of other languages in a text that does not parse; nothing where it has none.
pub(super) fn hint(role: Role, text: &str) -> Option<String> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for code in code_of(role, text) {
        let Some((spelling, instead)) = SPELLINGS.iter().find(|(spelling, _)| code.starts_with(spelling))
        else {
            continue;
        };
        if let Some(instead) = instead.filter(|_| !found.iter().any(|(known, _)| known == spelling)) {
            found.push((spelling, instead));
        }
    }
    let said: Vec<String> =
        found.iter().map(|(spelling, instead)| format!("`{instead}` for `{}`", spelling.trim())).collect();
    (!said.is_empty()).then(|| format!("expressions have words of their own: write {}", said.join(", ")))
}

/// Whether a text reads a key called `length` as JavaScript reads how many there are.
pub(super) fn reads_length(role: Role, text: &str) -> bool {
    code_of(role, text).any(|code| {
        let rest = code.strip_prefix(".length");
        rest.is_some_and(|rest| !rest.starts_with(|next: char| letters::goes_on(next)))
    })
}

/// Whether a text asks what of a number in quotes and something else is larger, or of a text and a number.
pub(super) fn ranks_text(role: Role, text: &str) -> bool {
    const QUOTES: [char; 2] = ['\'', '"'];
    code_of(role, text).any(|code| {
        let Some(rest) = code.strip_prefix(['<', '>']) else { return false };
        let right = rest.trim_start_matches('=').trim_start();
        let left = text.strip_suffix(code).unwrap_or_default().trim_end();
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let before = left.strip_suffix(QUOTES).and_then(|text| text.rsplit(QUOTES).next());
        let behind = right.strip_prefix(QUOTES).and_then(|text| text.split(QUOTES).next());
        match (before, behind) {
            (Some(text), None) => is_number(text) || right.starts_with(|first: char| first.is_ascii_digit()),
            (None, Some(text)) => is_number(text),
            _ => false,
        }
    })
}

/// The tails of a source that begin with code: none within quotes, and in a template none outside its tags. What an
/// operator begins is given once, not again for its later characters.
fn code_of(role: Role, text: &str) -> impl Iterator<Item = &str> {
    let (mut inside, mut quote, mut from) = (role == Role::Expression, None, 0);
    text.char_indices().filter_map(move |(at, letter)| {
        let rest = text.get(at..).filter(|_| at >= from)?;
        let mut skip = |letters: usize| from = at + letters;
        if !inside {
            inside = rest.starts_with("{{") || rest.starts_with("{%");
            skip(if inside { 2 } else { 1 });
            return None;
        }
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) if letter == '\\' => skip(2),
            Some(_) => {}
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None if role == Role::Template && (rest.starts_with("}}") || rest.starts_with("%}")) => {
                inside = false
            }
            None => {
                skip(SPELLINGS.iter().find(|(own, _)| rest.starts_with(own)).map_or(1, |(own, _)| own.len()));
                return Some(rest);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_gets_a_hint_at_what_to_write_instead() {
        let of = |text| hint(Role::Expression, text);
        assert_eq!(
            of("a === 1 && !done || b !== 'x'").as_deref(),
            Some(
                "expressions have words of their own: write `==` for `===`, `and` for `&&`, `not` for `!`, `or` for `||`, `!=` for `!==`"
            )
        );
        assert_eq!(
            of("a ? b : c").as_deref(),
            Some("expressions have words of their own: write `yes if test else no` for `?`")
        );
        assert_eq!(
            of("message.toLowerCase().includes('bomb') || x").as_deref(),
            Some(
                "expressions have words of their own: write `text | lower` for `.toLowerCase(`, `'word' in text` for `.includes(`, `or` for `||`"
            )
        );
        for (text, said) in [
            ("question contains 'password'", "`'word' in text` for `contains`"),
            ("name starts with 'Dr'", "`text[:4] == 'word'` for `starts with`"),
            ("name startswith 'Dr'", "`text[:4] == 'word'` for `startswith`"),
        ] {
            assert_eq!(of(text), Some(format!("expressions have words of their own: write {said}")));
        }
        for plain in
            ["a == 1 and b != 2", "topic != '!' and x == \"a && b\"", r"a == 'it\'s || that'", "topic >"]
        {
            assert_eq!(of(plain), None, "{plain}");
        }
    }

    #[test]
    fn a_template_has_code_in_its_tags_only() {
        let of = |text| hint(Role::Template, text);
        assert_eq!(of("Really?! {{ topic }} && more"), None);
        assert!(
            of("Wow! {% if a && b %}yes{% endif %}")
                .is_some_and(|hint| hint.ends_with("write `and` for `&&`"))
        );
        assert_eq!(of("{{ '}}' }} done?"), None);
    }

    #[test]
    fn length_is_no_key_of_a_list() {
        let reads = |text| reads_length(Role::Expression, text);
        assert!(reads("topics.length > 3"));
        assert!(!reads("topics | length > 3"));
        assert!(!reads("box['length'] > 3 and box.lengthy and '.length' != box.length_in_cm"));
        assert!(!reads_length(Role::Template, "Mind the .length of {{ topic }}"));
    }

    #[test]
    fn a_number_in_quotes_is_a_text_to_what_is_larger() {
        let ranks = |text| ranks_text(Role::Expression, text);
        for text in
            ["sum > '1000'", "a and sum<=\"2.5\"", "'10' < sum", "'x' > 3", "'' >= 3", "0 < sum < '5'"]
        {
            assert!(ranks(text), "{text}");
        }
        for text in [
            "sum > 1000",
            "day >= '2030-01-31'",
            "name < 'm'",
            "code == '10'",
            "'10' in a and b > c",
            "'a > \\'10\\'' in b",
            "a > ''",
            "'10' < '9'",
        ] {
            assert!(!ranks(text), "{text}");
        }
        assert!(ranks_text(Role::Template, "{% if sum > '10' %}more{% endif %}"));
        assert!(!ranks_text(Role::Template, "It is > '10' for {{ name }}"));
    }
}
