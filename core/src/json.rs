//! Values as JSON, written and read.

use serde::Serialize;

pub use reader::{Cause, Fault, read};

mod reader;

pub(crate) use reader::read_noting;
#[cfg(feature = "engine")]
pub(crate) use reader::read_within;

/// The value as JSON; empty if it has no JSON form, such as an object whose keys are no texts.
///
/// What `Value::to_string` writes too, but that has serializers of its own, which bring `std::io::Error` and the tables of
/// `Debug` along, in the engine and in the page.
///
/// ```
/// use serde_json::json;
/// use stepweave_core::json;
///
/// assert_eq!(json::text(&json!({ "ok": [true, null, 0.5] })), r#"{"ok":[true,null,0.5]}"#);
/// ```
pub fn text<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The value as JSON in lines, each deeper one further to the right; empty as above.
pub fn lines<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The string as JSON has it between its quotes: in one line, whatever is in it.
pub(crate) fn escaped(string: &str) -> String {
    let quoted = text(string);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_is_escaped_is_one_line_without_quotes_around_it() {
        assert_eq!(escaped("x\r\ny"), r"x\r\ny");
        assert_eq!(escaped("größe \""), r#"größe \""#);
        assert_eq!(escaped(""), "");
    }
}
