//! Compiles a document step by step: names are resolved, templates are parsed, schemas and functions get numbers.

use std::collections::{BTreeMap, HashMap};
use std::mem;

use serde_json::Value;

use super::{
    Around, Coercion, Decider, Each, Function, Input, Isolated, Leave, LoopCondition, Node, NodeKind,
    Presence, Question, Rest, Rule, RuleBy, Schema, StepInfo, Ways,
};
#[cfg(feature = "agents")]
use crate::document::McpTool;
use crate::document::{
    Approval, Calls, Check, Document, ExitScope, HandlerRef, Inner, Limits, OnError, OnItemError, Repeat,
    RetryPolicy, Run, Source, Step, StepKind, Wait, least,
};
use crate::event::StepIndex;
use crate::language::{Expression, SyntaxError, Template};
use crate::literal::json;
use crate::state::output_key;

pub(super) struct Builder<'a> {
    pub(super) document: &'a Document,
    pub(super) retry: RetryPolicy,
    pub(super) limits: Limits,
    /// What a step's own limits may not pass either.
    bounds: Limits,
    pub(super) steps: Vec<StepInfo>,
    pub(super) functions: Vec<Function>,
    pub(super) schemas: Vec<Schema>,
    /// The numbers of the schemas by their paths: those of agents and tools are the same in all steps.
    numbers: HashMap<String, u32>,
    pub(super) reads_outputs: bool,
    /// The names of the steps so far that share a state with the next one, each with the first step that has it.
    names: BTreeMap<&'a str, StepIndex>,
    pub(super) has_namesakes: bool,
    pub(super) around: Around,
    /// The tools that are workflows.
    pub(super) tools: Vec<(&'a str, &'a Inner)>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(document: &'a Document, limits: Limits, bounds: Limits) -> Self {
        Self {
            document,
            retry: document.retry_policy.clone().unwrap_or_default(),
            steps: Vec::new(),
            functions: Vec::new(),
            schemas: Vec::new(),
            numbers: HashMap::new(),
            limits,
            bounds,
            reads_outputs: false,
            names: BTreeMap::new(),
            has_namesakes: false,
            around: Around::default(),
            tools: if cfg!(feature = "agents") { Calls::of(document).callers_first() } else { Vec::new() },
        }
    }

    /// The workflows of tools. What fails in them is reported to the model, and the run goes on.
    pub(super) fn flows(&mut self) -> Result<Vec<Isolated>, String> {
        let tools = self.tools.clone();
        let flow = |(name, inner)| {
            self.isolated(inner, &format!("tools.{name}.run.workflow.steps"), OnError::Continue)
        };
        tools.into_iter().map(flow).collect()
    }

    pub(super) fn block(
        &mut self,
        steps: &'a [Step],
        path: &str,
        around: OnError,
    ) -> Result<Vec<Node>, String> {
        let numbered = steps.iter().enumerate();
        numbered.map(|(index, step)| self.node(step, format!("{path}[{index}]"), around)).collect()
    }

    /// The steps of a block with a separate state: their outputs stay in it.
    fn apart(&mut self, steps: &'a [Step], path: &str, around: OnError) -> Result<Vec<Node>, String> {
        let outside = mem::take(&mut self.names);
        let nodes = self.block(steps, path, around);
        self.names = outside;
        nodes
    }

    fn node(&mut self, step: &'a Step, path: String, around: OnError) -> Result<Node, String> {
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
        let first_namesake = *self.names.entry(&step.name).or_insert(index);
        self.has_namesakes |= first_namesake != index;
        let inside = if on_failure == OnError::Continue { OnError::Continue } else { around };
        let around_it = self.around;
        match step.kind {
            StepKind::Loop(_) => self.around.round = Some(index),
            StepKind::Foreach(_) => self.around.item = Some(index),
            // What is around a workflow step is not its steps' to end.
            StepKind::Workflow(_) => self.around = Around { run: Some(index), round: None, item: None },
            _ => {}
        }
        let kind = self.kind(step, &path, inside)?;
        self.around = around_it;
        let coercion = coercion_of(step);
        Ok(Node {
            index,
            name: step.name.clone(),
            first_namesake,
            on_failure,
            around,
            presence: if step.enabled { Presence::Enabled } else { Presence::Disabled },
            max_retries: step.retry_count.unwrap_or(self.retry.max_retries),
            timeout_ms: match step.kind {
                // They are there to take their time.
                StepKind::Wait(_) | StepKind::Approval(_) => None,
                _ => least(step.timeout_ms.or(self.limits.step_timeout_ms), self.bounds.step_timeout_ms),
            },
            input: self.rule(step.input.as_ref(), &format!("{path}.input"), coercion),
            output: match step.kind {
                // It is checked before the answer is kept, so that another one can still come.
                StepKind::Approval(_) => None,
                _ => self.rule(step.output.as_ref(), &format!("{path}.output"), coercion),
            },
            pin: self.document.pins.get(&step.id).cloned(),
            kind,
        })
    }

    fn kind(&mut self, step: &'a Step, path: &str, inside: OnError) -> Result<NodeKind, String> {
        let steps_path = format!("{path}.steps");
        Ok(match &step.kind {
            StepKind::Agent(call) => NodeKind::Agent(Box::new(self.ask(step, call, path)?)),
            StepKind::Function(Run::Set(set)) => NodeKind::Set(self.expressions(set)?),
            StepKind::Function(Run::Handler(handler)) => {
                NodeKind::Call(self.function(handler, format!("{path}.run")))
            }
            StepKind::Function(Run::Code(code)) => NodeKind::Call(self.code(code, format!("{path}.run"))),
            StepKind::Http(call) => NodeKind::Http(Box::new(self.fetch(step, call)?)),
            StepKind::Condition(branch) => NodeKind::Condition {
                condition: self.decider(&branch.condition, format!("{path}.condition"))?,
                steps: self.block(&branch.steps, &steps_path, inside)?,
                otherwise: self.block(&branch.otherwise, &format!("{path}.else"), inside)?,
            },
            StepKind::Switch(switch) => {
                let mut cases = Vec::with_capacity(switch.cases.len());
                for (number, case) in switch.cases.iter().enumerate() {
                    let path = format!("{path}.cases[{number}]");
                    let when = self.decider(&case.when, format!("{path}.when"))?;
                    cases.push((when, self.block(&case.steps, &format!("{path}.steps"), inside)?));
                }
                NodeKind::Switch {
                    cases,
                    default: self.block(&switch.default, &format!("{path}.default"), inside)?,
                }
            }
            StepKind::Parallel(fork) => NodeKind::Parallel {
                members: self.block(&fork.members, &format!("{path}.parallel"), inside)?,
                concurrency: fork.concurrency,
                on_conflict: fork.on_conflict,
            },
            StepKind::Sequence(steps) => NodeKind::Sequence(self.block(steps, &steps_path, inside)?),
            StepKind::Foreach(each) => {
                let tolerated = each.on_item_error != OnItemError::Stop;
                NodeKind::Foreach(Box::new(Each {
                    items: self.decider(&each.items, format!("{path}.items"))?,
                    item_key: each.item.clone(),
                    index_key: format!("{}_index", each.item),
                    output_key: output_key(&step.name),
                    steps: self.apart(
                        &each.steps,
                        &steps_path,
                        if tolerated { OnError::Continue } else { inside },
                    )?,
                    result: each.result.as_ref().map(|source| self.expression(source)).transpose()?,
                    concurrency: each.concurrency,
                    on_item_error: each.on_item_error,
                }))
            }
            StepKind::Loop(repeated) => NodeKind::Loop {
                condition: match &repeated.repeat {
                    Repeat::While(source) => {
                        LoopCondition::While(self.decider(source, format!("{path}.repeat.while"))?)
                    }
                    Repeat::Until(source) => {
                        LoopCondition::Until(self.decider(source, format!("{path}.repeat.until"))?)
                    }
                },
                max: repeated.max_iterations,
                on_max: repeated.on_max,
                steps: self.block(&repeated.steps, &steps_path, inside)?,
            },
            StepKind::Workflow(inner) => {
                NodeKind::Workflow(Box::new(self.isolated(inner, &steps_path, inside)?))
            }
            StepKind::End(exit) => NodeKind::End(Box::new(Leave {
                target: match exit.scope {
                    ExitScope::Run => self.around.run,
                    ExitScope::Round => self.around.round,
                    ExitScope::Item => self.around.item,
                },
                status: exit.status,
                message: exit.message.as_ref().map(|text| self.template(text)).transpose()?,
            })),
            StepKind::Wait(Wait::Ms(ms)) => NodeKind::Wait(Rest::Ms(*ms)),
            StepKind::Wait(Wait::Until(source)) => {
                NodeKind::Wait(Rest::Until(Box::new(self.expression(source)?)))
            }
            StepKind::Approval(approval) => {
                let own = self.yes_or_no(approval);
                let shown = [(&approval.schema, "schema"), (&step.output, "output")];
                let schema = self.rule(approval.schema.as_ref(), &format!("{path}.schema"), Coercion::Never);
                NodeKind::Approval(Box::new(Question {
                    message: approval.message.as_ref().map(|text| self.template(text)).transpose()?,
                    form: self.form(&shown, path).or(own),
                    schema: schema
                        .or(own.map(|own| Rule { by: RuleBy::Schema(own), coercion: Coercion::Never })),
                    output: self.rule(step.output.as_ref(), &format!("{path}.output"), coercion_of(step)),
                    output_key: output_key(&step.name),
                    expires_ms: approval.expires_ms,
                    ways: self.ways(step, approval, path, inside)?,
                }))
            }
        })
    }

    fn ways(
        &mut self,
        step: &'a Step,
        approval: &'a Approval,
        path: &str,
        inside: OnError,
    ) -> Result<Option<Ways>, String> {
        if step.blocks().is_empty() {
            return Ok(None);
        }
        let mut block = |steps: &'a Option<Vec<Step>>, key: &str| {
            let path = format!("{path}.{key}");
            steps.as_ref().map(|steps| self.block(steps, &path, inside)).transpose()
        };
        let (yes, no) = (block(&approval.steps, "steps")?, block(&approval.otherwise, "else")?);
        let expired = block(&approval.expired, "expired")?;
        let approved = approval.approved.as_ref();
        let approved = approved.map(|source| self.decider(source, format!("{path}.approved"))).transpose()?;
        Ok(Some(Ways { approved, yes, no, expired }))
    }

    fn isolated(&mut self, inner: &'a Inner, steps_path: &str, inside: OnError) -> Result<Isolated, String> {
        Ok(Isolated {
            initial_state: inner.initial_state.clone(),
            with: inner.with.as_ref().map(|with| self.expressions(with)).transpose()?,
            steps: self.apart(&inner.steps, steps_path, inside)?,
            set: inner.set.as_ref().map(|set| self.expressions(set)).transpose()?,
        })
    }

    fn expressions(
        &mut self,
        set: &indexmap::IndexMap<String, String>,
    ) -> Result<Vec<(String, Expression)>, String> {
        set.iter().map(|(key, source)| Ok((key.clone(), self.expression(source)?))).collect()
    }

    pub(super) fn expression(&mut self, source: &str) -> Result<Expression, String> {
        self.look_for_outputs(source);
        Expression::parse(source).map_err(unread)
    }

    pub(super) fn decider(&mut self, source: &Source, path: String) -> Result<Decider, String> {
        Ok(match source {
            Source::Text(text) => Decider::Expression(Box::new(self.expression(text)?)),
            Source::Handler(handler) => Decider::Function(self.function(handler, path)),
        })
    }

    pub(super) fn rule(&mut self, check: Option<&Check>, path: &str, coercion: Coercion) -> Option<Rule> {
        let by = match check? {
            Check::Schema(schema) => RuleBy::Schema(self.schema(path.to_owned(), schema)),
            Check::Handler(handler) => RuleBy::Function(self.function(handler, path.to_owned())),
            Check::Described { handler, .. } => {
                let handler = HandlerRef { handler: handler.clone(), version: None };
                RuleBy::Function(self.function(&handler, path.to_owned()))
            }
        };
        Some(Rule { by, coercion })
    }

    /// The first of these schemas that can be shown to a person.
    fn form(&mut self, checks: &[(&Option<Check>, &str)], path: &str) -> Option<u32> {
        checks.iter().find_map(|(check, key)| match check {
            Some(Check::Schema(schema)) => Some(self.schema(format!("{path}.{key}"), schema)),
            Some(Check::Described { schema, .. }) => {
                let number = self.schema(format!("{path}.{key}"), schema);
                if let Some(known) = self.schemas.get_mut(number as usize) {
                    known.is_shown_only = true;
                }
                Some(number)
            }
            Some(Check::Handler(_)) | None => None,
        })
    }

    /// What an answer has to fit that has to say yes or no, and of which the document says no more.
    fn yes_or_no(&mut self, approval: &Approval) -> Option<u32> {
        let decides = approval.steps.is_some() || approval.otherwise.is_some();
        if !decides || approval.schema.is_some() || approval.approved.is_some() {
            return None;
        }
        let properties = json!({ "approved": { "type": "boolean" } });
        let schema = json!({ "type": "object", "properties": properties, "required": ["approved"] });
        self.schemas.push(Schema::new(String::new(), schema));
        Some(self.schemas.len() as u32 - 1)
    }

    fn schema(&mut self, path: String, schema: &Value) -> u32 {
        if let Some(known) = self.numbers.get(&path) {
            return *known;
        }
        let number = self.schemas.len() as u32;
        self.schemas.push(Schema::new(path.clone(), schema.clone()));
        self.numbers.insert(path, number);
        number
    }

    /// The number of a schema of the engine's own.
    #[cfg(feature = "agents")]
    pub(super) fn own_schema(&mut self, name: &'static str, schema: &Value) -> u32 {
        // No path of a document is like this.
        let key = format!(" {name}");
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let number = self.schemas.len() as u32;
        self.schemas.push(Schema::new(String::new(), schema.clone()));
        self.numbers.insert(key, number);
        number
    }

    /// Adds the schemas of agents and tools that no step uses, so that their faults are reported.
    pub(super) fn unused(&mut self) {
        let document = self.document;
        let outputs =
            document.agents.iter().map(|(key, agent)| (format!("agents.{key}.output"), &agent.output));
        let inputs = document.tools.iter().map(|(name, tool)| (format!("tools.{name}.input"), &tool.input));
        for (path, check) in outputs.chain(inputs) {
            if let Some(Check::Schema(schema)) = check {
                self.schema(path, schema);
            }
        }
    }

    pub(super) fn function(&mut self, handler: &HandlerRef, path: String) -> u32 {
        let HandlerRef { handler, version } = handler.clone();
        self.add_function(Function { path, handler: Some(handler), version, code: None })
    }

    pub(super) fn code(&mut self, code: &str, path: String) -> u32 {
        self.add_function(Function { path, handler: None, version: None, code: Some(code.to_owned()) })
    }

    /// What asks an MCP server: its version is what is pinned of the server's tool.
    #[cfg(feature = "agents")]
    pub(super) fn server(&mut self, tool: &McpTool, path: String) -> u32 {
        let version = Some(format!("{} {} {}", tool.url, tool.tool, tool.hash));
        self.add_function(Function { path, handler: None, version, code: None })
    }

    fn add_function(&mut self, function: Function) -> u32 {
        self.functions.push(function);
        self.functions.len() as u32 - 1
    }

    pub(super) fn input(&mut self, source: Option<&Source>, path: &str) -> Result<Input, String> {
        Ok(match source {
            None => Input::State,
            Some(Source::Handler(handler)) => {
                Input::Function(self.function(handler, format!("{path}.inputFrom")))
            }
            Some(Source::Text(text)) => Input::Template(self.template(text)?),
        })
    }

    pub(super) fn template(&mut self, text: &str) -> Result<Template, String> {
        self.look_for_outputs(text);
        Template::parse(text).map_err(unread)
    }

    /// Whoever writes the word may mean them; keeping them for nothing costs little.
    fn look_for_outputs(&mut self, source: &str) {
        self.reads_outputs |= source.contains("steps");
    }
}

fn unread(error: SyntaxError) -> String {
    error.message
}

/// Whether the values of a step are converted.
fn coercion_of(step: &Step) -> Coercion {
    if step.coerce { Coercion::On } else { Coercion::Off }
}
