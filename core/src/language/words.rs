//! What the pieces of a source are, for whoever shows it: the lexer's tokens, distinguished by what stands before them.

use super::lexer::{Lexer, Tag, Token};
use super::parser::{CONSTANTS, OPERATORS};
use super::tree::Span;

/// What a piece of a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// `{{`, `%}` and the other ends of tags.
    Tag,
    /// `if`, `for`, `and` and the other words of the language.
    Keyword,
    /// A name of the state, or one that the text itself gives a value.
    Name,
    /// What stands behind a point.
    Member,
    /// What stands behind `|`.
    Filter,
    /// What stands behind `is`.
    Test,
    /// What stands between quotes, with these.
    Text,
    /// A number.
    Number,
    /// `true`, `none` and the like.
    Constant,
    /// An operator, a bracket or a comma.
    Symbol,
    /// What stands between `{#` and `#}`, with these.
    Comment,
}

impl Word {
    /// The pieces of an expression, up to the first that cannot be read.
    ///
    /// ```
    /// use stepweave_core::language::Word;
    /// let words: Vec<_> = Word::of_expression("user.name | upper").into_iter().map(|(word, _)| word).collect();
    /// assert_eq!(words, [Word::Name, Word::Symbol, Word::Member, Word::Symbol, Word::Filter]);
    /// ```
    pub fn of_expression(source: &str) -> Vec<(Self, Span)> {
        read(Lexer::of_expression(source), source)
    }

    /// The pieces of a template's tags, and its comments, up to the first that cannot be read.
    pub fn of_template(source: &str) -> Vec<(Self, Span)> {
        read(Lexer::of_template(source), source)
    }
}

fn read<'s>(mut lexer: Lexer<'s>, source: &'s str) -> Vec<(Word, Span)> {
    let mut found = Vec::new();
    let mut end = 0;
    let mut before = [Token::End; 2];
    while let Ok((token, span)) = lexer.next() {
        if let Some(skipped) = source.get(end..span.start as usize) {
            between(skipped, end, &mut found);
        }
        end = span.end as usize;
        let word = match token {
            Token::End => break,
            Token::Plain => None,
            Token::Open(_) | Token::Close(_) => Some(Word::Tag),
            Token::Text(_) => Some(Word::Text),
            Token::Integer(_) | Token::Float(_) => Some(Word::Number),
            Token::Symbol(_) => Some(Word::Symbol),
            Token::Word(text) => Some(match before {
                [_, Token::Symbol(".")] => Word::Member,
                [_, Token::Symbol("|")] => Word::Filter,
                [_, Token::Open(Tag::Statement)] => Word::Keyword,
                _ if OPERATORS.contains(&text) => Word::Keyword,
                [_, Token::Word("is")] | [Token::Word("is"), Token::Word("not")] => Word::Test,
                _ if CONSTANTS.contains(&text) && text != "loop" => Word::Constant,
                _ => Word::Name,
            }),
        };
        found.extend(word.map(|word| (word, span)));
        let [_, last] = before;
        before = [last, token];
    }
    found
}

/// What the lexer leaves out between tags: comments, and the tags around text that is not read.
fn between(skipped: &str, start: usize, found: &mut Vec<(Word, Span)>) {
    let mut at = 0;
    while let Some(rest) = skipped.get(at..)
        && let Some(opening) = rest.find('{')
    {
        let tag = rest.get(opening..).unwrap_or_default();
        let (word, ending) = if tag.starts_with("{#") { (Word::Comment, "#}") } else { (Word::Tag, "%}") };
        let Some(length) = tag.find(ending) else { return };
        let begin = start + at + opening;
        found.push((word, Span::new(begin, begin + length + ending.len())));
        at += opening + length + ending.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: Vec<(Word, Span)>, source: &str) -> Vec<String> {
        words.iter().map(|(word, span)| format!("{word:?} {}", span.of(source))).collect()
    }

    #[test]
    fn a_word_is_known_by_what_stands_before_it() {
        let source = "a.b | join('x') is not none and true";
        let expected = [
            "Name a",
            "Symbol .",
            "Member b",
            "Symbol |",
            "Filter join",
            "Symbol (",
            "Text 'x'",
            "Symbol )",
            "Keyword is",
            "Keyword not",
            "Test none",
            "Keyword and",
            "Constant true",
        ];
        assert_eq!(said(Word::of_expression(source), source), expected);
    }

    #[test]
    fn a_template_has_tags_comments_and_text_that_is_not_read() {
        let source = "Hi {# not {{ this }} #}{{- größe -}} and {% raw %}{{ x }}{% endraw %}{% for i in 1 %}";
        let expected = [
            "Comment {# not {{ this }} #}",
            "Tag {{-",
            "Name größe",
            "Tag -}}",
            "Tag {% raw %}",
            "Tag {% endraw %}",
            "Tag {%",
            "Keyword for",
            "Name i",
            "Keyword in",
            "Number 1",
            "Tag %}",
        ];
        assert_eq!(said(Word::of_template(source), source), expected);
    }

    #[test]
    fn what_cannot_be_read_ends_the_list() {
        assert_eq!(said(Word::of_expression("a + 'open"), "a + 'open"), ["Name a", "Symbol +"]);
        assert_eq!(said(Word::of_template("{{ a ? b }}"), "{{ a ? b }}"), ["Tag {{", "Name a"]);
        assert_eq!(said(Word::of_template("{# open"), "{# open"), [] as [&str; 0]);
    }
}
