//! Names that templates and expressions read and nothing has given before, or not in every run.
//!
//! A walk over the steps in their order keeps what the state can have. What a function of the host or code gives is not
//! known, and neither is what a run that declares nothing begins with: nothing is said of what may come from there.

use std::cell::Cell;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::answers::Answers;
use super::known::{All, Branch, Certainty, Openness, Scene};
use super::place::Place;
use super::wording::shortened;
use super::{code, http};
use crate::document::{
    Approval, Check, Document, HttpRequest, Inner, OnError, Repeat, Run, Source, Step, StepKind, ToolRun,
    Wait,
};
use crate::language::renaming::Form;
use crate::language::{Access, BareKey, Expression, Need, Read, Span, Template};
use crate::letters;
use crate::problem::{Fix, Problem, Problems};
use crate::shape::{Suggestions, listed};
use crate::state::{output_key, step_of_output_key};

/// Longer names are not listed: thousands of problems may list the same.
const LONGEST_LISTED: usize = 100;

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

    fn text(
        &mut self,
        place: Place<'_>,
        reads: &[Read<'_>],
        dashed: &[Span],
        bare: &[BareKey],
        scene: &Scene,
    ) {
        let Place { text, path, .. } = place;
        let (mut reported_keys, mut reported_outputs) = (IndexSet::new(), IndexSet::new());
        let mut meant: Vec<Span> = Vec::new();
        for &word in dashed {
            if let Some((instead, what)) = self.all.dashed(text, word) {
                meant.push(word);
                let name = word.of(text);
                let message = format!("`{name}` is read as a subtraction, and not as {what}");
                let problem = Problem::warning(path, "dash_in_name", message, format!("write {instead}"));
                let fix = self.mended(place.text, || place.instead(word, &instead));
                self.problems.push(problem.with_fix(fix));
            }
        }
        let is_meant = |bare: &&BareKey| {
            let key = bare.key.of(text);
            !scene.has_key(key) || key == bare.value.of(text)
        };
        let meant_so: IndexSet<u32> = bare.iter().filter(is_meant).map(|bare| bare.key.start).collect();
        let is_bare = |span: &Span| meant_so.contains(&span.start);
        let bare: Vec<Span> = reads.iter().map(|read| read.span).filter(is_bare).collect();
        if let Some(first) = bare.first() {
            let key = first.of(text);
            let message = format!("`{key}` before a colon is read as a name, and its value is the key");
            let hint = format!("write `'{key}'` for a key that is called so, and `({key})` for the value");
            let problem = Problem::warning(path, "bare_key", message, hint);
            let fix = self.mended(text, || place.quoted(&bare));
            self.problems.push(problem.with_fix(fix));
        }
        let uncertain: Vec<(&Read<'_>, Need)> = reads
            .iter()
            .filter(|read| is_uncertain(read, scene))
            .map(|read| (read, place.need(read)))
            .collect();
        for read in reads.iter().filter(|read| !read.has_fallback) {
            let before = meant.partition_point(|word| word.start <= read.span.start);
            let is_part =
                meant.get(..before).and_then(<[_]>::last).is_some_and(|word| read.span.end <= word.end);
            let (name, reported) = match read.access {
                Access::Key(key) if key != "loop" => (key, &mut reported_keys),
                Access::Output(step) if !scene.has_key("steps") => (step, &mut reported_outputs),
                _ => continue,
            };
            if is_part || reported.contains(name) || is_bare(&read.span) {
                continue;
            }
            let problem = match read.access {
                // What ends one of them ends all of them: nobody wants only half of a text mended.
                _ if is_uncertain(read, scene) => {
                    let fix = self.mended(place.text, || place.fallbacks(&uncertain));
                    Some(uncertain_name(place, read, scene).with_fix(fix))
                }
                Access::Output(_) => self.output(name, place, read, scene),
                _ => self.key(name, place, read, scene),
            };
            if let Some(problem) = problem {
                reported.insert(name);
                self.problems.push(problem);
            } else if let Some(problem) = self.member(place, read).or_else(|| self.compared(place, read)) {
                self.problems.push(problem);
            }
        }
    }

    /// What is compared with a text that it never is, by its schema.
    fn compared(&mut self, place: Place<'_>, read: &Read<'_>) -> Option<Problem> {
        let (text, span) = read.compared?;
        let values = self.answers.values(read)?;
        if values.iter().any(|value| value == text) {
            return None;
        }
        let texts = || values.iter().filter_map(Value::as_str).filter(|text| text.len() <= LONGEST_LISTED);
        let near = self.suggestions.nearest(text, texts());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", listed(texts().take(12))),
        };
        let plain = near.filter(|near| !near.contains(['\'', '\\', '`']));
        let fix = self.mended(place.text, || place.instead(span, &format!("'{}'", plain?)));
        let message = format!("`{}` is never `{}`", read.path.span.of(place.text), shortened(text));
        Some(Problem::warning(place.path, "unknown_value", message, hint).with_fix(fix))
    }

    /// What is taken of a value whose schema has no such key, or does not require it.
    fn member(&mut self, place: Place<'_>, read: &Read<'_>) -> Option<Problem> {
        let (key, span) = read.member.filter(|_| !read.is_caught)?;
        let what = self.answers.shape(read)?;
        let value = read.value.of(place.text);
        if !what.has(key) {
            let near = self.suggestions.nearest(key, what.keys());
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if what.is_closed() => {
                    format!("it has {}", listed(what.keys().take(12)).replace(" or ", " and "))
                }
                None => return None,
            };
            let fix = self.mended(place.text, || near.and_then(|near| place.named(key, span, near)));
            let message = format!("the schema of `{value}` has no `{key}`");
            return Some(Problem::warning(place.path, "unknown_member", message, hint).with_fix(fix));
        }
        if read.is_conditional || !what.may_lack(key) {
            return None;
        }
        let message = format!("`{value}.{key}` is not there in every run: its schema does not require it");
        let hint = format!("write {}", place.defaulted_member(read));
        let fix = self.mended(place.text, || place.member_fallback(read));
        Some(Problem::warning(place.path, "uncertain_member", message, hint).with_fix(fix))
    }

    fn key(&mut self, key: &str, place: Place<'_>, read: &Read<'_>, scene: &Scene) -> Option<Problem> {
        let path = place.path;
        if scene.key(key).is_some() {
            return None;
        }
        let near = self.nearest(key, scene);
        if !self.is_reported(key, near, scene) {
            return None;
        }
        // What reads an answer of a step that was renamed means the only answer that there is.
        let only_answer = || {
            let mut answers =
                scene.keys().filter(|key| step_of_output_key(key).is_some_and(|step| step != self.own));
            let is_answer = step_of_output_key(key).is_some();
            answers.next().filter(|_| is_answer && answers.next().is_none())
        };
        let near = near.or_else(only_answer).filter(|_| !self.all.has_key(key));
        let fix = self.mended(place.text, || {
            near.and_then(|near| place.called(read, near)).or_else(|| place.fallback(read))
        });
        Some(
            match near {
                Some(near) => nothing_gives(key, path, format!("did you mean `{near}`?")),
                None => self.not_given(key, path, scene, place.defaulted(read).trim_matches('`')),
            }
            .with_fix(fix),
        )
    }

    /// What a key may mean that nothing gives.
    fn nearest<'s>(&mut self, key: &str, scene: &'s Scene) -> Option<&'s str> {
        let own = output_key(&self.own);
        self.suggestions.nearest(key, scene.keys().filter(|name| **name != own))
    }

    /// Whether it is told that nothing gives a key here, or only what comes later.
    fn is_reported(&self, key: &str, near: Option<&str>, scene: &Scene) -> bool {
        let is_later = self.all.has_key(key);
        let is_answer = step_of_output_key(key).is_some();
        match scene.openness {
            Openness::Closed => true,
            Openness::Lenient => near.is_some() || is_later || is_answer,
            // Answers come from steps alone.
            Openness::Open => is_answer && (near.and_then(step_of_output_key).is_some() || is_later),
        }
    }

    /// What is said of a key that is not there, and what may be written instead of it.
    fn not_given(&self, key: &str, path: &str, scene: &Scene, instead: &str) -> Problem {
        let fallback = format!("give it in `initialState` or `input`, or write `{instead}`");
        if self.all.has_key(key) {
            let message = format!("`{key}` is not there yet: only later steps or other ways give it");
            return Problem::warning(path, "unknown_name", message, fallback);
        }
        let hint = match scene.keys().next() {
            None => format!("the state is empty here; {fallback}"),
            Some(_) => format!(
                "there is {}; {fallback}",
                listed(scene.keys().filter(|key| key.len() < LONGEST_LISTED).take(12))
                    .replace(" or ", " and "),
            ),
        };
        nothing_gives(key, path, hint)
    }

    fn fallback(&self, place: Place<'_>, read: &Read<'_>) -> Option<Fix> {
        self.mended(place.text, || place.fallback(read))
    }

    fn mended(&self, text: &str, mend: impl FnOnce() -> Option<Fix>) -> Option<Fix> {
        self.mendable.set(self.mendable.get().checked_sub(text.len())?);
        mend()
    }

    fn output(&mut self, step: &str, place: Place<'_>, read: &Read<'_>, scene: &Scene) -> Option<Problem> {
        let path = place.path;
        if scene.output(step).is_some() {
            return None;
        }
        if self.all.has_step(step) {
            let message = format!("the step `{step}` has not run yet where its output is read");
            let hint = format!("move it up, or write {}", place.defaulted(read));
            let problem = Problem::warning(path, "unknown_step", message, hint);
            return Some(problem.with_fix(self.fallback(place, read)));
        }
        let others = self.all.steps().filter(|name| *name != self.own);
        let near = self.suggestions.nearest(step, others);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use {}", listed(self.all.steps().take(12))),
        };
        let problem = Problem::warning(path, "unknown_step", format!("there is no step `{step}`"), hint);
        let fix = self.mended(place.text, || place.called(read, near?));
        Some(problem.with_fix(fix))
    }
}

