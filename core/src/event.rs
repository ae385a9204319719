//! What happens in a run, as the engine tells it to its host.

use serde_json::Value;

use crate::error::Error;
use crate::usage::Usage;

/// A step's number in the order in which the document tells them, containers before what is in them.
pub type StepIndex = u32;

/// One execution of a step: the step, and the round of loops it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Which step.
    pub step: StepIndex,
    /// The number of the scope that was reported to the host; 0 outside of all loops.
    pub scope: u32,
}

/// One round of a loop or one item of a foreach.
#[derive(Debug)]
pub struct Scope<'a> {
    /// Its number.
    pub scope: u32,
    /// The loop.
    pub spot: Spot,
    /// Which round, from 0.
    pub round: u32,
    /// What the keys of the executions inside begin with, such as `s4#17/`.
    pub prefix: &'a str,
}

/// What happened in a run. The host stamps it with a number and a time and tells whoever listens.
#[derive(Debug)]
pub enum Event<V> {
    /// An attempt of a step began; the first is 1.
    StepStart {
        /// Which execution.
        spot: Spot,
        /// Which attempt.
        attempt: u32,
        /// The state that the step sees.
        input: V,
    },
    /// A model's answer grew by this text.
    StepDelta {
        /// Which execution.
        spot: Spot,
        /// The new part.
        text: String,
    },
    /// A model's reasoning grew by this text.
    StepReasoning {
        /// Which execution.
        spot: Spot,
        /// The new part.
        text: String,
    },
    /// What was emitted of a model's answer is dropped: the model is called again.
    StepReset {
        /// Which execution.
        spot: Spot,
    },
    /// A model was called: what that used is paid, whatever becomes of the step.
    StepUsage {
        /// Which execution.
        spot: Spot,
        /// What this call used.
        usage: Usage,
    },
    /// A tool was called.
    ToolStart {
        /// Which execution.
        spot: Spot,
        /// The call.
        call: ToolUse,
        /// Who runs it.
        runner: Runner,
    },
    /// A call of a tool ended.
    ToolEnd {
        /// Which execution.
        spot: Spot,
        /// The call's id.
        id: String,
        /// The tool.
        tool: String,
        /// How long it took, in milliseconds.
        duration_ms: f64,
        /// What it gave, or why it failed.
        outcome: Result<V, Error>,
        /// Who ran it.
        runner: Runner,
    },
    /// A step ended well.
    StepDone {
        /// Which execution.
        spot: Spot,
        /// How it went.
        finished: Finished<V>,
    },
    /// An attempt of a step failed.
    StepError {
        /// Which execution.
        spot: Spot,
        /// How it went.
        failed: Failed,
    },
    /// A step was left out.
    StepSkipped {
        /// Which execution.
        spot: Spot,
        /// Why.
        reason: &'static str,
    },
    /// A step waits for an answer of a person, or for one inside it that does.
    StepSuspended {
        /// Which execution.
        spot: Spot,
        /// What is waited for; nothing for a container.
        request: Option<ApprovalRequest>,
    },
    /// An item of a foreach came to nothing through no step of its own, and the foreach goes on without it.
    ItemError {
        /// Which execution of the foreach.
        spot: Spot,
        /// Why.
        error: Error,
    },
    /// Something that a person should look at and that stops nothing.
    Warning {
        /// Which execution it is about, if about one.
        spot: Option<Spot>,
        /// A stable word for the kind of warning.
        code: &'static str,
        /// What there is to see.
        message: String,
    },
}

/// What a person is asked.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    /// The key under which the answer is expected.
    pub key: String,
    /// What the person is shown.
    pub message: Option<String>,
    /// The number of the answer's schema in the plan.
    pub schema: Option<u32>,
    /// The call of a tool that is to be allowed, if it is about one.
    pub call: Option<ToolUse>,
    /// From when on it is too late to answer, in milliseconds since 1970.
    pub expires_at: Option<f64>,
}

/// A call of a tool, as it is reported.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// Tells it from the other calls of its step.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What it is called with.
    pub input: Value,
}

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The run itself.
    Run,
    /// The provider of the model, while the model answers.
    Provider,
}

/// How a step that ended well went.
#[derive(Debug)]
pub struct Finished<V> {
    /// How many attempts it took.
    pub attempts: u32,
    /// When its first attempt began, by the host's clock.
    pub started_at: f64,
    /// From then to its end, in milliseconds, waits between attempts included.
    pub duration_ms: f64,
    /// What it gave: an agent's answer, a function's patch, a condition's decision.
    pub output: Option<V>,
    /// What it changed in the state.
    pub patch: Option<V>,
    /// What came beside the text of a model's answer: `{ responseId?, sources?, files? }`.
    pub extras: Option<V>,
    /// Where what it gave comes from.
    pub origin: Origin,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// From where the document says.
    #[default]
    Real,
    /// From the demo model.
    Simulated,
    /// From the pins of the document: the step was not run.
    Pinned,
}

/// How a failed attempt went.
#[derive(Debug)]
pub struct Failed {
    /// How many attempts there were, this one included.
    pub attempts: u32,
    /// When the first attempt began, by the host's clock.
    pub started_at: f64,
    /// From then to this failure, in milliseconds.
    pub duration_ms: f64,
    /// Why it failed.
    pub error: Error,
    /// For a container, the step inside it whose failure stopped it.
    pub stopped_by: Option<Spot>,
    /// How long the engine waits before the next attempt; there is none when absent.
    pub retry_in_ms: Option<u64>,
}
