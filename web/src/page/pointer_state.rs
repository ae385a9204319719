//! What of the pointer is no state of a tool.

use leptos::html;
use leptos::prelude::*;

use crate::geometry::Point;

/// What of the pointer is no state of a tool.
#[derive(Clone, Copy)]
pub struct PointerState {
    /// The canvas.
    pub canvas: NodeRef<html::Div>,
    /// Whether the space bar is held: then any press moves the view.
    pub space: RwSignal<bool>,
    /// The fingers on the canvas, with where each is on the screen.
    pub fingers: StoredValue<Vec<(i32, Point)>>,
}

impl PointerState {
    /// Nothing is pressed.
    pub fn new() -> Self {
        Self { canvas: NodeRef::new(), space: RwSignal::new(false), fingers: StoredValue::new(Vec::new()) }
    }
}

impl Default for PointerState {
    fn default() -> Self {
        Self::new()
    }
}
