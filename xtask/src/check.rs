//! What must hold before a change goes in, besides the tests.

use std::process::ExitCode;

use anyhow::Result;
use xshell::cmd;

use crate::suites::{self, Stage, Suite};
use crate::workspace::Workspace;
use crate::{build_page, licences, packed, reference, schema, setup, size};

const WASM_TARGET: &str = "wasm32-unknown-unknown";
const TYPESCRIPT_WORKSPACES: [&str; 5] = ["pkg", "web", "tests", "examples/cloudflare", "examples/relay"];

pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    setup::for_checks(workspace)?;
    let checks = vec![
        Suite::new("fmt", "formatting of the Rust code", || fmt(workspace)),
        Suite::new("clippy", "lints of the Rust code", || clippy(workspace)),
        Suite::new("tsc", "types of the TypeScript code", || tsc(workspace)),
        Suite::new("schema", "what is made from the core is committed as the core says it", || {
            schema::check(workspace)
        }),
        Suite::new("reference", "the API reference and its links", || reference::write(workspace)),
        Suite::new("licences", "the committed licences are those of what is compiled in", || {
            licences::check(workspace)
        }),
        Suite::new("publint", "the packed package's metadata", || publint(workspace)),
        Suite::new("attw", "the packed package's types, for each way to import it", || attw(workspace)),
        Suite::new("size", "what each entry loads, against the budgets", || size::run(workspace)),
    ];
    suites::run(&[Stage::InTurn(checks)], "")
}

fn fmt(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    Ok(cmd!(shell, "cargo fmt --all --check").quiet().run()?)
}

// The wasm crates are looked at once more as they are shipped: the page with a core that has no engine, and the engine of
// functions alone.
fn clippy(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    cmd!(shell, "cargo clippy --quiet --workspace --all-targets --features xtask/schema -- --deny warnings")
        .quiet()
        .run()?;
    for package in ["stepweave-pkg", "stepweave-web"] {
        cmd!(shell, "cargo clippy --quiet --package {package} --target {WASM_TARGET} -- --deny warnings")
            .quiet()
            .run()?;
    }
    let functions = ["--package", "stepweave-pkg", "--no-default-features"];
    cmd!(shell, "cargo clippy --quiet {functions...} --target {WASM_TARGET} -- --deny warnings")
        .quiet()
        .run()?;
    Ok(())
}

// After the builds: the page's code and the example import what these make.
fn tsc(workspace: &Workspace) -> Result<()> {
    build_page::build(workspace)?;
    let shell = &workspace.shell;
    let tsc = workspace.npm_tool("tsc");
    for folder in TYPESCRIPT_WORKSPACES {
        if shell.path_exists(format!("{folder}/tsconfig.json")) {
            cmd!(shell, "{tsc} --noEmit --project {folder}").quiet().run()?;
        }
    }
    Ok(())
}

fn publint(workspace: &Workspace) -> Result<()> {
    let tarball = packed::tarball(workspace)?;
    let shell = &workspace.shell;
    let publint = workspace.npm_tool("publint");
    Ok(cmd!(shell, "{publint} {tarball} --strict").quiet().run()?)
}

// The sub-paths are ES modules alone, on purpose: only the main entry has to suit `require` too.
fn attw(workspace: &Workspace) -> Result<()> {
    let tarball = packed::tarball(workspace)?;
    let shell = &workspace.shell;
    let attw = workspace.npm_tool("attw");
    let look = ["--profile", "node16", "--format", "table-flipped", "--no-color"];
    cmd!(shell, "{attw} {tarball} {look...} --entrypoints .").quiet().run()?;
    cmd!(shell, "{attw} {tarball} {look...} --ignore-rules cjs-resolves-to-esm").quiet().run()?;
    Ok(())
}
