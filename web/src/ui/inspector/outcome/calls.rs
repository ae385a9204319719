//! The tools that a model called, and what it thought before it answered.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::json;

use super::links::links;
use super::run_of_step::Shown;
use crate::model::readable::readable;
use crate::page::icon::{icon, of_status};
use crate::run::event::Source;
use crate::run::glance::failed_calls;
use crate::run::step_run::CallRun;
use crate::step::kinds::Kind;
use crate::step::plain::plain;
use crate::step::span::measured;
use crate::step::upright::upright_json;

/// What a model thought, closed until it is opened.
#[component]
pub fn Reasoning(
    /// The execution.
    shown: Shown,
) -> impl IntoView {
    // It only grows, unless a model is asked anew.
    let mark = Memo::new(move |_| (shown.identity(), shown.read(|run| (run.attempt, run.reasoning.len()))));
    let text = move || {
        mark.with(|_| ());
        shown.read_now(|run| run.reasoning.clone())
    };
    let is_there = Memo::new(move |_| shown.read(|run| !run.reasoning.is_empty()).unwrap_or_default());
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

/// That calls of tools failed, which the step may have gone on without, and what was said of the last one.
#[component]
pub fn FailedCalls(
    /// The execution.
    shown: Shown,
) -> impl IntoView {
    let said = Memo::new(move |_| {
        shown
            .read(|run| {
                let (tool, failure) = run.last_failed_call()?;
                Some((failed_calls(run.failed_calls()), tool.to_owned(), failure.message.clone()))
            })
            .flatten()
    });
    move || {
        said.get().map(|(count, tool, why)| {
            view! { <p class="told-row warning">{count} ". " <b>{tool}</b> ": " {plain(why, Some(Kind::Http))}</p> }
        })
    }
}

/// The calls of tools in order, each closed until it is opened.
#[component]
pub fn ToolCalls(
    /// The execution.
    shown: Shown,
) -> impl IntoView {
    // Calls are added, and each ends once.
    let rows = Memo::new(move |_| {
        let identity = shown.identity();
        let calls = shown.read(|run| run.calls.iter().map(|call| call.id.clone()).collect::<Vec<_>>());
        calls.unwrap_or_default().into_iter().map(|id| (identity.clone(), id)).collect::<Vec<_>>()
    });
    let row = move |(_, id): (_, String)| {
        let id = StoredValue::new(id);
        let is_it = move |call: &&CallRun| id.with_value(|id| call.id == *id);
        let ended = Memo::new(move |_| {
            shown.read(|run| run.calls.iter().any(|call| is_it(&call) && call.end.is_some()))
        });
        move || {
            ended.get();
            let call = shown.read_now(|run| run.calls.iter().find(is_it).cloned()).flatten();
            call.map(|call| view! { <Call call=call /> })
        }
    };
    view! { <For each=move || rows.get() key=Clone::clone children=row /> }
}

/// One call, closed until it is opened.
#[component]
pub fn Call(
    /// The call.
    call: CallRun,
) -> impl IntoView {
    let status = call.status();
    let found = |output: &Value| serde_json::from_value::<Vec<Source>>(output.clone()).ok();
    let end = call.end.map(|end| match end {
        Ok(output) if call.by_provider && output.is_array() => view! {
            <span class="field-label">"Found"</span>
            {found(&output).map(links)}
        }
        .into_any(),
        Ok(output) => {
            view! { <span class="field-label">"Output"</span> <pre class="output">{readable(&output)}</pre> }
                .into_any()
        }
        Err(failure) => view! {
            <div class="failure">
                <p>{plain(failure.message, Some(Kind::Http))}</p>
                {failure.hint.map(|hint| view! { <p class="failure-hint">{plain(hint, Some(Kind::Http))}</p> })}
            </div>
        }
        .into_any(),
    });
    view! {
        <details class="told">
            <summary>
                <span class="state" data-status=status.word() title=status.said()>{icon(of_status(status))}</span>
                <b>{call.tool}</b>
                {call.by_provider.then(|| view! { <small>"by the provider"</small> })}
                <small>{upright_json(json::text(&call.input))}</small>
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
