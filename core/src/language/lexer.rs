//! A text taken apart into tokens. Outside of tags everything is plain text.

use super::tree::{Span, SyntaxError};
use crate::decimal;
use crate::letters;

/// The smallest unit of the source that has a meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'s> {
    /// What stands outside of tags.
    Plain,
    /// `{{` or `{%`.
    Open(Tag),
    /// `}}` or `%}`.
    Close(Tag),
    /// A name or a word of the language.
    Word(&'s str),
    /// What stands between two quotes, with its escapes.
    Text(&'s str),
    Integer(i64),
    Float(f64),
    /// An operator, a bracket or a comma.
    Symbol(&'static str),
    End,
}

/// What a tag is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Value,
    Statement,
}

impl Tag {
    fn end(self) -> &'static str {
        match self {
            Tag::Value => "}}",
            Tag::Statement => "%}",
        }
    }
}

/// Those of two characters before what they begin with.
const SYMBOLS: [&str; 26] = [
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "*", "/", "%", ".", ",", ":", "~", "|", "=", ">", "<", "(",
    ")", "[", "]", "{", "}", "",
];

/// Reads one token after the other.
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
    mode: Mode,
    /// Brackets that are open in this tag: in `{{ {'a': {}} }}` the first `}}` ends no tag.
    brackets: usize,
    /// Whether the tag before this takes the white space behind it away.
    trims: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Plain,
    Tag(Tag),
    Expression,
}

impl<'s> Lexer<'s> {
    pub(super) fn of_template(source: &'s str) -> Self {
        // An editor ends a file with a line break that nobody wrote.
        let source = source.strip_suffix('\n').unwrap_or(source);
        let source = source.strip_suffix('\r').unwrap_or(source);
        Self { source, at: 0, mode: Mode::Plain, brackets: 0, trims: false }
    }

    pub(super) fn of_expression(source: &'s str) -> Self {
        Self { source, at: 0, mode: Mode::Expression, brackets: 0, trims: false }
    }

