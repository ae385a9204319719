//! Whether a run is of the workflow as it is now.

use leptos::prelude::*;

use crate::model::since::runs_as;
use crate::page::state::app;
use crate::run::status::Status;

/// Says that the workflow is no longer what was run.
#[component]
pub fn ChangedSince() -> impl IntoView {
    let app = app();
    let has_changed = Memo::new(move |_| {
        let is_here = app.runner.elsewhere.with(Option::is_none);
        // A failure says so by itself.
        is_here
            && app.runner.status.get() != Status::Error
            && app
                .runner
                .ran()
                .document()
                .is_some_and(|ran| app.editor.document.with(|now| !runs_as(ran, now)))
    });
    move || {
        has_changed.get().then(|| {
            let waits = app.runner.status.get() == Status::Suspended;
            let more = if waits { ", and goes on as it was then." } else { "." };
            view! { <p class="told-row">"This run is of the workflow before you changed it" {more}</p> }
        })
    }
}
