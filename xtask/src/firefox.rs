//! The Firefox of the tests: one that is there, or else Debian's. Where there is neither, what is tested in it is skipped.

use std::path::PathBuf;

use anyhow::Result;

use crate::progress::step;
use crate::workspace::Workspace;
use crate::{apt, browser};

const NAMES: [&str; 2] = ["firefox-esr", "firefox"];

pub(crate) fn find_or_install(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let found = browser::chosen("FIREFOX_PATH")?.or_else(|| browser::on_path(&NAMES));
    if found.is_none() && install(workspace) {
        return Ok(browser::on_path(&NAMES));
    }
    Ok(found)
}

fn install(workspace: &Workspace) -> bool {
    apt::is_ours(workspace)
        && step("installing Firefox with apt-get", || {
            for command in apt::commands(workspace, &["firefox-esr"]) {
                command.quiet().ignore_stdout().ignore_stderr().run()?;
            }
            Ok(())
        })
        .is_ok()
}
