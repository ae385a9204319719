//! Boards after events, one by one.

use super::*;
use serde_json::{Value, json};

fn board(events: &[Value]) -> Board {
    let mut board = Board::starting();
    for event in events {
        board.take(serde_json::from_value(event.clone()).unwrap());
    }
    board
}

fn step() -> Value {
    json!({ "id": "s1", "path": "steps[0]", "name": "research" })
}

#[test]
fn text_streams_until_the_answer_is_there() {
    let start = json!({ "type": "step.start", "seq": 1, "at": 0, "step": step(), "attempt": 1 });
    let delta = |text: &str| json!({ "type": "step.delta", "step": step(), "text": text });
    let streaming = board(&[start.clone(), delta("Bees "), delta("dance")]);
    assert_eq!(
        streaming.step("s1").unwrap().latest().unwrap().shown(usize::MAX).as_deref(),
        Some("Bees dance")
    );
    let done = json!({ "type": "step.done", "step": step(), "attempts": 1, "durationMs": 12, "output": "Bees dance.", "simulated": true });
    let board = board(&[start, delta("Bees "), done]);
    let research = board.step("s1").unwrap().latest().unwrap();
    assert_eq!((research.status, research.simulated), (Status::Done, true));
    assert_eq!(research.shown(usize::MAX).as_deref(), Some("Bees dance."));
}

#[test]
fn a_repeated_attempt_begins_with_empty_text() {
    let start = |attempt| json!({ "type": "step.start", "step": step(), "attempt": attempt });
    let error = json!({ "type": "step.error", "step": step(), "attempts": 1, "durationMs": 5, "retryInMs": 100,
        "error": { "code": "network", "message": "it broke off", "retryable": true } });
    let waiting = board(&[start(1), error.clone()]);
    assert_eq!(waiting.step("s1").unwrap().status(), Status::Running);
    let board = board(&[start(1), error, start(2)]);
    assert_eq!(board.step("s1").unwrap().latest().unwrap().error, None);
    assert_eq!(board.order, ["s1"]);
}

#[test]
fn the_end_settles_what_was_running() {
    let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
    let end = json!({ "type": "run.cancelled", "result": { "runId": "r", "status": "cancelled", "state": {},
        "stepResults": [], "usage": { "inputTokens": 1, "outputTokens": 2 }, "errors": [] } });
    let board = board(&[start, end]);
    assert_eq!(board.status, Status::Cancelled);
    assert_eq!(board.step("s1").unwrap().status(), Status::Cancelled);
}

#[test]
fn calls_of_tools_are_kept_when_a_model_is_called_again() {
    let start = |attempt| json!({ "type": "step.start", "step": step(), "attempt": attempt });
    let call = |id: &str| json!({ "type": "tool.start", "step": step(), "callId": id, "tool": "search", "input": { "q": id } });
    let done = json!({ "type": "tool.done", "step": step(), "callId": "c1", "tool": "search", "output": [1], "durationMs": 4 });
    let failed = json!({ "type": "tool.error", "step": step(), "callId": "c2", "tool": "search", "durationMs": 4,
        "error": { "code": "tool", "message": "no such page" } });
    let latest = |events: &[Value]| board(events).step("s1").unwrap().latest().unwrap().clone();
    let calling = latest(&[start(1), call("c1")]);
    assert_eq!(calling.shown(usize::MAX).as_deref(), Some("Calls search…"));
    let error = json!({ "type": "step.error", "step": step(), "attempts": 1, "durationMs": 5, "retryInMs": 100,
        "error": { "code": "network", "message": "it broke off" } });
    let again = latest(&[start(1), call("c1"), done, call("c2"), failed, error, start(2)]);
    let ends: Vec<_> = again.calls.iter().map(|call| (call.id.as_str(), call.status())).collect();
    assert_eq!(ends, [("c1", Status::Done), ("c2", Status::Error)]);
    assert_eq!(latest(&[start(1), call("c1"), start(1)]).calls, []);
}

#[test]
fn what_was_emitted_of_an_answer_is_dropped_when_a_model_is_called_anew() {
    let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
    let part = |word: &str, text: &str| json!({ "type": word, "step": step(), "text": text });
    let thinking = board(&[start.clone(), part("step.reasoning", "Hm. ")]);
    assert_eq!(thinking.step("s1").unwrap().latest().unwrap().shown(usize::MAX).as_deref(), Some("Thinks…"));
    let reset = json!({ "type": "step.reset", "step": step() });
    let board = board(&[
        start,
        part("step.reasoning", "Hm. "),
        part("step.delta", "Bees"),
        reset,
        part("step.delta", "Wasps"),
    ]);
    let run = board.step("s1").unwrap().latest().unwrap();
    assert_eq!((run.text.as_str(), run.reasoning.as_str()), ("Wasps", ""));
}

