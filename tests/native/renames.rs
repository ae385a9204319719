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

use serde_json::{Value, json};
use stepweave_core::document::{Check, Document, Provider, Run, Step, StepKind};
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
        found.push((Named::Key { place, key: key.clone() }, key.clone()));
    };
    let described = |check: Option<&Check>| {
        let properties = check.and_then(Check::json_schema).and_then(|schema| schema.get("properties"));
        properties
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|all| all.keys().cloned())
            .collect::<Vec<_>>()
    };
    let mut first: Vec<String> = document.initial_state.keys().cloned().collect();
    first.extend(described(document.input.as_ref()));
    first.iter().for_each(|name| key(Place::Workflow, name));
    for (tool, own) in &document.tools {
        described(own.input.as_ref()).iter().for_each(|name| key(Place::Tool(tool.clone()), name));
    }
    for (agent, own) in &document.agents {
        described(own.output.as_ref()).iter().for_each(|name| key(Place::Answer(agent.clone()), name));
    }
    let mut steps = Vec::new();
    let mut open: Vec<&Step> = document.blocks().into_iter().flat_map(|(_, steps)| steps).collect();
    while let Some(step) = open.pop() {
        if let StepKind::Approval(approval) = &step.kind {
            let place = Place::Approval(step.id.clone());
            described(approval.schema.as_ref()).iter().for_each(|name| key(place.clone(), name));
        }
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
        // A name that a word of the language or of the format is too cannot be distinguished from it in a message.
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
            // What is wrong with a name itself goes with it.
            if !is_plain(&old) || old == "__proto__" {
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
        // What functions return and what is sent to endpoints is written in the scenario by the old names.
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

#[test]
fn what_a_run_is_given_has_one_name_in_its_schema_the_initial_state_and_all_that_reads_it() {
    let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t",
        "input": { "type": "object", "properties": { "who": { "type": "string" }, "deep": { "type": "object",
            "properties": { "who": { "type": "string" } } } }, "required": ["who"] },
        "initialState": { "who": "nobody" },
        "models": { "m": { "provider": "demo", "model": "demo" } },
        "agents": { "a": { "model": "m", "tools": ["greet"] } },
        "tools": { "greet": { "input": { "type": "object", "properties": { "who": { "type": "string" } } },
            "run": { "http": { "url": "https://example.com/{{ who }}" } } } },
        "steps": [
            { "id": "s1", "type": "agent", "name": "ask", "agent": "a", "inputFrom": "Greet {{ who }} and {{ deep.who }}" },
            { "id": "s2", "type": "foreach", "name": "each", "items": "[who]", "as": "who", "steps": [
                { "id": "s3", "type": "function", "name": "keep", "run": { "set": { "kept": "who" } } } ] } ] }))
    .unwrap();
    let given = Named::Key { place: Place::Workflow, key: "who".into() };
    assert!(is_given_once(&document, &Place::Workflow, "who"));
    let paths: Vec<String> =
        uses(&document, std::slice::from_ref(&given)).into_iter().map(|used| used.path).collect();
    assert_eq!(paths, ["steps[0].inputFrom", "steps[1].items"]);
    let renamed = serde_json::to_value(rename(&document, &given, "person").unwrap()).unwrap();
    for (path, value) in [
        ("/input/properties/person", json!({ "type": "string" })),
        ("/input/properties/deep/properties/who", json!({ "type": "string" })),
        ("/input/required", json!(["person"])),
        ("/initialState", json!({ "person": "nobody" })),
        ("/tools/greet/run/http/url", json!("https://example.com/{{ who }}")),
        ("/steps/0/inputFrom", json!("Greet {{ person }} and {{ deep.who }}")),
        ("/steps/1/items", json!("[person]")),
        ("/steps/1/steps/0/run/set/kept", json!("who")),
    ] {
        assert_eq!(renamed.pointer(path), Some(&value), "{path}");
    }
    // The initial state has the new name already: no value of it is lost.
    let mut crowded = document.clone();
    crowded.initial_state.insert("person".into(), json!("somebody"));
    let kept = serde_json::to_value(rename(&crowded, &given, "person").unwrap()).unwrap();
    assert_eq!(kept["initialState"], json!({ "who": "nobody", "person": "somebody" }));
    let argument = Named::Key { place: Place::Tool("greet".into()), key: "who".into() };
    assert!(is_given_once(&document, &Place::Tool("greet".into()), "who"));
    let renamed = serde_json::to_value(rename(&document, &argument, "person").unwrap()).unwrap();
    assert_eq!(
        renamed.pointer("/tools/greet/run/http/url"),
        Some(&json!("https://example.com/{{ person }}"))
    );
    assert_eq!(renamed.pointer("/steps/0/inputFrom"), Some(&json!("Greet {{ who }} and {{ deep.who }}")));
    // A step that gives it too may be what is meant.
    let mut twice = document;
    let StepKind::Foreach(each) = &mut twice.steps[1].kind else { panic!("the foreach") };
    each.item = "one".into();
    let StepKind::Function(Run::Set(set)) = &mut each.steps[0].kind else { panic!("the function") };
    set.insert("who".into(), "one".into());
    assert!(!is_given_once(&twice, &Place::Workflow, "who"));
}

