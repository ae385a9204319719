//! What each entry of the package loads, compressed, against the budgets; and what it loads later for a document that
//! needs a part of the engine. And what the page loads.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::split::PARTS;
use crate::workspace::Workspace;
use crate::{build_page, page_size, setup};

const WASM: &str = "stepweave_bg.wasm";

/// An entry, named by its path in the package's export map, and the most it may load before it runs anything.
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
        kilobytes: 250.0,
    },
    Budget {
        name: "/web",
        export: ["./web", "default"],
        loads_wasm_file: LoadsWasmFile::Yes,
        kilobytes: 250.0,
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
    build_page::build(workspace)?;
    let entries = check(workspace);
    // Both are told, whichever is over its budget.
    page_size::check(workspace).and(entries)
}

/// Prints the table; fails when an entry is over its budget.
fn check(workspace: &Workspace) -> Result<()> {
    let package = workspace.path("pkg");
    let manifest = read_json(&package.join("package.json"))?;
    let meta = read_json(&package.join("dist/meta.json"))?;
    let wasm = gzipped_kilobytes(&package.join("dist").join(WASM))?;
    let mut over = Vec::new();
    print!("{:<10} {:>9} {:>9} {:>9} {:>9}", "entry", "js KB", "wasm KB", "sum KB", "budget");
    PARTS.iter().for_each(|part| print!(" {:>11}", format!("+{}", part.name)));
    println!(" {:>9}", "all KB");
    for budget in &BUDGETS {
        let scripts = loaded_scripts(&meta, entry_of(&manifest, budget)?)?;
        let script = scripts_kilobytes(&package, &scripts)?;
        let wasm = if budget.loads_wasm_file == LoadsWasmFile::Yes { wasm } else { 0.0 };
        let sum = script + wasm;
        print!("{:<10} {script:>9.1} {wasm:>9.1} {sum:>9.1} {:>9.0}", budget.name, budget.kilobytes);
        let mut all = sum;
        for part in &PARTS {
            let later = match budget.loads_wasm_file {
                LoadsWasmFile::Yes => {
                    gzipped_kilobytes(&package.join(format!("dist/stepweave_{}.wasm", part.name)))?
                }
                LoadsWasmFile::Inline => {
                    let mut more = loaded_scripts(&meta, chunk_of(&meta, part.name)?)?;
                    more.retain(|file| !scripts.contains(file));
                    scripts_kilobytes(&package, &more)?
                }
            };
            all += later;
            print!(" {later:>11.1}");
        }
        println!(" {all:>9.1}");
        if sum > budget.kilobytes {
            over.push(budget.name);
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    bail!("over its budget: {}", over.join(", "))
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

/// The file that has a part of the engine as text.
fn chunk_of<'a>(meta: &'a Value, part: &str) -> Result<&'a str> {
    let source = format!("ts/entries/{part}-bytes.ts");
    let mut outputs = meta.get("outputs").and_then(Value::as_object).into_iter().flatten();
    let is_it = |output: &Value| output.get("entryPoint").and_then(Value::as_str) == Some(&source);
    let chunk = outputs.find(|(_, output)| is_it(output));
    chunk.map(|(name, _)| name.as_str()).with_context(|| format!("no script of pkg/dist is made of {source}"))
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
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&content)?;
    Ok(encoder.finish()?.len() as f64 / 1000.0)
}
