//! Where something stands in the text of a document.

use std::ops::Range;

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, where that is known.
    pub column: Option<usize>,
    /// What stands there, in bytes; nothing at the end of a text.
    pub span: Range<usize>,
}

/// Where a problem is, and its message without that: the place that a message about JSON names, or that of the problem's
/// path.
pub fn place_of(text: &str, path: &str, message: &str) -> (Place, String) {
    match place_in(message) {
        Some((line, column, message)) => {
            let missed = if is_missing(message) {
                behind_last(text, line, column)
            } else if message.ends_with(HALF_A_WORD) {
                word_before(text, line, column)
            } else {
                None
            };
            let place = missed.unwrap_or_else(|| Place {
                line,
                column: Some(column),
                span: word_at(text, line, column),
            });
            (place, message.to_owned())
        }
        None => {
            let span = span_of(text, path);
            let line = text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1;
            (Place { line, column: None, span }, message.to_owned())
        }
    }
}

/// The word of a text of JSON at a line and a column, both from 1, as messages about JSON name them.
fn word_at(text: &str, line: usize, column: usize) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (before + column.saturating_sub(1)).min(text.len());
    let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    at..Scan { text, at }.word()
}

/// What a line takes of the text, without its end.
pub fn span_of_line(text: &str, line: usize) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let own = text.get(before..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
    before..before + own
}

/// What shows the value of a path such as `steps[2].cases[0].when`, or the innermost one that is there where the path
/// leads on: the value itself, or where that takes many lines its key. An object in a list has no key, and shows by its
/// first member.
fn span_of(text: &str, path: &str) -> Range<usize> {
    let mut scan = Scan { text, at: 0 };
    scan.blank();
    let (mut key, mut value) = (None, scan.at);
    for wanted in keys_of(path) {
        match scan.enter(&wanted) {
            Some((named, at)) => (key, value) = (named, at),
            None => break,
        }
    }
    let mut scan = Scan { text, at: value };
    match (scan.byte(), key) {
        (Some(b'{' | b'['), Some(key)) => key,
        (Some(b'{'), None) if value > 0 => scan.first_member().unwrap_or(value..value + 1),
        _ => value..scan.word(),
    }
}

/// The line and the column that a message about JSON names, and the message before them.
fn place_in(message: &str) -> Option<(usize, usize, &str)> {
    let (before, rest) = message.rsplit_once(" at line ")?;
    let (line, column) = rest.split_once(" column ")?;
    let line: usize = line.parse().ok()?;
    let column: usize = column.trim_end().parse().ok()?;
    Some((line.max(1), column.max(1), before))
}

/// Whether a message says that something is missing between two others.
fn is_missing(message: &str) -> bool {
    message.ends_with("expected `:`") || message.contains("expected `,` or ")
}

/// The place behind the last thing that stands before another place, if that is on an earlier line: there a comma or a
/// colon is missing. The last thing shows it.
fn behind_last(text: &str, line: usize, column: usize) -> Option<Place> {
    let before = text.get(..word_at(text, line, column).start)?.trim_end();
    let (above, last) = before.rsplit_once('\n').unwrap_or(("", before));
    let own = before.split('\n').count();
    let mut scan = Scan { text: before, at: if own > 1 { above.len() + 1 } else { 0 } };
    let mut span = scan.at..before.len();
    while scan.at < before.len() {
        scan.blank();
        span = scan.at..scan.word();
        scan.at = span.end.max(scan.at + 1);
    }
    (own < line && !last.is_empty()).then(|| Place { line: own, column: Some(last.len() + 1), span })
}

/// What is said of `tru`, at whatever stands behind it.
const HALF_A_WORD: &str = "expected ident";

/// The place of the word that stands before another place.
fn word_before(text: &str, line: usize, column: usize) -> Option<Place> {
    let before = text.get(..word_at(text, line, column).start)?.trim_end();
    let rest = before.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let own = rest.rsplit('\n').next().unwrap_or_default();
    let line = rest.split('\n').count();
    (rest.len() < before.len()).then(|| Place {
        line,
        column: Some(own.len() + 1),
        span: rest.len()..before.len(),
    })
}

/// The keys of a path, as the validator writes it.
fn keys_of(path: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let end = match inner.strip_prefix('"') {
                Some(quoted) => quoted.find("\"]").map(|at| at + 2),
                None => inner.find(']'),
            };
            let Some((key, after)) = end.and_then(|end| Some((inner.get(..end)?, inner.get(end + 1..)?)))
            else {
                break;
            };
            keys.push(serde_json::from_str::<String>(key).unwrap_or_else(|_| key.to_owned()));
            rest = after;
        } else {
            let plain = rest.strip_prefix('.').unwrap_or(rest);
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            let (key, after) = plain.split_at(end);
            if key.is_empty() {
                break;
            }
            keys.push(key.to_owned());
            rest = after;
        }
    }
    keys
}

