//! The tests against a real llama-server.

use std::process::ExitCode;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::step;
use crate::suites::{self, Stage, Suite};
use crate::workspace::Workspace;
use crate::{apart, build_page, node_tests, packed, setup};

/// Each file of tests/live is a suite.
pub(crate) fn run(workspace: &Workspace, filter: &str) -> Result<ExitCode> {
    setup::for_tests(workspace)?;
    let files = node_tests::find(workspace, "tests/live")?;
    build_server(workspace)?;
    apart::install(workspace, "tests/vendors", "the official clients")?;
    build_page::build(workspace)?;
    // Where a test finds the package as a user installs it.
    workspace.shell.set_var("STEPWEAVE_TARBALL", step("packing the package", || packed::tarball(workspace))?);
    let suites: Vec<Suite<'_>> = files
        .into_iter()
        .map(|(name, file)| {
            Suite::new(name, "against a real llama-server", move || {
                node_tests::files(workspace, [file.clone()])
            })
        })
        .collect();
    suites::run(&[Stage::InTurn(suites)], filter)
}

fn build_server(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    let folder = workspace.cache().join("llama");
    // The helper of the tests asks the same script for the files, and must look into the same folder.
    shell.set_var("STEPWEAVE_CACHE", workspace.cache());
    cmd!(shell, "tests/live/llama/build.sh {folder}")
        .quiet()
        .ignore_stdout()
        .run()
        .context("llama-server could not be built; the messages above say what is missing")
}