#[test]
fn a_run_ends_when_its_budget_is_used_up() {
    let start = json!({ "type": "step.start", "step": step(), "attempt": 1 });
    let end = json!({ "type": "run.budget", "result": { "status": "budget", "state": {},
        "stepResults": [{ "id": "s1", "key": "s1", "status": "error" }], "errors": [] } });
    let board = board(&[start, end]);
    assert_eq!(board.status, Status::Budget);
    assert_eq!(board.step("s1").unwrap().status(), Status::Error);
}

#[test]
fn a_step_may_ask_for_several_calls_of_tools() {
    let pay = |number: u32| json!({ "key": format!("s1/tool1.{number}"), "step": step(), "tool": { "name": "pay", "input": { "sum": number } } });
    let end = json!({ "type": "run.suspended", "result": { "status": "suspended", "state": {},
        "stepResults": [{ "id": "s1", "key": "s1", "status": "suspended" }], "pending": [pay(1), pay(2)] } });
    let board = board(&[json!({ "type": "step.start", "step": step(), "attempt": 1 }), end]);
    let keys: Vec<_> = board.pending("s1").into_iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["s1/tool1.1", "s1/tool1.2"]);
    assert_eq!(board.step("s1").unwrap().status(), Status::Suspended);
}

#[test]
fn a_run_whose_worker_had_to_be_ended_was_stopped() {
    let mut board = board(&[json!({ "type": "step.start", "step": step(), "attempt": 1 })]);
    let ended = json!({ "code": "cancelled", "message": "the run was cancelled; its worker gave no sign" });
    board.refuse(serde_json::from_value(ended).unwrap());
    assert_eq!((board.status, board.step("s1").unwrap().status()), (Status::Cancelled, Status::Cancelled));
}

#[test]
fn unknown_events_are_passed_over() {
    assert_eq!(board(&[json!({ "type": "step.pondered", "seq": 4 })]).status, Status::Running);
}

#[test]
fn a_suspended_run_keeps_its_questions_until_it_goes_on() {
    let step = json!({ "id": "s5", "path": "steps[0].steps[0]", "name": "ask", "key": "s4#1/s5" });
    let outer = json!({ "id": "s4", "path": "steps[0]", "name": "each", "key": "s4" });
    let start = |step: &Value| json!({ "type": "step.start", "step": step, "attempt": 1 });
    let end = json!({ "type": "run.suspended", "result": { "status": "suspended", "state": {},
        "journal": { "version": 1, "id": "r", "entries": [] },
        "stepResults": [{ "id": "s5", "key": "s4#0/s5", "status": "done" }],
        "pending": [{ "key": "s4#1/s5", "step": step, "message": "Go?", "schema": { "type": "boolean" } }] } });
    let mut first = step.clone();
    first["key"] = json!("s4#0/s5");
    let board = board(&[start(&outer), start(&first), start(&step), end]);
    assert_eq!(board.status, Status::Suspended);
    assert_eq!(board.step("s5").unwrap().tally().suspended, 1);
    assert_eq!(board.step("s5").unwrap().tally().done, 1);
    assert_eq!(board.step("s4").unwrap().status(), Status::Suspended);
    assert_eq!(board.pending("s4#1/s5")[0].message.as_deref(), Some("Go?"));
    let resumed = board.resumed();
    assert_eq!((resumed.status, resumed.pending("s4#1/s5").len()), (Status::Running, 0));
    assert_eq!(resumed.step("s5").unwrap().tally().done, 1);
    let mut refused = resumed;
    refused.refuse(serde_json::from_value(json!({ "code": "conflict", "message": "no" })).unwrap());
    assert_eq!(refused.status, Status::Suspended);
    assert!(refused.refusal.is_some() && refused.pending("s4#1/s5").len() == 1);
}

#[test]
fn what_a_run_waits_for_a_person_is_told_from_its_work_also_where_it_is_opened_again() {
    let step = |id: &str| json!({ "id": id, "path": "", "name": id, "key": id });
    let start = |id: &str| json!({ "type": "step.start", "step": step(id), "attempt": 1 });
    let done = |id: &str, at: u32, ms: u32| json!({ "type": "step.done", "at": at, "step": step(id), "durationMs": ms, "output": true });
    let suspended = json!({ "type": "run.suspended", "at": 1000, "result": { "status": "suspended", "state": {},
        "pending": [{ "key": "s3", "step": step("s3") }] } });
    let away = json!({ "type": "page.away", "from": 1000, "to": 22_000, "forPerson": true });
    let first = board(&[start("s1"), done("s1", 990, 5), start("s2"), start("s3"), suspended]);
    let events = [
        away.clone(),
        start("s1"),
        done("s1", 990, 5),
        start("s2"),
        start("s3"),
        done("s3", 22_005, 21_010),
        done("s2", 22_255, 21_260),
    ];
    let mut resumed = first.resumed();
    // Somebody has looked at it meanwhile.
    let looked = json!({ "type": "page.away", "from": 1000, "to": 12_000, "forPerson": true });
    resumed.take(serde_json::from_value(looked).unwrap());
    let mut resumed = resumed.resumed();
    for event in &events {
        resumed.take(serde_json::from_value(event.clone()).unwrap());
    }
    for run in [resumed, board(&events)] {
        let said = |id: &str| run.step(id).unwrap().latest().unwrap().took.unwrap().full();
        assert_eq!([said("s1"), said("s3"), said("s2")], ["5 ms", "waited 21.0 s", "260 ms, waited 21.0 s"]);
    }
}

