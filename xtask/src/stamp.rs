//! Leaves work undone whose inputs are as they were. Who comes while another process does it waits for that.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// Inputs (files or folders) and an output that the work leaves behind.
pub(crate) struct Work<'a> {
    pub(crate) name: &'a str,
    pub(crate) inputs: &'a [PathBuf],
    pub(crate) output: &'a Path,
}

impl Work<'_> {
    /// Does the work when an input changed since it last succeeded, or when its output is gone.
    pub(crate) fn when_stale(&self, workspace: &Workspace, work: impl FnOnce() -> Result<()>) -> Result<()> {
        fs::create_dir_all(workspace.scratch())?;
        let stamp = workspace.scratch().join(self.name).with_extension("stamp");
        // Held until it is closed, at the end.
        let lock = File::create(stamp.with_extension("lock"))?;
        lock.lock()?;
        let fingerprint = format!("{:016x}", fingerprint(self.inputs)?);
        if self.output.exists() && fs::read_to_string(&stamp).is_ok_and(|last| last == fingerprint) {
            return Ok(());
        }
        // Taken away first: work that fails halfway must be done again.
        if stamp.exists() {
            fs::remove_file(&stamp)?;
        }
        work()?;
        fs::write(&stamp, fingerprint)?;
        Ok(())
    }
}

/// A number that changes with the content of the inputs and with this program, which says how the work is done.
fn fingerprint(inputs: &[PathBuf]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    let program = std::env::current_exe()?;
    program.metadata()?.modified()?.hash(&mut hasher);
    for input in inputs {
        hash_path(input, &mut hasher)?;
    }
    Ok(hasher.finish())
}

fn hash_path(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| hash_path(entry, hasher));
    }
    path.hash(hasher);
    let content = fs::read(path).with_context(|| format!("{} is missing", path.display()))?;
    content.hash(hasher);
    Ok(())
}
