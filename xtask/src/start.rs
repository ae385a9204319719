//! Builds the page and serves it.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{build_page, setup};

const FIRST_PORT: u16 = 4173;
const PORTS_TO_TRY: u16 = 50;

/// Serves until it is stopped.
pub(crate) fn start(workspace: &Workspace, port: Option<u16>) -> Result<()> {
    let port = match port {
        Some(port) if is_free(port) => port,
        Some(port) => bail!("port {port} is in use; choose another with --port"),
        None => (FIRST_PORT..FIRST_PORT + PORTS_TO_TRY)
            .find(|port| is_free(*port))
            .context("the ports 4173 to 4222 are all in use; choose another with --port")?,
    };
    setup::for_builds(workspace)?;
    build_page::build(workspace)?;
    serve(workspace, port)
}

// Not through the shell helper, for its commands get no input that stays open: the server takes the end of its input
// for the end of this program, so that it never outlives it.
fn serve(workspace: &Workspace, port: u16) -> Result<()> {
    let mut server = Command::new("node")
        .args(["xtask/serve.mjs", &port.to_string()])
        .current_dir(workspace.root())
        .stdin(Stdio::piped())
        .spawn()
        .context("node could not be started")?;
    // Taken out of the child, because waiting for a child closes the input that it still holds.
    let input = server.stdin.take();
    let status = server.wait()?;
    drop(input);
    if status.success() {
        return Ok(());
    }
    bail!("the server ended with {status}; its messages above say why")
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}
