//! The panel below the canvas: the run's steps, its errors and the state it ends with; or the problems.

use leptos::prelude::*;
use serde_json::Value;

use super::icon::{CLOSE, COPY, icon, of_status};
use super::problems::Problems;
use super::state::{Panel, app};
use crate::bridge::once_with_answer;
use crate::canvas::card::duration;
use crate::run::board::{Board, Status, StepRun};
use crate::run::event::{Failure, StepRef};

/// How many rows are listed; more would make the page slow and are on the canvas anyway.
const MOST_ROWS: usize = 300;

/// The panel.
#[component]
pub fn BottomPanel() -> impl IntoView {
    let app = app();
    let shows = move |panel: Panel| app.panel.get() == Some(panel);
    let tab = move |panel: Panel, text: &'static str| {
        view! {
            <button
                class="tab"
                role="tab"
                aria-selected=move || shows(panel).to_string()
                on:click=move |_| app.panel.set(Some(panel))
            >
                {text}
                {move || {
                    let count = app.problems.with(Vec::len);
                    (panel == Panel::Problems && count > 0).then(|| view! { <span class="count">{count}</span> })
                }}
            </button>
        }
    };
    view! {
        <Show when=move || app.panel.with(Option::is_some)>
            <section class="panel" aria-label="Run and problems">
                <div class="panel-head">
                    <div role="tablist">{tab(Panel::Run, "Run")} {tab(Panel::Problems, "Problems")}</div>
                    <RunSummary />
                    <button class="icon-button" title="Close" aria-label="Close the panel" on:click=move |_| app.panel.set(None)>
                        {icon(CLOSE)}
                    </button>
                </div>
                <Show when=move || shows(Panel::Run) fallback=|| view! { <Problems /> }>
                    <RunView />
                </Show>
            </section>
        </Show>
    }
}

#[component]
fn RunSummary() -> impl IntoView {
    let app = app();
    let text = move || {
        app.runner.read(|board| {
            let usage =
                board.result.as_ref().and_then(|result| result.usage).filter(|usage| usage.output_tokens > 0);
            let tokens = usage
                .map(|usage| format!(" · {} tokens in, {} out", usage.input_tokens, usage.output_tokens));
            let ended = board.steps.values().filter(|step| step.status != Status::Running).count();
            let word = match board.status {
                Status::Idle => return String::new(),
                Status::Running => {
                    format!("Running · {ended} of {} steps reached are through", board.steps.len())
                }
                Status::Done => "Done".to_owned(),
                Status::Error => "Failed".to_owned(),
                Status::Cancelled => "Stopped".to_owned(),
                Status::Skipped => "Skipped".to_owned(),
            };
            word + tokens.as_deref().unwrap_or("")
        })
    };
    view! {
        <span class="run-summary" data-status=move || app.runner.status.get().word()>
            <span class="state" data-status=move || app.runner.status.get().word()>
                {move || icon(of_status(app.runner.status.get()))}
            </span>
            {text}
        </span>
    }
}

#[component]
fn RunView() -> impl IntoView {
    let app = app();
    let ids = Memo::new(move |_| {
        app.runner.read(|board| board.order.iter().take(MOST_ROWS).cloned().collect::<Vec<_>>())
    });
    let more = move || {
        let many = app.runner.read(|board| board.order.len());
        (many > MOST_ROWS)
            .then(|| view! { <li class="more">"and " {many - MOST_ROWS} " more, on the canvas"</li> })
    };
    view! {
        <div class="run-view">
            <Show
                when=move || app.runner.status.get() != Status::Idle
                fallback=|| view! {
                    <p class="empty">"Nothing has run yet. Press " <b>"Run"</b> " to see each step here as it happens."</p>
                }
            >
                <div class="run-steps">
                    <Failures />
                    <ol>
                        <For each=move || ids.get() key=Clone::clone let:id><StepRow id=id /></For>
                        {more}
                    </ol>
                </div>
                <FinalState />
            </Show>
        </div>
    }
}

