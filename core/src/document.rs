//! The workflow document: plain data, as it stands in the JSON file.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};

pub use self::agent::{Agent, AgentLimits, NeedsApproval, Tool, ToolChoice, ToolRun};
pub(crate) use self::calls::{Calls, MAX_TOOL_DEPTH};
pub use self::every::{every, every_of};
pub use self::http::{
    Cursor, FormPart, HttpAuth, HttpBody, HttpCall, HttpRequest, Method, OnUnknown, Origins, Pages,
    ResponseForm,
};
pub use self::mcp::McpTool;
pub use self::model::{LongPrompt, Model, OutputMode, Price, Provider, Rates};
pub use self::provided::{Provided, ProviderTool};
pub use self::secret::Secret;
pub use self::step::{
    AgentCall, Approval, Branch, Case, Check, DEFAULT_ITEM, Exit, ExitScope, ExitStatus, Foreach, Fork,
    HandlerRef, History, Inner, Loop, OnItemError, OnMax, Repeat, Run, Source, Step, StepKind, Switch, Wait,
};

mod agent;
mod calls;
mod every;
mod http;
mod mcp;
mod model;
pub mod nesting;
mod provided;
mod read;
mod secret;
mod step;

/// The version of the document format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// How deep steps may be nested in each other.
pub const MAX_STEP_DEPTH: usize = 256;

/// A whole workflow: data that can be stored, shared and run.
///
/// ```
/// use stepweave_core::document::Document;
///
/// let text = r#"{ "version": 1, "name": "greet", "steps": [
///   { "id": "s1", "type": "function", "name": "hello", "run": { "set": { "greeting": "'Hello ' ~ who" } } }
/// ] }"#;
/// let document: Document = serde_json::from_str(text)?;
/// assert_eq!(document.steps.len(), 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The format's version, [`VERSION`].
    pub version: u32,
    /// What people call the workflow.
    pub name: String,
    /// A sentence or two on what it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the state a run starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Check>,
    /// JSON Schema of the state a run ends with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Check>,
    /// The state every run begins with; a run's own input is merged over it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub initial_state: Map<String, Value>,
    /// The models that agents name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub models: IndexMap<String, Model>,
    /// The agents that agent steps name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub agents: IndexMap<String, Agent>,
    /// The tools that agents name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub tools: IndexMap<String, Tool>,
    /// What models of these names cost, over what is known of them.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub prices: IndexMap<String, Price>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// How failed attempts of agent and function steps are repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// What a failing step does to the run, unless the step says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_error: Option<OnError>,
    /// Bounds on what a run may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Free text of the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What steps are taken to give in trial runs, by their ids.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub pins: Map<String, Value>,
    /// Keys that begin with `x-`, kept as they are.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
}

impl Document {
    /// An empty workflow of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            version: VERSION,
            name: name.into(),
            description: None,
            input: None,
            output: None,
            initial_state: Map::new(),
            models: IndexMap::new(),
            agents: IndexMap::new(),
            tools: IndexMap::new(),
            prices: IndexMap::new(),
            steps: Vec::new(),
            retry_policy: None,
            on_error: None,
            limits: None,
            notes: None,
            pins: Map::new(),
            extensions: Map::new(),
        }
    }

    /// The step of this id, wherever it stands.
    pub fn step(&self, id: &str) -> Option<&Step> {
        every_of(self).find(|step| step.id == id)
    }

    /// What the answer of a step is checked with: that of an agent, unless the whole response is kept, or of a person.
    pub fn answer_check<'d>(&'d self, step: &'d Step) -> Option<&'d Check> {
        match &step.kind {
            StepKind::Agent(call) if !call.full_response => self.agents.get(&call.agent)?.output.as_ref(),
            StepKind::Approval(approval) => approval.schema.as_ref(),
            _ => None,
        }
    }

    /// The lists of steps that are in no other step, each with its path: the document's own, and those of its tools.
    pub fn blocks(&self) -> Vec<(String, &Vec<Step>)> {
        let mut blocks = vec![("steps".to_owned(), &self.steps)];
        for (name, tool) in &self.tools {
            if let Some(inner) = tool.workflow() {
                blocks.push((format!("tools.{name}.run.workflow.steps"), &inner.steps));
            }
        }
        blocks
    }
}

