//! What each entry of the package loads, compressed, against the budgets; what a Worker is that bundles it; and what the
//! page loads.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use xshell::cmd;

use crate::workspace::Workspace;
use crate::{build_page, page_size, setup};

/// An entry, named by its path in the package's export map, and the most that it may load.
struct Budget {
    name: &'static str,
    export: [&'static str; 2],
    wasm: Wasm,
    kilobytes: f64,
}

/// How an entry comes to the engine.
#[derive(Clone, Copy)]
enum Wasm {
    File(&'static str),
    /// The bytes are in the JavaScript.
    Inline,
}

const FUNCTIONS: Wasm = Wasm::File("stepweave_functions_bg.wasm");
const ENGINE: Wasm = Wasm::File("stepweave_bg.wasm");

const BUDGETS: [Budget; 6] = [
    Budget {
        name: "functions, workerd",
        export: ["./functions", "workerd"],
        wasm: FUNCTIONS,
        kilobytes: 168.0,
    },
    Budget {
        name: "functions/web",
        export: ["./functions/web", "default"],
        wasm: FUNCTIONS,
        kilobytes: 168.0,
    },
    Budget {
        name: "functions, inline",
        export: ["./functions", "default"],
        wasm: Wasm::Inline,
        kilobytes: 171.5,
    },
    Budget { name: "workerd", export: [".", "workerd"], wasm: ENGINE, kilobytes: 418.0 },
    Budget { name: "/web", export: ["./web", "default"], wasm: ENGINE, kilobytes: 418.0 },
    Budget { name: "inline", export: [".", "import"], wasm: Wasm::Inline, kilobytes: 427.0 },
];

/// A Worker that a bundler makes of these exports, minified in one script, with the engine as a module beside it. It holds
/// what other programs load on use.
struct Worker {
    name: &'static str,
    program: &'static str,
    wasm: &'static str,
}

const WORKERS: [Worker; 2] = [
    Worker {
        name: "Worker of functions",
        program: "export { Workflow } from \"stepweave/functions\";",
        wasm: "stepweave_functions_bg.wasm",
    },
    Worker {
        name: "Worker with agents",
        program: "export { Agent, openai, tool, Workflow } from \"stepweave\";",
        wasm: "stepweave_bg.wasm",
    },
];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    setup::for_builds(workspace)?;
    build_page::build(workspace)?;
    let entries = check(workspace);
    // Both are told, whichever is over its budget.
    page_size::check(workspace).and(entries)
}

/// Prints the table; fails when an entry is over its budget.
fn check(workspace: &Workspace) -> Result<()> {
    let package = workspace.path("pkg");
    let dist = package.join("dist");
    let manifest = read_json(&package.join("package.json"))?;
    let meta = read_json(&dist.join("meta.json"))?;
    let mut over = Vec::new();
    println!("{:<20} {:>9} {:>9} {:>9} {:>9}", "entry", "js KB", "wasm KB", "sum KB", "budget");
    for budget in &BUDGETS {
        let scripts = loaded_scripts(&meta, entry_of(&manifest, budget)?)?;
        let script = scripts_kilobytes(&package, &scripts)?;
        let wasm = match budget.wasm {
            Wasm::File(file) => gzipped_kilobytes(&dist.join(file))?,
            Wasm::Inline => 0.0,
        };
        let sum = script + wasm;
        println!("{:<20} {script:>9.1} {wasm:>9.1} {sum:>9.1} {:>9.0}", budget.name, budget.kilobytes);
        if sum > budget.kilobytes {
            over.push(budget.name);
        }
    }
    for worker in &WORKERS {
        let script = bundled_kilobytes(workspace, worker.program)?;
        let wasm = gzipped_kilobytes(&dist.join(worker.wasm))?;
        println!("{:<20} {script:>9.1} {wasm:>9.1} {:>9.1}", worker.name, script + wasm);
    }
    if over.is_empty() {
        return Ok(());
    }
    bail!("over its budget: {}", over.join(", "))
}

/// How long the script of a Worker is when it is packed, as `wrangler deploy --minify` makes it.
fn bundled_kilobytes(workspace: &Workspace, program: &str) -> Result<f64> {
    let shell = &workspace.shell;
    let esbuild = workspace.npm_tool("esbuild");
    let output = workspace.scratch().join("worker-size.js");
    let options = [
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2024",
        "--conditions=workerd,worker,browser",
        "--external:*.wasm",
        "--external:node:*",
        "--log-level=error",
    ];
    cmd!(shell, "{esbuild} {options...} --outfile={output}").stdin(program).quiet().run()?;
    gzipped_kilobytes(&output)
}

fn scripts_kilobytes(package: &Path, scripts: &BTreeSet<String>) -> Result<f64> {
    scripts.iter().map(|file| gzipped_kilobytes(&package.join("dist").join(file))).sum()
}

/// The file of an entry.
fn entry_of<'a>(manifest: &'a Value, budget: &Budget) -> Result<&'a str> {
    let [path, condition] = budget.export;
    let export =
        manifest.pointer("/exports").and_then(|exports| exports.get(path)).and_then(|it| it.get(condition));
    export
        .and_then(|it| it.as_str().or_else(|| it.get("default")?.as_str()))
        .with_context(|| format!("pkg/package.json exports nothing for {path} under {condition}"))
}

/// A file of pkg/dist and all that it imports statically, as file names.
fn loaded_scripts(meta: &Value, entry: &str) -> Result<BTreeSet<String>> {
    let outputs =
        meta.get("outputs").and_then(Value::as_object).context("pkg/dist/meta.json has no outputs")?;
    let mut loaded = BTreeSet::new();
    let mut open = vec![file_name(entry)];
    while let Some(file) = open.pop() {
        if file.ends_with(".wasm") || file.ends_with(".wasm?module") || !loaded.insert(file.clone()) {
            continue;
        }
        let (_, output) = outputs
            .iter()
            .find(|(name, _)| file_name(name) == file)
            .with_context(|| format!("pkg/dist/meta.json knows no {file}"))?;
        let imports = output.get("imports").and_then(Value::as_array).into_iter().flatten();
        open.extend(
            imports
                .filter(|import| import.get("kind").and_then(Value::as_str) == Some("import-statement"))
                .filter_map(|import| import.get("path")?.as_str().map(file_name)),
        );
    }
    Ok(loaded)
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn read_json(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))
}

/// How long a file is when it is packed.
pub(crate) fn gzipped_kilobytes(path: &Path) -> Result<f64> {
    let content = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(gzipped(&content)? as f64 / 1000.0)
}

/// How many bytes are left of these when they are packed.
pub(crate) fn gzipped(content: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?.len())
}
