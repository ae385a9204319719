//! The way to run again what has failed, and what has changed since.

use leptos::prelude::*;

use crate::model::form::is_unfit;
use crate::model::since::Since;
use crate::page::icon::{PLAY, icon};
use crate::page::state::{Start, app};
use crate::run::event::Failure;
use crate::run::status::Status;
use crate::step::upright::upright;
use crate::ui::{given, launch};

/// Runs the workflow again once it has failed, and says what has changed since: what did not may still pass by itself.
#[component]
pub fn Again(
    /// What failed.
    failure: Failure,
) -> impl IntoView {
    let app = app();
    let is_unfit = failure.step.is_none() && is_unfit(&failure.message);
    let (id, name) = failure.step.map(|step| (step.id, step.name)).unzip();
    let code = failure.code;
    let is_over = Memo::new(move |_| {
        app.runner.status.get() != Status::Running && app.runner.elsewhere.with(Option::is_none)
    });
    let since = Memo::new(move |_| {
        let ran = app.runner.ran();
        app.editor.document.with(|now| Since::of(ran.document()?, now, id.as_deref()))
    });
    // A key belongs to no workflow.
    let has_keys = Memo::new(move |_| {
        app.keys.track();
        code == "auth" && !app.runner.had(&launch::options(app, None).secrets)
    });
    let said = move || match (since.get(), &name) {
        (Some(Since::Step), Some(name)) => Some(format!("“{}” has changed since.", upright(name.clone()))),
        (Some(_), _) => Some("The workflow has changed since.".to_owned()),
        (None, _) => has_keys.get().then(|| "The keys have changed since.".to_owned()),
    };
    let run = move |_| {
        given::repeat(app);
        launch::run(app, Start::Whole);
    };
    move || {
        is_over.get().then(|| {
            let said = said().map(|said| view! { <span>{said}</span> });
            let has_changed = said.is_some();
            view! {
                <p class="again" class:since=has_changed>
                    {said}
                    {(is_unfit && given::has_form(app)).then(|| view! {
                        <button class="button" type="button" on:click=move |_| launch::run(app, Start::Whole)>"Change what it gets"</button>
                    })}
                    <button class="button" type="button" on:click=run>{icon(PLAY)} "Run again"</button>
                </p>
            }
        })
    }
}
