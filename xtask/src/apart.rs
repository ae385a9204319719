//! npm packages that only some tests and benchmarks need. Each set has a folder of its own, apart from the npm workspaces,
//! so that nobody else has to download it.

use anyhow::Result;
use xshell::cmd;

use crate::progress::{quietly, step};
use crate::stamp::Work;
use crate::workspace::Workspace;

/// Installs what the folder's lock file says.
pub(crate) fn install(workspace: &Workspace, place: &str, what: &str) -> Result<()> {
    let folder = workspace.path(place);
    let inputs = [folder.join("package.json"), folder.join("package-lock.json")];
    let name = place.replace('/', "-");
    Work { name: &name, inputs: &inputs, output: &folder.join("node_modules") }.when_stale(workspace, || {
        step(&format!("installing {what}"), || {
            let shell = &workspace.shell;
            let _inside = shell.push_dir(&folder);
            quietly(
                cmd!(shell, "npm ci --ignore-scripts --prefer-offline --no-audit --no-fund"),
                &format!("`npm ci` failed in {place}; its output above says why (offline?)"),
            )
        })
    })
}
