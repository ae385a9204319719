//! What a run that is done was for, most often: the text that its last step made, or else the last answer of an agent.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Document, StepKind};

use crate::page::state::app;
use crate::run::board::Board;
use crate::run::status::Status;
use crate::step::upright::upright;
use crate::ui::markdown::Markdown;

/// The text, with what it is.
#[component]
pub fn LastAnswer() -> impl IntoView {
    let app = app();
    let found = Memo::new(move |_| {
        app.runner.read(|board| app.editor.document.with_untracked(|document| last_answer(board, document)))
    });
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
    made_last(board, document).or_else(|| answered_last(board, document))
}

/// The only value that the last step of the workflow has set, where that is a function and the value a text.
fn made_last(board: &Board, document: &Document) -> Option<(String, String)> {
    let step = document.steps.last().filter(|step| matches!(step.kind, StepKind::Function(_)))?;
    let run = board.step(&step.id)?.latest().filter(|run| run.status == Status::Done)?;
    let (key, text) = run.set_text()?;
    is_read(text).then(|| (format!("{key} of {}", run.name), text.to_owned()))
}

fn is_read(text: &str) -> bool {
    (1..=LONGEST).contains(&text.trim().len())
}

/// The text of the agent that has begun last of those that give texts.
fn answered_last(board: &Board, document: &Document) -> Option<(String, String)> {
    board.order.iter().rev().find_map(|id| {
        let step = document.step(id)?;
        let run = board.steps.get(id)?.latest().filter(|run| run.status == Status::Done)?;
        let is_text = |output: &&Value| output.is_string() || output.get("finishReason").is_some();
        run.output.as_ref().filter(is_text)?;
        let text = run.answer().filter(|text| is_read(text))?;
        matches!(step.kind, StepKind::Agent(_)).then(|| (format!("Answer of {}", run.name), text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is shown of a run of an agent and a function behind it, which has set this.
    fn shown(patch: Value) -> Option<(String, String)> {
        let steps = json!([
            { "id": "s1", "type": "agent", "name": "draft", "agent": "a" },
            { "id": "s2", "type": "function", "name": "compose", "run": { "set": { "reply": "''" } } }
        ]);
        let document = json!({ "version": 1, "name": "t", "steps": steps });
        let document: Document = serde_json::from_value(document).unwrap();
        let mut board = Board::starting();
        let step = |at: usize| json!({ "id": steps[at]["id"], "path": format!("steps[{at}]"), "name": steps[at]["name"] });
        for event in [
            json!({ "type": "step.start", "step": step(0), "attempt": 1 }),
            json!({ "type": "step.done", "step": step(0), "durationMs": 1, "output": "Dear Ada," }),
            json!({ "type": "step.start", "step": step(1), "attempt": 1 }),
            json!({ "type": "step.done", "step": step(1), "durationMs": 1, "patch": patch }),
            json!({ "type": "run.done", "result": { "runId": "r", "status": "done", "state": {}, "stepResults": [], "errors": [] } }),
        ] {
            board.take(serde_json::from_value(event).unwrap());
        }
        last_answer(&board, &document)
    }

    #[test]
    fn what_the_last_step_makes_is_what_the_run_was_for() {
        let said = |title: &str, text: &str| Some((title.to_owned(), text.to_owned()));
        assert_eq!(shown(json!({ "reply": "Dear Ada, yes." })), said("reply of compose", "Dear Ada, yes."));
        let agent = said("Answer of draft", "Dear Ada,");
        for patch in [json!({ "reply": "A.", "more": "B." }), json!({ "many": 2 }), json!({ "reply": " " })] {
            assert_eq!(shown(patch), agent);
        }
    }
}
