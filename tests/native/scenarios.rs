//! Every scenario natively, each a test of its own: `cargo test -p stepweave-tests --test scenarios retry` runs those
//! with `retry` in their name.

#![allow(clippy::expect_used, reason = "test code")]

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use stepweave_tests::record::observe;
use stepweave_tests::scenario::Scenario;

fn main() -> ExitCode {
    let trials: Vec<Trial> = Scenario::all()
        .into_iter()
        .map(|(path, scenario)| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_native = scenario.only_package.is_none();
            Trial::test(name, move || check(&path, scenario)).with_ignored_flag(!is_native)
        })
        .collect();
    assert!(trials.len() >= 240, "only {} scenarios were found", trials.len());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn check(path: &Path, mut scenario: Scenario) -> Result<(), Failed> {
    let observed = observe(&scenario);
    if observed == scenario.expect {
        return Ok(());
    }
    if std::env::var_os("UPDATE_SCENARIOS").is_some() {
        scenario.expect = observed;
        let text = serde_json::to_string_pretty(&scenario).expect("a scenario is JSON");
        return Ok(std::fs::write(path, text + "\n")?);
    }
    Err(format!("{}\n  observed {observed}\n  expected {}", scenario.title, scenario.expect).into())
}
