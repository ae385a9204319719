//! The run of a workflow: an async walk over its tree of steps.
//!
//! [`Plan::new`] turns a document into what the walk needs, [`run`] walks.
//! Everything that touches the world, and the state itself, belongs to the [`Host`].
//! Cancelling a run is dropping its future: nothing is started afterwards.

pub use self::digest::Digest;
pub use self::error::{Code, Error, Failure};
pub use self::event::{Asked, Event, Failed, Finished, Origin, Scope, Spot, Usage};
pub use self::host::{
    Call, Entry, Gate, Host, Request, Response, Returned, SecretHeader, SharedKey, Violation, Waits, Wants,
};
pub use self::journal::{Journaling, Replay};
pub use self::plan::{Function, Plan, Schema, StepIndex, StepInfo};
pub use self::reached::Reached;
pub(crate) use self::time::within;
pub use self::walk::{Ending, Outcome, Settings, run};

mod agent;
mod approval;
mod budget;
mod check;
mod choose;
mod coerce;
mod container;
mod digest;
mod error;
mod event;
mod flow;
mod foreach;
mod gather;
mod host;
mod inner;
mod journal;
mod leaf;
mod message;
mod namesakes;
mod outputs;
mod parallel;
mod plan;
mod reached;
mod repeat;
mod retry;
mod time;
mod tools;
mod traces;
mod turns;
mod walk;
