//! What a suspended run asks: each question leads to its form, or is its form where the workflow has no such step any more.

use leptos::prelude::*;

use super::{MOST_SHOWN, called, is_there, look_at};
use crate::page::state::app;
use crate::run::event::Pending;
use crate::ui::inspector::outcome::run_of_step::{lead_to_question, question};

/// The approvals of a suspended run.
#[component]
pub fn Questions() -> impl IntoView {
    let app = app();
    let questions = Memo::new(move |_| {
        app.runner.read(|board| {
            let pending = board.result.iter().flat_map(|result| result.pending.iter());
            pending.take(MOST_SHOWN).cloned().collect::<Vec<_>>()
        })
    });
    move || {
        let rows = questions.get().into_iter();
        rows.map(|pending| view! { <Asked pending=pending /> }).collect_view()
    }
}

#[component]
fn Asked(pending: Pending) -> impl IntoView {
    // The form is in the inspector of the step, which the workflow may have lost since the run began.
    let is_there = is_there(&pending.step);
    move || match is_there.get() {
        true => view! { <Link pending=pending.clone() /> }.into_any(),
        false => view! { <Here pending=pending.clone() /> }.into_any(),
    }
}

#[component]
fn Link(pending: Pending) -> impl IntoView {
    let app = app();
    let Pending { step, message, .. } = pending;
    let named = called(&step);
    let show = move |_| {
        look_at(app, &step);
        lead_to_question(app);
    };
    let first_line = message.and_then(|text| text.lines().next().map(str::to_owned));
    view! {
        <p class="told-row warning asks">
            <b>{named}</b>
            <span class="step-text">{first_line}</span>
            <button class="text-button" on:click=show>"Answer"</button>
        </p>
    }
}

#[component]
fn Here(pending: Pending) -> impl IntoView {
    view! {
        <p class="told-row warning">
            <b>{called(&pending.step)}</b>
            " is no longer in the workflow. The run goes on with the workflow that it began with."
        </p>
        {question(pending)}
    }
}
