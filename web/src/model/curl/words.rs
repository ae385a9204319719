//! The words of a command, as a POSIX shell splits them. Nothing is expanded and nothing is run.

use std::iter::Peekable;
use std::str::Chars;

/// What ends a command for a shell, outside of quotes.
const ENDS: [char; 6] = ['|', ';', '&', '<', '>', '\n'];

/// The words of the first command, and whether more stands behind it.
///
/// # Errors
/// When a quote is not closed.
pub(super) fn words(text: &str) -> Result<(Vec<String>, bool), String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => match rest.next() {
                Some('\n') => {}
                Some('\r') => drop(rest.next_if_eq(&'\n')),
                Some(next) => word.get_or_insert_default().push(next),
                None => {}
            },
            '\'' => single(&mut rest, word.get_or_insert_default())?,
            '"' => double(&mut rest, word.get_or_insert_default())?,
            '$' if rest.next_if_eq(&'\'').is_some() => ansi(&mut rest, word.get_or_insert_default())?,
            end if ENDS.contains(&end) => {
                words.extend(word.take());
                if end != '\n' || !words.is_empty() {
                    return Ok((words, rest.any(|letter| !letter.is_whitespace())));
                }
            }
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok((words, false))
}

const OPEN: &str = "A quote is not closed: paste the whole command.";

fn single(rest: &mut Peekable<Chars<'_>>, word: &mut String) -> Result<(), String> {
    loop {
        match rest.next().ok_or(OPEN)? {
            '\'' => return Ok(()),
            letter => word.push(letter),
        }
    }
}

fn double(rest: &mut Peekable<Chars<'_>>, word: &mut String) -> Result<(), String> {
    loop {
        match rest.next().ok_or(OPEN)? {
            '"' => return Ok(()),
            '\\' => match rest.next().ok_or(OPEN)? {
                '\n' => {}
                special @ ('"' | '\\' | '$' | '`') => word.push(special),
                other => word.extend(['\\', other]),
            },
            letter => word.push(letter),
        }
    }
}

/// `$'…'`, as browsers copy texts with line breaks.
fn ansi(rest: &mut Peekable<Chars<'_>>, word: &mut String) -> Result<(), String> {
    loop {
        match rest.next().ok_or(OPEN)? {
            '\'' => return Ok(()),
            '\\' => match rest.next().ok_or(OPEN)? {
                'n' => word.push('\n'),
                'r' => word.push('\r'),
                't' => word.push('\t'),
                'u' => word.extend(numbered(rest, 4)),
                'x' => word.extend(numbered(rest, 2)),
                other => word.push(other),
            },
            letter => word.push(letter),
        }
    }
}

/// The letter of a number in up to so many digits.
fn numbered(rest: &mut Peekable<Chars<'_>>, digits: usize) -> Option<char> {
    let mut number = 0;
    for _ in 0..digits {
        let Some(digit) = rest.peek().and_then(|letter| letter.to_digit(16)) else { break };
        number = number * 16 + digit;
        rest.next();
    }
    char::from_u32(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let split = |text: &str| words(text).map(|(words, _)| words);
        assert_eq!(split("curl  'a b' \"c\\\"d\" e\\ f\\\n g").unwrap(), ["curl", "a b", "c\"d", "e f", "g"]);
        assert_eq!(split("a'b'\"c\" '' $'x\\n\\u00fc\\'y'").unwrap(), ["abc", "", "x\nü'y"]);
        assert_eq!(words("\n curl a | sh").unwrap(), (vec!["curl".to_owned(), "a".to_owned()], true));
        for open in ["curl 'a", "curl \"a", "curl $'a\\'", "curl \"a\\"] {
            assert!(split(open).is_err(), "{open}");
        }
    }
}
