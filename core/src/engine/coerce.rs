//! Values of a wrong type that plainly mean the right one.

use serde_json::Value;

use super::Violation;

/// Converts what breaks the `type` of its schema where that can be done without loss. True: something was converted.
pub(super) fn coerce(value: &mut Value, schema: &Value, violations: &[Violation]) -> bool {
    let mut changed = false;
    for violation in violations.iter().filter(|violation| violation.keyword == "type") {
        let Some(found) = value.pointer_mut(&violation.at) else { continue };
        let Some(types) = schema.pointer(&violation.rule) else { continue };
        let one = std::slice::from_ref(types);
        let wanted = types.as_array().map_or(one, Vec::as_slice);
        if let Some(converted) =
            wanted.iter().filter_map(Value::as_str).find_map(|wanted| converted(found, wanted))
        {
            *found = converted;
            changed = true;
        }
    }
    changed
}

fn converted(value: &Value, wanted: &str) -> Option<Value> {
    match (value, wanted) {
        (Value::String(text), "integer" | "number") => {
            // Only what JSON itself would read as a number: no `0x10`, no `1e999`, no blanks inside.
            let number: Value = serde_json::from_str(text.trim()).ok().filter(Value::is_number)?;
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 2_f64.powi(53));
            match (wanted, whole) {
                (_, Some(whole)) => Some((whole as i64).into()),
                ("number", None) => Some(number),
                _ => None,
            }
        }
        (Value::String(text), "boolean") => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        (Value::Number(_) | Value::Bool(_), "string") => Some(value.to_string().into()),
        _ => None,
    }
}
