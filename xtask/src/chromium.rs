//! The Chromium of the tests: one that is there, or else one that is installed.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::apt;
use crate::progress::{quietly, step};
use crate::workspace::Workspace;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const REMEDY: &str =
    "Chromium could not be installed; install it by hand and set CHROMIUM_PATH to its program";

pub(crate) fn find_or_install(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(chosen) = env::var_os("CHROMIUM_PATH").map(PathBuf::from) {
        if chosen.is_file() {
            return Ok(chosen);
        }
        bail!("CHROMIUM_PATH is {}, where there is no program; correct or unset it", chosen.display());
    }
    if let Some(found) = find(workspace) {
        return Ok(found);
    }
    install(workspace)?;
    find(workspace).context(REMEDY)
}

fn find(workspace: &Workspace) -> Option<PathBuf> {
    on_path(&NAMES).or_else(|| of_playwright(workspace))
}

/// The first program of these names in the folders of `PATH`.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|program| program.is_file())
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
            apt::commands(workspace, &["chromium", "fonts-liberation"])
                .into_iter()
                .try_for_each(|command| quietly(command, REMEDY))
        });
    }
    step("downloading Chromium for Playwright", || {
        quietly(cmd!(shell, "npx playwright install chromium"), REMEDY)
    })
}
