//! A run of another workflow than the one that is open.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::{launch, opening};
use crate::page::state::{App, app};
use crate::run::talk;

/// Says which workflow is running, and leads to it. It stands there until that run has ended or is shown.
#[component]
pub fn RunElsewhere(
    /// What the workflow is called.
    name: String,
) -> impl IntoView {
    let app = app();
    let workflow = app.runner.left();
    let id = workflow.clone();
    on_cleanup(move || close_turn(app, workflow.clone()));
    view! {
        <div class="banner" role="status">
            <p>"“" <bdi>{name}</bdi> "” is running."</p>
            <button class="button" on:click=move |_| launch::stop(app)>"Stop it"</button>
            <button class="button primary" on:click=move |_| opening::enter(app, id.clone())>"Show it"</button>
        </div>
    }
}

/// Ends the turn of a chat whose run has ended. It belongs to the workflow that it was said to, whichever one is open.
fn close_turn(app: App, workflow: String) {
    let Some((board, ran, run)) = app.runner.ended_away() else { return };
    let chats = app.bridge.with_value(|bridge| bridge.store().chats());
    spawn_local(async move {
        let Some(stored) = chats.read(&workflow).await else { return };
        let closed = talk::closed(&stored, ran.document(), &run, &board);
        // Where the workflow is open again by now, the page ends its turn itself.
        if let Some(text) = closed.filter(|_| app.workflow.get_untracked() != workflow) {
            chats.keep(&workflow, &text).await;
        }
    });
}
