//! What the run that is shown says of a step.

pub mod allow;
pub mod answer;
pub mod calls;
pub mod half;
pub mod links;
pub mod prompt;
pub mod run_of_step;
