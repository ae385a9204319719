//! What steps are: their kinds, what their cards say, and the agents that new ones ask.

pub mod agents;
pub mod face;
pub mod free;
pub mod kinds;
pub mod plain;
pub mod span;
pub mod upright;
pub mod words;
