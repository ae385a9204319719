//! The controls in the canvas's corner: zoom, and what brings closed views back.

use leptos::prelude::*;

use crate::page::icon::{BELOW, FIT, MINUS, PLUS, SLIDERS, icon};
use crate::page::state::{Panel, app};
use crate::run::status::Status;

/// Zoom out, life size, zoom in, show all; the inspector and the last run, while they are closed.
#[component]
pub fn Controls() -> impl IntoView {
    let app = app();
    let camera = app.camera;
    let percent = Memo::new(move |_| match camera.view.get().zoom * 100.0 {
        percent if percent < 1.0 => format!("{percent:.1}%"),
        percent => format!("{percent:.0}%"),
    });
    let fit = move |_| camera.fit(app.editor.layout.with_untracked(|layout| layout.bounds));
    view! {
        <div class="controls" role="toolbar" aria-label="Zoom" on:pointerdown=|event| event.stop_propagation()>
            <button class="icon-button" title="Zoom out (-)" aria-label="Zoom out" on:click=move |_| camera.zoom_middle(0.8)>
                {icon(MINUS)}
            </button>
            <button class="zoom-level" title="Life size (0)" aria-label=move || format!("{}, life size", percent.get()) on:click=move |_| camera.zoom_to_one()>
                {percent}
            </button>
            <button class="icon-button" title="Zoom in (+)" aria-label="Zoom in" on:click=move |_| camera.zoom_middle(1.25)>
                {icon(PLUS)}
            </button>
            <button class="icon-button" title="Show everything (1)" aria-label="Show everything" on:click=fit>
                {icon(FIT)}
            </button>
            <button
                class="icon-button inspector-opener"
                title="Edit what is selected"
                aria-label="Open the inspector"
                aria-expanded=move || app.inspecting.get().to_string()
                on:click=move |_| app.inspecting.update(|open| *open = !*open)
            >
                {icon(SLIDERS)}
            </button>
            <button
                class="icon-button"
                title="Show the run"
                aria-label="Show the run"
                hidden=move || app.panel.get().is_some() || app.runner.status.get() == Status::Idle
                on:click=move |_| app.panel.set(Some(Panel::Run))
            >
                {icon(BELOW)}
            </button>
        </div>
    }
}
