//! What happened, in the form in which scenarios expect it.

use std::cell::Ref;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use stepweave_core::document::Document;
use stepweave_core::engine::{Ending, Journaling, Pins, Plan, Replay, Settings, StepInfo};
use stepweave_core::error::{Code, Error};
use stepweave_core::event::{Event, Failed, Finished, Origin, Runner, Spot};
use stepweave_core::usage::Usage;
use stepweave_core::validate::validate;

use crate::drive::{Driven, Script, drive};
use crate::host::{Board, Shared};
use crate::scenario::{Again, Scenario};

/// Runs the scenario and tells what came of it.
pub fn observe(scenario: &Scenario) -> Value {
    let mut observed = Map::new();
    let Some(document) = accepted(&scenario.text(), &mut observed) else { return observed.into() };
    let mut first = document.initial_state.clone();
    first.extend(scenario.state.clone());
    let state: Shared = Rc::new(first.into());
    let mut script = Script::new(scenario);
    let kept = Journaling { replay: Replay::Resume, from: None };
    let journal = (!scenario.then.is_empty()).then_some(kept);
    *script.board.answers.borrow_mut() = scenario.answers.clone();
    let driven = drive(
        &mut script,
        &document,
        Rc::clone(&state),
        Settings { journal, seed: SEED, pins: pins_of(scenario.pins) },
    );
    observed.extend(fields_of(&driven, &script, &document));
    let mut then = Vec::new();
    let mut is_pinned = scenario.pins;
    for again in &scenario.then {
        if again.replay.as_deref() == Some("edit") {
            is_pinned = again.pins;
        }
        then.push(taken_up(again, pins_of(is_pinned), &document, &state, &mut script));
    }
    if !then.is_empty() {
        observed.insert("then".into(), then.into());
    }
    script.used_up(&scenario.title);
    observed.into()
}

/// What a run over the journal of those before it gives.
fn taken_up(again: &Again, pins: Pins, first: &Document, state: &Shared, script: &mut Script) -> Value {
    let mut observed = Map::new();
    let document = match &again.document {
        None => first.clone(),
        Some(document) => match accepted(&document.to_string(), &mut observed) {
            Some(document) => document,
            None => return observed.into(),
        },
    };
    let board = &script.board;
    board.begin_again(again.after_ms.unwrap_or(0), again.replay.as_deref() == Some("edit"));
    script.requests.clear();
    *board.answers.borrow_mut() = again.answers.clone();
    let replay = match again.replay.as_deref() {
        None | Some("resume") if again.on_mismatch.as_deref() == Some("anew") => Replay::Renew,
        None | Some("resume") => Replay::Resume,
        Some("edit") => Replay::Edit,
        Some("strict") => Replay::Strict,
        Some(other) => panic!("there is no replay `{other}`"),
    };
    let steps = Plan::new(&document).expect("a valid document has a plan").steps;
    let from = again
        .from
        .as_ref()
        .map(|id| steps.iter().position(|step| step.id == *id).expect("the step is there") as u32);
    let settings = Settings { journal: Some(Journaling { replay, from }), seed: SEED, pins };
    let driven = drive(script, &document, Rc::clone(state), settings);
    let mismatches = script.board.mismatches.take();
    assert!(mismatches.is_empty(), "the package refuses this run: {mismatches:?}");
    observed.extend(fields_of(&driven, script, &document));
    observed.into()
}

fn pins_of(is_pinned: bool) -> Pins {
    if is_pinned { Pins::Used } else { Pins::Ignored }
}

/// What chance begins with, here and in the package's runs of scenarios.
const SEED: u32 = 7;

/// The document, if it passes; what is wrong with it is noted.
fn accepted(text: &str, observed: &mut Map<String, Value>) -> Option<Document> {
    let report = validate(text);
    if !report.problems.is_empty() {
        observed.insert("problems".into(), json!(report.problems));
    }
    report.document
}

/// Tells the executions of a run in the order of the document, rounds one after another.
struct Order<'a> {
    steps: &'a [StepInfo],
    scopes: Ref<'a, Vec<(Spot, u32, String)>>,
}

