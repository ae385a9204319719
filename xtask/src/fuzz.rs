//! Broken answers for the readers of wire formats (tests/native/fuzz), and texts of the language beside MiniJinja
//! (tests/native/language): many more of them than the tests read.

use anyhow::{Context, Result};
use xshell::cmd;

use crate::workspace::Workspace;

/// Reads so many of each kind, others each time.
pub(crate) fn run(workspace: &Workspace, inputs: u32) -> Result<()> {
    let shell = &workspace.shell;
    let seed = std::env::var("STEPWEAVE_FUZZ_SEED").unwrap_or_else(|_| std::process::id().to_string());
    cmd!(shell, "cargo test --quiet --profile fuzz --package stepweave-tests --test fuzz --test language -- --nocapture")
        .env("STEPWEAVE_FUZZ", inputs.to_string())
        .env("STEPWEAVE_FUZZ_SEED", seed)
        .quiet()
        .run()
        .context("a reader failed, or the language differs; the input is above")
}
