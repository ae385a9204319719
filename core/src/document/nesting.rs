//! How deep a JSON text nests, found without recursion and before anything recurses over it.

use serde::de::DeserializeOwned;

use super::MAX_STEP_DEPTH;

/// Each step level takes an object and a list, a switch twice that; what is left is for the values inside a step and
/// for documents that are a little too deep, so that the walk can name the step at which they are.
pub(crate) const MAX_JSON_DEPTH: usize = 5 * MAX_STEP_DEPTH;

/// Reads JSON in which documents are, which may nest deeper than readers of JSON allow by themselves; nothing where it is
/// none, or nests deeper than documents may.
///
/// ```
/// use stepweave_core::document::nesting;
///
/// let deep = format!("{}1{}", "[".repeat(600), "]".repeat(600));
/// assert!(nesting::read::<serde_json::Value>(&deep).is_some());
/// assert!(nesting::read::<serde_json::Value>(&deep.repeat(2)).is_none());
/// ```
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    if is_too_deep(text) {
        return None;
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader).ok()?;
    reader.end().ok().map(|()| value)
}

fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > MAX_JSON_DEPTH {
                    return true;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
