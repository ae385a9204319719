//! From the Run button to a run: nothing broken is started, and nothing is sent where nobody agreed to.

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use serde_json::{Map, Value};
use stepweave_core::document::{Document, Secret};
use wasm_bindgen_futures::spawn_local;

use super::inspector::outcome::half::HalfWritten;
use super::relay::{sent_to, to_choose};
use super::{chat, check, given, trying};
use crate::bridge::{RunOptions, SecretValue};
use crate::model::endpoints::{origins, origins_at_once};
use crate::model::problem::Problem;
use crate::model::requests::{requests, secret_of};
use crate::model::undeclared::with_undeclared;
use crate::page::focus::{is_lost, once_drawn};
use crate::page::narrow::is_narrow;
use crate::page::state::{App, Dialog, Key, Panel, Remembered, Sends, Start, document_text};
use crate::run::status::Status;

/// What a person reads when nothing can be run, as no person can be asked where it may send to.
const MISSING: &str = "The run did not begin: a file of the builder could not be loaded. Are you online? Your workflow is kept.";

/// What a person reads of a run that was still offered here.
const GONE: &str = "This run is no longer there: another tab goes on with it, or has ended or discarded it.";

/// Runs the workflow, or shows what is in the way.
pub fn run(app: App, start: Start) {
    if app.runner.status.get_untracked() == Status::Running || is_running_elsewhere(app) {
        return;
    }
    app.editor.seal();
    if app.editor.document.with_untracked(|document| document.steps.is_empty()) {
        app.editor.notice.set(Some("There is nothing to run yet: add a step first.".to_owned()));
        return;
    }
    let here = app.workflow.get_untracked();
    check::check_then(app, move || {
        // Whoever opens another workflow meanwhile did not mean that one.
        if app.workflow.get_untracked() == here {
            look_and_run(app, start);
        }
    });
}

/// Whether a run of another workflow is in progress, which a person then reads.
fn is_running_elsewhere(app: App) -> bool {
    let elsewhere = app.runner.elsewhere.get_untracked();
    let is_running = elsewhere.is_some();
    if let Some(name) = elsewhere {
        let said = format!("“{name}” is running. Stop it, or wait for its end first.");
        app.editor.notice.set(Some(said));
    }
    is_running
}

fn look_and_run(app: App, start: Start) {
    if app.problems.with_untracked(|problems| problems.iter().any(Problem::is_error)) {
        app.panel.set(Some(Panel::Problems));
        check::focus_problems();
        return;
    }
    spawn_local(async move {
        let Some(look) = look_or_say(app).await else { return };
        let undeclared = app.editor.document.with_untracked(|document| {
            app.problems.with_untracked(|problems| (look.undeclared)(document, problems))
        });
        if let Some(schema) = given::missing(app, &start, undeclared) {
            return app.dialog.set(Some(Dialog::Given { start, schema }));
        }
        if app.editor.document.with_untracked(|document| (look.needs_unlocking)(app, document)) {
            return app.dialog.set(Some(Dialog::Unlock { sends: Sends::Run(start) }));
        }
        // Each address that data leads to is asked about by itself, once the run knows it.
        let open = not_agreed(app, app.editor.document.with_untracked(look.origins));
        if open.is_empty() {
            begin(app, start);
        } else {
            ask(app, look, open, Sends::Run(start)).await;
        }
    });
}

/// Takes the run up again that is stored by this name, as an earlier visit has left it.
pub fn take_up(app: App, run: String) {
    if is_running_elsewhere(app) {
        return;
    }
    if app.runner.status.get_untracked() == Status::Running {
        let said = "Another run is in progress. Stop it, or wait for its end first.";
        return app.editor.notice.set(Some(said.to_owned()));
    }
    spawn_local(async move {
        let runs = app.bridge.with_value(|bridge| bridge.store().runs());
        let workflow = app.workflow.get_untracked();
        let Some(left) = runs.left(&workflow, &run).await else {
            forget_left(app, &run);
            return app.editor.notice.set(Some(GONE.to_owned()));
        };
        let Some(look) = look_or_say(app).await else { return };
        // Nothing is to be run twice, or in another workflow.
        if app.workflow.get_untracked() != workflow || app.runner.is_busy() {
            return;
        }
        let document = serde_json::from_str::<Document>(&left.document).ok();
        let origins = document.as_ref().map(|document| match left.suspended {
            true => (look.origins_at_once)(document),
            false => (look.origins)(document),
        });
        let origins = origins.unwrap_or_default();
        // What only waits for a person needs its keys with the answer.
        let goes_on = !left.suspended || !origins.is_empty();
        if document.is_some_and(|document| goes_on && (look.needs_unlocking)(app, &document)) {
            return app.dialog.set(Some(Dialog::Unlock { sends: Sends::TakenUp(run) }));
        }
        let open = not_agreed(app, origins);
        if !open.is_empty() {
            return ask(app, look, open, Sends::TakenUp(run)).await;
        }
        show(app);
        // In a chat the message answers.
        app.answering.set_value(left.suspended && app.panel.get_untracked() != Some(Panel::Chat));
        let options = options(app, None);
        if app.bridge.with_value(|bridge| app.runner.take_up(bridge, left, options)) {
            forget_left(app, &run);
        } else {
            app.editor.notice.set(Some("The journal of this run cannot be read.".to_owned()));
        }
    });
}

