//! A compiled document: names are resolved, templates are parsed, steps are numbered.

use serde::Serialize;
use serde_json::{Map, Value};

pub(super) use self::agent::Ask;
#[cfg(feature = "agents")]
pub(super) use self::agent::{Approving, PlannedTool, Purpose, Remembered, ToolDoes};
use self::build::Builder;
pub(super) use self::http::Fetch;
#[cfg(feature = "agents")]
pub(super) use self::http::{Content, PlannedPages, PlannedRequest, Text};
use super::flow::Target;
use crate::document::{Document, ExitStatus, Limits, OnConflict, OnError, OnItemError, OnMax, RetryPolicy};
use crate::event::StepIndex;
use crate::language::{Expression, Template};

#[cfg_attr(not(feature = "agents"), path = "plan/agent/absent.rs")]
mod agent;
mod build;
#[cfg_attr(not(feature = "agents"), path = "plan/http/absent.rs")]
mod http;

/// A compiled document: names are resolved and templates are parsed.
#[derive(Debug)]
pub struct Plan {
    /// What identifies each step, by [`StepIndex`](crate::event::StepIndex).
    pub steps: Vec<StepInfo>,
    /// The functions of the host that steps call, by the number that calls name.
    pub functions: Vec<Function>,
    /// The schemas that values are checked against, by the number that checks name.
    pub schemas: Vec<Schema>,
    pub(super) root: Vec<Node>,
    /// The workflows of tools, behind those whose steps may call them.
    pub(super) flows: Vec<Isolated>,
    pub(super) retry: RetryPolicy,
    pub(super) limits: Limits,
    pub(super) input: Option<Rule>,
    pub(super) output: Option<Rule>,
    /// Whether a template or an expression may name what steps gave.
    pub(super) reads_outputs: bool,
    /// Whether two steps over the same state have the same name.
    pub(super) has_namesakes: bool,
}

/// What identifies a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepInfo {
    /// Its id in the document.
    pub id: String,
    /// Its path, such as `steps[2].parallel[0]`.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The word in its `type`.
    pub r#type: &'static str,
}

/// A JSON Schema that values are checked against.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Schema {
    /// Where it stands in the document, such as `steps[2].input`; nowhere, where it is the engine's own.
    pub path: String,
    /// The schema.
    pub schema: Value,
    /// Whether it is shown to people only: a function of the host checks in its place.
    #[serde(skip_serializing_if = "is_false")]
    pub is_shown_only: bool,
    /// Whether it may say what stands for a key that is missing.
    #[serde(skip)]
    pub(super) has_defaults: bool,
}

impl Schema {
    /// The schema that stands there.
    pub fn new(path: String, schema: Value) -> Self {
        let has_defaults = mentions_defaults(&schema);
        Self { path, schema, is_shown_only: false, has_defaults }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Whether a key of a schema is called `default`, wherever it stands. The depth of documents is bounded.
fn mentions_defaults(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("default") || map.values().any(mentions_defaults),
        Value::Array(list) => list.iter().any(mentions_defaults),
        _ => false,
    }
}

/// A function of the host that a step calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Where the document names it, such as `steps[2].run`.
    pub path: String,
    /// The name under which the host knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// Which version of it is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The JavaScript that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) index: StepIndex,
    pub(super) name: String,
    /// The first step over the same state that has this name, and with it the same key for what it gives.
    pub(super) first_namesake: StepIndex,
    pub(super) on_failure: OnError,
    /// Whether its failure is tolerated by something around it.
    pub(super) around: OnError,
    pub(super) presence: Presence,
    pub(super) max_retries: u32,
    pub(super) timeout_ms: Option<u64>,
    pub(super) input: Option<Rule>,
    pub(super) output: Option<Rule>,
    /// What it is taken to give where the run uses pinned outputs.
    pub(super) pin: Option<Value>,
    pub(super) kind: NodeKind,
}

impl Node {
    /// Whether the run goes on when the step fails.
    pub(super) fn is_tolerated(&self) -> bool {
        self.on_failure == OnError::Continue || self.around == OnError::Continue
    }
}

/// Whether a step is run when its turn comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Enabled,
    Disabled,
}

