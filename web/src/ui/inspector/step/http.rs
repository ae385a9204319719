//! The fields of a step that sends a request.

use leptos::prelude::*;
use stepweave_core::document::{HttpRequest, OnUnknown, Step, StepKind};

use crate::page::icon::{IMPORT, icon};
use crate::page::state::{Dialog, OperationsFor, app};
use crate::ui::inspector::fields::bound::{Bound, BoundChoice, StepId};
use crate::ui::inspector::fields::request::RequestFields;

/// The fields.
#[component]
pub fn HttpStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let request = Bound::new(
        id,
        "http",
        |step| match &step.kind {
            StepKind::Http(call) => call.http.clone(),
            _ => HttpRequest::default(),
        },
        |step, request| {
            if let StepKind::Http(call) = &mut step.kind {
                call.http = request;
            }
        },
    );
    let describe =
        move |_| app().dialog.set(Some(Dialog::operations(OperationsFor::Step(id.now().to_string()))));
    view! {
        <RequestFields request=request />
        <button class="text-button" on:click=describe>{icon(IMPORT)} "From an OpenAPI description…"</button>
    }
}

/// What few steps with a request need.
#[component]
pub fn HttpStepMore(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let unknown = Bound::new(
        id,
        "onUnknown",
        |step: &Step| match &step.kind {
            StepKind::Http(call) => call.on_unknown.word().to_owned(),
            _ => String::new(),
        },
        |step, word: String| {
            if let StepKind::Http(call) = &mut step.kind {
                call.on_unknown = OnUnknown::from_word(&word).unwrap_or_default();
            }
        },
    );
    view! {
        <BoundChoice label="If it may have been sent already" bound=unknown
            options=&[("fail", "the step fails, and a person decides"), ("retry", "it is sent once more"), ("skip", "the step gives null")] />
    }
}
