//! The kinds of steps: one row each, from which palette, cards and inspector are made.

use indexmap::IndexMap;
use serde_json::json;
use stepweave_core::document::{
    AgentCall, Approval, Branch, Case, Check, DEFAULT_ITEM, Document, Exit, Foreach, Fork, HttpCall,
    HttpRequest, Inner, Loop, OnItemError, OnMax, Repeat, Run, Source, Step, StepKind, Switch, Wait, every,
};
use stepweave_core::edit::fresh_id;

use super::free::free;

/// A kind of step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Runs an agent.
    Agent,
    /// Computes values.
    Function,
    /// Sends a request.
    Http,
    /// Takes one of two ways.
    Condition,
    /// Runs members at once.
    Parallel,
    /// Takes one of several ways.
    Switch,
    /// Runs steps for each item of a list.
    Foreach,
    /// Runs steps again and again.
    Loop,
    /// Groups steps.
    Sequence,
    /// Runs steps over a separate state.
    Workflow,
    /// Lets time pass.
    Wait,
    /// Waits for a person's answer.
    Approval,
    /// Ends the run, a round or an item.
    End,
}

/// Kinds that stand together where one is picked.
#[derive(Debug, Clone, Copy)]
pub struct KindGroup {
    /// What people call the group.
    pub title: &'static str,
    /// Its kinds.
    pub kinds: &'static [Kind],
}

/// Every kind, those that most workflows are made of first.
pub const KIND_GROUPS: [KindGroup; 3] = [
    KindGroup {
        title: "Steps",
        kinds: &[Kind::Agent, Kind::Http, Kind::Function, Kind::Condition, Kind::Parallel],
    },
    KindGroup {
        title: "Flow",
        kinds: &[Kind::Switch, Kind::Foreach, Kind::Loop, Kind::Sequence, Kind::Workflow, Kind::End],
    },
    KindGroup { title: "Wait", kinds: &[Kind::Wait, Kind::Approval] },
];

impl Kind {
    /// The kind of a step.
    pub fn of(step: &Step) -> Self {
        match step.kind {
            StepKind::Agent(_) => Self::Agent,
            StepKind::Function(_) => Self::Function,
            StepKind::Http(_) => Self::Http,
            StepKind::Condition(_) => Self::Condition,
            StepKind::Parallel(_) => Self::Parallel,
            StepKind::Switch(_) => Self::Switch,
            StepKind::Foreach(_) => Self::Foreach,
            StepKind::Loop(_) => Self::Loop,
            StepKind::Sequence(_) => Self::Sequence,
            StepKind::Workflow(_) => Self::Workflow,
            StepKind::Wait(_) => Self::Wait,
            StepKind::Approval(_) => Self::Approval,
            StepKind::End(_) => Self::End,
        }
    }

