//! What the steps so far gave, as templates read it: `steps.<name>.output`.

use std::rc::Rc;

use crate::host::Host;
use crate::language::{Shape, Undefined, Value, View};

/// The outputs of the earlier steps, the latest of each name. Cloning it is cheap.
#[derive(Debug, Clone, Default)]
pub(super) struct Outputs(Rc<[Rc<Entry>]>);

#[derive(Debug)]
struct Entry {
    name: String,
    output: Value,
}

impl Outputs {
    /// The same with one more. It takes as long as there are names of steps, however often those have run.
    pub(super) fn with<H: Host>(&self, name: &str, host: &H, output: &H::Value) -> Self {
        self.followed_by(Rc::new(Entry { name: name.to_owned(), output: host.template_view(output) }))
    }

    fn followed_by(&self, entry: Rc<Entry>) -> Self {
        let others = self.0.iter().filter(|other| other.name != entry.name).cloned();
        Self(others.chain([Rc::clone(&entry)]).collect())
    }

    /// The same with what a branch added that began with `before`.
    pub(super) fn joined(self, branch: &Self, before: &Self) -> Self {
        let is_new = |entry: &&Rc<Entry>| !before.0.iter().any(|old| Rc::ptr_eq(old, entry));
        branch.0.iter().filter(is_new).fold(self, |all, entry| all.followed_by(Rc::clone(entry)))
    }

    /// Them as a value of templates.
    pub(super) fn view(&self) -> Value {
        Value::View(Rc::new(self.clone()))
    }
}

impl View for Outputs {
    fn shape(&self) -> Shape {
        Shape::Object
    }

    fn member(&self, name: &str) -> Option<Value> {
        let entry = self.0.iter().find(|entry| entry.name == name);
        // Whatever has not run has given nothing, which `default` may stand in for.
        let output = entry.map_or(Value::Undefined(Undefined::Strict), |entry| entry.output.clone());
        Some(Value::View(Rc::new(Output(output))))
    }
}

/// What a step has in `steps`.
#[derive(Debug)]
struct Output(Value);

impl View for Output {
    fn shape(&self) -> Shape {
        Shape::Object
    }

    fn member(&self, key: &str) -> Option<Value> {
        (key == "output").then(|| self.0.clone())
    }

    fn keys(&self) -> Option<Vec<String>> {
        Some(vec!["output".to_owned()])
    }
}
