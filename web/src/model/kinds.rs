//! The kinds of steps: one row each, from which palette, cards and inspector are made.

use indexmap::IndexMap;
use stepweave_core::document::{AgentCall, Branch, Document, Fork, Run, Source, Step, StepKind};
use stepweave_core::edit::fresh_id;

/// A kind of step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Asks a model.
    Agent,
    /// Computes values.
    Function,
    /// Takes one of two ways.
    Condition,
    /// Runs members at once.
    Parallel,
    /// Groups steps.
    Sequence,
}

impl Kind {
    /// Every kind, in the order of the palette.
    pub const ALL: [Self; 5] = [Self::Agent, Self::Function, Self::Condition, Self::Parallel, Self::Sequence];

    /// The kind of a step.
    pub fn of(step: &Step) -> Self {
        match step.kind {
            StepKind::Agent(_) => Self::Agent,
            StepKind::Function(_) => Self::Function,
            StepKind::Condition(_) => Self::Condition,
            StepKind::Parallel(_) => Self::Parallel,
            StepKind::Sequence(_) => Self::Sequence,
        }
    }

    /// The word in the document, also the name of its colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Function => "function",
            Self::Condition => "condition",
            Self::Parallel => "parallel",
            Self::Sequence => "sequence",
        }
    }

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Agent => "Agent",
            Self::Function => "Function",
            Self::Condition => "Condition",
            Self::Parallel => "Parallel",
            Self::Sequence => "Sequence",
        }
    }

    /// What it is for, in one line.
    pub fn description(self) -> &'static str {
        match self {
            Self::Agent => "Ask a language model",
            Self::Function => "Set values with expressions",
            Self::Condition => "Go one way or the other",
            Self::Parallel => "Run lanes at the same time",
            Self::Sequence => "Group steps into one lane",
        }
    }

    /// Whether steps can be inside.
    pub fn holds_steps(self) -> bool {
        matches!(self, Self::Condition | Self::Parallel | Self::Sequence)
    }

    /// How tall its card is; the same for every step of the kind, so that text never moves the layout.
    pub fn card_height(self) -> f64 {
        match self {
            Self::Agent => 96.0,
            Self::Function | Self::Condition => 80.0,
            Self::Parallel | Self::Sequence => 46.0,
        }
    }

    /// A new step of the kind, ready to run, with an id and a name that are free in the document.
    pub fn blank(self, document: &Document) -> Step {
        let kind = match self {
            Self::Agent => StepKind::Agent(AgentCall {
                agent: document
                    .agents
                    .keys()
                    .next()
                    .cloned()
                    .unwrap_or_else(|| super::agents::FIRST.to_owned()),
                input_from: None,
            }),
            Self::Function => StepKind::Function(Run::Set(IndexMap::new())),
            Self::Condition => StepKind::Condition(Branch {
                condition: Source::Text("true".to_owned()),
                steps: Vec::new(),
                otherwise: Vec::new(),
            }),
            Self::Parallel => StepKind::Parallel(Fork::default()),
            Self::Sequence => StepKind::Sequence(Vec::new()),
        };
        Step::new(fresh_id(document), free_name(document, self.word()), kind)
    }
}

/// `base`, or `base_2`, `base_3`, …: a name that no step has. Underscores keep it usable in expressions.
pub fn free_name(document: &Document, base: &str) -> String {
    let mut names = std::collections::HashSet::new();
    let mut open: Vec<&Step> = document.steps.iter().collect();
    while let Some(step) = open.pop() {
        names.insert(step.name.as_str());
        open.extend(step.blocks().flat_map(|(_, steps)| steps));
    }
    let numbered = (2_usize..).map(|number| format!("{base}_{number}"));
    let mut candidates = std::iter::once(base.to_owned()).chain(numbered);
    candidates.find(|name| !names.contains(name.as_str())).unwrap_or_else(|| base.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_steps_get_free_ids_and_names() {
        let mut document = Document::new("test");
        for expected in [("s1", "agent"), ("s2", "agent_2"), ("s3", "agent_3")] {
            let step = Kind::Agent.blank(&document);
            assert_eq!((step.id.as_str(), step.name.as_str()), expected);
            document.steps.push(step);
        }
    }
}
