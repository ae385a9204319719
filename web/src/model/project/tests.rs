//! The projects as they are kept in `tests/projects`, where the suite `durable` installs and runs them.
//!
//! `UPDATE_PROJECTS=1 cargo test -p stepweave-web project` writes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::model::endpoints::origin_of;
use crate::model::worker::reach;

const TARGETS: [(&str, Target); 5] = [
    ("durable-object", Target::DurableObject),
    ("workflows", Target::Workflows),
    ("deno", Target::Deno),
    ("node", Target::Node),
    ("restate", Target::Restate),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/projects")
}

fn document(name: &str) -> Document {
    serde_json::from_str(&fs::read_to_string(folder().join(name)).unwrap()).unwrap()
}

fn made(document: &Document, target: Target, trial: &Trial) -> Vec<(&'static str, String)> {
    files(document, &reach(document, origin_of).unwrap(), target, trial)
}

/// What the page gives for the two schemas of `orders.json`; the specification of the page compares its projects with these.
fn tried() -> Trial {
    let object = |value: Value| value.as_object().cloned().unwrap();
    Trial {
        input: object(json!({ "customer": "Ada", "sum": 12 })),
        answers: object(json!({ "boss": { "approved": true }, "how": { "way": "card" } })),
    }
}

fn compare(name: &str, files: &[(&str, String)]) {
    let folder = folder().join(name);
    if std::env::var_os("UPDATE_PROJECTS").is_some() {
        fs::remove_dir_all(&folder).unwrap_or_default();
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    for (path, text) in files {
        let kept = fs::read_to_string(folder.join(path)).unwrap_or_default();
        assert_eq!(kept, *text, "{name}/{path}: UPDATE_PROJECTS=1 writes it");
    }
}

#[test]
fn projects_are_as_they_are_kept_and_tested() {
    let orders = document("orders.json");
    for (name, target) in TARGETS {
        compare(name, &made(&orders, target, &tried()));
    }
    compare("calling", &made(&document("calling.json"), Target::DurableObject, &Trial::default()));
}

#[test]
fn no_mark_is_left_and_what_is_written_in_is_data() {
    for (_, target) in TARGETS {
        for document in ["orders.json", "calling.json"].map(document) {
            for (path, text) in made(&document, target, &Trial::default()) {
                if path != "workflow.json" {
                    assert!(!text.contains('«'), "{path}: {text}");
                    assert!(!text.contains("$(x)"), "{path}: {text}");
                }
                if path.ends_with(".json") {
                    serde_json::from_str::<Value>(&text)
                        .unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
                }
            }
        }
    }
}

#[test]
fn a_service_has_a_name_that_restate_takes() {
    assert_eq!(service_name("2024-report"), "w-2024-report");
    assert_eq!(service_name("report"), "report");
}

#[test]
fn deno_reaches_the_addresses_of_the_workflow_and_no_other() {
    let origins = ["https://api.example", "http://localhost:11434", "http://a.example", "https://[::1]"];
    let reach = Reach { origins: origins.map(str::to_owned).into(), ..Reach::default() };
    assert_eq!(net(&reach), "0.0.0.0,api.example:443,localhost:11434,a.example:80,[::1]:443");
}

#[test]
fn the_client_of_mcp_servers_comes_along_where_it_is_needed() {
    let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [],
        "tools": { "find": { "description": "d", "run": { "mcp": { "url": "https://shop.example/mcp", "tool": "find", "hash": "h" } } } } }))
    .unwrap();
    for (_, target) in TARGETS {
        let files = made(&document, target, &Trial::default());
        let text =
            |path: &str| files.iter().find(|(own, _)| *own == path).map_or("", |(_, text)| text.as_str());
        assert!(text("src/workflow.js").contains("import \"stepweave/mcp\";"));
        assert!([text("package.json"), text("deno.json")].concat().contains("@modelcontextprotocol/client"));
    }
}

#[test]
fn commands_set_every_key() {
    let reach = reach(&document("orders.json"), origin_of).unwrap();
    let typed = commands("orders", Target::DurableObject, &reach);
    assert_eq!(
        typed,
        "unzip orders.zip && cd orders\nnpm install && npm test\nnpx wrangler deploy\nnpx wrangler secret put ACCESS_TOKEN\nnpx wrangler secret put ANTHROPIC_API_KEY\nnpx wrangler secret put BANK_KEY\n"
    );
    for target in [Target::Deno, Target::Node] {
        let typed = commands("orders", target, &reach);
        assert!(typed.contains("export ACCESS_TOKEN=$(openssl rand -hex 32)\n"), "{typed}");
    }
    for target in [Target::Deno, Target::Node, Target::Restate] {
        let typed = commands("orders", target, &reach);
        assert!(
            typed.contains("\nprintf 'BANK_KEY: '; read -rs BANK_KEY; export BANK_KEY; echo\n"),
            "{typed}"
        );
    }
}

#[test]
fn keys_that_can_be_made_up_are_there_beside_one_that_cannot() {
    let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [],
        "input": { "type": "object", "required": ["code", "name", "kind"], "$defs": { "kind": { "type": "string" } },
            "properties": { "code": { "type": "string", "pattern": "^[A-Z]{3}-" }, "name": { "type": "string" }, "kind": { "$ref": "#/$defs/kind" } } } }))
    .unwrap();
    // As the page makes them: all that is required, or nothing.
    let fitting = async |schema: &Value| {
        assert!(schema.pointer("/$defs/kind").is_some());
        let properties = schema["properties"].as_object()?;
        let made = schema["required"].as_array()?.iter().map(|key| {
            let key = key.as_str()?;
            properties.get(key)?.get("pattern").is_none().then(|| (key.to_owned(), json!("made")))
        });
        Some(Value::Object(made.collect::<Option<_>>()?))
    };
    let trial = block_on(Trial::of(&document, &Map::new(), fitting));
    assert_eq!(Value::Object(trial.input), json!({ "name": "made", "kind": "made" }));
}

/// The value of a future that waits for nothing.
fn block_on<Value>(future: impl Future<Output = Value>) -> Value {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}
