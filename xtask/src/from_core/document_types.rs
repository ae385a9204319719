//! A test of the document's types in TypeScript: each object has the keys that the JSON Schema gives it, and each choice
//! its words.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value};

const HEAD: &str = r#"// Made by `cargo xtask schema` from the grammar in core/src/grammar.rs: the types of documents have the keys and words that
// the JSON Schema has, and need the same ones.
import type { StepDocument, WorkflowDocument } from "stepweave";

/** The keys that are written out; an index signature is none. */
type Written<T> = keyof { [Key in keyof T as string extends Key ? never : `x-${string}` extends Key ? never : Key]: T[Key] };
/** Of all objects among these. */
type Keys<T> = T extends readonly unknown[] ? never : T extends object ? Written<T> : never;
/** Those that have to be there. */
type Needed<T> = T extends readonly unknown[] ? never : T extends object ? { [Key in Written<T>]-?: undefined extends T[Key] ? never : Key }[Written<T>] : never;
/** What these have there. */
type Of<T, Key> = T extends unknown ? (Key extends keyof T ? NonNullable<T[Key]> : never) : never;
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : { missing: Exclude<Other, One> }) : { unknown: Exclude<One, Other> };

function holds<_Check extends true>(): void {}

"#;

pub(crate) fn test() -> String {
    let schema = stepweave_core::schema::json_schema();
    let mut text = HEAD.to_owned();
    walk(&mut text, &schema, "WorkflowDocument");
    for step in list(schema.pointer("/$defs/step/oneOf")) {
        let kind = step.pointer("/properties/type/const").and_then(Value::as_str).unwrap_or_default();
        walk(&mut text, step, &format!("Extract<StepDocument, {{ type: \"{kind}\" }}>"));
    }
    text
}

/// Compares what the schema says here with the type of this expression.
fn walk(text: &mut String, schema: &Value, path: &str) {
    let alternatives = flat(schema);
    let words: BTreeSet<&str> =
        alternatives.iter().flat_map(|one| list(one.get("enum"))).filter_map(Value::as_str).collect();
    compare(text, &format!("Extract<{path}, string>"), &words);
    let objects: Vec<&Map<String, Value>> =
        alternatives.iter().filter_map(|one| one.get("properties")?.as_object()).collect();
    let keys: BTreeSet<&str> = objects.iter().flat_map(|object| object.keys()).map(String::as_str).collect();
    compare(text, &format!("Keys<{path}>"), &keys);
    let needed = alternatives.iter().flat_map(|one| list(one.get("required"))).filter_map(Value::as_str);
    compare(text, &format!("Needed<{path}>"), &needed.collect());
    for object in objects {
        for (key, value) in object {
            walk(text, value, &format!("Of<{path}, \"{key}\">"));
        }
    }
    for one in alternatives {
        if let Some(each) = one.get("additionalProperties").filter(|each| each.is_object()) {
            walk(text, each, &format!("Of<{path}, string>"));
        }
        if let Some(each) = one.get("items") {
            walk(text, each, &format!("Of<{path}, number>"));
        }
    }
}

fn compare(text: &mut String, type_: &str, words: &BTreeSet<&str>) {
    if !words.is_empty() {
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let _ = writeln!(text, "holds<Same<{type_}, {}>>();", words.join(" | "));
    }
}

/// What a value may be, alternatives within alternatives included. A schema and a step stand for themselves.
fn flat(schema: &Value) -> Vec<&Value> {
    if schema.get("$ref").is_some() {
        return Vec::new();
    }
    let inner: Vec<&Value> =
        ["oneOf", "anyOf"].iter().flat_map(|key| list(schema.get(*key))).flat_map(flat).collect();
    if inner.is_empty() { vec![schema] } else { inner }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
