//! Asks about an address that the data of a run leads to, while the run waits.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::bridge::Permission;
use crate::page::state::{App, Dialog, app};

/// Asks about each origin that a run meets, one after the other.
pub fn follow(app: App) {
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        // What runs workflows is loaded for this, and the first card comes before that.
        bridge.idle().await;
        while let Some(origin) = bridge.next_origin().await {
            app.dialog.set(Some(Dialog::NewOrigin { origin }));
        }
    });
}

/// The question. Whoever closes it says no.
#[component]
pub fn NewOrigin(
    /// The origin.
    origin: String,
) -> impl IntoView {
    let app = app();
    let shown = origin.clone();
    let said = StoredValue::new(Permission::Never);
    let answer = move |permission: Permission| {
        said.set_value(permission);
        app.dialog.set(None);
    };
    let bridge = app.bridge;
    on_cleanup(move || {
        let permission = said.get_value();
        if permission == Permission::Always {
            app.agreed.update(|agreed| agreed.push(origin.clone()));
        }
        bridge.with_value(|bridge| bridge.allow(&origin, permission));
    });
    view! {
        <div class="modal-body">
            <p>"The data of this run leads to an address that you have not agreed to. May the run send a request to it?"</p>
            <ul class="origins"><li><code>{shown}</code></li></ul>
        </div>
        <footer>
            <button class="button" on:click=move |_| answer(Permission::Never)>"No"</button>
            <span class="spring"></span>
            <button class="button primary" autofocus on:click=move |_| answer(Permission::Once)>"Once"</button>
            <button class="button" on:click=move |_| answer(Permission::Run)>"For this run"</button>
            <button class="button" on:click=move |_| answer(Permission::Always)>"Always"</button>
        </footer>
    }
}
