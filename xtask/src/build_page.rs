//! The builder's page in web/dist, which runs workflows with the package of this repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use wasm_split_cli_support::Options;
use xshell::cmd;

use crate::build_package;
use crate::progress::step;
use crate::rewrite;
use crate::stamp::Work;
use crate::wasm::{self, Crate, Glue, GlueStyle};
use crate::workspace::Workspace;

/// Views of erased types: Leptos would compile each place that shows one for the types of all that is in it.
///
/// The relocations say which functions and which data only the views need that come in files of their own.
const PAGE: Crate = Crate {
    package: "stepweave-web",
    profile: "release",
    features: &[],
    linker: &["--emit-relocs"],
    flags: &["--cfg=erase_components"],
};

/// As for the engine, but for size alone: one percent less than a single `-Oz`.
const PASSES: [&str; 7] = [
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--one-caller-inline-max-function-size=0",
    "--skip-pass=memory-packing",
    "--low-memory-unused",
];

/// What web/dist is made from, besides the page's wasm.
const SOURCES: [&str; 8] = [
    "index.html",
    "web/ts",
    "web/css",
    "web/vite.config.ts",
    "web/package.json",
    "examples",
    "pkg/dist",
    "package-lock.json",
];

/// Builds the package, then the page. Expects the set-up to be done.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    let mut inputs: Vec<PathBuf> = SOURCES.iter().map(|source| workspace.path(source)).collect();
    inputs.push(compile(workspace)?);
    Work { name: "page", inputs: &inputs, output: &workspace.path("web/dist/index.html") }.when_stale(
        workspace,
        || {
            step("making web/dist", || {
                let shell = &workspace.shell;
                let vite = workspace.npm_tool("vite");
                cmd!(shell, "{vite} build --config web/vite.config.ts --logLevel warn")
                    .quiet()
                    .run()
                    .context("the page does not build; the messages above say where")
            })
        },
    )
}

/// Compiles the page's wasm, which needs nothing of the package, and returns the folder that has it.
pub(crate) fn compile(workspace: &Workspace) -> Result<PathBuf> {
    let compiled = wasm::compile(workspace, &PAGE)?;
    let generated = workspace.path("web/generated");
    let output = generated.join("stepweave_web_bg.wasm");
    Work { name: "page-wasm", inputs: std::slice::from_ref(&compiled), output: &output }
        .when_stale(workspace, || {
            step("making web/generated", || generate(workspace, &compiled, &generated))
        })?;
    Ok(generated)
}

fn generate(workspace: &Workspace, compiled: &Path, generated: &Path) -> Result<()> {
    // Emptied first: a bundler's watcher must not find snippets that no longer belong to the page.
    if generated.exists() {
        fs::remove_dir_all(generated)?;
    }
    let bindgen = Glue { name: "stepweave_web", style: GlueStyle::Web, folder: generated };
    let (main, chunks) = split(workspace, compiled, generated)?;
    chunks.iter().try_for_each(|chunk| wasm::shrink(workspace, chunk, &PASSES))?;
    // Last, for the stamp asks for its file: what was interrupted before is done again.
    bindgen.generate(&main)?;
    rewrite::drop_exports(&bindgen.wasm(), is_of_streams)?;
    wasm::shrink(workspace, &bindgen.wasm(), &PASSES)
}

/// Leptos brings streams of server functions along, whose classes the page makes none of.
fn is_of_streams(export: &str) -> bool {
    export.trim_start_matches("__wbg_").starts_with("intounderlying")
}

/// Splits off what the functions marked `wasm_split` lead to and nothing else does: writes these files and the module
/// that loads them. Returns the rest of the page, which is not glued yet, and the files.
fn split(workspace: &Workspace, compiled: &Path, generated: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let wasm = fs::read(compiled).with_context(|| format!("{} cannot be read", compiled.display()))?;
    let main = workspace.scratch().join("page-main.wasm");
    fs::create_dir_all(workspace.scratch())?;
    let mut options = Options::new(&wasm);
    options.output_dir = generated;
    options.main_out_path = &main;
    options.link_name = "./chunks.js";
    options.main_module = "./stepweave_web.js";
    let files = wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("{} cannot be split: {error:#}", compiled.display()))?;
    Ok((main, files.split_modules))
}
