//! Every case of `tests/schemas`, natively: `pkg/test/schema.test.js` runs the same ones through the package.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use stepweave_tests::violations::{Violation, violations};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    schema: Value,
    value: Value,
    violations: Vec<Violation>,
}

#[test]
fn both_libraries_find_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in cases {
            count += 1;
            let found = violations(&case.schema, &case.value, 50);
            if found != case.violations {
                wrong.push(format!(
                    "{}: {}\n  found    {}\n  expected {}",
                    path.file_name().unwrap().display(),
                    case.title,
                    serde_json::to_string(&found).unwrap(),
                    serde_json::to_string(&case.violations).unwrap()
                ));
            }
        }
    }
    assert!(count >= 80, "only {count} cases were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
