//! Signs that turn the direction of a text. Nobody sees them, and they turn round whatever stands behind them as well.

use serde::{Deserialize, Deserializer};

/// A sentence that names what a document or a run has: such signs are written out in it. What is shown by itself needs
/// nothing, for the style sheet lets no element turn another one.
pub fn upright(sentence: String) -> String {
    written(sentence, "[U+", "]")
}

/// JSON to be read: they are escaped in it, and the value is the same.
pub fn upright_json(json: String) -> String {
    written(json, "\\u", "")
}

/// Reads a sentence out of data.
pub fn sentence<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(upright)
}

/// The same where there may be none.
pub fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(upright))
}

/// A text with the numbers of such signs in their place, between these two.
fn written(text: String, before: &str, behind: &str) -> String {
    // Hardly any text has one.
    if !text.chars().any(|letter| number_of(letter).is_some()) {
        return text;
    }
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match number_of(letter) {
            Some(number) => written.extend([before, number, behind]),
            None => written.push(letter),
        }
    }
    written
}

/// The number of an embedding, an override, an isolate, or of what ends one.
fn number_of(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{202a}' => "202A",
        '\u{202b}' => "202B",
        '\u{202c}' => "202C",
        '\u{202d}' => "202D",
        '\u{202e}' => "202E",
        '\u{2066}' => "2066",
        '\u{2067}' => "2067",
        '\u{2068}' => "2068",
        '\u{2069}' => "2069",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_direction_are_written_out_and_other_ones_stay() {
        assert_eq!(upright("“\u{202e}exe.txt” is deleted.".to_owned()), "“[U+202E]exe.txt” is deleted.");
        assert_eq!(upright("“שלום\u{200f}” ist da: é\n".to_owned()), "“שלום\u{200f}” ist da: é\n");
    }

    #[test]
    fn json_stays_the_value_that_it_was() {
        let json = upright_json("{\"a\u{2066}\":\"\u{202e}b\"}".to_owned());
        assert_eq!(json, r#"{"a\u2066":"\u202Eb"}"#);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a\u{2066}"], "\u{202e}b");
    }
}
