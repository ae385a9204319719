//! The workflow as a project: a folder that is installed, tested and deployed with the commands of its README.

use serde::Serialize;
use serde_json::{Map, Value, json};
use stepweave_core::document::{Approval, Check, Document, Step, StepKind, every_of};
use stepweave_core::json;

use super::called::Called;
use super::endpoints::parts_of;
use super::filled::filled;
use super::hosted::remarks;
use super::requests::asks_servers;
use super::worker::{ACCESS_TOKEN, Reach, imports, listed, worker_name};

/// The versions that projects install: of this package, and of what the tests have.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const WRANGLER: &str = "4.86.0";
const MINIFLARE: &str = "4.20260426.0";
const MCP_CLIENT: &str = "2.4.0";
const RESTATE_SDK: &str = "1.17.2";
const RESTATE_SERVER: &str = "1.7.12";

/// What the project is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A Worker whose runs are kept by a Durable Object.
    DurableObject,
    /// A Worker whose runs are Cloudflare Workflows.
    Workflows,
    /// A server in Deno.
    Deno,
    /// A server in Node.
    Node,
    /// A service in Node behind Restate.
    Restate,
}

/// What the project's test gives: an input, and answers of people by the keys under which runs ask for them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trial {
    /// The input.
    pub input: Map<String, Value>,
    /// The answers.
    pub answers: Map<String, Value>,
}

impl Trial {
    /// What fits the document; `fitting` makes a value for a schema, and `given` is what a run was given last.
    pub async fn of(
        document: &Document,
        given: &Map<String, Value>,
        fitting: impl AsyncFn(&Value) -> Option<Value>,
    ) -> Self {
        let mut trial = Self::default();
        if let Some(schema) = document.input.as_ref().and_then(Check::json_schema) {
            trial.input = match fitting(schema).await {
                Some(Value::Object(input)) => input,
                _ => key_by_key(schema, &fitting).await,
            };
            // What the author tries it with is better than anything made up.
            for (key, value) in &mut trial.input {
                if let Some(own) = document.initial_state.get(key) {
                    *value = own.clone();
                }
            }
            let keys = document.input.as_ref().and_then(Check::properties).into_iter().flat_map(Map::keys);
            trial.input.extend(keys.filter_map(|key| Some((key.clone(), given.get(key)?.clone()))));
        }
        for (id, approval) in approvals(document) {
            let schema = approval.schema.as_ref().and_then(Check::json_schema);
            let made = match schema {
                Some(schema) => fitting(schema).await,
                None => Some(json!({ "approved": true })),
            };
            trial.answers.extend(made.map(|answer| (id.to_owned(), answer)));
        }
        trial
    }
}

/// Those keys of an object for which a value is found: a pattern of one keeps the others from nobody.
async fn key_by_key(schema: &Value, fitting: &impl AsyncFn(&Value) -> Option<Value>) -> Map<String, Value> {
    let mut found = Map::new();
    for key in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        let mut alone = schema.clone();
        alone.as_object_mut().and_then(|own| own.insert("required".to_owned(), json!([key])));
        if let Some(own) = alone.get_mut("properties").and_then(Value::as_object_mut) {
            own.retain(|name, _| name == key);
        }
        if let Some(Value::Object(one)) = fitting(&alone).await {
            found.extend(one);
        }
    }
    found
}

/// The approvals whose keys are their ids: those that are asked once in a run.
fn approvals(document: &Document) -> Vec<(&str, &Approval)> {
    let mut found = Vec::new();
    let mut open: Vec<&Step> = document.steps.iter().rev().collect();
    while let Some(step) = open.pop() {
        if let StepKind::Approval(approval) = &step.kind {
            found.push((step.id.as_str(), approval));
        }
        if !matches!(step.kind, StepKind::Foreach(_) | StepKind::Loop(_)) {
            open.extend(step.blocks().into_iter().rev().flat_map(|(_, steps)| steps.iter().rev()));
        }
    }
    found
}

