//! The tests of the open workflow: data beside its document, as `npx stepweave test` reads it.

use leptos::ev;
use leptos::prelude::*;
use serde_json::json;
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::code::Writes;
use super::dropping::{ChooseFile, text_of};
use super::exchange::file_name;
use super::field::TextArea;
use super::launch;
use crate::bridge::{Asserted, CaseResult, TestRun, Tested};
use crate::page::icon::{AGAIN, DOWNLOAD, PLAY, PLUS, STOP, icon, of_status};
use crate::page::state::{App, Dialog, Sends, app, document_text};
use crate::run::status::Status;
use crate::step::span::measured;
use crate::step::upright::upright;

/// What is said where the page lacks a file of its own.
const NOT_LOADED: &str =
    "A file of the builder that runs tests did not come. Look whether you are online, and run them again.";

/// What is said where there is no run to make a test of.
const NO_RUN: &str = "Run the workflow to its end first: a test can then be made of that run.";

const EXAMPLE: &str = r#"{
  "cases": [
    {
      "name": "what is urgent goes to people",
      "state": { "message": "Help!" },
      "assert": [{ "equals": "people", "of": "queue" }]
    }
  ]
}"#;

/// The tests, what each came to, and the way to one more.
#[component]
pub fn Tests() -> impl IntoView {
    let app = app();
    let text = RwSignal::new(String::new());
    let results = RwSignal::new(Vec::<CaseResult>::new());
    let trouble = RwSignal::new(None::<String>);
    let under_way = StoredValue::new_local(None::<TestRun>);
    let is_running = RwSignal::new(false);
    spawn_local(async move {
        let store = app.bridge.with_value(|bridge| bridge.store().tests());
        if let Some(kept) = store.read(&app.workflow.get_untracked()).await {
            // The dialog may have been closed meanwhile, or somebody types already.
            let _ = text.try_update(|text| *text = if text.is_empty() { kept } else { text.clone() });
        }
    });
    let change = move |written: String| {
        keep(app, written.clone());
        text.set(written);
    };
    let perform = move |record: Option<String>| {
        if is_running.get_untracked() {
            return;
        }
        is_running.set(true);
        trouble.set(None);
        // One that is recorded again leaves what the others came to.
        if record.is_none() {
            results.set(Vec::new());
        }
        let document = app.editor.document.with_untracked(document_text);
        let options = launch::options(app, None);
        let bridge = app.bridge.get_value();
        let tests = text.get_untracked();
        spawn_local(async move {
            match bridge.test(&document, &tests, &options, record).await {
                None => drop(trouble.try_set(Some(NOT_LOADED.to_owned()))),
                Some(run) => {
                    if under_way.try_set_value(Some(run.clone())).is_some() {
                        // The dialog was closed meanwhile.
                        return run.stop();
                    }
                    while let Some(tested) = run.next().await {
                        match tested {
                            Tested::Result(result) => drop(results.try_update(|all| put(all, result))),
                            Tested::Tests(tests) => {
                                keep(app, tests.clone());
                                drop(text.try_set(tests));
                            }
                            Tested::Error(why) => drop(trouble.try_set(Some(why))),
                        }
                    }
                }
            }
            let _ = is_running.try_set(false);
        });
    };
    // What was done already needs no key.
    let unlocked = move |record: Option<String>| {
        if app.editor.document.with_untracked(|document| launch::needs_unlocking(app, document)) {
            return app.dialog.set(Some(Dialog::Unlock { sends: Sends::Tested }));
        }
        perform(record);
    };
    let stop = move || under_way.with_value(|run| run.iter().for_each(TestRun::stop));
    on_cleanup(stop);
    let name = RwSignal::new(String::new());
    let can_record = move || app.runner.status.get() == Status::Done && app.runner.can_go_on();
    let record = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let called = name.with_untracked(|name| name.trim().to_owned());
        if let (Some(journal), false) = (app.runner.journal(), called.is_empty()) {
            perform(Some(json::text(&json!({ "journal": journal, "name": called }))));
            name.set(String::new());
        }
    };
    let again = move |result: &CaseResult| {
        unlocked(Some(json::text(&json!({ "name": result.name, "again": result.at }))));
    };
    let choose = move |files: Vec<web_sys::File>| {
        let Some(file) = files.first() else { return };
        let reading = text_of(file);
        spawn_local(async move {
            match reading.await {
                Ok(read) => {
                    keep(app, read.clone());
                    let _ = text.try_set(read);
                }
                Err(why) => drop(trouble.try_set(Some(why))),
            }
        });
    };
    let download = move |_| {
        let name = app.editor.document.with_untracked(|document| file_name(&document.name));
        app.bridge.with_value(|bridge| bridge.download(&format!("{name}.test.json"), &text.get_untracked()));
    };
    let is_empty = move || text.with(|text| text.trim().is_empty());
    let summary = move || {
        let (all, passed) =
            results.with(|results| (results.len(), results.iter().filter(|result| result.passed).count()));
        match (all, all - passed) {
            (0, _) => String::new(),
            (_, 0) if all == 1 => "The test passed.".to_owned(),
            (_, 0) => format!("All {all} tests passed."),
            (_, failed) => format!("{failed} of {all} did not pass."),
        }
    };
    view! {
        <div class="modal-body">
            <TextArea label="Tests" value=text on_input=change writes=Writes::Json code=true rows=12 placeholder=EXAMPLE
                hint="Each begins with a state, and says what has to be true at the end. Steps that are neither pinned nor recorded run, and models are called." />
            <form class="library-head" on:submit=record>
                <input
                    class="input"
                    aria-label="Name of the test"
                    placeholder="What can be relied on"
                    prop:value=name
                    on:input=move |event| name.set(event_target_value(&event))
                />
                <button class="button" disabled=move || is_running.get() || !can_record() || name.with(|name| name.trim().is_empty())
                    title="With its answers, so that no model is called">
                    {icon(PLUS)} "Make a test of the shown run"
                </button>
            </form>
            {move || (!can_record()).then(|| view! { <p class="field-hint">{NO_RUN}</p> })}
            <p role="status" class="field-hint">{summary}</p>
            {move || trouble.get().map(|why| view! { <p class="field-error" role="alert">{upright(why)}</p> })}
            <ul class="test-results" aria-label="Results">
                {move || results.with(|results| results.iter().map(|result| row(result, is_running, again)).collect_view())}
            </ul>
        </div>
        <footer>
            <ChooseFile accept=".json,application/json" on_files=choose />
            <button class="button" disabled=is_empty on:click=download>{icon(DOWNLOAD)} "Download"</button>
            <span class="spring"></span>
            <Show when=move || is_running.get() fallback=move || view! {
                <button class="button primary" disabled=is_empty on:click=move |_| unlocked(None)>{icon(PLAY)} "Run the tests"</button>
            }>
                <button class="button" on:click=move |_| stop()>{icon(STOP)} "Stop"</button>
            </Show>
        </footer>
    }
}

