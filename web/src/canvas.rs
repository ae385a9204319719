//! The canvas: the tree of cards and what draws it.

pub mod arrange;
pub mod grid;
pub mod layout;
pub mod viewport;
pub mod wire;
