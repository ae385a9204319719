//! The panel below or beside the canvas: the run's steps, its errors and the state it ends with; or the problems; or the
//! chat.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{OnMax, Repeat, Step, StepKind};
use stepweave_core::json;

use self::again::Again;
use self::last_answer::LastAnswer;
use self::questions::Questions;
use self::since::ChangedSince;
use super::chat::view::ChatView;
use super::clipboard;
use super::failure::{Advice, kind_of, said_of};
use super::journal;
use super::problems::Problems;
use super::retrying::Retrying;
use super::splitter::Splitter;
use super::taking::Downloads;
use crate::geometry::px;
use crate::page::division::Part;
use crate::page::icon::{BELOW, BESIDE, CLOSE, COPY, DOWNLOAD, icon, of_status};
use crate::page::state::{App, Panel, app};
use crate::page::tally::tally_of;
use crate::run::board::Board;
use crate::run::ending::Ending;
use crate::run::event::{Failure, StepRef, Warning};
use crate::run::executions::iterations;
use crate::run::glance::Glance;
use crate::run::ran::Ran;
use crate::run::status::Status;
use crate::step::kinds::Kind;
use crate::step::plain::plain;
use crate::step::span::Took;
use crate::step::upright::{upright, upright_json};
use crate::step::words;

pub mod again;
pub mod last_answer;
pub mod questions;
pub mod since;

/// How many rows are listed; more would make the page slow and are on the canvas anyway.
const MOST_ROWS: usize = 300;

/// How many warnings and questions are listed above the rows.
const MOST_SHOWN: usize = 20;

/// What the button says that saves the journal.
const JOURNAL: &str = "Download the journal of this run";

/// The panel's frame.
#[component]
pub fn BottomPanel() -> impl IntoView {
    let app = app();
    let division = app.division;
    let part = move || if division.is_beside.get() { Part::PanelBeside } else { Part::PanelBelow };
    view! {
        <Show when=move || app.panel.with(Option::is_some)>
            {move || view! { <Splitter part=part() /> }}
            <section class="panel" aria-label="Run, problems and chat" tabindex="-1" style=("--size", move || px(division.size(part()).get()))>
                {app.chunks.views.show("The panel", |views| (views.panel)())}
            </section>
        </Show>
    }
}

/// What is in the panel.
#[component]
pub fn Content() -> impl IntoView {
    let app = app();
    let division = app.division;
    let turn = move |_| app.bridge.with_value(|bridge| division.turn_panel(bridge));
    let turn_label = move || if division.is_beside.get() { "Below the canvas" } else { "Beside the canvas" };
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
    let shown = Memo::new(move |_| app.panel.get());
    let chat_tab = move || (app.chat.is_offered() || shows(Panel::Chat)).then(|| tab(Panel::Chat, "Chat"));
    view! {
        <div class="panel-head">
            <div role="tablist">{tab(Panel::Run, "Run")} {tab(Panel::Problems, "Problems")} {chat_tab}</div>
            <RunSummary />
            <PastRuns />
            <button class="icon-button turn-panel" title=turn_label aria-label=turn_label on:click=turn>
                {move || icon(if division.is_beside.get() { BELOW } else { BESIDE })}
            </button>
            <button class="icon-button" title="Close" aria-label="Close the panel" on:click=move |_| app.panel.set(None)>
                {icon(CLOSE)}
            </button>
        </div>
        {move || match shown.get() {
            Some(Panel::Run) | None => view! { <RunView /> }.into_any(),
            Some(Panel::Problems) => view! { <Problems /> }.into_any(),
            Some(Panel::Chat) => view! { <ChatView /> }.into_any(),
        }}
    }
}

