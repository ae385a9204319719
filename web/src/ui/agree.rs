//! Requests consent before a run sends anything to an endpoint that the person has not agreed to.

use leptos::prelude::*;

use super::field::Switch;
use super::launch;
use super::relay::{choose, is_of_use};
use crate::bridge::Relay;
use crate::model::endpoints::is_endpoint;
use crate::model::requests::{is_open, requests};
use crate::page::state::{App, Dialog, Sends, app};

/// Goes on with what has asked a person for something first.
pub fn go_on(app: App, sends: Sends) {
    match (sends, app.chunks.views.get()) {
        (Sends::Run(start), _) => launch::run(app, start),
        (sends, Some(views)) => (views.go_on)(app, sends),
        // Only they have shown such a run.
        (_, None) => {}
    }
}

/// The question.
#[component]
pub fn Agree(
    /// The origins that the run would send to.
    origins: Vec<String>,
    /// What sends to them.
    sends: Sends,
    /// The relay that requests may go through instead, where nobody has chosen yet.
    offer: Option<Relay>,
) -> impl IntoView {
    let app = app();
    let (has_requests, is_open, is_of_use) = app.editor.document.with_untracked(|document| {
        let all = requests(document);
        let is_of_use = is_of_use(all.iter().map(AsRef::as_ref));
        (!all.is_empty(), all.iter().any(|one| is_open(one)), is_of_use)
    });
    let has_prompts = app
        .editor
        .document
        .with_untracked(|document| document.models.values().any(|model| is_endpoint(model.provider)));
    let is_offered = offer.is_some();
    let through = RwSignal::new(is_of_use);
    let listed = origins.clone();
    let agree = move |_| {
        app.agreed.update(|agreed| agreed.extend(origins.iter().cloned()));
        choose(app, offer.clone(), through.get_untracked());
        app.dialog.set(None);
        go_on(app, sends.clone());
    };
    view! {
        <div class="modal-body">
            {is_open.then(|| view! { <p>"Some requests go where the data of the run leads. Each new address is asked about."</p> })}
            <p class:unseen=listed.is_empty()>{match (has_prompts, has_requests) {
                (true, true) => "This run sends requests, and the agents' instructions and inputs, which hold values of the state, and what their tools give, to:",
                (false, true) => "This run sends requests, which may hold values of the state, to:",
                _ => "This run sends the agents' instructions and inputs, which hold values of the state, and what their tools give, to:",
            }}</p>
            {(!listed.is_empty()).then(|| view! { <ul class="origins">{listed.into_iter().map(|origin| view! { <li><code>{origin}</code></li> }).collect_view()}</ul> })}
            {is_offered.then(|| view! {
                <Switch label="Requests go through the relay of this server" hint="Most sites do not let a page read their answers. Keys do not go through it, models are asked without it." value=through
                    on_change=move |on| through.set(on) />
            })}
            <p class="field-hint">"You are asked once for each address and visit. Runs reach no other address without asking."</p>
        </div>
        <footer>
            <button class="button" on:click=move |_| app.dialog.set(Some(Dialog::ENDPOINTS))>"Endpoint settings"</button>
            <span class="spring"></span>
            <button class="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
            <button class="button primary" autofocus on:click=agree>"Send and run"</button>
        </footer>
    }
}
