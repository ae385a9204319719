//! The conversations that agent steps keep, and agents that sum them up.

use crate::document::{AgentCall, Document, Step, StepKind};
use crate::problem::{Problem, Problems};
use crate::state::output_key;

/// A question and its answer, and beside them the two messages that a summary is.
const LEAST_MESSAGES: u32 = 4;

/// Whoever sums up is given a text and answers with one: tools and a schema would have no effect. And the messages that
/// are kept need room for the summary.
pub(super) fn check(document: &Document, problems: &mut Problems) {
    let mut open: Vec<(String, &Vec<Step>)> = document.blocks();
    while let Some((block, steps)) = open.pop() {
        for (index, step) in steps.iter().enumerate() {
            let path = format!("{block}[{index}]");
            if let StepKind::Agent(call) = &step.kind {
                check_call(document, step, call, &path, problems);
            }
            open.extend(step.blocks().into_iter().map(|(key, steps)| (format!("{path}.{key}"), steps)));
        }
    }
}

fn check_call(document: &Document, step: &Step, call: &AgentCall, path: &str, problems: &mut Problems) {
    let Some(history) = &call.history else { return };
    let mut error = |key: &str, code: &'static str, message: String, hint: &str| {
        problems.push(Problem::error(format!("{path}.history.{key}"), code, message, hint));
    };
    if history.key == output_key(&step.name) {
        let message = format!("`{}` keeps its conversation under the key of its answer", step.name);
        error(
            "key",
            "write_conflict",
            message,
            "name another key: the answer would replace the conversation",
        );
    }
    let Some(name) = &history.summary else { return };
    if let Some(agent) = document.agents.get(name) {
        let what = if agent.tools.is_empty() {
            agent.output.as_ref().map(|_| "an output schema")
        } else {
            Some("tools")
        };
        if let Some(what) = what {
            let message =
                format!("the agent `{name}` sums up the conversation of `{}`, but has {what}", step.name);
            error("summary", "summary", message, "name an agent that answers with a text and calls no tools");
        }
    }
    if history.max_messages.is_some_and(|most| most < LEAST_MESSAGES) {
        let message = format!("the conversation of `{}` keeps too few messages for a summary", step.name);
        error(
            "maxMessages",
            "summary",
            message,
            "keep 4 or more: a summary is two messages, a question and its answer are two",
        );
    }
}