/// Walks along JSON, which need not be whole: what cannot be read ends the walk.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl Scan<'_> {
    /// Goes to the value of a key, or of an index, of the value here. Gives where the key stands, and where the value does.
    fn enter(&mut self, key: &str) -> Option<(Option<Range<usize>>, usize)> {
        self.blank();
        match self.byte()? {
            b'{' => {
                self.at += 1;
                loop {
                    self.blank();
                    if self.byte()? == b'}' {
                        return None;
                    }
                    let named = self.key()?;
                    let name: String = serde_json::from_str(self.text.get(named.clone())?).ok()?;
                    if name == key {
                        return Some((Some(named), self.at));
                    }
                    self.value()?;
                    self.blank();
                    self.expect(b',')?;
                }
            }
            b'[' => {
                self.at += 1;
                for _ in 0..key.parse::<usize>().ok()? {
                    self.blank();
                    self.value()?;
                    self.blank();
                    self.expect(b',')?;
                }
                self.blank();
                (self.byte()? != b']').then_some((None, self.at))
            }
            _ => None,
        }
    }

    /// Passes a key, and stands at its value then.
    fn key(&mut self) -> Option<Range<usize>> {
        let begin = self.at;
        self.string()?;
        let named = begin..self.at;
        self.blank();
        self.expect(b':')?;
        self.blank();
        Some(named)
    }

    /// The first member of the object here, as far as it stands on one line.
    fn first_member(&mut self) -> Option<Range<usize>> {
        self.expect(b'{')?;
        self.blank();
        let named = self.key()?;
        let end = if matches!(self.byte()?, b'{' | b'[') { named.end } else { self.word() };
        Some(named.start..end)
    }

    /// Where the word here ends: a text, a bracket, or what stands before the next one.
    fn word(&mut self) -> usize {
        let begin = self.at;
        match self.byte() {
            Some(b'"') => {
                let line = self.text.get(begin..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
                self.string().map_or(begin + line, |()| self.at.min(begin + line))
            }
            Some(b'{' | b'}' | b'[' | b']' | b',' | b':') => begin + 1,
            Some(_) => {
                self.plain();
                self.at
            }
            None => begin,
        }
    }

    /// Passes what is neither a text nor a bracket.
    fn plain(&mut self) {
        while self.byte().is_some_and(|byte| !b",:]}{[\" \n\r\t".contains(&byte)) {
            self.at += 1;
        }
    }

    /// Passes a value, without recursion: brackets are counted.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.byte()? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                _ => self.plain(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        loop {
            match self.byte()? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }

    fn blank(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then(|| self.at += 1)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n  \"name\": \"a \\\" } b\",\n  \"agents\": {\n    \"my agent\": { \"model\": \"m\" }\n  },\n  \"steps\": [\n    { \"id\": \"s1\" },\n    {\n      \"id\": \"s2\",\n      \"cases\": [{ \"when\": \"x\" }]\n    }\n  ]\n}";

    /// The line of a path, and what shows it there.
    fn shown<'t>(text: &'t str, path: &str) -> (usize, &'t str) {
        let place = place_of(text, path, "").0;
        (place.line, &text[place.span])
    }

    #[test]
    fn paths_lead_to_what_stands_there() {
        assert_eq!(shown(TEXT, ""), (1, "{"));
        assert_eq!(shown(TEXT, "name"), (2, r#""a \" } b""#));
        assert_eq!(shown(TEXT, "agents[\"my agent\"].model"), (4, "\"m\""));
        assert_eq!(shown(TEXT, "steps[0].id"), (7, "\"s1\""));
        // What takes many lines shows by its key, or by its first member.
        assert_eq!(shown(TEXT, "agents[\"my agent\"]"), (4, "\"my agent\""));
        assert_eq!(shown(TEXT, "steps[1]"), (9, "\"id\": \"s2\""));
        assert_eq!(shown(TEXT, "steps[1].cases[0].when"), (10, "\"x\""));
        // What is not there: the innermost that is.
        assert_eq!(shown(TEXT, "steps[1].agent"), (9, "\"id\": \"s2\""));
        assert_eq!(shown(TEXT, "steps[7]"), (6, "\"steps\""));
        assert_eq!(shown("{ \"steps\": [", "steps[0].x"), (1, "\"steps\""));
        assert_eq!(shown("[{}]", "[0].x"), (1, "{"));
        assert_eq!(shown("", "steps"), (1, ""));
        assert_eq!(shown("{\"a\": \"\\", "a.b[\"c"), (1, "\"\\"));
        assert_eq!(shown("{\"a\": \"ä\n\"}", "a"), (1, "\"ä"));
    }

    #[test]
    fn lines_have_spans() {
        assert_eq!(span_of_line("ab\ncd\n", 2), 3..5);
        assert_eq!(span_of_line("ab", 1), 0..2);
        assert_eq!(span_of_line("ab", 9), 2..2);
    }

    #[test]
    fn a_message_may_name_its_place() {
        let (place, message) =
            place_of("{\n  \"a\" \"b\"", "", "this is not JSON: expected `:` at line 2 column 7");
        let at = Place { line: 2, column: Some(7), span: 8..11 };
        assert_eq!((place, message.as_str()), (at, "this is not JSON: expected `:`"));
        // What is missing is missed behind the last thing.
        let (place, _) =
            place_of("{\n  \"oops\"\n}", "", "this is not JSON: expected `:` at line 3 column 1");
        assert_eq!(place, Place { line: 2, column: Some(9), span: 4..10 });
        for (text, message) in [
            ("{ \"a\":\n  tru\n}", "expected ident at line 3 column 0"),
            ("[\n  tru]", "expected ident at line 2 column 6"),
        ] {
            let (place, _) = place_of(text, "", message);
            assert_eq!((place.line, place.column, &text[place.span]), (2, Some(3), "tru"));
        }
        let (place, _) = place_of("", "", "this is not JSON: EOF while parsing a value at line 1 column 0");
        assert_eq!((place.line, place.column), (1, Some(1)));
        let (place, _) = place_of("{", "", "this is not JSON: it ends too early at line 3 column 14");
        assert_eq!((place.line, place.span), (3, 1..1));
        let (place, message) = place_of(TEXT, "steps[0].id", "a key is missing");
        assert_eq!((place.line, place.column, message.as_str()), (7, None, "a key is missing"));
        assert_eq!(word_at("äö", 1, 2), 0..4);
        assert_eq!(word_at("", 9, 9), 0..0);
    }
}
