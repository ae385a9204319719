//! What is a key: by the name that it stands under, and by what it looks like. The words and the shapes are in
//! `ts/import/keys.json`, the one table of them, which the import of other tools' files reads too (`ts/import/secrets`).

use std::sync::OnceLock;

use serde::Deserialize;

pub use self::texts::{GONE, GONE_IN_ADDRESS, has_key, without_keys};

mod texts;

/// Where a name stands. In a query and a header, a mere `key` is one of a service; in data it may be a key of anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a body.
    Data,
    /// In a query or a header.
    Parameter,
}

/// Whether what stands under this name is a key. The rule is that of `isSecret` in `ts/import/secrets`, on the same words.
pub fn is_secret(name: &str, place: Place) -> bool {
    let Names {
        one_of,
        tails,
        in_parameters,
        always,
        always_ends,
        alone,
        keys_of,
        tokens_of,
        turning,
        turning_in_one_word,
        of_data,
        logins,
    } = &table().names;
    let mut words = words_of(name);
    let is_number = |word: &str| {
        let digits = word.strip_prefix('v').unwrap_or(word);
        !digits.is_empty() && bare(digits).is_empty()
    };
    while words.len() > 1 && words.last().is_some_and(|word| is_number(word) || has(one_of, word)) {
        words.pop();
    }
    let joined = words.concat();
    let Some((last, before)) = words.split_last() else { return false };
    let last = bare(last);
    if !before.is_empty() && has(tails, last) {
        return false;
    }
    if place == Place::Parameter && has(in_parameters, &joined) {
        return true;
    }
    let is_always = |word: &String| has(always, bare(word)) || ends(always_ends, bare(word));
    if has(alone, &joined) || words.iter().any(is_always) {
        return true;
    }
    let singular = joined.strip_suffix('s').unwrap_or(&joined);
    if keys_of.split(' ').any(|whose| joined.contains(&format!("{whose}key")))
        || singular.strip_suffix("token").is_some_and(|whose| ends(tokens_of, whose))
    {
        return true;
    }
    if last == "pass" {
        return before.iter().any(|word| has(logins, word));
    }
    if last.ends_with("token") || last == "jwt" {
        let whose = last.strip_suffix("token").unwrap_or_default();
        return !before.iter().any(|word| has(turning, word)) && !ends(turning_in_one_word, whose);
    }
    last == "key" && !before.is_empty() && !before.iter().any(|word| has(of_data, word))
}

/// Whether a text begins as keys of services do, and goes on for as long as they do.
pub fn has_shape_of_key(text: &str) -> bool {
    table().shapes.iter().any(|shape| begins(text, shape))
}

#[derive(Deserialize, Default)]
struct Table {
    names: Names,
    shapes: Vec<String>,
}

/// Lists of words with spaces between them.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Names {
    one_of: String,
    tails: String,
    in_parameters: String,
    always: String,
    always_ends: String,
    alone: String,
    keys_of: String,
    tokens_of: String,
    turning: String,
    turning_in_one_word: String,
    of_data: String,
    logins: String,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    // A test reads it: it is part of the program.
    TABLE.get_or_init(|| serde_json::from_str(include_str!("../../ts/import/keys.json")).unwrap_or_default())
}

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

fn ends(list: &str, word: &str) -> bool {
    list.split(' ').any(|end| word.ends_with(end))
}

