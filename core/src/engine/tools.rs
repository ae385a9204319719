//! The tool calls of a model.

use std::cell::Cell;

use futures_util::future::join_all;
use serde_json::Value;

use super::agent::{Calling, Talk};
use super::flow::{End, Flow, Passed, Reach};
use super::http::{Occasion, UNKNOWN_CALL};
use super::journal::{AGAIN, Caller};
use super::leaf::Trouble;
use super::plan::{Approving, Ask, Coercion, PlannedTool, Rule, RuleBy, ToolDoes};
use super::reached::Block;
use super::traces::Traces;
use super::walk::{At, Walk, apart};
use crate::digest::Digest;
use crate::document::{OnUnknown, ToolChoice};
use crate::error::{Code, Error};
use crate::event::{ApprovalRequest, Event, Runner, ToolUse};
use crate::host::{Call, Host, Wants};
use crate::json;
use crate::literal::json;
use crate::models::{ToolCall, ToolResult};
use crate::shape::{Suggestions, cut, listed};

/// How often an MCP server may ask a person in one call.
const MAX_QUESTIONS: usize = 100;

/// How messages call what a tool is called with.
const INPUT: &str = "the tool's input";

/// What a person said of a call.
struct Decision {
    is_allowed: bool,
    /// The arguments that replace the model's.
    input: Option<Value>,
    reason: String,
}

impl Decision {
    fn allowed() -> Self {
        Self { is_allowed: true, input: None, reason: String::new() }
    }
}

/// Where a call stands among those of its step.
#[derive(Clone, Copy)]
struct Position<'k> {
    /// The end of its key in the journal.
    key: &'k str,
    round: usize,
    /// How many attempts of the step have made it.
    tries: u32,
}

impl Position<'_> {
    /// What the keys of its steps have of it.
    fn name(&self) -> String {
        match self.tries {
            1 => self.key.to_owned(),
            tries => format!("{}{AGAIN}{tries}", self.key),
        }
    }
}

/// How far a call has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Prepared,
    /// It is being decided whether a person has to allow it.
    Deciding,
    /// The call was emitted.
    Emitted,
}

