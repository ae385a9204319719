//! A compiled agent step: its agent, models and tools are resolved.

use serde_json::Value;

use super::http::PlannedRequest;
use super::{Builder, Coercion, Decider, Input, Rule};
use crate::document::{
    Agent, AgentCall, AgentLimits, Check, HandlerRef, History, Provider, Step, Tool, ToolChoice, ToolRun,
};
use crate::literal::json;
use crate::models::{ModelSetup, Offer, ProvidedOffer, known_price, put_over};
use crate::state::output_key;

/// An agent step with its agent and models looked up.
#[derive(Debug)]
pub(in crate::engine) struct Ask {
    pub(in crate::engine) purpose: Purpose,
    pub(in crate::engine) input: Input,
    pub(in crate::engine) files: Option<Decider>,
    pub(in crate::engine) history: Option<Remembered>,
    pub(in crate::engine) full_response: bool,
    pub(in crate::engine) output_key: String,
    /// The agent's key in the document.
    pub(in crate::engine) agent: String,
    pub(in crate::engine) instructions: Option<String>,
    /// The model and its fallbacks; there is at least one.
    pub(in crate::engine) models: Vec<ModelSetup>,
    pub(in crate::engine) tools: Vec<PlannedTool>,
    /// The same tools as the model is offered them.
    pub(in crate::engine) offers: Vec<Offer>,
    /// The tools that the providers of its models run themselves.
    pub(in crate::engine) provided: Vec<ProvidedOffer>,
    pub(in crate::engine) choice: ToolChoice,
    pub(in crate::engine) output: Option<Rule>,
    /// The JSON Schema of it for the model.
    pub(in crate::engine) output_schema: Option<Value>,
    pub(in crate::engine) max_turns: u32,
    pub(in crate::engine) limits: AgentLimits,
}

impl Ask {
    /// Whether calling this tool is what the agent has to do before it answers.
    pub(in crate::engine) fn is_bound_to(&self, tool: &str) -> bool {
        match &self.choice {
            ToolChoice::Named(named) => named == tool,
            _ => self.offers.iter().any(|offer| offer.name == tool),
        }
    }
}

/// A conversation in the state.
#[derive(Debug)]
pub(in crate::engine) struct Remembered {
    pub(in crate::engine) key: String,
    pub(in crate::engine) max_messages: usize,
    pub(in crate::engine) max_tokens: Option<u64>,
    /// What sums up the older messages, which are dropped where there is nothing.
    pub(in crate::engine) summary: Option<Box<Ask>>,
}

/// What an agent is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Purpose {
    Answer,
    /// Nobody but the next request hears what it says.
    Summary,
}

impl Purpose {
    /// What its calls are called in a journal.
    pub(in crate::engine) fn word(self) -> &'static str {
        match self {
            Self::Answer => "model",
            Self::Summary => "summary",
        }
    }
}

/// A tool that an agent may call.
#[derive(Debug)]
pub(in crate::engine) struct PlannedTool {
    pub(in crate::engine) does: ToolDoes,
    pub(in crate::engine) input: Option<Rule>,
    pub(in crate::engine) approval: Option<Approving>,
    pub(in crate::engine) timeout_ms: Option<u64>,
}

/// What a person answers who has to allow the calls of a tool.
#[derive(Debug)]
pub(in crate::engine) struct Approving {
    /// The schema of the answer.
    pub(in crate::engine) schema: u32,
    /// The function of the host that says of which calls; of all where there is none.
    pub(in crate::engine) decider: Option<u32>,
}

/// What a call of a tool does.
#[derive(Debug)]
pub(in crate::engine) enum ToolDoes {
    /// It calls this function of the plan.
    Call(u32),
    /// It sends a request.
    Http(Box<PlannedRequest>),
    /// It runs this workflow of the plan.
    Flow(usize),
    /// It calls this function of the plan, which asks an MCP server. The server may ask people, whose answers have this
    /// schema.
    Server(u32, u32),
}

/// How many times a model may be called for one answer by default.
const MAX_TURNS: u32 = 10;

/// Messages of a conversation that are kept, unless its step says otherwise.
const MAX_MESSAGES: u32 = 20;

