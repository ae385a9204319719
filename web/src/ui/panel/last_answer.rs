//! What a run that is done was for, most often: the text that the last step gave on the way that it took, or why it ended
//! before that.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Document, Step, StepKind};

use crate::page::state::app;
use crate::run::board::Board;
use crate::run::ending::{exit, refusal};
use crate::run::status::Status;
use crate::run::step_run::StepRun;
use crate::step::upright::upright;
use crate::ui::markdown::Markdown;

/// The text, with what it is.
#[component]
pub fn LastAnswer() -> impl IntoView {
    let app = app();
    let found = Memo::new(move |_| app.runner.read(|board| last_answer(board, app.runner.ran().document()?)));
    move || {
        found.get().map(|(title, text)| {
            view! {
                <section class="last-answer" aria-label="Last answer" tabindex="0">
                    <h2>{upright(title)}</h2>
                    <Markdown text=Signal::stored(text) />
                </section>
            }
        })
    }
}

/// Nobody reads longer ones here, and to show one would take long.
const LONGEST: usize = 50_000;

/// What it is, and the text.
fn last_answer(board: &Board, document: &Document) -> Option<(String, String)> {
    if board.status != Status::Done {
        return None;
    }
    let said_at_end = exit(board, &document.steps).and_then(|(name, said)| Some((name, said?)));
    said_at_end.filter(|(_, text)| is_read(text)).or_else(|| given_last(board, &document.steps, ""))
}

/// What the last of these steps gave that gave a text, in the iterations that begin their keys. The lanes that were not
/// taken gave nothing; of members that ran at the same time the last one counts, whichever ended first. What a person has
/// refused is no answer: behind a no that gave nothing, the no is.
fn given_last(board: &Board, steps: &[Step], iterations: &str) -> Option<(String, String)> {
    steps.iter().rev().find_map(|step| {
        let key = format!("{iterations}{}", step.id);
        let run = board.step(&step.id)?.get(&key).filter(|run| run.status == Status::Done)?;
        given(step, run).filter(|(_, text)| is_read(text)).or_else(|| {
            let inside = match &step.kind {
                // What its items gave is the list, and that was nothing to read.
                StepKind::Foreach(_) => return None,
                StepKind::Loop(_) => last_round(board, step, &key)?,
                _ => iterations.to_owned(),
            };
            let mut blocks = step.blocks().into_iter().rev();
            let given = blocks.find_map(|(_, steps)| given_last(board, steps, &inside));
            let refused = || refusal(run).filter(|_| matches!(step.kind, StepKind::Approval(_)));
            given.or_else(|| Some((run.name.clone(), refused()?)))
        })
    })
}

/// The beginning of the keys of a loop's last round.
fn last_round(board: &Board, step: &Step, key: &str) -> Option<String> {
    let rounds = (0..).map(|round| format!("{key}#{round}/"));
    let was_run = |round: &String| {
        let blocks = step.blocks();
        let mut inside = blocks.iter().flat_map(|(_, steps)| steps.iter());
        inside.any(|step| {
            board.step(&step.id).is_some_and(|all| all.get(&format!("{round}{}", step.id)).is_some())
        })
    };
    rounds.take_while(was_run).last()
}

/// What a step gave by itself, where people read that: what requests are answered is for the steps behind them.
fn given(step: &Step, run: &StepRun) -> Option<(String, String)> {
    match &step.kind {
        StepKind::Agent(_) => {
            let is_text = |output: &&Value| output.is_string() || output.get("finishReason").is_some();
            run.output.as_ref().filter(is_text)?;
            Some((format!("Answer of {}", run.name), run.answer()?))
        }
        StepKind::Function(_) => set(run),
        // One that says nothing of what it gives has its whole state as its output.
        StepKind::Workflow(inner) => inner.set.as_ref().and_then(|_| set(run)),
        StepKind::Foreach(_) => {
            let items = run.output.as_ref()?.as_array()?;
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some((format!("List of {}", run.name), texts?.join("\n\n---\n\n")))
        }
        _ => None,
    }
}

/// The first text that a step has set.
fn set(run: &StepRun) -> Option<(String, String)> {
    let mut set = run.patch.as_ref()?.as_object()?.iter();
    set.find_map(|(key, value)| {
        let text = value.as_str().filter(|text| is_read(text))?;
        Some((format!("{key} of {}", run.name), text.to_owned()))
    })
}

