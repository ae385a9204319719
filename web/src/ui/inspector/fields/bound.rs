//! Fields that belong to a value of the selected step, or of the workflow itself: they read it, write it so that it can
//! be taken back, and show what is wrong with it.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::decimal;
use stepweave_core::document::{Document, Step};
use stepweave_core::edit::Edit;

use super::json::{JsonArea, JsonShape};
use super::typing::Typing;
use crate::model::problem::{Problem, draft_key};
use crate::model::settings::without_steps;
use crate::page::removal;
use crate::page::state::{App, app};
use crate::step::span;
use crate::ui::code::Writes;
use crate::ui::field::{Choice, Switch, TextArea, TextField, flaw_line};
use crate::ui::inspector::owned;

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

/// A text in one line.
#[component]
pub fn BoundText(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value.
    bound: Bound<String>,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// An example, shown while it is empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
    /// What is written in it, where that is code of a language.
    #[prop(optional_no_strip, into)]
    writes: Option<Writes>,
) -> impl IntoView {
    let (value, flaw) = (bound.signal(), bound.flaw());
    let editor = app().editor;
    view! {
        <TextField label=label value=value flaw=flaw hint=hint placeholder=placeholder code=code writes=writes
            on_input=move |text| bound.type_in(text) on_leave=move |()| editor.seal() />
    }
}

/// A text in several lines.
#[component]
pub fn BoundLines(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value.
    bound: Bound<String>,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// An example, shown while it is empty.
    #[prop(optional, into)]
    placeholder: Signal<String>,
    /// How many lines are seen.
    #[prop(default = 2)]
    rows: u32,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
    /// What is written in it, where that is code of a language.
    #[prop(optional_no_strip, into)]
    writes: Option<Writes>,
) -> impl IntoView {
    let (value, flaw) = (bound.signal(), bound.flaw());
    let editor = app().editor;
    view! {
        <TextArea label=label value=value flaw=flaw hint=hint placeholder=placeholder code=code rows=rows writes=writes
            on_input=move |text| bound.type_in(text) on_leave=move |()| editor.seal() />
    }
}

/// A whole number. Any other text is kept as it was typed, and reported.
#[component]
pub fn BoundNumber(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value; none when the field is empty.
    bound: Bound<Option<u64>>,
    /// The least that it may be.
    #[prop(default = 0)]
    least: u64,
    /// The most that it may be.
    #[prop(default = u32::MAX.into())]
    most: u64,
    /// Whether the field must not be empty.
    #[prop(optional)]
    needed: bool,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// What being empty means.
    #[prop(optional)]
    placeholder: &'static str,
) -> impl IntoView {
    let most_said = if most < u32::MAX.into() { format!(" to {most}") } else { " or more".to_owned() };
    let complaint = format!("Must be a whole number, {least}{most_said}.");
    let read = move |text: &str| text.parse().ok().filter(|number| (least..=most).contains(number));
    number_field(label, bound, read, complaint, needed, hint, placeholder)
}

/// A length of time in milliseconds, which may be typed with its unit, such as 10 s. Any other text is kept as it was typed,
/// and reported.
#[component]
pub fn BoundSpan(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value; none when the field is empty.
    bound: Bound<Option<u64>>,
    /// The least that it may be.
    #[prop(default = 0)]
    least: u64,
    /// The most that it may be.
    most: u64,
    /// Whether the field must not be empty.
    #[prop(optional)]
    needed: bool,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// What being empty means.
    #[prop(optional)]
    placeholder: &'static str,
) -> impl IntoView {
    let complaint =
        format!("Must be a whole number of milliseconds, {least} or more, or a time such as 10 s or 5 min.");
    let read = move |text: &str| span::read(text).filter(|span| (least..=most).contains(span));
    number_field(label, bound, read, complaint, needed, hint, placeholder)
}

/// The most that an amount may be; the grammar says the same.
const MOST_AMOUNT: f64 = 1e9;