/// Has a run go on that is there already, once a person has agreed to where it sends. It comes with the views, from which
/// such a run was shown.
pub fn go_on(app: App, sends: Sends) {
    match sends {
        Sends::Run(start) => run(app, start),
        Sends::TakenUp(run) => take_up(app, run),
        Sends::Answered { key, answer: value } => answer(app, &key, value),
        Sends::Tried(key) => trying::begin(app, key),
        // What was to be tested stands there again.
        Sends::Tested => app.dialog.set(Some(Dialog::Tests)),
    }
}

/// Offers a run no longer to be taken up.
pub fn forget_left(app: App, run: &str) {
    app.waiting.update(|waiting| waiting.retain(|one| one.run != run));
}

/// Asks whether a run may send to these origins.
async fn ask(app: App, look: Look, origins: Vec<String>, sends: Sends) {
    // Models are asked without a relay, which may well not reach theirs.
    let offer = match app.editor.document.with_untracked(look.sent_to) {
        Some(origins) => to_choose(app, &origins).await,
        None => None,
    };
    app.dialog.set(Some(Dialog::Agree { origins, sends, offer }));
}

/// What looks at a workflow before a run; without it a person reads why nothing is run.
async fn look_or_say(app: App) -> Option<Look> {
    let look = look().await.ok();
    if look.is_none() {
        app.editor.notice.set(Some(MISSING.to_owned()));
    }
    look
}

/// What is looked at before a run.
struct Look {
    /// Where a document's runs send to.
    origins: fn(&Document) -> Vec<String>,
    /// Where those send to that wait for a person, before anybody has answered.
    origins_at_once: fn(&Document) -> Vec<String>,
    /// Where its requests are known to go, without what its models are asked.
    sent_to: fn(&Document) -> Option<Vec<String>>,
    /// Whether its runs need keys that are locked.
    needs_unlocking: fn(App, &Document) -> bool,
    /// The schema of what a run is given, with the names that nothing gives; nothing where there are none.
    undeclared: fn(&Document, &[Problem]) -> Option<Value>,
}

/// It comes with the dialogs, which ask for it.
#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn look() -> Result<Look, SplitLoaderError> {
    Ok(Look { origins, origins_at_once, sent_to, needs_unlocking, undeclared: with_undeclared })
}

/// Whether a workflow needs keys that this device remembers and that are not in memory.
pub fn needs_unlocking(app: App, document: &Document) -> bool {
    let of_models = document.models.values().filter_map(|model| model.api_key.as_ref());
    of_models.into_iter().any(|key| is_locked(app, key))
        || requests(document).iter().filter_map(|request| secret_of(request)).any(|key| is_locked(app, key))
}

/// Whether a key may be one of those that this device remembers, and is not in memory.
pub fn is_locked(app: App, Secret { secret }: &Secret) -> bool {
    app.remembered.get_untracked() == Remembered::Locked
        && app.keys.with_untracked(|keys| !keys.contains_key(secret))
}

/// Those of the origins that nobody has agreed to yet.
fn not_agreed(app: App, origins: Vec<String>) -> Vec<String> {
    let agreed = app.agreed.get_untracked();
    origins.into_iter().filter(|origin| !agreed.contains(origin)).collect()
}

