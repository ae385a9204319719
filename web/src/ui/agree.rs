//! Requests consent before a run sends anything to an endpoint that the person has not agreed to.

use leptos::prelude::*;

use super::launch;
use crate::page::state::{Dialog, app};

/// The question.
#[component]
pub fn Agree(
    /// The origins that the run would send to.
    origins: Vec<String>,
    /// The step that the run begins at; nothing for the first one.
    from: Option<String>,
) -> impl IntoView {
    let app = app();
    let listed = origins.clone();
    let agree = move |_| {
        app.agreed.update(|agreed| agreed.extend(origins.iter().cloned()));
        app.dialog.set(None);
        launch::run(app, from.clone());
    };
    view! {
        <div class="modal-body">
            <p>"This run sends the agents' instructions and inputs, which hold values of the state, and what their tools give, to:"</p>
            <ul class="origins">{listed.into_iter().map(|origin| view! { <li><code>{origin}</code></li> }).collect_view()}</ul>
            <p class="field-hint">"You are asked once for each address and visit. Runs cannot reach any other address."</p>
        </div>
        <footer>
            <button class="button" on:click=move |_| app.dialog.set(Some(Dialog::ENDPOINTS))>"Endpoint settings"</button>
            <button class="button primary" autofocus on:click=agree>"Send and run"</button>
        </footer>
    }
}
