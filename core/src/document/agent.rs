//! Agents in a document, and the tools that they call.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{Check, HandlerRef, HttpRequest, Inner, McpTool, ProviderTool, Step, StepKind};

/// A model with instructions and tools.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// A key of the document's `models`.
    pub model: String,
    /// Keys of `models` that are called, in this order, when the ones before them fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// The system message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Parameters that win over the model's own.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Keys of the document's `tools` that it may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Whether it has to call a tool; it may when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// JSON Schema of its answer, which is then a JSON value and no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Check>,
    /// How many times its model may be called for one answer; 10 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Bounds on what one answer may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<AgentLimits>,
    /// Keys that begin with `x-`, kept as they are.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
}

/// Whether an agent has to call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(into = "Value")]
pub enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It has to call one before it answers.
    Required,
    /// It must not.
    None,
    /// It has to call this one.
    Named(String),
}

impl From<ToolChoice> for Value {
    fn from(choice: ToolChoice) -> Self {
        match choice {
            ToolChoice::Auto => "auto".into(),
            ToolChoice::Required => "required".into(),
            ToolChoice::None => "none".into(),
            ToolChoice::Named(tool) => Self::Object(Map::from_iter([("tool".to_owned(), tool.into())])),
        }
    }
}

/// Bounds on what one answer of an agent may use.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentLimits {
    /// Tokens, in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

/// A tool as the document declares it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The description of the tool for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; any object when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Check>,
    /// What runs; the function of the host that has the tool's own name when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<ToolRun>,
    /// Whether a person has to allow each call. When absent they have to where the call is a request that does more than
    /// read, or a workflow with such a request, or goes to an MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_approval: Option<NeedsApproval>,
    /// For agents with steps: the types of steps that may call it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Milliseconds that a call may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Keys that begin with `x-`, kept as they are.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
}

impl Tool {
    /// Whether a person may have to allow a call.
    pub fn needs_approval(&self) -> bool {
        match (&self.needs_approval, &self.run) {
            (Some(NeedsApproval::Always(needs)), _) => *needs,
            (Some(NeedsApproval::Decided(_)), _) => true,
            (None, Some(ToolRun::Http(request))) => !request.method().is_safe(),
            (None, Some(ToolRun::Workflow(inner))) => do_more_than_read(&inner.steps),
            // What a server says of its tools is its own word.
            (None, Some(ToolRun::Mcp(_))) => true,
            (None, _) => false,
        }
    }

    /// The function of the host that decides, for each call, whether a person has to allow it.
    pub fn approval_decider(&self) -> Option<&HandlerRef> {
        match &self.needs_approval {
            Some(NeedsApproval::Decided(handler)) => Some(handler),
            _ => None,
        }
    }

    /// The workflow that a call runs, to be changed.
    pub fn workflow_mut(&mut self) -> Option<&mut Inner> {
        match &mut self.run {
            Some(ToolRun::Workflow(inner)) => Some(inner),
            _ => None,
        }
    }

    /// The workflow that a call runs, if it is one.
    pub fn workflow(&self) -> Option<&Inner> {
        match &self.run {
            Some(ToolRun::Workflow(inner)) => Some(inner),
            _ => None,
        }
    }
}

/// Whether one of these steps, or one inside of them, sends a request that does more than read.
fn do_more_than_read(steps: &[Step]) -> bool {
    steps.iter().any(|step| match &step.kind {
        StepKind::Http(call) => !call.http.method().is_safe(),
        _ => step.blocks().into_iter().any(|(_, steps)| do_more_than_read(steps)),
    })
}

/// Whether a person has to allow the calls of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NeedsApproval {
    /// Each of them, or none.
    Always(bool),
    /// Those of which this function of the host says so.
    Decided(HandlerRef),
}

impl From<bool> for NeedsApproval {
    fn from(needs: bool) -> Self {
        Self::Always(needs)
    }
}

/// What a call of a tool runs.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolRun {
    /// A function of the host.
    Handler(HandlerRef),
    /// This JavaScript, run by the host in a closed room.
    Code(String),
    /// A request, whose templates see the arguments and nothing else.
    Http(Box<HttpRequest>),
    /// Steps over the arguments, whose end is the result.
    Workflow(Box<Inner>),
    /// A tool of an MCP server.
    Mcp(Box<McpTool>),
    /// Nothing here: the provider of the model runs it.
    Provider(ProviderTool),
}

impl Serialize for ToolRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Handler(handler) => handler.serialize(serializer),
            Self::Code(code) => serializer.collect_map([("code", code)]),
            Self::Http(request) => serializer.collect_map([("http", request)]),
            Self::Workflow(inner) => serializer.collect_map([("workflow", inner)]),
            Self::Mcp(tool) => serializer.collect_map([("mcp", tool)]),
            Self::Provider(tool) => tool.serialize(serializer),
        }
    }
}
