//! Chains of `default`: random ones, with the fix that the validator offers, give the first name that is there, or else an
//! empty text, whichever names are there.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use stepweave_core::validate::validate;

use crate::dice::Dice;
use crate::verdict::{self, Verdict};
use crate::{number, oracle};

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

#[test]
fn a_mended_chain_gives_the_first_name_that_is_there() {
    let mut dice = Dice::new(number("STEPWEAVE_FUZZ_SEED", 1));
    for _ in 0..number("STEPWEAVE_FUZZ", 20_000) / 100 {
        let names = &NAMES[..2 + dice.below(NAMES.len() - 1)];
        let chain = chain(&mut dice, names);
        let mended = mended(&chain, names);
        assert_eq!(mended.matches("default('')").count(), 1, "{chain}");
        for present in 0..1_usize << names.len() {
            let is_there = |nth: &usize| present >> nth & 1 == 1;
            let there = (0..names.len()).filter(is_there).map(|nth| names[nth]);
            let state: Json = there.clone().map(|name| (name.to_owned(), json!(name))).collect();
            let first = there.clone().next();
            let state = Rc::new(state);
            let text = format!("{{{{ {mended} }}}}");
            let first_or_empty = first.unwrap_or_default();
            for given in [verdict::template(&text, &state), oracle::template(&text, &state)] {
                assert_eq!(given, Verdict::Given(first_or_empty.to_owned()), "{mended} over {state}");
            }
            let given = verdict::expression(&mended, &state);
            assert_eq!(given, Verdict::Given(json!(first_or_empty).to_string()), "{mended} over {state}");
            let unmended = verdict::expression(&chain, &state);
            assert_eq!(matches!(unmended, Verdict::Given(_)), first.is_some(), "{chain} over {state}");
        }
    }
}

/// The names in their order, each where the one before is not there.
fn chain(dice: &mut Dice, names: &[&str]) -> String {
    let (first, mut rest) = match names.len() {
        1 => return names[0].to_owned(),
        _ => names.split_at(1),
    };
    let mut text = match dice.one_in(4) {
        true => format!("({})", first[0]),
        false => first[0].to_owned(),
    };
    while !rest.is_empty() {
        let (inner, behind) = rest.split_at(1 + dice.below(rest.len()));
        let inner = chain(dice, inner);
        text = match dice.below(6) {
            0 => format!("({text} | default({inner}))"),
            1 => format!("({text})|default(({inner}))"),
            _ => format!("{text} | default({inner})"),
        };
        rest = behind;
    }
    text
}

/// The chain with the one fix that is offered, where every name is there in some runs only.
fn mended(chain: &str, names: &[&str]) -> String {
    let set = |id: &str, values: Json| json!({ "id": id, "type": "function", "name": id, "run": { "set": values } });
    let mut steps: Vec<Json> = Vec::new();
    for name in names {
        let given = set(&format!("set_{name}"), json!({ *name: "1" }));
        let id = format!("if_{name}");
        let step =
            json!({ "id": id, "type": "condition", "name": id, "condition": "true", "steps": [given] });
        steps.push(step);
    }
    steps.push(set("join", json!({ "joined": chain })));
    let document = json!({ "version": 1, "name": "t", "initialState": { "topic": "tea" }, "steps": steps });
    let found = validate(&document.to_string()).problems;
    let [problem] = found.as_slice() else { panic!("{chain}: {found:?}") };
    let last = names.last().unwrap();
    assert_eq!(problem.message.split('`').nth(1), Some(*last), "{chain}");
    let fix = problem.fix.as_ref().unwrap();
    assert_eq!(fix.label, "write `| default('')`");
    fix.text.clone()
}
