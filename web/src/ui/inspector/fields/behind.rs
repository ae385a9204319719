//! Fields for a value, with its JSON behind them.

use leptos::prelude::*;
use serde_json::Value;

use super::bound::{Bound, BoundJson};
use super::json::JsonShape;
use crate::page::state::app;
use crate::ui::field::flaw_line;

/// How a value can be shown, where its fields can be in several ways: the JSON is one more.
#[derive(Clone, Copy)]
pub struct Looks {
    /// The ways to show the fields, each by a word and what people call it.
    pub of_fields: &'static [(&'static str, &'static str)],
    /// The word of the present one, or that of the JSON.
    pub now: Signal<&'static str>,
    /// Takes another one.
    pub pick: Callback<&'static str>,
}

/// The word of the JSON.
pub const JSON: &str = "json";

/// The fields, or the JSON.
#[component]
pub fn JsonBehind(
    /// What it is, above the fields.
    label: &'static str,
    /// The value; none when nothing is said.
    bound: Bound<Option<Value>>,
    /// What the JSON has to be.
    shape: JsonShape,
    /// What the JSON may be.
    #[prop(optional)]
    placeholder: &'static str,
    /// What to say below.
    hint: &'static str,
    /// Whether there are fields for such a value.
    can_be_fields: fn(Option<&Value>) -> bool,
    /// The fields.
    #[prop(into)]
    fields: ViewFn,
    /// The ways to show them, where there are several.
    #[prop(optional_no_strip)]
    looks: Option<Looks>,
) -> impl IntoView {
    let editor = app().editor;
    let (value, flaw, draft) = (bound.signal(), bound.flaw(), StoredValue::new(bound.draft_key()));
    // A text that is no JSON yet is only there as text, and so is what the fields do not know.
    let has_fields = Memo::new(move |_| {
        let is_draft = editor.drafts.with(|drafts| draft.with_value(|key| drafts.contains_key(key)));
        !is_draft && value.with(|value| can_be_fields(value.as_ref()))
    });
    let prefers_json = looks.is_some_and(|looks| looks.now.get_untracked() == JSON);
    let in_json = RwSignal::new(prefers_json || !has_fields.get_untracked());
    // Whoever corrects the JSON goes on with it: the fields come back when they are asked for.
    // Set once only: what stands there would be made anew, and an editor with what is being typed in it would be gone.
    Effect::new(move || {
        if !has_fields.get() && !in_json.get_untracked() {
            in_json.set(true);
        }
    });
    let kept = StoredValue::new(bound);
    let content = move || {
        match in_json.get() {
        true => view! {
            <BoundJson label=label bound=kept.get_value() shape=shape hint=hint rows=6 placeholder=placeholder />
            {move || (looks.is_none() && has_fields.get()).then(|| view! {
                <button class="text-button" type="button" on:click=move |_| in_json.set(false)>"As fields"</button>
            })}
        }
        .into_any(),
        false => view! {
            <span class="field-label">{label}</span>
            {fields.run()}
            {looks.is_none().then(|| view! {
                <button class="text-button" type="button" on:click=move |_| in_json.set(true)>"As JSON"</button>
            })}
            <span class="field-hint">{hint}</span>
            {flaw_line(flaw)}
        }
        .into_any(),
    }
    };
    let choice = looks.map(|looks| {
        let button = move |(word, title): (&'static str, &'static str)| {
            let is_json = word == JSON;
            let is_now = move || if in_json.get() { is_json } else { !is_json && looks.now.get() == word };
            let pick = move |_| {
                looks.pick.run(word);
                in_json.set(is_json);
            };
            view! {
                <button class="tab" type="button" aria-pressed=move || is_now().to_string()
                    disabled=move || !is_json && !has_fields.get() on:click=pick>{title}</button>
            }
        };
        let all = looks.of_fields.iter().copied().chain([(JSON, "JSON")]);
        view! { <div class="looks" role="group" aria-label="Show as">{all.map(button).collect_view()}</div> }
    });
    let in_fields = move |text: &'static str| move || (!in_json.get()).then_some(text);
    view! { <div class="field" role=in_fields("group") aria-label=in_fields(label)>{choice}{content}</div> }
}
