//! The run of a workflow: an async walk over its tree of steps.
//!
//! [`Plan::new`] turns a document into what the walk needs, [`run`] walks.
//! Everything that touches the world, and the state itself, belongs to the [`Host`].
//! Cancelling a run is dropping its future: nothing is started afterwards.

pub use self::error::{Code, Error};
pub use self::event::{Event, Failed, Finished, Origin, Usage};
pub use self::host::{Call, Host, Request, Response, SecretHeader};
pub use self::plan::{AgentSetup, Plan, StepIndex, StepInfo};
pub(crate) use self::walk::within;
pub use self::walk::{Outcome, run};

mod error;
mod event;
mod host;
mod parallel;
mod plan;
mod retry;
mod walk;
