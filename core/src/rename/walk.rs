//! The walk over all texts of a document, in the scopes in which a run evaluates them.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::code::renamed;
use super::requests::texts_mut;
use super::scope::{
    Place, answering, givers, gives_output, is_of_item, place_of, root_of_key, root_of_outputs,
};
use super::{Named, Use};
use crate::document::{
    Check, Document, HttpRequest, Inner, Repeat, Run, Source, Step, StepKind, ToolRun, Wait,
};
use crate::language::renaming::{Change, Changes, Form, Found, Held};
use crate::state::output_key;

/// What is called otherwise, and where.
#[derive(Debug)]
pub(super) struct Names {
    keys: Vec<Change>,
    keys_in: Place,
    output: Option<(Change, Place)>,
    held: Held,
    /// Whether there are new names, and not only uses to be found.
    is_new: bool,
}

impl Names {
    /// The names of a step or a key; nothing when what reads them may mean something else.
    pub(super) fn of(document: &Document, named: &Named, to: Option<&str>) -> Option<Self> {
        match named {
            Named::Step(id) => {
                let step = document.step(id)?;
                let place = place_of(document, id)?;
                let keys_in = root_of_key(document, &place, &output_key(&step.name));
                let has_namesake = namesakes(document, &keys_in, &step.name) > 1;
                (!has_namesake).then(|| Self::of_step(document, step, &place, to))
            }
            Named::Key { place, key } => {
                let found = givers(document, place, key);
                // What is called as the language calls all keys, all outputs or a repetition is read in other ways too.
                if !found.steps.is_empty() || ["state", "steps", "loop"].contains(&key.as_str()) {
                    return None;
                }
                let keys_in = root_of_key(document, place, key);
                let mut keys = vec![change(key.clone(), to, str::to_owned)];
                if let Place::Inside(id) = &keys_in
                    && let Some(StepKind::Foreach(each)) = document.step(id).map(|step| &step.kind)
                    && each.item == *key
                {
                    keys.push(change(format!("{key}_index"), to, |new| format!("{new}_index")));
                }
                let held = held(document, &keys_in, &keys);
                Some(Self { keys, keys_in, output: None, held, is_new: to.is_some() })
            }
            Named::Agent(_) | Named::Tool(_) | Named::Model(_) => None,
        }
    }

    /// The names of a step and of all its namesakes where it is seen.
    pub(super) fn of_step(document: &Document, step: &Step, place: &Place, to: Option<&str>) -> Self {
        let key = output_key(&step.name);
        let keys_in = root_of_key(document, place, &key);
        let keys: Vec<_> = gives_output(step).then(|| change(key, to, output_key)).into_iter().collect();
        let output = (change(step.name.clone(), to, str::to_owned), root_of_outputs(document, place));
        let held = held(document, &keys_in, &keys);
        Self { keys, keys_in, output: Some(output), held, is_new: to.is_some() }
    }
}

/// What is called otherwise, if there is a new name.
fn change(old: String, to: Option<&str>, new: impl Fn(&str) -> String) -> Change {
    Change { old, new: to.map(new) }
}

/// How many steps have this name where they share a state.
fn namesakes(document: &Document, place: &Place, name: &str) -> usize {
    sharing(document, place).into_iter().filter(|step| step.name == name).count()
}

/// The steps that share a state, at any depth.
fn sharing<'d>(document: &'d Document, place: &Place) -> Vec<&'d Step> {
    let mut open: Vec<&Step> = match place {
        Place::Workflow => document.steps.iter().collect(),
        Place::Tool(tool) => {
            let inner = document.tools.get(tool).and_then(|tool| tool.workflow());
            inner.into_iter().flat_map(|inner| &inner.steps).collect()
        }
        Place::Inside(id) => {
            document.step(id).into_iter().flat_map(Step::blocks).flat_map(|(_, steps)| steps).collect()
        }
        Place::Answer(_) | Place::Approval(_) => Vec::new(),
    };
    let mut all = Vec::new();
    while let Some(step) = open.pop() {
        all.push(step);
        if !matches!(&step.kind, StepKind::Workflow(Inner { with: Some(_), .. })) {
            open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
        }
    }
    all
}

