//! How bounds, values and long texts are put into sentences.

use serde_json::Value;

use crate::decimal::written;
use crate::json;
use crate::shape::listed;

/// What a number has to be.
pub(super) fn bounds(what: &str, least: f64, most: f64) -> String {
    let (lower, upper) = (written(least), written(most));
    match (least, most) {
        _ if least == most => lower,
        (_, most) if most >= f64::from(u32::MAX) => format!("{what} of at least {lower}"),
        _ => format!("{what} from {lower} to {upper}"),
    }
}

/// A value as it can stand in a sentence.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => format!("an object with {}", listed(map.keys().take(4).map(String::as_str))),
        other => shortened(&json::text(other)),
    }
}

/// A path or a string, of which only both ends are shown when it is long.
pub(super) fn shortened(text: &str) -> String {
    const KEPT: usize = 60;
    let count = text.chars().count();
    if count <= 3 * KEPT {
        return text.to_owned();
    }
    let head: String = text.chars().take(2 * KEPT).collect();
    let tail: String = text.chars().skip(count - KEPT).collect();
    format!("{head}…{tail}")
}
