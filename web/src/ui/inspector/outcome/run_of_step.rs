//! What the shown run says about the selected step, execution by execution.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::edit::find as find_step;
use stepweave_core::validate::why_not_pinned;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::allow::Allowance;
use super::answer::Question;
use super::calls::{FailedCalls, Reasoning, ToolCalls};
use super::links::links;
use super::prompt::Prompt;
use crate::model::readable::readable;
use crate::page::focus::{focus_in_place, once_drawn};
use crate::page::icon::{AGAIN, CHEVRON, COPY, PIN, icon, of_status};
use crate::page::state::{App, Start, app};
use crate::page::tally::tally_of;
use crate::run::event::{Pending, Usage};
use crate::run::executions::{Executions, Tally, Turn, iterations};
use crate::run::status::Status;
use crate::run::step_run::{Retry, StepRun};
use crate::step::kinds::Kind;
use crate::step::span::Took;
use crate::ui::clipboard::copy;
use crate::ui::failure::{Advice, said_of};
use crate::ui::launch;
use crate::ui::panel::way_of;
use crate::ui::taking::Downloads;

/// What tells whether an execution has changed, and in what: texts only grow, and everything else of it is set when its
/// status, its attempt or its time is.
#[derive(Clone, PartialEq)]
struct Mark {
    board: u64,
    key: String,
    status: Status,
    attempt: u32,
    text: usize,
    took: Option<Took>,
    failed: bool,
}

/// The execution of a step that is shown. It is read where it is, and nothing of it is kept here.
#[derive(Clone, Copy)]
pub struct Shown {
    id: StoredValue<String>,
    key: Memo<Option<String>>,
}

impl Shown {
    /// An execution of this step by its key.
    pub fn new(id: String, key: Memo<Option<String>>) -> Self {
        Self { id: StoredValue::new(id), key }
    }

    /// Reads it; follows every change.
    pub fn read<T>(self, read: impl FnOnce(&StepRun) -> T) -> Option<T> {
        let runner = app().runner;
        self.key.with(|key| {
            self.id.with_value(|id| runner.step(id, |all| all.get(key.as_ref()?).map(read)).flatten())
        })
    }

    /// Reads it at this moment, followed by nobody.
    pub fn read_now<T>(self, read: impl FnOnce(&StepRun) -> T) -> Option<T> {
        let runner = app().runner;
        self.key.with_untracked(|key| {
            self.id.with_value(|id| runner.step_now(id, |all| all.get(key.as_ref()?).map(read)).flatten())
        })
    }

    /// What is the same as long as this execution is shown.
    pub fn identity(self) -> (u64, Option<String>) {
        (app().runner.board_number(), self.key.get())
    }

    fn mark(self) -> Option<Mark> {
        let (board, key) = self.identity();
        let key = key?;
        self.read(|run| Mark {
            board,
            key,
            status: run.status,
            attempt: run.attempt,
            text: run.text.len(),
            took: run.took,
            failed: run.error.is_some(),
        })
    }
}

