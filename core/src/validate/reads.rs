//! Names that templates and expressions read and nothing has given before, or not in every run.
//!
//! A walk over the steps in their order keeps what the state can have. What a function of the host or code gives is not
//! known, and neither is what a run that declares nothing begins with: nothing is said of what may come from there.

use super::answers::Answers;
use super::known::{All, Branch, Certainty, Openness, Scene};
use super::place::Place;
use super::{code, http};
use crate::document::{
    Approval, Check, Document, HttpRequest, Inner, OnError, Repeat, Run, Source, Step, StepKind, ToolRun,
    Wait,
};
use crate::language::renaming::Form;
use crate::language::{Expression, Template};
use crate::letters;
use crate::problem::{Fix, Problems};
use crate::shape::Suggestions;
use crate::state::{output_key, step_of_output_key};
use indexmap::{IndexMap, IndexSet};
use serde_json::Value;
use std::cell::Cell;

use names::nothing_gives;

mod names;

/// A fix holds all of its text, which is read again with it: thousands of them for one long text would take minutes and
/// hundreds of megabytes.
const MENDABLE: usize = 2_000_000;

pub(super) fn check(document: &Document, problems: &mut Problems) {
    let all = All::of(document);
    let mut reader = Reader {
        document,
        all,
        answers: Answers::of(document),
        suggestions: Suggestions::default(),
        mendable: Cell::new(MENDABLE),
        own: String::new(),
        problems,
    };
    let mut scene = beginning(document);
    reader.block(&document.steps, "steps", &mut scene);
    for (name, tool) in &document.tools {
        // The arguments of a call are all that its request or its steps see.
        let mut arguments = Scene::default();
        declared(tool.input.as_ref(), &mut arguments);
        match &tool.run {
            Some(ToolRun::Http(request)) => {
                reader.request(request, &format!("tools.{name}.run.http"), &arguments);
            }
            Some(ToolRun::Workflow(inner)) => {
                reader.inside(inner, &format!("tools.{name}.run.workflow"), &mut arguments);
            }
            Some(ToolRun::Code(code)) => {
                reader.code(code, &format!("tools.{name}.run.code"), &arguments);
            }
            _ => {}
        }
    }
}

/// What a run begins with.
fn beginning(document: &Document) -> Scene {
    let mut scene = Scene::default();
    declared(document.input.as_ref(), &mut scene);
    if document.input.is_none() && !document.initial_state.is_empty() {
        scene.openness = Openness::Lenient;
    }
    document.initial_state.keys().for_each(|key| scene.give(key, Certainty::Sure));
    scene
}

/// What a schema says that there is.
fn declared(input: Option<&Check>, scene: &mut Scene) {
    scene.openness = match input {
        None => Openness::Open,
        Some(Check::Schema(schema)) => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => {
                let required = schema.get("required").and_then(Value::as_array);
                let required: IndexSet<&str> =
                    required.into_iter().flatten().filter_map(Value::as_str).collect();
                for key in properties.keys() {
                    let is_required = required.contains(key.as_str());
                    scene.give(key, if is_required { Certainty::Sure } else { Certainty::Maybe });
                }
                Openness::Closed
            }
            None => Openness::Open,
        },
        // What a function checks it may change.
        Some(_) => Openness::Open,
    };
}

struct Reader<'d, 'p> {
    document: &'d Document,
    all: All<'d>,
    answers: Answers<'d>,
    suggestions: Suggestions,
    /// How many bytes of texts may still be read again, to see what a fix makes of them.
    mendable: Cell<usize>,
    /// The name of the step that is walked through, which can mean no answer of its own.
    own: String,
    problems: &'p mut Problems,
}

impl Reader<'_, '_> {
    fn block(&mut self, steps: &[Step], path: &str, scene: &mut Scene) {
        for (index, step) in steps.iter().enumerate() {
            self.step(step, &format!("{path}[{index}]"), scene);
        }
    }

    fn branch(&mut self, steps: &[Step], path: &str, scene: &mut Scene) -> Branch {
        scene.branch(|scene| self.block(steps, path, scene))
    }

    fn step(&mut self, step: &Step, path: &str, scene: &mut Scene) {
        if !step.enabled {
            return;
        }
        if matches!(step.input, Some(Check::Handler(_) | Check::Described { .. })) {
            // A function that checks the state may change what the step sees.
            scene.openness = Openness::Open;
        }
        if !self.may_fail(step) {
            return self.whole(step, path, scene);
        }
        // What it gives is not there when it fails.
        let failed = scene.unchanged();
        let done = scene.branch(|scene| self.whole(step, path, scene));
        scene.one_of(&[done, failed]);
    }

