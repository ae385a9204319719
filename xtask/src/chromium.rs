//! The Chromium of the tests: one that is there, or else one that is installed.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::progress::{quietly, step};
use crate::workspace::Workspace;
use crate::{apt, browser};

/// The headless shell first: the same engine without the windows, which takes half the time of a processor per page.
const NAMES: [&str; 5] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const REMEDY: &str =
    "Chromium could not be installed; install it by hand and set CHROMIUM_PATH to its program";

pub(crate) fn find_or_install(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(found) = browser::chosen("CHROMIUM_PATH")?.or_else(|| find(workspace)) {
        return Ok(found);
    }
    install(workspace)?;
    find(workspace).context(REMEDY)
}

fn find(workspace: &Workspace) -> Option<PathBuf> {
    browser::on_path(&NAMES).or_else(|| of_playwright(workspace))
}

fn of_playwright(workspace: &Workspace) -> Option<PathBuf> {
    let shell = &workspace.shell;
    let script = "console.log(require('@playwright/test').chromium.executablePath())";
    let program = PathBuf::from(cmd!(shell, "node --eval {script}").quiet().ignore_stderr().read().ok()?);
    program.is_file().then_some(program)
}

fn install(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    if apt::is_ours(workspace) {
        return step("installing Chromium with apt-get", || {
            apt::commands(workspace, &["chromium-headless-shell", "fonts-liberation"])
                .into_iter()
                .try_for_each(|command| quietly(command, REMEDY))
        });
    }
    step("downloading Chromium for Playwright", || {
        quietly(cmd!(shell, "npx playwright install chromium"), REMEDY)
    })
}
