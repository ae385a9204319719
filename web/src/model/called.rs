//! What a document calls by name: functions that only the program around it has.

use indexmap::IndexSet;
use stepweave_core::document::{
    Approval, Check, Document, HandlerRef, NeedsApproval, Provider, Repeat, Run, Source, Step, StepKind,
    ToolRun, every_of,
};

/// The names of the functions of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Called by steps, conditions, checks and tools that name them.
    pub handlers: IndexSet<String>,
    /// Tools that are functions under their own name.
    pub tools: IndexSet<String>,
    /// Models that are functions.
    pub models: IndexSet<String>,
}

/// Whether a document has JavaScript of its own, in a step or a tool.
pub fn runs_code(document: &Document) -> bool {
    every_of(document).any(|step| matches!(step.kind, StepKind::Function(Run::Code(_))))
        || document.tools.values().any(|tool| matches!(tool.run, Some(ToolRun::Code(_))))
}

impl Called {
    /// Those of a document.
    pub fn by(document: &Document) -> Self {
        let mut called = Self::default();
        called.check(document.input.as_ref());
        called.check(document.output.as_ref());
        for model in document.models.values().filter(|model| model.provider == Provider::Custom) {
            called.models.insert(model.handler.as_ref().unwrap_or(&model.model).clone());
        }
        for agent in document.agents.values() {
            called.check(agent.output.as_ref());
        }
        for (name, tool) in &document.tools {
            match &tool.run {
                None => drop(called.tools.insert(name.clone())),
                Some(ToolRun::Handler(handler)) => called.handler(handler),
                Some(_) => {}
            }
            called.check(tool.input.as_ref());
            if let Some(NeedsApproval::Decided(handler)) = &tool.needs_approval {
                called.handler(handler);
            }
        }
        every_of(document).for_each(|step| called.step(step));
        // People look for names, wherever they are called.
        called.handlers.sort();
        called
    }

    /// Whether the document calls nothing.
    pub fn is_empty(&self) -> bool {
        self.handlers.is_empty() && self.tools.is_empty() && self.models.is_empty()
    }

    fn step(&mut self, step: &Step) {
        self.check(step.input.as_ref());
        self.check(step.output.as_ref());
        match &step.kind {
            StepKind::Agent(call) => {
                self.source(call.input_from.as_ref());
                self.source(call.files.as_ref());
            }
            StepKind::Function(Run::Handler(handler)) => self.handler(handler),
            StepKind::Condition(branch) => self.source(Some(&branch.condition)),
            StepKind::Switch(switch) => switch.cases.iter().for_each(|case| self.source(Some(&case.when))),
            StepKind::Foreach(each) => self.source(Some(&each.items)),
            StepKind::Loop(round) => match &round.repeat {
                Repeat::While(source) | Repeat::Until(source) => self.source(Some(source)),
            },
            StepKind::Approval(Approval { schema, approved, .. }) => {
                self.check(schema.as_ref());
                self.source(approved.as_ref());
            }
            StepKind::Function(_)
            | StepKind::Http(_)
            | StepKind::Parallel(_)
            | StepKind::Sequence(_)
            | StepKind::Workflow(_)
            | StepKind::Wait(_)
            | StepKind::End(_) => {}
        }
    }

    fn check(&mut self, check: Option<&Check>) {
        match check {
            Some(Check::Handler(handler)) => self.handler(handler),
            Some(Check::Described { handler, .. }) => drop(self.handlers.insert(handler.clone())),
            Some(Check::Schema(_)) | None => {}
        }
    }

    fn source(&mut self, source: Option<&Source>) {
        if let Some(Source::Handler(handler)) = source {
            self.handler(handler);
        }
    }

    fn handler(&mut self, handler: &HandlerRef) {
        self.handlers.insert(handler.handler.clone());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_place_is_looked_at_where_a_document_names_a_function() {
        let by = |name: &str| json!({ "handler": name });
        let document = json!({ "version": 1, "name": "t", "input": by("a"), "output": { "handler": "b", "schema": {} },
            "models": { "own": { "provider": "custom", "model": "parrot" }, "other": { "provider": "custom", "model": "m", "handler": "raven" } },
            "agents": { "x": { "model": "own", "output": by("c") } },
            "tools": { "bare": { "description": "d" }, "named": { "description": "d", "run": by("d"), "input": by("e"), "needsApproval": by("f") },
                "flow": { "description": "d", "run": { "workflow": { "steps": [{ "id": "t1", "type": "function", "name": "t1", "run": by("g") }] } } } },
            "steps": [
                { "id": "s1", "type": "agent", "name": "s1", "agent": "x", "inputFrom": by("h"), "files": by("i"), "input": by("j") },
                { "id": "s2", "type": "condition", "name": "s2", "condition": by("k"), "steps": [], "else": [
                    { "id": "s3", "type": "switch", "name": "s3", "cases": [{ "when": by("l"), "steps": [] }], "default": [] } ] },
                { "id": "s4", "type": "foreach", "name": "s4", "items": by("m"), "steps": [
                    { "id": "s5", "type": "loop", "name": "s5", "repeat": { "while": by("n") }, "maxIterations": 2, "steps": [] } ] },
                { "id": "s6", "type": "loop", "name": "s6", "repeat": { "until": by("n") }, "maxIterations": 2, "steps": [] },
                { "id": "s7", "type": "approval", "name": "s7", "schema": by("o"), "approved": by("p"), "steps": [], "else": [] },
                { "id": "s8", "type": "function", "name": "s8", "run": { "set": { "handler": "'q'" } }, "output": by("r") },
                { "id": "s9", "type": "function", "name": "s9", "run": { "code": "return { handler: 'z' };" } }
            ] });
        let called = Called::by(&serde_json::from_value(document).unwrap());
        let names = |set: &IndexSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&called.handlers), "a b c d e f g h i j k l m n o p r");
        assert_eq!((names(&called.tools), names(&called.models)), ("bare".into(), "parrot raven".into()));
        assert!(Called::by(&Document::new("t")).is_empty());
    }
}
