//! The engine of Stepweave: workflows of AI steps as data, and what runs them.
//!
//! This crate knows no JavaScript, page, clock, thread or socket.
//! Everything outside of it is reached through one trait, [`host::Host`].
//!
//! The modules below are listed in the order of reading, and each knows only those before it:
//!
//! - [`decimal`], [`json`], [`letters`]: numbers and values as strings, and which characters names have
//! - [`document`]: a workflow as data, the JSON file
//! - [`language`]: templates and expressions
//! - [`validate`]: every problem of a document, each with its path and a hint
//! - [`edit`]: changes of a document that can be undone
//! - `rename`: names with all their uses
//! - [`error`], [`event`], [`host`]: what the two below report to the outside, and what they need from it
//! - [`models`]: the wire formats of language models
//! - [`engine`]: the run, an async walk over the tree of steps
//!
//! With the features `document` and `language` it ends with `rename`, which is what an editor needs; `engine` adds the run,
//! and `agents` the models. Without `language` there are no templates and expressions, without `agents` no steps that ask
//! models. The feature `schema` adds what files are made from: the published JSON Schema, and
//! the table of [`events`].

#![cfg_attr(
    all(feature = "engine", not(feature = "agents")),
    allow(
        dead_code,
        reason = "what only agents and expressions use stays where it belongs; the linker leaves it out"
    )
)]

pub mod decimal;
pub mod json;
pub mod letters;
pub mod state;

pub mod document;
pub mod shape;

pub mod grammar;
#[cfg(feature = "schema")]
pub mod schema;

#[cfg(feature = "schema")]
pub mod events;

#[cfg_attr(not(feature = "language"), path = "language/absent.rs")]
pub mod language;
pub mod problem;

pub mod validate;

pub mod edit;
#[cfg(feature = "language")]
pub mod rename;

#[cfg(feature = "engine")]
mod literal;

#[cfg(feature = "engine")]
pub mod digest;
#[cfg(feature = "engine")]
pub mod usage;

#[cfg(feature = "engine")]
pub mod error;
#[cfg(feature = "engine")]
pub mod event;
#[cfg(feature = "engine")]
pub mod host;

#[cfg(feature = "agents")]
pub mod models;

#[cfg(feature = "engine")]
pub mod engine;
