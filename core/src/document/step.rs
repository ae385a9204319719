//! Steps in a document: the keys of all kinds, and those of each kind.

use indexmap::IndexMap;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{HttpCall, OnConflict, OnError};

mod blocks;
mod write;

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
    /// For agents, functions and requests: attempts after the first one, instead of what the retry policy says.
    pub retry_count: Option<u32>,
    /// For agents, functions and requests: milliseconds that an attempt may take, instead of what the limits say.
    pub timeout_ms: Option<u64>,
    /// What the state has to be when the step begins.
    pub input: Option<Check>,
    /// What the step has to give.
    pub output: Option<Check>,
    /// Whether values of another type that plainly mean the right one are taken as that.
    pub coerce: bool,
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
    /// Run an agent; its answer becomes `<name>_output`.
    Agent(AgentCall),
    /// Compute a patch of the state.
    Function(Run),
    /// Send a request; its answer becomes `<name>_output`.
    Http(Box<HttpCall>),
    /// Take one of two ways.
    Condition(Branch),
    /// Take the first of several ways whose condition is true.
    Switch(Switch),
    /// Run members at the same time, each from the same state.
    Parallel(Fork),
    /// Run steps in order, as one step.
    Sequence(Vec<Step>),
    /// Run steps once for each item of a list.
    Foreach(Foreach),
    /// Run steps again and again.
    Loop(Loop),
    /// Run steps over a separate state.
    Workflow(Inner),
    /// Let time pass.
    Wait(Wait),
    /// Wait for a person's answer.
    Approval(Approval),
    /// End the run, a round of a loop, or an item of a foreach.
    End(Exit),
}

/// The keys of an agent step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentCall {
    /// A key of the document's `agents`.
    pub agent: String,
    /// The input of the agent; the whole state as JSON text when absent.
    pub input_from: Option<Source>,
    /// An expression, or a function, for the images and files that go with it.
    pub files: Option<Source>,
    /// The conversation that it goes on with.
    pub history: Option<History>,
    /// Whether the step gives the whole answer, with reasoning, tool calls and usage, and not its text alone.
    pub full_response: bool,
}

/// A conversation in the state that agent steps go on with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The key of the state that has it: a list of messages.
    pub key: String,
    /// How many messages are kept; 20 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<u32>,
    /// About how many tokens the messages that are kept may have; not bounded when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// A key of the document's `agents`: the one that sums up older messages, which are dropped when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

impl AgentCall {
    /// The agents that it asks, to be changed: its own, and the one that sums up its conversation.
    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let summary = self.history.as_mut().and_then(|history| history.summary.as_mut());
        std::iter::once(&mut self.agent).chain(summary)
    }

    /// The agents that it asks.
    pub fn agents(&self) -> impl Iterator<Item = &String> {
        let summary = self.history.as_ref().and_then(|history| history.summary.as_ref());
        std::iter::once(&self.agent).chain(summary)
    }
}

/// The keys of a condition step.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Decides between `steps` and `otherwise`.
    pub condition: Source,
    /// Run when the condition is true.
    pub steps: Vec<Step>,
    /// Run when the condition is false; the step is skipped when this is empty.
    pub otherwise: Vec<Step>,
}

/// The keys of a switch step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Switch {
    /// The ways, looked at in this order.
    pub cases: Vec<Case>,
    /// Run when no case is true.
    pub default: Vec<Step>,
}

/// One way of a switch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Case {
    /// What people call it; runs do not look at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Decides whether this way is taken.
    pub when: Source,
    /// Run when it is.
    pub steps: Vec<Step>,
}

/// The keys of a parallel step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fork {
    /// The members; their patches merge in this order.
    pub members: Vec<Step>,
    /// How many members may run at once; all of them when absent.
    pub concurrency: Option<u32>,
    /// What a key that two members write leads to.
    pub on_conflict: OnConflict,
}

/// The key under which the steps of a foreach find their item when it does not say.
pub const DEFAULT_ITEM: &str = "item";

/// The keys of a foreach step.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreach {
    /// Gives the list.
    pub items: Source,
    /// The key under which the steps find their item; its number is under the same with `_index`.
    pub item: String,
    /// Run for each item.
    pub steps: Vec<Step>,
    /// What an item gives, as an expression over its state at the end; the keys it changed when absent.
    pub result: Option<String>,
    /// How many items may run at once.
    pub concurrency: u32,
    /// What the failure of an item leads to.
    pub on_item_error: OnItemError,
}

/// What the failure of an item leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OnItemError {
    /// No further item is begun, and the step fails.
    #[default]
    Stop,
    /// The item's result is null.
    Null,
    /// The item has no result.
    Drop,
}

/// The keys of a loop step.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// What decides about another time.
    pub repeat: Repeat,
    /// How many times at most.
    pub max_iterations: u32,
    /// What reaching that number leads to.
    pub on_max: OnMax,
    /// Run each time, from the state in which the last time ended.
    pub steps: Vec<Step>,
}

/// What decides whether a loop goes on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Repeat {
    /// Evaluated before each round: the loop continues while this is true.
    While(Source),
    /// Evaluated after each round: the loop ends when this is true.
    Until(Source),
}

/// What reaching the greatest number of times leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OnMax {
    /// The step fails.
    #[default]
    Error,
    /// The run goes on behind the loop.
    Continue,
}

