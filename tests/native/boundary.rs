//! The two sides of the wasm boundary: what Rust says that it calls of the port, and what TypeScript says that the port
//! has. Neither compiler sees the other side.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The methods of a side: by name, what they take and give in words that both sides have.
type Methods = BTreeMap<String, String>;

fn source(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)).unwrap()
}

/// The source without comments, each run of blanks as one.
fn plain(source: &str) -> String {
    let lines =
        source.lines().map(str::trim).filter(|line| !line.starts_with("//") && !line.starts_with('*'));
    lines.filter(|line| !line.starts_with("/*")).collect::<Vec<_>>().join(" ")
}

/// The parts between commas, a last empty one left out.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// `mergeAll` of `merge_all`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

fn of_rust(kind: &str) -> String {
    if let Some(inner) = kind.strip_prefix("Option<").and_then(|kind| kind.strip_suffix('>')) {
        return of_rust(inner) + "?";
    }
    match kind {
        "u32" | "f64" => "number",
        "&str" | "String" => "string",
        "bool" => "boolean",
        "" => "void",
        "&JsValue" | "JsValue" => "value",
        "Vec<JsValue>" | "Array" => "list",
        other => panic!("the boundary has no `{other}`"),
    }
    .to_owned()
}

fn of_typescript(kind: &str) -> String {
    if let Some(inner) = kind.strip_suffix(" | undefined") {
        let inner = of_typescript(inner);
        // A value may be `undefined` by itself.
        return if inner == "value" { inner } else { inner + "?" };
    }
    match kind {
        "number" | "string" | "boolean" | "void" => kind,
        "object" | "unknown" => "value",
        "readonly object[]" => "list",
        other => panic!("the boundary has no `{other}`"),
    }
    .to_owned()
}

/// The methods of `extern "C"`.
fn rust(source: &str) -> Methods {
    let text = plain(source);
    let methods = text.split("pub(crate) fn ").skip(1).map(|method| {
        let (name, rest) = method.split_once('(').unwrap();
        let (taken, rest) = rest.split_once(')').unwrap();
        let given = rest.split(';').next().unwrap().trim().trim_start_matches("->").trim();
        let taken = parts(taken).skip(1).map(|parameter| {
            let (name, kind) = parameter.split_once(": ").unwrap();
            format!("{}: {}", camel(name), of_rust(kind))
        });
        (camel(name), format!("({}) -> {}", taken.collect::<Vec<_>>().join(", "), of_rust(given)))
    });
    methods.collect()
}

/// The methods of an interface.
fn typescript(source: &str, interface: &str) -> Methods {
    let text = plain(source);
    let from = text.find(&format!("interface {interface} {{")).unwrap();
    let body = &text[from..][text[from..].find('{').unwrap() + 1..];
    let body = &body[..body.find('}').unwrap()];
    let methods = body.split(';').map(str::trim).filter(|method| !method.is_empty()).map(|method| {
        let (name, rest) = method.split_once('(').unwrap();
        let (taken, given) = rest.split_once("):").unwrap();
        let taken = parts(taken).map(|parameter| {
            let (name, kind) = parameter.split_once(": ").unwrap();
            format!("{name}: {}", of_typescript(kind))
        });
        (
            name.to_owned(),
            format!("({}) -> {}", taken.collect::<Vec<_>>().join(", "), of_typescript(given.trim())),
        )
    });
    methods.collect()
}

#[test]
fn both_sides_of_the_boundary_have_the_same_methods() {
    let rust = rust(&source("pkg/src/port.rs"));
    let typescript = typescript(&source("pkg/ts/wasm/boundary.ts"), "EnginePort");
    assert!(rust.len() > 30, "{rust:#?}");
    assert_eq!(rust, typescript);
}

#[test]
fn a_parameter_that_one_side_lacks_is_found() {
    let one = "extern { pub(crate) fn step_start(this: &Port, step: u32, input: &JsValue);\n /// Says.\n\
               pub(crate) fn recorded(\n this: &Port,\n key: Option<String>,\n ) -> Option<String>; }";
    let same = "export interface P {\n  /** Says. */\n  stepStart(step: number, input: object): void;\n\
                recorded(\n key: string | undefined,\n ): string | undefined;\n}\n";
    assert_eq!(rust(one), typescript(same, "P"));
    assert_ne!(rust(one), typescript(&same.replace(", input: object", ""), "P"));
    assert_ne!(rust(one), typescript(&same.replace("key: string | undefined", "key: string"), "P"));
    assert_ne!(rust(one), typescript(&same.replace("step: number", "scope: number"), "P"));
}
