//! Brings what the builds and tests need onto the machine. Quiet when all is there.

use std::fs;

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::progress::{quietly, step};
use crate::workspace::Workspace;
use crate::{chromium, firefox, progress};

const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// What Vite asks for.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// What every build needs.
pub(crate) fn for_builds(workspace: &Workspace) -> Result<()> {
    wasm_target(workspace)?;
    rust_components(workspace, &["rust-src"])?;
    node(workspace)?;
    npm_packages(workspace)
}

/// What the tests need; afterwards `CHROMIUM_PATH` and `FIREFOX_PATH` tell every child process where the browsers are.
pub(crate) fn for_tests(workspace: &Workspace) -> Result<()> {
    for_builds(workspace)?;
    workspace.shell.set_var("CHROMIUM_PATH", chromium::find_or_install(workspace)?);
    match firefox::find_or_install(workspace)? {
        Some(program) => workspace.shell.set_var("FIREFOX_PATH", program),
        None => println!("there is no Firefox and none could be installed: what is tested in it is skipped"),
    }
    Ok(())
}

/// What `check` needs beyond a build.
pub(crate) fn for_checks(workspace: &Workspace) -> Result<()> {
    for_builds(workspace)?;
    rust_components(workspace, &["rustfmt", "clippy"])
}

// The toolchain file names the target too, but rustup reads it only where it may install by itself.
fn wasm_target(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    let Ok(installed) = cmd!(shell, "rustup target list --installed").quiet().ignore_stderr().read() else {
        return wasm_target_without_rustup(workspace);
    };
    if installed.lines().any(|target| target == WASM_TARGET) {
        return Ok(());
    }
    step(&format!("adding the Rust target {WASM_TARGET}"), || {
        quietly(
            cmd!(shell, "rustup target add {WASM_TARGET}"),
            "rustup could not add the target; check the network, then run `rustup target add wasm32-unknown-unknown`",
        )
    })
}

fn wasm_target_without_rustup(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    let folder = cmd!(shell, "rustc --print target-libdir --target {WASM_TARGET}").quiet().read()?;
    if shell.path_exists(folder) {
        return Ok(());
    }
    bail!("this Rust cannot build for {WASM_TARGET}; install Rust with rustup (https://rustup.rs)")
}

fn rust_components(workspace: &Workspace, wanted: &[&str]) -> Result<()> {
    let shell = &workspace.shell;
    let Ok(installed) = cmd!(shell, "rustup component list --installed").quiet().ignore_stderr().read()
    else {
        return Ok(());
    };
    for component in wanted {
        if installed.lines().any(|line| line.starts_with(component)) {
            continue;
        }
        step(&format!("adding {component}"), || {
            quietly(
                cmd!(shell, "rustup component add {component}"),
                "rustup could not add the component; check the network and try again",
            )
        })?;
    }
    Ok(())
}

fn node(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    let version = cmd!(shell, "node --version")
        .quiet()
        .read()
        .context("Node.js is missing; install version 20.19 or newer (https://nodejs.org)")?;
    let mut numbers = version.trim_start_matches('v').split('.').map_while(|part| part.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < OLDEST_NODE {
        bail!("Node.js {version} is too old; install version 20.19 or newer (https://nodejs.org)");
    }
    Ok(())
}

// The stamp lies inside node_modules, so that deleting that folder is enough to install anew.
fn npm_packages(workspace: &Workspace) -> Result<()> {
    let shell = &workspace.shell;
    let lock = fs::read_to_string(workspace.path("package-lock.json"))
        .context("package-lock.json cannot be read")?;
    let stamp = workspace.path("node_modules/.installed-lock.json");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    progress::step("installing the npm packages", || {
        quietly(
            cmd!(shell, "npm ci --no-audit --no-fund"),
            "`npm ci` failed; its output above says why (offline? a changed package.json without `npm install`?)",
        )
    })?;
    fs::write(stamp, lock)?;
    Ok(())
}