/// Whether a step waits for a time, or for people up to a time.
fn waits(document: &Document) -> bool {
    let waits = |step: &Step| {
        matches!(&step.kind, StepKind::Wait(_) | StepKind::Approval(Approval { expires_ms: Some(_), .. }))
    };
    every_of(document).any(waits)
}

/// The name of the folder, of the Worker and of the Workflow.
pub fn project_name(document: &Document) -> String {
    worker_name(&document.name)
}

/// The name of the service of Restate, which begins with a letter.
fn service_name(name: &str) -> String {
    if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        name.to_owned()
    } else {
        format!("w-{name}")
    }
}

/// The project's files, by their paths in its folder. They have the names of keys, never their values.
pub fn files(
    document: &Document,
    reach: &Reach,
    target: Target,
    trial: &Trial,
) -> Vec<(&'static str, String)> {
    let called = Called::by(document);
    let name = project_name(document);
    let service = service_name(&name);
    let texts = Texts::of(document, reach, target, &called);
    let waits = if waits(document) { "true" } else { "false" };
    let marks = [
        ("«name»", name.as_str()),
        ("«service»", &service),
        ("«version»", VERSION),
        ("«wrangler»", WRANGLER),
        ("«miniflare»", MINIFLARE),
        ("«restate sdk»", RESTATE_SDK),
        ("«restate server»", RESTATE_SERVER),
        ("«waits»", waits),
        ("«ahead»", if target == Target::Workflows { "true" } else { "false" }),
        ("«about»", texts.about),
        ("«bindings»", texts.bindings),
        ("«client»", &texts.client),
        ("«imports»", &texts.imports),
        ("«origins»", &texts.origins),
        ("«keys»", &texts.keys),
        ("«key names»", &texts.key_names),
        ("«net»", &texts.net),
        ("«set»", texts.set),
        ("«set keys»", &texts.set_keys),
        ("«reach»", &texts.reach),
        ("«code row»", texts.code_row),
        ("«calling»", texts.calling),
        ("«handlers»", &texts.handlers),
        ("«tools»", &texts.tools),
        ("«models»", &texts.models),
        ("«code argument»", if called.is_empty() { "" } else { ", code" }),
        ("«code»", &texts.code),
    ];
    let mut files = vec![
        ("workflow.json", lines(document)),
        ("test/input.json", lines(&trial.input)),
        ("test/answers.json", lines(&trial.answers)),
    ];
    let mut put = |path: &'static str, template: &str| files.push((path, filled(template, &marks)));
    put(".gitignore", include_str!("project/common/gitignore"));
    put("src/settings.js", include_str!("project/common/settings.js"));
    put("src/workflow.js", include_str!("project/common/workflow.js"));
    if !called.is_empty() {
        put("src/code.js", include_str!("project/common/code.js"));
    }
    if target != Target::Restate {
        put("src/access.js", include_str!("project/common/access.js"));
        put("test/run.test.js", include_str!("project/common/run.test.js"));
    }
    match target {
        Target::DurableObject => {
            put("src/index.js", include_str!("project/object/index.js"));
            put("wrangler.jsonc", include_str!("project/object/wrangler.jsonc"));
        }
        Target::Workflows => {
            put("src/index.js", include_str!("project/workflows/index.js"));
            put("wrangler.jsonc", include_str!("project/workflows/wrangler.jsonc"));
        }
        Target::Deno => {
            put("main.js", include_str!("project/deno/main.js"));
            put("deno.json", include_str!("project/deno/deno.json"));
            put("test/serve.js", include_str!("project/deno/serve.js"));
            put("README.md", include_str!("project/deno/README.md"));
        }
        Target::Node => {
            put("server.js", include_str!("project/node/server.js"));
            put("src/http.js", include_str!("project/node/http.js"));
            put("package.json", include_str!("project/node/package.json"));
            put("test/serve.js", include_str!("project/node/serve.js"));
            put("README.md", include_str!("project/node/README.md"));
        }
        Target::Restate => {
            put("src/server.js", include_str!("project/restate/server.js"));
            put("src/service.js", include_str!("project/restate/service.js"));
            put("package.json", include_str!("project/restate/package.json"));
            put("test/serve.js", include_str!("project/restate/serve.js"));
            put("test/run.test.js", include_str!("project/restate/run.test.js"));
            put("README.md", include_str!("project/restate/README.md"));
        }
    }
    if matches!(target, Target::Deno | Target::Node) {
        put("src/served.js", include_str!("project/common/served.js"));
    }
    if matches!(target, Target::DurableObject | Target::Workflows) {
        put("package.json", include_str!("project/cloudflare/package.json"));
        put("test/serve.js", include_str!("project/cloudflare/serve.js"));
        put("README.md", include_str!("project/cloudflare/README.md"));
    }
    files.sort_by_key(|(path, _)| *path);
    files
}

