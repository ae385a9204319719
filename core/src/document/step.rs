use indexmap::IndexMap;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{OnConflict, OnError};

/// One step: what all kinds share, and what only its kind has.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Stable and unique in the document.
    pub id: String,
    /// What people call the step; an agent's answer goes to `<name>_output`.
    pub name: String,
    /// `false` lets the run go on when the step fails.
    pub required: bool,
    /// `false` leaves the step out, as if it were not there.
    pub enabled: bool,
    /// What a failure does, instead of what the document says.
    pub on_error: Option<OnError>,
    /// For agents and functions: attempts after the first one, instead of what the retry policy says.
    pub retry_count: Option<u32>,
    /// For agents and functions: milliseconds that an attempt may take, instead of what the limits say.
    pub timeout_ms: Option<u64>,
    /// Free text of the author.
    pub notes: Option<String>,
    /// Keys that begin with `x-`, kept as they are.
    pub extensions: Map<String, Value>,
    /// What the step does.
    pub kind: StepKind,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Ask an agent; its answer becomes `<name>_output`.
    Agent(AgentCall),
    /// Compute a patch of the state.
    Function(Run),
    /// Take one of two ways.
    Condition(Branch),
    /// Run members at the same time, each from the same state.
    Parallel(Fork),
    /// Run steps in order, as one step.
    Sequence(Vec<Step>),
}

/// An agent step's own part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentCall {
    /// A key of the document's `agents`.
    pub agent: String,
    /// What the agent is asked; the whole state as JSON text when absent.
    pub input_from: Option<Source>,
}

/// A condition step's own part.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Decides between `steps` and `otherwise`.
    pub condition: Source,
    /// Run when the condition is true.
    pub steps: Vec<Step>,
    /// Run when the condition is false; the step is skipped when this is empty.
    pub otherwise: Vec<Step>,
}

/// A parallel step's own part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fork {
    /// The members; their patches merge in this order.
    pub members: Vec<Step>,
    /// How many members may run at once; all of them when absent.
    pub concurrency: Option<u32>,
    /// What a key that two members write leads to.
    pub on_conflict: OnConflict,
}

/// Text for the engine to evaluate, or the name of a function of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Source {
    /// A template (`inputFrom`) or an expression (`condition`).
    Text(String),
    /// A function that the host knows by this name.
    Handler {
        /// The name.
        handler: String,
    },
}

/// A function step's own part.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Run {
    /// Each key gets the value of its expression.
    Set(IndexMap<String, String>),
    /// A function that the host knows by this name returns the patch.
    Handler(String),
}

impl Step {
    /// A step of this kind that is required and says nothing else.
    pub fn new(id: impl Into<String>, name: impl Into<String>, kind: StepKind) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            required: true,
            enabled: true,
            on_error: None,
            retry_count: None,
            timeout_ms: None,
            notes: None,
            extensions: Map::new(),
            kind,
        }
    }

    /// The lists of steps inside this one, each with its key in the document.
    pub fn blocks(&self) -> impl Iterator<Item = (&'static str, &Vec<Step>)> {
        let pair = match &self.kind {
            StepKind::Agent(_) | StepKind::Function(_) => [None, None],
            StepKind::Condition(branch) => {
                [Some(("steps", &branch.steps)), Some(("else", &branch.otherwise))]
            }
            StepKind::Parallel(fork) => [Some(("parallel", &fork.members)), None],
            StepKind::Sequence(steps) => [Some(("steps", steps)), None],
        };
        pair.into_iter().flatten()
    }

    /// The steps right inside this one, to be changed.
    pub fn inner_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        let pair = match &mut self.kind {
            StepKind::Agent(_) | StepKind::Function(_) => [None, None],
            StepKind::Condition(branch) => [Some(&mut branch.steps), Some(&mut branch.otherwise)],
            StepKind::Parallel(fork) => [Some(&mut fork.members), None],
            StepKind::Sequence(steps) => [Some(steps), None],
        };
        pair.into_iter().flatten().flatten()
    }

    /// The list of steps that the document has under `key`, to be changed.
    pub fn block_mut(&mut self, key: &str) -> Option<&mut Vec<Step>> {
        match (&mut self.kind, key) {
            (StepKind::Condition(branch), "steps") => Some(&mut branch.steps),
            (StepKind::Condition(branch), "else") => Some(&mut branch.otherwise),
            (StepKind::Parallel(fork), "parallel") => Some(&mut fork.members),
            (StepKind::Sequence(steps), "steps") => Some(steps),
            _ => None,
        }
    }
}

impl StepKind {
    /// The word that stands in the document's `type`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Agent(_) => "agent",
            Self::Function(_) => "function",
            Self::Condition(_) => "condition",
            Self::Parallel(_) => "parallel",
            Self::Sequence(_) => "sequence",
        }
    }
}

impl Serialize for Step {
    /// Keys stand in the order in which a person reads a step: what it is, then what it does, then the rest.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("type", self.kind.word())?;
        map.serialize_entry("name", &self.name)?;
        match &self.kind {
            StepKind::Agent(call) => {
                map.serialize_entry("agent", &call.agent)?;
                if let Some(input_from) = &call.input_from {
                    map.serialize_entry("inputFrom", input_from)?;
                }
            }
            StepKind::Function(run) => map.serialize_entry("run", run)?,
            StepKind::Condition(branch) => {
                map.serialize_entry("condition", &branch.condition)?;
                map.serialize_entry("steps", &branch.steps)?;
                if !branch.otherwise.is_empty() {
                    map.serialize_entry("else", &branch.otherwise)?;
                }
            }
            StepKind::Parallel(fork) => {
                map.serialize_entry("parallel", &fork.members)?;
                if let Some(concurrency) = fork.concurrency {
                    map.serialize_entry("concurrency", &concurrency)?;
                }
                if fork.on_conflict != OnConflict::default() {
                    map.serialize_entry("onConflict", &fork.on_conflict)?;
                }
            }
            StepKind::Sequence(steps) => map.serialize_entry("steps", steps)?,
        }
        if !self.required {
            map.serialize_entry("required", &false)?;
        }
        if !self.enabled {
            map.serialize_entry("enabled", &false)?;
        }
        if let Some(on_error) = &self.on_error {
            map.serialize_entry("onError", on_error)?;
        }
        if let Some(retry_count) = &self.retry_count {
            map.serialize_entry("retryCount", retry_count)?;
        }
        if let Some(timeout_ms) = &self.timeout_ms {
            map.serialize_entry("timeoutMs", timeout_ms)?;
        }
        if let Some(notes) = &self.notes {
            map.serialize_entry("notes", notes)?;
        }
        for (key, value) in &self.extensions {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