    /// The next token and where it stands.
    pub(super) fn next(&mut self) -> Result<(Token<'s>, Span), SyntaxError> {
        let tag = match self.mode {
            Mode::Plain => return self.plain(),
            Mode::Tag(tag) => Some(tag),
            Mode::Expression => None,
        };
        let rest = self.rest().trim_ascii_start();
        self.at = self.source.len() - rest.len();
        if rest.is_empty() {
            return Ok((Token::End, self.span_from(self.at)));
        }
        if let Some(tag) = tag.filter(|_| self.brackets == 0)
            && let Some((length, trims)) = end_of_tag(rest, tag.end())
        {
            (self.mode, self.trims) = (Mode::Plain, trims);
            return Ok(self.take(length, |_| Token::Close(tag)));
        }
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)).copied().unwrap_or_default();
        match symbol {
            "" => {}
            "(" | "[" | "{" => self.brackets += 1,
            ")" | "]" | "}" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        match rest.bytes().next() {
            _ if !symbol.is_empty() => Ok(self.take(symbol.len(), |_| Token::Symbol(symbol))),
            Some(quote @ (b'"' | b'\'')) => self.text(rest, quote),
            Some(b'0'..=b'9') => self.number(rest),
            _ => match letters::length(rest) {
                0 => Err(self.unknown_character()),
                length => Ok(self.take(length, Token::Word)),
            },
        }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: usize, token: impl FnOnce(&'s str) -> Token<'s>) -> (Token<'s>, Span) {
        let begin = self.at;
        let text = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        (token(text), self.span_from(begin))
    }

    fn span_from(&self, begin: usize) -> Span {
        Span::new(begin, self.at)
    }

    fn unknown_character(&self) -> SyntaxError {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.at, self.at + length);
        SyntaxError::new(format!("unexpected character `{}`", span.of(self.source)), span)
    }

    fn no_number(&self, length: usize, message: &str) -> SyntaxError {
        SyntaxError::new(message.to_owned(), Span::new(self.at, self.at + length))
    }

    /// What begins here does not end.
    fn endless(&self, message: &str) -> SyntaxError {
        SyntaxError::new(message.to_owned(), Span::new(self.at, self.source.len()))
    }

    /// What stands before the next tag, or its beginning.
    fn plain(&mut self) -> Result<(Token<'s>, Span), SyntaxError> {
        loop {
            if std::mem::take(&mut self.trims) {
                self.at = self.source.len() - self.rest().trim_start().len();
            }
            let rest = self.rest();
            let begins = |&(at, _): &(usize, &str)| {
                rest.get(at + 1..).is_some_and(|next| next.starts_with(['{', '%', '#']))
            };
            let Some((before, _)) = rest.match_indices('{').find(begins) else {
                return Ok(match rest {
                    "" => (Token::End, self.span_from(self.at)),
                    _ => self.take(rest.len(), |_| Token::Plain),
                });
            };
            let (text, tag) = rest.split_at_checked(before).unwrap_or_default();
            let (opening, behind) = tag.split_at_checked(2).unwrap_or_default();
            let marker = behind.starts_with(['-', '+']);
            let kept = if behind.starts_with('-') { text.trim_end() } else { text };
            if !kept.is_empty() {
                let found = self.take(kept.len(), |_| Token::Plain);
                self.at += text.len() - kept.len();
                return Ok(found);
            }
            self.at += text.len();
            let skipped = 2 + usize::from(marker);
            let inside = tag.get(skipped..).unwrap_or_default();
            let kind = match opening {
                "{{" => Tag::Value,
                "{%" => match word_tag(inside, "raw") {
                    None => Tag::Statement,
                    Some((length, trims)) => match self.raw(skipped + length, trims)? {
                        Some(raw) => return Ok(raw),
                        None => continue,
                    },
                },
                _ => {
                    let comment = inside.split_once("#}").map(|(comment, _)| comment);
                    let Some(comment) = comment else {
                        return Err(self.endless("unexpected end of comment"));
                    };
                    self.trims = comment.ends_with('-');
                    self.at += skipped + comment.len() + 2;
                    continue;
                }
            };
            (self.mode, self.brackets) = (Mode::Tag(kind), 0);
            return Ok(self.take(skipped, |_| Token::Open(kind)));
        }
    }

    /// What stands between `{% raw %}` and `{% endraw %}`, if anything does.
    fn raw(&mut self, tag: usize, trims: bool) -> Result<Option<(Token<'s>, Span)>, SyntaxError> {
        self.at += tag;
        let rest = self.rest();
        for (end, _) in rest.match_indices("{%") {
            let (text, closing) = rest.split_at_checked(end).unwrap_or_default();
            let closing = closing.get(2..).unwrap_or_default();
            let marked = closing.strip_prefix(['-', '+']).unwrap_or(closing);
            let Some((length, trims_behind)) = word_tag(marked, "endraw") else { continue };
            let begun = if trims { text.trim_start() } else { text };
            let kept = if closing.starts_with('-') { begun.trim_end() } else { begun };
            let begin = self.at + text.len() - begun.len();
            self.at += end + 2 + (closing.len() - marked.len()) + length;
            self.trims = trims_behind;
            return Ok((!kept.is_empty()).then(|| (Token::Plain, Span::new(begin, begin + kept.len()))));
        }
        Err(self.endless("unexpected end of raw block"))
    }

    fn text(&mut self, rest: &'s str, quote: u8) -> Result<(Token<'s>, Span), SyntaxError> {
        let mut is_escaped = false;
        let end = rest.bytes().skip(1).position(|byte| match byte {
            _ if is_escaped => {
                is_escaped = false;
                false
            }
            b'\\' => {
                is_escaped = true;
                false
            }
            byte => byte == quote,
        });
        let Some(length) = end else { return Err(self.endless("unexpected end of string")) };
        Ok(self.take(length + 2, |text| Token::Text(text.get(1..=length).unwrap_or_default())))
    }

    fn number(&mut self, rest: &'s str) -> Result<(Token<'s>, Span), SyntaxError> {
        // In `xs.1.0` the first of the two is an index.
        let is_index = self.source.get(..self.at).is_some_and(|before| before.ends_with('.'));
        let (length, kind) = measure(rest, is_index);
        let digits = rest.get(..length).unwrap_or_default().replace('_', "");
        let whole = match kind {
            Number::Radix(radix) => {
                let digits = digits.get(2..).unwrap_or_default();
                i64::from_str_radix(digits, radix).ok().or_else(|| digits.is_empty().then_some(-1))
            }
            _ => digits.parse().ok(),
        };
        let ended = rest.get(..length).is_some_and(|digits| digits.ends_with('_'));
        let token = match (whole, kind) {
            _ if ended => return Err(self.no_number(length, "'_' may not occur at end of number")),
            (Some(0..), Number::Radix(_) | Number::Whole) => whole.map(Token::Integer),
            (_, Number::Radix(_)) => None,
            _ => decimal::read(&digits).map(Token::Float),
        };
        match token {
            Some(token) => Ok(self.take(length, |_| token)),
            None => Err(self.no_number(length, "this is no number")),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Number {
    Radix(u32),
    Whole,
    Fraction,
}

/// How long the number is with which this begins.
fn measure(rest: &str, is_index: bool) -> (usize, Number) {
    let radix = match rest.get(..2) {
        Some("0b" | "0B") => 2,
        Some("0o" | "0O") => 8,
        Some("0x" | "0X") => 16,
        _ => 10,
    };
    let run = |from: usize, radix: u32| {
        let digits = rest.get(from..).unwrap_or_default();
        let end = digits.find(|letter: char| !letter.is_digit(radix) && letter != '_');
        from + end.unwrap_or(digits.len())
    };
    if radix != 10 {
        return (run(2, radix.max(10)), Number::Radix(radix));
    }
    let (mut length, mut kind) = (run(0, 10), Number::Whole);
    let begins = |at: usize, letters: &[char]| rest.get(at..).is_some_and(|rest| rest.starts_with(letters));
    if begins(length, &['.']) && !is_index {
        let behind = rest.get(length + 1..).unwrap_or_default();
        let exponent = behind.starts_with(['e', 'E'])
            && behind.get(1..).is_some_and(|next| {
                next.starts_with(|it: char| it.is_ascii_digit() || it == '+' || it == '-')
            });
        if exponent || letters::length(behind) == 0 {
            (length, kind) = (run(length + 1, 10), Number::Fraction);
        }
    }
    if begins(length, &['e', 'E']) {
        let sign = usize::from(begins(length + 1, &['+', '-']));
        (length, kind) = (run(length + 1 + sign, 10), Number::Fraction);
    }
    (length, kind)
}

/// The length of the end of a tag with which this begins, and whether it takes the white space behind it away.
fn end_of_tag(rest: &str, end: &str) -> Option<(usize, bool)> {
    let marked = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    marked.starts_with(end).then(|| (rest.len() - marked.len() + end.len(), rest.starts_with('-')))
}

/// The rest of a tag that is this word alone: its length, and whether it takes the white space behind it away.
fn word_tag(inside: &str, word: &str) -> Option<(usize, bool)> {
    let rest = inside.trim_ascii_start().strip_prefix(word)?.trim_ascii_start();
    let (length, trims) = end_of_tag(rest, "%}")?;
    Some((inside.len() - rest.len() + length, trims))
}
