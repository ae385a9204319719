//! The canvas: the tree of cards and what draws it.
//!
//! The first modules are pure and tested without a page; the views below them are thin.

pub mod grid;
pub mod viewport;
pub mod wire;
pub mod layout;
pub mod arrange;

pub mod camera;
pub mod card;
pub mod controls;
pub mod overview;
pub mod places;
pub mod pointer;
pub mod view;
