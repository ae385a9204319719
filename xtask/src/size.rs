//! What each entry of the package loads, compressed, against the budgets.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::workspace::Workspace;
use crate::{build_package, setup};

const WASM: &str = "stepweave_bg.wasm";

/// An entry, named by its path in the package's export map, and the most it may load.
struct Budget {
    name: &'static str,
    export: [&'static str; 2],
    loads_wasm_file: LoadsWasmFile,
    kilobytes: f64,
}

#[derive(PartialEq)]
enum LoadsWasmFile {
    Yes,
    /// The bytes are in the JavaScript.
    Inline,
}

const BUDGETS: [Budget; 3] = [
    Budget {
        name: "workerd",
        export: [".", "workerd"],
        loads_wasm_file: LoadsWasmFile::Yes,
        kilobytes: 321.0,
    },
    Budget {
        name: "/web",
        export: ["./web", "default"],
        loads_wasm_file: LoadsWasmFile::Yes,
        kilobytes: 321.0,
    },
    Budget {
        name: "inline",
        export: [".", "import"],
        loads_wasm_file: LoadsWasmFile::Inline,
        kilobytes: 340.0,
    },
];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    setup::for_builds(workspace)?;
    build_package::build(workspace)?;
    check(workspace)
}

/// Prints the table; fails when an entry is over its budget.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let package = workspace.path("pkg");
    let manifest = read_json(&package.join("package.json"))?;
    let meta = read_json(&package.join("dist/meta.json"))?;
    let wasm = gzipped_kilobytes(&package.join("dist").join(WASM))?;
    let mut over = Vec::new();
    println!("{:<10} {:>9} {:>9} {:>9} {:>9}", "entry", "js KB", "wasm KB", "sum KB", "budget");
    for budget in &BUDGETS {
        let mut script = 0.0;
        for file in loaded_scripts(&manifest, &meta, budget)? {
            script += gzipped_kilobytes(&package.join("dist").join(file))?;
        }
        let wasm = if budget.loads_wasm_file == LoadsWasmFile::Yes { wasm } else { 0.0 };
        let sum = script + wasm;
        println!("{:<10} {script:>9.1} {wasm:>9.1} {sum:>9.1} {:>9.0}", budget.name, budget.kilobytes);
        if sum > budget.kilobytes {
            over.push(budget.name);
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    bail!("over its budget: {}", over.join(", "))
}

/// The entry's file and all that it imports statically, as file names in pkg/dist.
fn loaded_scripts(manifest: &Value, meta: &Value, budget: &Budget) -> Result<BTreeSet<String>> {
    let [path, condition] = budget.export;
    let export =
        manifest.pointer("/exports").and_then(|exports| exports.get(path)).and_then(|it| it.get(condition));
    let entry = export
        .and_then(|it| it.as_str().or_else(|| it.get("default")?.as_str()))
        .with_context(|| format!("pkg/package.json exports nothing for {path} under {condition}"))?;

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

fn gzipped_kilobytes(path: &Path) -> Result<f64> {
    let content = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&content)?;
    Ok(encoder.finish()?.len() as f64 / 1000.0)
}
