//! The fields of inspector and dialogs.

use leptos::html;
use leptos::prelude::*;

use super::code::{Writes, become_code};
use crate::model::locate::kind_at;
use crate::model::mending::Mend;
use crate::model::problem::Problem;
use crate::page::state::app;
use crate::step::plain::plain;
use crate::step::upright::upright;

/// One line of text.
#[component]
pub fn TextField(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
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
    /// What is wrong with what was typed.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    /// What is wrong with it in the document.
    #[prop(optional, into)]
    flaw: Signal<Option<Problem>>,
    /// An example, shown while it is empty.
    #[prop(optional, into)]
    placeholder: Signal<String>,
    /// `text`, `secret`, `url` or `number`.
    #[prop(default = "text")]
    kind: &'static str,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
    /// What is written in it, where that is code of a language.
    #[prop(optional_no_strip, into)]
    writes: Option<Writes>,
    /// Whether the dialog around it opens with the focus here.
    #[prop(optional)]
    autofocus: bool,
    /// What can stand in it, as suggestions.
    #[prop(optional, into)]
    offers: Signal<Vec<String>>,
) -> impl IntoView {
    let below = Below::new(hint, error, flaw);
    let (name, says) = (label.clone(), below.says);
    let list = format!("{}-offers", below.id);
    let own_list = list.clone();
    let node = NodeRef::<html::Input>::new();
    let preview = become_code(move || node.get().map(Into::into), writes, value, flaw);
    let is_secret = kind == "secret";
    let input = view! {
        <input
            class="input"
            class:secret=is_secret
            list=move || offers.with(|offers| !offers.is_empty()).then(|| own_list.clone())
            autofocus=autofocus
            aria-label=name
            node_ref=node
            aria-describedby=below.id.clone()
            class:code=code
            // Browsers take what is of the type `password` for a sign-in, and store it with the field before it.
            type=if is_secret { "text" } else { kind }
            autocapitalize=is_secret.then_some("off")
            autocomplete="off"
            spellcheck="false"
            placeholder=placeholder
            aria-invalid=move || wrong(says).to_string()
            prop:value=value
            on:input=move |event| on_input.run(event_target_value(&event))
            on:blur=move |_| {
                leave(on_leave);
                // What was typed may mean what stood there before, as `007` or nothing at all can.
                if let (Some(field), Some(kept)) = (node.try_get_untracked().flatten(), value.try_get_untracked()) {
                    field.set_value(&kept);
                }
            }
        />
        {move || offers.with(|offers| (!offers.is_empty()).then(|| {
            let options = offers.iter().map(|offer| view! { <option value=offer.clone()></option> }).collect_view();
            view! { <datalist id=list.clone()>{options}</datalist> }
        }))}
    };
    framed(label, below, input.into_any(), preview)
}

/// Several lines of text.
#[component]
pub fn TextArea(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
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
    /// What is wrong with what was typed.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    /// What is wrong with it in the document.
    #[prop(optional, into)]
    flaw: Signal<Option<Problem>>,
    /// An example, shown while it is empty.
    #[prop(optional, into)]
    placeholder: Signal<String>,
    /// How many lines are seen.
    #[prop(default = 3)]
    rows: u32,
    /// Whether it is code.
    #[prop(optional)]
    code: bool,
    /// What is written in it, where that is code of a language.
    #[prop(optional_no_strip, into)]
    writes: Option<Writes>,
) -> impl IntoView {
    let below = Below::new(hint, error, flaw);
    let (name, says) = (label.clone(), below.says);
    let node = NodeRef::<html::Textarea>::new();
    let preview = become_code(move || node.get().map(Into::into), writes, value, flaw);
    let input = view! {
        <textarea
            class="input"
            aria-label=name
            node_ref=node
            aria-describedby=below.id.clone()
            class:code=code
            rows=rows
            spellcheck=if code { "false" } else { "true" }
            placeholder=placeholder
            aria-invalid=move || wrong(says).to_string()
            prop:value=value
            on:input=move |event| on_input.run(event_target_value(&event))
            on:blur=move |_| leave(on_leave)
        ></textarea>
    };
    framed(label, below, input.into_any(), preview)
}