#[component]
fn RunSummary() -> impl IntoView {
    let app = app();
    let ending = ending();
    let said = move || ending.with(|ending| ending.as_ref()?.said(SUMMARY_LETTERS));
    // What a person has refused is done, and no success.
    let shape = move || match ending.with(|ending| *ending == Some(Ending::Refused)) {
        true => Status::Cancelled,
        false => app.runner.status.get(),
    };
    let text = move || {
        let said = said();
        app.runner.read(|board| {
            let usage = board.result.as_ref().and_then(|result| result.usage?.said());
            let usage = usage.map(|usage| format!(" · {usage}"));
            let word = match board.status {
                Status::Idle => return String::new(),
                Status::Running => format!("Running{}", under_way(board)),
                Status::Done => said.unwrap_or_else(|| "Done".to_owned()),
                Status::Error => said.unwrap_or_else(|| "Failed".to_owned()),
                Status::Budget => "Stopped: the budget is used up".to_owned(),
                Status::Cancelled => "Stopped".to_owned(),
                Status::Skipped => "Skipped".to_owned(),
                Status::Suspended => "Waits for your answer".to_owned(),
            };
            word + usage.as_deref().unwrap_or("")
        })
    };
    view! {
        <span class="run-summary" data-status=move || app.runner.status.get().word()>
            <span class="state" data-status=move || shape().word()>{move || icon(of_status(shape()))}</span>
            <span class="said" title=text>{text}</span>
        </span>
    }
}

/// How many steps have ended, and how many are under way; nothing before the first one has ended.
fn under_way(board: &Board) -> String {
    let begun = board.steps.len();
    let ended = board.steps.values().filter(|step| step.status() != Status::Running).count();
    let now = begun - ended;
    match (ended, now) {
        (0, _) => String::new(),
        (1, 0) => " · 1 step is done".to_owned(),
        (1, _) => format!(" · 1 step is done, {now} under way"),
        (_, 0) => format!(" · {ended} steps are done"),
        _ => format!(" · {ended} steps are done, {now} under way"),
    }
}

/// How the run that is shown has ended, once it has; follows it.
pub fn ending() -> Memo<Option<Ending>> {
    let runner = app().runner;
    Memo::new(move |_| {
        let has_ended = matches!(runner.status.get(), Status::Done | Status::Error);
        has_ended.then(|| runner.read(|board| ending_of(board, &runner.ran())))
    })
}

/// How a run has ended.
fn ending_of(board: &Board, ran: &Ran) -> Ending {
    ran.document().map_or(Ending::Plain, |document| Ending::of(board, document))
}

/// About how much of why a run was ended is seen above its steps, and in the list of runs.
const SUMMARY_LETTERS: usize = 120;
const LIST_LETTERS: usize = 40;