#[component]
fn StepRow(id: String) -> impl IntoView {
    let app = app();
    let own = id.clone();
    let run = Memo::new(move |_| app.runner.step(&own).unwrap_or_default());
    let choose = move |_| app.editor.choose(Some(id.clone()));
    let text = move || run.with(StepRun::shown).unwrap_or_default();
    let status = Memo::new(move |_| run.with(|run| run.status));
    view! {
        <li>
            <button class="step-row" data-status=move || status.get().word() on:click=choose>
                <span class="state" data-status=move || status.get().word()>{move || icon(of_status(status.get()))}</span>
                <b>{move || run.with(|run| run.name.clone())}</b>
                {move || run.with(|run| run.simulated).then(|| view! { <span class="badge simulated">"simulated"</span> })}
                <span class="step-text">{text}</span>
                <span class="card-time">{move || run.with(|run| run.duration_ms).map(duration)}</span>
            </button>
        </li>
    }
}

#[component]
fn FinalState() -> impl IntoView {
    let app = app();
    let text = Memo::new(move |_| {
        app.runner.read(|board| board.result.as_ref().map(|result| pretty(&result.state)))
    });
    let copy = move |_| {
        let Some(text) = text.get_untracked() else { return };
        let done = once_with_answer(move |copied| {
            let notice =
                if copied { "The state is on the clipboard." } else { "The browser did not allow copying." };
            app.editor.notice.set(Some(notice.to_owned()));
        });
        app.bridge.with_value(|bridge| bridge.copy(&text, &done));
    };
    let title = move || match app.runner.status.get() {
        Status::Running => "State, when the run ends",
        Status::Done => "Final state",
        _ => "State reached",
    };
    view! {
        <div class="final-state">
            <div class="final-head">
                <h3>{title}</h3>
                <button class="icon-button" title="Copy" aria-label="Copy the state" disabled=move || text.with(Option::is_none) on:click=copy>
                    {icon(COPY)}
                </button>
            </div>
            <pre tabindex="0" aria-label="State as JSON">{move || text.get().unwrap_or_default()}</pre>
        </div>
    }
}

/// What failed and what was warned of; made anew only when there is more of it.
#[component]
fn Failures() -> impl IntoView {
    let app = app();
    let failures = Memo::new(move |_| app.runner.read(failures_of));
    let warnings = Memo::new(move |_| {
        app.runner.read(|board| board.warnings.iter().take(20).cloned().collect::<Vec<_>>())
    });
    let rows = move || {
        failures.get().into_iter().map(|failure| view! { <FailureRow failure=failure /> }).collect_view()
    };
    let warned = move || {
        let row = |(step, message): (Option<StepRef>, String)| {
            let place = step.map(|step| format!("{}: ", step.name));
            view! { <p class="warning-row">{place}{message}</p> }
        };
        warnings.get().into_iter().map(row).collect_view()
    };
    view! { {rows} {warned} }
}

fn failures_of(board: &Board) -> Vec<Failure> {
    let refusal = board.refusal.iter().cloned();
    let errors = board.result.iter().flat_map(|result| result.errors.iter().cloned());
    refusal.chain(errors).take(20).collect()
}

#[component]
fn FailureRow(failure: Failure) -> impl IntoView {
    let app = app();
    let place = failure.step.map(|step| {
        let id = step.id;
        view! {
            <button class="text-button" on:click=move |_| app.editor.choose(Some(id.clone()))>"Show " {step.name}</button>
        }
    });
    view! {
        <div class="failure" role="alert">
            <p><span class="code-word">{failure.code}</span> {failure.message}</p>
            {failure.hint.map(|hint| view! { <p class="failure-hint">{hint}</p> })}
            {place}
        </div>
    }
}

fn pretty(value: &Value) -> String {
    // A value is JSON already.
    serde_json::to_string_pretty(value).unwrap_or_default()
}
