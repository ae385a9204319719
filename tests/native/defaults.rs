//! What a JSON Schema says for keys that are missing, natively: `pkg/ts/schema/json/fill.ts` says it for JavaScript.

use serde_json::{Map, Value};

/// The value with the defaults of its schema, where keys of objects are missing; nothing where none is.
pub(crate) fn filled(schema: &Value, value: &Value) -> Option<Value> {
    let mut filled = value.clone();
    fill(schema, schema, &mut filled);
    (filled != *value).then_some(filled)
}

/// A default that has been put in stays as it is written.
fn fill(root: &Value, schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => fill_members(root, schema, members),
        Value::Array(items) => {
            let heads = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(schema) = heads.get(index).or_else(|| schema.get("items")) {
                    fill(root, schema, item);
                }
            }
        }
        _ => {}
    }
    let address = schema.get("$ref").and_then(Value::as_str).and_then(|address| address.strip_prefix('#'));
    if let Some(target) = address.and_then(|pointer| root.pointer(pointer)) {
        fill(root, target, value);
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        fill(root, part, value);
    }
}

fn fill_members(root: &Value, schema: &Value, members: &mut Map<String, Value>) {
    for (key, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        match members.get_mut(key) {
            Some(member) => fill(root, schema, member),
            None => {
                if let Some(default) = schema.get("default") {
                    members.insert(key.clone(), default.clone());
                }
            }
        }
    }
}
