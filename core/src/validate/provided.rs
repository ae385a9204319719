//! Tools that providers run themselves: what can be said of them, and whose models have them.

use super::path::Path;
use crate::document::{Agent, Document, Provided, Provider, ProviderTool, Tool, ToolChoice, ToolRun};
use crate::problem::{Problem, Problems};

pub(super) fn check(document: &Document, problems: &mut Problems) {
    for (name, tool) in &document.tools {
        if let Some(ToolRun::Provider(provided)) = &tool.run {
            check_tool(name, tool, provided, problems);
        }
    }
    for (id, agent) in &document.agents {
        check_agent(document, id, agent, problems);
    }
}

/// What only makes sense of calls that come here first.
fn check_tool(name: &str, tool: &Tool, provided: &ProviderTool, problems: &mut Problems) {
    let noun = provided.does.noun();
    let place = Path::ROOT.key("tools").key(name);
    let mut error = |place: Path<'_>, message: String, hint: &str| {
        problems.push(Problem::error(place.render(), "provider_tool", message, hint));
    };
    for (key, is_there, why, hint) in [
        (
            "needsApproval",
            tool.needs_approval.is_some(),
            "nobody can be asked before its calls",
            "leave it out, or take a tool of your own: a handler, code or a request",
        ),
        (
            "timeoutMs",
            tool.timeout_ms.is_some(),
            "its calls cannot be stopped",
            "limit the step: its timeoutMs",
        ),
        ("input", tool.input.is_some(), "its arguments are the provider's own", "leave it out"),
    ] {
        if is_there {
            let message = format!("the provider runs the {noun} `{name}` itself, so that {why}");
            error(place.key(key), message, hint);
        }
    }
    let place = place.key("run");
    if let (Provided::CodeExecution, Some(bound)) = (provided.does, provided.bounds().next()) {
        let message = format!("the {noun} `{name}` has no `{bound}`: that is a bound on searches");
        error(place.key(bound), message, "leave it out");
    }
    if !provided.allowed_domains.is_empty() && !provided.blocked_domains.is_empty() {
        let message = format!("the {noun} `{name}` allows some domains, and blocks others");
        error(
            place.key("blockedDomains"),
            message,
            "name either those that are allowed or those that are blocked",
        );
    }
}

/// Whether the models of an agent have what its tools need of their providers.
fn check_agent(document: &Document, id: &str, agent: &Agent, problems: &mut Problems) {
    let place = Path::ROOT.key("agents").key(id);
    let provided = |name: &String| match &document.tools.get(name)?.run {
        Some(ToolRun::Provider(provided)) => Some(provided),
        _ => None,
    };
    // What one model of a provider does not have, its others do not have either.
    let mut models: Vec<(&String, Provider)> = Vec::new();
    for key in std::iter::once(&agent.model).chain(&agent.fallbacks) {
        let Some(model) = document.models.get(key) else { continue };
        if models.iter().all(|(_, provider)| *provider != model.provider) {
            models.push((key, model.provider));
        }
    }
    // The first tool of each kind.
    let mut first: Vec<(Provided, &String)> = Vec::new();
    for (index, name) in agent.tools.iter().enumerate() {
        let Some(tool) = provided(name) else { continue };
        let noun = tool.does.noun();
        let mut error = |message: String, hint: &str| {
            problems.push(Problem::error(
                place.key("tools").index(index).render(),
                "provider_tool",
                message,
                hint,
            ));
        };
        let other = first.iter().find(|(does, _)| *does == tool.does).map(|(_, other)| *other);
        if other.is_none() {
            first.push((tool.does, name));
        }
        if let Some(other) = other {
            let message = format!(
                "the agent `{id}` has two tools for a {noun} by the provider, `{other}` and `{name}`"
            );
            error(message, "name one of them");
        }
        for &(key, provider) in &models {
            let whose = provider.word();
            let Some(bounds) = tool.does.bounds_at(provider) else {
                let message = format!(
                    "the agent `{id}` has the tool `{name}`, a {noun} by the provider, which its model `{key}` ({whose}) does not have"
                );
                error(
                    message,
                    "take a model of openaiResponses, anthropic or gemini (openrouter has a web search too), or a tool of your own",
                );
                continue;
            };
            if let Some(bound) =
                tool.bounds().find(|bound| tool.does != Provided::CodeExecution && !bounds.contains(bound))
            {
                let message = format!(
                    "the tool `{name}` of the agent `{id}` has `{bound}`, which the {noun} of its model `{key}` ({whose}) does not have"
                );
                error(message, "leave it out, or take a model of anthropic or openrouter");
            }
        }
    }
    let needed = match &agent.tool_choice {
        Some(ToolChoice::Named(name)) => provided(name).map(|_| format!("`{name}`")),
        Some(ToolChoice::Required)
            if !agent.tools.is_empty() && agent.tools.iter().all(|name| provided(name).is_some()) =>
        {
            Some("a tool".to_owned())
        }
        _ => None,
    };
    if let Some(needed) = needed {
        let message =
            format!("the agent `{id}` has to call {needed}, which its provider runs when the model likes");
        let hint = "leave `toolChoice` out, and ask for it in the instructions";
        problems.push(Problem::error(place.key("toolChoice").render(), "provider_tool", message, hint));
    }
}
