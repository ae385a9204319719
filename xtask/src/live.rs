//! The tests against a real llama-server.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::progress::step;
use crate::suites::{self, Suite};
use crate::workspace::Workspace;
use crate::{build_page, packed, setup};

/// Each file of tests/live is a suite.
pub(crate) fn run(workspace: &Workspace, filter: &str) -> Result<ExitCode> {
    setup::for_tests(workspace)?;
    let files = test_files(workspace)?;
    build_server(workspace)?;
    build_page::build(workspace)?;
    // Where a test finds the package as a user installs it.
    workspace.shell.set_var("STEPWEAVE_TARBALL", step("packing the package", || packed::tarball(workspace))?);
    let suites: Vec<Suite<'_>> = files
        .into_iter()
        .map(|(name, file)| Suite::new(name, "against a real llama-server", move || one(workspace, &file)))
        .collect();
    suites::run(&suites, filter)
}

fn one(workspace: &Workspace, file: &PathBuf) -> Result<()> {
    let shell = &workspace.shell;
    Ok(cmd!(shell, "node --test --test-reporter=spec {file}").quiet().run()?)
}

fn test_files(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let folder = workspace.path("tests/live");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = name.strip_suffix(".test.mjs") {
            files.push((name.to_owned(), path.clone()));
        }
    }
    if files.is_empty() {
        bail!("{} holds no *.test.mjs", folder.display());
    }
    files.sort();
    Ok(files)
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