fn bare(word: &str) -> &str {
    word.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

/// The words of a name: `apiKey`, `API_KEY` and `api-key` have the same two.
fn words_of(name: &str) -> Vec<String> {
    // What is longer is no name.
    let letters: Vec<char> = name.chars().rev().take(200).collect();
    let mut words = vec![String::new()];
    let mut before = None::<char>;
    for (at, letter) in letters.iter().enumerate().rev() {
        let after = at.checked_sub(1).and_then(|at| letters.get(at));
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = Some(*letter);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a text begins with this shape.
fn begins(text: &str, shape: &str) -> bool {
    length(text, shape).is_some()
}

/// How much of a text has this shape, from its beginning: signs and classes of them, each as often as the braces behind it
/// say. Of such an expression this is all that the table uses, and no class has the sign that comes after it.
fn length(text: &str, mut shape: &str) -> Option<usize> {
    let mut rest = text;
    while !shape.is_empty() {
        let (class, behind) = class_of(shape);
        let (least, most, behind) = times(behind);
        let (mut count, mut bytes) = (0, 0);
        for letter in rest.chars().take(most).take_while(|letter| is_in(class, *letter)) {
            count += 1;
            bytes += letter.len_utf8();
        }
        if count < least {
            return None;
        }
        rest = rest.get(bytes..)?;
        shape = behind;
    }
    Some(text.len() - rest.len())
}

/// The class at the beginning of a shape, and what is behind it.
fn class_of(shape: &str) -> (&str, &str) {
    if let Some((class, behind)) = shape.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        return (class, behind);
    }
    let length = if shape.starts_with('\\') { 2 } else { 1 };
    shape.split_at_checked(length).unwrap_or((shape, ""))
}

/// How often, and what is behind that: `{16,}`, `{8,10}`, `{36}`.
fn times(behind: &str) -> (usize, usize, &str) {
    let Some((inside, rest)) = behind.strip_prefix('{').and_then(|inside| inside.split_once('}')) else {
        return (1, 1, behind);
    };
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    (least.parse().unwrap_or(1), most.parse().unwrap_or(usize::MAX), rest)
}

fn is_in(class: &str, letter: char) -> bool {
    if let Some(others) = class.strip_prefix('^') {
        return !is_in(others, letter);
    }
    let mut signs = class.chars();
    while let Some(sign) = signs.next() {
        if sign == '\\' {
            let is_it = match signs.next() {
                Some('w') => letter.is_ascii_alphanumeric() || letter == '_',
                Some('d') => letter.is_ascii_digit(),
                Some('s') => letter.is_whitespace(),
                other => other == Some(letter),
            };
            if is_it {
                return true;
            }
            continue;
        }
        let mut ahead = signs.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) => {
                if (sign..=to).contains(&letter) {
                    return true;
                }
                signs = ahead;
            }
            _ if sign == letter => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cases {
        names: BTreeMap<String, String>,
        keys: Vec<String>,
        no_keys: Vec<String>,
        texts: BTreeMap<String, String>,
    }

    /// The import's tests read them too, so that both say the same.
    fn cases() -> Cases {
        serde_json::from_str(include_str!("../../../tests/imports/files/keys.json")).unwrap()
    }

    #[test]
    fn names_are_those_of_keys_where_the_import_says_so() {
        for (name, is_one) in cases().names {
            let found = [Place::Data, Place::Parameter].map(|place| is_secret(&name, place));
            let expected = match is_one.as_str() {
                "always" => [true, true],
                "in parameters" => [false, true],
                _ => [false, false],
            };
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn texts_have_the_shape_of_keys_where_the_import_says_so() {
        let Cases { keys, no_keys, .. } = cases();
        for key in &keys {
            assert!(has_shape_of_key(key), "{key}");
        }
        for text in &no_keys {
            assert!(!has_shape_of_key(text), "{text}");
        }
        // One of each.
        let of = |shape: &String| keys.iter().any(|key| begins(key, shape));
        assert_eq!(table().shapes.iter().find(|shape| !of(shape)), None);
    }

    #[test]
    fn texts_lose_their_keys_where_the_import_says_so() {
        let Cases { keys, no_keys, texts, .. } = cases();
        for key in &keys {
            assert_eq!(without_keys(&format!("x {key}.")).get(..18), Some("x (a key was here)"), "{key}");
        }
        for text in &no_keys {
            assert_eq!(without_keys(text), *text);
        }
        for (text, left) in &texts {
            assert_eq!(without_keys(text), *left);
            assert_eq!(without_keys(left), *left);
        }
    }
}