/// What a person types in the folder into which the project was unpacked, up to its first answer.
pub fn commands(name: &str, target: Target, reach: &Reach) -> String {
    let set_keys = set_keys(reach, target);
    let enter = format!("unzip {name}.zip && cd {name}\n");
    match target {
        Target::DurableObject | Target::Workflows => format!(
            "{enter}npm install && npm test\nnpx wrangler deploy\nnpx wrangler secret put {ACCESS_TOKEN}\n{set_keys}"
        ),
        Target::Deno => format!(
            "{enter}deno task test\nexport {ACCESS_TOKEN}=$(openssl rand -hex 32)\n{set_keys}mkdir -p runs && deno task start\n"
        ),
        Target::Node => format!(
            "{enter}npm install && npm test\nexport {ACCESS_TOKEN}=$(openssl rand -hex 32)\n{set_keys}npm start\n"
        ),
        Target::Restate => {
            format!("{enter}npm install && npm test\n{set_keys}npm run restate &\nnpm start\n")
        }
    }
}

/// A line for each key. Their names have a strict grammar, which the check of what a workflow reaches has ensured.
fn set_keys(reach: &Reach, target: Target) -> String {
    let set = |key: &String| match target {
        Target::DurableObject | Target::Workflows => format!("npx wrangler secret put {key}\n"),
        // Asked without showing what is typed: a key that stands in a command is in the shell's history.
        Target::Deno | Target::Node | Target::Restate => {
            format!("printf '{key}: '; read -rs {key}; export {key}; echo\n")
        }
    };
    reach.keys.keys().map(set).collect()
}

/// What the templates say of this document and this target.
struct Texts {
    about: &'static str,
    bindings: &'static str,
    client: String,
    imports: String,
    origins: String,
    keys: String,
    key_names: String,
    net: String,
    set: &'static str,
    set_keys: String,
    reach: String,
    code_row: &'static str,
    calling: &'static str,
    handlers: String,
    tools: String,
    models: String,
    code: String,
}

