//! The JSON Schema of workflow documents, which the package publishes and editors read.

use std::fs;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::workspace::Workspace;

const FILE: &str = "pkg/schema/workflow.schema.json";

pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    let file = workspace.path(FILE);
    fs::create_dir_all(workspace.path("pkg/schema"))?;
    fs::write(&file, current(workspace)?)?;
    println!("wrote {FILE}");
    Ok(())
}

/// Fails when the committed schema is not what the core says now.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let committed = fs::read_to_string(workspace.path(FILE)).unwrap_or_default();
    if committed == current(workspace)? {
        return Ok(());
    }
    bail!("{FILE} is not what the core says; run `cargo xtask schema` and commit the file")
}

fn current(workspace: &Workspace) -> Result<String> {
    let shell = &workspace.shell;
    let text = cmd!(shell, "cargo run --quiet --package xtask --features schema --bin workflow-schema")
        .quiet()
        .read()
        .context("the core does not say its schema")?;
    Ok(text + "\n")
}
