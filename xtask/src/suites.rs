//! Runs things one after the other, all of them even when one fails, and counts.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::progress::seconds;

pub(crate) struct Suite<'a> {
    /// What a filter is compared with.
    pub(crate) name: String,
    pub(crate) what: &'a str,
    pub(crate) run: Box<dyn Fn() -> Result<()> + 'a>,
}

impl<'a> Suite<'a> {
    pub(crate) fn new(name: impl Into<String>, what: &'a str, run: impl Fn() -> Result<()> + 'a) -> Self {
        Self { name: name.into(), what, run: Box::new(run) }
    }
}

/// Runs the suites whose name contains the filter. What failed stands in the list at the end with its reason; the last
/// line on standard output is `N passed, N failed`.
pub(crate) fn run(suites: &[Suite<'_>], filter: &str) -> Result<ExitCode> {
    let chosen: Vec<&Suite<'_>> = suites.iter().filter(|suite| suite.name.contains(filter)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = suites.iter().map(|suite| suite.name.as_str()).collect();
        bail!("no suite is called `{filter}`; there are: {}", names.join(", "));
    }
    let mut summary = Vec::new();
    let mut failed = 0;
    for suite in &chosen {
        println!("\n== {}: {}", suite.name, suite.what);
        let started = Instant::now();
        let (outcome, why) = match (suite.run)() {
            Ok(()) => ("passed", String::new()),
            Err(error) => {
                failed += 1;
                println!("error: {error:#}");
                ("FAILED", format!("  {error:#}"))
            }
        };
        let elapsed = seconds(started.elapsed());
        println!("== {} {outcome} in {elapsed}", suite.name);
        summary.push(format!("  {outcome}  {:<12} {elapsed:>9}{why}", suite.name));
    }
    println!("\n{}\n", summary.join("\n"));
    println!("{} passed, {failed} failed", chosen.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