/// Gives a person's answer to a suspended run, which then goes on.
pub fn answer(app: App, key: &str, value: Value) {
    if is_running_elsewhere(app) {
        return;
    }
    let key = key.to_owned();
    spawn_local(async move {
        let Some(look) = look_or_say(app).await else { return };
        // Two quick clicks are one answer.
        if app.runner.status.get_untracked() != Status::Suspended {
            return;
        }
        // Nobody was asked about a run that an earlier visit has left and that was only shown.
        let ran = untrack(|| app.runner.ran());
        if ran.document().is_some_and(|document| (look.needs_unlocking)(app, document)) {
            return app.dialog.set(Some(Dialog::Unlock { sends: Sends::Answered { key, answer: value } }));
        }
        let open = not_agreed(app, ran.document().map(look.origins).unwrap_or_default());
        if !open.is_empty() {
            return ask(app, look, open, Sends::Answered { key, answer: value }).await;
        }
        show(app);
        let options = options(app, None);
        let asked = untrack(|| app.runner.read(|board| board.asked(&key).map(|step| step.id.clone())));
        app.bridge.with_value(|bridge| app.runner.answer(bridge, &key, value, options));
        HalfWritten::of(app, &key).forget();
        // The button that had the focus is gone with the form.
        once_drawn(move || {
            let is_there = |id: &String| app.editor.layout.with_untracked(|layout| layout.card(id).is_some());
            if let Some(id) = asked.filter(|id| is_lost() && !is_narrow() && is_there(id)) {
                app.editor.focus.set(Some(id));
            }
        });
    });
}

/// Stops the run.
pub fn stop(app: App) {
    app.runner.stop();
}

/// Shows a run that goes on. In a chat its turn is there.
fn show(app: App) {
    app.inspecting.set(false);
    if app.panel.get_untracked() != Some(Panel::Chat) {
        app.panel.set(Some(Panel::Run));
    }
    follow(app);
}

/// Follows the run, with what it asks: whoever runs from a field has written what is in it.
fn follow(app: App) {
    app.camera.follow();
    app.has_written.set_value(false);
    app.answering.set_value(false);
}

fn begin(app: App, start: Start) {
    // Two quick clicks are checked twice but run once.
    if app.runner.is_busy() {
        return;
    }
    let text = app.editor.document.with_untracked(document_text);
    keep_version(app, text.clone());
    follow(app);
    // Where a step's form takes the place of other views, nobody would see what the run says.
    app.inspecting.set(false);
    if !matches!(start, Start::From(_)) {
        given::keep(app, None);
    }
    let run = |text, from, state| {
        let options = options(app, from);
        app.bridge.with_value(|bridge| app.runner.start(bridge, text, options, state));
    };
    match start {
        Start::Whole => {
            app.panel.set(Some(Panel::Run));
            run(text, None, given::take(app));
        }
        Start::From(step) => {
            app.panel.set(Some(Panel::Run));
            run(text, Some(step), Map::new());
        }
        Start::Said => {
            app.panel.set(Some(Panel::Chat));
            let state = given::besides_chat(app).into_iter().chain(chat::state(app)).collect();
            run(app.editor.document.with_untracked(|document| unpinned(app, document)), None, state);
            chat::begun(app);
        }
    }
}

/// The document without the pins of steps that a person talks to: what is pinned says the same to everything.
fn unpinned(app: App, document: &Document) -> String {
    let mut document = document.clone();
    for step in app.chat.all.get_untracked().iter().flat_map(|one| &one.steps) {
        document.pins.shift_remove(step);
    }
    document_text(&document)
}

/// What a run may do: the keys that the page has, and where it may send anything.
pub fn options(app: App, from: Option<String>) -> RunOptions {
    let secret = |(name, key): (String, Key)| SecretValue { name, value: key.value, origins: key.origins };
    let secrets = app.keys.get_untracked().into_iter().map(secret).collect();
    RunOptions {
        secrets,
        allow: app.agreed.get_untracked(),
        from,
        pins: untrack(|| app.uses_pins()),
        again: None,
        number: None,
        relay: app.relay.get_untracked(),
    }
}

/// Each run keeps the workflow as it is then. Who runs a workflow has something to lose, so the browser is asked to keep it.
fn keep_version(app: App, text: String) {
    let store = app.bridge.with_value(|bridge| bridge.store());
    spawn_local(async move {
        store.versions().keep_of_run(&app.workflow.get_untracked(), &text).await;
        store.persist().await;
    });
}