impl<'a, H: Host> Walk<'a, H> {
    /// Makes these calls of a turn, all at once; each result is noted for the model.
    pub(super) async fn call_tools(
        &self,
        ask: &Ask,
        calls: &[(usize, ToolCall)],
        calling: Calling,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<(), Trouble> {
        let Calling { turn, before, tries } = calling;
        let made = calls.iter().map(async |(number, call)| {
            let at = Position { key: &format!("tool{turn}.{number}"), round: before + number, tries };
            let result = self.call_tool(ask, call, at, caller).await?;
            talk.called(*number, result);
            Ok(())
        });
        // The approvals that are waited for; steps of tools have reported their own.
        let mut open: Option<Vec<ApprovalRequest>> = None;
        for end in join_all(made).await {
            match end {
                Ok(()) => {}
                Err(Trouble::Suspended(requests)) => open.get_or_insert_default().extend(requests),
                Err(failed) => return Err(failed),
            }
        }
        open.map_or(Ok(()), |open| Err(Trouble::Suspended(open)))
    }

    async fn call_tool(
        &self,
        ask: &Ask,
        call: &ToolCall,
        at: Position<'_>,
        caller: &Caller<'_>,
    ) -> Result<ToolResult, Trouble> {
        let spot = caller.spot;
        let started_at = self.host.now();
        let stage = Cell::new(Stage::Prepared);
        let outcome = self.outcome(ask, call, at, caller, &stage).await;
        let outcome = match outcome {
            Ok(value) => Ok(value),
            // What a journal or a person's answer does not fit is no business of the model's.
            // Nor may it repeat a request that may have been carried out, or go on without a tool that the document has to
            // name anew. And what could not be decided about the call is a fault of the program.
            Err(Trouble::Failed(error))
                if !error.is_misfit()
                    && !matches!(error.code, Code::UnknownOutcome | Code::Document)
                    && stage.get() != Stage::Deciding =>
            {
                Err(error)
            }
            Err(Trouble::Failed(error)) if error.code == Code::UnknownOutcome => {
                let error = error.with(|failure| failure.retryable = false);
                return Err(error.with_hint(UNKNOWN_CALL).into());
            }
            Err(trouble) => return Err(trouble),
        };
        if stage.get() != Stage::Emitted {
            let call = used(call, call.input.clone());
            self.host.emit(Event::ToolStart { spot, call, runner: Runner::Run });
        }
        let (output, is_error) = match &outcome {
            Ok(value) => (self.json(value), false),
            Err(error) => (json!({ "error": error.message }), true),
        };
        let (id, tool) = (call.id.clone(), call.name.clone());
        let duration_ms = self.host.now() - started_at;
        let runner = Runner::Run;
        self.host.emit(Event::ToolEnd {
            spot,
            id: id.clone(),
            tool: tool.clone(),
            duration_ms,
            outcome,
            runner,
        });
        Ok(ToolResult { id, name: tool, output, is_error })
    }

    async fn outcome(
        &self,
        ask: &Ask,
        call: &ToolCall,
        at: Position<'_>,
        caller: &Caller<'_>,
        stage: &Cell<Stage>,
    ) -> Result<H::Value, Trouble> {
        let key = at.key;
        if ask.choice == ToolChoice::None {
            return Err(Error::new(Code::Tool, "no tools may be called: toolChoice is \"none\"").into());
        }
        let tool = tool_of(ask, call)?;
        if call.is_cut_off {
            let message = format!(
                "`{}` was not called: your answer reached the limit of tokens before the call was whole; call it again, with less at once",
                call.name
            );
            return Err(Error::new(Code::Limit, message).into());
        }
        if let Some(broken) = &call.broken {
            let message = format!("the arguments of `{}` are no JSON object: {broken}", call.name);
            return Err(Error::new(Code::Tool, message).into());
        }
        // No approval is requested for a call that cannot be made.
        let input = self.host.value_from_json(call.input.clone());
        let fitting = self.fitting(tool, call, input, &format!("{key}.input"), caller).await?;
        let decision = match &tool.approval {
            Some(approving) => {
                stage.set(Stage::Deciding);
                let needs_approval = self.needs_approval(approving, call, &fitting, key, caller).await?;
                stage.set(Stage::Prepared);
                if needs_approval {
                    self.decided(call, approving.schema, key, caller).await?
                } else {
                    Decision::allowed()
                }
            }
            None => Decision::allowed(),
        };
        if !decision.is_allowed {
            let message = match decision.reason.as_str() {
                "" => format!("a person did not allow the call of `{}`", call.name),
                reason => format!("a person did not allow the call of `{}`: {reason}", call.name),
            };
            return Err(Error::new(Code::Tool, message).into());
        }
        stage.set(Stage::Emitted);
        let shown = decision.input.as_ref().unwrap_or(&call.input).clone();
        self.host.emit(Event::ToolStart { spot: caller.spot, call: used(call, shown), runner: Runner::Run });
        let input = match decision.input {
            None => fitting,
            Some(other) => {
                let other = self.host.value_from_json(other);
                self.fitting(tool, call, other, &format!("{key}.changed"), caller).await?
            }
        };
        let part = format!("{key}.");
        let own = Caller { part: &part, ..*caller };
        let Some(limit) = tool.timeout_ms else {
            return self.made(tool, call, at, &input, &own).await;
        };
        let limit = self.limit(&own, limit, None);
        let own = Caller { limit: Some(&limit), ..own };
        let made = self.made(tool, call, at, &input, &own);
        match self.within(&own, &limit, made).await {
            Ok(made) => made,
            Err(late) => {
                let message = format!("the tool `{}` took longer than {} ms", call.name, late.limit_ms);
                let hint = "raise the tool's timeoutMs, or have it do less at once";
                let late = late.attribute(Error::new(Code::Timeout, message).with_hint(hint));
                Err(self.in_time(late, &limit, caller, Some(key)).into())
            }
        }
    }

    /// The input as its schema makes it; an error when it does not fit.
    async fn fitting(
        &self,
        tool: &PlannedTool,
        call: &ToolCall,
        input: H::Value,
        key: &str,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Error> {
        let what = format!("the input of the tool `{}`", call.name);
        let changed =
            self.checked(tool.input, &what, &input, caller, (key, Wants::Checked)).await.map_err(as_tool)?;
        Ok(changed.unwrap_or(input))
    }

    async fn made(
        &self,
        tool: &PlannedTool,
        call: &ToolCall,
        at: Position<'_>,
        input: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Trouble> {
        let key = at.key;
        let number = match &tool.does {
            ToolDoes::Call(function) => *function,
            ToolDoes::Http(request) => {
                let flow = &Flow::over(INPUT, input.clone());
                let call_id = Some(call.id.as_str());
                let occasion = Occasion { flow, call: key, call_id, on_unknown: OnUnknown::Fail };
                return Ok(self.requested(request, &occasion, caller).await?);
            }
            ToolDoes::Flow(number) => {
                return apart(self.followed(*number, at, input, caller)).await;
            }
            ToolDoes::Server(function, answer) => {
                return apart(self.served((*function, *answer), call, key, input, caller)).await;
            }
        };
        Ok(self.called(number, call, key, input, caller).await?)
    }

    /// What a function of the host answers to a call of the model.
    async fn called(
        &self,
        number: u32,
        call: &ToolCall,
        key: &str,
        input: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Error> {
        let Caller { spot, attempt, .. } = *caller;
        let function = self.plan.functions.get(number as usize);
        let version = function.and_then(|function| function.version.as_deref().or(function.code.as_deref()));
        let fingerprint = Digest::default()
            .with(&call.name)
            .with(version.unwrap_or_default())
            .with(&self.digest_of(input).hex());
        let live = Box::pin(async {
            let call_id = Some(call.id.as_str());
            let call = Call { function: number, wants: Wants::Output, spot, attempt, state: input, call_id };
            Ok(self.host.call(call).await.map_err(as_tool)?.value)
        });
        self.journaled(caller, key, fingerprint, live).await
    }

    /// What an MCP server answers, which may ask a person first, again and again: its note and the person's answer go with
    /// the next call, so that the journal is all that is needed to go on.
    async fn served(
        &self,
        (function, schema): (u32, u32),
        call: &ToolCall,
        key: &str,
        input: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Trouble> {
        let mut state = self.host.object(vec![("input", input.clone())]);
        for number in 0..MAX_QUESTIONS {
            let request = if number == 0 { key.to_owned() } else { format!("{key}.told{number}") };
            let given = self.called(function, call, &request, &state, caller).await?;
            let mut given = self.json(&given);
            let Some(talk) = given.get_mut("talk").map(Value::take) else {
                let result = given.get_mut("result").map(Value::take).unwrap_or_default();
                return Ok(self.host.value_from_json(result));
            };
            let message = talk.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            let approval = ApprovalRequest {
                key: format!("{}/{key}.asked{number}", self.execution_key(caller.spot, caller.prefix)),
                message: Some(message),
                schema: Some(schema),
                call: None,
                expires_at: None,
            };
            let rule = Rule { by: RuleBy::Schema(schema), coercion: Coercion::Never };
            let question = Digest::default().with(&call.name).with(&json::text(&talk));
            let answer = self.person(approval, &[Some(rule)], None, question, caller).await?;
            let talk = self.host.value_from_json(talk);
            state = self.host.object(vec![("input", input.clone()), ("talk", talk), ("answer", answer)]);
        }
        let message = format!("`{}` asked a person more than {MAX_QUESTIONS} times", call.name);
        Err(Error::new(Code::Limit, message).into())
    }

    /// What the workflow of a tool gives over its arguments.
    async fn followed(
        &self,
        number: usize,
        at: Position<'_>,
        input: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Trouble> {
        let Some(inner) = self.plan.flows.get(number) else {
            return Err(Error::new(Code::Internal, "a tool has no workflow").into());
        };
        let prefix = format!("{}#{}/", self.execution_key(caller.spot, caller.prefix), at.name());
        let scope = self.enter(caller.spot, u32::try_from(at.round).unwrap_or(u32::MAX), &prefix);
        let traces = self.traced(&Traces::default(), input);
        let begun = self.begin_inner(inner, &Flow { traces, ..Flow::over(INPUT, input.clone()) }).await?;
        let block = Block::new();
        let at = At { scope, prefix: &prefix, block: &block, limit: caller.limit };
        let Passed { flow, end } = self.block(&inner.steps, &begun, at).await;
        match end {
            End::Went | End::Ended(_) => Ok(self.end_inner(inner, flow).await?),
            End::Suspended => Err(Trouble::Suspended(Vec::new())),
            // What nothing in the run survives is no business of the model's.
            End::Stopped(stop) if stop.reach == Reach::Run => Err(Trouble::Stopped(stop)),
            End::Stopped(stop) => Err(as_tool(stop.error).into()),
        }
    }

    /// Whether a person has to allow a call. What a function says of it is kept: a resumed run does not decide again.
    async fn needs_approval(
        &self,
        approving: &Approving,
        call: &ToolCall,
        input: &H::Value,
        key: &str,
        caller: &Caller<'_>,
    ) -> Result<bool, Error> {
        let Some(function) = approving.decider else { return Ok(true) };
        let Caller { spot, attempt, .. } = *caller;
        let fingerprint = self.question_of(function, self.digest_of(input));
        let live = Box::pin(async {
            let call_id = Some(call.id.as_str());
            let call = Call { function, wants: Wants::Decision, spot, attempt, state: input, call_id };
            Ok(self.host.call(call).await?.value)
        });
        let decision =
            self.journaled(caller, &format!("{key}.approval"), fingerprint, live).await.map_err(|error| {
                let message =
                    format!("`needsApproval` of the tool `{}` failed: {}", call.name, error.message);
                error.with(|failure| failure.message = message)
            })?;
        Ok(self.json(&decision) != Value::Bool(false))
    }

    /// What a person says of a call, now or in an earlier run.
    async fn decided(
        &self,
        call: &ToolCall,
        schema: u32,
        key: &str,
        caller: &Caller<'_>,
    ) -> Result<Decision, Trouble> {
        let approval = ApprovalRequest {
            key: format!("{}/{key}", self.execution_key(caller.spot, caller.prefix)),
            message: Some(format!("May `{}` be called?", call.name)),
            schema: Some(schema),
            call: Some(used(call, call.input.clone())),
            expires_at: None,
        };
        let question = Digest::default().with(&call.name).with(&json::text(&call.input));
        let rule = Rule { by: RuleBy::Schema(schema), coercion: Coercion::Never };
        let answer = self.person(approval, &[Some(rule)], None, question, caller).await.map_err(|trouble| match trouble {
            Trouble::Failed(error) if error.is_misfit() => {
                let hint = "answer true, false, or { approved: true, input: { … } } or { approved: false, reason: \"…\" }";
                Trouble::Failed(error.with_hint(hint))
            }
            other => other,
        })?;
        let mut answer = self.json(&answer);
        Ok(Decision {
            is_allowed: answer.get("approved").unwrap_or(&answer) == &Value::Bool(true),
            reason: answer.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned(),
            input: answer.get_mut("input").map(Value::take),
        })
    }
}

/// The call as events have it, with this input.
fn used(call: &ToolCall, input: Value) -> ToolUse {
    ToolUse { id: call.id.clone(), tool: call.name.clone(), input }
}

/// Pairs of characters that are compared for the tool that a model probably meant.
const MOST_COMPARED: usize = 100_000;
/// Names of tools that a message has.
const MOST_LISTED: usize = 20;
/// Letters that it has of the name of a tool that is none: those of tools have up to 64.
const MOST_LETTERS: usize = 100;

fn tool_of<'a>(ask: &'a Ask, call: &ToolCall) -> Result<&'a PlannedTool, Error> {
    let found = ask.offers.iter().position(|offer| offer.name == call.name);
    found.and_then(|index| ask.tools.get(index)).ok_or_else(|| {
        let names = || ask.offers.iter().map(|offer| offer.name.as_str());
        // An answer may call thousands of tools that are none.
        let meant = match Suggestions::within(MOST_COMPARED).nearest(&call.name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", listed(names().take(MOST_LISTED))),
        };
        let name = cut(call.name.clone(), MOST_LETTERS);
        Error::new(Code::Tool, format!("there is no tool `{name}`; {meant}"))
    })
}

/// A failure of a tool's function is the tool's, unless it says otherwise.
fn as_tool(error: Error) -> Error {
    match error.code {
        Code::Handler => error.with(|failure| failure.code = Code::Tool),
        _ => error,
    }
}