/// The section; nothing before the step was reached.
#[component]
pub fn RunOfStep(
    /// The step's id.
    id: String,
) -> impl IntoView {
    let app = app();
    let id = StoredValue::new(id);
    let looked = app.runner.looked;
    let key =
        Memo::new(move |_| id.with_value(|id| app.runner.step(id, |all| pick(all, looked.get())).flatten()));
    let tally =
        Memo::new(move |_| id.with_value(|id| app.runner.step(id, Executions::tally)).unwrap_or_default());
    let pending = Memo::new(move |_| {
        let key = key.get().unwrap_or_default();
        app.runner.read(|board| board.pending(&key).into_iter().cloned().collect::<Vec<_>>())
    });
    let shown = Shown { id, key };
    // Always read: a memo that is only tracked is never computed.
    let mark = Memo::new(move |_| shown.mark());
    let heading = Memo::new(move |_| shown.read(Heading::of));
    // What is unfolded stays so while more of an answer arrives: only the pieces that change are made anew.
    let is_there = Memo::new(move |_| key.with(Option::is_some));
    move || {
        is_there.get().then(|| {
            view! {
                <section class="run-of-step" tabindex="-1" aria-label="What the run says of this step">
                    {move || (tally.get().all > 1).then(|| view! { <Pager id=id key=key tally=tally /> })}
                    {move || heading.get().map(Heading::view)}
                    <Prompt id=id shown=shown />
                    <Reasoning shown=shown />
                    <FailedCalls shown=shown />
                    <ToolCalls shown=shown />
                    {move || {
                        mark.with(|_| ());
                        let case = |number: &str, rounds: Option<u64>| {
                            let taken = |id: &String| app.runner.step_ran(id, |step| way_of(step, number, rounds));
                            id.with_value(taken).flatten()
                        };
                        shown.read_now(|run| outcome(run, case))
                    }}
                    {move || {
                        mark.with(|_| ());
                        let (kind, of) = app.runner.step_ran(&id.get_value(), |step| (Kind::of(step), step.name.clone()))?;
                        Some(view! { <Taking value=given(kind, shown)? of=of /> })
                    }}
                    {move || {
                        mark.with(|_| ());
                        let sources = shown.read_now(|run| run.sources.clone()).filter(|sources| !sources.is_empty())?;
                        Some(view! { <span class="field-label">"Sources"</span> {links(sources)} })
                    }}
                    {move || {
                        mark.with(|_| ());
                        let given = given(app.runner.step_ran(&id.get_value(), Kind::of)?, shown)?;
                        Some(view! { <PinButton id=id given=given /> })
                    }}
                    {move || pending.get().into_iter().map(question).collect_view()}
                    {move || app.runner.can_go_on().then(|| view! { <RunFromHere id=id /> })}
                </section>
            }
        })
    }
}

/// What an execution gave that went well: the patch of what changes the state itself, the output of any other step.
fn given(kind: Kind, shown: Shown) -> Option<Value> {
    let given = |run: &StepRun| match kind {
        _ if run.status != Status::Done => None,
        Kind::Function | Kind::Wait => run.patch.clone(),
        _ => run.output.clone(),
    };
    shown.read_now(given).flatten()
}

/// Takes along what the step gave: to the clipboard, or as a file.
#[component]
fn Taking(value: Value, of: String) -> impl IntoView {
    let app = app();
    let text = StoredValue::new(readable(&value));
    view! {
        <div class="downloads">
            <button class="text-button" on:click=move |_| copy(app, text.get_value(), "What the step gave")>{icon(COPY)} "Copy"</button>
            <Downloads value=value of=of />
        </div>
    }
}

/// What the button below an output does with it.
#[derive(Clone, Copy, PartialEq)]
enum Pinning {
    Pin,
    Unpin,
}

/// Pins what the step gave in the run that is shown, where it can be pinned, and takes that back at the same place: what
/// stands below it must not move under a pointer that is pressed again.
#[component]
fn PinButton(id: StoredValue<String>, given: Value) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let given = StoredValue::new(given);
    let offer = Memo::new(move |_| {
        id.with_value(|id| {
            editor.document.with(|document| {
                let may =
                    find_step(document, id).is_some_and(|step| why_not_pinned(document, step).is_none());
                let is_pinned = given.with_value(|given| document.pins.get(id) == Some(given));
                may.then_some(if is_pinned { Pinning::Unpin } else { Pinning::Pin })
            })
        })
    });
    let turn = move |_| {
        let Some(offer) = offer.get_untracked() else { return };
        editor.change_settings(|document| {
            id.with_value(|id| match offer {
                Pinning::Pin => drop(document.pins.insert(id.clone(), given.get_value())),
                Pinning::Unpin => drop(document.pins.shift_remove(id)),
            });
        });
    };
    let title = move || match offer.get() {
        Some(Pinning::Unpin) => {
            "Runs that use pinned outputs take this one. Without the pin the step is run."
        }
        _ => "Runs that use pinned outputs take this one and do not run the step.",
    };
    let text = move || match offer.get() {
        Some(Pinning::Unpin) => "Unpin",
        _ => "Pin this output",
    };
    let is_there = Memo::new(move |_| offer.get().is_some());
    let has_pin = Memo::new(move |_| {
        id.with_value(|id| editor.document.with(|document| document.pins.contains_key(id)))
    });
    move || {
        is_there.get().then(|| {
            view! {
                <div class="pin-buttons">
                <button class="text-button" title=title on:click=turn>{icon(PIN)} {text}</button>
                {move || has_pin.get().then(|| view! {
                    <button class="text-button" title="Its JSON, under More" on:click=move |_| edit_pin(app)>"Edit the pin"</button>
                })}
                </div>
            }
        })
    }
}

