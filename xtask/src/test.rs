//! The test suites that need no network.

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use xshell::cmd;

use crate::progress::step;
use crate::suites::{self, Stage, Suite};
use crate::workspace::Workspace;
use crate::{apart, build_package, build_page, node_tests, packed, setup};

/// Without it, Node's test runner writes a protocol for machines wherever there is no terminal.
const READABLE: &str = "--test-reporter=spec";

pub(crate) fn run(workspace: &Workspace, filter: &str) -> Result<ExitCode> {
    setup::for_tests(workspace)?;
    let clients = vec![
        Suite::new("package", "types and unit tests of the npm package", || package(workspace)),
        Suite::new("runtimes", "the scenarios through the packed package, on every runtime", || {
            runtimes(workspace)
        }),
        Suite::new("sandbox", "code steps through the packed package, on every runtime", || {
            sandbox(workspace)
        }),
        Suite::new("stores", "journals in every kind of store", || stores(workspace)),
        Suite::new("models", "models given in JavaScript, in Chromium and workerd", || models(workspace)),
        Suite::new("wire", "recorded answers as the official clients read them", || wire(workspace)),
        Suite::new("vendors", "next to the official clients and the libraries of others", || {
            vendors(workspace)
        }),
        Suite::new("pages", "what pages say of what they cannot reach", || pages(workspace)),
        Suite::new("worker", "the edge worker of examples/cloudflare, in workerd", || worker(workspace)),
        Suite::new("http", "a workflow behind HTTP, in Node, Deno, Bun and workerd", || {
            node_tests::run(workspace, "tests/http")
        }),
        Suite::new("imports", "files of other tools, as workflows", || {
            build_package::build(workspace)?;
            node_tests::run(workspace, "tests/imports")
        }),
        Suite::new("kill", "runs whose process is killed again and again", || kill(workspace)),
    ];
    let beside = vec![
        // First, since it takes minutes of one processor, and the page's tests want to be alone.
        Suite::new("builder", "the builder's WebAssembly, as the page has it", || {
            build_page::compile(workspace).map(drop)
        }),
        Suite::new("rust", "unit tests and scenarios, natively", || rust(workspace)),
        Suite::new("relay", "the relay of examples/relay, in Node and workerd", || {
            node_tests::run(workspace, "tests/relay")
        }),
        Suite::new("durable", "runs on durable engines, evicted and killed, and exported projects", || {
            durable(workspace)
        }),
    ];
    // Alone: its tests are timed by what a person would wait for.
    let last = vec![Suite::new("page", "the builder, in Chromium and Firefox", || page(workspace))];
    suites::run(&[Stage::Beside(clients, beside), Stage::InTurn(last)], filter)
}

// The chores are tested apart: their dependencies, built together with the rest, would be compiled a second time.
fn rust(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    cmd!(shell, "cargo test --quiet --workspace --exclude xtask").quiet().run()?;
    cmd!(shell, "cargo test --quiet --package xtask").quiet().run()?;
    Ok(())
}

fn package(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    // Here, since several of the suites after this one install it.
    step("packing the package", || packed::tarball(workspace))?;
    let shell = &workspace.shell;
    Ok(cmd!(shell, "npm test --silent --workspace pkg").env("NODE_OPTIONS", READABLE).quiet().run()?)
}

fn runtimes(workspace: &Workspace) -> Result<()> {
    let tarball = step("packing the package", || packed::tarball(workspace))?;
    let shell = &workspace.shell;
    Ok(cmd!(shell, "node tests/runtimes/run.mjs {tarball}").quiet().run()?)
}

fn sandbox(workspace: &Workspace) -> Result<()> {
    let tarball = step("packing the package", || packed::tarball(workspace))?;
    let shell = &workspace.shell;
    Ok(cmd!(shell, "node tests/sandbox/run.mjs {tarball}").quiet().run()?)
}

fn stores(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    node_tests::run(workspace, "tests/stores")
}

fn models(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    node_tests::run(workspace, "tests/models")
}

fn wire(workspace: &Workspace) -> Result<()> {
    vendors_installed(workspace)?;
    node_tests::run(workspace, "tests/wire")
}

fn vendors(workspace: &Workspace) -> Result<()> {
    vendors_installed(workspace)?;
    // Where a test finds the package as a user installs it.
    workspace.shell.set_var("STEPWEAVE_TARBALL", step("packing the package", || packed::tarball(workspace))?);
    node_tests::run(workspace, "tests/vendors")
}

fn vendors_installed(workspace: &Workspace) -> Result<()> {
    apart::install(workspace, "tests/vendors", "the official clients")
}

fn pages(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    node_tests::run(workspace, "tests/pages")
}

fn kill(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    let shell = &workspace.shell;
    cmd!(shell, "node tests/kill/run.mjs").quiet().run()?;
    Ok(cmd!(shell, "node tests/kill/requests/run.mjs").quiet().run()?)
}

fn worker(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    let shell = &workspace.shell;
    Ok(cmd!(shell, "npm test --silent --workspace examples/cloudflare")
        .env("NODE_OPTIONS", READABLE)
        .quiet()
        .run()?)
}

fn durable(workspace: &Workspace) -> Result<()> {
    apart::install(workspace, "tests/durable", "Restate")?;
    // Exported projects are installed with what would be published.
    let tarball = step("packing the package", || packed::tarball(workspace))?;
    workspace.shell.set_var("STEPWEAVE_TARBALL", tarball);
    node_tests::run(workspace, "tests/durable")
}

fn page(workspace: &Workspace) -> Result<()> {
    // People sign in at an authorization server of a library there.
    vendors_installed(workspace)?;
    build_page::build(workspace)?;
    let shell = &workspace.shell;
    let playwright = workspace.npm_tool("playwright");
    let failed = workspace.path("test-results/failed.txt");
    shell.remove_path(&failed)?;
    cmd!(shell, "{playwright} test --config tests/playwright.config.ts").quiet().run().map_err(|error| {
        // What Playwright printed of them is far above the list at the end.
        let named = shell.read_file(&failed).unwrap_or_default();
        if named.is_empty() { error.into() } else { anyhow!("these failed:\n{}", named.trim_end()) }
    })
}
