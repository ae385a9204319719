//! The npm package: the engine's wasm and glue in pkg/generated, then the JavaScript of pkg/dist.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::glue;
use crate::progress::step;
use crate::stamp::Work;
use crate::wasm::{self, Glue, GlueStyle};
use crate::workspace::Workspace;

/// What pkg/dist is made from, besides the generated files.
const SOURCES: [&str; 10] = [
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

/// Expects the set-up to be done.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let compiled = wasm::compile(workspace, "stepweave-pkg")?;
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
    bindgen.generate(compiled)?;
    // Flattening first finds one percent more, and the second round cleans up after it. A function with one caller
    // is left where it is: within it, it would be shorter, but larger when packed.
    // Zeros that are left out of the data cost more than they save, and cut tables in pieces.
    let passes = [
        "--flatten",
        "--rereloop",
        "-Oz",
        "-Oz",
        "--one-caller-inline-max-function-size=0",
        "--skip-pass=memory-packing",
    ];
    wasm::shrink(workspace, &bindgen.wasm(), &passes)?;

    fs::create_dir_all(generated)?;
    let module = fs::read_to_string(scratch.join("stepweave_bg.js"))?;
    fs::write(generated.join("glue.js"), glue::as_factory(&module)?)?;
    let types = fs::read_to_string(scratch.join("stepweave.d.ts"))?;
    fs::write(generated.join("glue.d.ts"), glue::factory_types(&types))?;
    // Last, for the stamp asks for it: what was interrupted before is done again.
    fs::copy(bindgen.wasm(), generated.join("stepweave_bg.wasm"))?;
    Ok(())
}