impl Order<'_> {
    fn step(&self, spot: Spot) -> &StepInfo {
        &self.steps[spot.step as usize]
    }

    fn place(&self, spot: Spot) -> Stand {
        let mut place = vec![(spot.step, 0)];
        let mut scope = spot.scope;
        while scope != 0 {
            let (spot, round, _) = &self.scopes[scope as usize - 1];
            place.insert(0, (spot.step, round + 1));
            scope = spot.scope;
        }
        place
    }

    fn key(&self, spot: Spot) -> String {
        let prefix = match spot.scope {
            0 => "",
            scope => &self.scopes[scope as usize - 1].2,
        };
        format!("{prefix}{}", self.step(spot).id)
    }

    /// The name, and for a round of a loop the key.
    fn name(&self, spot: Spot) -> String {
        match spot.scope {
            0 => self.step(spot).name.clone(),
            _ => format!("{} [{}]", self.step(spot).name, self.key(spot)),
        }
    }
}

/// Where an execution stands: the loops that it is in, each with its round, and then its own step.
type Stand = Vec<(u32, u32)>;

fn fields_of(driven: &Driven, script: &Script, document: &Document) -> Map<String, Value> {
    let plan = Plan::new(document).expect("a valid document has a plan");
    let board = &script.board;
    let order = Order { steps: &plan.steps, scopes: board.scopes.borrow() };
    let mut results: BTreeMap<Stand, Map<String, Value>> = BTreeMap::new();
    let mut errors: Vec<(Stand, Value)> = Vec::new();
    let mut warnings: Vec<(u64, Stand, Value)> = Vec::new();
    let mut pending: Vec<Value> = Vec::new();
    let mut usage = Usage::default();
    let mut used_by: BTreeMap<Vec<(u32, u32)>, Usage> = BTreeMap::new();
    let mut lines = vec![(0, Vec::new(), "run.start".to_owned())];
    let events = board.events.borrow();
    for (at, event) in events.iter() {
        let (place, line) = line(event, &order);
        // It is reported with the step's end.
        if !matches!(event, Event::StepUsage { .. }) {
            lines.push((*at, place.clone(), line));
        }
        match event {
            Event::StepStart { spot, attempt, .. } => {
                let result = results.entry(place).or_insert_with(|| begun(&order, *spot, *attempt, *at));
                result.insert("attempts".into(), (*attempt).into());
                result.shift_remove("text");
            }
            Event::StepDelta { text, .. } => {
                let result = results.get_mut(&place).expect("a delta follows a start");
                let so_far = result.get("text").and_then(Value::as_str).unwrap_or("").to_owned();
                result.insert("text".into(), (so_far + text).into());
            }
            Event::StepUsage { usage: used, .. } => {
                *used_by.entry(place).or_default() += *used;
                usage += *used;
            }
            Event::StepDone { finished, .. } => {
                let result = results.get_mut(&place).expect("an end follows a start");
                stop_asking(&mut pending, result);
                ended(result, finished, board);
            }
            Event::StepError { spot, failed } => {
                let result = results.get_mut(&place).expect("an end follows a start");
                stop_asking(&mut pending, result);
                failure(result, failed, board);
                if failed.retry_in_ms.is_none() && failed.stopped_by.is_none() {
                    errors.push((place, error_json(&failed.error, Some(order.step(*spot)))));
                }
            }
            Event::StepSkipped { spot, .. } => {
                // A step that is disabled has no attempt.
                let result = results.entry(place).or_insert_with(|| begun(&order, *spot, 0, *at));
                result.insert("status".into(), "skipped".into());
                result.insert("durationMs".into(), 0.into());
            }
            Event::StepSuspended { spot, request } => {
                let result = results.get_mut(&place).expect("an end follows a start");
                result.insert("status".into(), "suspended".into());
                let begun = result["startedAt"].as_u64().expect("a time");
                result.insert("durationMs".into(), board.took(begun, at - begun).into());
                if let Some(approval) = request {
                    let mut entry = Map::new();
                    entry.insert("key".into(), approval.key.clone().into());
                    entry.insert("step".into(), order.step(*spot).name.clone().into());
                    if let Some(message) = &approval.message {
                        entry.insert("message".into(), message.clone().into());
                    }
                    if let Some(time) = approval.expires_at {
                        entry.insert("expiresAt".into(), whole(time));
                    }
                    if let Some(call) = &approval.call {
                        entry.insert(
                            "tool".into(),
                            json!({ "name": call.tool, "input": call.input, "callId": call.id }),
                        );
                    }
                    if let Some(schema) = approval.schema {
                        entry.insert("schema".into(), plan.schemas[schema as usize].schema.clone());
                    }
                    pending.push(entry.into());
                }
            }
            Event::StepReset { .. } => {
                results.get_mut(&place).expect("a reset follows a start").shift_remove("text");
            }
            Event::StepReasoning { .. } | Event::ToolStart { .. } | Event::ToolEnd { .. } => {}
            Event::ItemError { spot, error } => {
                let step = order.step(*spot);
                let warning = json!({ "code": "item_error", "message": error.message, "step": step.name });
                warnings.push((*at, place.clone(), warning));
                errors.push((place, error_json(error, Some(step))));
            }
            Event::Warning { spot, code, message } => {
                let mut warning = json!({ "code": code, "message": message });
                if let Some(spot) = spot {
                    warning["step"] = order.step(*spot).name.clone().into();
                }
                warnings.push((*at, place, warning));
            }
        }
    }
    for (place, usage) in used_by {
        let result = results.get_mut(&place).expect("a call follows a start");
        result.insert("usage".into(), usage.to_json());
    }
    let now = board.time();
    for result in results.values_mut().filter(|result| result["status"] == "running") {
        result.insert("status".into(), "cancelled".into());
        let begun = result["startedAt"].as_u64().expect("a time");
        result.insert("durationMs".into(), board.took(begun, now - begun).into());
    }
    // As the lines of what happened are sorted, and for the same reason.
    errors.sort_by(|(place, _), (other, _)| place.cmp(other));
    warnings.sort_by(|(at, place, _), (other_at, other, _)| (at, place).cmp(&(other_at, other)));
    let mut errors: Vec<Value> = errors.into_iter().map(|(_, error)| error).collect();
    let status = match driven.outcome.as_ref().map(|outcome| &outcome.ending) {
        None => "cancelled",
        Some(Ending::Done) => "done",
        Some(Ending::Suspended) => "suspended",
        Some(Ending::Failed { error, stopped_by }) => {
            if stopped_by.is_none() {
                errors.push(error_json(error, None));
            }
            if error.code == Code::Budget { "budget" } else { "error" }
        }
    };
    let mut observed = Map::new();
    observed.insert("status".into(), status.into());
    observed.insert("state".into(), (*driven.state).clone());
    observed.insert("stepResults".into(), results.into_values().map(Value::Object).collect());
    if usage != Usage::default() {
        observed.insert("usage".into(), usage.to_json());
    }
    if !errors.is_empty() {
        observed.insert("errors".into(), errors.into());
    }
    if !warnings.is_empty() {
        observed.insert("warnings".into(), warnings.into_iter().map(|(.., warning)| warning).collect());
    }
    if status == "suspended" {
        observed.insert("pending".into(), pending.into());
    }
    let sent: Vec<Value> = script.requests.iter().map(|request| request.shown(&script.secrets)).collect();
    if !sent.is_empty() {
        observed.insert("requests".into(), sent.into());
    }
    // Which of two steps comes first within a millisecond is nobody's promise.
    lines.sort_by(|(at, place, _), (other_at, other_place, _)| (at, place).cmp(&(other_at, other_place)));
    lines.push((now, Vec::new(), format!("run.{status}")));
    let lines: Vec<Value> = lines.into_iter().map(|(at, _, line)| format!("{at} {line}").into()).collect();
    observed.insert("events".into(), lines.into());
    observed
}

