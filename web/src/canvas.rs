//! The canvas: the tree of cards and what draws it.
//!
//! The first modules are pure and tested without a page; the views below them are thin.

pub mod arrange;
pub mod grid;
pub mod layout;
pub mod viewport;
pub mod wire;

pub mod camera;
pub mod card;
pub mod controls;
pub mod overview;
pub mod places;
pub mod pointer;
pub mod view;
pub mod world;