/// What steps give that has the keys: what they changed of the state, the state of a workflow inside, or their answer.
fn held(document: &Document, place: &Place, keys: &[Change]) -> Held {
    let mut held = Held { keys: keys.to_vec(), ..Held::default() };
    for step in answering(document, place) {
        held.by_steps.push(step.name.clone());
        held.by_keys.push(output_key(&step.name));
    }
    let around = match place {
        Place::Inside(id) => document.step(id),
        _ => None,
    };
    for step in sharing(document, place).into_iter().chain(around) {
        match &step.kind {
            StepKind::Workflow(inner) if inner.set.is_none() => {
                held.by_steps.push(step.name.clone());
                held.by_keys.push(output_key(&step.name));
            }
            _ if gives_output(step) => {}
            StepKind::Workflow(_) if around.is_some_and(|around| around.id == step.id) => {}
            _ => held.by_steps.push(step.name.clone()),
        }
    }
    held
}

/// Calls the names otherwise wherever they are used, and says where that is.
pub(super) fn follow(document: &mut Document, names: &Names) -> Vec<Use> {
    let mut walk = Walk { names, found: Vec::new(), step: None };
    let own = walk.scope(&Place::Workflow, Scope::default());
    walk.check(&mut document.input, "input", own, Counts::No);
    walk.check(&mut document.output, "output", own, Counts::Yes);
    walk.rekey(&mut document.initial_state, own);
    walk.block(&mut document.steps, "steps", own);
    for (id, agent) in &mut document.agents {
        let answer = walk.scope(&Place::Answer(id.clone()), Scope::default());
        walk.check(&mut agent.output, "", answer, Counts::No);
    }
    for (name, tool) in &mut document.tools {
        let own = walk.scope(&Place::Tool(name.clone()), Scope::default());
        walk.check(&mut tool.input, "", own, Counts::No);
        match &mut tool.run {
            Some(ToolRun::Http(request)) => walk.request(request, &format!("tools.{name}.run.http"), own),
            Some(ToolRun::Workflow(inner)) => {
                let path = format!("tools.{name}.run.workflow");
                walk.given(inner, &path, own);
                let inside = if inner.with.is_some() { Scope::default() } else { own };
                // The arguments and the steps are one place.
                walk.inside(inner, &path, walk.scope(&Place::Tool(name.clone()), inside));
            }
            Some(ToolRun::Code(code)) => walk.code(code, format!("tools.{name}.run.code"), own),
            _ => {}
        }
    }
    walk.found
}

/// Which of the names mean what they mean.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    has_keys: bool,
    has_output: bool,
}

/// Whether something that names a key is a use of it.
#[derive(Clone, Copy, PartialEq)]
enum Counts {
    Yes,
    No,
}

struct Walk<'n> {
    names: &'n Names,
    found: Vec<Use>,
    step: Option<String>,
}