/// Leads to the field of the pin.
fn edit_pin(app: App) {
    app.more.set(true);
    once_drawn(|| {
        let found = document().query_selector(".pinned-output :is(textarea, .code-field)").ok().flatten();
        if let Some(field) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            field.scroll_into_view();
            // A field that cannot be focused is still there to be seen.
            let _ = field.focus();
        }
    });
}

#[component]
fn RunFromHere(id: StoredValue<String>) -> impl IntoView {
    let app = app();
    view! {
        <button
            class="text-button"
            title="What the steps before it gave is taken over; this one and those that follow are run anew."
            on:click=move |_| launch::run(app, Start::From(id.get_value()))
        >
            {icon(AGAIN)} "Run again from here"
        </button>
    }
}

/// The form for what a run waits for.
pub fn question(pending: Pending) -> AnyView {
    let app = app();
    if app.answering.try_update_value(std::mem::take).unwrap_or_default() {
        lead_to_question(app);
    }
    match pending.tool.clone() {
        Some(call) => view! { <Allowance pending=pending call=call /> }.into_any(),
        None => view! { <Question pending=pending /> }.into_any(),
    }
}

/// Leads to the form for what a run waits for: it is seen, and has the focus in its first field, or else as a whole, for Enter
/// must decide nothing.
pub fn lead_to_question(app: App) {
    // In a narrow window the form takes the place of the run.
    app.inspecting.set(true);
    once_drawn(|| {
        let found = document().query_selector(".question").ok().flatten();
        let Some(form) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) else { return };
        form.scroll_into_view();
        let field = form.query_selector(":is(input, textarea, select, .code-field)").ok().flatten();
        let field = field.and_then(|field| field.dyn_into().ok()).unwrap_or(form);
        focus_in_place(&field);
    });
}

/// The execution that is looked at; else one that asks something; else the latest.
fn pick(all: &Executions, looked: Option<String>) -> Option<String> {
    let key = looked
        .filter(|key| all.get(key).is_some())
        .or_else(|| all.first_of(Status::Suspended).map(str::to_owned));
    key.or_else(|| all.latest_key().map(str::to_owned))
}

/// Leads from one execution to another.
#[component]
fn Pager(id: StoredValue<String>, key: Memo<Option<String>>, tally: Memo<Tally>) -> impl IntoView {
    let app = app();
    let looked = app.runner.looked;
    let key = move || key.get().unwrap_or_default();
    let turned = move |turn: Turn| {
        let key = key();
        id.with_value(|id| app.runner.step(id, |all| all.turn(&key, turn).map(str::to_owned))).flatten()
    };
    let go = move |turn: Turn| {
        if let Some(key) = untrack(|| turned(turn)) {
            looked.set(Some(key));
        }
    };
    let named = move |event: leptos::ev::Event| {
        let words = event_target_value(&event);
        let found = untrack(|| find(app, id, &words));
        match found {
            Some(key) => looked.set(Some(key)),
            None => app.editor.notice.set(Some(format!("No execution of this step is called {words}."))),
        }
    };
    view! {
        <div class="pager" role="group" aria-label="Executions">
            <button class="icon-button back" title="The one before" aria-label="The execution before"
                disabled=move || turned(Turn::Back).is_none() on:click=move |_| go(Turn::Back)>{icon(CHEVRON)}</button>
            <input class="input code" aria-label="Execution" title=key prop:value=move || iterations(&key()) on:change=named />
            <button class="icon-button on" title="The next one" aria-label="The next execution"
                disabled=move || turned(Turn::On).is_none() on:click=move |_| go(Turn::On)>{icon(CHEVRON)}</button>
            <span class="tally">{move || tally_of(tally.get())}</span>
            {move || (tally.get().failed > 0).then(|| view! {
                <button class="text-button failed" on:click=move |_| go(Turn::ToFailure)>"Next failure"</button>
            })}
            {move || looked.with(Option::is_some).then(|| view! {
                <button class="text-button" on:click=move |_| looked.set(None)>"Latest"</button>
            })}
        </div>
    }
}

