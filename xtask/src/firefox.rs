//! The Firefox of the tests: one that is there, or else Debian's. Where there is neither, what is tested in it is skipped.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::progress::step;
use crate::workspace::Workspace;
use crate::{apt, chromium};

const NAMES: [&str; 2] = ["firefox-esr", "firefox"];

pub(crate) fn find_or_install(workspace: &Workspace) -> Result<Option<PathBuf>> {
    if let Some(chosen) = env::var_os("FIREFOX_PATH").map(PathBuf::from) {
        if chosen.is_file() {
            return Ok(Some(chosen));
        }
        bail!("FIREFOX_PATH is {}, where there is no program; correct or unset it", chosen.display());
    }
    let found = chromium::on_path(&NAMES);
    if found.is_none() && install(workspace) {
        return Ok(chromium::on_path(&NAMES));
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
