//! A value of the selected step, or of the workflow itself: it is read, written so that it can be taken back, and what is
//! wrong with it is known.

use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{Document, Step};
use stepweave_core::edit::Edit;

use crate::model::problem::{Problem, draft_key};
use crate::model::settings::without_steps;
use crate::page::removal;
use crate::page::state::{App, app};

pub use inputs::{
    BoundAmount, BoundChoice, BoundJson, BoundLines, BoundNumber, BoundSpan, BoundSwitch, BoundText,
};

pub mod inputs;

/// A value of a step, or of the workflow itself.
pub struct Bound<T: 'static> {
    app: App,
    owner: Owner<T>,
    path: Arc<str>,
}

/// The id of the step that a form shows. Where the form stays while another step is selected, its fields follow it.
#[derive(Clone, Copy)]
pub struct StepId(Signal<Arc<str>>);

impl StepId {
    /// The id that a memo has.
    pub fn following(id: Memo<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The same id at all times.
    pub fn fixed(id: &str) -> Self {
        Self(Signal::stored(id.into()))
    }

    /// The id; follows its changes.
    pub fn get(self) -> Arc<str> {
        self.0.get()
    }

    /// The id at this moment, followed by nobody.
    pub fn now(self) -> Arc<str> {
        self.0.get_untracked()
    }
}

/// What a value belongs to, and how it is found there.
enum Owner<T: 'static> {
    Step(StepId, Lens<Step, T>),
    Workflow(Lens<Document, T>),
}

struct Lens<S: 'static, T: 'static> {
    read: Read<S, T>,
    write: Write<S, T>,
}

type Read<S, T> = Arc<dyn Fn(&S) -> T + Send + Sync>;
type Write<S, T> = Arc<dyn Fn(&mut S, T) + Send + Sync>;

// By hand, since the value itself need not be one that can be copied.
impl<T: 'static> Clone for Bound<T> {
    fn clone(&self) -> Self {
        Self { app: self.app, owner: self.owner.clone(), path: Arc::clone(&self.path) }
    }
}

impl<T: 'static> Clone for Owner<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Step(id, lens) => Self::Step(*id, lens.clone()),
            Self::Workflow(lens) => Self::Workflow(lens.clone()),
        }
    }
}

impl<S: 'static, T: 'static> Clone for Lens<S, T> {
    fn clone(&self) -> Self {
        Self { read: Arc::clone(&self.read), write: Arc::clone(&self.write) }
    }
}

impl<S: 'static, T: 'static> Lens<S, T> {
    fn new(
        read: impl Fn(&S) -> T + Send + Sync + 'static,
        write: impl Fn(&mut S, T) + Send + Sync + 'static,
    ) -> Self {
        Self { read: Arc::new(read), write: Arc::new(write) }
    }

    fn map<U: 'static>(&self, view: &View<T, U>) -> Lens<S, U> {
        let (own, (read, write)) = (self.clone(), view.clone());
        let put = Arc::clone(&own.write);
        Lens::new(move |owner| read((own.read)(owner)), move |owner, value| put(owner, write(value)))
    }
}

type View<T, U> = (Arc<dyn Fn(T) -> U + Send + Sync>, Arc<dyn Fn(U) -> T + Send + Sync>);

