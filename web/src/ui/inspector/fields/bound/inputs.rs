//! Fields of the form that read and write such a value.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::decimal;

use super::Bound;
use crate::page::state::app;
use crate::step::span;
use crate::ui::code::Writes;
use crate::ui::field::{Choice, Switch, TextArea, TextField, flaw_line};
use crate::ui::inspector::fields::json::{JsonArea, JsonShape};
use crate::ui::inspector::fields::typing::Typing;
use crate::ui::inspector::owned;

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
