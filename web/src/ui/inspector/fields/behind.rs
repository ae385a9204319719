//! Fields for a value, with its JSON behind them.

use leptos::prelude::*;
use serde_json::Value;

use super::bound::{Bound, BoundJson};
use super::json::JsonShape;
use crate::page::state::app;
use crate::ui::field::flaw_line;

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
) -> impl IntoView {
    let editor = app().editor;
    let (value, flaw, draft) = (bound.signal(), bound.flaw(), StoredValue::new(bound.draft_key()));
    // A text that is no JSON yet is only there as text, and so is what the fields do not know.
    let has_fields = Memo::new(move |_| {
        let is_draft = editor.drafts.with(|drafts| draft.with_value(|key| drafts.contains_key(key)));
        !is_draft && value.with(|value| can_be_fields(value.as_ref()))
    });
    let in_json = RwSignal::new(!has_fields.get_untracked());
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
            {move || has_fields.get().then(|| view! {
                <button class="text-button" type="button" on:click=move |_| in_json.set(false)>"As fields"</button>
            })}
        }
        .into_any(),
        false => view! {
            <span class="field-label">{label}</span>
            {fields.run()}
            <button class="text-button" type="button" on:click=move |_| in_json.set(true)>"As JSON"</button>
            <span class="field-hint">{hint}</span>
            {flaw_line(flaw)}
        }
        .into_any(),
    }
    };
    let in_fields = move |text: &'static str| move || (!in_json.get()).then_some(text);
    view! { <div class="field" role=in_fields("group") aria-label=in_fields(label)>{content}</div> }
}
