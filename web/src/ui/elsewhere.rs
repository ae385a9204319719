//! A run of another workflow than the one that is open.

use leptos::prelude::*;

use super::{launch, opening};
use crate::page::state::app;
use crate::run::away::Elsewhere;

/// Says which workflow is running, and leads to it.
#[component]
pub fn RunElsewhere(
    /// The workflow.
    run: Elsewhere,
) -> impl IntoView {
    let app = app();
    let Elsewhere { id, name } = run;
    view! {
        <div class="banner" role="status">
            <p>"“" {name} "” is running."</p>
            <button class="button" on:click=move |_| launch::stop(app)>"Stop it"</button>
            <button class="button primary" on:click=move |_| opening::enter(app, id.clone())>"Show it"</button>
        </div>
    }
}
