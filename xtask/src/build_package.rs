//! The npm package: the engine's wasm and glue in pkg/generated, then the JavaScript of pkg/dist.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::step;
use crate::split::{self, ENGINE, Engine, PARTS};
use crate::stamp::Work;
use crate::wasm::{self, Crate, Glue, GlueStyle, Names};
use crate::workspace::Workspace;
use crate::{glue, imports};

/// What pkg/dist is made from, besides the generated files.
const SOURCES: [&str; 11] = [
    "docs",
    "pkg/ts",
    "pkg/schema",
    "pkg/build.mjs",
    "pkg/encode.mjs",
    "pkg/meter.mjs",
    "pkg/sandbox.mjs",
    "pkg/tables.mjs",
    "pkg/package.json",
    "pkg/tsconfig.json",
    "package-lock.json",
];

/// The relocations say which functions and which data lead to which.
const ENGINE_CRATE: Crate =
    Crate { package: "stepweave-pkg", profile: "engine", linker: &["--emit-relocs"], cfg: &[] };

/// Flattening first finds one percent more, and the second round cleans up after it. A function with one caller
/// is left where it is: within it, it would be shorter, but larger when packed.
/// Zeros that are left out of the data cost more than they save, and cut tables in pieces.
const PASSES: [&str; 7] = [
    "--flatten",
    "--rereloop",
    "-O3",
    "-O3",
    "--one-caller-inline-max-function-size=0",
    "--skip-pass=memory-packing",
    // The first kilobyte is the end of the stack, where no pointer that wraps around leads.
    "--low-memory-unused",
];

/// Expects the set-up to be done.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let compiled = wasm::compile(workspace, &ENGINE_CRATE)?;
    let generated = workspace.path("pkg/generated");
    let output = generated.join("stepweave_bg.wasm");
    Work { name: "package-wasm", inputs: std::slice::from_ref(&compiled), output: &output }
        .when_stale(workspace, || {
            step("making pkg/generated", || generate(workspace, &compiled, &generated))
        })?;

    let mut inputs: Vec<PathBuf> = SOURCES.iter().map(|source| workspace.path(source)).collect();
    inputs.push(generated);
    Work { name: "package", inputs: &inputs, output: &workspace.path("pkg/dist") }.when_stale(
        workspace,
        || {
            step("making pkg/dist", || {
                let shell = &workspace.shell;
                cmd!(shell, "npm run --silent build --workspace pkg")
                    .quiet()
                    .run()
                    .context("the TypeScript of pkg/ does not build; the messages above say where")
            })
        },
    )
}

fn generate(workspace: &Workspace, compiled: &Path, generated: &Path) -> Result<()> {
    let scratch = workspace.scratch().join("package-glue");
    let bindgen = Glue { name: "stepweave", style: GlueStyle::Bundler, folder: &scratch };
    bindgen.generate(compiled, Names::Kept)?;
    let engine = Engine::new(compiled, &bindgen.wasm(), &PARTS)?;
    let parts = engine.write_parts(&scratch)?;
    // Only what is left of the parts says what they want of the engine.
    parts.iter().try_for_each(|part| wasm::shrink(workspace, part, &PASSES))?;
    let exports = split::number_exports(&parts)?;
    engine.write_rest(&bindgen.wasm(), &exports)?;
    wasm::shrink(workspace, &bindgen.wasm(), &PASSES)?;
    let mut names: Vec<String> = Vec::new();
    for file in std::iter::once(&bindgen.wasm()).chain(&parts) {
        imports::rename(file, |module, name| match module {
            ENGINE => split::exported(&exports, name),
            _ => match names.iter().position(|known| known == name) {
                Some(number) => number.to_string(),
                None => {
                    names.push(name.to_owned());
                    (names.len() - 1).to_string()
                }
            },
        })?;
    }

    fs::create_dir_all(generated)?;
    let module = fs::read_to_string(scratch.join("stepweave_bg.js"))?;
    fs::write(generated.join("glue.js"), glue::as_factory(&module, &names)?)?;
    let types = fs::read_to_string(scratch.join("stepweave.d.ts"))?;
    fs::write(generated.join("glue.d.ts"), glue::factory_types(&types))?;
    for part in &parts {
        fs::copy(part, generated.join(part.file_name().unwrap_or_default()))?;
    }
    // Last, for the stamp asks for it: what was interrupted before is done again.
    fs::copy(bindgen.wasm(), generated.join("stepweave_bg.wasm"))?;
    Ok(())
}
