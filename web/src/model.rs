//! The open document: its history, and the way between a path and a step.

pub mod editor;
pub mod endpoints;
pub mod form;
pub mod history;
pub mod locate;
pub mod outline;
pub mod place;
pub mod problem;
pub mod tools;
pub mod worker;