/// How failed attempts are repeated. Only errors that say they are retryable are.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryPolicy {
    /// Attempts after the first one.
    pub max_retries: u32,
    /// Milliseconds before the first repetition.
    pub backoff_ms: u64,
    /// By how much the wait grows with each repetition.
    pub factor: f64,
    /// The longest wait in milliseconds.
    pub max_backoff_ms: u64,
    /// The random share of the wait, from 0 to 1.
    pub jitter: f64,
    /// Whether a model that has begun its answer is called again: the text so far is discarded then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after_first_delta: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 0,
            backoff_ms: 1000,
            factor: 2.0,
            max_backoff_ms: 60_000,
            jitter: 0.0,
            after_first_delta: false,
        }
    }
}

/// What a failing step does to what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OnError {
    /// The steps after it are not run.
    Stop,
    /// The failure is recorded and the next step runs on unchanged state.
    Continue,
}

impl OnError {
    /// The one that documents call by this word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "stop" => Some(Self::Stop),
            "continue" => Some(Self::Continue),
            _ => None,
        }
    }
}

/// What two members of a parallel that write the same key lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OnConflict {
    /// A warning; the member declared last wins.
    #[default]
    Warn,
    /// The parallel step fails.
    Error,
}

/// Bounds on what one run may use.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Milliseconds until the run ends with a `timeout` error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Milliseconds that an attempt of a step may take, unless the step says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_timeout_ms: Option<u64>,
    /// Milliseconds until a model has to begin its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
    /// Milliseconds that a model may pause within its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// Instructions that one template or expression may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_fuel: Option<u64>,
    /// Steps that a run may start; each round of a loop counts them again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// Bytes that the state may have as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_state_bytes: Option<u64>,
    /// Bytes of JSON that a function, a tool or an answer from outside may give at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_bytes: Option<u64>,
    /// Events that a run may emit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_events: Option<u64>,
    /// Tokens that the model calls of a run may use, in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// US dollars that the model calls of a run may cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

impl Limits {
    /// The stricter of two bounds, each by itself.
    ///
    /// ```
    /// use stepweave_core::document::Limits;
    /// let said = Limits { max_steps: Some(1_000_000), max_tokens: Some(500), ..Limits::default() };
    /// let bounds = Limits { max_steps: Some(100), timeout_ms: Some(60_000), ..Limits::default() };
    /// let kept = Limits { max_steps: Some(100), max_tokens: Some(500), timeout_ms: Some(60_000), ..Limits::default() };
    /// assert_eq!(said.within(bounds), kept);
    /// ```
    #[must_use]
    pub fn within(self, bounds: Self) -> Self {
        Self {
            timeout_ms: least(self.timeout_ms, bounds.timeout_ms),
            step_timeout_ms: least(self.step_timeout_ms, bounds.step_timeout_ms),
            first_token_ms: least(self.first_token_ms, bounds.first_token_ms),
            idle_ms: least(self.idle_ms, bounds.idle_ms),
            template_fuel: least(self.template_fuel, bounds.template_fuel),
            max_steps: least(self.max_steps, bounds.max_steps),
            max_state_bytes: least(self.max_state_bytes, bounds.max_state_bytes),
            max_result_bytes: least(self.max_result_bytes, bounds.max_result_bytes),
            max_events: least(self.max_events, bounds.max_events),
            max_tokens: least(self.max_tokens, bounds.max_tokens),
            max_cost: match (self.max_cost, bounds.max_cost) {
                (Some(said), Some(bound)) => Some(said.min(bound)),
                (said, bound) => said.or(bound),
            },
        }
    }
}

/// The lower of two bounds; of none, none.
pub(crate) fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
