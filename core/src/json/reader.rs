//! Reads JSON texts.
//!
//! What `serde_json` reads too, but that reads any type out of any source, which is twice the code, has a table of powers
//! that nothing packs, and misses the last bit of some numbers.

use std::fmt::{self, Display, Formatter};

use serde_json::{Map, Number, Value};

use crate::decimal;

/// How deep a text from outside may nest.
const DEPTH: usize = 127;

/// Why a text is no JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub cause: Cause,
    line: usize,
    column: usize,
}

/// What is wrong with a text that is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It ends too early.
    End,
    /// It nests too deep.
    Depth,
    /// Something else stands there.
    Syntax(&'static str),
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let what = match self.cause {
            Cause::End => "it ends too early",
            Cause::Depth => "it nests too deep",
            Cause::Syntax(what) => what,
        };
        write!(f, "{what} at line {} column {}", self.line, self.column)
    }
}

/// The value that a text is as JSON. Of keys that stand twice in an object, the last one counts, at the place of the first.
///
/// ```
/// use stepweave_core::json;
///
/// assert_eq!(json::read("[1, 0.5]").ok(), Some(serde_json::json!([1, 0.5])));
/// assert_eq!(json::read("[\n \"a,\n \"b\"]").map_err(|fault| fault.to_string()), Err("a text that begins here is not closed at line 2 column 2".into()));
/// assert_eq!(json::read("[\n tru,\n 1]").map_err(|fault| fault.to_string()), Err("expected value at line 2 column 2".into()));
/// assert_eq!(json::read("[1,\n 2").map_err(|fault| fault.to_string()), Err("it ends too early at line 2 column 2".into()));
/// ```
///
/// # Errors
/// If the text is no JSON, has a number that is too large for one, or nests deeper than anybody writes by hand.
pub fn read(text: &str) -> Result<Value, Fault> {
    read_within(text, DEPTH)
}

/// The value that a text is, which may nest so deep.
pub(crate) fn read_within(text: &str, depth: usize) -> Result<Value, Fault> {
    read_noting(text, depth).map(|(value, _)| value)
}

/// The same, with where a key stands first that its object has already.
pub(crate) fn read_noting(text: &str, depth: usize) -> Result<(Value, Option<Fault>), Fault> {
    let mut reader = Reader { text, at: 0, depth, fault: None, twice: None };
    let value = reader.value();
    reader.visible();
    if reader.at < text.len() {
        reader.refuse("trailing characters");
    }
    match reader.fault {
        None => {
            let twice = Cause::Syntax("a key stands here that its object has already");
            Ok((value, reader.twice.map(|at| located(text, at, twice))))
        }
        Some((at, cause)) => Err(located(text, at, cause)),
    }
}

fn located(text: &str, at: usize, cause: Cause) -> Fault {
    // Where a text ends is its last character.
    let before = text.as_bytes().get(..(at + 1).min(text.len())).unwrap_or_default();
    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
    Fault { cause, line: newlines + 1, column }
}

/// What stands behind the text. Within one, it is refused wherever it stands.
const END: u8 = 0;

/// It never returns halfway: it notes the first fault and goes to the end, where every value that is open ends too, so that
/// what has been read is dropped in one place.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Levels that are left.
    depth: usize,
    /// The first one, and where.
    fault: Option<(usize, Cause)>,
    /// Where a key stands first that its object has already.
    twice: Option<usize>,
}