impl<T: Default + 'static> Bound<T> {
    /// The value of the step with this id that the validator calls by this path.
    pub fn new(
        step: StepId,
        path: impl AsRef<str>,
        read: impl Fn(&Step) -> T + Send + Sync + 'static,
        write: impl Fn(&mut Step, T) + Send + Sync + 'static,
    ) -> Self {
        let owner = Owner::Step(step, Lens::new(read, write));
        Self { app: app(), owner, path: path.as_ref().into() }
    }

    /// The value of the workflow itself, besides its steps, that the validator calls by this path.
    pub fn of_workflow(
        path: impl AsRef<str>,
        read: impl Fn(&Document) -> T + Send + Sync + 'static,
        write: impl Fn(&mut Document, T) + Send + Sync + 'static,
    ) -> Self {
        Self { app: app(), owner: Owner::Workflow(Lens::new(read, write)), path: path.as_ref().into() }
    }

    /// Whether it is a step's.
    pub fn is_of_step(&self) -> bool {
        matches!(self.owner, Owner::Step(..))
    }

    /// The value; follows its changes.
    pub fn get(&self) -> T {
        let editor = self.app.editor;
        match &self.owner {
            Owner::Step(id, lens) => editor.step(&id.get(), |step| (lens.read)(step)).unwrap_or_default(),
            Owner::Workflow(lens) => editor.document.with(|document| (lens.read)(document)),
        }
    }

    /// Changes the value while a person types.
    pub fn type_in(&self, value: T) {
        let editor = self.app.editor;
        match &self.owner {
            Owner::Step(id, lens) => {
                editor.type_into_step(&id.now(), &self.path, |step| (lens.write)(step, value))
            }
            Owner::Workflow(lens) => {
                editor.type_into_settings(&self.path, |document| (lens.write)(document, value));
            }
        }
    }

    /// Changes the value in one go.
    pub fn pick(&self, value: T) {
        self.picked(value).into_iter().for_each(|edit| self.app.editor.make(edit));
    }

    /// The same, and first asks where others use what is in the step and goes with that.
    pub fn pick_or_ask(&self, value: T) {
        self.picked(value).into_iter().for_each(|edit| removal::make(self.app, edit));
    }

    /// What would change the value in one go; nothing where its step is gone.
    pub fn picked(&self, value: T) -> Option<Edit> {
        let editor = self.app.editor;
        editor.document.with_untracked(|document| match &self.owner {
            Owner::Step(id, lens) => {
                let mut with = document.step(&id.now())?.clone();
                (lens.write)(&mut with, value);
                Some(Edit::Replace { step: with.id.clone(), with })
            }
            Owner::Workflow(lens) => {
                let mut settings = without_steps(document);
                (lens.write)(&mut settings, value);
                Some(Edit::Settings(Box::new(settings)))
            }
        })
    }

    /// What is wrong with it.
    pub fn flaw(&self) -> Signal<Option<Problem>> {
        let own = self.clone();
        Memo::new(move |_| own.wrong()).into()
    }

    /// What is wrong with it, but with nothing inside it: that is shown at another field.
    pub fn own_flaw(&self) -> Signal<Option<Problem>> {
        let own = self.clone();
        Memo::new(move |_| {
            own.app.flaws.with(|flaws| flaws.right_at(own.step().as_deref(), &own.path).cloned())
        })
        .into()
    }

    /// What is wrong with it; follows the list of problems.
    pub fn wrong(&self) -> Option<Problem> {
        self.app.flaws.with(|flaws| flaws.at(self.step().as_deref(), &self.path).cloned())
    }

    /// By which name what is typed into it belongs together.
    pub fn field(&self) -> String {
        match &self.owner {
            Owner::Step(id, _) => format!("{}.{}", id.now(), self.path),
            Owner::Workflow(_) => self.path.to_string(),
        }
    }

    /// The key under which a text is kept that is no value yet; follows the step.
    pub fn draft_key(&self) -> String {
        draft_key(self.step().as_deref(), &self.path)
    }

    /// The same value, written as a member of something.
    pub fn at(&self, inner: &str) -> Self {
        Self { path: format!("{}{inner}", self.path).into(), ..self.clone() }
    }

    /// Another view of the same value.
    pub fn map<U: Default + 'static>(
        &self,
        read: impl Fn(T) -> U + Send + Sync + 'static,
        write: impl Fn(U) -> T + Send + Sync + 'static,
    ) -> Bound<U> {
        let view: View<T, U> = (Arc::new(read), Arc::new(write));
        let owner = match &self.owner {
            Owner::Step(id, lens) => Owner::Step(*id, lens.map(&view)),
            Owner::Workflow(lens) => Owner::Workflow(lens.map(&view)),
        };
        Bound { app: self.app, owner, path: Arc::clone(&self.path) }
    }

    /// A signal of the value.
    pub fn signal(&self) -> Signal<T>
    where
        T: Clone + PartialEq + Send + Sync,
    {
        let own = self.clone();
        Memo::new(move |_| own.get()).into()
    }

    fn step(&self) -> Option<Arc<str>> {
        match &self.owner {
            Owner::Step(id, _) => Some(id.get()),
            Owner::Workflow(_) => None,
        }
    }
}

/// An optional text as one that may be empty.
pub fn or_empty(bound: Bound<Option<String>>) -> Bound<String> {
    bound.map(Option::unwrap_or_default, |text| Some(text).filter(|text| !text.is_empty()))
}
