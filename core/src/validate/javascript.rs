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

/// What is read otherwise than it is meant: its code, what is said of it, and what to write instead.
pub(super) type Misread = [&'static str; 3];

const LENGTH: Misread = [
    "length_as_key",
    "`.length` is a key of that name, which lists and texts do not have",
    "write `topics | length` for how many there are, and `box['length']` for a key that is called so",
];

const RANKED: Misread = [
    "text_ranked",
    "every text is larger than every number, and a number in quotes is a text",
    "write `sum > 1000` without quotes, and `sum | float > 1000` where `sum` may be a text",
];

/// What of a source that parses is read otherwise than it is meant: a key called `length`, which JavaScript's lists have, or
/// a number in quotes that is ranked.
pub(super) fn misread(role: Role, text: &str) -> Option<Misread> {
    code_of(role, text).find_map(|code| {
        if let Some(rest) = code.strip_prefix(".length") {
            return (!rest.starts_with(letters::goes_on)).then_some(LENGTH);
        }
        let behind = code.strip_prefix(['<', '>'])?.trim_start_matches('=').trim_start();
        let is_behind_text = text.get(..text.len() - code.len())?.trim_end().ends_with(QUOTES);
        let number = match is_behind_text {
            true => behind.get(..1)?,
            false => behind.strip_prefix(QUOTES)?.split(QUOTES).next()?,
        };
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        (!number.is_empty() && number.bytes().all(is_number)).then_some(RANKED)
    })
}

const QUOTES: [char; 2] = ['\'', '"'];

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
        let of = |text| misread(Role::Expression, text);
        assert_eq!(of("topics.length > 3"), Some(LENGTH));
        assert_eq!(of("topics | length > 3"), None);
        assert_eq!(of("box['length'] > 3 and box.lengthy and '.length' != box.length_in_cm"), None);
        assert_eq!(misread(Role::Template, "Mind the .length of {{ topic }}"), None);
    }

    #[test]
    fn a_number_in_quotes_is_a_text_to_what_is_larger() {
        for text in ["sum > '1000'", "a and sum<=\"2.5\"", "'x' > 3", "0 < sum < '5'"] {
            assert_eq!(misread(Role::Expression, text), Some(RANKED), "{text}");
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
            assert_eq!(misread(Role::Expression, text), None, "{text}");
        }
        assert_eq!(misread(Role::Template, "{% if sum > '10' %}more{% endif %}"), Some(RANKED));
        assert_eq!(misread(Role::Template, "It is > '10' for {{ name }}"), None);
    }
}
