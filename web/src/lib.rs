//! The visual builder of Stepweave: a Leptos page over the document model of `stepweave-core`.

pub mod canvas;
pub mod geometry;
pub mod model;
