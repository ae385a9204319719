//! What the shown run says about the selected step.

use leptos::prelude::*;

use super::super::icon::{icon, of_status};
use super::super::state::app;
use crate::canvas::card::duration;
use crate::run::board::{Status, StepRun};

/// The section; nothing before the step was reached.
#[component]
pub fn RunOfStep(
    /// The step's id.
    id: String,
) -> impl IntoView {
    let app = app();
    let run = Memo::new(move |_| app.runner.step(&id));
    move || run.get().map(section)
}

fn section(run: StepRun) -> AnyView {
    let word = run.status.word();
    let took = run.duration_ms.filter(|_| run.status != Status::Running).map(duration);
    let text = run.error.is_none().then(|| run.shown()).flatten();
    let simulated = run.simulated.then(|| view! { <span class="badge simulated">"simulated"</span> });
    let error = run.error.map(|error| {
        view! {
            <div class="failure">
                <p>{error.message}</p>
                {error.hint.map(|hint| view! { <p class="failure-hint">{hint}</p> })}
            </div>
        }
    });
    let partial = (!run.text.is_empty() && matches!(run.status, Status::Error | Status::Cancelled))
        .then(|| view! { <pre class="output">{run.text}</pre> });
    view! {
        <section class="run-of-step">
            <h3>
                <span class="state" data-status=word>{icon(of_status(run.status))}</span>
                "Last run: " {word}
                {simulated}
                <span class="card-time">{took}</span>
            </h3>
            {error}
            {partial}
            {text.map(|text| view! { <pre class="output">{text}</pre> })}
        </section>
    }
    .into_any()
}