fn is_read(text: &str) -> bool {
    (1..=LONGEST).contains(&text.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is shown of a run in which these executions were done, each with its key and what it gave.
    fn shown(steps: Value, done: &[(&str, Value)]) -> Option<(String, String)> {
        let document = json!({ "version": 1, "name": "t", "steps": steps });
        let document: Document = serde_json::from_value(document).unwrap();
        let mut board = Board::starting();
        for (key, gave) in done {
            let id = key.rsplit('/').next().unwrap();
            let name = &document.step(id).unwrap().name;
            let mut event = json!({ "type": "step.done", "durationMs": 1, "step": { "id": id, "key": key, "name": name } });
            let is_patch = gave.is_object() && gave.get("approved").is_none();
            let into = if is_patch { "patch" } else { "output" };
            event[into] = gave.clone();
            board.take(serde_json::from_value(event).unwrap());
        }
        let result = json!({ "runId": "r", "status": "done", "state": {}, "stepResults": [], "errors": [] });
        board.take(serde_json::from_value(json!({ "type": "run.done", "result": result })).unwrap());
        last_answer(&board, &document)
    }

    fn said(title: &str, text: &str) -> Option<(String, String)> {
        Some((title.to_owned(), text.to_owned()))
    }

    fn agent(id: &str) -> Value {
        json!({ "id": id, "type": "agent", "name": format!("agent_{id}"), "agent": "a" })
    }

    fn function(id: &str) -> Value {
        json!({ "id": id, "type": "function", "name": format!("function_{id}"), "run": { "set": {} } })
    }

    #[test]
    fn what_the_last_step_makes_is_what_the_run_was_for() {
        let shown =
            |patch| shown(json!([agent("s1"), function("s2")]), &[("s1", json!("Hi.")), ("s2", patch)]);
        assert_eq!(shown(json!({ "reply": "Yes." })), said("reply of function_s2", "Yes."));
        assert_eq!(
            shown(json!({ "many": 2, "reply": "A.", "more": "B." })),
            said("reply of function_s2", "A.")
        );
        for patch in [json!({ "many": 2 }), json!({ "reply": " " })] {
            assert_eq!(shown(patch), said("Answer of agent_s1", "Hi."));
        }
    }

    #[test]
    fn what_the_way_gave_that_was_taken_counts() {
        let approval = json!({ "id": "s4", "type": "approval", "name": "ok",
            "steps": [function("s5")], "else": [function("s6")] });
        let branch = json!({ "id": "s2", "type": "condition", "name": "if", "condition": "true",
            "steps": [agent("s3"), approval], "else": [function("s7")] });
        let steps = json!([agent("s1"), branch]);
        let reply = |text: &str| json!({ "reply": text });
        let answer = ("s3", json!("A secret."));
        let refused =
            [("s1", json!("yes")), answer, ("s6", reply("No.")), ("s4", json!(false)), ("s2", json!(true))];
        assert_eq!(shown(steps.clone(), &refused), said("reply of function_s6", "No."));
        let other = [("s1", json!("no")), ("s7", reply("Later.")), ("s2", json!(false))];
        assert_eq!(shown(steps, &other), said("reply of function_s7", "Later."));
    }

    #[test]
    fn what_a_person_has_refused_is_no_answer() {
        let ask =
            json!({ "id": "s2", "type": "approval", "name": "ask", "steps": [function("s3")], "else": [] });
        let steps = json!([agent("s1"), ask, function("s4")]);
        let gave = |answer: Value, behind: Value| {
            let done = [("s1", json!("Dear all")), ("s2", answer), ("s4", behind)];
            shown(steps.clone(), &done)
        };
        let no = json!({ "approved": false, "reason": "too long" });
        assert_eq!(gave(no.clone(), json!({ "many": 1 })), said("ask", "Refused: too long"));
        assert_eq!(gave(no, json!({ "reply": "Later." })), said("reply of function_s4", "Later."));
        let yes = json!({ "approved": true });
        assert_eq!(gave(yes, json!({ "many": 1 })), said("Answer of agent_s1", "Dear all"));
    }

    #[test]
    fn of_what_runs_many_times_the_last_time_counts() {
        let branch = json!({ "id": "s2", "type": "condition", "name": "if", "condition": "true",
            "steps": [agent("s3")], "else": [agent("s4")] });
        let repeat = json!([{ "id": "s1", "type": "loop", "name": "again", "repeat": { "until": "true" }, "maxIterations": 3,
            "steps": [branch] }]);
        let rounds = [
            ("s1#0/s4", json!("First.")),
            ("s1#0/s2", json!(false)),
            ("s1#1/s3", json!("Second.")),
            ("s1#1/s2", json!(true)),
            ("s1", json!(2)),
        ];
        assert_eq!(shown(repeat, &rounds), said("Answer of agent_s3", "Second."));
        let each = json!([agent("s1"), { "id": "s2", "type": "foreach", "name": "each", "items": "[1, 2]",
            "steps": [agent("s3")] }]);
        let gave = |list: Value| {
            let items = [("s2#1/s3", json!("B.")), ("s2#0/s3", json!("A.")), ("s2", list)];
            shown(each.clone(), &[&[("s1", json!("Hi."))], &items[..]].concat())
        };
        assert_eq!(gave(json!(["A.", "B."])), said("List of each", "A.\n\n---\n\nB."));
        assert_eq!(gave(json!([1, 2])), said("Answer of agent_s1", "Hi."));
    }

    #[test]
    fn why_a_step_ended_the_run_counts_before_what_was_given() {
        let end = |scope: &str| json!({ "id": "s4", "type": "end", "name": "refuse", "end": { "scope": scope, "message": "No." } });
        let guard = |scope: &str| json!({ "id": "s3", "type": "condition", "name": "if", "condition": "true", "steps": [end(scope)] });
        let no = json!("No.");
        let done = [("s4", no.clone()), ("s3", json!(true)), ("s2", json!("Hi.")), ("s1", json!(null))];
        let beside = json!([{ "id": "s1", "type": "parallel", "name": "both", "parallel": [guard("run"), agent("s2")] }]);
        assert_eq!(shown(beside, &done), said("refuse", "No."));
        let each = |scope: &str| json!([agent("s1"), { "id": "s2", "type": "foreach", "name": "each", "items": "[1]", "steps": [end(scope)] }]);
        let item = [("s1", json!("Hi.")), ("s2#0/s4", no.clone()), ("s2", json!([]))];
        assert_eq!(shown(each("run"), &item), said("refuse", "No."));
        assert_eq!(shown(each("item"), &item), said("Answer of agent_s1", "Hi."));
        let inner =
            json!([agent("s1"), { "id": "s2", "type": "workflow", "name": "inner", "steps": [end("run")] }]);
        assert_eq!(
            shown(inner, &[("s1", json!("Hi.")), ("s4", no), ("s2", json!({}))]),
            said("Answer of agent_s1", "Hi.")
        );
        // One that says nothing leaves what was given before it.
        let silent = [("s1", json!("Hi.")), ("s4", json!(null))];
        assert_eq!(shown(json!([agent("s1"), end("run")]), &silent), said("Answer of agent_s1", "Hi."));
    }

    #[test]
    fn of_what_runs_beside_each_other_the_last_member_counts_and_a_workflow_gives_what_it_sets() {
        let fork = json!([{ "id": "s1", "type": "parallel", "name": "both", "parallel": [agent("s2"), agent("s3")] }]);
        let members = [("s3", json!("B.")), ("s2", json!("A.")), ("s1", json!(null))];
        assert_eq!(shown(fork, &members), said("Answer of agent_s3", "B."));
        let inner = |set: Value| {
            let mut step = json!({ "id": "s1", "type": "workflow", "name": "inner", "steps": [agent("s2")] });
            step.as_object_mut().unwrap().extend(set.as_object().unwrap().clone());
            shown(json!([step]), &[("s2", json!("A.")), ("s1", json!({ "reply": "Out." }))])
        };
        assert_eq!(inner(json!({ "set": { "reply": "'Out.'" } })), said("reply of inner", "Out."));
        assert_eq!(inner(json!({})), said("Answer of agent_s2", "A."));
    }
}
