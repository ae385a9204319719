//! The open document: its kinds of steps, its history, and the way between a path and a step.

pub mod agents;
pub mod editor;
pub mod face;
pub mod form;
pub mod history;
pub mod kinds;
pub mod locate;
pub mod outline;
pub mod place;
pub mod problem;
pub mod span;
pub mod tools;
pub mod worker;
