use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::{
    Document, Limits, Model, OnConflict, OnError, RetryPolicy, Run, Source, Step, StepKind,
};
use crate::state::output_key;
use crate::template::{DEFAULT_FUEL, LetterCase, Templates};

/// A step's number in the order in which the document tells them, containers before what is in them.
pub type StepIndex = u32;

/// A document made ready to be run: names are looked up and templates are read.
#[derive(Debug)]
pub struct Plan {
    /// What identifies each step, by [`StepIndex`].
    pub steps: Vec<StepInfo>,
    pub(super) root: Vec<Node>,
    pub(super) templates: Templates,
    pub(super) retry: RetryPolicy,
    pub(super) timeout_ms: Option<u64>,
}

/// What identifies a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepInfo {
    /// Its id in the document.
    pub id: String,
    /// Its place, such as `steps[2].parallel[0]`.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The word in its `type`.
    pub r#type: &'static str,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) index: StepIndex,
    pub(super) name: String,
    pub(super) on_failure: OnError,
    pub(super) presence: Presence,
    pub(super) max_retries: u32,
    pub(super) timeout_ms: Option<u64>,
    pub(super) kind: NodeKind,
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
    Set(Vec<(String, String)>),
    Handler,
    Condition { condition: Decider, steps: Vec<Node>, otherwise: Vec<Node> },
    Parallel { members: Vec<Node>, concurrency: Option<u32>, on_conflict: OnConflict },
    Sequence(Vec<Node>),
}

#[derive(Debug)]
pub(super) enum Decider {
    Expression(String),
    Handler,
}

#[derive(Debug)]
pub(super) enum Input {
    /// The whole state as JSON.
    State,
    /// The template that is kept under this name.
    Template(String),
    Handler,
}

/// An agent step with its agent and model looked up.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) input: Input,
    pub(super) output_key: String,
    pub(super) question: AgentSetup,
}

/// What of an agent and its model goes into each of its calls.
#[derive(Debug, Clone)]
pub struct AgentSetup {
    /// The agent's key in the document.
    pub agent: String,
    /// The model.
    pub model: Model,
    /// The system message.
    pub instructions: Option<String>,
    /// The model's parameters with the agent's over them.
    pub params: Map<String, Value>,
    /// Milliseconds until the answer has to begin.
    pub first_token_ms: Option<u64>,
    /// Milliseconds that the answer may pause.
    pub idle_ms: Option<u64>,
}

impl Plan {
    /// Makes a document ready to be run.
    ///
    /// # Errors
    /// When the document does not pass [`validate`](crate::validate::validate).
    pub fn new(document: &Document, letter_case: LetterCase) -> Result<Self, String> {
        let limits = document.limits.clone().unwrap_or_default();
        let mut builder = Builder {
            document,
            retry: document.retry_policy.clone().unwrap_or_default(),
            steps: Vec::new(),
            templates: Templates::new(limits.template_fuel.unwrap_or(DEFAULT_FUEL), letter_case),
            limits,
        };
        let root = builder.block(&document.steps, "steps")?;
        let Builder { steps, templates, retry, limits, .. } = builder;
        Ok(Self { steps, root, templates, retry, timeout_ms: limits.timeout_ms })
    }
}

struct Builder<'a> {
    document: &'a Document,
    retry: RetryPolicy,
    limits: Limits,
    steps: Vec<StepInfo>,
    templates: Templates,
}

impl Builder<'_> {
    fn block(&mut self, steps: &[Step], path: &str) -> Result<Vec<Node>, String> {
        steps.iter().enumerate().map(|(index, step)| self.node(step, format!("{path}[{index}]"))).collect()
    }

    fn node(&mut self, step: &Step, path: String) -> Result<Node, String> {
        let index = StepIndex::try_from(self.steps.len()).map_err(|_| "there are too many steps")?;
        self.steps.push(StepInfo {
            id: step.id.clone(),
            path: path.clone(),
            name: step.name.clone(),
            r#type: step.kind.word(),
        });
        let on_failure = match step.required {
            true => step.on_error.or(self.document.on_error).unwrap_or(OnError::Stop),
            false => OnError::Continue,
        };
        let kind = match &step.kind {
            StepKind::Agent(call) => NodeKind::Agent(Box::new(Ask {
                input: self.input(call.input_from.as_ref(), &path)?,
                output_key: output_key(&step.name),
                question: self.setup(&call.agent)?,
            })),
            StepKind::Function(Run::Set(set)) => {
                NodeKind::Set(set.iter().map(|(key, source)| (key.clone(), source.clone())).collect())
            }
            StepKind::Function(Run::Handler(_)) => NodeKind::Handler,
            StepKind::Condition(branch) => NodeKind::Condition {
                condition: match &branch.condition {
                    Source::Text(text) => Decider::Expression(text.clone()),
                    Source::Handler { .. } => Decider::Handler,
                },
                steps: self.block(&branch.steps, &format!("{path}.steps"))?,
                otherwise: self.block(&branch.otherwise, &format!("{path}.else"))?,
            },
            StepKind::Parallel(fork) => NodeKind::Parallel {
                members: self.block(&fork.members, &format!("{path}.parallel"))?,
                concurrency: fork.concurrency,
                on_conflict: fork.on_conflict,
            },
            StepKind::Sequence(steps) => NodeKind::Sequence(self.block(steps, &format!("{path}.steps"))?),
        };
        Ok(Node {
            index,
            name: step.name.clone(),
            on_failure,
            presence: if step.enabled { Presence::Enabled } else { Presence::Disabled },
            max_retries: step.retry_count.unwrap_or(self.retry.max_retries),
            timeout_ms: step.timeout_ms.or(self.limits.step_timeout_ms),
            kind,
        })
    }

    fn input(&mut self, source: Option<&Source>, path: &str) -> Result<Input, String> {
        Ok(match source {
            None => Input::State,
            Some(Source::Handler { .. }) => Input::Handler,
            Some(Source::Text(text)) => {
                self.templates.add(path.to_owned(), text.clone())?;
                Input::Template(path.to_owned())
            }
        })
    }

    fn setup(&self, agent_key: &str) -> Result<AgentSetup, String> {
        let agent =
            self.document.agents.get(agent_key).ok_or_else(|| format!("there is no agent `{agent_key}`"))?;
        let model = self.document.models.get(&agent.model);
        let model = model.ok_or_else(|| format!("there is no model `{}`", agent.model))?.clone();
        let mut params = model.params.clone();
        params.extend(agent.params.clone());
        Ok(AgentSetup {
            agent: agent_key.to_owned(),
            model,
            instructions: agent.instructions.clone(),
            params,
            first_token_ms: self.limits.first_token_ms,
            idle_ms: self.limits.idle_ms,
        })
    }
}
