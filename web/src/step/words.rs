//! Words that texts of a workflow choose between: those that a prompt lists, and the one that a condition asks for.

use stepweave_core::document::{Case, Source};

/// Longer words are no words to choose from.
const LONGEST: usize = 24;

/// Nobody chooses between so many.
const MOST: usize = 12;

/// A longer prompt is looked through at its beginning and its end, of this many bytes: what is asked stands there.
const EITHER_END: usize = 4_000;

/// What stands in lists of sentences, and is no answer.
const SMALL: [&str; 25] = [
    "a",
    "about",
    "an",
    "and",
    "anything",
    "as",
    "at",
    "by",
    "for",
    "from",
    "if",
    "in",
    "it",
    "less",
    "more",
    "not",
    "of",
    "on",
    "one",
    "something",
    "that",
    "the",
    "this",
    "to",
    "with",
];

/// What a case of a switch is called: by its name, or by the word that its condition asks for.
pub fn called(case: &Case) -> Option<String> {
    case.name.clone().or_else(|| compared(&case.when).map(|(_, word)| word.to_owned()))
}

/// The same for the case at this place, with a number where one before it is called so too.
pub fn called_apart(cases: &[Case], at: usize) -> Option<String> {
    let own = called(cases.get(at)?)?;
    let before = cases.iter().take(at).filter(|case| called(case).as_ref() == Some(&own)).count();
    Some(if before == 0 { own } else { format!("{own} ({})", before + 1) })
}

/// The value and the word that a condition compares, if it does nothing else: `kind_output == 'billing'`.
pub fn compared(when: &Source) -> Option<(&str, &str)> {
    let Source::Text(text) = when else { return None };
    let (value, word) = text.split_once("==")?;
    let (value, word) = (value.trim(), word.trim());
    let quote = word.chars().next().filter(|first| "'\"".contains(*first))?;
    let word = word.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_plain = !word.trim().is_empty() && word.len() <= LONGEST && !word.contains(['\'', '"', '\\']);
    let is_name = |letter: char| is_word(letter) || letter == '.';
    (is_plain && !value.is_empty() && value.chars().all(is_name)).then_some((value, word))
}

/// The words that a prompt asks to choose from: `billing, delivery or other`, or `yes/no`; the longest list of them.
pub fn offered(prompt: &str) -> Vec<String> {
    let parts = match prompt.len() > 2 * EITHER_END {
        false => parts(prompt),
        true => {
            let (begin, _) = prompt.split_at(prompt.floor_char_boundary(EITHER_END));
            let (_, end) = prompt.split_at(prompt.ceil_char_boundary(prompt.len() - EITHER_END));
            // What is left out between them ends a list.
            parts(begin).into_iter().chain([Part::Other]).chain(parts(end)).collect()
        }
    };
    let lists = (0..parts.len()).filter_map(|from| list(parts.get(from..)?));
    let longest =
        lists.fold(Vec::new(), |longest, list| if list.len() > longest.len() { list } else { longest });
    longest.into_iter().map(str::to_owned).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Part<'p> {
    Word(&'p str),
    Comma,
    Slash,
    Other,
}

/// The list that begins here.
fn list<'p>(parts: &[Part<'p>]) -> Option<Vec<&'p str>> {
    let (Part::Word(first), mut rest) = parts.split_first()? else { return None };
    let (mut words, mut is_list) = (vec![*first], false);
    loop {
        rest = match rest {
            [Part::Comma, Part::Word("or"), Part::Word(last), ..]
            | [Part::Word("or"), Part::Word(last), ..] => {
                words.push(last);
                is_list = true;
                break;
            }
            [Part::Comma, Part::Word(next), rest @ ..] => {
                words.push(next);
                rest
            }
            [Part::Slash, Part::Word(next), rest @ ..] => {
                words.push(next);
                is_list = true;
                rest
            }
            _ => break,
        };
    }
    let is_answer = |word: &&str| {
        !SMALL.iter().any(|small| small.eq_ignore_ascii_case(word)) && *word != "or" && word.len() <= LONGEST
    };
    let differ =
        words.iter().enumerate().all(|(at, word)| !words.iter().skip(at + 1).any(|other| other == word));
    (is_list && differ && words.len() <= MOST && words.iter().all(is_answer)).then_some(words)
}

