//! The bounds on what a run may use.

use leptos::prelude::*;
use stepweave_core::document::Limits;

use crate::model::problem::LIMITS;
use crate::page::state::app;
use crate::step::span::written;
use crate::ui::inspector::fields::bound::{Bound, BoundAmount, BoundNumber, BoundSpan};
use crate::ui::inspector::fields::fold::Fold;

/// The most that every reader of JSON keeps exactly.
const MOST: u64 = (1 << 53) - 1;

/// The section, closed until it is opened.
#[component]
pub fn LimitFields() -> impl IntoView {
    let app = app();
    let said = Memo::new(move |_| {
        app.editor.document.with(|document| document.limits.as_ref().map(said).unwrap_or_else(none))
    });
    let flawed = Memo::new(move |_| app.flaws.with(|flaws| flaws.at(None, LIMITS).is_some()));
    let money = limit("maxCost", |limits| limits.max_cost, |limits, most| limits.max_cost = most);
    let tokens = limit("maxTokens", |limits| limits.max_tokens, |limits, most| limits.max_tokens = most);
    let time = limit("timeoutMs", |limits| limits.timeout_ms, |limits, most| limits.timeout_ms = most);
    let steps = limit("maxSteps", |limits| limits.max_steps, |limits, most| limits.max_steps = most);
    let attempt =
        limit("stepTimeoutMs", |limits| limits.step_timeout_ms, |limits, most| limits.step_timeout_ms = most);
    let first =
        limit("firstTokenMs", |limits| limits.first_token_ms, |limits, most| limits.first_token_ms = most);
    let pause = limit("idleMs", |limits| limits.idle_ms, |limits, most| limits.idle_ms = most);
    let events = limit("maxEvents", |limits| limits.max_events, |limits, most| limits.max_events = most);
    let state =
        limit("maxStateBytes", |limits| limits.max_state_bytes, |limits, most| limits.max_state_bytes = most);
    let result = limit(
        "maxResultBytes",
        |limits| limits.max_result_bytes,
        |limits, most| limits.max_result_bytes = most,
    );
    let open = RwSignal::new(false);
    view! {
        <Fold title="Limits of a run" open=open on_toggle=move |is_open| open.set(is_open) said=said flawed=flawed>
            <div class="pair even">
                <BoundAmount label="US$" bound=money placeholder="no limit" />
                <BoundNumber label="Tokens" bound=tokens least=1 most=MOST placeholder="no limit" />
            </div>
            <span class="field-hint">"Checked before each call of a model. Money needs to know the prices: they are set at the models."</span>
            <div class="pair even">
                <BoundSpan label="Time (ms)" bound=time least=1 most=MOST placeholder="no limit" />
                <BoundNumber label="Steps begun" bound=steps least=1 most=MOST placeholder="10000" />
            </div>
            <div class="pair even">
                <BoundSpan label="One attempt of a step (ms)" bound=attempt least=1 most=MOST placeholder="no limit" />
                <BoundNumber label="Events" bound=events least=1 most=MOST placeholder="2000000" />
            </div>
            <div class="pair even">
                <BoundSpan label="Until a model begins (ms)" bound=first least=1 most=MOST placeholder="600000" />
                <BoundSpan label="While it pauses (ms)" bound=pause least=1 most=MOST placeholder="600000" />
            </div>
            <div class="pair even">
                <BoundNumber label="State (bytes)" bound=state least=1 most=MOST placeholder="no limit" />
                <BoundNumber label="One result (bytes)" bound=result least=1 most=MOST placeholder="33554432" />
            </div>
            <span class="field-hint">"A result is what a function, a tool or an answer from outside gives at once, as JSON."</span>
        </Fold>
    }
}

fn limit<T: Default + 'static>(
    field: &str,
    read: impl Fn(&Limits) -> Option<T> + Send + Sync + 'static,
    write: impl Fn(&mut Limits, Option<T>) + Send + Sync + 'static,
) -> Bound<Option<T>> {
    Bound::of_workflow(
        format!("{LIMITS}.{field}"),
        move |document| document.limits.as_ref().and_then(&read),
        move |document, most| {
            let mut limits = document.limits.unwrap_or_default();
            write(&mut limits, most);
            document.limits = Some(limits).filter(|limits| *limits != Limits::default());
        },
    )
}

/// What is set, in a few words.
fn said(limits: &Limits) -> String {
    let mut words = Vec::new();
    words.extend(limits.max_cost.map(|most| format!("US$ {most}")));
    words.extend(limits.max_tokens.map(|most| format!("{most} tokens")));
    words.extend(limits.timeout_ms.map(written));
    words.extend(limits.max_steps.map(|most| format!("{most} steps")));
    if words.is_empty() { none() } else { words.join(" · ") }
}

fn none() -> String {
    "money, tokens, time".to_owned()
}