impl Builder<'_> {
    pub(super) fn ask(&mut self, step: &Step, call: &AgentCall, path: &str) -> Result<Ask, String> {
        let key = &call.agent;
        let document = self.document;
        let agent = document.agents.get(key).ok_or_else(|| format!("there is no agent `{key}`"))?;
        let input = self.input(call.input_from.as_ref(), path)?;
        let files =
            call.files.as_ref().map(|files| self.decider(files, format!("{path}.files"))).transpose()?;
        let models = self.setups(agent)?;
        let history = call.history.as_ref().map(|history| self.remembered(history)).transpose()?;
        let mut tools = Vec::with_capacity(agent.tools.len());
        let mut offers = Vec::with_capacity(agent.tools.len());
        let mut provided = Vec::new();
        for name in &agent.tools {
            let tool = document.tools.get(name).ok_or_else(|| format!("there is no tool `{name}`"))?;
            if let Some(ToolRun::Provider(tool)) = &tool.run {
                if agent.tool_choice != Some(ToolChoice::None) {
                    provided.push(ProvidedOffer { name: name.clone(), tool: tool.clone() });
                }
                continue;
            }
            tools.push(self.tool(name, tool)?);
            offers.push(Offer {
                name: name.clone(),
                description: tool.description.clone(),
                input: schema_of(tool.input.as_ref()).unwrap_or_else(|| json!({ "type": "object" })),
            });
        }
        Ok(Ask {
            purpose: Purpose::Answer,
            input,
            files,
            history,
            full_response: call.full_response,
            output_key: output_key(&step.name),
            agent: key.clone(),
            instructions: agent.instructions.clone(),
            models,
            tools,
            offers,
            provided,
            choice: agent.tool_choice.clone().unwrap_or_default(),
            output: self.rule(agent.output.as_ref(), &format!("agents.{key}.output"), Coercion::On),
            output_schema: agent
                .output
                .as_ref()
                .map(|output| schema_of(Some(output)).unwrap_or_else(|| json!({ "type": "object" }))),
            max_turns: agent.max_turns.unwrap_or(MAX_TURNS),
            limits: agent.limits.unwrap_or_default(),
        })
    }

    fn remembered(&mut self, history: &History) -> Result<Remembered, String> {
        let summary = history.summary.as_ref().map(|key| self.summing(key)).transpose()?;
        Ok(Remembered {
            key: history.key.clone(),
            max_messages: history.max_messages.unwrap_or(MAX_MESSAGES) as usize,
            max_tokens: history.max_tokens,
            summary: summary.map(Box::new),
        })
    }

    /// An agent that sums a conversation up: it is given a text, and answers with one.
    fn summing(&mut self, key: &str) -> Result<Ask, String> {
        let document = self.document;
        let agent = document.agents.get(key).ok_or_else(|| format!("there is no agent `{key}`"))?;
        Ok(Ask {
            purpose: Purpose::Summary,
            input: Input::State,
            files: None,
            history: None,
            full_response: false,
            output_key: String::new(),
            agent: key.to_owned(),
            instructions: agent.instructions.clone(),
            models: self.setups(agent)?,
            tools: Vec::new(),
            offers: Vec::new(),
            provided: Vec::new(),
            choice: ToolChoice::Auto,
            output: None,
            output_schema: None,
            max_turns: 1,
            limits: agent.limits.unwrap_or_default(),
        })
    }

    /// The model of an agent and its fallbacks.
    fn setups(&mut self, agent: &Agent) -> Result<Vec<ModelSetup>, String> {
        std::iter::once(&agent.model).chain(&agent.fallbacks).map(|model| self.setup(model, agent)).collect()
    }

    fn tool(&mut self, name: &str, tool: &Tool) -> Result<PlannedTool, String> {
        let path = format!("tools.{name}");
        let does = match &tool.run {
            Some(ToolRun::Code(code)) => ToolDoes::Call(self.code(code, format!("{path}.run"))),
            Some(ToolRun::Handler(handler)) => ToolDoes::Call(self.function(handler, format!("{path}.run"))),
            Some(ToolRun::Http(request)) => ToolDoes::Http(Box::new(self.request(request)?)),
            Some(ToolRun::Mcp(tool)) => {
                let function = self.server(tool, format!("{path}.run"));
                ToolDoes::Server(function, self.own_schema("elicited", &elicited()))
            }
            Some(ToolRun::Workflow(_)) => {
                let number = self.tools.iter().position(|(other, _)| *other == name);
                ToolDoes::Flow(number.ok_or_else(|| format!("there is no workflow of the tool `{name}`"))?)
            }
            // Those of providers are no calls of the run's.
            None | Some(ToolRun::Provider(_)) => {
                let handler = HandlerRef { handler: name.to_owned(), version: None };
                ToolDoes::Call(self.function(&handler, path.clone()))
            }
        };
        Ok(PlannedTool {
            does,
            input: self.rule(tool.input.as_ref(), &format!("{path}.input"), Coercion::On),
            approval: tool.needs_approval().then(|| Approving {
                schema: self.own_schema("decision", &decision()),
                decider: tool
                    .approval_decider()
                    .map(|handler| self.function(handler, format!("{path}.needsApproval"))),
            }),
            timeout_ms: tool.timeout_ms,
        })
    }

    fn setup(&mut self, key: &str, agent: &Agent) -> Result<ModelSetup, String> {
        let model = self.document.models.get(key).ok_or_else(|| format!("there is no model `{key}`"))?;
        let mut params = model.params.clone();
        put_over(&mut params, &agent.params);
        let function = match (model.provider, &model.handler) {
            (Provider::Custom, handler) => {
                let name = handler.as_ref().unwrap_or(&model.model).clone();
                let handler = HandlerRef { handler: name, version: None };
                Some(self.function(&handler, format!("models.{key}")))
            }
            _ => None,
        };
        let named = || self.document.prices.get(&model.model).copied();
        Ok(ModelSetup {
            price: model.price.or_else(named).or_else(|| known_price(model.provider, &model.model)),
            model: model.clone(),
            function,
            params,
            first_token_ms: self.limits.first_token_ms,
            idle_ms: self.limits.idle_ms,
        })
    }
}

/// JSON Schema of a person's answer to an MCP server.
fn elicited() -> Value {
    let said = "what the person wants: give the answer or open the page, refuse, or leave it";
    let properties = json!({
        "action": { "enum": ["accept", "decline", "cancel"], "description": said },
        "content": { "type": "object", "description": "the fields that are asked for, with accept" },
    });
    json!({ "type": "object", "properties": properties, "required": ["action"], "additionalProperties": false })
}

/// The JSON Schema of a check, if it has one.
fn schema_of(check: Option<&Check>) -> Option<Value> {
    match check? {
        Check::Schema(schema) | Check::Described { schema, .. } if schema.is_object() => Some(schema.clone()),
        _ => None,
    }
}

/// JSON Schema of the answer to the question whether a tool may be called.
fn decision() -> Value {
    let properties = json!({ "approved": { "type": "boolean" }, "input": { "type": "object" }, "reason": { "type": "string" } });
    json!({ "anyOf": [
        { "type": "boolean" },
        { "type": "object", "properties": properties, "required": ["approved"], "additionalProperties": false },
    ] })
}
