//! Where things are in the repository, and a shell that stands at its root.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::Shell;

pub(crate) struct Workspace {
    pub(crate) shell: Shell,
    root: PathBuf,
}

impl Workspace {
    pub(crate) fn open() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the xtask crate is not inside the repository")?
            .to_owned();
        let shell = Shell::new()?;
        shell.change_dir(&root);
        Ok(Self { shell, root })
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo puts what it builds.
    pub(crate) fn target(&self) -> PathBuf {
        match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => self.root.join(folder),
            None => self.path("target"),
        }
    }

    /// Where the chores keep what they build for themselves.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.target().join("xtask")
    }

    /// Where what is slow to make is kept; a folder outside the repository outlives a fresh clone.
    pub(crate) fn cache(&self) -> PathBuf {
        match env::var_os("STEPWEAVE_CACHE") {
            Some(folder) => self.root.join(folder),
            None => self.path(".cache"),
        }
    }

    /// A tool that npm installed.
    pub(crate) fn npm_tool(&self, name: &str) -> PathBuf {
        self.path("node_modules/.bin").join(name)
    }
}
