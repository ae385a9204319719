//! The components of the page around the canvas.

pub mod agree;
pub mod app;
pub mod autosave;
pub mod check;
pub mod clipboard;
pub mod commands;
pub mod dialogs;
pub mod endpoint;
pub mod exchange;
pub mod failure;
pub mod fetch;
pub mod field;
pub mod inspector;
pub mod keys;
pub mod launch;
pub mod outline;
pub mod palette;
pub mod panel;
pub mod problems;
pub mod templates;
pub mod topbar;