fn find(app: App, id: StoredValue<String>, words: &str) -> Option<String> {
    id.with_value(|id| app.runner.step(id, |all| all.named(words).map(str::to_owned))).flatten()
}

/// What stands above what an execution gave.
#[derive(Clone, Copy, PartialEq)]
struct Heading {
    status: Status,
    took: Option<Took>,
    simulated: bool,
    pinned: bool,
}

impl Heading {
    fn of(run: &StepRun) -> Self {
        Self { status: run.status, took: run.took, simulated: run.simulated, pinned: run.pinned }
    }

    fn view(self) -> impl IntoView {
        let Self { status, took, simulated, pinned } = self;
        let word = status.word();
        let took = took.filter(|_| status != Status::Running).map(Took::full);
        let simulated = simulated.then(|| view! { <span class="badge simulated">"simulated"</span> });
        let pinned = pinned.then(|| view! { <span class="badge pinned">"pinned"</span> });
        let heading = match status {
            Status::Suspended => "Waits for your answer".to_owned(),
            _ => format!("Last run: {}", status.said()),
        };
        view! {
            <h3>
                <span class="state" data-status=word>{icon(of_status(status))}</span>
                {heading}
                {simulated}
                {pinned}
                <span class="card-time">{took}</span>
            </h3>
        }
    }
}

/// What the step came to, or what has arrived of it; of a switch, by its number, what `case` calls the way that it took,
/// and of a loop, by its rounds, what ended it.
fn outcome(run: &StepRun, case: impl Fn(&str, Option<u64>) -> Option<String>) -> AnyView {
    let output = run.output.as_ref().filter(|output| !output.is_null());
    // A text that is all that a function has set reads as one.
    let set = run.set_text().filter(|_| output.is_none() && run.error.is_none());
    let patch = run.patch.as_ref().filter(|_| run.text.is_empty() && set.is_none());
    let is_json = output.or(patch).is_some_and(|value| !value.is_string());
    let text = match (output, set) {
        _ if run.error.is_some() => None,
        (Some(output), _) => {
            let text = readable(output);
            Some(case(&text, run.rounds()).unwrap_or(text))
        }
        (None, Some((_, text))) => Some(text.to_owned()),
        (None, None) => patch.map(readable).or_else(|| run.shown(usize::MAX)),
    };
    let key = set.map(|(key, _)| view! { <span class="field-label">{key.to_owned()}</span> });
    let waits = run.waits().zip(run.retry).map(|(said, Retry { at, .. })| {
        let until = String::from(js_sys::Date::new(&at.into()).to_locale_time_string("default"));
        view! { <p role="status">{said} ", until " {until} "."</p> }
    });
    let waiting = waits.is_some();
    let error = run.error.clone().map(|error| {
        view! {
            {waits}
            <div class="failure" class:since=waiting>
                <p>{said_of(&error)}</p>
                <Advice failure=error />
            </div>
        }
    });
    let partial = (!run.text.is_empty() && matches!(run.status, Status::Error | Status::Cancelled)).then(
        || view! { <pre class="output" tabindex="0" aria-label="What had arrived">{run.text.clone()}</pre> },
    );
    let usage =
        run.usage.and_then(Usage::said).map(|usage| view! { <p class="field-hint usage">{usage}</p> });
    view! {
        {error}
        {partial}
        {key}
        {text.map(|text| view! { <pre class="output" class:code=is_json tabindex="0" aria-label="What it gave">{text}</pre> })}
        {usage}
    }
    .into_any()
}
