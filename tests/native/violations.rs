//! What is wrong with a value by its JSON Schema, as the package's validator tells it, found by another library.
//!
//! The library's own list is put into the form that both share: one violation per key or item that is meant, each at
//! its own place, in the order of the value.

use std::collections::HashSet;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{PatternOptions, ValidationError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Keywords whose members are schemas by name.
const MAPS: [&str; 6] =
    ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Violation {
    /// Where in the value, as a JSON Pointer.
    pub at: String,
    /// The keyword that is not met; `false` where the schema allows nothing.
    pub keyword: String,
    /// Where the keyword stands in the schema, every `$ref` followed.
    pub rule: String,
    /// The key that is missing, where the keyword asks for keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The violations of a value: in the order of the value, at one place in the order of the schema, each once, and so
/// many at most. Patterns are matched by an engine that knows neither look-around nor back references.
pub fn violations(schema: &Value, value: &Value, most: usize) -> Vec<Violation> {
    let validator = jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(false)
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json")
        .build(&with_lower_bounds(schema, true))
        .unwrap_or_else(|error| panic!("the schema cannot be used: {error}"));
    let errors: Vec<_> = validator.iter_errors(value).collect();
    let mut found: Vec<_> = errors
        .iter()
        .filter(|error| !is_noise(error, &errors))
        .flat_map(|error| violations_of(error, schema, value))
        .collect();
    found.sort_by_cached_key(|violation| {
        let rule = schema.pointer(&violation.rule).and_then(Value::as_array);
        let place =
            rule.and_then(|keys| keys.iter().position(|key| key.as_str() == violation.missing.as_deref()));
        (places(value, &violation.at), places(schema, &violation.rule), place)
    });
    let mut seen = HashSet::new();
    found.retain(|violation| seen.insert(violation.clone()));
    found.truncate(most);
    found
}

/// The schema with `minContains` beside each `maxContains`: without it the library reports too few and too many alike.
fn with_lower_bounds(schema: &Value, is_schema: bool) -> Value {
    match schema {
        Value::Object(members) => {
            let mut copy: Map<String, Value> = members
                .iter()
                .map(|(key, member)| match key.as_str() {
                    "const" | "enum" if is_schema => (key.clone(), member.clone()),
                    _ => {
                        (key.clone(), with_lower_bounds(member, !is_schema || !MAPS.contains(&key.as_str())))
                    }
                })
                .collect();
            if is_schema && copy.contains_key("maxContains") && !copy.contains_key("minContains") {
                copy.insert("minContains".into(), 1.into());
            }
            Value::Object(copy)
        }
        Value::Array(items) => items.iter().map(|item| with_lower_bounds(item, is_schema)).collect(),
        _ => schema.clone(),
    }
}

/// Whether this says that nothing looked at a key, where something else is wrong with the value anyway.
fn is_noise(error: &ValidationError<'_>, all: &[ValidationError<'_>]) -> bool {
    if !matches!(error.kind(), Kind::UnevaluatedItems { .. } | Kind::UnevaluatedProperties { .. }) {
        return false;
    }
    let asker = parent(error.evaluation_path().as_str());
    all.iter().any(|other| {
        !std::ptr::eq(other, error)
            && is_within(other.evaluation_path().as_str(), asker)
            && is_within(other.instance_path().as_str(), error.instance_path().as_str())
    })
}

/// The violations that the package reports in place of one of the library's errors.
fn violations_of(error: &ValidationError<'_>, schema: &Value, root: &Value) -> Vec<Violation> {
    let at = error.instance_path().as_str();
    let rule = rule_of(error, schema);
    let violation = |keyword: &str, at: String| Violation {
        at,
        keyword: keyword.into(),
        rule: rule.clone(),
        missing: None,
    };
    let holder = last(&rule).to_owned();
    match error.kind() {
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            triggers(schema, &rule, key, error.instance())
                .into_iter()
                .map(|rule| Violation {
                    at: at.into(),
                    keyword: holder.clone(),
                    rule,
                    missing: Some(key.into()),
                })
                .collect()
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|key| violation(&holder, join(at, key))).collect()
        }
        Kind::UnevaluatedItems { unexpected } => {
            // Items are found by their text. Of two with one text only the earlier can have been looked at, as one
            // of the first items: the places are found again from the end.
            let mut items =
                error.instance().as_array().map_or(&[][..], Vec::as_slice).iter().enumerate().rev();
            let find = |text: &String| items.find(|(_, item)| item.to_string() == *text);
            unexpected
                .iter()
                .rev()
                .filter_map(find)
                .map(|(index, _)| violation(&holder, join(at, &index.to_string())))
                .collect()
        }
        Kind::AdditionalItems { limit } => {
            let count = error.instance().as_array().map_or(0, Vec::len);
            (*limit..count).map(|index| violation(&holder, join(at, &index.to_string()))).collect()
        }
        Kind::Contains if schema.pointer(&rule).is_none() => {
            let rule = join(parent(&rule), "contains");
            vec![Violation { at: at.into(), keyword: "contains".into(), rule, missing: None }]
        }
        Kind::PropertyNames { error: inner } => {
            let key = inner.instance().as_str().unwrap_or_default();
            let rule = names_rule(schema, inner.evaluation_path().as_str());
            vec![Violation { at: join(at, key), keyword: "propertyNames".into(), rule, missing: None }]
        }
        Kind::FalseSchema if is_keyword(schema, &rule) => match holder.as_str() {
            // Only the first key is reported, or the object as a whole.
            "additionalProperties" | "propertyNames" => {
                keys(root.pointer(at)).map(|key| violation(&holder, join(at, key))).collect()
            }
            "items" | "additionalItems" => vec![violation(&holder, at.into())],
            _ => vec![violation("false", at.into())],
        },
        Kind::FalseSchema => vec![violation("false", at.into())],
        _ => vec![violation(&holder, at.into())],
    }
}