#[test]
fn a_key_of_an_answer_is_called_otherwise_wherever_that_answer_is_read() {
    let object =
        |key: &str| json!({ "type": "object", "properties": { key: {}, "why": {} }, "required": [key] });
    let ask = |id: &str, name: &str, agent: &str| {
        json!({ "id": id, "type": "agent", "name": name, "agent": agent,
            "inputFrom": "{{ score }} {{ rate_output.score | default(0) }}" })
    };
    let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "score": 1 },
        "models": { "m": { "provider": "demo", "model": "demo" } },
        "agents": { "rater": { "model": "m", "output": object("score") }, "other": { "model": "m", "output": object("score") } },
        "steps": [
            ask("s1", "rate", "rater"), ask("s2", "other", "other"),
            { "id": "s3", "type": "approval", "name": "sign", "schema": object("score") },
            { "id": "s4", "type": "function", "name": "sum", "run": { "set": {
                "a": "rate_output.score + steps.rate.output['score'] + score", "b": "other_output.score ~ sign_output.score ~ rate_output.why" } } },
            { "id": "s5", "type": "agent", "name": "whole", "agent": "rater", "fullResponse": true, "inputFrom": "{{ whole_output.score | default('') }}" } ] }))
    .unwrap();
    let score = |place: Place| Named::Key { place, key: "score".into() };
    let rated = score(Place::Answer("rater".into()));
    let paths = |named: &Named| {
        uses(&document, std::slice::from_ref(named)).into_iter().map(|used| used.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(&rated), ["steps[0].inputFrom", "steps[1].inputFrom", "steps[3].run.set.a"]);
    assert_eq!(paths(&score(Place::Approval("s3".into()))), ["steps[3].run.set.b"]);
    let renamed = serde_json::to_value(rename(&document, &rated, "points").unwrap()).unwrap();
    let mut expected = serde_json::to_value(&document).unwrap();
    for (path, value) in [
        ("/agents/rater/output", object("points")),
        ("/steps/0/inputFrom", json!("{{ score }} {{ rate_output.points | default(0) }}")),
        ("/steps/1/inputFrom", json!("{{ score }} {{ rate_output.points | default(0) }}")),
        ("/steps/3/run/set/a", json!("rate_output.points + steps.rate.output[\"points\"] + score")),
    ] {
        *expected.pointer_mut(path).unwrap() = value;
    }
    assert_eq!(renamed, expected);
    let signed =
        serde_json::to_value(rename(&document, &score(Place::Approval("s3".into())), "points").unwrap())
            .unwrap();
    assert_eq!(signed["steps"][2]["schema"], object("points"));
    assert_eq!(
        signed["steps"][3]["run"]["set"]["b"],
        "other_output.score ~ sign_output.points ~ rate_output.why"
    );
    // Of two steps of one name nobody knows which is meant.
    let mut twice = document;
    twice.steps[1].name = "rate".into();
    assert_eq!(uses(&twice, &[rated]), []);
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
