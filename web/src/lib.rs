//! The visual builder of Stepweave: a Leptos page over the document model of `stepweave-core`.
//!
//! - [`canvas`]: layout, culling, camera and the cards
//! - [`tools`]: what the pointer does, as a state chart
//! - [`model`]: the open document with its history
//! - [`run`]: the events of runs
//! - [`ui`]: the page around the canvas
//!
//! It knows no engine: runs and checks of templates go through the [`bridge`] into a worker.

pub mod bridge;
pub mod canvas;
pub mod geometry;
pub mod model;
pub mod run;
pub mod tools;
pub mod ui;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Mounts the page. `kept` says what was kept of earlier visits.
#[wasm_bindgen]
pub fn mount(bridge: bridge::Bridge, kept: JsValue) {
    let kept = bridge::value(kept).unwrap_or_default();
    mount_to_body(move || view! { <ui::app::Page bridge=bridge kept=kept /> });
}