impl Reader<'_> {
    /// The byte that stands here.
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(END)
    }

    /// The first byte from here on that is no blank.
    fn visible(&mut self) -> u8 {
        while matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
        self.peek()
    }

    /// Whether this stands here, which is passed then.
    fn passes(&mut self, byte: u8) -> bool {
        let is_here = self.peek() == byte;
        self.at += usize::from(is_here);
        is_here
    }

    fn refuse(&mut self, what: &'static str) {
        self.note(if self.at < self.text.len() { Cause::Syntax(what) } else { Cause::End });
    }

    fn note(&mut self, cause: Cause) {
        self.fault.get_or_insert((self.at, cause));
        self.at = self.text.len();
    }

    fn value(&mut self) -> Value {
        match self.visible() {
            b'{' => {
                let mut map = Map::new();
                self.items(b'}', &mut |reader| {
                    reader.visible();
                    let at = reader.at;
                    let key = reader.key();
                    let value = reader.value();
                    if map.insert(key, value).is_some() {
                        reader.twice.get_or_insert(at);
                    }
                });
                Value::Object(map)
            }
            b'[' => {
                let mut list = Vec::new();
                self.items(b']', &mut |reader| list.push(reader.value()));
                Value::Array(list)
            }
            b'"' => Value::String(self.string()),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => {
                self.refuse("expected value");
                Value::Null
            }
        }
    }

    /// What stands between brackets.
    fn items(&mut self, end: u8, item: &mut dyn FnMut(&mut Self)) {
        if self.depth == 0 {
            return self.note(Cause::Depth);
        }
        self.depth -= 1;
        self.at += 1;
        self.visible();
        if !self.passes(end) {
            loop {
                item(self);
                self.visible();
                if self.passes(end) {
                    break;
                }
                if !self.passes(b',') {
                    self.refuse(if end == b'}' { "expected `,` or `}`" } else { "expected `,` or `]`" });
                    break;
                }
            }
        }
        self.depth += 1;
    }

    fn key(&mut self) -> String {
        if self.visible() != b'"' {
            self.refuse("key must be a string");
        }
        let key = self.string();
        self.visible();
        if !self.passes(b':') {
            self.refuse("expected `:`");
        }
        key
    }

    fn word(&mut self, word: &str, value: Value) -> Value {
        let start = self.at;
        if !word.bytes().all(|byte| self.passes(byte)) {
            // It stands where it begins, unless more of it may come.
            if self.at < self.text.len() {
                self.at = start;
            }
            self.refuse("expected value");
        }
        value
    }

    fn number(&mut self) -> Value {
        let start = self.at;
        let is_negative = self.passes(b'-');
        // A 0 at the beginning is all of the whole part.
        let mut digits = if self.passes(b'0') { Some(0) } else { self.digits(Some(0)) };
        let point = self.at;
        if self.passes(b'.') {
            digits = self.digits(digits);
        }
        let fraction = self.at - point;
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if !self.passes(b'-') {
                self.passes(b'+');
            }
            self.digits(None);
            digits = None;
        }
        let number = match digits {
            Some(digits) if fraction > 0 => decimal::usual(digits, fraction - 1)
                .and_then(|number| Number::from_f64(if is_negative { -number } else { number })),
            Some(whole) if !is_negative => Some(whole.into()),
            // `-0` has a sign, which whole numbers have not.
            Some(whole @ 1..) => 0_i64.checked_sub_unsigned(whole).map(Number::from),
            _ => None,
        };
        let any = || decimal::read(self.text.get(start..self.at)?).and_then(Number::from_f64);
        match number.or_else(any) {
            Some(number) => Value::Number(number),
            None => {
                self.at = start;
                self.refuse("number out of range");
                Value::Null
            }
        }
    }

    /// The number whose last digits stand here, if it is not too large.
    fn digits(&mut self, mut number: Option<u64>) -> Option<u64> {
        if !self.peek().is_ascii_digit() {
            self.refuse("invalid number");
        }
        while let digit @ b'0'..=b'9' = self.peek() {
            number = number.and_then(|number| number.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        number
    }

    fn string(&mut self) -> String {
        let mut string = String::new();
        let begin = self.at;
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.bytes().take_while(|byte| !matches!(byte, ..b' ' | b'"' | b'\\')).count();
            string.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            if self.passes(b'\\') {
                string.extend(self.escaped());
            } else {
                if matches!(self.peek(), b'\n' | b'\r') {
                    // Its end is looked for where it begins, and not on the next line.
                    self.at = begin;
                    self.refuse("a text that begins here is not closed");
                } else if !self.passes(b'"') {
                    self.refuse("control character (\\u0000-\\u001F) found while parsing a string");
                }
                return string;
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let escaped = match self.peek() {
            letter @ (b'"' | b'\\' | b'/') => letter,
            b'b' => b'\x08',
            b'f' => b'\x0c',
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.encoded(),
            _ => {
                self.refuse("invalid escape");
                return None;
            }
        };
        self.at += 1;
        Some(char::from(escaped))
    }

    /// A character by its number, which may be in two parts.
    fn encoded(&mut self) -> Option<char> {
        let mut code = self.unit();
        if matches!(code, 0xd800..0xdc00) && self.passes(b'\\') {
            code = match self.unit() {
                low @ 0xdc00..0xe000 => 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00),
                _ => code,
            };
        }
        let letter = char::from_u32(code);
        if letter.is_none() {
            self.refuse("lone surrogate");
        }
        letter
    }

    fn unit(&mut self) -> u32 {
        if !self.passes(b'u') {
            self.refuse("lone surrogate");
        }
        let mut unit = 0;
        for _ in 0..4 {
            match char::from(self.peek()).to_digit(16) {
                Some(digit) => {
                    unit = unit * 16 + digit;
                    self.at += 1;
                }
                None => self.refuse("invalid escape"),
            }
        }
        unit
    }
}

#[cfg(test)]
mod tests;
