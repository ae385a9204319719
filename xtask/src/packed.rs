//! The package as npm would publish it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::build_package;
use crate::stamp::Work;
use crate::workspace::Workspace;

/// What the tarball holds.
const PACKED: [&str; 8] = [
    "pkg/dist",
    "pkg/docs",
    "pkg/package.json",
    "pkg/README.md",
    "pkg/LICENSE",
    "pkg/LICENSE-MIT",
    "pkg/LICENSE-APACHE",
    "pkg/THIRD-PARTY-LICENSES.txt",
];

/// Builds and packs the package; returns the tarball, which is left as it is while the package is the same: another
/// suite may be installing it.
pub(crate) fn tarball(workspace: &Workspace) -> Result<PathBuf> {
    build_package::build(workspace)?;
    let tarball = workspace.scratch().join("packed/stepweave.tgz");
    let inputs = PACKED.map(|input| workspace.path(input));
    Work { name: "tarball", inputs: &inputs, output: &tarball }
        .when_stale(workspace, || pack(workspace, &tarball))?;
    Ok(tarball)
}

fn pack(workspace: &Workspace, tarball: &Path) -> Result<()> {
    let shell = &workspace.shell;
    let folder = workspace.scratch().join("packing");
    fs::create_dir_all(&folder)?;
    let output =
        cmd!(shell, "npm pack --silent --ignore-scripts --workspace pkg --pack-destination {folder}")
            .quiet()
            .read()
            .context("npm cannot pack pkg/; the messages above say why")?;
    let name = output.lines().last().context("npm pack named no file")?;
    if let Some(folder) = tarball.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::rename(folder.join(name), tarball)?)
}
