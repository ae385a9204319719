//! What flows from step to step, and how a step or a block passes it on.

use super::outputs::Outputs;
use super::traces::Traces;
use crate::error::Error;
use crate::event::{Spot, StepIndex};

/// How messages call a state.
pub(super) const STATE: &str = "the state";

/// The state at a point of the walk, and what belongs to it.
#[derive(Clone)]
pub(super) struct Flow<V> {
    pub(super) state: V,
    /// What messages call it.
    pub(super) whole: &'static str,
    /// The fingerprints of the state; there are none while no journal is kept.
    pub(super) traces: Traces,
    pub(super) outputs: Outputs,
}

/// What comes out of a step or a block.
pub(super) struct Passed<V> {
    pub(super) flow: Flow<V>,
    pub(super) end: End,
}

/// How a step or a block ended.
pub(super) enum End {
    /// What follows may begin.
    Went,
    /// What is around it is over, up to this.
    Ended(Target),
    /// A failure is on its way up.
    Stopped(Stop),
    /// A person has to answer first.
    Suspended,
}

/// What an end step ends: the innermost of its kind around it, or the run. The widest of several is the least.
pub(super) type Target = Option<StepIndex>;

/// A failure on its way up.
pub(super) struct Stop {
    pub(super) error: Error,
    /// The step that failed, not a container that it stopped.
    pub(super) spot: Spot,
    pub(super) name: String,
    pub(super) reach: Reach,
    /// What an end step beside it has ended: whoever tolerates the failure does not take that away.
    pub(super) exit: Option<Target>,
}

/// How far a failure goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Up to where it is tolerated.
    Tolerated,
    /// Up to what an end step ends, whatever tolerates failures in there.
    Target(Target),
    /// To the end of the run.
    Run,
}

impl End {
    /// The same behind the steps of a container that runs them as a round, an item or a run of their own.
    pub(super) fn behind(self, container: StepIndex) -> Self {
        match self {
            Self::Ended(Some(target)) if target == container => Self::Went,
            Self::Stopped(mut stop) => {
                if stop.reach == Reach::Target(Some(container)) {
                    stop.reach = Reach::Tolerated;
                }
                stop.exit = stop.exit.filter(|target| *target != Some(container));
                Self::Stopped(stop)
            }
            other => other,
        }
    }
}

impl Reach {
    /// How far a failure goes by itself. What does not fit the run is in no journal: a run that went on without the step
    /// would have another end when it is taken up. And of what the run has used up there is nothing for other steps either.
    pub(super) fn of(error: &Error) -> Self {
        if error.is_misfit() || error.ends_run { Self::Run } else { Self::Tolerated }
    }

    /// Whether it goes past what the other one does not.
    pub(super) fn is_beyond(self, other: Self) -> bool {
        match self {
            Self::Tolerated => false,
            Self::Target(_) => other == Self::Tolerated,
            Self::Run => other != Self::Run,
        }
    }
}

impl<V> Flow<V> {
    /// What nothing led to, instead of a state.
    pub(super) fn over(whole: &'static str, state: V) -> Self {
        Self { state, whole, traces: Traces::default(), outputs: Outputs::default() }
    }

    pub(super) fn went(self) -> Passed<V> {
        Passed { flow: self, end: End::Went }
    }
}
