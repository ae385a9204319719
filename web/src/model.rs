//! The open document: its history, and the way between a path and a step.

pub mod ago;
pub mod change;
pub mod clip;
pub mod curl;
pub mod differences;
pub mod editor;
pub mod endpoints;
pub mod form;
pub mod history;
pub mod locate;
pub mod outline;
pub mod picture;
pub mod place;
pub mod problem;
pub mod requests;
pub mod selection;
pub mod settings;
pub mod together;
pub mod tools;
pub mod work;
pub mod worker;
