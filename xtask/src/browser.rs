//! Where a browser of the tests is, if it is on this machine.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

/// The program that this environment variable names.
///
/// # Errors
/// When there is none where it says.
pub(crate) fn chosen(variable: &str) -> Result<Option<PathBuf>> {
    match env::var_os(variable).map(PathBuf::from) {
        Some(chosen) if !chosen.is_file() => {
            bail!("{variable} is {}, where there is no program; correct or unset it", chosen.display())
        }
        chosen => Ok(chosen),
    }
}

/// The first program of these names in the folders of `PATH`.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|program| program.is_file())
}
