//! The package as npm would publish it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::build_package;
use crate::workspace::Workspace;

/// Builds and packs the package; returns the tarball.
pub(crate) fn tarball(workspace: &Workspace) -> Result<PathBuf> {
    build_package::build(workspace)?;
    let shell = &workspace.shell;
    let folder = workspace.scratch().join("packed");
    fs::create_dir_all(&folder)?;
    let output =
        cmd!(shell, "npm pack --silent --ignore-scripts --workspace pkg --pack-destination {folder}")
            .quiet()
            .read()
            .context("npm cannot pack pkg/; the messages above say why")?;
    let name = output.lines().last().context("npm pack named no file")?;
    Ok(folder.join(name))
}
