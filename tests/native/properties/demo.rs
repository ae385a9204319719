//! The demo model's values fit the schemas that it is given.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use stepweave_tests::record::observe;
use stepweave_tests::scenario::Scenario;

/// A schema that some value fits.
fn schema() -> impl Strategy<Value = Value> {
    plain().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0..3_u8, 0..3_u8).prop_map(|(items, least, more)| json!({
                "type": "array", "items": items, "minItems": least, "maxItems": least + more,
            })),
            vec(inner.clone(), 1..3).prop_map(|first| json!({ "type": "array", "prefixItems": first, "items": false })),
            object(inner.clone()),
            vec(inner.clone(), 1..3).prop_map(|any| json!({ "anyOf": any })),
            (object(inner.clone()), object(inner)).prop_map(|(one, other)| {
                json!({ "allOf": [one, { "type": "object", "properties": { "other": other } }], "required": ["other"] })
            }),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let property = (inner, any::<bool>());
    (btree_map("[a-d]", property, 0..4), any::<bool>()).prop_map(|(properties, is_named)| {
        let mut required: Vec<&str> = Vec::new();
        let mut parts = Map::new();
        for (name, (schema, is_required)) in &properties {
            parts.insert(name.clone(), schema.clone());
            if *is_required {
                required.push(name);
            }
        }
        if is_named {
            required.push("unnamed");
        }
        json!({ "type": "object", "properties": parts, "required": required })
    })
}

fn plain() -> impl Strategy<Value = Value> {
    let formats =
        ["date-time", "date", "time", "duration", "email", "hostname", "uri", "uuid", "ipv4", "ipv6"];
    prop_oneof![
        (0..30_u8, 0..30_u8).prop_map(|(least, more)| json!({
            "type": "string", "minLength": least, "maxLength": least + more,
        })),
        select(formats.to_vec()).prop_map(|format| json!({ "type": "string", "format": format })),
        (-50..50_i8, 0..50_i8).prop_map(|(least, more)| json!({
            "type": "integer", "minimum": least, "maximum": i32::from(least) + i32::from(more),
        })),
        (-50..50_i8).prop_map(|least| json!({ "type": "integer", "exclusiveMinimum": least })),
        (-50..50_i8).prop_map(|most| json!({ "type": "number", "exclusiveMaximum": most })),
        (-5.0..5.0_f64, 0.1..5.0_f64).prop_map(|(least, more)| json!({
            "type": "number", "exclusiveMinimum": least, "exclusiveMaximum": least + more,
        })),
        (1..9_u8, -20..20_i8)
            .prop_map(|(step, least)| json!({ "type": "integer", "multipleOf": step, "minimum": least })),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": ["null", "string"] })),
        Just(json!({ "enum": ["one", 2, null] })),
        Just(json!({ "const": { "kind": "fixed" } })),
        Just(json!({ "$ref": "#/$defs/leaf" })),
        Just(json!({ "$ref": "#/$defs/tree" })),
        Just(json!({})),
    ]
}

/// The schema as the one property of an object, beside what it refers to.
fn whole(schema: &Value) -> Value {
    let tree = json!({ "type": "object", "properties": { "left": { "$ref": "#/$defs/tree" },
        "leaf": { "$ref": "#/$defs/leaf" } }, "required": ["leaf"] });
    json!({ "type": "object", "properties": { "it": schema }, "required": ["it"],
        "$defs": { "leaf": { "type": "integer", "minimum": 3 }, "tree": tree } })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_demo_model_gives_fits(answer in schema(), arguments in schema(), text in "[a-z ]{0,20}") {
        let scenario: Scenario = serde_json::from_value(json!({
            "title": "a demo",
            "document": {
                "version": 1, "name": "demo",
                "models": { "m": { "provider": "demo", "model": "demo" } },
                "agents": { "a": { "model": "m", "output": whole(&answer), "tools": ["use"] } },
                "tools": { "use": { "input": whole(&arguments) } },
                "steps": [{ "id": "s1", "type": "agent", "name": "ask", "agent": "a", "inputFrom": "{{ text }}" }],
            },
            "state": { "text": text },
            "handlers": { "use": [{ "returns": 1 }] },
        }))
        .unwrap();
        let observed = observe(&scenario);
        prop_assert_eq!(&observed["status"], "done", "{}", observed);
        let is_used = |event: &Value| event.as_str().is_some_and(|event| event.contains("tool.done ask use"));
        prop_assert!(observed["events"].as_array().unwrap().iter().any(is_used), "{}", observed);
    }
}
