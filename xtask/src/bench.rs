//! The benchmarks of tests/bench, and the libraries they are compared with.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::{quietly, step};
use crate::stamp::Work;
use crate::workspace::Workspace;
use crate::{build_package, setup};

/// Measures the engine; a path is where the numbers go as JSON.
pub(crate) fn engine(workspace: &Workspace, json: Option<&Path>) -> Result<()> {
    setup::for_builds(workspace)?;
    build_package::build(workspace)?;
    peers(workspace)?;
    let shell = &workspace.shell;
    // The shell stands at the root of the repository, while the path is meant from where the command was given.
    let json = json.map(std::path::absolute).transpose()?;
    let options = json.iter().flat_map(|file| [PathBuf::from("--json"), file.clone()]);
    cmd!(shell, "node tests/bench/engine.mjs {options...}")
        .quiet()
        .run()
        .context("the benchmarks did not finish")
}

// Apart from the npm workspaces, so that nobody else has to download them.
fn peers(workspace: &Workspace) -> Result<()> {
    let folder = workspace.path("tests/bench/peers");
    let inputs = [folder.join("package.json"), folder.join("package-lock.json")];
    Work { name: "bench-peers", inputs: &inputs, output: &folder.join("node_modules") }.when_stale(
        workspace,
        || {
            step("installing the libraries to compare with", || {
                let shell = &workspace.shell;
                let _inside = shell.push_dir(&folder);
                quietly(
                    cmd!(shell, "npm ci --ignore-scripts --prefer-offline --no-audit --no-fund"),
                    "`npm ci` failed in tests/bench/peers; its output above says why (offline?)",
                )
            })
        },
    )
}
