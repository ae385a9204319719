//! The fields of inspector and dialogs.

use leptos::ev;
use leptos::prelude::*;

/// One line of text.
#[component]
pub fn TextField(
    /// What it is, above the field.
    label: &'static str,
    /// What stands in it.
    #[prop(into)]
    value: Signal<String>,
    /// Called with each change.
    #[prop(into)]
    on_input: Callback<String>,
    /// Called when the field is left.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// What is wrong with it.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    /// An example, shown while it is empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// `text`, `password`, `url` or `number`.
    #[prop(default = "text")]
    kind: &'static str,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
) -> impl IntoView {
    let leave = move |_: ev::FocusEvent| {
        if let Some(leave) = on_leave {
            leave.run(());
        }
    };
    let about = next_id();
    view! {
        <label class="field" class:wrong=move || error.with(Option::is_some)>
            <span class="field-label">{label}</span>
            <input
                class="input"
                aria-label=label
                aria-describedby=about.clone()
                class:code=code
                type=kind
                autocomplete="off"
                spellcheck="false"
                placeholder=placeholder
                aria-invalid=move || error.with(Option::is_some).to_string()
                prop:value=value
                on:input=move |event| on_input.run(event_target_value(&event))
                on:blur=leave
            />
            <span id=about>{below(hint, error)}</span>
        </label>
    }
    .into_any()
}

/// Several lines of text.
#[component]
pub fn TextArea(
    /// What it is, above the field.
    label: &'static str,
    /// What stands in it.
    #[prop(into)]
    value: Signal<String>,
    /// Called with each change.
    #[prop(into)]
    on_input: Callback<String>,
    /// Called when the field is left.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// What is wrong with it.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    /// An example, shown while it is empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// How many lines are seen.
    #[prop(default = 3)]
    rows: u32,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
) -> impl IntoView {
    let leave = move |_: ev::FocusEvent| {
        if let Some(leave) = on_leave {
            leave.run(());
        }
    };
    let about = next_id();
    view! {
        <label class="field" class:wrong=move || error.with(Option::is_some)>
            <span class="field-label">{label}</span>
            <textarea
                class="input"
                aria-label=label
                aria-describedby=about.clone()
                class:code=code
                rows=rows
                spellcheck=if code { "false" } else { "true" }
                placeholder=placeholder
                aria-invalid=move || error.with(Option::is_some).to_string()
                prop:value=value
                on:input=move |event| on_input.run(event_target_value(&event))
                on:blur=leave
            ></textarea>
            <span id=about>{below(hint, error)}</span>
        </label>
    }
    .into_any()
}

/// One of several choices.
#[component]
pub fn Choice(
    /// What it is, above the field.
    label: &'static str,
    /// The chosen value.
    #[prop(into)]
    value: Signal<String>,
    /// Values with what people call them.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// Called with the value that is picked.
    #[prop(into)]
    on_pick: Callback<String>,
) -> impl IntoView {
    let choices = move || {
        let chosen = value.get();
        let option = |(value, text): (String, String)| {
            let picked = value == chosen;
            view! { <option value=value prop:selected=picked>{text}</option> }
        };
        options.get().into_iter().map(option).collect_view()
    };
    view! {
        <label class="field">
            <span class="field-label">{label}</span>
            <select class="input" aria-label=label on:change=move |event| on_pick.run(event_target_value(&event))>
                {choices}
            </select>
        </label>
    }
    .into_any()
}

/// Yes or no.
#[component]
pub fn Switch(
    /// What it is.
    label: &'static str,
    /// What it means.
    hint: &'static str,
    /// Whether it is on.
    #[prop(into)]
    value: Signal<bool>,
    /// Called with the new value.
    #[prop(into)]
    on_change: Callback<bool>,
) -> impl IntoView {
    view! {
        <label class="switch">
            <input type="checkbox" prop:checked=value on:change=move |event| on_change.run(event_target_checked(&event)) />
            <span class="switch-track" aria-hidden="true"></span>
            <span class="switch-text">{label}<small>{hint}</small></span>
        </label>
    }
    .into_any()
}

/// An id for what stands below a field: it describes the field and is no part of its name.
fn next_id() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LAST: AtomicU32 = AtomicU32::new(0);
    format!("about-{}", LAST.fetch_add(1, Ordering::Relaxed))
}

fn below(hint: Signal<String>, error: Signal<Option<String>>) -> impl IntoView {
    move || match error.get() {
        Some(text) => view! { <span class="field-error" role="alert">{text}</span> }.into_any(),
        None if hint.with(String::is_empty) => ().into_any(),
        None => view! { <span class="field-hint">{hint.get()}</span> }.into_any(),
    }
}
