//! Runs suites, all of them even when one fails, and counts.

use std::env;
use std::io::{Write, stdout};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

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

/// Stages follow each other.
pub(crate) enum Stage<'a> {
    InTurn(Vec<Suite<'a>>),
    /// Two rows that run at the same time, each in its order: for suites that leave half of a small machine idle.
    /// Those of the second are processes of their own, whose output is printed when they end. One that fails runs once
    /// more, alone: what only a busy machine makes fail is told apart from what is broken.
    Beside(Vec<Suite<'a>>, Vec<Suite<'a>>),
}

impl<'a> Stage<'a> {
    fn suites(&self) -> impl Iterator<Item = &Suite<'a>> {
        let (first, second): (_, &[_]) = match self {
            Self::InTurn(suites) => (suites, &[]),
            Self::Beside(first, second) => (first, second),
        };
        first.iter().chain(second)
    }
}

/// Runs the suite that is called like the filter, or else those whose name contains it. What failed stands in the list
/// at the end with its reason; the last line on standard output is `N passed, N failed`.
pub(crate) fn run(stages: &[Stage<'_>], filter: &str) -> Result<ExitCode> {
    let names: Vec<&str> = stages.iter().flat_map(Stage::suites).map(|suite| suite.name.as_str()).collect();
    let is_chosen = |suite: &&Suite<'_>| {
        if names.contains(&filter) { suite.name == filter } else { suite.name.contains(filter) }
    };
    let mut results = Vec::new();
    for stage in stages {
        match stage {
            Stage::InTurn(suites) => results.extend(suites.iter().filter(is_chosen).map(here)),
            Stage::Beside(first, second) => {
                let names: Vec<&str> =
                    second.iter().filter(is_chosen).map(|suite| suite.name.as_str()).collect();
                let is_alone = !first.iter().any(|suite| is_chosen(&suite));
                if is_alone {
                    results.extend(second.iter().filter(is_chosen).map(here));
                    continue;
                }
                let mut ended: Vec<Outcome> = thread::scope(|scope| {
                    let others = scope.spawn(move || names.into_iter().map(apart).collect::<Vec<_>>());
                    let own = first.iter().filter(is_chosen).map(here).collect::<Vec<_>>();
                    match others.join() {
                        Ok(others) => own.into_iter().chain(others).collect(),
                        Err(panic) => std::panic::resume_unwind(panic),
                    }
                });
                for suite in stage.suites() {
                    ended
                        .iter_mut()
                        .filter(|outcome| outcome.name == suite.name)
                        .for_each(|outcome| outcome.settle(suite));
                }
                results.extend(ended);
            }
        }
    }
    if results.is_empty() {
        bail!("no suite is called `{filter}`; there are: {}", names.join(", "));
    }
    let failed = results.iter().filter(|result| matches!(result.ending, Ending::Failed(_))).count();
    println!();
    for Outcome { name, ending, elapsed } in &results {
        let reason = match ending {
            Ending::Passed => "",
            Ending::Flaky(reason) | Ending::Failed(reason) => reason,
        };
        println!("  {:<6}  {name:<12} {elapsed:>9}  {reason}", ending.word());
    }
    println!("\n{} passed, {failed} failed", results.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How a suite ended.
struct Outcome {
    name: String,
    ending: Ending,
    elapsed: String,
}

enum Ending {
    Passed,
    /// Beside others it failed, for this reason, and alone it passed.
    Flaky(String),
    Failed(String),
}

impl Ending {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky(_) => "flaky",
            Self::Failed(_) => "FAILED",
        }
    }
}

impl Outcome {
    /// Runs the suite once more, alone, where it has failed beside others.
    fn settle(&mut self, suite: &Suite<'_>) {
        if let Ending::Failed(reason) = &self.ending {
            self.ending = match here(suite).ending {
                Ending::Passed => Ending::Flaky(format!("alone it passed; before: {reason}")),
                failed => failed,
            };
        }
    }
}

fn here(suite: &Suite<'_>) -> Outcome {
    println!("\n== {}: {}", suite.name, suite.what);
    let outcome = timed(&suite.name, &suite.run);
    let Outcome { name, ending, elapsed } = &outcome;
    if let Ending::Failed(reason) = ending {
        println!("error: {reason}");
    }
    println!("== {name} {} in {elapsed}", ending.word());
    outcome
}

/// Runs a suite as a process of its own.
fn apart(name: &str) -> Outcome {
    timed(name, || {
        let output = Command::new(env::current_exe()?)
            .args(["test", name])
            .output()
            .with_context(|| format!("the suite {name} could not be started"))?;
        let mut printed = stdout().lock();
        printed.write_all(&output.stdout)?;
        printed.write_all(&output.stderr)?;
        if !output.status.success() {
            bail!("its output above says why");
        }
        Ok(())
    })
}

fn timed(name: &str, work: impl FnOnce() -> Result<()>) -> Outcome {
    let started = Instant::now();
    let ending = work().map_or_else(|error| Ending::Failed(format!("{error:#}")), |()| Ending::Passed);
    Outcome { name: name.to_owned(), ending, elapsed: seconds(started.elapsed()) }
}
