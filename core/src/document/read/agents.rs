//! Reads agents, their models and their tools.

use serde_json::Value;

use super::{Fields, Read, check, handler, http, source};
use crate::document::{
    Agent, AgentCall, AgentLimits, Document, History, Inner, LongPrompt, Model, NeedsApproval, OutputMode,
    Price, Provided, Provider, ProviderTool, Rates, Secret, Tool, ToolChoice, ToolRun,
};

/// Puts into a document what its agents need.
pub(super) fn settings(fields: &mut Fields, document: &mut Document) -> Read<()> {
    document.models = fields.map("models", model)?;
    document.agents = fields.map("agents", agent)?;
    document.tools = fields.map("tools", tool)?;
    document.prices = fields.map("prices", price)?;
    Ok(())
}

/// What an agent step has of its own.
pub(super) fn call(fields: &mut Fields) -> Read<AgentCall> {
    Ok(AgentCall {
        agent: fields.text("agent")?,
        input_from: fields.maybe("inputFrom", source)?,
        files: fields.maybe("files", source)?,
        history: fields.maybe("history", history)?,
        full_response: fields.is_true("fullResponse"),
    })
}

fn model(value: Value) -> Read<Model> {
    let mut fields = Fields::of(value)?;
    Ok(Model {
        provider: fields.need("provider", |value| {
            let word = value.as_str().unwrap_or_default();
            Provider::from_word(word).ok_or_else(|| format!("there is no provider `{word}`"))
        })?,
        model: fields.text("model")?,
        base_url: fields.maybe_text("baseUrl")?,
        api_key: fields.maybe("apiKey", |value| Ok(Secret { secret: Fields::of(value)?.text("secret")? }))?,
        params: fields.object("params")?,
        headers: fields.object("headers")?,
        api_version: fields.maybe_text("apiVersion")?,
        sampling: fields.take("sampling").as_ref().and_then(Value::as_bool),
        output_mode: fields.take("outputMode").and_then(|mode| OutputMode::from_word(mode.as_str()?)),
        price: fields.maybe("price", price)?,
        concurrency: fields.number("concurrency")?,
        requests_per_minute: fields.number("requestsPerMinute")?,
        handler: fields.maybe_text("handler")?,
        extensions: fields.0,
    })
}

fn price(value: Value) -> Read<Price> {
    let mut fields = Fields::of(value)?;
    Ok(Price { rates: rates(&mut fields), long_prompt: fields.maybe("longPrompt", long_prompt)? })
}

fn long_prompt(value: Value) -> Read<LongPrompt> {
    let mut fields = Fields::of(value)?;
    Ok(LongPrompt { above: fields.number("above")?.unwrap_or_default(), rates: rates(&mut fields) })
}

fn rates(fields: &mut Fields) -> Rates {
    Rates {
        input: fields.fraction("input").unwrap_or_default(),
        output: fields.fraction("output").unwrap_or_default(),
        cached_input: fields.fraction("cachedInput"),
        cache_write: fields.fraction("cacheWrite"),
    }
}

fn history(value: Value) -> Read<History> {
    let mut fields = Fields::of(value)?;
    Ok(History {
        key: fields.text("key")?,
        max_messages: fields.number("maxMessages")?,
        max_tokens: fields.number("maxTokens")?,
        summary: fields.maybe_text("summary")?,
    })
}

fn tool_choice(value: Value) -> Read<ToolChoice> {
    Ok(match value.as_str() {
        Some("auto") => ToolChoice::Auto,
        Some("required") => ToolChoice::Required,
        Some("none") => ToolChoice::None,
        _ => ToolChoice::Named(Fields::of(value)?.text("tool")?),
    })
}

fn agent(value: Value) -> Read<Agent> {
    let mut fields = Fields::of(value)?;
    Ok(Agent {
        model: fields.text("model")?,
        fallbacks: fields.texts("fallbacks"),
        instructions: fields.maybe_text("instructions")?,
        params: fields.object("params")?,
        tools: fields.texts("tools"),
        tool_choice: fields.maybe("toolChoice", tool_choice)?,
        output: fields.maybe("output", check)?,
        max_turns: fields.number("maxTurns")?,
        limits: fields.maybe("limits", |value| {
            let mut fields = Fields::of(value)?;
            Ok(AgentLimits { max_tokens: fields.number("maxTokens")?, max_cost: fields.fraction("maxCost") })
        })?,
        extensions: fields.0,
    })
}

fn tool(value: Value) -> Read<Tool> {
    let mut fields = Fields::of(value)?;
    Ok(Tool {
        description: fields.maybe_text("description")?,
        input: fields.maybe("input", check)?,
        run: fields.maybe("run", tool_run)?,
        needs_approval: fields.maybe("needsApproval", needs_approval)?,
        scopes: fields.texts("scopes"),
        timeout_ms: fields.number("timeoutMs")?,
        extensions: fields.0,
    })
}

fn needs_approval(value: Value) -> Read<NeedsApproval> {
    match value {
        Value::Bool(needs) => Ok(NeedsApproval::Always(needs)),
        other => Ok(NeedsApproval::Decided(handler(&mut Fields::of(other)?)?)),
    }
}

fn tool_run(value: Value) -> Read<ToolRun> {
    let mut fields = Fields::of(value)?;
    if let Some(request) = fields.maybe("http", http::request)? {
        return Ok(ToolRun::Http(Box::new(request)));
    }
    if let Some(workflow) = fields.take("workflow") {
        return Ok(ToolRun::Workflow(Box::new(Inner::from_json(workflow)?)));
    }
    if let Some(tool) = fields.maybe("mcp", http::mcp_tool)? {
        return Ok(ToolRun::Mcp(Box::new(tool)));
    }
    if let Some(does) = fields.take("provider").and_then(|word| Provided::from_word(word.as_str()?)) {
        let (allowed_domains, blocked_domains) =
            (fields.texts("allowedDomains"), fields.texts("blockedDomains"));
        let max_uses = fields.number("maxUses")?;
        return Ok(ToolRun::Provider(ProviderTool { does, max_uses, allowed_domains, blocked_domains }));
    }
    match fields.maybe_text("code")? {
        Some(code) => Ok(ToolRun::Code(code)),
        None => Ok(ToolRun::Handler(handler(&mut fields)?)),
    }
}