/// The last runs of the workflow, to look at again.
#[component]
fn PastRuns() -> impl IntoView {
    let runner = app().runner;
    let past = Memo::new(move |_| {
        runner.past(|board, ran| {
            let mut said = ending_of(board, ran).said(LIST_LETTERS);
            said.as_mut().and_then(|text| text.get_mut(..1)).into_iter().for_each(str::make_ascii_lowercase);
            said.unwrap_or_else(|| board.status.said().to_owned())
        })
    });
    // Where nothing is shown there is a single one to choose, too.
    let few = move || if runner.status.get() == Status::Idle { 0 } else { 1 };
    let several = Memo::new(move |_| past.with(Vec::len) > few() && runner.status.get() != Status::Running);
    let is_shown = move || past.with(|all| all.iter().any(|(number, _)| *number == runner.shown.get()));
    let option = move |(number, word): (u64, String)| {
        let text = format!("Run {number}: {word}");
        let picked = move || runner.shown.get() == number;
        view! { <option value=number.to_string() prop:selected=picked>{text}</option> }
    };
    let look = move |event: leptos::ev::Event| {
        event_target_value(&event).parse().into_iter().for_each(|number| runner.look_at(number));
    };
    view! {
        <Show when=move || several.get()>
            <select class="input past-runs" aria-label="Runs of this workflow" on:change=look>
                {move || (!is_shown()).then(|| view! { <option value="" selected>"Look at a run"</option> })}
                {move || past.get().into_iter().map(option).collect_view()}
            </select>
        </Show>
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
                    <ChangedSince />
                    <Failures />
                    <Questions />
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
    let all = Memo::new(move |_| {
        let all = app.runner.step(&own, |all| (all.status(), all.tally(), all.latest().map(Glance::from)));
        let (status, tally, latest) = all.unwrap_or_default();
        (status, tally, latest.unwrap_or_default())
    });
    let run = Memo::new(move |_| all.with(|(_, _, run)| run.clone()));
    let tries_at = Memo::new(move |_| run.with(|run| run.tries_at));
    let own = id.clone();
    let text = move || {
        let (text, failed, rounds) =
            run.with(|run| (run.text.clone().unwrap_or_default(), run.failed, run.rounds));
        match failed || tries_at.get().is_some() {
            true => plain(text, app.runner.step_ran(&own, Kind::of)),
            false => app.runner.step_ran(&own, |step| way_of(step, &text, rounds)).flatten().unwrap_or(text),
        }
    };
    let choose = move |_| app.editor.choose(Some(id.clone()));
    let status = Memo::new(move |_| all.with(|(status, _, _)| *status));
    let tally = move || {
        let tally = all.with(|(_, tally, _)| *tally);
        (tally.all > 1).then(|| view! { <span class="tally">{tally_of(tally)}</span> })
    };
    // A tally says it of all executions.
    let warned = move || {
        let (count, why) = run.with(Glance::failed).filter(|_| all.with(|(_, tally, _)| tally.all <= 1))?;
        let why = plain(why, Some(Kind::Http));
        Some(view! { <span class="badge warned" title=why.clone()>{count} ": " {why.clone()}</span> })
    };
    view! {
        <li>
            <button class="step-row" data-status=move || status.get().word() on:click=choose>
                <span class="state" data-status=move || status.get().word()>{move || icon(of_status(status.get()))}</span>
                <b>{move || run.with(|run| run.name.clone())}</b>
                {move || run.with(|run| run.simulated).then(|| view! { <span class="badge simulated">"simulated"</span> })}
                {tally}
                {warned}
                <span class="step-text">{move || tries_at.get().map(|at| view! { <Retrying at=at /> })}{text}</span>
                <span class="card-time">{move || run.with(|run| run.took).map(Took::full)}</span>
            </button>
        </li>
    }
}

/// The way that a switch has taken, of which the run says the number, or what ended a loop after so many rounds.
pub fn way_of(step: &Step, number: &str, rounds: Option<u64>) -> Option<String> {
    case_taken(step, number).or_else(|| ended_by(step, rounds?))
}

fn case_taken(step: &Step, number: &str) -> Option<String> {
    let StepKind::Switch(switch) = &step.kind else { return None };
    Some(upright(words::called_apart(&switch.cases, number.parse().ok()?)?))
}

/// How often a loop has run its steps, and what ended it.
fn ended_by(step: &Step, rounds: u64) -> Option<String> {
    let StepKind::Loop(own) = &step.kind else { return None };
    let times = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
    // A loop that fails where it may go no further has come to its end by its condition.
    let is_most = rounds == u64::from(own.max_iterations) && own.on_max == OnMax::Continue;
    let why = match own.repeat {
        _ if is_most => "the most that it may run",
        Repeat::Until(_) => "until its condition held",
        Repeat::While(_) => "until its condition held no longer",
    };
    Some(format!("{times}, {why}"))
}

#[component]
fn FinalState() -> impl IntoView {
    let app = app();
    let state =
        Memo::new(move |_| app.runner.read(|board| board.result.as_ref().map(|result| result.state.clone())));
    let text = Memo::new(move |_| state.with(|state| state.as_ref().map(pretty)));
    let copy = move |_| {
        let Some(text) = text.get_untracked() else { return };
        clipboard::copy(app, text, "The state");
    };
    let no_journal = move || {
        app.runner.progress.track();
        !app.runner.has_journal()
    };
    let title = move || match app.runner.status.get() {
        Status::Running => "State, when the run ends",
        Status::Done => "Final state",
        Status::Suspended => "State so far",
        _ => "State reached",
    };
    view! {
        <div class="final-state">
            <LastAnswer />
            <div class="final-head">
                <h2>{title}</h2>
                <button class="icon-button" title="Copy" aria-label="Copy the state" disabled=move || text.with(Option::is_none) on:click=copy>
                    {icon(COPY)}
                </button>
                <button class="icon-button" title=JOURNAL aria-label=JOURNAL disabled=no_journal on:click=move |_| journal::download(app)>
                    {icon(DOWNLOAD)}
                </button>
            </div>
            {move || state.get().map(|state| view! { <Downloads value=state of="state".to_owned() /> })}
            <pre tabindex="0" aria-label="State as JSON">{move || text.get().unwrap_or_default()}</pre>
        </div>
    }
}

/// Failures and warnings; rebuilt only when there are more of them.
#[component]
fn Failures() -> impl IntoView {
    let app = app();
    let failures = Memo::new(move |_| app.runner.read(Board::failures));
    let warnings = Memo::new(move |_| {
        app.runner.read(|board| board.warnings.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>())
    });
    let rows = move || {
        let row = |failure: Failure| view! { <FailureRow failure=failure.clone()><Again failure=failure /></FailureRow> };
        failures.get().into_iter().map(row).collect_view()
    };
    let warned = move || {
        let row = |warning: Warning| {
            let class = if warning.is_line() { "told-row" } else { "told-row warning" };
            let message = match warning.is_line() {
                true => warning.message,
                false => plain(warning.message, warning.step.as_ref().and_then(kind_of)),
            };
            let place = warning.step.map(|step| view! { <bdi>{called(&step)}</bdi> ": " });
            view! { <p class=class>{place}{message}</p> }
        };
        warnings.get().into_iter().map(row).collect_view()
    };
    view! { {rows} {warned} }
}

/// A failure, with what to do about it and the way to its step.
#[component]
pub fn FailureRow(
    /// What failed.
    failure: Failure,
    /// What is said behind it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let place = failure.step.clone().map(|step| view! { <Way step=step /> });
    let code = failure.code.clone();
    view! {
        <div class="failure" role="alert" data-code=code>
            <p>{said_of(&failure)}</p>
            <Advice failure=failure />
            {place}
            {children.map(|children| children())}
        </div>
    }
}

/// The way to a step, which the workflow may have lost since the run began.
#[component]
fn Way(step: StepRef) -> impl IntoView {
    let app = app();
    let is_there = is_there(&step);
    move || {
        let (named, step) = (called(&step), step.clone());
        match is_there.get() {
            true => view! { <button class="text-button" on:click=move |_| look_at(app, &step)>"Show " {named}</button> }.into_any(),
            false => view! { <p class="told-row"><bdi>{named}</bdi> " is no longer in the workflow."</p> }.into_any(),
        }
    }
}

/// Whether the workflow still has the step of an execution.
fn is_there(step: &StepRef) -> Memo<bool> {
    let (editor, id) = (app().editor, step.id.clone());
    Memo::new(move |_| editor.document.with(|document| document.step(&id).is_some()))
}

/// Selects the step of an execution, with what that execution gave.
fn look_at(app: App, step: &StepRef) {
    app.runner.looked.set(Some(step.key().to_owned()));
    app.editor.choose(Some(step.id.clone()));
}

/// An execution as people call it: the step's name, and in which iteration.
fn called(step: &StepRef) -> String {
    let iterations = iterations(step.key());
    if iterations.is_empty() { step.name.clone() } else { format!("{} {iterations}", step.name) }
}

fn pretty(value: &Value) -> String {
    // A value is JSON already.
    upright_json(json::lines(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_in_progress_says_how_many_steps_are_done() {
        let mut board = Board::starting();
        let mut said = |events: &[(&str, &str)]| {
            for (word, id) in events {
                let step = json!({ "id": id, "name": id });
                let event =
                    json!({ "type": format!("step.{word}"), "step": step, "attempt": 1, "durationMs": 1 });
                board.take(serde_json::from_value(event).unwrap());
            }
            under_way(&board)
        };
        assert_eq!(said(&[("start", "s1")]), "");
        assert_eq!(said(&[("done", "s1")]), " · 1 step is done");
        assert_eq!(said(&[("start", "s2"), ("start", "s3")]), " · 1 step is done, 2 under way");
        assert_eq!(said(&[("done", "s2"), ("done", "s3")]), " · 3 steps are done");
    }
}