fn begun(order: &Order<'_>, spot: Spot, attempts: u32, at: u64) -> Map<String, Value> {
    let step = order.step(spot);
    let mut result = Map::new();
    for (key, value) in [("id", &step.id), ("path", &step.path), ("name", &step.name)] {
        result.insert(key.into(), value.clone().into());
    }
    if spot.scope != 0 {
        result.insert("key".into(), order.key(spot).into());
    }
    result.insert("status".into(), "running".into());
    result.insert("attempts".into(), attempts.into());
    result.insert("startedAt".into(), at.into());
    result
}

/// Notes how long an execution took.
fn time(result: &mut Map<String, Value>, elapsed: f64, board: &Board) {
    let begun = result["startedAt"].as_u64().expect("a time");
    result.insert("durationMs".into(), board.took(begun, elapsed as u64).into());
}

fn ended(result: &mut Map<String, Value>, finished: &Finished<Shared>, board: &Board) {
    result.insert("status".into(), "done".into());
    time(result, finished.duration_ms, board);
    result.shift_remove("text");
    if let Some(output) = &finished.output {
        result.insert("output".into(), (**output).clone());
    }
    if let Some(extras) = &finished.extras {
        result.extend(extras.as_object().expect("an object").clone());
    }
    match finished.origin {
        Origin::Real => None,
        Origin::Simulated => result.insert("simulated".into(), true.into()),
        Origin::Pinned => result.insert("pinned".into(), true.into()),
    };
}

