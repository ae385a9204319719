//! What every kind of step has and few steps need.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{OnError, Step, StepKind};
use stepweave_core::edit::find;
use stepweave_core::validate::why_not_pinned;

use super::agent_step::AgentStepMore;
use super::http::HttpStepMore;
use crate::page::state::app;
use crate::step::kinds::Kind;
use crate::ui::inspector::fields::bound::{
    Bound, BoundChoice, BoundLines, BoundNumber, BoundSpan, BoundSwitch, StepId, or_empty,
};
use crate::ui::inspector::fields::fold::Fold;
use crate::ui::inspector::fields::json::{JsonArea, JsonShape};
use crate::ui::inspector::fields::source::CheckField;
use crate::ui::inspector::word_of;

/// The fields whose problems open the section.
const FIELDS: [&str; 13] = [
    "enabled",
    "required",
    "onError",
    "retryCount",
    "timeoutMs",
    "files",
    "history",
    "fullResponse",
    "input",
    "output",
    "coerce",
    "onUnknown",
    "pin",
];
const MOST_MS: u64 = (1 << 53) - 1;

/// The section, closed until it is opened.
#[component]
pub fn MoreFields(
    /// The step's id.
    id: StepId,
    /// The step's kind.
    kind: Kind,
) -> impl IntoView {
    let app = app();
    let said = Memo::new(move |_| app.editor.step(&id.get(), said).unwrap_or_default());
    let flawed = Memo::new(move |_| {
        let own = id.get();
        app.flaws.with(|flaws| FIELDS.iter().any(|field| flaws.at(Some(&own), field).is_some()))
    });
    let enabled = Bound::new(id, "enabled", |step| step.enabled, |step, on| step.enabled = on);
    let required = Bound::new(id, "required", |step| step.required, |step, on| step.required = on);
    let on_error = Bound::new(
        id,
        "onError",
        |step| step.on_error.map_or("", word_of).to_owned(),
        |step, word| step.on_error = OnError::from_word(&word),
    );
    let coerce = Bound::new(id, "coerce", |step| step.coerce, |step, on| step.coerce = on);
    let input = Bound::new(id, "input", |step| step.input.clone(), |step, check| step.input = check);
    let output = Bound::new(id, "output", |step| step.output.clone(), |step, check| step.output = check);
    let notes = Bound::new(id, "notes", |step| step.notes.clone(), |step, text| step.notes = text);
    view! {
        <Fold title="More" open=app.more on_toggle=move |is_open| app.more.set(is_open) said=said flawed=flawed>
                <BoundSwitch label="Enabled" hint="Off: the step is left out, as if it were not there" bound=enabled />
                <BoundSwitch label="Required" hint="Off: when it fails the run goes on, whatever is said below" bound=required />
                <BoundChoice
                    label="If it fails, the run"
                    bound=on_error
                    options=&[("", "does what the workflow says"), ("stop", "stops"), ("continue", "goes on")]
                />
                {attempts(id, kind)}
                {(kind == Kind::Http).then(|| view! { <HttpStepMore id=id /> })}
                {(kind == Kind::Agent).then(|| view! { <AgentStepMore id=id /> })}
                <CheckField label="Input" bound=input hint="What the state has to be when the step begins" />
                <CheckField label="Output" bound=output hint="What the step has to give" />
                <BoundSwitch label="Convert types" hint="Take \"3\" where a number is meant, and the like" bound=coerce />
                <PinField id=id.now().to_string() />
                <BoundLines label="Notes" bound=or_empty(notes) placeholder="For the people who read this workflow" />
        </Fold>
    }
}

/// What the step is taken to give in trial runs; nothing where it cannot be pinned and is not.
#[component]
fn PinField(id: String) -> impl IntoView {
    let app = app();
    let own = StoredValue::new(id.clone());
    let pinned = Bound::of_workflow(
        format!("pins.{id}"),
        move |document| own.with_value(|id| document.pins.get(id).cloned()),
        move |document, pin: Option<Value>| {
            own.with_value(|id| match pin {
                Some(pin) => drop(document.pins.insert(id.clone(), pin)),
                None => drop(document.pins.shift_remove(id)),
            });
        },
    );
    let offered = Memo::new(move |_| {
        own.with_value(|id| {
            app.editor.document.with(|document| {
                let may = find(document, id).is_some_and(|step| why_not_pinned(document, step).is_none());
                may || document.pins.contains_key(id)
            })
        })
    });
    move || {
        let (pinned, change) = (pinned.clone(), pinned.clone());
        offered.get().then(|| {
            view! {
                <div class="pinned-output">
                <JsonArea
                    label="Pinned output"
                    draft=pinned.draft_key()
                    value=pinned.signal()
                    on_value=move |value| change.type_in(value)
                    shape=JsonShape::Any
                    flaw=pinned.flaw()
                    hint="JSON that trial runs take instead of running the step; a text stands in quotes"
                />
                </div>
            }
        })
    }
}

/// Only what calls something is tried again and has a time limit.
fn attempts(id: StepId, kind: Kind) -> Option<impl IntoView + use<>> {
    if !matches!(kind, Kind::Agent | Kind::Function | Kind::Http) {
        return None;
    }
    let retries = Bound::new(
        id,
        "retryCount",
        |step| step.retry_count.map(u64::from),
        |step, many: Option<u64>| step.retry_count = many.and_then(|many| many.try_into().ok()),
    );
    let timeout = Bound::new(id, "timeoutMs", |step| step.timeout_ms, |step, most| step.timeout_ms = most);
    Some(view! {
        <div class="pair even">
            <BoundNumber label="Retries" bound=retries most=1000 placeholder="as the workflow" />
            <BoundSpan label="Time limit (ms)" bound=timeout least=1 most=MOST_MS placeholder="as the workflow" />
        </div>
    })
}

/// What is set, in a few words.
fn said(step: &Step) -> String {
    let mut words = Vec::new();
    if !step.enabled {
        words.push("left out".to_owned());
    }
    if !step.required {
        words.push("not required".to_owned());
    }
    words.extend(step.on_error.map(|on_error| format!("on error {}", word_of(on_error))));
    words.extend(step.retry_count.map(|many| format!("{many} retries")));
    words.extend(step.timeout_ms.map(|most| format!("{most} ms")));
    if let StepKind::Agent(call) = &step.kind {
        words.extend(call.files.as_ref().map(|_| "files".to_owned()));
        words.extend(call.history.as_ref().map(|history| format!("conversation {}", history.key)));
        words.extend(call.full_response.then(|| "whole answer".to_owned()));
    }
    words.extend(step.input.as_ref().map(|_| "input".to_owned()));
    words.extend(step.output.as_ref().map(|_| "output".to_owned()));
    words.extend(step.coerce.then(|| "coerce".to_owned()));
    words.extend(step.notes.as_ref().map(|_| "notes".to_owned()));
    if words.is_empty() { "failure, checks, notes".to_owned() } else { words.join(" · ") }
}
