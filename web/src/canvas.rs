//! The canvas: the tree of cards and what draws it.

pub mod card;
pub mod controls;
pub mod minimap;
pub mod overview;
pub mod paper;
pub mod picker;
pub mod places;
pub mod pointer;
pub mod view;
pub mod world;
