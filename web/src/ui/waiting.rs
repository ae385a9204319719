//! A run that an earlier visit has left.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::{chat, launch};
use crate::bridge::StoredRun;
use crate::model::ago::ago;
use crate::page::state::app;

/// Says that there is such a run, which can be taken up or discarded.
#[component]
pub fn Waiting(
    /// The run.
    run: StoredRun,
) -> impl IntoView {
    let app = app();
    let time = ago(js_sys::Date::now() - run.at as f64).to_ascii_lowercase();
    let (said, goes_on) = if run.suspended {
        (format!("A run of this workflow waits for your answer. It began {time}."), "Show it")
    } else {
        (format!("A run of this workflow was cut off. It began {time}; what it has done is kept."), "Go on")
    };
    let stored = run.run.clone();
    let discard = move |_| {
        app.waiting.set(None);
        if app.chat.kept.with_untracked(|kept| kept.open.as_ref().is_some_and(|open| open.run == stored)) {
            chat::give_up(app);
        }
        let (runs, stored) = (app.bridge.with_value(|bridge| bridge.store().runs()), stored.clone());
        spawn_local(async move { runs.forget(&app.workflow.get_untracked(), &stored).await });
    };
    view! {
        <div class="banner" role="status">
            <p>{said}</p>
            <button class="button" on:click=discard>"Discard"</button>
            <button class="button primary" on:click=move |_| launch::take_up(app, run.clone())>{goes_on}</button>
        </div>
    }
}