    fn whole(&mut self, step: &Step, path: &str, scene: &mut Scene) {
        let around = std::mem::replace(&mut self.own, step.name.clone());
        self.own(step, path, scene);
        self.own = around;
        scene.give_output(&step.name, Certainty::Sure);
    }

    /// Whether the run goes on when the step fails.
    fn may_fail(&self, step: &Step) -> bool {
        !step.required || step.on_error.or(self.document.on_error) == Some(OnError::Continue)
    }

    fn own(&mut self, step: &Step, path: &str, scene: &mut Scene) {
        let steps_path = format!("{path}.steps");
        match &step.kind {
            StepKind::Agent(call) => {
                if let Some(Source::Text(text)) = &call.input_from {
                    self.template(text, format!("{path}.inputFrom"), scene);
                }
                if let Some(files) = &call.files {
                    self.source(files, format!("{path}.files"), scene);
                }
                if let Some(history) = &call.history {
                    scene.give(&history.key, Certainty::Sure);
                }
                scene.give(&output_key(&step.name), Certainty::Sure);
            }
            StepKind::Function(Run::Set(set)) => self.assigned(set, &format!("{path}.run.set"), scene),
            StepKind::Function(Run::Handler(_)) => scene.openness = Openness::Open,
            StepKind::Function(Run::Code(code)) => {
                self.code(code, &format!("{path}.run.code"), scene);
                scene.openness = Openness::Open;
            }
            StepKind::Http(call) => {
                self.request(&call.http, &format!("{path}.http"), scene);
                scene.give(&output_key(&step.name), Certainty::Sure);
            }
            StepKind::Condition(branch) => {
                self.source(&branch.condition, format!("{path}.condition"), scene);
                let both = [(&branch.steps, steps_path), (&branch.otherwise, format!("{path}.else"))];
                let both = both.map(|(steps, path)| self.branch(steps, &path, scene));
                scene.one_of(&both);
            }
            StepKind::Switch(switch) => {
                let mut cases = vec![self.branch(&switch.default, &format!("{path}.default"), scene)];
                for (index, case) in switch.cases.iter().enumerate() {
                    let path = format!("{path}.cases[{index}]");
                    self.source(&case.when, format!("{path}.when"), scene);
                    cases.push(self.branch(&case.steps, &format!("{path}.steps"), scene));
                }
                scene.one_of(&cases);
            }
            StepKind::Parallel(fork) => {
                let mut members = Vec::new();
                for (index, member) in fork.members.iter().enumerate() {
                    let path = format!("{path}.parallel[{index}]");
                    members.push(scene.branch(|scene| self.step(member, &path, scene)));
                }
                scene.all_of(&members);
            }
            StepKind::Sequence(steps) => self.block(steps, &steps_path, scene),
            StepKind::Foreach(each) => {
                self.source(&each.items, format!("{path}.items"), scene);
                scene.apart(|scene| {
                    scene.give(&each.item, Certainty::Sure);
                    scene.give(&format!("{}_index", each.item), Certainty::Sure);
                    self.block(&each.steps, &steps_path, scene);
                    if let Some(result) = &each.result {
                        self.expression(result, format!("{path}.result"), scene);
                    }
                });
                scene.give(&output_key(&step.name), Certainty::Sure);
            }
            StepKind::Loop(repeated) => scene.repeated(&repeated.steps, |scene| {
                if let Repeat::While(condition) = &repeated.repeat {
                    self.source(condition, format!("{path}.repeat.while"), scene);
                }
                let mut rounds = |scene: &mut Scene| {
                    self.block(&repeated.steps, &steps_path, scene);
                    // What ends in there may be a round.
                    scene.is_over = false;
                };
                match &repeated.repeat {
                    Repeat::While(_) => {
                        let none = scene.unchanged();
                        let some = scene.branch(rounds);
                        scene.one_of(&[none, some]);
                    }
                    Repeat::Until(condition) => {
                        rounds(scene);
                        self.source(condition, format!("{path}.repeat.until"), scene);
                    }
                }
            }),
            StepKind::Workflow(inner) => {
                self.inside(inner, path, scene);
                match &inner.set {
                    Some(set) => set.keys().for_each(|key| scene.give(key, Certainty::Sure)),
                    None => scene.give(&output_key(&step.name), Certainty::Sure),
                }
            }
            StepKind::Wait(Wait::Until(time)) => self.expression(time, format!("{path}.wait.until"), scene),
            StepKind::Wait(Wait::Ms(_)) => {}
            StepKind::End(exit) => {
                if let Some(message) = &exit.message {
                    self.template(message, format!("{path}.end.message"), scene);
                }
                scene.is_over = true;
            }
            StepKind::Approval(approval) => {
                if let Some(message) = &approval.message {
                    self.template(message, format!("{path}.message"), scene);
                }
                scene.give(&output_key(&step.name), Certainty::Sure);
                self.ways(step, approval, path, scene);
            }
        }
    }