impl Walk<'_> {
    fn scope(&self, place: &Place, around: Scope) -> Scope {
        let has_output = self.names.output.as_ref().is_some_and(|(_, own)| own == place);
        Scope {
            has_keys: around.has_keys || self.names.keys_in == *place,
            has_output: around.has_output || has_output,
        }
    }

    fn block(&mut self, steps: &mut [Step], path: &str, scope: Scope) {
        for (index, step) in steps.iter_mut().enumerate() {
            let outer = self.step.replace(step.id.clone());
            self.own(step, &format!("{path}[{index}]"), scope);
            self.step = outer;
        }
    }

    fn own(&mut self, step: &mut Step, path: &str, scope: Scope) {
        self.check(&mut step.input, &format!("{path}.input"), scope, Counts::Yes);
        let place = Place::Inside(step.id.clone());
        let steps_path = format!("{path}.steps");
        let has_keys = match &step.kind {
            StepKind::Workflow(inner) if inner.set.is_none() => {
                self.names.keys_in == place || (scope.has_keys && inner.with.is_none())
            }
            _ => scope.has_keys && !gives_output(step),
        };
        self.check(&mut step.output, &format!("{path}.output"), Scope { has_keys, ..scope }, Counts::No);
        match &mut step.kind {
            StepKind::Agent(call) => {
                if let Some(Source::Text(text)) = &mut call.input_from {
                    self.text(text, Form::Template, format!("{path}.inputFrom"), scope);
                }
                if let Some(files) = &mut call.files {
                    self.source(files, format!("{path}.files"), scope);
                }
                if let Some(history) = &mut call.history {
                    self.key(&mut history.key, scope);
                }
            }
            StepKind::Function(run) => match run {
                Run::Set(set) => {
                    self.texts(set, &format!("{path}.run.set"), scope);
                    self.rekey_texts(set, scope);
                }
                Run::Code(code) => self.code(code, format!("{path}.run.code"), scope),
                Run::Handler(_) => {}
            },
            StepKind::Http(call) => self.request(&mut call.http, &format!("{path}.http"), scope),
            StepKind::Condition(branch) => {
                self.source(&mut branch.condition, format!("{path}.condition"), scope);
                self.block(&mut branch.steps, &steps_path, scope);
                self.block(&mut branch.otherwise, &format!("{path}.else"), scope);
            }
            StepKind::Switch(switch) => {
                for (index, case) in switch.cases.iter_mut().enumerate() {
                    let path = format!("{path}.cases[{index}]");
                    self.source(&mut case.when, format!("{path}.when"), scope);
                    self.block(&mut case.steps, &format!("{path}.steps"), scope);
                }
                self.block(&mut switch.default, &format!("{path}.default"), scope);
            }
            StepKind::Parallel(fork) => self.block(&mut fork.members, &format!("{path}.parallel"), scope),
            StepKind::Sequence(steps) => self.block(steps, &steps_path, scope),
            StepKind::Foreach(each) => {
                self.source(&mut each.items, format!("{path}.items"), scope);
                let names = self.names;
                let is_hidden = names.keys.iter().any(|change| is_of_item(&each.item, &change.old));
                let inherited = Scope { has_keys: scope.has_keys && !is_hidden, ..scope };
                let inside = self.scope(&place, inherited);
                self.block(&mut each.steps, &steps_path, inside);
                if let Some(result) = &mut each.result {
                    self.text(result, Form::Expression, format!("{path}.result"), inside);
                }
                if self.names.keys_in == place {
                    self.key(&mut each.item, inside);
                }
            }
            StepKind::Loop(again) => {
                match &mut again.repeat {
                    Repeat::While(source) => self.source(source, format!("{path}.repeat.while"), scope),
                    Repeat::Until(source) => self.source(source, format!("{path}.repeat.until"), scope),
                }
                self.block(&mut again.steps, &steps_path, scope);
            }
            StepKind::Workflow(inner) => {
                self.given(inner, path, scope);
                let has_keys = scope.has_keys && inner.with.is_none();
                let inside = self.scope(&place, Scope { has_keys, has_output: false });
                self.inside(inner, path, inside);
                if let Some(set) = &mut inner.set {
                    self.rekey_texts(set, scope);
                }
            }
            StepKind::Wait(Wait::Until(time)) => {
                self.text(time, Form::Expression, format!("{path}.wait.until"), scope);
            }
            StepKind::Wait(Wait::Ms(_)) => {}
            StepKind::End(exit) => {
                if let Some(message) = &mut exit.message {
                    self.text(message, Form::Template, format!("{path}.end.message"), scope);
                }
            }
            StepKind::Approval(approval) => {
                let answer = self.scope(&Place::Approval(step.id.clone()), Scope::default());
                self.check(&mut approval.schema, "", answer, Counts::No);
                if let Some(message) = &mut approval.message {
                    self.text(message, Form::Template, format!("{path}.message"), scope);
                }
                if let Some(approved) = &mut approval.approved {
                    // There `output` is the answer.
                    let is_hidden = self.names.keys.iter().any(|change| change.old == "output");
                    let inner = Scope { has_keys: scope.has_keys && !is_hidden, ..scope };
                    self.source(approved, format!("{path}.approved"), inner);
                }
                for (key, steps) in [
                    ("steps", &mut approval.steps),
                    ("else", &mut approval.otherwise),
                    ("expired", &mut approval.expired),
                ] {
                    if let Some(steps) = steps {
                        self.block(steps, &format!("{path}.{key}"), scope);
                    }
                }
            }
        }
    }

    /// What a workflow inside is given from outside.
    fn given(&mut self, inner: &mut Inner, path: &str, scope: Scope) {
        if let Some(with) = &mut inner.with {
            self.texts(with, &format!("{path}.with"), scope);
        }
    }

    fn inside(&mut self, inner: &mut Inner, path: &str, inside: Scope) {
        if let Some(with) = &mut inner.with {
            self.rekey_texts(with, inside);
        }
        self.rekey(&mut inner.initial_state, inside);
        self.block(&mut inner.steps, &format!("{path}.steps"), inside);
        if let Some(set) = &mut inner.set {
            self.texts(set, &format!("{path}.set"), inside);
        }
    }

    fn request(&mut self, request: &mut HttpRequest, path: &str, scope: Scope) {
        for (key, form, text) in texts_mut(request) {
            self.text(text, form, format!("{path}.{key}"), scope);
        }
    }

    fn source(&mut self, source: &mut Source, path: String, scope: Scope) {
        if let Source::Text(text) = source {
            self.text(text, Form::Expression, path, scope);
        }
    }

    fn texts(&mut self, texts: &mut IndexMap<String, String>, path: &str, scope: Scope) {
        for (key, text) in texts {
            self.text(text, Form::Expression, format!("{path}.{key}"), scope);
        }
    }

    fn text(&mut self, text: &mut String, form: Form, path: String, scope: Scope) {
        let changes = Changes {
            keys: if scope.has_keys { &self.names.keys } else { &[] },
            output: self.names.output.as_ref().filter(|_| scope.has_output).map(|(change, _)| change),
            held: Some(&self.names.held),
        };
        self.take(changes.of(text, form), text, path);
    }

    fn take(&mut self, found: Found, text: &mut String, path: String) {
        let follows = match found {
            Found::Nothing => return,
            Found::Used(written) => {
                if self.names.is_new {
                    *text = written;
                }
                true
            }
            Found::Stuck => false,
        };
        self.found.push(Use { path, step: self.step.clone(), follows });
    }

    fn code(&mut self, code: &mut String, path: String, scope: Scope) {
        if scope.has_keys {
            let found = renamed(code, &self.names.keys);
            self.take(found, code, path);
        }
    }

    /// The keys that a schema of a state describes.
    fn check(&mut self, check: &mut Option<Check>, path: &str, scope: Scope, counts: Counts) {
        let (Some(Check::Schema(schema) | Check::Described { schema, .. }), true) = (check, scope.has_keys)
        else {
            return;
        };
        let mut is_named = false;
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            is_named |= self.names.keys.iter().any(|change| properties.contains_key(&change.old));
            self.rekey(properties, scope);
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            for key in required {
                if let Value::String(key) = key {
                    is_named |= self.names.keys.iter().any(|change| change.old == *key);
                    self.key(key, scope);
                }
            }
        }
        if is_named && counts == Counts::Yes {
            self.found.push(Use { path: path.to_owned(), step: self.step.clone(), follows: true });
        }
    }

    fn rekey(&self, map: &mut Map<String, Value>, scope: Scope) {
        if self.is_rekeyed(|key| map.contains_key(key)) {
            let entries = std::mem::take(map).into_iter();
            *map = entries.map(|(key, value)| (self.called(key, scope), value)).collect();
        }
    }

    fn rekey_texts(&self, map: &mut IndexMap<String, String>, scope: Scope) {
        if self.is_rekeyed(|key| map.contains_key(key)) {
            let entries = std::mem::take(map).into_iter();
            *map = entries.map(|(key, text)| (self.called(key, scope), text)).collect();
        }
    }

    /// Whether a map gets another key. Where it has the new one already the old one stays, since one of their values
    /// would be lost.
    fn is_rekeyed(&self, has: impl Fn(&str) -> bool) -> bool {
        let mut own = self.names.keys.iter().filter(|change| has(&change.old)).peekable();
        own.peek().is_some()
            && own.all(|change| change.new.as_ref().is_none_or(|new| *new == change.old || !has(new)))
    }

    fn key(&self, key: &mut String, scope: Scope) {
        *key = self.called(std::mem::take(key), scope);
    }

    fn called(&self, key: String, scope: Scope) -> String {
        let change = self.names.keys.iter().find(|change| scope.has_keys && change.old == key);
        change.and_then(|change| change.new.clone()).unwrap_or(key)
    }
}
