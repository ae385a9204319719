//! Which tools an agent may call, and which it has to.

use indexmap::IndexSet;

use super::path::Path;
use crate::document::{Agent, Calls, Document, MAX_STEP_DEPTH, MAX_TOOL_DEPTH, ToolChoice};
use crate::problem::{Problem, Problems};

/// What every endpoint would reject: the same tool offered twice, or a required call of a tool that is not offered.
pub(super) fn check(document: &Document, problems: &mut Problems) {
    for name in document.tools.keys().filter(|name| !may_be_called(name)) {
        let message = format!("no model can call a tool by the name `{name}`");
        let hint = "take up to 64 letters, digits, `_` and `-`, no digit or `-` first";
        let at = Path::ROOT.key("tools").key(name).render();
        problems.push(Problem::error(at, "wrong_name", message, hint));
    }
    for (id, agent) in &document.agents {
        let place = Path::ROOT.key("agents").key(id);
        let mut seen = IndexSet::new();
        for (index, tool) in agent.tools.iter().enumerate() {
            if !seen.insert(tool.as_str()) {
                let message = format!("the agent `{id}` has the tool `{tool}` twice");
                let at = place.key("tools").index(index).render();
                problems.push(Problem::error(at, "duplicate_tool", message, "name each tool once"));
            }
        }
        if let Some(message) = out_of_reach(id, agent) {
            let hint = "name the tool in its `tools`, or leave `toolChoice` out";
            problems.push(Problem::error(
                place.key("toolChoice").render(),
                "tool_not_offered",
                message,
                hint,
            ));
        }
    }
}

/// Which calls of workflows may be inside each other: no run may go on into itself, or deeper than it has room for.
pub(super) fn check_calls(document: &Document, problems: &mut Problems) {
    let calls = Calls::of(document);
    let at = |name: &str| Path::ROOT.key("tools").key(name).key("run").key("workflow").render();
    if let Some([first, others @ ..]) = calls.circle.as_deref() {
        let way: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
        let through = if way.is_empty() { String::new() } else { format!(" through {}", way.join(" and ")) };
        let message =
            format!("an agent in the steps of the tool `{first}` may call that tool again{through}");
        let hint =
            format!("have these steps ask an agent without the tool `{}`", others.first().unwrap_or(first));
        problems.push(Problem::error(at(first), "circle", message, hint));
        return;
    }
    let beyond = |name: &&String| calls.depth(name).is_some_and(|depth| depth.calls == MAX_TOOL_DEPTH + 1);
    for name in document.tools.keys().filter(beyond) {
        let message = format!(
            "from the tool `{name}` on, tools that are workflows call each other {} levels deep",
            MAX_TOOL_DEPTH + 1
        );
        let hint =
            format!("{MAX_TOOL_DEPTH} levels are the limit; put the steps of one tool into those of another");
        problems.push(Problem::error(at(name), "limit", message, hint));
    }
    if calls.levels() > MAX_STEP_DEPTH {
        let message = format!(
            "with the steps of the tools that are called in them, steps are nested {} levels deep",
            calls.levels()
        );
        let hint = format!("{MAX_STEP_DEPTH} levels are the limit; flatten the steps, or those of the tools");
        problems.push(Problem::error("steps", "limit", message, hint));
    }
}

/// Whether all providers take a tool of this name.
fn may_be_called(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let rest = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    begins && name.len() <= 64 && name.chars().all(rest)
}

fn out_of_reach(id: &str, agent: &Agent) -> Option<String> {
    match agent.tool_choice.as_ref()? {
        ToolChoice::Required if agent.tools.is_empty() => {
            Some(format!("the agent `{id}` has to call a tool and has none"))
        }
        ToolChoice::Named(tool) if !agent.tools.contains(tool) => {
            Some(format!("the agent `{id}` has to call `{tool}`, which is none of its tools"))
        }
        _ => None,
    }
}
