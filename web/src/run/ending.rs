//! How a run came to its end before all of its steps were through: a step ended it, or a person said no and nothing is
//! done after that.

use serde_json::Value;
use stepweave_core::document::{Document, ExitScope, Step, StepKind};

use super::board::Board;
use super::event::StepRef;
use super::status::Status;
use super::step_run::StepRun;
use crate::step::upright::upright;

/// How a run came to its end.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// As its status says.
    Plain,
    /// A person said no.
    Refused,
    /// A step ended it, for this reason or by this name.
    Ended(String),
}

impl Ending {
    /// That of a run of a document.
    pub fn of(board: &Board, document: &Document) -> Self {
        match board.status {
            Status::Done => match exit(board, &document.steps) {
                Some((name, message)) => Self::Ended(message.unwrap_or(name)),
                None => match last_done(board, &document.steps) {
                    Some(run) if refusal(run).is_some() => Self::Refused,
                    _ => Self::Plain,
                },
            },
            Status::Error => match board.failures().first() {
                Some(failure) if failure.step.as_ref().is_some_and(|step| ends_run(document, step)) => {
                    Self::Ended(failure.message.clone())
                }
                _ => Self::Plain,
            },
            _ => Self::Plain,
        }
    }

    /// As a person reads it, in about so many letters; nothing where the status says it all.
    pub fn said(&self, letters: usize) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::Refused => Some("Refused".to_owned()),
            Self::Ended(why) => Some(format!("Ended: {}", upright(beginning(why, letters)))),
        }
    }
}

/// What is said of an execution in which a person refused something: that, with the reason where there is one.
pub fn refusal(run: &StepRun) -> Option<String> {
    let answer = run.output.as_ref().filter(|answer| answer.get("approved") == Some(&Value::Bool(false)))?;
    let reason = answer.get("reason").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    Some(reason.map_or_else(|| "Refused.".to_owned(), |reason| format!("Refused: {reason}")))
}

/// The name and the message of the step that ended the run well, whatever it stands in. In a workflow step it would have
/// ended that alone.
pub fn exit(board: &Board, steps: &[Step]) -> Option<(String, Option<String>)> {
    steps.iter().find_map(|step| match &step.kind {
        StepKind::End(exit) if exit.scope == ExitScope::Run => {
            let all = board.step(&step.id)?;
            let run = all.get(all.first_of(Status::Done)?)?;
            let message = run.output.as_ref().and_then(Value::as_str).map(str::trim);
            Some((run.name.clone(), message.filter(|text| !text.is_empty()).map(str::to_owned)))
        }
        StepKind::Workflow(_) => None,
        _ => step.blocks().into_iter().find_map(|(_, steps)| exit(board, steps)),
    })
}

fn ends_run(document: &Document, step: &StepRef) -> bool {
    document.step(&step.id).is_some_and(|step| matches!(step.kind, StepKind::End(_)))
}

/// The last of these steps that did something on the way that was taken: one that only holds others does nothing itself.
/// What runs at the same time, or many times, counts as a whole.
fn last_done<'b>(board: &'b Board, steps: &[Step]) -> Option<&'b StepRun> {
    steps.iter().rev().find_map(|step| {
        let run = board.step(&step.id)?.get(&step.id).filter(|run| run.status == Status::Done)?;
        let inside = || step.blocks().into_iter().rev().find_map(|(_, steps)| last_done(board, steps));
        match &step.kind {
            StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Sequence(_) => inside(),
            StepKind::Approval(_) => inside().or(Some(run)),
            _ => Some(run),
        }
    })
}

