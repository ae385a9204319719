//! A name that is changed is changed everywhere: in every scenario and for each of its names, the validator finds the
//! same faults as before, and a run leads to the same.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use stepweave_core::document::{Document, Provider, Step, StepKind};
use stepweave_core::rename::{Named, Place, is_given_once, place_of, rename, uses};
use stepweave_core::validate::validate;
use stepweave_tests::record::observe;
use stepweave_tests::scenario::Scenario;

/// Everything of a document that has a name, with that name.
fn names(document: &Document) -> Vec<(Named, String)> {
    let mut found: Vec<(Named, String)> = Vec::new();
    found.extend(document.agents.keys().map(|id| (Named::Agent(id.clone()), id.clone())));
    found.extend(document.tools.keys().map(|id| (Named::Tool(id.clone()), id.clone())));
    found.extend(document.models.keys().map(|id| (Named::Model(id.clone()), id.clone())));
    let mut key = |place: Place, key: &String| {
        if is_given_once(document, &place, key) {
            found.push((Named::Key { place, key: key.clone() }, key.clone()));
        }
    };
    document.initial_state.keys().for_each(|name| key(Place::Workflow, name));
    let mut steps = Vec::new();
    let mut open: Vec<&Step> = document.blocks().into_iter().flat_map(|(_, steps)| steps).collect();
    while let Some(step) = open.pop() {
        steps.push((Named::Step(step.id.clone()), step.name.clone()));
        let own = serde_json::to_value(step).unwrap();
        for name in own.pointer("/run/set").and_then(Value::as_object).into_iter().flat_map(|set| set.keys())
        {
            key(place_of(document, &step.id).unwrap(), name);
        }
        if let StepKind::Foreach(each) = &step.kind {
            key(Place::Inside(step.id.clone()), &each.item);
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    found.extend(steps);
    found
}

/// A name of the same length that is nowhere in the text, so that sizes stay what they are.
fn fresh(name: &str, text: &str) -> Option<String> {
    ["Q", "Z", "X", "J", "W"]
        .into_iter()
        .map(|letter| letter.repeat(name.len()))
        .find(|name| !text.contains(name))
}

fn problems(document: &Document) -> Vec<Value> {
    let found = validate(&serde_json::to_string(document).unwrap()).problems;
    found.into_iter().map(|problem| serde_json::to_value(problem).unwrap()).collect()
}

/// What it says with the old name in the new one's place.
fn back<T: serde::Serialize>(value: &T, new: &str, old: &str) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap().replace(new, old)).unwrap()
}

fn documents() -> impl Iterator<Item = (String, Scenario, Document)> {
    Scenario::all().into_iter().filter_map(|(path, scenario)| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let document: Document = serde_json::from_value(scenario.document.clone()?).ok()?;
        // A name that a word of the language or of the format is too cannot be told from it in a message.
        Some((name, scenario, document))
    })
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[test]
fn the_validator_finds_the_same_after_a_rename() {
    let mut count = 0;
    for (title, _, document) in documents() {
        let text = serde_json::to_string(&document).unwrap();
        let before = problems(&document);
        for (named, old) in names(&document) {
            if !is_plain(&old) {
                continue;
            }
            let Some(new) = fresh(&old, &text) else { continue };
            let Some(renamed) = rename(&document, &named, &new) else { continue };
            let Some(again) = rename(&renamed, &again_of(&named, &new), &old) else {
                panic!("{title}: {named:?}")
            };
            assert_eq!(
                back(&again, &new, &old),
                serde_json::to_value(&again).unwrap(),
                "{title}: {named:?} stays"
            );
            // Where a step of the same name is left, its uses are too.
            if shares_its_name(&document, &named, &old) {
                continue;
            }
            let after: Vec<Value> =
                problems(&renamed).iter().map(|problem| back(problem, &new, &old)).collect();
            // Which name is like another one is no longer the same.
            let is_guess = |problem: &&Value| problem["hint"].as_str().unwrap().contains("did you mean");
            let guesses: Vec<&Value> =
                before.iter().filter(is_guess).map(|problem| &problem["path"]).collect();
            let sorted = |problems: &[Value]| {
                let others = problems.iter().filter(|problem| !guesses.contains(&&problem["path"]));
                let said = |problem: &Value| {
                    format!("{} {} {}", problem["path"], problem["code"], problem["message"])
                };
                let mut all: Vec<String> = others.map(said).collect();
                all.sort();
                all
            };
            assert_eq!(sorted(&after), sorted(&before), "{title}: {named:?} to {new}");
            count += 1;
        }
    }
    assert!(count > 600, "{count}");
}

#[test]
fn a_run_leads_to_the_same_after_a_rename() {
    let (mut count, mut other) = (0, Vec::new());
    for (title, scenario, document) in documents() {
        // What functions return and what is asked of endpoints is written in the scenario by the old names.
        let is_scripted =
            !scenario.handlers.is_empty() || !scenario.http.is_empty() || !scenario.answers.is_empty();
        // Of a document with faults it is a list of them, which is compared above.
        let is_faulty = scenario.expect.get("problems").is_some();
        // The simulated model makes its answers up out of its agent's name.
        let is_simulated = document.models.values().any(|model| model.provider == Provider::Demo);
        if is_faulty
            || is_simulated
            || scenario.only_package.is_some()
            || is_scripted
            || !scenario.then.is_empty()
            || scenario.pins
        {
            continue;
        }
        let text = serde_json::to_string(&scenario).unwrap();
        for (named, old) in names(&document) {
            let given_from_outside = scenario.state.contains_key(&old);
            if !is_plain(&old) || given_from_outside || shares_its_name(&document, &named, &old) {
                continue;
            }
            let Some(new) = fresh(&old, &text) else { continue };
            let Some(renamed) = rename(&document, &named, &new) else { continue };
            if uses(&document, std::slice::from_ref(&named)).iter().any(|used| !used.follows) {
                continue;
            }
            let again =
                Scenario { document: Some(serde_json::to_value(&renamed).unwrap()), ..scenario.clone() };
            let observed = catch_unwind(AssertUnwindSafe(|| observe(&again)));
            count += 1;
            if observed.is_err() || back(&observed.unwrap(), &new, &old) != back(&scenario.expect, &new, &old)
            {
                other.push(format!("{title}: {named:?}"));
            }
        }
    }
    assert_eq!(other, [] as [&str; 0]);
    assert!(count > 150, "{count}");
}

fn again_of(named: &Named, new: &str) -> Named {
    match named {
        Named::Step(id) => Named::Step(id.clone()),
        Named::Key { place, .. } => Named::Key { place: place.clone(), key: new.to_owned() },
        Named::Agent(_) => Named::Agent(new.to_owned()),
        Named::Tool(_) => Named::Tool(new.to_owned()),
        Named::Model(_) => Named::Model(new.to_owned()),
    }
}

fn shares_its_name(document: &Document, named: &Named, name: &str) -> bool {
    let Named::Step(_) = named else { return false };
    let mut open: Vec<&Step> = document.blocks().into_iter().flat_map(|(_, steps)| steps).collect();
    let mut count = 0;
    while let Some(step) = open.pop() {
        count += usize::from(step.name == name);
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    count > 1
}
