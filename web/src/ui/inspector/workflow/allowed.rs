//! The addresses to which runs of the workflow always send, each of which is asked about again once it is taken out.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::page::icon::{CLOSE, icon};
use crate::page::state::app;

/// The list; nothing where there are none. It is no part of the document: who only follows it may take one out too.
#[component]
pub fn AllowedOrigins() -> impl IntoView {
    let app = app();
    let origins = RwSignal::new(Vec::<String>::new());
    let read = move |without: Option<String>| {
        let bridge = app.bridge.get_value();
        spawn_local(async move {
            let found = bridge.allowed(without).await;
            // Another form may be open by now.
            let _ = origins.try_set(found);
        });
    };
    Effect::new(move || {
        app.workflow.track();
        // A run has asked meanwhile.
        app.runner.status.track();
        read(None);
    });
    let row = move |origin: String| {
        let label = format!("Remove {origin}");
        let shown = origin.clone();
        view! {
            <li>
                <code>{shown}</code>
                <button class="icon-button" type="button" title="Ask about it again" aria-label=label on:click=move |_| read(Some(origin.clone()))>
                    {icon(CLOSE)}
                </button>
            </li>
        }
    };
    move || {
        origins.with(|origins| !origins.is_empty()).then(|| {
            view! {
                <section>
                    <h3>"Always allowed"</h3>
                    <ul class="origins removable" aria-label="Addresses that are always allowed">{origins.get().into_iter().map(row).collect_view()}</ul>
                    <p class="field-hint">"Runs of this workflow send to them without asking, until what it sends is changed. This browser keeps the list; no export, copy or link has it."</p>
                </section>
            }
        })
    }
}
