//! What screen readers say of the run.

use leptos::prelude::*;

use super::panel::ending;
use crate::page::state::app;
use crate::run::status::Status;

/// Announces the progress of the run to screen readers.
#[component]
pub fn Announcer() -> impl IntoView {
    let (runner, ending) = (app().runner, ending());
    let said = move || ending.with(|ending| ending.as_ref()?.said(usize::MAX));
    let text = move || match runner.status.get() {
        Status::Idle => "".to_owned(),
        Status::Running => "The workflow is running.".to_owned(),
        Status::Done => {
            said().map_or_else(|| "The run is done.".to_owned(), |said| format!("The run is done. {said}"))
        }
        Status::Error => "The run failed.".to_owned(),
        Status::Budget => "The run has used its budget.".to_owned(),
        Status::Skipped => "The run was skipped.".to_owned(),
        Status::Cancelled => "The run was stopped.".to_owned(),
        Status::Suspended => "The run waits for your answer.".to_owned(),
    };
    view! { <div class="unseen" role="status" aria-live="polite">{text}</div> }
}