/// The first line of a text, as far as it fits.
fn beginning(text: &str, letters: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let kept: String = line.chars().take(letters).collect();
    if kept.len() < text.trim().len() { format!("{}…", kept.trim_end()) } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// How a run ended in which these steps were done, each with what it gave.
    fn ended(steps: &Value, done: &[(&str, Value)]) -> Ending {
        let document: Document =
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": steps })).unwrap();
        let mut board = Board::starting();
        for (id, output) in done {
            let step = json!({ "id": id, "name": document.step(id).unwrap().name });
            let event = json!({ "type": "step.done", "durationMs": 1, "step": step, "output": output });
            board.take(serde_json::from_value(event).unwrap());
        }
        let result = json!({ "status": "done", "state": {} });
        board.take(serde_json::from_value(json!({ "type": "run.done", "result": result })).unwrap());
        Ending::of(&board, &document)
    }

    fn agent(id: &str) -> Value {
        json!({ "id": id, "type": "agent", "name": id, "agent": "a" })
    }

    fn end(message: Option<&str>) -> Value {
        json!({ "id": "s9", "type": "end", "name": "stop", "end": { "message": message.unwrap_or("") } })
    }

    #[test]
    fn a_run_whose_last_word_was_a_no_is_refused() {
        let no = ("s2", json!({ "approved": false }));
        let (reply, other) = (("s1", json!("Dear all")), ("s3", json!("sent")));
        let with = |otherwise: Value| {
            let ask = json!({ "id": "s2", "type": "approval", "name": "ask", "steps": [agent("s3")], "else": otherwise });
            json!([agent("s1"), ask, agent("s4")])
        };
        let empty = with(json!([]));
        assert_eq!(ended(&empty, &[reply.clone(), no.clone()]), Ending::Refused);
        assert_eq!(ended(&empty, &[reply.clone(), no.clone(), ("s4", json!("x"))]), Ending::Plain);
        let yes = ("s2", json!({ "approved": true }));
        assert_eq!(ended(&empty, &[reply.clone(), other, yes]), Ending::Plain);
        let told = with(json!([agent("s5")]));
        assert_eq!(ended(&told, &[reply.clone(), ("s5", json!("Sorry.")), no.clone()]), Ending::Plain);
        let in_lane = json!([agent("s1"), { "id": "s6", "type": "condition", "name": "if", "condition": "true",
            "steps": [{ "id": "s2", "type": "approval", "name": "ask" }], "else": [] }]);
        assert_eq!(ended(&in_lane, &[reply, no, ("s6", json!(true))]), Ending::Refused);
    }

    #[test]
    fn a_run_that_a_step_ended_says_why_or_at_which() {
        let why = |message: Option<&str>| {
            let output = message.map_or(Value::Null, Into::into);
            ended(&json!([agent("s1"), end(message)]), &[("s1", json!("Hi.")), ("s9", output)])
        };
        assert_eq!(why(Some("Nothing new")), Ending::Ended("Nothing new".to_owned()));
        assert_eq!(why(None), Ending::Ended("stop".to_owned()));
        assert_eq!(why(Some("Nothing new")).said(40).unwrap(), "Ended: Nothing new");
        assert_eq!(why(Some("Nothing new\nat all")).said(40).unwrap(), "Ended: Nothing new…");
        assert_eq!(why(Some("Nothing new")).said(7).unwrap(), "Ended: Nothing…");
        assert_eq!(ended(&json!([agent("s1"), end(None)]), &[("s1", json!("Hi."))]), Ending::Plain);
    }

    #[test]
    fn a_run_that_a_step_ended_with_an_error_says_so_in_its_words() {
        let steps = json!([end(Some("the total is -3")), agent("s1")]);
        let document: Document =
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": steps })).unwrap();
        let of = |id: &str| {
            let error =
                json!({ "code": "handler", "message": "the total is -3", "step": { "id": id, "name": id } });
            let result = json!({ "status": "error", "state": {}, "errors": [error] });
            let mut board = Board::starting();
            board.take(serde_json::from_value(json!({ "type": "run.error", "result": result })).unwrap());
            Ending::of(&board, &document)
        };
        assert_eq!(of("s9"), Ending::Ended("the total is -3".to_owned()));
        assert_eq!(of("s1"), Ending::Plain);
    }

    #[test]
    fn a_refusal_has_its_reason() {
        let said = |output: Value| refusal(&StepRun { output: Some(output), ..StepRun::default() });
        assert_eq!(said(json!({ "approved": false })).unwrap(), "Refused.");
        assert_eq!(said(json!({ "approved": false, "reason": "too much" })).unwrap(), "Refused: too much");
        assert_eq!(said(json!({ "approved": true })), None);
        assert_eq!(said(json!(false)), None);
    }
}