/// The keys of a workflow step, and of a tool that is a workflow: steps over a separate state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inner {
    /// The steps.
    pub steps: Vec<Step>,
    /// The state they begin with.
    pub initial_state: Map<String, Value>,
    /// What the state outside gives them, an expression for each key; all of it when absent.
    pub with: Option<IndexMap<String, String>>,
    /// What they give to the state outside, an expression over their state for each key. When absent, their whole
    /// state goes to `<name>_output`.
    pub set: Option<IndexMap<String, String>>,
}

impl Inner {
    fn serialize_into<S: Serializer>(&self, map: &mut S::SerializeMap) -> Result<(), S::Error> {
        if !self.initial_state.is_empty() {
            map.serialize_entry("initialState", &self.initial_state)?;
        }
        if let Some(with) = &self.with {
            map.serialize_entry("with", with)?;
        }
        map.serialize_entry("steps", &self.steps)?;
        if let Some(set) = &self.set {
            map.serialize_entry("set", set)?;
        }
        Ok(())
    }
}

impl Serialize for Inner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_into::<S>(&mut map)?;
        map.end()
    }
}

/// The keys of a wait step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Wait {
    /// This many milliseconds.
    Ms(u64),
    /// Up to the time that this expression gives: milliseconds since 1970, or a text such as `2030-01-31T12:00:00Z`.
    Until(String),
}

/// The keys of an approval step; the answer becomes `<name>_output`. A block that is absent is not the same as an empty
/// one, which is a way that has no steps yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Approval {
    /// A template: the message to the person.
    pub message: Option<String>,
    /// The schema of the answer.
    pub schema: Option<Check>,
    /// Whether the answer is a yes; what its key `approved` says when absent. Nobody asks where there is no block.
    pub approved: Option<Source>,
    /// Run after a yes.
    pub steps: Option<Vec<Step>>,
    /// Run after a no.
    pub otherwise: Option<Vec<Step>>,
    /// Milliseconds that a person has to answer.
    pub expires_ms: Option<u64>,
    /// Run when nobody answered in time, which is a failure when absent.
    pub expired: Option<Vec<Step>>,
}

/// The keys of an end step.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Exit {
    /// What ends.
    #[serde(skip_serializing_if = "ExitScope::is_run")]
    pub scope: ExitScope,
    /// Whether it ends well.
    #[serde(skip_serializing_if = "ExitStatus::is_done")]
    pub status: ExitStatus,
    /// A template: why it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What an end step ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ExitScope {
    /// The run or, in a workflow step, the run of that workflow.
    #[default]
    Run,
    /// The round of the innermost loop.
    Round,
    /// The item of the innermost foreach.
    Item,
}

/// How an end step ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ExitStatus {
    /// As if its last step had been reached.
    #[default]
    Done,
    /// With a failure, which nothing inside it tolerates.
    Error,
}

impl ExitScope {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_run(&self) -> bool {
        *self == Self::Run
    }
}

impl ExitStatus {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_done(&self) -> bool {
        *self == Self::Done
    }
}

/// A function of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandlerRef {
    /// The name under which the host knows it.
    pub handler: String,
    /// Changes when the function does something else: what an older version answered is then not taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl HandlerRef {
    /// The function of this name, in no particular version.
    pub fn new(handler: impl Into<String>) -> Self {
        Self { handler: handler.into(), version: None }
    }
}

/// Text for the engine to evaluate, or a function of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Source {
    /// A template (`inputFrom`) or an expression (`condition`).
    Text(String),
    /// A function of the host.
    Handler(HandlerRef),
}

/// What a value is checked against.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Check {
    /// A function of the host, which may also change the value.
    Handler(HandlerRef),
    /// The same, with a JSON Schema that describes it to others.
    Described {
        /// The function's name.
        handler: String,
        /// The schema.
        schema: Value,
    },
    /// A JSON Schema.
    Schema(Value),
}

impl Check {
    /// What of it others can read; nothing where only a function of the host knows what fits.
    pub fn json_schema(&self) -> Option<&Value> {
        match self {
            Self::Handler(_) => None,
            Self::Described { schema, .. } | Self::Schema(schema) => Some(schema),
        }
    }

    /// What its JSON Schema says of the keys of an object, by key.
    pub fn properties(&self) -> Option<&Map<String, Value>> {
        self.json_schema()?.get("properties")?.as_object()
    }
}

/// The keys of a function step.
#[derive(Debug, Clone, PartialEq)]
pub enum Run {
    /// Each key gets the value of its expression.
    Set(IndexMap<String, String>),
    /// A function of the host returns the patch.
    Handler(HandlerRef),
    /// This JavaScript, run by the host in a closed room, returns the patch.
    Code(String),
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Set(set) => serializer.collect_map([("set", set)]),
            Self::Handler(handler) => handler.serialize(serializer),
            Self::Code(code) => serializer.collect_map([("code", code)]),
        }
    }
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
            input: None,
            output: None,
            coerce: false,
            notes: None,
            extensions: Map::new(),
            kind,
        }
    }
}

impl StepKind {
    /// The word that stands in the document's `type`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Agent(_) => "agent",
            Self::Function(_) => "function",
            Self::Http(_) => "http",
            Self::Condition(_) => "condition",
            Self::Parallel(_) => "parallel",
            Self::Sequence(_) => "sequence",
            Self::Switch(_) => "switch",
            Self::Foreach(_) => "foreach",
            Self::Loop(_) => "loop",
            Self::Workflow(_) => "workflow",
            Self::Wait(_) => "wait",
            Self::Approval(_) => "approval",
            Self::End(_) => "end",
        }
    }
}
