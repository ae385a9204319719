//! Which tools an agent may call, and which it has to.

use super::path::Path;
use crate::document::{Agent, Document, ToolChoice};
use crate::problem::Problem;

/// What no endpoint would answer to: the same tool offered twice, or a call asked for that is not offered.
pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for (id, agent) in &document.agents {
        let place = Path::ROOT.key("agents").key(id);
        for (index, tool) in agent.tools.iter().enumerate() {
            if agent.tools.iter().take(index).any(|other| other == tool) {
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
