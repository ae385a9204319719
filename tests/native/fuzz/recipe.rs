//! How an input is made out of recorded answers, as data that proptest can make smaller when it has found a fault.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use stepweave_tests::cuts::Cuts;

/// Bytes of recorded events that go into an input; the rest of it is made up.
const MOST: usize = 16 * 1024;

/// The events of a recorded answer, each with its empty line.
#[derive(Debug)]
pub(crate) struct Answer(Vec<Vec<u8>>);

impl Answer {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(Cuts::Events.pieces(bytes).into_iter().map(<[u8]>::to_vec).collect())
    }
}

/// An input.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    answer: Index,
    begin: Begin,
    count: usize,
    has_end: bool,
    changes: Vec<Change>,
    /// Where it is cut.
    pub(crate) seed: u64,
}

/// With which event of an answer an input begins.
#[derive(Debug, Clone)]
enum Begin {
    First,
    Any(Index),
}

/// What is done to the bytes.
#[derive(Debug, Clone)]
enum Change {
    Byte(Index, u8),
    Insert(Index, Vec<u8>),
    CutOff(Index),
    Remove(Index, Index),
    Splice { answer: Index, event: Index, at: Index },
    Repeat(Index, usize),
    Swap(Index, Index),
    Value(Index, Made),
    Key(Index, &'static str),
    Line(Index, &'static str),
    LineEnds(&'static str),
}

/// A JSON value that is made up.
#[derive(Debug, Clone)]
enum Made {
    Plain(&'static str),
    /// So many times open, and closed again or not.
    Deep(usize, &'static str, &'static str),
    /// The same as the text of a text.
    DeepText(usize, &'static str),
    /// A list of so many.
    Wide(usize, &'static str),
    /// A text of so many bytes.
    Long(usize),
}

/// Values that are none, that are of another type, too large, too small, or hardly text.
const PLAIN: &[&str] = &[
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "\"\"",
    "[[]]",
    "[null]",
    "[{}]",
    "[\"x\"]",
    "{\"text\":\"x\"}",
    "{\"index\":0}",
    "0",
    "1",
    "-1",
    "-0",
    "0.5",
    "1e3",
    "1e999",
    "-1e999",
    "1e-999",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "4294967296",
    "340282366920938463463374607431768211456",
    "\"error\"",
    "\"message_stop\"",
    "\"response.completed\"",
    "\"tool_use\"",
    "\"STOP\"",
    "\"stop\"",
    "\"tool_calls\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\u0000\"",
    "\"\\ud83d\\ude00\"",
    "\"\\\"",
    "\"{\\\"a\\\":\"",
    "\"[1,2\"",
    "nul",
    "NaN",
    "",
];

const KEYS: &[&str] = &[
    "error",
    "type",
    "choices",
    "delta",
    "content",
    "content_block",
    "index",
    "tool_calls",
    "function",
    "arguments",
    "id",
    "usage",
    "finish_reason",
    "message",
    "response",
    "item",
    "item_id",
    "output_index",
    "candidates",
    "parts",
    "functionCall",
    "usageMetadata",
    "x_groq",
    "reasoning",
    "text",
    "",
    "\\u0000",
];

const LINES: &[&str] = &[
    "",
    ":",
    ": ping",
    "event: error",
    "event: ping",
    "event",
    "data",
    "data:",
    "data: ",
    "data: [DONE]",
    "data:[DONE]",
    "data: null",
    "data: []",
    "data: {}",
    "data: 0",
    "data: \"x\"",
    "data: {\"error\":{}}",
    "data: {\"error\":null}",
    "data: {\"error\":\"x\"}",
    "data: {\"error\":{\"message\":\"x\"}}",
    "data: {\"type\":\"ping\"}",
    "data: {\"type\":\"error\"}",
    "data: {\"type\":\"message_stop\"}",
    "data: {\"choices\":[]}",
    "data: {\"candidates\":[]}",
    "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}",
    "retry: 1",
    "id: 1",
    "\u{feff}",
    "\u{feff}data: {}",
];

const LINE_ENDS: &[&str] = &["\r\n", "\r", "\n\r", "\n\n", ""];

/// Inputs of up to so many changes.
pub(crate) fn recipe() -> impl Strategy<Value = Recipe> {
    let begin = prop_oneof![2 => Just(Begin::First), 1 => any::<Index>().prop_map(Begin::Any)];
    (any::<Index>(), begin, 1..32_usize, any::<bool>(), vec(change(), 0..6), any::<u64>()).prop_map(
        |(answer, begin, count, has_end, changes, seed)| Recipe {
            answer,
            begin,
            count,
            has_end,
            changes,
            seed,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        4 => (index(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        2 => (index(), vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        1 => index().prop_map(Change::CutOff),
        2 => (index(), index()).prop_map(|(from, to)| Change::Remove(from, to)),
        2 => (index(), index(), index()).prop_map(|(answer, event, at)| Change::Splice { answer, event, at }),
        2 => (index(), 1..20_usize).prop_map(|(event, times)| Change::Repeat(event, times)),
        2 => (index(), index()).prop_map(|(one, other)| Change::Swap(one, other)),
        8 => (index(), made()).prop_map(|(at, made)| Change::Value(at, made)),
        3 => (index(), select(KEYS)).prop_map(|(at, key)| Change::Key(at, key)),
        4 => (index(), select(LINES)).prop_map(|(at, line)| Change::Line(at, line)),
        1 => select(LINE_ENDS).prop_map(Change::LineEnds),
    ]
}

fn made() -> impl Strategy<Value = Made> {
    let depth = || prop_oneof![4 => 1..200_usize, 1 => Just(5000_usize)];
    let open = || select(&[("[", "]"), ("[", ""), ("{\"a\":", "}"), ("{\"a\":", ""), ("[{\"a\":", "}]")][..]);
    prop_oneof![
        12 => select(PLAIN).prop_map(Made::Plain),
        2 => (depth(), open()).prop_map(|(depth, (open, close))| Made::Deep(depth, open, close)),
        1 => (depth(), select(&["[", "{\\\"a\\\":"][..])).prop_map(|(depth, open)| Made::DeepText(depth, open)),
        1 => (1..3000_usize, select(&["0", "[]", "{}", "\"\"", "{\"a\":0}"][..])).prop_map(|(count, item)| Made::Wide(count, item)),
        1 => (1..20_000_usize).prop_map(Made::Long),
    ]
}

impl Recipe {
    /// The bytes.
    pub(crate) fn bytes(&self, answers: &[Answer]) -> Vec<u8> {
        let mut events = self.events(self.answer.get(answers));
        let mut bytes = Vec::new();
        for change in &self.changes {
            change.of_events(&mut events, answers);
        }
        events.iter().for_each(|event| bytes.extend_from_slice(event));
        for change in &self.changes {
            change.of_bytes(&mut bytes);
        }
        bytes
    }

    fn events(&self, Answer(all): &Answer) -> Vec<Vec<u8>> {
        let from = match self.begin {
            Begin::First => 0,
            Begin::Any(index) => index.index(all.len()),
        };
        let mut room = MOST;
        let mut fits = |event: &&Vec<u8>| {
            let is_in = event.len() <= room;
            room -= if is_in { event.len() } else { 0 };
            is_in
        };
        let mut events: Vec<Vec<u8>> =
            all.iter().skip(from).take(self.count).filter(&mut fits).cloned().collect();
        // Many formats end with two events that only count together.
        let end = from.saturating_add(self.count).max(all.len().saturating_sub(2));
        if self.has_end {
            events.extend(all.iter().skip(end).filter(&mut fits).cloned());
        }
        events
    }
}

impl Change {
    fn of_events(&self, events: &mut Vec<Vec<u8>>, answers: &[Answer]) {
        match self {
            Self::Splice { answer, event, at } => {
                let Answer(others) = answer.get(answers);
                let other = event.get(others).clone();
                events.insert(at.index(events.len() + 1), other);
            }
            Self::Repeat(event, times) if !events.is_empty() => {
                let at = event.index(events.len());
                let repeated = vec![events[at].clone(); *times];
                events.splice(at..at, repeated);
            }
            Self::Swap(one, other) if !events.is_empty() => {
                let count = events.len();
                events.swap(one.index(count), other.index(count));
            }
            _ => {}
        }
    }

    fn of_bytes(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Byte(at, byte) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Insert(at, more) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, more.iter().copied());
            }
            Self::CutOff(at) => bytes.truncate(at.index(bytes.len() + 1)),
            Self::Remove(one, other) => {
                let (one, other) = (one.index(bytes.len() + 1), other.index(bytes.len() + 1));
                bytes.drain(one.min(other)..one.max(other));
            }
            Self::Value(at, made) => {
                if let Some(member) = member(bytes, *at) {
                    bytes.splice(member.value, made.text().into_bytes());
                }
            }
            Self::Key(at, key) => {
                if let Some(member) = member(bytes, *at) {
                    bytes.splice(member.key, key.bytes());
                }
            }
            Self::Line(at, line) => {
                let ends: Vec<usize> = bytes
                    .iter()
                    .enumerate()
                    .filter(|(_, byte)| **byte == b'\n')
                    .map(|(at, _)| at + 1)
                    .collect();
                let at = if ends.is_empty() { 0 } else { *at.get(&ends) };
                bytes.splice(at..at, [line.as_bytes(), b"\n"].concat());
            }
            Self::LineEnds(end) => {
                let lines =
                    bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
                *bytes = lines.collect::<Vec<_>>().join(end.as_bytes());
            }
            _ => {}
        }
    }
}

impl Made {
    fn text(&self) -> String {
        match *self {
            Self::Plain(text) => text.to_owned(),
            Self::Deep(depth, open, close) => open.repeat(depth) + "0" + &close.repeat(depth),
            Self::DeepText(depth, open) => format!("\"{}\"", open.repeat(depth)),
            Self::Wide(count, item) => format!("[{}]", vec![item; count].join(",")),
            Self::Long(count) => format!("\"{}\"", "é".repeat(count / 2)),
        }
    }
}

/// An answer in one piece, as far as an input has one: what stands under the keys of a whole answer in an event, or the
/// data of the first event.
pub(crate) fn body(bytes: &[u8]) -> String {
    let under = |key: &[u8]| {
        let at = bytes.windows(key.len()).rposition(|at| at == key)?;
        Some(value(bytes, at + key.len()))
    };
    let data =
        || bytes.windows(5).position(|at| at == b"data:").map_or(0..bytes.len(), |at| line(bytes, at + 5));
    let place = under(b"\"response\":").or_else(|| under(b"\"message\":")).unwrap_or_else(data);
    String::from_utf8_lossy(&bytes[place]).into_owned()
}

fn line(bytes: &[u8], from: usize) -> Range<usize> {
    let length = bytes[from..].iter().take_while(|byte| **byte != b'\n').count();
    from..from + length
}

/// A member of an object.
struct Member {
    /// Between its quotes.
    key: Range<usize>,
    value: Range<usize>,
}

fn member(bytes: &[u8], at: Index) -> Option<Member> {
    let ends: Vec<usize> =
        bytes.windows(2).enumerate().filter(|(_, two)| *two == b"\":").map(|(end, _)| end).collect();
    if ends.is_empty() {
        return None;
    }
    let end = *at.get(&ends);
    let start = bytes[..end].iter().rposition(|byte| *byte == b'"').map_or(end, |quote| quote + 1);
    Some(Member { key: start..end, value: value(bytes, end + 2) })
}

/// The value that begins here, as far as it can be found in bytes that need not be JSON.
fn value(bytes: &[u8], from: usize) -> Range<usize> {
    let spaces = bytes[from..].iter().take_while(|byte| **byte == b' ').count();
    let start = from + spaces;
    let mut depth = 0_usize;
    let mut is_text = false;
    let mut is_escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'\n' | b'\r' => return start..at,
            _ if is_text => {}
            b'[' | b'{' => depth += 1,
            b',' | b']' | b'}' if depth == 0 => return start..at,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    start..bytes.len()
}