/// An amount that need not be whole, such as one of money. Any other text is kept as it was typed, and reported.
#[component]
pub fn BoundAmount(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value; none when the field is empty.
    bound: Bound<Option<f64>>,
    /// Whether the field must not be empty.
    #[prop(optional)]
    needed: bool,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// What being empty means.
    #[prop(optional)]
    placeholder: &'static str,
) -> impl IntoView {
    let read = |text: &str| decimal::read(text).filter(|amount| (0.0..=MOST_AMOUNT).contains(amount));
    let complaint = "Must be a number such as 0.25, 0 or more.".to_owned();
    number_field(label, bound, read, complaint, needed, hint, placeholder)
}

fn number_field<N>(
    label: String,
    bound: Bound<Option<N>>,
    read: impl Fn(&str) -> Option<N> + Send + Sync + 'static,
    complaint: String,
    needed: bool,
    hint: Signal<String>,
    placeholder: &'static str,
) -> AnyView
where
    N: Copy + PartialEq + ToString + Send + Sync + 'static,
{
    let editor = app().editor;
    let key = {
        let bound = bound.clone();
        Memo::new(move |_| bound.draft_key())
    };
    let (stored, flaw) = (bound.signal(), bound.flaw());
    let draft = move || editor.drafts.with(|drafts| key.with(|key| drafts.get(key).cloned()));
    let typing = Typing::begin();
    let value = Signal::derive(move || {
        let text = || typing.text(&stored.get());
        draft()
            .or_else(text)
            .unwrap_or_else(|| stored.get().map(|number| number.to_string()).unwrap_or_default())
    });
    let error = Signal::derive(move || draft().map(|_| complaint.clone()));
    let change = move |text: String| {
        let parsed = read(text.trim());
        let before = typing.before(|| stored.get_untracked());
        let is_kept = parsed.is_none() && (needed || !text.trim().is_empty());
        let meant = if is_kept { before } else { parsed };
        editor.draft(&key.get_untracked(), is_kept.then(|| text.clone()));
        if !is_kept {
            typing.means(meant, text);
        }
        if stored.get_untracked() != meant {
            bound.type_in(meant);
        }
    };
    let leave = move |()| {
        editor.seal();
        typing.end();
    };
    view! {
        <TextField label=label value=value error=error flaw=flaw hint=hint placeholder=placeholder
            on_input=change on_leave=leave />
    }
    .into_any()
}

/// One of several words.
#[component]
pub fn BoundChoice(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value.
    bound: Bound<String>,
    /// The words with what people call them.
    options: &'static [(&'static str, &'static str)],
) -> impl IntoView {
    let (value, flaw) = (bound.signal(), bound.own_flaw());
    view! {
        <Choice label=label value=value on_pick=move |word: String| bound.pick(word)
            options=Signal::derive(move || options.iter().copied().map(owned).collect()) />
        {flaw_line(flaw)}
    }
}

/// Yes or no.
#[component]
pub fn BoundSwitch(
    /// What it is.
    label: &'static str,
    /// What it means.
    hint: &'static str,
    /// The value.
    bound: Bound<bool>,
) -> impl IntoView {
    let (value, flaw) = (bound.signal(), bound.own_flaw());
    view! {
        <Switch label=label hint=hint value=value on_change=move |on: bool| bound.pick_or_ask(on) />
        {flaw_line(flaw)}
    }
}

/// A value as JSON text.
#[component]
pub fn BoundJson(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value; none when the field is empty.
    bound: Bound<Option<Value>>,
    /// What it has to be.
    shape: JsonShape,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// An example, shown while it is empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// How many lines are seen.
    #[prop(default = 4)]
    rows: u32,
    /// `JsonTemplate` where its texts are templates.
    #[prop(default = Writes::Json)]
    writes: Writes,
) -> impl IntoView {
    let (value, flaw, key) = (bound.signal(), bound.flaw(), bound.draft_key());
    view! {
        <JsonArea label=label draft=key value=value flaw=flaw shape=shape hint=hint placeholder=placeholder rows=rows writes=writes
            on_value=move |value| bound.type_in(value) />
    }
}
