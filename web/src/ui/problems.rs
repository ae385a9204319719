//! The list of what is wrong with the document.

use leptos::prelude::*;

use super::field::mend_buttons;
use super::launch;
use crate::model::field_words::words_of_path;
use crate::model::locate::{kind_at, step_at};
use crate::model::problem::Problem;
use crate::page::icon::{DONE_SHAPE, PLAY, WARNING, icon};
use crate::page::state::{Start, app};
use crate::step::plain::plain;
use crate::step::upright::upright;

/// How many problems are listed.
const MOST: usize = 200;

/// The problems; a click selects the step.
#[component]
pub fn Problems() -> impl IntoView {
    let app = app();
    let row = move |problem: Problem| {
        let (id, name) = app.editor.document.with_untracked(|document| {
            step_at(document, &problem.path).map(|(step, _)| (step.id.clone(), step.name.clone())).unzip()
        });
        let kind = app.editor.document.with_untracked(|document| kind_at(document, &problem.path));
        let place = name.unwrap_or_else(|| {
            if problem.path.is_empty() { "workflow".to_owned() } else { words_of_path(&problem.path) }
        });
        let fixes = mend_buttons(&problem);
        let advice = plain(problem.advice(), kind);
        let choose = move |_| match &id {
            Some(id) => app.editor.choose(Some(id.clone())),
            None => app.editor.select(None),
        };
        view! {
            <li>
                <button class="problem" data-severity=problem.severity title=problem.path on:click=choose>
                    {icon(WARNING)}
                    <span><b>{upright(place)}</b> {plain(problem.message, kind)}<small>{advice}</small></span>
                </button>
                {fixes}
            </li>
        }
    };
    view! {
        <Show
            when=move || app.problems.with(|problems| !problems.is_empty())
            fallback=move || view! {
                <p class="empty">
                    {icon(DONE_SHAPE)} "No problems: the workflow is ready to run." " "
                    <button class="button" on:click=move |_| launch::run(app, Start::Whole)>{icon(PLAY)} "Run it"</button>
                </p>
            }
        >
            <ul class="problems">{move || app.problems.get().into_iter().take(MOST).map(row).collect_view()}</ul>
        </Show>
    }
}

/// Problems of a text that is not open, as plain rows.
pub fn plain_rows(problems: Vec<Problem>) -> impl IntoView {
    let row = |problem: Problem| {
        let path = if problem.path.is_empty() { "the workflow:".to_owned() } else { problem.path };
        view! {
            <li class="problem" data-severity=problem.severity>
                {icon(WARNING)}
                <span><code>{path}</code> " " {upright(problem.message)}<small>{upright(problem.hint)}</small></span>
            </li>
        }
    };
    view! { <ul class="problems">{problems.into_iter().take(MOST).map(row).collect_view()}</ul> }
}