    fn ways(&mut self, step: &Step, approval: &Approval, path: &str, scene: &mut Scene) {
        if let Some(approved) = &approval.approved {
            scene.branch(|scene| {
                scene.give("output", Certainty::Sure);
                self.source(approved, format!("{path}.approved"), scene);
            });
        }
        let decides = approval.steps.is_some() || approval.otherwise.is_some();
        let mut ways = Vec::new();
        for (key, steps) in step.blocks() {
            ways.push(self.branch(steps, &format!("{path}.{key}"), scene));
        }
        // Where only one of yes and no has steps, the other goes on as it is.
        if !decides || approval.steps.is_none() || approval.otherwise.is_none() {
            ways.push(scene.unchanged());
        }
        scene.one_of(&ways);
    }

    /// The steps of a workflow inside, and what it gives.
    fn inside(&mut self, inner: &Inner, path: &str, scene: &mut Scene) {
        let Some(with) = &inner.with else {
            let outputs = scene.take_outputs();
            scene.apart(|scene| self.inner(inner, path, scene));
            return scene.put_outputs_back(outputs);
        };
        let mut own = Scene::default();
        for (key, source) in with {
            self.expression(source, format!("{path}.with.{key}"), scene);
            own.give(key, Certainty::Sure);
        }
        self.inner(inner, path, &mut own);
    }

    fn inner(&mut self, inner: &Inner, path: &str, scene: &mut Scene) {
        inner.initial_state.keys().for_each(|key| scene.give(key, Certainty::Sure));
        self.block(&inner.steps, &format!("{path}.steps"), scene);
        for (key, source) in inner.set.iter().flatten() {
            self.expression(source, format!("{path}.set.{key}"), scene);
        }
    }

    fn request(&mut self, request: &HttpRequest, path: &str, scene: &Scene) {
        http::each_template(request, |key, text| self.template(text, format!("{path}.{key}"), scene));
        for (key, text) in http::files(request) {
            self.expression(text, format!("{path}.{key}"), scene);
        }
        let mut answer = Scene::default();
        ["status", "headers", "body"].into_iter().for_each(|key| answer.give(key, Certainty::Sure));
        for (key, text) in http::of_answer(request) {
            self.expression(text, format!("{path}.{key}"), &answer);
        }
    }

    fn assigned(&mut self, set: &IndexMap<String, String>, path: &str, scene: &mut Scene) {
        for (key, source) in set {
            self.expression(source, format!("{path}.{key}"), scene);
        }
        // Each sees what was there before all of them.
        set.keys().for_each(|key| scene.give(key, Certainty::Sure));
    }

    fn source(&mut self, source: &Source, path: String, scene: &Scene) {
        if let Source::Text(text) = source {
            self.expression(text, path, scene);
        }
    }

    fn expression(&mut self, text: &str, path: String, scene: &Scene) {
        if let Ok(read) = Expression::parse(text) {
            let place = Place { text, form: Form::Expression, path: &path };
            self.text(place, &read.reads(), &read.dashed(), &read.bare_keys(), scene);
        }
    }

    fn template(&mut self, text: &str, path: String, scene: &Scene) {
        if let Ok(read) = Template::parse(text) {
            let place = Place { text, form: Form::Template, path: &path };
            self.text(place, &read.reads(), &read.dashed(), &read.bare_keys(), scene);
        }
    }

    /// JavaScript gets `undefined` for what is not there, which may be what it wants: only what it cannot do without is
    /// told, and what is nearly the name of something.
    fn code(&mut self, text: &str, path: &str, scene: &Scene) {
        let needed = code::needed(text);
        let mut reported = IndexSet::new();
        for at in code::keys(text) {
            let key = text.get(at).unwrap_or_default();
            if scene.has_key(key) || !reported.insert(key) {
                continue;
            }
            let is_needed = needed.contains(key);
            let near = self.nearest(key, scene);
            let Some(near) = near.filter(|near| {
                let answers = [key, near].map(|name| step_of_output_key(name).is_some());
                scene.openness != Openness::Open || answers == [true, true]
            }) else {
                if is_needed && self.is_reported(key, None, scene) {
                    let instead = format!("(state.{key} ?? '')");
                    self.problems.push(self.not_given(key, path, scene, &instead));
                }
                continue;
            };
            let renamed = || Fix { label: format!("write `{near}`"), text: code::renamed(text, key, near) };
            let fix = self.mended(text, || letters::is_name(near).then(renamed));
            self.problems.push(nothing_gives(key, path, format!("did you mean `{near}`?")).with_fix(fix));
        }
    }
}
