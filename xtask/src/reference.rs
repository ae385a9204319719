//! The API reference: typedoc for the package, rustdoc for the engine. A link that leads nowhere is an error.

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::{quietly, step};
use crate::workspace::Workspace;
use crate::{apart, setup};

/// Writes both into the target folder and says where they are.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    setup::for_builds(workspace)?;
    apart::install(workspace, "docs/reference", "typedoc")?;
    let shell = &workspace.shell;
    let typedoc = workspace.path("docs/reference/node_modules/.bin/typedoc");
    let options = workspace.path("docs/reference/typedoc.json");
    let package = workspace.target().join("reference");
    step("writing the reference of the package", || {
        quietly(
            cmd!(shell, "{typedoc} --options {options} --out {package}"),
            "typedoc found what its output above says",
        )
    })?;
    step("writing the reference of the engine", || {
        cmd!(shell, "cargo doc --quiet --no-deps --package stepweave-core")
            .env("RUSTDOCFLAGS", "-D rustdoc::broken_intra_doc_links")
            .quiet()
            .run()
            .context("rustdoc found what its output above says")
    })?;
    println!("{}", package.join("index.html").display());
    println!("{}", workspace.target().join("doc/stepweave_core/index.html").display());
    Ok(())
}
