//! The fields of the steps that wait: for a time, or for a person.

use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{Approval, Document, Step, StepKind, Wait};
use stepweave_core::rename::Place;

use crate::model::shape::Giver;
use crate::step::span::written;
use crate::ui::code::Writes;
use crate::ui::inspector::fields::bound::{
    Bound, BoundChoice, BoundLines, BoundSpan, BoundSwitch, StepId, or_empty,
};
use crate::ui::inspector::fields::rows::PlaceOf;
use crate::ui::inspector::fields::source::{CheckField, SourceField, is_empty};

/// The most milliseconds that every reader of JSON keeps exactly.
const MOST_MS: u64 = (1 << 53) - 1;

/// The fields of a wait.
#[component]
pub fn WaitStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let way = wait(
        id,
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
        id,
        "wait.ms",
        |wait| match wait {
            Wait::Ms(milliseconds) => Some(*milliseconds),
            Wait::Until(_) => None,
        },
        |wait, milliseconds| *wait = Wait::Ms(milliseconds.unwrap_or_default()),
    );
    let time = wait(
        id,
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
                <BoundLines label="Until" bound=time.clone() rows=1 code=true writes=Writes::Expression placeholder="'2030-01-31T12:00:00Z'"
                    hint="An expression for the time: milliseconds since 1970, or a text such as '2030-01-31T12:00:00Z'." />
            }
            .into_any();
        }
        let said = {
            let span = span.signal();
            Signal::derive(move || written(span.get().unwrap_or_default()))
        };
        view! { <BoundSpan label="Milliseconds" bound=span.clone() most=MOST_MS needed=true hint=said /> }
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
    id: StepId,
) -> impl IntoView {
    let message =
        or_empty(approval(id, "message", |own| own.message.clone(), |own, text| own.message = text));
    let schema = approval(id, "schema", |own| own.schema.clone(), |own, schema| own.schema = schema);
    let way = |key: &str,
               read: fn(&Approval) -> &Option<Vec<Step>>,
               write: fn(&mut Approval) -> &mut Option<Vec<Step>>| {
        approval(id, key, move |own| read(own).is_some(), move |own, on| *write(own) = on.then(Vec::new))
    };
    let yes = way("steps", |own| &own.steps, |own| &mut own.steps);
    let no = way("else", |own| &own.otherwise, |own| &mut own.otherwise);
    let late = way("expired", |own| &own.expired, |own| &mut own.expired);
    let span = approval(id, "expiresMs", |own| own.expires_ms, |own, span| own.expires_ms = span);
    let said = {
        let span = span.signal();
        Signal::derive(move || match span.get() {
            None => "How long a person may take, from the first request on. Empty: for ever.".to_owned(),
            Some(milliseconds) => written(milliseconds),
        })
    };
    let approved = approval(
        id,
        "approved",
        |own| own.approved.clone(),
        |own, source| {
            own.approved = source.filter(|source| !is_empty(source));
        },
    );
    let answer: PlaceOf = Arc::new(move |_: &Document| Some(Place::Approval(id.now().to_string())));
    let (has_yes, has_no) = (yes.signal(), no.signal());
    let decides = move || {
        (has_yes.get() || has_no.get()).then(|| view! {
        <SourceField label="Counts as approved when" bound=approved.clone() placeholder="output.approved"
            hint="An expression over the answer, which is called output. Empty: when its key approved is true." />
    })
    };
    view! {
        <BoundLines label="Message to the person" bound=message rows=3 writes=Writes::Template placeholder="Publish this? {{ draft_output }}"
            hint="A template: {{ key }} puts in a value of the state." />
        <CheckField label="The answer" bound=schema giver=Giver::Person place=answer
            hint="A JSON Schema, from which the form is made. Empty: any JSON will do." />
        <BoundSwitch label="Steps when approved" bound=yes hint="A way of its own below the card. Turning it off removes its steps." />
        <BoundSwitch label="Steps when refused" bound=no hint="Behind them the run goes on; an End among them ends it. Off: a refusal is an answer like any other." />
        {decides}
        <BoundSpan label="Expires after (ms)" bound=span least=1 most=MOST_MS hint=said placeholder="never" />
        <BoundSwitch label="Steps if nobody answers in time" bound=late hint="Without them, running out of time is a failure." />
    }
}

fn wait<T: Default + 'static>(
    id: StepId,
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
    id: StepId,
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