impl Texts {
    fn of(document: &Document, reach: &Reach, target: Target, called: &Called) -> Self {
        let (about, bindings) = match target {
            Target::Workflows => (
                "as a Cloudflare Workflow: the platform keeps what each step gave, and goes on after a crash. There are no live events, and a run is not shown step by step but in the dashboard",
                r#"workflows: { RUNS: { name: "runs", className: "Runs" } }"#,
            ),
            _ => (
                "as a Cloudflare Worker: a Durable Object keeps its runs, which can be followed, answered and cancelled, and wakes them by itself",
                r#"durableObjects: { RUNS: { className: "Runs", useSQLite: true } }"#,
            ),
        };
        let client = match (asks_servers(document), target) {
            (false, _) => String::new(),
            (true, Target::Deno) => format!(
                "\n    \"@modelcontextprotocol/client\": \"npm:@modelcontextprotocol/client@{MCP_CLIENT}\","
            ),
            (true, _) => format!("\n    \"@modelcontextprotocol/client\": \"{MCP_CLIENT}\","),
        };
        let has_input = document.input.is_some();
        let calling = match (target, has_input) {
            (Target::DurableObject | Target::Deno | Target::Node, true) => {
                "The body is the input: only the keys that `input` of `workflow.json` names are taken. `pending` of a run says what it asks, and under which keys it is answered. All addresses are described at `/openapi.json`."
            }
            (Target::DurableObject | Target::Deno | Target::Node, false) => {
                "The workflow has no `input`, so callers give it nothing: send `{}`, or describe in `workflow.json` under `input` what they may give. `pending` of a run says what it asks, and under which keys it is answered. All addresses are described at `/openapi.json`."
            }
            (Target::Workflows, _) => {
                "The body is merged over the state with which the workflow begins. Answers have the ids of the approvals as their keys. What went wrong in a run is in `npx wrangler workflows instances describe`."
            }
            (Target::Restate, _) => {
                "The body is merged over the state with which the workflow begins. `pending` says what a run asks, and under which keys it is answered."
            }
        };
        let stub = |name: &String| format!("\n    [{0}]: () => unwritten({0}),", quoted(name));
        let tool = |name: &String| {
            format!("\n    tool({{ name: {0}, execute: () => unwritten({0}) }}),", quoted(name))
        };
        let block = |rows: String| if rows.is_empty() { rows } else { format!("{rows}\n  ") };
        Self {
            about,
            bindings,
            client,
            imports: imports(document)
                + if called.is_empty() { "" } else { "import { code } from \"./code.js\";\n" },
            origins: one_line(&reach.origins),
            keys: one_line(&reach.keys.iter().collect::<Vec<_>>()),
            key_names: one_line(&reach.keys.keys().collect::<Vec<_>>()),
            net: net(reach),
            set: match target {
                Target::DurableObject | Target::Workflows => "npx wrangler secret put",
                Target::Deno | Target::Node | Target::Restate => "set the environment variable",
            },
            set_keys: set_keys(reach, target),
            reach: where_requests_go(document, reach),
            code_row: if called.is_empty() {
                ""
            } else {
                "| `src/code.js` | the functions that the workflow calls: yours to write |\n"
            },
            calling,
            handlers: block(called.handlers.iter().map(stub).collect()),
            tools: block(called.tools.iter().map(tool).collect()),
            models: block(called.models.iter().map(stub).collect()),
            code: to_write(called),
        }
    }
}

/// What the README says of functions that are not in the document. Names are any texts: as JSON in a block of code they
/// are nothing else.
fn to_write(called: &Called) -> String {
    if called.is_empty() {
        return String::new();
    }
    let kinds = [("function", &called.handlers), ("tool", &called.tools), ("model", &called.models)];
    let rows = kinds
        .iter()
        .flat_map(|(kind, names)| names.iter().map(move |name| format!("{kind} {}\n", quoted(name))));
    format!(
        "\nThe workflow calls functions that only you have. Write them in `src/code.js`; until then a run fails where it calls one, and so does `npm test`:\n\n```text\n{}```\n",
        rows.collect::<String>()
    )
}

fn where_requests_go(document: &Document, reach: &Reach) -> String {
    let remarks: String = remarks(document, reach).iter().map(|said| format!("\n{said}\n")).collect();
    if reach.origins.is_empty() {
        return format!("It sends no requests.\n{remarks}");
    }
    let keyed = reach.keys.iter().map(|(key, origins)| format!("- `{key}` goes to {}\n", listed(origins)));
    let keyless = reach.without_key().map(|origin| format!("- {origin} is called without a key\n"));
    format!(
        "Requests go to these addresses and nowhere else, each key to its own:\n\n{}{remarks}",
        keyed.chain(keyless).collect::<String>()
    )
}

/// The addresses that Deno's process may reach: where it listens, and where the workflow sends requests.
fn net(reach: &Reach) -> String {
    let address = |origin: &String| {
        let (scheme, host, port) = parts_of(origin);
        let own = if scheme == "http" { "80" } else { "443" };
        format!(",{host}:{}", port.unwrap_or(own))
    };
    format!("0.0.0.0{}", reach.origins.iter().map(address).collect::<String>())
}

/// A text of JavaScript, of JSON, or of a block of code.
fn quoted(text: &str) -> String {
    one_line(&text)
}

// Names, maps with text keys and documents are plain data, which always has a JSON form.
fn one_line(value: &impl Serialize) -> String {
    json::text(value)
}

fn lines(value: &impl Serialize) -> String {
    json::lines(value) + "\n"
}

#[cfg(test)]
mod tests;
