//! Every scenario, natively.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use stepweave_tests::record::observe;
use stepweave_tests::scenario::Scenario;

#[test]
fn every_scenario_gives_what_it_expects() {
    let update = std::env::var_os("UPDATE_SCENARIOS").is_some();
    let scenarios = Scenario::all();
    assert!(scenarios.len() >= 40, "only {} scenarios were found", scenarios.len());
    let mut wrong = Vec::new();
    for (path, mut scenario) in scenarios {
        if scenario.only_package.is_some() {
            continue;
        }
        let observed = observe(&scenario);
        if observed == scenario.expect {
            continue;
        }
        if update {
            scenario.expect = observed;
            let text = serde_json::to_string_pretty(&scenario).unwrap();
            std::fs::write(&path, text + "\n").unwrap();
        } else {
            wrong.push(format!(
                "{} ({})\n  observed {}\n  expected {}",
                path.file_name().unwrap().display(),
                scenario.title,
                observed,
                scenario.expect
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
