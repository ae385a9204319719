//! The npm package: the engine's wasm and glue in pkg/generated, then the JavaScript of pkg/dist.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::step;
use crate::stamp::Work;
use crate::wasm::{self, Crate, Glue, GlueStyle};
use crate::workspace::Workspace;
use crate::{glue, rewrite};

/// What pkg/dist is made from, besides the generated files.
const SOURCES: [&str; 12] = [
    "docs",
    "pkg/ts",
    "pkg/schema",
    "pkg/build.mjs",
    "pkg/chunks.mjs",
    "pkg/encode.mjs",
    "pkg/grouping.mjs",
    "pkg/meter.mjs",
    "pkg/sandbox.mjs",
    "pkg/package.json",
    "pkg/tsconfig.json",
    "package-lock.json",
];

/// What an engine is compiled from.
const ENGINE_SOURCES: [&str; 8] = [
    "core/src",
    "core/Cargo.toml",
    "pkg/src",
    "pkg/Cargo.toml",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
    "rust-toolchain.toml",
];

/// A build of the engine.
struct Engine {
    /// What its files are called.
    name: &'static str,
    compiled: Crate,
}

/// All of it, and one for workflows of functions alone, which has neither templates and expressions nor agents.
const ENGINES: [Engine; 2] = [
    Engine {
        name: "stepweave",
        compiled: Crate {
            package: "stepweave-pkg",
            profile: "engine",
            features: &["agents"],
            linker: &[],
            flags: &[],
        },
    },
    Engine {
        name: "stepweave_functions",
        compiled: Crate {
            package: "stepweave-pkg",
            profile: "engine",
            features: &[],
            linker: &[],
            flags: &[],
        },
    },
];

impl Engine {
    fn wasm(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}_bg.wasm", self.name))
    }

    fn glue(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}_glue.js", self.name))
    }
}

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
    let generated = workspace.path("pkg/generated");
    for engine in &ENGINES {
        let compiled = compile(workspace, engine)?;
        let output = engine.wasm(&generated);
        Work { name: engine.name, inputs: std::slice::from_ref(&compiled), output: &output }.when_stale(
            workspace,
            || {
                step(&format!("making {}_bg.wasm", engine.name), || {
                    generate(workspace, engine, &compiled, &generated)
                })
            },
        )?;
    }

    // No others in that folder: making pkg/dist leaves some there.
    let made = ENGINES.iter().flat_map(|engine| [engine.glue(&generated), engine.wasm(&generated)]);
    let inputs: Vec<PathBuf> = SOURCES.iter().map(|source| workspace.path(source)).chain(made).collect();
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

/// Cargo has one place for what it makes of a crate, whatever its features are: each build is taken out of there, and
/// cargo, which would link both anew each time, is called when a source has changed.
fn compile(workspace: &Workspace, engine: &Engine) -> Result<PathBuf> {
    let compiled = workspace.scratch().join(format!("{}.wasm", engine.name));
    let inputs = ENGINE_SOURCES.map(|source| workspace.path(source));
    let name = format!("{}-compiled", engine.name);
    Work { name: &name, inputs: &inputs, output: &compiled }.when_stale(workspace, || {
        let made = wasm::compile(workspace, &engine.compiled)?;
        fs::create_dir_all(workspace.scratch())?;
        fs::copy(made, &compiled)?;
        Ok(())
    })?;
    Ok(compiled)
}

fn generate(workspace: &Workspace, engine: &Engine, compiled: &Path, generated: &Path) -> Result<()> {
    let scratch = workspace.scratch().join(format!("{}-glue", engine.name));
    // The glue's own name is the same in all builds, for the instance asks its imports of it.
    let bindgen = Glue { name: "stepweave", style: GlueStyle::Bundler, folder: &scratch };
    bindgen.generate(compiled)?;
    wasm::shrink(workspace, &bindgen.wasm(), &PASSES)?;
    let mut names: Vec<String> = Vec::new();
    rewrite::rename_imports(&bindgen.wasm(), |name| {
        names.push(name.to_owned());
        (names.len() - 1).to_string()
    })?;

    fs::create_dir_all(generated)?;
    let module = fs::read_to_string(scratch.join("stepweave_bg.js"))?;
    fs::write(engine.glue(generated), glue::as_factory(&module, &names)?)?;
    // Last, for the stamp asks for it: what was interrupted before is done again.
    fs::copy(bindgen.wasm(), engine.wasm(generated))?;
    Ok(())
}