/// One of several choices.
#[component]
pub fn Choice(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
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
    let name = label.clone();
    view! {
        <label class="field">
            <span class="field-label">{label}</span>
            <select class="input" aria-label=name on:change=move |event| on_pick.run(event_target_value(&event))>
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
    #[prop(into)]
    label: Signal<String>,
    /// What it means.
    #[prop(into)]
    hint: Signal<String>,
    /// Whether it is on.
    #[prop(into)]
    value: Signal<bool>,
    /// Called with the new value.
    #[prop(into)]
    on_change: Callback<bool>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let change = move |event| {
        on_change.run(event_target_checked(&event));
        // It may ask first, and stay as it is.
        if let Some(input) = input.get_untracked() {
            input.set_checked(value.get_untracked());
        }
    };
    view! {
        <label class="switch">
            <input type="checkbox" node_ref=input prop:checked=value on:change=change />
            <span class="switch-track" aria-hidden="true"></span>
            <span class="switch-text">{label}<small>{hint}</small></span>
        </label>
    }
    .into_any()
}

/// What stands below a field.
#[derive(Clone)]
struct Below {
    /// It describes the field and does not belong to its name, so the field refers to it by this id.
    id: String,
    says: Signal<Option<Said>>,
}

#[derive(Clone, PartialEq)]
enum Said {
    Hint(String),
    Error(String),
    Flaw(Problem),
}

impl Below {
    fn new(hint: Signal<String>, error: Signal<Option<String>>, flaw: Signal<Option<Problem>>) -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static LAST: AtomicU32 = AtomicU32::new(0);
        let says = Memo::new(move |_| {
            let hint = || Some(hint.get()).filter(|text| !text.is_empty()).map(Said::Hint);
            error.get().map(Said::Error).or_else(|| flaw.get().map(Said::Flaw)).or_else(hint)
        });
        Self { id: format!("about-{}", LAST.fetch_add(1, Ordering::Relaxed)), says: says.into() }
    }
}

fn wrong(says: Signal<Option<Said>>) -> bool {
    says.with(|said| match said {
        Some(Said::Error(_)) => true,
        Some(Said::Flaw(problem)) => problem.is_error(),
        Some(Said::Hint(_)) | None => false,
    })
}

/// What is said below a field. While a person is in it, what comes there moves nothing (`ts/still`).
pub fn below(said: impl IntoView) -> impl IntoView {
    view! { <div class="below"><div class="said-below">{said}</div></div> }
}

/// The problem of a field that is made of several inputs.
pub fn flaw_line(flaw: Signal<Option<Problem>>) -> impl IntoView {
    below(said_of(flaw))
}

/// What is said of the problem, where something else is said below the field too.
pub fn said_of(flaw: Signal<Option<Problem>>) -> impl IntoView {
    move || flaw.get().map(flawed)
}

/// What is wrong with what was typed.
pub fn complained(text: impl Into<String>) -> impl IntoView {
    view! { <span class="field-error" role="alert">{upright(text.into())}</span> }
}

fn framed(label: String, Below { id, says }: Below, input: AnyView, preview: AnyView) -> AnyView {
    let line = move || match says.get() {
        Some(Said::Error(text)) => complained(text).into_any(),
        Some(Said::Flaw(problem)) => flawed(problem).into_any(),
        Some(Said::Hint(text)) => view! { <span class="field-hint">{text}</span> }.into_any(),
        None => ().into_any(),
    };
    // The label holds no button: a click on it, or into an editor, which is no field to a browser, would press that.
    view! {
        <div class="field" class:wrong=move || wrong(says)>
            <label class="field-name"><span class="field-label">{label}</span> {input}</label>
            {below((preview, view! { <span id=id>{line}</span> }))}
        </div>
    }
    .into_any()
}

fn flawed(problem: Problem) -> impl IntoView {
    let buttons = mend_buttons(&problem);
    let kind = app().editor.document.with_untracked(|document| kind_at(document, &problem.path));
    let advice = plain(problem.advice(), kind);
    view! {
        <span class="field-error" data-severity=problem.severity role="alert">
            {plain(problem.message, kind)}
            <small>{advice}</small>
            {buttons}
        </span>
    }
}

/// The buttons that end a problem, where that is known.
pub fn mend_buttons(problem: &Problem) -> impl IntoView + use<> {
    let editor = app().editor;
    let button = |mend: Mend| {
        let path = problem.path.clone();
        let title = upright(mend.title());
        let end = move |_| editor.mend(&path, &mend);
        view! { <button class="text-button fix" type="button" on:click=end>{title}</button> }
    };
    editor
        .document
        .with_untracked(|document| Mend::all(document, problem))
        .into_iter()
        .map(button)
        .collect_view()
}

fn leave(on_leave: Option<Callback<()>>) {
    if let Some(leave) = on_leave {
        // A field that goes away while it has the focus is left, too, when whoever wants to know is gone already.
        let _ = leave.try_run(());
    }
}
