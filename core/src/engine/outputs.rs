//! What the steps so far gave, as templates read it: `steps.<name>.output`.

use std::rc::Rc;

use super::layers::Layers;
use crate::host::Host;
use crate::language::{Shape, Undefined, Value, View};

/// The outputs of the earlier steps, the latest of each name. Cloning it is cheap.
#[derive(Debug, Clone, Default)]
pub(super) struct Outputs(Layers<Rc<Value>>);

impl Outputs {
    /// The same with one more.
    pub(super) fn with<H: Host>(&self, name: &str, host: &H, output: &H::Value) -> Self {
        Self(self.0.with(vec![(name.into(), Rc::new(host.template_view(output)))]))
    }

    /// The same with what a branch added that began with `before`.
    pub(super) fn joined(self, branch: &Self, before: &Self) -> Self {
        branch.0.since(&before.0).into_iter().fold(self, |all, entries| {
            let is_old = |name, output| before.0.get(name).is_some_and(|old| Rc::ptr_eq(old, output));
            let new = entries.iter().filter(|(name, output)| !is_old(name, output));
            Self(all.0.with(new.cloned().collect()))
        })
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
        // Whatever has not run has given nothing, which `default` may stand in for.
        let output =
            self.0.get(name).map_or(Value::Undefined(Undefined::Strict), |output| Value::clone(output));
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
