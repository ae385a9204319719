//! The files that are made from what the core says: the JSON Schema of documents, and all that follows from the table of
//! events.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::workspace::Workspace;

pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    for (file, text) in current(workspace)? {
        let path = workspace.path(&file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text)?;
        println!("wrote {file}");
    }
    Ok(())
}

/// Fails when a committed file is not what the core says now.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    for (file, text) in current(workspace)? {
        if fs::read_to_string(workspace.path(&file)).unwrap_or_default() != text {
            bail!("{file} is not what the core says; run `cargo xtask schema` and commit the file");
        }
    }
    Ok(())
}

/// The files by their paths.
fn current(workspace: &Workspace) -> Result<BTreeMap<String, String>> {
    let shell = &workspace.shell;
    let text = cmd!(shell, "cargo run --quiet --package xtask --features schema --bin from-core")
        .quiet()
        .read()
        .context("the core does not say its schema")?;
    serde_json::from_str(&text).context("what the core says cannot be read")
}
