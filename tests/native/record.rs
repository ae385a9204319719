//! What happened, in the form in which scenarios expect it.

use serde_json::{Map, Value, json};
use stepweave_core::document::Document;
use stepweave_core::engine::{Error, Event, Failed, Finished, Origin, Plan, StepInfo, Usage};
use stepweave_core::validate::validate;

use crate::drive::{Driven, LETTER_CASE, drive};
use crate::host::Shared;
use crate::progress::progress;
use crate::scenario::Scenario;

/// Runs the scenario and tells what came of it.
pub fn observe(scenario: &Scenario) -> Value {
    let report = validate(&scenario.text());
    let problems: Vec<Value> = report.problems.iter().map(|problem| json!(problem)).collect();
    let Some(document) = report.document else {
        return json!({ "problems": problems });
    };
    let steps = Plan::new(&document, LETTER_CASE).expect("a valid document has a plan").steps;
    let driven = drive(scenario, &document);
    let mut observed = Map::new();
    if !problems.is_empty() {
        observed.insert("problems".into(), problems.into());
    }
    observed.extend(told(&driven, &steps, &document));
    Value::Object(observed)
}

fn told(driven: &Driven, steps: &[StepInfo], document: &Document) -> Map<String, Value> {
    let mut results: Vec<Option<Map<String, Value>>> = vec![None; steps.len()];
    let mut errors: Vec<(usize, Value)> = Vec::new();
    let mut usage = Usage::default();
    let mut lines = vec![(0, 0, "run.start".to_owned())];
    let events = driven.board.events.borrow();
    for (at, event) in events.iter() {
        let (place, line) = line(event, steps);
        lines.push((*at, place, line));
        match event {
            Event::StepStart { step, attempt } => {
                let place = *step as usize;
                let result = results[place].get_or_insert_with(|| begun(&steps[place], *attempt, *at));
                result.insert("attempts".into(), (*attempt).into());
                result.shift_remove("text");
            }
            Event::StepDelta { step, text } => {
                let result = results[*step as usize].as_mut().expect("a delta follows a start");
                let so_far = result.get("text").and_then(Value::as_str).unwrap_or("").to_owned();
                result.insert("text".into(), (so_far + text).into());
            }
            Event::StepDone { step, finished } => {
                usage += finished.usage.unwrap_or_default();
                let result = results[*step as usize].as_mut().expect("an end follows a start");
                ended(result, finished);
            }
            Event::StepError { step, failed } => {
                let place = *step as usize;
                let result = results[place].as_mut().expect("an end follows a start");
                failure(result, failed);
                if failed.retry_in_ms.is_none() && failed.stopped_by.is_none() {
                    errors.push((place, error_json(&failed.error, Some(&steps[place]))));
                }
            }
            Event::StepSkipped { step, .. } => {
                let place = *step as usize;
                // A step that is disabled has no attempt.
                let result = results[place].get_or_insert_with(|| begun(&steps[place], 0, *at));
                result.insert("status".into(), "skipped".into());
                result.insert("durationMs".into(), 0.into());
            }
            Event::Warning { .. } => {}
        }
    }
    let now = driven.board.now.get();
    for result in results.iter_mut().flatten().filter(|result| result["status"] == "running") {
        result.insert("status".into(), "cancelled".into());
        let begun = result["startedAt"].as_u64().expect("a time");
        result.insert("durationMs".into(), (now - begun).into());
    }
    errors.sort_by_key(|(place, _)| *place);
    let mut errors: Vec<Value> = errors.into_iter().map(|(_, error)| error).collect();
    let (status, state) = match &driven.outcome {
        None => ("cancelled", progress(driven, document)),
        Some(outcome) => {
            if let (Some(error), None) = (&outcome.error, outcome.stopped_by) {
                errors.push(error_json(error, None));
            }
            let status = if outcome.error.is_some() { "error" } else { "done" };
            (
                status,
                outcome.state.as_ref().map_or_else(|| progress(driven, document), |state| (**state).clone()),
            )
        }
    };
    let mut observed = Map::new();
    observed.insert("status".into(), status.into());
    observed.insert("state".into(), state);
    observed.insert("stepResults".into(), results.into_iter().flatten().map(Value::Object).collect());
    if usage != Usage::default() {
        observed.insert("usage".into(), json!(usage));
    }
    if !errors.is_empty() {
        observed.insert("errors".into(), errors.into());
    }
    let sent: Vec<Value> = driven
        .requests
        .iter()
        .map(|request| {
            json!({
                "url": request.url,
                "body": serde_json::from_str::<Value>(&request.body).expect("a body is JSON"),
            })
        })
        .collect();
    if !sent.is_empty() {
        observed.insert("requests".into(), sent.into());
    }
    // Which of two steps comes first within a millisecond is nobody's promise.
    lines.sort_by_key(|(at, place, _)| (*at, *place));
    lines.push((now, usize::MAX, format!("run.{status}")));
    let lines: Vec<Value> = lines.into_iter().map(|(at, _, line)| format!("{at} {line}").into()).collect();
    observed.insert("events".into(), lines.into());
    observed
}

fn begun(step: &StepInfo, attempts: u32, at: u64) -> Map<String, Value> {
    let mut result = Map::new();
    for (key, value) in [("id", &step.id), ("path", &step.path), ("name", &step.name)] {
        result.insert(key.into(), value.clone().into());
    }
    result.insert("status".into(), "running".into());
    result.insert("attempts".into(), attempts.into());
    result.insert("startedAt".into(), at.into());
    result
}

fn ended(result: &mut Map<String, Value>, finished: &Finished<Shared>) {
    result.insert("status".into(), "done".into());
    result.insert("durationMs".into(), whole(finished.duration_ms));
    result.shift_remove("text");
    if let Some(output) = &finished.output {
        result.insert("output".into(), (**output).clone());
    }
    if let Some(usage) = &finished.usage {
        result.insert("usage".into(), json!(usage));
    }
    if finished.origin == Origin::Simulated {
        result.insert("simulated".into(), true.into());
    }
}

fn failure(result: &mut Map<String, Value>, failed: &Failed) {
    if failed.retry_in_ms.is_none() {
        result.insert("status".into(), "error".into());
        result.insert("durationMs".into(), whole(failed.duration_ms));
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

fn line(event: &Event<Shared>, steps: &[StepInfo]) -> (usize, String) {
    let name = |step: &u32| &steps[*step as usize].name;
    match event {
        Event::StepStart { step, attempt: 1 } => (*step as usize, format!("step.start {}", name(step))),
        Event::StepStart { step, attempt } => {
            (*step as usize, format!("step.start {} #{attempt}", name(step)))
        }
        Event::StepDelta { step, text } => (*step as usize, format!("step.delta {}: {text}", name(step))),
        Event::StepDone { step, .. } => (*step as usize, format!("step.done {}", name(step))),
        Event::StepError { step, failed } => {
            let code = json!(failed.error.code);
            let retry = failed.retry_in_ms.map(|wait| format!(" again in {wait}")).unwrap_or_default();
            (*step as usize, format!("step.error {} {}{retry}", name(step), code.as_str().expect("a word")))
        }
        Event::StepSkipped { step, reason } => {
            (*step as usize, format!("step.skipped {}: {reason}", name(step)))
        }
        Event::Warning { step, code, message } => {
            (step.map_or(0, |step| step as usize), format!("run.warning {code}: {message}"))
        }
    }
}

fn whole(milliseconds: f64) -> Value {
    (milliseconds as u64).into()
}