fn failure(result: &mut Map<String, Value>, failed: &Failed, board: &Board) {
    if failed.retry_in_ms.is_none() {
        result.insert("status".into(), "error".into());
        time(result, failed.duration_ms, board);
        result.insert("error".into(), error_json(&failed.error, None));
    }
}

fn error_json(error: &Error, step: Option<&StepInfo>) -> Value {
    let mut json = Map::new();
    json.insert("code".into(), json!(error.code));
    json.insert("message".into(), error.message.clone().into());
    if !error.hint.is_empty() {
        json.insert("hint".into(), error.hint.clone().into());
    }
    if error.retryable {
        json.insert("retryable".into(), true.into());
    }
    if let Some(step) = step {
        json.insert("step".into(), step.name.clone().into());
    }
    Value::Object(json)
}

fn by(runner: Runner) -> &'static str {
    match runner {
        Runner::Run => "",
        Runner::Provider => " by the provider",
    }
}

fn line(event: &Event<Shared>, order: &Order<'_>) -> (Stand, String) {
    let name = |spot: &Spot| order.name(*spot);
    let (spot, line) = match event {
        Event::StepStart { spot, attempt: 1, .. } => (spot, format!("step.start {}", name(spot))),
        Event::StepStart { spot, attempt, .. } => (spot, format!("step.start {} #{attempt}", name(spot))),
        Event::StepDelta { spot, text } => (spot, format!("step.delta {}: {text}", name(spot))),
        Event::StepReasoning { spot, text } => (spot, format!("step.reasoning {}: {text}", name(spot))),
        Event::StepReset { spot } => (spot, format!("step.reset {}", name(spot))),
        Event::StepUsage { spot, usage } => (spot, format!("step.usage {}: {usage:?}", name(spot))),
        Event::ToolStart { spot, call, runner } => {
            (spot, format!("tool.start {} {}{} {}", name(spot), call.tool, by(*runner), call.input))
        }
        Event::ToolEnd { spot, tool, outcome: Ok(output), runner, .. } => {
            (spot, format!("tool.done {} {tool}{} {output}", name(spot), by(*runner)))
        }
        Event::ToolEnd { spot, tool, outcome: Err(error), runner, .. } => {
            let code = json!(error.code);
            let code = code.as_str().expect("a word");
            (spot, format!("tool.error {} {tool}{} {code}", name(spot), by(*runner)))
        }
        Event::StepDone { spot, .. } => (spot, format!("step.done {}", name(spot))),
        Event::StepError { spot, failed } => {
            let code = json!(failed.error.code);
            let retry = failed.retry_in_ms.map(|wait| format!(" again in {wait}")).unwrap_or_default();
            (spot, format!("step.error {} {}{retry}", name(spot), code.as_str().expect("a word")))
        }
        Event::StepSkipped { spot, reason } => (spot, format!("step.skipped {}: {reason}", name(spot))),
        Event::StepSuspended { spot, .. } => (spot, format!("step.suspended {}", name(spot))),
        Event::ItemError { spot, error } => {
            return (order.place(*spot), format!("run.warning item_error: {error}"));
        }
        Event::Warning { spot, code, message } => {
            let place = spot.map(|spot| order.place(spot)).unwrap_or_default();
            return (place, format!("run.warning {code}: {message}"));
        }
    };
    (order.place(*spot), line)
}

fn whole(milliseconds: f64) -> Value {
    (milliseconds as u64).into()
}

/// Nobody is asked any longer in calls of an attempt that is over.
fn stop_asking(pending: &mut Vec<Value>, step: &Map<String, Value>) {
    let own = step.get("key").or(step.get("id")).and_then(Value::as_str).unwrap_or_default().to_owned() + "#";
    pending.retain(|asked| !asked["key"].as_str().is_some_and(|key| key.starts_with(&own)));
}
