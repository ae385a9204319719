//! The reader beside that of `serde_json`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

use super::*;

/// Texts, valid ones and broken ones.
const TEXTS: u32 = 120_000;

/// What texts are made of.
const PIECES: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "true",
    "false",
    "tru",
    "nul!",
    " ",
    "\n",
    "\r\n\t",
    "\u{a0}",
    "\0",
    "0",
    "-",
    "-0",
    "01",
    "17",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1.",
    "0.1",
    "1.5e3",
    "1E-7",
    "2e+",
    "1e400",
    "0e999",
    "1e-400",
    "\"a\"",
    "\"a\"",
    "\"größe\"",
    r#""\ud83d\ude00""#,
    r#""\u00e9\n\/""#,
    r#""\ud83d""#,
    r#""\ude00\u0041""#,
    r#""\x""#,
    "\"\u{1f}\"",
];

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn piece(&mut self) -> &'static str {
        PIECES[self.below(PIECES.len())]
    }

    /// A text that is JSON.
    fn valid(&mut self, depth: usize, text: &mut String) {
        let blank = [" ", "", "\n", "", ""][self.below(5)];
        text.push_str(blank);
        let length = self.below(4);
        match self.below(if depth == 0 { 3 } else { 6 }) {
            0 => text.push_str(
                ["null", "true", "false", "\"\"", "-0", "-0.0", "1e5", "9007199254740993"][self.below(8)],
            ),
            1 => text.push_str(&format!("{}", self.below(1 << 30) as f64 / 1024.0)),
            2 => text.push_str(
                [r#""a b""#, r#""\"\\\/\b\f\n\r\t""#, r#""\ud83d\ude00 \u00df""#, "\"😀\""][length],
            ),
            3 | 4 => self.items(depth, text, "{", "}", length),
            _ => self.items(depth, text, "[", "]", length),
        }
        text.push_str(blank);
    }

    fn items(&mut self, depth: usize, text: &mut String, start: &str, end: &str, length: usize) {
        text.push_str(start);
        for index in 0..length {
            text.push_str(if index > 0 { "," } else { "" });
            if start == "{" {
                text.push_str(["\"a\" :", "\"b\":", r#""\u0061":"#, "\n\"c\":\t"][self.below(4)]);
            }
            self.valid(depth - 1, text);
        }
        text.push_str(end);
    }

    /// The text with something else in some place, or without its end.
    fn broken(&mut self, mut text: String) -> String {
        let place = text.floor_char_boundary(self.below(text.len() + 1));
        let end = text.ceil_char_boundary((place + self.below(3)).min(text.len()));
        match self.below(3) {
            0 => text.truncate(place),
            1 => text.replace_range(place..end, ""),
            _ => text.replace_range(place..end, self.piece()),
        }
        text
    }
}

/// Whether both are the same, keys in their order, but for the last bits of a number.
fn is_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_f64() && other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            one.is_sign_negative() == other.is_sign_negative() && (one - other).abs() <= one.abs() * 1e-14
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let pairs = || one.iter().zip(other);
            one.len() == other.len()
                && pairs().all(|(one, other)| one.0 == other.0 && is_alike(one.1, other.1))
        }
        _ => one == other,
    }
}

fn compare(text: &str) {
    match (read(text), serde_json::from_str::<Value>(text)) {
        (Ok(one), Ok(other)) => assert!(is_alike(&one, &other), "{text:?}: {one:?} {other:?}"),
        (Err(fault), Err(error)) => {
            // Which of two escapes is wrong, and whether it is of a number its beginning or its end, does not matter. Of a text
            // that is not closed, and of a word that is half written, its beginning is told.
            let vague = ["escape", "surrogate", "out of range", "not closed", "expected ident"];
            let is_vague = |what: &str| vague.iter().any(|word| what.contains(word));
            if !is_vague(&fault.to_string()) && !is_vague(&error.to_string()) {
                assert_eq!(fault.cause == Cause::End, error.is_eof(), "{text:?}: {fault} {error}");
                let place = (fault.line, fault.column);
                assert_eq!(place, (error.line(), error.column()), "{text:?}: {fault} {error}");
            }
        }
        (one, other) => panic!("{text:?}: {one:?} {other:?}"),
    }
}

#[test]
fn texts_are_read_and_refused_as_serde_json_does() {
    let mut random = Random(3);
    for _ in 0..TEXTS / 3 {
        let mut text = String::new();
        let depth = random.below(6);
        random.valid(depth, &mut text);
        assert!(read(&text).is_ok(), "{text}");
        compare(&text);
        compare(&random.broken(text));
        let length = random.below(8);
        let pieces: String = (0..length).map(|_| random.piece()).collect();
        compare(&pieces);
    }
}

#[test]
fn numbers_are_the_nearest_ones() {
    let mut random = Random(5);
    for _ in 0..TEXTS / 4 {
        let (whole, fraction) = (random.below(1 << 31) << random.below(24), random.below(1 << 31));
        let (power, sign) = (random.below(660), ["", "-"][random.below(2)]);
        for text in [
            format!("{sign}{whole}.{fraction}"),
            format!("{sign}0.{whole:018}{fraction}"),
            format!("{sign}{}e{}", fraction >> random.below(31), power % 60),
            format!("{sign}{whole}{fraction}e-{power}"),
        ] {
            let read = read(&text).unwrap().as_f64().unwrap();
            assert_eq!(read.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }
}

#[test]
fn whole_numbers_stay_whole_as_far_as_they_can() {
    let number = |text| match read(text) {
        Ok(Value::Number(number)) => (number.as_i64(), number.as_u64(), number.is_f64()),
        other => panic!("{other:?}"),
    };
    assert_eq!(number("-9223372036854775808"), (Some(i64::MIN), None, false));
    assert_eq!(number("-9223372036854775809"), (None, None, true));
    assert_eq!(number("18446744073709551615"), (None, Some(u64::MAX), false));
    assert_eq!(number("18446744073709551616"), (None, None, true));
    assert_eq!(number("-0"), (None, None, true));
    assert_eq!(read("1e999").unwrap_err().to_string(), "number out of range at line 1 column 1");
}

#[test]
fn a_key_that_stands_twice_has_the_first_place_and_the_last_value() {
    let read = read(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(crate::json::text(&read), r#"{"a":3,"b":2}"#);
}

#[test]
fn depth_is_bounded() {
    let nested = |open: &str, depth, close: &str| format!("{}0{}", open.repeat(depth), close.repeat(depth));
    for depth in 125..130 {
        compare(&nested("[", depth, "]"));
        compare(&nested("{\"a\":[", depth / 2, "]}"));
    }
    let cause = |text: &str| read(text).map_err(|fault| fault.cause);
    assert_eq!(cause(&"[".repeat(100_000)), Err(Cause::Depth));
    assert_eq!(cause(&"[".repeat(DEPTH)), Err(Cause::End));
    assert!(read_within(&nested("[", 300, "]"), 300).is_ok());
    assert!(read_within(&nested("[", 301, "]"), 300).is_err());
}
