//! The events of runs, and how the page starts and follows runs.

pub mod board;
pub mod ending;
pub mod event;
pub mod executions;
pub mod glance;
pub mod ran;
pub mod runner;
pub mod status;
pub mod step_run;
pub mod talk;
pub mod trials;
