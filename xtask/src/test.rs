//! The test suites that need no network, and the benchmarks.

use std::process::ExitCode;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::step;
use crate::suites::{self, Suite};
use crate::workspace::Workspace;
use crate::{build_package, build_page, packed, setup};

/// Without it, Node's test runner writes a protocol for machines wherever there is no terminal.
const READABLE: &str = "--test-reporter=spec";

pub(crate) fn run(workspace: &Workspace, filter: &str) -> Result<ExitCode> {
    setup::for_tests(workspace)?;
    suites::run(
        &[
            Suite::new("rust", "unit tests and scenarios, natively", || rust(workspace)),
            Suite::new("package", "types and unit tests of the npm package", || package(workspace)),
            Suite::new("runtimes", "the scenarios through the packed package, on every runtime", || {
                runtimes(workspace)
            }),
            Suite::new("worker", "the edge worker of examples/cloudflare, in workerd", || worker(workspace)),
            Suite::new("page", "the builder, in Chromium", || page(workspace)),
        ],
        filter,
    )
}

pub(crate) fn bench(workspace: &Workspace) -> Result<()> {
    setup::for_builds(workspace)?;
    build_package::build(workspace)?;
    let shell = &workspace.shell;
    cmd!(shell, "node tests/bench/run.mjs").quiet().run().context("the benchmarks did not finish")
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
    let shell = &workspace.shell;
    Ok(cmd!(shell, "npm test --silent --workspace pkg").env("NODE_OPTIONS", READABLE).quiet().run()?)
}

fn runtimes(workspace: &Workspace) -> Result<()> {
    let tarball = step("packing the package", || packed::tarball(workspace))?;
    let shell = &workspace.shell;
    Ok(cmd!(shell, "node tests/runtimes/run.mjs {tarball}").quiet().run()?)
}

fn worker(workspace: &Workspace) -> Result<()> {
    build_package::build(workspace)?;
    let shell = &workspace.shell;
    Ok(cmd!(shell, "npm test --silent --workspace examples/cloudflare")
        .env("NODE_OPTIONS", READABLE)
        .quiet()
        .run()?)
}

fn page(workspace: &Workspace) -> Result<()> {
    build_page::build(workspace)?;
    let shell = &workspace.shell;
    let playwright = workspace.npm_tool("playwright");
    Ok(cmd!(shell, "{playwright} test --config tests/playwright.config.ts").quiet().run()?)
}
