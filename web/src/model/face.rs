//! What a card says about its step.

use stepweave_core::document::{Document, Run, Source, Step, StepKind};
use stepweave_core::edit::find;

/// What a card says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Face {
    /// The step's name.
    pub name: String,
    /// One line on what it does.
    pub summary: String,
    /// Whether the line is code.
    pub code: bool,
    /// What an agent is asked, in short.
    pub detail: String,
    /// Whether a failure lets the run go on.
    pub optional: bool,
}

impl Face {
    /// The face of a step; nothing when there is no such step.
    pub fn of(document: &Document, id: &str) -> Option<Self> {
        let step = find(document, id)?;
        let (summary, code, detail) = match &step.kind {
            StepKind::Agent(call) => {
                let model =
                    document.agents.get(&call.agent).and_then(|agent| document.models.get(&agent.model));
                let summary = match model {
                    Some(model) => format!("{} · {}", call.agent, model.model),
                    None => call.agent.clone(),
                };
                (summary, false, asked(call.input_from.as_ref()))
            }
            StepKind::Function(run) => (computed(run), true, String::new()),
            StepKind::Condition(branch) => (text(&branch.condition), true, String::new()),
            StepKind::Parallel(fork) => {
                let lanes = counted(fork.members.len(), "lane");
                let at_once = fork.concurrency.map(|many| format!(", {many} at once"));
                (lanes + at_once.as_deref().unwrap_or(""), false, String::new())
            }
            StepKind::Sequence(steps) => (counted(steps.len(), "step"), false, String::new()),
        };
        Some(Self { name: step.name.clone(), summary, code, detail, optional: is_optional(step) })
    }
}

fn is_optional(step: &Step) -> bool {
    !step.required || step.on_error == Some(stepweave_core::document::OnError::Continue)
}

fn asked(input: Option<&Source>) -> String {
    match input {
        None => "Is given the whole state".to_owned(),
        Some(source) => text(source).split_whitespace().take(40).collect::<Vec<_>>().join(" "),
    }
}

fn text(source: &Source) -> String {
    match source {
        Source::Text(text) => text.clone(),
        Source::Handler { handler } => format!("handler {handler}"),
    }
}

fn computed(run: &Run) -> String {
    match run {
        Run::Handler(handler) => format!("handler {handler}"),
        Run::Set(rows) if rows.is_empty() => "sets nothing yet".to_owned(),
        Run::Set(rows) => {
            rows.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ")
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s yet"),
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}
