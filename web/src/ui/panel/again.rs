//! What a failure says once the workflow is no longer what failed.

use leptos::prelude::*;

use crate::model::since::Since;
use crate::page::icon::{PLAY, icon};
use crate::page::state::{Start, app};
use crate::run::event::Failure;
use crate::run::status::Status;
use crate::step::upright::upright;
use crate::ui::{given, launch};

/// Says what has changed since something failed, and runs the workflow again; nothing while it would fail again.
#[component]
pub fn Again(
    /// What failed.
    failure: Failure,
) -> impl IntoView {
    let app = app();
    let (id, name) = failure.step.map(|step| (step.id, step.name)).unzip();
    let code = failure.code;
    let since = Memo::new(move |_| {
        let is_over =
            app.runner.status.get() != Status::Running && app.runner.elsewhere.with(Option::is_none);
        let has_changed = || {
            let ran = app.runner.ran();
            app.editor.document.with(|now| Since::of(ran.document()?, now, id.as_deref()))
        };
        is_over.then(has_changed).flatten()
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
        said().map(|said| {
            view! {
                <p class="since">
                    <span>{said}</span>
                    <button class="button" type="button" on:click=run>{icon(PLAY)} "Run again"</button>
                </p>
            }
        })
    }
}