/// Whether a letter can stand in a word. The tables of all scripts are left out: they are larger than all of this.
fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || letter == '_'
        || !(letter.is_ascii() || SIGNS.contains(letter) || QUOTES.contains(letter))
}

const QUOTES: &str = "\"'“”„‘’«»";
const SIGNS: &str = "…–—·¿¡、。，\u{a0}";

/// What a prompt consists of. What stands in a tag is data.
fn parts(prompt: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = prompt;
    while let Some(letter) = rest.chars().next() {
        let is_word = |letter: char| is_word(letter) || letter == '-';
        let length = match letter {
            '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            _ if is_word(letter) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            _ => letter.len_utf8(),
        };
        let (part, behind) = rest.split_at(length);
        match letter {
            _ if letter == ' ' || QUOTES.contains(letter) => {}
            ',' => parts.push(Part::Comma),
            '/' => parts.push(Part::Slash),
            _ if is_word(letter) => parts.push(Part::Word(part)),
            _ => parts.push(Part::Other),
        }
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_prompt_are_those_that_it_lists() {
        for (prompt, words) in [
            (
                "Classify this mail as billing, delivery or other: {{ mail }}",
                vec!["billing", "delivery", "other"],
            ),
            ("Is this request safe or unsafe? {{ a, b or c }}", vec!["safe", "unsafe"]),
            ("Answer yes/no.", vec!["yes", "no"]),
            ("One of “low”, “medium”, or “high”", vec!["low", "medium", "high"]),
            ("Good or bad, and say if it is red, green, blue or none", vec!["red", "green", "blue", "none"]),
            ("Is it about billing, about delivery or about something else?", vec![]),
            ("Write one or two sentences about {{ topic }}, in the style of a b or a b", vec![]),
            ("red, green, blue", vec![]),
            ("Answer with ok or not ok.", vec![]),
            ("same or same", vec![]),
            ("or", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(offered(prompt), words, "{prompt}");
        }
    }

    #[test]
    fn a_long_prompt_lists_its_words_at_the_beginning_or_at_the_end() {
        let long = "ä word, ".repeat(100_000);
        assert_eq!(offered(&format!("Is it red, green or blue? {long}")), ["red", "green", "blue"]);
        assert_eq!(offered(&format!("{long}\nIs it red, green or blue?")), ["red", "green", "blue"]);
    }

    #[test]
    fn cases_of_one_name_are_told_apart() {
        let case = |name: Option<&str>, when: &str| Case {
            name: name.map(str::to_owned),
            when: Source::Text(when.to_owned()),
            steps: Vec::new(),
        };
        let cases = [
            case(Some("late"), "n > 3"),
            case(Some("late"), "n > 2"),
            case(None, "kind == 'late'"),
            case(Some("early"), "n < 1"),
            case(None, "n == 1"),
        ];
        let called = [0, 1, 2, 3, 4, 5].map(|at| called_apart(&cases, at));
        assert_eq!(
            called.each_ref().map(Option::as_deref),
            [Some("late"), Some("late (2)"), Some("late (3)"), Some("early"), None, None]
        );
    }

    #[test]
    fn a_condition_that_compares_with_a_word_is_called_so() {
        let called =
            |when: &str| called(&Case { name: None, when: Source::Text(when.to_owned()), steps: Vec::new() });
        assert_eq!(called("sort_output == 'billing'").as_deref(), Some("billing"));
        assert_eq!(called(" state.kind==\"late mail\" ").as_deref(), Some("late mail"));
        for when in ["true", "n == 1", "a == 'b' or c == 'd'", "a == ''", "a | lower == 'b'", "'a' == 'b'"] {
            assert_eq!(called(when), None, "{when}");
        }
    }
}
