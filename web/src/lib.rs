//! The visual builder of Stepweave: a Leptos page over the document model of `stepweave-core`.
//!
//! From the ground up, and a floor uses only those below it:
//!
//! - [`geometry`] and the [`bridge`] to the page's TypeScript
//! - [`step`]: the kinds of steps, and what their cards say
//! - [`layout`]: where everything stands, and which of it is in view
//! - [`model`]: the open document with its history
//! - [`run`]: what runs tell
//! - [`tools`]: what the pointer does, as a state chart
//! - [`page`]: what all parts of the page share: its state, icons, files that come later
//! - [`canvas`]: the cards and what draws them
//! - [`ui`]: the page around the canvas
//!
//! It knows no engine: runs and checks of templates go through the [`bridge`] into a worker.

pub mod bridge;
pub mod canvas;
pub mod geometry;
pub mod layout;
pub mod model;
pub mod page;
pub mod run;
pub mod step;
pub mod tools;
pub mod ui;

#[cfg(test)]
mod floors;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Mounts the page. `opened` is the workflow that is shown first.
#[wasm_bindgen]
pub fn mount(bridge: bridge::Bridge, opened: JsValue) {
    let opened = bridge::value(opened).unwrap_or_default();
    mount_to_body(move || view! { <ui::app::Page bridge=bridge opened=opened /> });
}
