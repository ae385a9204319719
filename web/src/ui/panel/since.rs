//! Whether a run is of the workflow as it is now.

use leptos::prelude::*;
use stepweave_core::document::Document;

use crate::page::state::app;
use crate::run::status::Status;

/// Says that the workflow is no longer what was run.
#[component]
pub fn ChangedSince() -> impl IntoView {
    let app = app();
    let has_changed = Memo::new(move |_| {
        let is_here = app.runner.elsewhere.with(Option::is_none);
        is_here
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

/// Whether both do the same when they run; where models are, and with what a run begins, is asked anew by each.
fn runs_as(one: &Document, other: &Document) -> bool {
    one.steps == other.steps && one.agents == other.agents && one.tools == other.tools
}
