//! The run of a workflow: an async walk over its tree of steps.
//!
//! [`Plan::new`] turns a document into what the walk needs, [`run`] walks.
//! The state, and everything outside of the engine, belongs to the [`Host`](crate::host::Host).
//! Cancelling a run is dropping its future: nothing is started afterwards.

pub use self::journal::{Journaling, Replay};
pub use self::plan::{Function, Plan, Schema, StepInfo};
pub use self::reached::Reached;
pub use self::walk::{Ending, Outcome, Pins, Settings, run};

#[cfg_attr(not(feature = "agents"), path = "engine/agent/absent.rs")]
mod agent;
#[cfg(feature = "agents")]
mod answered;
mod approval;
#[cfg(feature = "agents")]
mod budget;
mod check;
mod choose;
mod coerce;
mod container;
mod flow;
mod foreach;
mod gather;
#[cfg_attr(not(feature = "agents"), path = "engine/http/absent.rs")]
mod http;
mod inner;
mod journal;
mod layers;
mod leaf;
#[cfg(feature = "agents")]
mod message;
mod namesakes;
#[cfg_attr(not(feature = "language"), path = "engine/outputs/absent.rs")]
mod outputs;
mod parallel;
mod pinned;
mod plan;
mod reached;
mod repeat;
mod retry;
#[cfg(feature = "agents")]
mod summary;
#[cfg_attr(not(feature = "language"), path = "engine/texts/absent.rs")]
mod texts;
mod time;
#[cfg(feature = "agents")]
mod tools;
mod traces;
mod turns;
mod under_way;
mod walk;
