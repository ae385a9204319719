//! What the steps so far gave, as templates read it: `steps.<name>.output`.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};

use super::Host;

/// The outputs of the steps before this place, the latest first. Cloning it is cheap.
#[derive(Debug, Clone, Default)]
pub(super) struct Outputs(Option<Arc<Told>>);

#[derive(Debug)]
struct Told {
    name: String,
    output: Value,
    before: Outputs,
}

impl Outputs {
    /// The same with one more.
    #[inline(never)]
    pub(super) fn with<H: Host>(self, name: &str, host: &H, output: &H::Value) -> Self {
        self.followed_by(name.to_owned(), host.template_view(output))
    }

    fn followed_by(self, name: String, output: Value) -> Self {
        Self(Some(Arc::new(Told { name, output, before: self })))
    }

    /// The same with what a branch that began here added.
    pub(super) fn joined(self, branch: &Self) -> Self {
        match branch.0.as_ref() {
            Some(last) if !self.is_at(last) => self.joined_to(branch),
            _ => self,
        }
    }

    #[inline(never)]
    fn joined_to(self, branch: &Self) -> Self {
        let mut added = Vec::new();
        let mut at = branch;
        while let Some(told) = at.0.as_ref().filter(|told| !self.is_at(told)) {
            added.push(told);
            at = &told.before;
        }
        let again = |all: Self, told: &Arc<Told>| all.followed_by(told.name.clone(), told.output.clone());
        added.into_iter().rev().fold(self.clone(), again)
    }

    /// Them as a value of templates.
    pub(super) fn view(&self) -> Value {
        Value::from_object(self.clone())
    }

    fn is_at(&self, told: &Arc<Told>) -> bool {
        self.0.as_ref().is_some_and(|own| Arc::ptr_eq(own, told))
    }
}

impl Drop for Told {
    /// One by one: a long run would else nest as deep as it has steps.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(mut told) = next.and_then(Arc::into_inner) {
            next = told.before.0.take();
        }
    }
}

impl Object for Outputs {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let mut at = &self.0;
        while let Some(told) = at {
            if told.name == name {
                return Some(Value::from_object(Output(told.output.clone())));
            }
            at = &told.before.0;
        }
        // Whatever has not run has given nothing, which `default` may stand in for.
        Some(Value::from_object(Output(Value::UNDEFINED)))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// What a step has in `steps`.
#[derive(Debug)]
struct Output(Value);

impl Object for Output {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        (key.as_str() == Some("output")).then(|| self.0.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["output"])
    }
}
