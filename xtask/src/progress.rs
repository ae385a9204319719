//! One line per thing that takes time.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use xshell::Cmd;

/// Says what is being done, does it, and says how long it took.
pub(crate) fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    // On a terminal the line is there from the start; in a log one whole line is worth more.
    if stderr().is_terminal() {
        eprint!("  {what} … ");
        stderr().flush()?;
    }
    let result = work();
    let outcome = if result.is_ok() { "" } else { "failed after " };
    let elapsed = seconds(started.elapsed());
    if stderr().is_terminal() {
        eprintln!("{outcome}{elapsed}");
    } else {
        eprintln!("  {what} … {outcome}{elapsed}");
    }
    result
}

/// Runs a command whose output counts only when it fails. `remedy` then says what to do.
pub(crate) fn quietly(command: Cmd<'_>, remedy: &str) -> Result<()> {
    let output = command.quiet().ignore_status().output().context(remedy.to_owned())?;
    if output.status.success() {
        return Ok(());
    }
    stderr().write_all(b"\n")?;
    stderr().write_all(&output.stdout)?;
    stderr().write_all(&output.stderr)?;
    anyhow::bail!("{remedy}")
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
