//! The engine of Stepweave: workflows of AI steps as data, and what runs them.
//!
//! This crate knows no JavaScript, page, clock, thread or socket.
//! Whatever touches the world goes through one trait, [`engine::Host`].
//!
//! - [`document`]: a workflow as data, the JSON file
//! - [`validate`]: everything that is wrong with a document, each with its place and what to do
//! - [`edit`]: changes of a document that can be taken back
//! - [`engine`]: the run, an async walk over the tree of steps
//! - [`models`]: the wire formats of language models
//!
//! With the feature `document` alone only the first three are built, which is what an editor needs.
//! The feature `schema` adds the published JSON Schema.

pub mod document;
pub mod edit;
#[cfg(feature = "engine")]
pub mod engine;
pub mod grammar;
pub mod language;
#[cfg(feature = "engine")]
mod literal;
#[cfg(feature = "engine")]
pub mod models;
pub mod parts;
pub mod problem;
#[cfg(feature = "schema")]
pub mod schema;
pub mod shape;
pub mod state;
pub mod validate;
