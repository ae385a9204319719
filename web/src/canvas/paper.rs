//! The paper of a note, below the card of its step or above the start.

use leptos::prelude::*;
use stepweave_core::edit::find;

use crate::layout::note::{NoteOf, Paper};
use crate::page::state::app;

/// The paper of a note, where there is one.
#[component]
pub fn PaperOf(
    /// Whose note it is.
    of: NoteOf,
    /// Its place in the layout.
    paper: Memo<Option<Paper>>,
) -> impl IntoView {
    let editor = app().editor;
    let is_own = of == NoteOf::Workflow;
    let of = StoredValue::new(of);
    let text = Memo::new(move |_| {
        editor.document.with(|document| {
            of.with_value(|of| match of {
                NoteOf::Workflow => document.notes.clone(),
                NoteOf::Step(id) => find(document, id).and_then(|step| step.notes.clone()),
            })
        })
    });
    let cut = move || paper.get().is_some_and(|paper| paper.cut);
    let is_there = Memo::new(move |_| paper.with(Option::is_some));
    let place = move || paper.get().map(|paper| paper.rect).unwrap_or_default();
    move || {
        is_there.get().then(|| {
            // The name of a card says the note of its step already; nobody else says that of the workflow.
            view! {
                <div
                    class="paper"
                    class:cut=cut
                    class:of-workflow=is_own
                    role=is_own.then_some("note")
                    aria-label=is_own.then_some("Note on the workflow")
                    style:transform=move || is_own.then(|| format!("translate({}px, {}px)", place().x, place().y))
                    style:width=move || format!("{}px", place().width)
                    style=("--lines", move || paper.get().map_or(0, |paper| paper.lines).to_string())
                    style:height=move || format!("{}px", place().height)
                >
                    <div class="paper-text" aria-hidden=(!is_own).then_some("true")>{text}</div>
                </div>
            }
        })
    }
}
