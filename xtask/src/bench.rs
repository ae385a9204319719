//! The benchmarks of tests/bench, and the libraries they are compared with.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::workspace::Workspace;
use crate::{apart, build_package, setup};

/// Runs `tests/bench/<program>.mjs`; a path is where the numbers go as JSON.
pub(crate) fn run(workspace: &Workspace, program: &str, json: Option<&Path>) -> Result<()> {
    setup::for_builds(workspace)?;
    build_package::build(workspace)?;
    apart::install(workspace, "tests/bench/peers", "the libraries to compare with")?;
    if program == "edge" {
        apart::install(workspace, "tests/durable", "Restate")?;
    }
    let shell = &workspace.shell;
    // The shell stands at the root of the repository, while the path is meant from where the command was given.
    let json = json.map(std::path::absolute).transpose()?;
    let options = json.iter().flat_map(|file| [PathBuf::from("--json"), file.clone()]);
    cmd!(shell, "node tests/bench/{program}.mjs {options...}")
        .quiet()
        .run()
        .context("the benchmarks did not finish")
}
