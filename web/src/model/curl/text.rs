//! Texts of a command: as templates, and as they are meant.

use serde_json::Value;

/// A text as a template in which nothing is a value.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["{{", "{%", "{#"].iter().filter_map(|mark| rest.find(mark)).min() {
        let (head, tail) = rest.split_at(at);
        let (mark, tail) = tail.split_at(2);
        literal.extend([head, "{{ '", mark, "' }}"]);
        rest = tail;
    }
    literal + rest
}

pub(super) fn literals(json: Value) -> Value {
    match json {
        Value::String(text) => Value::String(literal(&text)),
        Value::Array(items) => items.into_iter().map(literals).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, literals(value))).collect(),
        other => other,
    }
}

/// The user and the password in base64.
pub(super) fn decoded(text: &str) -> Option<(String, String)> {
    let mut bits = 0_u32;
    let mut many = 0;
    let mut bytes = Vec::new();
    for letter in text.trim_end_matches('=').bytes() {
        let digit = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        many += 6;
        if many >= 8 {
            many -= 8;
            bytes.push(u8::try_from((bits >> many) & 0xff).unwrap_or_default());
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    text.split_once(':').map(|(user, password)| (user.to_owned(), password.to_owned()))
}

/// The user and the password in base64, as a header has them.
pub(super) fn encoded_user(user: &str, password: &str) -> String {
    let text = format!("{user}:{password}");
    let mut encoded = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or_default());
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for at in 0..4 {
            let digit = u8::try_from((bits >> (18 - 6 * at)) & 63).unwrap_or_default();
            encoded.push(match digit {
                _ if at > bytes.len() => '=',
                0..=25 => char::from(b'A' + digit),
                26..=51 => char::from(b'a' + digit - 26),
                52..=61 => char::from(b'0' + digit - 52),
                62 => '+',
                _ => '/',
            });
        }
    }
    encoded
}

/// A value of a form or of a query, as it is meant.
pub(super) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits =
            rest.clone().take(2).map(|digit| char::from(digit).to_digit(16)).collect::<Option<Vec<_>>>();
        match (byte, digits.as_deref()) {
            (b'%', Some([high, low])) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest.next();
                rest.next();
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
