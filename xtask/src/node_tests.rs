//! The tests of a folder that Node's own runner runs.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};
use xshell::cmd;

use crate::workspace::Workspace;

/// Each `*.test.mjs` of a folder, by what stands before that.
pub(crate) fn find(workspace: &Workspace, place: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace.path(place))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = name.strip_suffix(".test.mjs") {
            files.push((name.to_owned(), path.clone()));
        }
    }
    if files.is_empty() {
        bail!("{place} holds no *.test.mjs");
    }
    files.sort();
    Ok(files)
}

/// Runs all tests of a folder.
pub(crate) fn run(workspace: &Workspace, place: &str) -> Result<()> {
    files(workspace, find(workspace, place)?.into_iter().map(|(_, file)| file))
}

/// Runs tests. Without a reporter of its choice the runner writes a protocol for machines wherever there is no terminal.
pub(crate) fn files(workspace: &Workspace, files: impl IntoIterator<Item = PathBuf>) -> Result<()> {
    let shell = &workspace.shell;
    Ok(cmd!(shell, "node --test --test-reporter=spec {files...}").quiet().run()?)
}
