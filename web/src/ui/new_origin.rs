//! Asks about an address that the data of a run leads to, while the run waits.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::field::Switch;
use super::relay::{choose, to_choose};
use crate::bridge::{Permission, Relay};
use crate::page::state::{App, Dialog, app};
use crate::step::upright::upright;

/// Asks about each origin that a run meets, one after the other.
pub fn follow(app: App) {
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        // What runs workflows is loaded for this, and the first card comes before that.
        bridge.idle().await;
        while let Some(origin) = bridge.next_origin().await {
            let offer = to_choose(app, std::slice::from_ref(&origin)).await;
            app.dialog.set(Some(Dialog::NewOrigin { origin, offer }));
        }
    });
}

/// The question. Whoever closes it says no.
#[component]
pub fn NewOrigin(
    /// The origin.
    origin: String,
    /// The relay that the request may go through instead, where nobody has chosen yet.
    offer: Option<Relay>,
) -> impl IntoView {
    let app = app();
    let shown = origin.clone();
    let through = RwSignal::new(offer.is_some());
    let is_offered = offer.is_some();
    let said = StoredValue::new(Permission::Never);
    let answer = move |permission: Permission| {
        said.set_value(permission);
        app.dialog.set(None);
    };
    let bridge = app.bridge;
    on_cleanup(move || {
        let permission = said.get_value();
        // Who says no has not said what other requests go through.
        let relay = offer.as_ref().filter(|_| permission != Permission::Never);
        choose(app, relay.cloned(), through.get_untracked());
        let relay = relay.filter(|_| through.get_untracked());
        bridge.with_value(|bridge| bridge.allow(&origin, permission, relay));
    });
    // Another workflow may be open by now.
    let elsewhere = app.runner.elsewhere.get_untracked();
    let whose = elsewhere
        .map_or("The data of this run".to_owned(), |name| format!("The data of the run of “{name}”"));
    view! {
        <div class="modal-body">
            <p>{upright(whose)} " leads to an address that you have not agreed to. May the run send a request to it?"</p>
            <ul class="origins"><li><code>{shown}</code></li></ul>
            {is_offered.then(|| view! {
                <Switch label="Requests go through the relay of this server" hint="Most sites do not let a page read their answers. Keys do not go through it, models are asked without it. It holds for all requests from now on." value=through
                    on_change=move |on| through.set(on) />
            })}
            <p class="field-hint">"Always: for all runs of this workflow, until what it sends is changed. This browser keeps it, and the form of the workflow lists it."</p>
        </div>
        <footer>
            <button class="button" on:click=move |_| answer(Permission::Never)>"No"</button>
            <span class="spring"></span>
            <button class="button" on:click=move |_| answer(Permission::Once)>"Once"</button>
            <button class="button primary" autofocus on:click=move |_| answer(Permission::Run)>"For this run"</button>
            <button class="button" on:click=move |_| answer(Permission::Always)>"Always"</button>
        </footer>
    }
}