/// Whether what gives this may be left out, and nothing in the text says what holds then.
fn is_uncertain(read: &Read<'_>, scene: &Scene) -> bool {
    let is_open = matches!(read.access, Access::Key(_)) && scene.openness == Openness::Open;
    certainty_of(read, scene).is_some_and(|certainty| certainty != Certainty::Sure)
        && !is_open
        && !read.has_fallback
        && !read.is_conditional
}

fn certainty_of(read: &Read<'_>, scene: &Scene) -> Option<Certainty> {
    match read.access {
        Access::Key(key) if key != "loop" => scene.key(key),
        Access::Output(step) if !scene.has_key("steps") => scene.output(step),
        _ => None,
    }
}

fn uncertain_name(place: Place<'_>, read: &Read<'_>, scene: &Scene) -> Problem {
    let name = read.value.of(place.text);
    let is_later = certainty_of(read, scene) == Some(Certainty::Later);
    let why = match is_later {
        true => "has no value in the first round: what gives it comes later",
        false => "is not there in every run: what gives it may be left out",
    };
    let hint = match read.access {
        Access::Key(_) if is_later => fallback(place, read),
        _ => format!("write {}, or test it with `is defined`", place.defaulted(read)),
    };
    Problem::warning(place.path, "uncertain_name", format!("`{name}` {why}"), hint)
}

fn nothing_gives(key: &str, path: &str, hint: String) -> Problem {
    Problem::warning(path, "unknown_name", format!("nothing gives `{key}` before this"), hint)
}

fn fallback(place: Place<'_>, read: &Read<'_>) -> String {
    format!("give it in `initialState` or `input`, or write {}", place.defaulted(read))
}
