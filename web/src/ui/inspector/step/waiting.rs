//! The fields of the steps that wait: for a time, or for a person.

use leptos::prelude::*;
use stepweave_core::document::{Approval, Step, StepKind, Wait};

use crate::step::span::written;
use crate::ui::inspector::fields::bound::{Bound, BoundChoice, BoundLines, BoundNumber, or_empty};
use crate::ui::inspector::fields::source::CheckField;

/// The most milliseconds that every reader of JSON keeps exactly.
const MOST_MS: u64 = (1 << 53) - 1;

/// The fields of a wait.
#[component]
pub fn WaitStep(
    /// The step's id.
    id: String,
) -> impl IntoView {
    let way = wait(
        &id,
        "wait",
        |wait| {
            match wait {
                Wait::Ms(_) => "ms",
                Wait::Until(_) => "until",
            }
            .to_owned()
        },
        |wait, word| {
            *wait = if word == "until" {
                Wait::Until("'2030-01-31T12:00:00Z'".to_owned())
            } else {
                Wait::Ms(1000)
            };
        },
    );
    let chosen = way.signal();
    let span = wait(
        &id,
        "wait.ms",
        |wait| match wait {
            Wait::Ms(milliseconds) => Some(*milliseconds),
            Wait::Until(_) => None,
        },
        |wait, milliseconds| *wait = Wait::Ms(milliseconds.unwrap_or_default()),
    );
    let time = wait(
        &id,
        "wait.until",
        |wait| match wait {
            Wait::Until(expression) => expression.clone(),
            Wait::Ms(_) => String::new(),
        },
        |wait, expression| *wait = Wait::Until(expression),
    );
    let content = move || {
        if chosen.get() == "until" {
            return view! {
                <BoundLines label="Until" bound=time.clone() rows=1 code=true placeholder="'2030-01-31T12:00:00Z'"
                    hint="An expression for the time: milliseconds since 1970, or a text such as '2030-01-31T12:00:00Z'." />
            }
            .into_any();
        }
        let said = {
            let span = span.signal();
            Signal::derive(move || written(span.get().unwrap_or_default()))
        };
        view! { <BoundNumber label="Milliseconds" bound=span.clone() most=MOST_MS needed=true hint=said /> }
            .into_any()
    };
    view! {
        <BoundChoice label="Wait" bound=way options=&[("ms", "for a while"), ("until", "until a time")] />
        {content}
    }
}

/// The fields of an approval.
#[component]
pub fn ApprovalStep(
    /// The step's id.
    id: String,
) -> impl IntoView {
    let message =
        or_empty(approval(&id, "message", |own| own.message.clone(), |own, text| own.message = text));
    let schema = approval(&id, "schema", |own| own.schema.clone(), |own, schema| own.schema = schema);
    view! {
        <BoundLines label="What the person is told" bound=message rows=3 placeholder="Publish this? {{ draft_output }}"
            hint="A template: {{ key }} puts in a value of the state." />
        <CheckField label="The answer" bound=schema
            hint="A JSON Schema, from which the form is made. Empty: any JSON will do." />
    }
}

fn wait<T: Default + 'static>(
    id: &str,
    path: &str,
    read: impl Fn(&Wait) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Wait, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Wait(wait) => read(wait),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Wait(wait) = &mut step.kind {
            write(wait, value);
        }
    })
}

fn approval<T: Default + 'static>(
    id: &str,
    path: &str,
    read: impl Fn(&Approval) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Approval, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Approval(own) => read(own),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Approval(own) = &mut step.kind {
            write(own, value);
        }
    })
}
