//! The tools that a model called, and what it thought before it answered.

use leptos::prelude::*;
use serde_json::Value;

use super::super::icon::{icon, of_status};
use crate::model::span::measured;
use crate::run::board::{CallRun, StepRun};

/// What a model thought, closed until it is opened.
#[component]
pub fn Reasoning(
    /// The execution.
    run: Memo<StepRun>,
) -> impl IntoView {
    let text = Memo::new(move |_| run.with(|run| run.reasoning.clone()));
    let is_there = Memo::new(move |_| text.with(|text| !text.is_empty()));
    move || {
        is_there.get().then(|| {
            view! {
                <details class="told">
                    <summary><b>"Reasoning"</b></summary>
                    <pre class="output">{text}</pre>
                </details>
            }
        })
    }
}

/// The calls of tools in order, each closed until it is opened.
#[component]
pub fn ToolCalls(
    /// The execution.
    run: Memo<StepRun>,
) -> impl IntoView {
    let ids =
        Memo::new(move |_| run.with(|run| run.calls.iter().map(|call| call.id.clone()).collect::<Vec<_>>()));
    let row = move |id: String| {
        let call = Memo::new(move |_| run.with(|run| run.calls.iter().find(|call| call.id == id).cloned()));
        move || call.get().map(|call| view! { <Call call=call /> })
    };
    view! { <For each=move || ids.get() key=Clone::clone children=row /> }
}

#[component]
fn Call(call: CallRun) -> impl IntoView {
    let status = call.status();
    let end = call.end.map(|end| match end {
        Ok(output) => {
            view! { <span class="field-label">"Output"</span> <pre class="output">{readable(&output)}</pre> }
                .into_any()
        }
        Err(failure) => view! {
            <div class="failure">
                <p>{failure.message}</p>
                {failure.hint.map(|hint| view! { <p class="failure-hint">{hint}</p> })}
            </div>
        }
        .into_any(),
    });
    view! {
        <details class="told">
            <summary>
                <span class="state" data-status=status.word() title=status.word()>{icon(of_status(status))}</span>
                <b>{call.tool}</b>
                <small>{call.input.to_string()}</small>
                <span class="card-time">{call.duration_ms.map(measured)}</span>
            </summary>
            <div class="told-body">
                <span class="field-label">"Input"</span>
                <pre class="output">{readable(&call.input)}</pre>
                {end}
            </div>
        </details>
    }
}

/// A text as it is, anything else as JSON.
pub fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // A value is JSON already.
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