    /// The word in the document, also the name of its colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Function => "function",
            Self::Http => "http",
            Self::Condition => "condition",
            Self::Parallel => "parallel",
            Self::Switch => "switch",
            Self::Foreach => "foreach",
            Self::Loop => "loop",
            Self::Sequence => "sequence",
            Self::Workflow => "workflow",
            Self::Wait => "wait",
            Self::Approval => "approval",
            Self::End => "end",
        }
    }

    /// The kind that a document calls by this word.
    pub fn of_word(word: &str) -> Option<Self> {
        KIND_GROUPS.iter().flat_map(|group| group.kinds).find(|kind| kind.word() == word).copied()
    }

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Agent => "Agent",
            Self::Function => "Function",
            Self::Http => "Request",
            Self::Condition => "Condition",
            Self::Parallel => "Parallel",
            Self::Switch => "Switch",
            Self::Foreach => "For each",
            Self::Loop => "Loop",
            Self::Sequence => "Sequence",
            Self::Workflow => "Sub-workflow",
            Self::Wait => "Wait",
            Self::Approval => "Approval",
            Self::End => "End",
        }
    }

    /// What it is for, in one line.
    pub fn description(self) -> &'static str {
        match self {
            Self::Agent => "Ask a language model",
            Self::Function => "Set values, or run code",
            Self::Http => "Call a web address",
            Self::Condition => "Go one way or the other",
            Self::Parallel => "Run lanes at the same time",
            Self::Switch => "Take the first case that is true",
            Self::Foreach => "Repeat for every item of a list",
            Self::Loop => "Repeat while or until something is true",
            Self::Sequence => "Group steps into one lane",
            Self::Workflow => "Steps with a state of their own",
            Self::Wait => "For a while, or until a time",
            Self::Approval => "For a person's answer",
            Self::End => "Stop here: the run, a round or an item",
        }
    }

    /// Whether such a step is there for the steps inside.
    pub fn is_container(self) -> bool {
        match self {
            Self::Agent | Self::Function | Self::Http | Self::Wait | Self::Approval | Self::End => false,
            Self::Condition
            | Self::Parallel
            | Self::Switch
            | Self::Foreach
            | Self::Loop
            | Self::Sequence
            | Self::Workflow => true,
        }
    }

    /// Whether the steps inside may run many times.
    pub fn repeats(self) -> bool {
        matches!(self, Self::Foreach | Self::Loop)
    }

    /// How tall its card is; the same for every step of the kind, so that text never moves the layout.
    pub fn card_height(self) -> f64 {
        match self {
            Self::Agent => 86.0,
            low if low.is_low() => 36.0,
            _ => 70.0,
        }
    }

    /// Whether its card has one line only.
    pub fn is_low(self) -> bool {
        matches!(self, Self::Parallel | Self::Switch | Self::Sequence)
    }

    /// A new step of the kind, ready to run, with an id and a name that are free in the document.
    pub fn blank(self, document: &Document) -> Step {
        // Of a request the document says by what it is sent, which is no name for what it does.
        self.called(document, if self == Self::Http { "request" } else { self.word() })
    }

    /// The same with another name, or one that begins with it.
    pub fn called(self, document: &Document, name: &str) -> Step {
        let name = free_name(document, name);
        let content = self.content(document, &name);
        Step::new(fresh_id(document), name, content)
    }

    fn content(self, document: &Document, name: &str) -> StepKind {
        let text = |text: &str| Source::Text(text.to_owned());
        match self {
            Self::Agent => {
                let agent = super::agents::free_id(document, name);
                StepKind::Agent(AgentCall { agent, ..AgentCall::default() })
            }
            Self::Function => StepKind::Function(Run::Set(IndexMap::new())),
            Self::Http => {
                let http = HttpRequest::to("https://api.example.com/");
                StepKind::Http(Box::new(HttpCall { http, ..HttpCall::default() }))
            }
            Self::Condition => StepKind::Condition(Branch {
                condition: text("true"),
                steps: Vec::new(),
                otherwise: Vec::new(),
            }),
            Self::Parallel => StepKind::Parallel(Fork::default()),
            Self::Switch => StepKind::Switch(Switch { cases: vec![untouched_case()], default: Vec::new() }),
            Self::Foreach => StepKind::Foreach(Foreach {
                items: text("[1, 2, 3]"),
                item: DEFAULT_ITEM.to_owned(),
                steps: Vec::new(),
                result: None,
                concurrency: 1,
                on_item_error: OnItemError::default(),
            }),
            Self::Loop => StepKind::Loop(Loop {
                repeat: Repeat::Until(text("true")),
                max_iterations: 10,
                on_max: OnMax::default(),
                steps: Vec::new(),
            }),
            Self::Sequence => StepKind::Sequence(Vec::new()),
            Self::Workflow => StepKind::Workflow(Inner::default()),
            Self::Wait => StepKind::Wait(Wait::Ms(1000)),
            Self::End => StepKind::End(Exit::default()),
            Self::Approval => {
                let answer = json!({
                    "type": "object",
                    "properties": { "approved": { "type": "boolean" }, "comment": { "type": "string" } },
                    "required": ["approved"]
                });
                StepKind::Approval(Approval {
                    message: Some("May this go on?".to_owned()),
                    schema: Some(Check::Schema(answer)),
                    steps: Some(Vec::new()),
                    otherwise: Some(Vec::new()),
                    ..Approval::default()
                })
            }
        }
    }
}

/// The case that a new switch has.
pub fn untouched_case() -> Case {
    Case { name: None, when: Source::Text("true".to_owned()), steps: Vec::new() }
}

/// Whether steps can be inside: an approval has ways only where its document says so.
pub fn holds_steps(step: &Step) -> bool {
    !step.blocks().is_empty()
}

/// `base`, or `base` with a number: a name that no step has.
pub fn free_name(document: &Document, base: &str) -> String {
    let names: std::collections::HashSet<&str> =
        every(&document.steps).map(|step| step.name.as_str()).collect();
    free(base, &|name| names.contains(name))
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

    #[test]
    fn a_new_agent_step_has_an_agent_of_its_own_named_after_it() {
        let mut document = Document::new("test");
        crate::step::agents::add(&mut document, "agent".to_owned());
        for expected in [("agent", "agent_2"), ("agent_2", "agent_2_2")] {
            let step = Kind::Agent.blank(&document);
            let StepKind::Agent(call) = &step.kind else { panic!("it is an agent step") };
            assert_eq!((step.name.as_str(), call.agent.as_str()), expected);
            crate::step::agents::add(&mut document, call.agent.clone());
            document.steps.push(step);
        }
    }

    #[test]
    fn every_new_step_is_sound() {
        for kind in KIND_GROUPS.iter().flat_map(|group| group.kinds) {
            let mut document = Document::new("test");
            let step = kind.blank(&document);
            if let StepKind::Agent(call) = &step.kind {
                crate::step::agents::add(&mut document, call.agent.clone());
            }
            document.steps.push(step);
            let text = serde_json::to_string(&document).unwrap();
            let report = stepweave_core::validate::check_structure(&text);
            assert_eq!(report.problems, [], "{kind:?}");
            assert_eq!(report.document, Some(document), "{kind:?}");
        }
    }
}
