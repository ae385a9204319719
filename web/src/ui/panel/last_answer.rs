//! What a run that is done was for, most often: the last text that a step of it gave, as it reads.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Document, StepKind};

use crate::page::state::app;
use crate::run::board::Board;
use crate::run::status::Status;
use crate::step::upright::upright;
use crate::ui::markdown::Markdown;

/// The text, with the name of its step.
#[component]
pub fn LastAnswer() -> impl IntoView {
    let app = app();
    let found = Memo::new(move |_| {
        app.runner.read(|board| app.editor.document.with_untracked(|document| last_answer(board, document)))
    });
    move || {
        found.get().map(|(name, text)| {
            view! {
                <section class="last-answer" aria-label="Last answer" tabindex="0">
                    <h2>"Answer of " {upright(name)}</h2>
                    <Markdown text=Signal::stored(text) />
                </section>
            }
        })
    }
}

/// Nobody reads longer ones here, and to show one would take long.
const LONGEST: usize = 50_000;

/// The text of the step that has begun last of those that give texts, with its name.
fn last_answer(board: &Board, document: &Document) -> Option<(String, String)> {
    if board.status != Status::Done {
        return None;
    }
    board.order.iter().rev().find_map(|id| {
        let step = document.step(id)?;
        let run = board.steps.get(id)?.latest().filter(|run| run.status == Status::Done)?;
        let is_text = |output: &&Value| output.is_string() || output.get("finishReason").is_some();
        run.output.as_ref().filter(is_text)?;
        let text = run.answer().filter(|text| (1..=LONGEST).contains(&text.trim().len()))?;
        matches!(step.kind, StepKind::Agent(_)).then(|| (run.name.clone(), text))
    })
}