/// Where an error's keyword stands in the whole schema.
fn rule_of(error: &ValidationError<'_>, schema: &Value) -> String {
    let rule = error.schema_path().as_str();
    // In a schema with an address of its own, places are counted from there.
    let address = error
        .absolute_keyword_location()
        .map(|uri| uri.as_str().split('#').next().unwrap_or_default().to_owned());
    let resource = address.and_then(|address| resource(schema, &address, "")).unwrap_or_default();
    resource + rule
}

/// Where the `propertyNames` stands under which a key was refused. The library tells the rule that the key itself
/// does not meet, and by which way that was reached: it is walked along, through references to places.
fn names_rule(schema: &Value, way: &str) -> String {
    let mut rule = String::new();
    let mut found = String::new();
    for step in steps(way) {
        rule = match schema.pointer(&join(&rule, &step)).and_then(Value::as_str) {
            Some(address) if step == "$ref" => address.trim_start_matches('#').to_owned(),
            _ => join(&rule, &step),
        };
        if step == "propertyNames" && is_keyword(schema, &rule) {
            found.clone_from(&rule);
        }
    }
    found
}

/// Where the schema with an address stands.
fn resource(schema: &Value, address: &str, pointer: &str) -> Option<String> {
    let id = schema.get("$id").and_then(Value::as_str);
    if id.is_some_and(|id| id == address || address.ends_with(&format!("/{id}"))) {
        return Some(pointer.to_owned());
    }
    match schema {
        Value::Object(members) => {
            members.iter().find_map(|(key, member)| resource(member, address, &join(pointer, key)))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| resource(item, address, &join(pointer, &index.to_string()))),
        _ => None,
    }
}

/// The rules under which a key is required: those keywords that name what triggers them say so.
fn triggers(schema: &Value, rule: &str, missing: &str, instance: &Value) -> Vec<String> {
    let Some(Value::Object(wanted)) = schema.pointer(rule) else { return vec![rule.to_owned()] };
    wanted
        .iter()
        .filter(|(trigger, keys)| {
            let asks =
                keys.as_array().is_some_and(|keys| keys.iter().any(|key| key.as_str() == Some(missing)));
            asks && instance.get(trigger.as_str()).is_some()
        })
        .map(|(trigger, _)| join(rule, trigger))
        .collect()
}

/// Whether a pointer into a schema ends with a keyword, and not with a name or a number that a keyword holds.
fn is_keyword(schema: &Value, pointer: &str) -> bool {
    let mut at = Some(schema);
    let mut ends_with_keyword = false;
    let mut in_schema = true;
    for step in steps(pointer) {
        at = at.and_then(|at| member(at, &step));
        ends_with_keyword = in_schema;
        in_schema = !in_schema || !(MAPS.contains(&step.as_str()) || at.is_some_and(Value::is_array));
    }
    ends_with_keyword
}

/// How many members come before it at each level of the way to a place.
fn places(root: &Value, pointer: &str) -> Vec<usize> {
    let mut at = Some(root);
    steps(pointer)
        .map(|step| {
            let place = match at {
                Some(Value::Object(members)) => ordered(members).position(|key| *key == step),
                _ => step.parse().ok(),
            };
            at = at.and_then(|at| member(at, &step));
            place.unwrap_or(usize::MAX)
        })
        .collect()
}

/// The keys of an object in the order in which JavaScript has them: those that look like whole numbers come first.
fn ordered(members: &Map<String, Value>) -> impl Iterator<Item = &String> {
    let index = |key: &&String| key.parse::<u32>().ok().filter(|index| index.to_string() == **key);
    let mut first: Vec<&String> = members.keys().filter(|key| index(key).is_some()).collect();
    first.sort_by_key(index);
    first.into_iter().chain(members.keys().filter(move |key| index(key).is_none()))
}

fn keys(value: Option<&Value>) -> impl Iterator<Item = &String> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::keys)
}

fn member<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn join(pointer: &str, step: &str) -> String {
    format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"))
}

fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn last(pointer: &str) -> &str {
    pointer.rsplit('/').next().unwrap_or_default()
}

fn is_within(pointer: &str, outer: &str) -> bool {
    pointer.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