#[test]
fn the_time_in_which_a_person_is_asked_about_an_address_is_no_work_of_the_step_that_asks() {
    let asked = json!({ "type": "page.away", "from": 1000, "to": 9000, "forPerson": true, "beside": true });
    let step = |word: &str, id: &str, at: u64, took: u64| {
        json!({ "type": format!("step.{word}"), "at": at, "attempt": 1, "durationMs": took, "output": true,
            "step": { "id": id, "path": "", "name": id, "key": id } })
    };
    let run = board(&[
        // A run that is taken up again begins with it.
        asked,
        step("start", "s1", 900, 0),
        step("start", "s2", 900, 0),
        // It went on beside the question.
        step("done", "s2", 5000, 4100),
        step("done", "s1", 9300, 8400),
    ]);
    let said = |id: &str| run.step(id).unwrap().latest().unwrap().took.unwrap().full();
    assert_eq!([said("s1"), said("s2")], ["400 ms, waited 8.0 s", "4.1 s"]);
}

#[test]
fn the_time_for_which_the_page_was_closed_is_no_time_of_a_step() {
    let step = json!({ "id": "s1", "path": "", "name": "slow", "key": "s1" });
    let away = json!({ "type": "page.away", "from": 1000, "to": 26_000, "forPerson": false });
    let call = json!({ "type": "tool.start", "step": step, "callId": "c", "tool": "t", "input": {} });
    let called = json!({ "type": "tool.done", "at": 29_000, "step": step, "callId": "c", "output": 1, "durationMs": 28_500 });
    let start = json!({ "type": "step.start", "step": step, "attempt": 1 });
    let done =
        json!({ "type": "step.done", "at": 31_000, "step": step, "durationMs": 30_000, "output": true });
    // It is told with the first event each time that the run goes on.
    let run = board(&[away.clone(), away, start, call, called, done]);
    let slow = run.step("s1").unwrap().latest().unwrap();
    assert_eq!(slow.took.unwrap().full(), "5.0 s");
    assert_eq!(slow.calls[0].duration_ms, Some(3500.0));
}

#[test]
fn a_question_stays_open_when_its_answer_does_not_fit() {
    let step = json!({ "id": "s1", "path": "steps[0]", "name": "ask", "key": "s1" });
    let start = json!({ "type": "step.start", "step": step, "attempt": 1 });
    let end = |status: &str, errors: Value, pending: Value| {
        json!({ "type": format!("run.{status}"), "result": { "status": status, "state": {},
            "stepResults": [{ "id": "s1", "key": "s1", "status": status }], "errors": errors, "pending": pending } })
    };
    let suspended =
        board(&[start.clone(), end("suspended", json!([]), json!([{ "key": "s1", "step": step }]))]);
    let after = |code: &str| {
        let failure = json!({ "code": code, "message": "it must be 1 or more", "step": step });
        let mut board = suspended.resumed();
        board.take(serde_json::from_value(start.clone()).unwrap());
        board.take(serde_json::from_value(end("error", json!([failure]), json!([]))).unwrap());
        board
    };
    let refused = after("validation");
    assert_eq!(refused.status, Status::Suspended);
    assert!(refused.pending("s1").len() == 1);
    assert_eq!(refused.refusal.unwrap().message, "it must be 1 or more");
    assert_eq!(after("limit").status, Status::Error);
}

#[test]
fn a_replayed_step_is_counted_once() {
    let step = json!({ "id": "s5", "path": "steps[0].steps[0]", "name": "ask", "key": "s4#1/s5" });
    let start = json!({ "type": "step.start", "step": step, "attempt": 1 });
    let again = json!({ "type": "step.start", "step": step, "attempt": 1, "replayed": true });
    let done =
        json!({ "type": "step.done", "step": step, "durationMs": 1, "output": true, "replayed": true });
    let board = board(&[start, again, done]);
    let tally = board.step("s5").unwrap().tally();
    assert_eq!((tally.all, tally.done, tally.running), (1, 1, 0));
}
