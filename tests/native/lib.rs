//! A scripted host: it runs a scenario natively, in virtual time, and tells what happened.
//!
//! The same scenario files run through the npm package in every JavaScript runtime (`tests/runtimes`).

#![allow(missing_docs, reason = "the fields say what the engine asks for")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

pub mod cuts;
mod defaults;
pub mod drive;
mod gates;
pub mod host;
pub mod journal;
pub mod reading;
pub mod record;
pub mod recordings;
pub mod scenario;
pub mod time;
pub mod view;
pub mod violations;
