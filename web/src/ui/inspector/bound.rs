//! Fields that belong to a value of the selected step: they read it, write it so that it can be taken back, and show
//! what is wrong with it.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::Step;

use super::super::field::{Choice, Switch, TextArea, TextField, flaw_line};
use super::super::state::{App, app};
use super::json::{JsonArea, JsonShape};
use super::owned;
use crate::model::problem::{Problem, draft_key};

/// A value of a step.
pub struct Bound<T: 'static> {
    app: App,
    step: Arc<str>,
    path: Arc<str>,
    read: Arc<dyn Fn(&Step) -> T + Send + Sync>,
    write: Write<T>,
}

type Write<T> = Arc<dyn Fn(&mut Step, T) + Send + Sync>;

// By hand, since the value itself need not be one that can be copied.
impl<T: 'static> Clone for Bound<T> {
    fn clone(&self) -> Self {
        let (step, path) = (Arc::clone(&self.step), Arc::clone(&self.path));
        Self { app: self.app, step, path, read: Arc::clone(&self.read), write: Arc::clone(&self.write) }
    }
}

impl<T: Default + 'static> Bound<T> {
    /// The value of the step with this id that the validator calls by this path.
    pub fn new(
        step: &str,
        path: impl AsRef<str>,
        read: impl Fn(&Step) -> T + Send + Sync + 'static,
        write: impl Fn(&mut Step, T) + Send + Sync + 'static,
    ) -> Self {
        let (read, write) = (Arc::new(read), Arc::new(write));
        Self { app: app(), step: step.into(), path: path.as_ref().into(), read, write }
    }

    /// The value; follows its changes.
    pub fn get(&self) -> T {
        self.app.editor.step(&self.step, |step| (self.read)(step)).unwrap_or_default()
    }

    /// Changes the value as part of typing.
    pub fn type_in(&self, value: T) {
        self.app.editor.type_into_step(&self.step, &self.path, |step| (self.write)(step, value));
    }

    /// Changes the value in one go.
    pub fn pick(&self, value: T) {
        self.app.editor.change_step(&self.step, |step| (self.write)(step, value));
    }

    /// What is wrong with it.
    pub fn flaw(&self) -> Signal<Option<Problem>> {
        let own = self.clone();
        Memo::new(move |_| own.wrong()).into()
    }

    /// What is wrong with it, but with nothing inside it: that is shown at another field.
    pub fn own_flaw(&self) -> Signal<Option<Problem>> {
        let own = self.clone();
        Memo::new(move |_| own.app.flaws.with(|flaws| flaws.right_at(Some(&own.step), &own.path).cloned()))
            .into()
    }

    /// What is wrong with it; follows the list of problems.
    pub fn wrong(&self) -> Option<Problem> {
        self.app.flaws.with(|flaws| flaws.at(Some(&self.step), &self.path).cloned())
    }

    /// The key under which a text is kept that is no value yet.
    pub fn draft_key(&self) -> String {
        draft_key(Some(&self.step), &self.path)
    }

    /// The same value, written as part of something inside it.
    pub fn at(&self, inner: &str) -> Self {
        Self { path: format!("{}{inner}", self.path).into(), ..self.clone() }
    }

    /// Another view of the same value.
    pub fn map<U: Default + 'static>(
        &self,
        read: impl Fn(T) -> U + Send + Sync + 'static,
        write: impl Fn(U) -> T + Send + Sync + 'static,
    ) -> Bound<U> {
        let (get, put) = (Arc::clone(&self.read), Arc::clone(&self.write));
        Bound {
            app: self.app,
            step: Arc::clone(&self.step),
            path: Arc::clone(&self.path),
            read: Arc::new(move |step| read(get(step))),
            write: Arc::new(move |step, value| put(step, write(value))),
        }
    }

    /// A signal of the value.
    pub fn signal(&self) -> Signal<T>
    where
        T: Clone + PartialEq + Send + Sync,
    {
        let own = self.clone();
        Memo::new(move |_| own.get()).into()
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
) -> impl IntoView {
    let (value, flaw) = (bound.signal(), bound.flaw());
    let editor = app().editor;
    view! {
        <TextField label=label value=value flaw=flaw hint=hint placeholder=placeholder code=code
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
    #[prop(optional)]
    placeholder: &'static str,
    /// How many lines are seen.
    #[prop(default = 2)]
    rows: u32,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
) -> impl IntoView {
    let (value, flaw) = (bound.signal(), bound.flaw());
    let editor = app().editor;
    view! {
        <TextArea label=label value=value flaw=flaw hint=hint placeholder=placeholder code=code rows=rows
            on_input=move |text| bound.type_in(text) on_leave=move |()| editor.seal() />
    }
}

/// A whole number. What is none is kept as it was typed, and told.
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
    let editor = app().editor;
    let key = StoredValue::new(bound.draft_key());
    let (stored, flaw) = (bound.signal(), bound.flaw());
    let draft = move || editor.drafts.with(|drafts| key.with_value(|key| drafts.get(key).cloned()));
    let value = Signal::derive(move || {
        draft().unwrap_or_else(|| stored.get().map(|number| number.to_string()).unwrap_or_default())
    });
    let error = Signal::derive(move || {
        let most = if most < u32::MAX.into() { format!(" to {most}") } else { " or more".to_owned() };
        draft().map(|_| format!("Must be a whole number, {least}{most}."))
    });
    let change = move |text: String| {
        let text = text.trim().to_owned();
        let parsed = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        let kept = if parsed.is_none() && (needed || !text.is_empty()) { Some(text) } else { None };
        editor.draft(&key.get_value(), kept.clone());
        if kept.is_none() {
            bound.type_in(parsed);
        }
    };
    view! {
        <TextField label=label value=value error=error flaw=flaw hint=hint placeholder=placeholder
            on_input=change on_leave=move |()| editor.seal() />
    }
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
        <Switch label=label hint=hint value=value on_change=move |on: bool| bound.pick(on) />
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
) -> impl IntoView {
    let (value, flaw, key) = (bound.signal(), bound.flaw(), bound.draft_key());
    view! {
        <JsonArea label=label draft=key value=value flaw=flaw shape=shape hint=hint placeholder=placeholder rows=rows
            on_value=move |value| bound.type_in(value) />
    }
}
