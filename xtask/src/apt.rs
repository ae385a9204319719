//! Debian's packages, for what the tests need of the machine.

use std::fs;

use xshell::{Cmd, cmd};

use crate::workspace::Workspace;

/// Whether packages may be installed here: on Debian itself, since Ubuntu's packages of browsers only ask for a snap.
pub(crate) fn is_ours(workspace: &Workspace) -> bool {
    let shell = &workspace.shell;
    let is_debian =
        fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=debian"));
    is_debian && cmd!(shell, "id -u").quiet().read().is_ok_and(|id| id == "0")
}

/// What installs these packages, one command after the other.
pub(crate) fn commands<'a>(workspace: &'a Workspace, packages: &[&str]) -> [Cmd<'a>; 2] {
    let shell = &workspace.shell;
    [
        cmd!(shell, "apt-get update"),
        cmd!(shell, "apt-get install --yes --no-install-recommends {packages...}")
            .env("DEBIAN_FRONTEND", "noninteractive"),
    ]
}
