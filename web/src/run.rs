//! What runs tell, and how the page starts and follows them.

pub mod board;
pub mod event;
pub mod executions;
pub mod runner;
