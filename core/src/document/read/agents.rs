//! Reads agents, their models and their tools.

use serde_json::Value;

use super::{Fault, Fields, FirstFault, check, handler, http, inner, source};
use crate::document::{
    Agent, AgentCall, AgentLimits, Document, History, LongPrompt, Model, NeedsApproval, OutputMode, Price,
    Provided, Provider, ProviderTool, Rates, Secret, Tool, ToolChoice, ToolRun,
};

/// Puts into a document what its agents need.
pub(super) fn settings(fields: &mut Fields<'_>, document: &mut Document) {
    document.models = fields.entries("models", model);
    document.agents = fields.entries("agents", agent);
    document.tools = fields.entries("tools", tool);
    document.prices = fields.entries("prices", price);
}

/// What an agent step has of its own.
pub(super) fn call(fields: &mut Fields<'_>) -> AgentCall {
    AgentCall {
        agent: fields.text("agent"),
        input_from: fields.maybe("inputFrom", source),
        files: fields.maybe("files", source),
        history: fields.maybe("history", history),
        full_response: fields.is_true("fullResponse"),
    }
}

fn model(value: Value, first: &FirstFault) -> Model {
    let mut fields = Fields::of(value, first);
    Model {
        provider: fields.need("provider", provider),
        model: fields.text("model"),
        base_url: fields.maybe_text("baseUrl"),
        api_key: fields.maybe("apiKey", secret),
        params: fields.object("params"),
        headers: fields.object("headers"),
        api_version: fields.maybe_text("apiVersion"),
        sampling: fields.take("sampling").as_ref().and_then(Value::as_bool),
        output_mode: fields.take("outputMode").and_then(|mode| OutputMode::from_word(mode.as_str()?)),
        price: fields.maybe("price", price),
        concurrency: fields.number("concurrency"),
        requests_per_minute: fields.number("requestsPerMinute"),
        handler: fields.maybe_text("handler"),
        extensions: fields.map,
    }
}

fn provider(value: Value, first: &FirstFault) -> Provider {
    value.as_str().and_then(Provider::from_word).unwrap_or_else(|| {
        first.note(Fault::Unfit("provider"));
        Provider::Demo
    })
}

/// The name of a secret.
pub(super) fn secret(value: Value, first: &FirstFault) -> Secret {
    Secret { secret: Fields::of(value, first).text("secret") }
}

fn price(value: Value, first: &FirstFault) -> Price {
    let mut fields = Fields::of(value, first);
    Price { rates: rates(&mut fields), long_prompt: fields.maybe("longPrompt", long_prompt) }
}

fn long_prompt(value: Value, first: &FirstFault) -> LongPrompt {
    let mut fields = Fields::of(value, first);
    LongPrompt { above: fields.number("above").unwrap_or_default(), rates: rates(&mut fields) }
}

fn rates(fields: &mut Fields<'_>) -> Rates {
    Rates {
        input: fields.fraction("input").unwrap_or_default(),
        output: fields.fraction("output").unwrap_or_default(),
        cached_input: fields.fraction("cachedInput"),
        cache_write: fields.fraction("cacheWrite"),
    }
}

fn history(value: Value, first: &FirstFault) -> History {
    let mut fields = Fields::of(value, first);
    History {
        key: fields.text("key"),
        max_messages: fields.number("maxMessages"),
        max_tokens: fields.number("maxTokens"),
        summary: fields.maybe_text("summary"),
    }
}

fn tool_choice(value: Value, first: &FirstFault) -> ToolChoice {
    match value.as_str() {
        Some("auto") => ToolChoice::Auto,
        Some("required") => ToolChoice::Required,
        Some("none") => ToolChoice::None,
        _ => ToolChoice::Named(Fields::of(value, first).text("tool")),
    }
}

fn agent(value: Value, first: &FirstFault) -> Agent {
    let mut fields = Fields::of(value, first);
    Agent {
        model: fields.text("model"),
        fallbacks: fields.texts("fallbacks"),
        instructions: fields.maybe_text("instructions"),
        params: fields.object("params"),
        tools: fields.texts("tools"),
        tool_choice: fields.maybe("toolChoice", tool_choice),
        output: fields.maybe("output", check),
        max_turns: fields.number("maxTurns"),
        limits: fields.maybe("limits", |value, first| {
            let mut fields = Fields::of(value, first);
            AgentLimits { max_tokens: fields.number("maxTokens"), max_cost: fields.fraction("maxCost") }
        }),
        extensions: fields.map,
    }
}

fn tool(value: Value, first: &FirstFault) -> Tool {
    let mut fields = Fields::of(value, first);
    Tool {
        description: fields.maybe_text("description"),
        input: fields.maybe("input", check),
        run: fields.maybe("run", tool_run),
        needs_approval: fields.maybe("needsApproval", needs_approval),
        scopes: fields.texts("scopes"),
        timeout_ms: fields.number("timeoutMs"),
        extensions: fields.map,
    }
}

fn needs_approval(value: Value, first: &FirstFault) -> NeedsApproval {
    match value {
        Value::Bool(needs) => NeedsApproval::Always(needs),
        other => NeedsApproval::Decided(handler(&mut Fields::of(other, first))),
    }
}

fn tool_run(value: Value, first: &FirstFault) -> ToolRun {
    let mut fields = Fields::of(value, first);
    if let Some(request) = fields.maybe("http", http::request) {
        return ToolRun::Http(Box::new(request));
    }
    if let Some(workflow) = fields.maybe("workflow", inner) {
        return ToolRun::Workflow(Box::new(workflow));
    }
    if let Some(tool) = fields.maybe("mcp", http::mcp_tool) {
        return ToolRun::Mcp(Box::new(tool));
    }
    if let Some(does) = fields.take("provider").and_then(|word| Provided::from_word(word.as_str()?)) {
        let (allowed_domains, blocked_domains) =
            (fields.texts("allowedDomains"), fields.texts("blockedDomains"));
        let max_uses = fields.number("maxUses");
        return ToolRun::Provider(ProviderTool { does, max_uses, allowed_domains, blocked_domains });
    }
    match fields.maybe_text("code") {
        Some(code) => ToolRun::Code(code),
        None => ToolRun::Handler(handler(&mut fields)),
    }
}
