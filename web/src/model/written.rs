//! Where something stands in the text of a document.

use std::ops::Range;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, where that is known.
    pub column: Option<usize>,
}

/// Where a problem is, and its message without that: the place that a message about JSON names, or the line of the
/// problem's path.
pub fn place_of(text: &str, path: &str, message: &str) -> (Place, String) {
    match place_in(message) {
        Some((place, message)) => (place, message.to_owned()),
        None => (Place { line: line_of(text, path), column: None }, message.to_owned()),
    }
}

/// The line, from 1, on which the value of a path such as `steps[2].cases[0].when` begins; of the innermost one that is
/// there, where the path leads on.
fn line_of(text: &str, path: &str) -> usize {
    let wanted = keys_of(path);
    let mut scan = Scan { text, at: 0 };
    let mut found = scan.beginning();
    for key in wanted {
        match scan.enter(&key) {
            Some(at) => found = at,
            None => break,
        }
    }
    text.bytes().take(found).filter(|byte| *byte == b'\n').count() + 1
}

/// What a line takes of the text, without its end.
pub fn span_of_line(text: &str, line: usize) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let own = text.get(before..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
    before..before + own
}

/// The line and the column that a message about JSON names, and the message before them.
fn place_in(message: &str) -> Option<(Place, &str)> {
    let (before, rest) = message.rsplit_once(" at line ")?;
    let (line, column) = rest.split_once(" column ")?;
    let line: usize = line.parse().ok()?;
    Some((Place { line: line.max(1), column: Some(column.trim_end().parse().ok()?) }, before))
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
    fn beginning(&mut self) -> usize {
        self.blank();
        self.at
    }

    /// Goes to the value of a key, or of an index, of the value here.
    fn enter(&mut self, key: &str) -> Option<usize> {
        self.blank();
        match self.byte()? {
            b'{' => {
                self.at += 1;
                loop {
                    self.blank();
                    if self.byte()? == b'}' {
                        return None;
                    }
                    let begin = self.at;
                    self.string()?;
                    let name: String = serde_json::from_str(self.text.get(begin..self.at)?).ok()?;
                    self.blank();
                    self.expect(b':')?;
                    self.blank();
                    if name == key {
                        return Some(self.at);
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
                (self.byte()? != b']').then_some(self.at)
            }
            _ => None,
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
                _ => {
                    while self.byte().is_some_and(|byte| !b",:]}{[\" \n\r\t".contains(&byte)) {
                        self.at += 1;
                    }
                }
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

    #[test]
    fn paths_lead_to_lines() {
        assert_eq!(line_of(TEXT, ""), 1);
        assert_eq!(line_of(TEXT, "name"), 2);
        assert_eq!(line_of(TEXT, "agents[\"my agent\"].model"), 4);
        assert_eq!(line_of(TEXT, "steps[0].id"), 7);
        assert_eq!(line_of(TEXT, "steps[1]"), 8);
        assert_eq!(line_of(TEXT, "steps[1].cases[0].when"), 10);
        // What is not there: the innermost that is.
        assert_eq!(line_of(TEXT, "steps[1].agent"), 8);
        assert_eq!(line_of(TEXT, "steps[7]"), 6);
        assert_eq!(line_of("{ \"steps\": [", "steps[0].x"), 1);
        assert_eq!(line_of("", "steps"), 1);
        assert_eq!(line_of("{\"a\": \"\\", "a.b[\"c"), 1);
    }

    #[test]
    fn lines_have_spans() {
        assert_eq!(span_of_line("ab\ncd\n", 2), 3..5);
        assert_eq!(span_of_line("ab", 1), 0..2);
        assert_eq!(span_of_line("ab", 9), 2..2);
    }

    #[test]
    fn a_message_may_name_its_place() {
        let (place, message) = place_of("{", "", "this is not JSON: expected `,` at line 3 column 14");
        assert_eq!(
            (place, message.as_str()),
            (Place { line: 3, column: Some(14) }, "this is not JSON: expected `,`")
        );
        let (place, message) = place_of(TEXT, "steps[0].id", "a key is missing");
        assert_eq!((place, message.as_str()), (Place { line: 7, column: None }, "a key is missing"));
    }
}