/// Adds a result, or puts it in the place of what its test came to before.
fn put(all: &mut Vec<CaseResult>, result: CaseResult) {
    match all.iter_mut().find(|one| one.at == result.at) {
        Some(before) => *before = result,
        None => all.push(result),
    }
}

fn row<Again: Fn(&CaseResult) + Copy + 'static>(
    result: &CaseResult,
    is_running: RwSignal<bool>,
    again: Again,
) -> impl IntoView + use<Again> {
    let status = if result.passed { Status::Done } else { Status::Error };
    let says = if result.passed { "passed" } else { "did not pass" };
    let failed = result.assertions.iter().filter(|asserted| !asserted.passed);
    let found =
        failed.map(|Asserted { message, .. }| view! { <li>{upright(message.clone())}</li> }).collect_view();
    let own = result.clone();
    let misfit = result.misfit.clone().map(|misfit| {
        view! {
            <li>{upright(misfit)}</li>
            <li><button class="text-button" type="button" disabled=is_running on:click=move |_| again(&own)
                title="What is as it was answers as recorded; all else runs, and models are called. What the run gives is what has to be true from then on.">
                {icon(AGAIN)} "Record it again"
            </button></li>
        }
    });
    view! {
        <li data-status=status.word()>
            {icon(of_status(status))}
            <span><b>{result.name.clone()}</b> " " <small>{says} ", " {measured(result.duration_ms)}</small><ul>{misfit} {found}</ul></span>
        </li>
    }
}

fn keep(app: App, text: String) {
    spawn_local(async move {
        let store = app.bridge.with_value(|bridge| bridge.store().tests());
        if !store.keep(&app.workflow.get_untracked(), &text).await {
            let said = "The tests could not be stored: download them instead.";
            app.editor.notice.set(Some(said.to_owned()));
        }
    });
}
