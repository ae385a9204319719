//! The benchmarks of tests/bench, and the libraries they are compared with.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::workspace::Workspace;
use crate::{apart, build_package, build_page, setup};

/// Runs `tests/bench/<program>.mjs` with these options; a path is where the numbers go as JSON.
pub(crate) fn run(
    workspace: &Workspace,
    program: &str,
    json: Option<&Path>,
    options: &[String],
) -> Result<()> {
    if program == "canvas" {
        setup::for_tests(workspace)?;
        build_page::build(workspace)?;
        apart::install(workspace, "tests/bench/canvas/peers", "React Flow")?;
    } else {
        setup::for_builds(workspace)?;
        build_package::build(workspace)?;
        apart::install(workspace, "tests/bench/peers", "the libraries to compare with")?;
    }
    if program == "edge" {
        apart::install(workspace, "tests/durable", "Restate")?;
    }
    let shell = &workspace.shell;
    // The shell stands at the root of the repository, while the path is meant from where the command was given.
    let json = json.map(std::path::absolute).transpose()?;
    let kept = json.iter().flat_map(|file| [PathBuf::from("--json"), file.clone()]);
    cmd!(shell, "node tests/bench/{program}.mjs {options...} {kept...}")
        .quiet()
        .run()
        .context("the benchmarks did not finish")
}