#[derive(Debug)]
pub(super) enum NodeKind {
    Agent(Box<Ask>),
    Set(Vec<(String, Expression)>),
    Call(u32),
    Http(Box<Fetch>),
    Condition { condition: Decider, steps: Vec<Node>, otherwise: Vec<Node> },
    Switch { cases: Vec<(Decider, Vec<Node>)>, default: Vec<Node> },
    Parallel { members: Vec<Node>, concurrency: Option<u32>, on_conflict: OnConflict },
    Sequence(Vec<Node>),
    Foreach(Box<Each>),
    Loop { condition: LoopCondition, max: u32, on_max: OnMax, steps: Vec<Node> },
    Workflow(Box<Isolated>),
    Wait(Rest),
    Approval(Box<Question>),
    End(Box<Leave>),
}

/// An expression, or a function of the plan.
#[derive(Debug)]
pub(super) enum Decider {
    Expression(Box<Expression>),
    Function(u32),
}

/// For how long a step waits.
#[derive(Debug)]
pub(super) enum Rest {
    Ms(u64),
    Until(Box<Expression>),
}

#[derive(Debug)]
pub(super) enum LoopCondition {
    While(Decider),
    Until(Decider),
}

#[derive(Debug)]
pub(super) struct Each {
    pub(super) items: Decider,
    pub(super) item_key: String,
    pub(super) index_key: String,
    pub(super) output_key: String,
    pub(super) steps: Vec<Node>,
    pub(super) result: Option<Expression>,
    pub(super) concurrency: u32,
    pub(super) on_item_error: OnItemError,
}

/// A workflow inside a workflow.
#[derive(Debug)]
pub(super) struct Isolated {
    pub(super) initial_state: Map<String, Value>,
    pub(super) with: Option<Vec<(String, Expression)>>,
    pub(super) steps: Vec<Node>,
    pub(super) set: Option<Vec<(String, Expression)>>,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) message: Option<Template>,
    /// The number of the schema that the person is shown.
    pub(super) form: Option<u32>,
    /// What the answer has to fit.
    pub(super) schema: Option<Rule>,
    /// The same, of the step itself.
    pub(super) output: Option<Rule>,
    pub(super) output_key: String,
    pub(super) expires_ms: Option<u64>,
    pub(super) ways: Option<Ways>,
}

/// What follows inside an approval.
#[derive(Debug)]
pub(super) struct Ways {
    /// Whether the answer is a yes.
    pub(super) approved: Option<Decider>,
    pub(super) yes: Option<Vec<Node>>,
    pub(super) no: Option<Vec<Node>>,
    pub(super) expired: Option<Vec<Node>>,
}

/// How an end step ends what is around it.
#[derive(Debug)]
pub(super) struct Leave {
    pub(super) target: Target,
    pub(super) status: ExitStatus,
    pub(super) message: Option<Template>,
}

/// What the end steps of a block end.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    run: Target,
    round: Target,
    item: Target,
}

/// What a value is checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) by: RuleBy,
    pub(super) coercion: Coercion,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RuleBy {
    Schema(u32),
    Function(u32),
}

/// Whether values of another type that plainly mean the right one are taken as that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coercion {
    Off,
    On,
    /// The author of the document cannot turn it on here.
    Never,
}

#[derive(Debug)]
pub(super) enum Input {
    /// The whole state as JSON.
    State,
    Template(Template),
    Function(u32),
}

impl Plan {
    /// Makes a document ready to be run.
    ///
    /// # Errors
    /// When the document does not pass [`validate`](crate::validate::validate).
    pub fn new(document: &Document) -> Result<Self, String> {
        Self::bounded(document, Limits::default())
    }

    /// Makes a document ready to be run within bounds of the host, whatever the document says.
    ///
    /// # Errors
    /// When the document does not pass [`validate`](crate::validate::validate).
    pub fn bounded(document: &Document, bounds: Limits) -> Result<Self, String> {
        let limits = document.limits.unwrap_or_default().within(bounds);
        let mut builder = Builder::new(document, limits, bounds);
        let root = builder.block(&document.steps, "steps", OnError::Stop)?;
        let flows = if cfg!(feature = "agents") { builder.flows()? } else { Vec::new() };
        let input = builder.rule(document.input.as_ref(), "input", Coercion::Never);
        let output = builder.rule(document.output.as_ref(), "output", Coercion::Never);
        builder.unused();
        let Builder { steps, functions, schemas, retry, limits, reads_outputs, has_namesakes, .. } = builder;
        Ok(Self {
            steps,
            functions,
            schemas,
            root,
            flows,
            retry,
            limits,
            input,
            output,
            reads_outputs,
            has_namesakes,
        })
    }
}
