//! Which characters a name may have: the letters of any script.

use crate::json;

/// The characters beyond ASCII that no name has: spaces, punctuation, symbols and pictographs. A short list instead
/// of Unicode's tables, which would be larger than the whole parser.
const NO_LETTERS: [(char, char); 26] = [
    ('\u{80}', '\u{a9}'),
    ('\u{ab}', '\u{b4}'),
    ('\u{b6}', '\u{b9}'),
    ('\u{bb}', '\u{bf}'),
    ('\u{d7}', '\u{d7}'),
    ('\u{f7}', '\u{f7}'),
    ('\u{37e}', '\u{37e}'),
    ('\u{60c}', '\u{60d}'),
    ('\u{61b}', '\u{61f}'),
    ('\u{66a}', '\u{66d}'),
    ('\u{964}', '\u{965}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200b}'),
    ('\u{200e}', '\u{203e}'),
    ('\u{2041}', '\u{2070}'),
    ('\u{20a0}', '\u{20cf}'),
    ('\u{2190}', '\u{2bff}'),
    ('\u{2e00}', '\u{2e7f}'),
    ('\u{3000}', '\u{3004}'),
    ('\u{3008}', '\u{3020}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fe10}', '\u{fe6f}'),
    ('\u{feff}', '\u{ff0f}'),
    ('\u{ff1a}', '\u{ff20}'),
    ('\u{ff3b}', '\u{ff40}'),
    ('\u{fff0}', '\u{ffff}'),
];

/// The planes beyond the first have pictographs only between these two; letters come before and after them.
const PICTURES: (char, char) = ('\u{1f000}', '\u{1faff}');

/// Whether a name may begin with this.
pub fn begins(letter: char) -> bool {
    goes_on(letter) && !letter.is_ascii_digit()
}

/// Whether a name may go on with this.
pub fn goes_on(letter: char) -> bool {
    let within = |&(first, last): &(char, char)| (first..=last).contains(&letter);
    match letter.is_ascii() {
        true => letter.is_ascii_alphanumeric() || letter == '_',
        false => !NO_LETTERS.iter().chain([&PICTURES]).any(within),
    }
}

/// How many bytes the name has with which this begins; 0 if none begins here.
pub fn length(text: &str) -> usize {
    let end = text.char_indices().find(|&(at, letter)| match at {
        0 => !begins(letter),
        _ => !goes_on(letter),
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// Whether the whole of this is a name.
///
/// ```
/// use stepweave_core::letters::is_name;
///
/// assert!(is_name("größe_2") && !is_name("2nd") && !is_name("a-b"));
/// ```
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && length(text) == text.len()
}

/// Whether a path has the key as it is, behind a point.
pub(crate) fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|letter| goes_on(letter) || letter == '-')
}

/// A key of an object as paths have it, behind the path of that object.
///
/// ```
/// use stepweave_core::letters::member;
///
/// assert_eq!(format!("agents{}", member("my-writer")), "agents.my-writer");
/// assert_eq!(format!("agents{}", member("a b")), r#"agents["a b"]"#);
/// ```
pub fn member(key: &str) -> String {
    if is_plain(key) { format!(".{key}") } else { format!("[{}]", json::text(key)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_any_script() {
        for name in ["topic", "_x1", "größe", "имя", "名前", "हिन्दी", "اسم", "ชื่อ", "이름", "ª"]
        {
            assert!(is_name(name), "{name}");
        }
        for other in ["", "1a", "a-b", "a b", "a\u{a0}b", "“a”", "a…", "x×y", "🐝", "a，b", "a→b"]
        {
            assert!(!is_name(other), "{other}");
        }
    }
}
