//! Opens workflows. What was open stays stored as it was left.

use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::Edit;
use stepweave_core::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use super::{autosave, chat, templates};
use crate::bridge::{Absent, Opened};
use crate::layout::Layout;
use crate::model::picture::Picture;
use crate::model::work::{Unreadable, Work};
use crate::page::focus::{focus_in_place, once_drawn};
use crate::page::state::{App, Dialog, Given, Lost, Panel};
use crate::page::viewport::Viewport;
use crate::run::board;
use crate::run::status::Status;

/// What is shown of a workflow that was opened.
pub struct Found {
    /// What is shown.
    pub work: Work,
    state: State,
}

enum State {
    /// As it was stored.
    Stored,
    /// It has never been stored.
    New,
    /// Not all of what is stored can be read. That stays as it is, and what can be read becomes a workflow of its own.
    Unreadable,
}

/// Reads what was stored.
pub fn read(opened: &Opened) -> Found {
    let Some(snapshot) = &opened.snapshot else {
        let state = if opened.damaged { State::Unreadable } else { State::New };
        return Found { work: Work::new(templates::first()), state };
    };
    match Work::read(snapshot, &opened.changes) {
        Ok(work) => Found { work, state: State::Stored },
        Err(Unreadable { rest }) => {
            let rest = rest.map(|mut work| {
                work.document.name.push_str(" (what can be read)");
                *work
            });
            Found { work: rest.unwrap_or_else(|| Work::new(templates::first())), state: State::Unreadable }
        }
    }
}

/// Shows a workflow that was opened.
pub fn show(app: App, opened: Opened) {
    let found = read(&opened);
    let other = app.workflow.with_untracked(|id| *id != opened.id);
    let selected = app.editor.selected.get_untracked();
    let name = app.editor.document.with_untracked(|document| document.name.clone());
    app.editor.load(found.work.clone());
    let is_there = |id: &String| app.editor.document.with_untracked(|document| document.step(id).is_some());
    if let Some(id) = selected.filter(|id| !other && is_there(id)) {
        app.editor.select(Some(id));
    }
    if other {
        app.runner.enter(app.workflow.get_untracked(), name, &opened.id);
        app.trials.forget();
        app.given.set(Given::default());
        close_dialogs(app);
        show_or_hide_run(app);
        fit(app);
    }
    settle(app, opened, &found);
}

/// Where nothing has run, a view of the run, or of the problems of the workflow that was left, only takes room from the
/// steps.
fn show_or_hide_run(app: App) {
    let has_run = app.runner.status.get_untracked() != Status::Idle;
    match app.panel.get_untracked() {
        Some(Panel::Run | Panel::Problems) if !has_run => app.panel.set(None),
        None if has_run => app.panel.set(Some(Panel::Run)),
        _ => {}
    }
}

/// Closes what asks about the workflow that is left, such as before a run of it.
fn close_dialogs(app: App) {
    let is_of_it = |dialog: &Option<Dialog>| {
        matches!(
            dialog,
            Some(
                Dialog::Versions
                    | Dialog::Tests
                    | Dialog::Delete { .. }
                    | Dialog::Given { .. }
                    | Dialog::Unlock { .. }
                    | Dialog::Try { .. }
                    | Dialog::OpenApi { .. }
                    | Dialog::McpServer { .. }
                    | Dialog::Agree { .. }
            )
        )
    };
    if app.dialog.with_untracked(is_of_it) {
        app.dialog.set(None);
    }
}

/// Shows the workflow from its beginning.
pub fn fit(app: App) {
    let (width, height) = app.camera.size.get_untracked();
    let bounds = app.editor.layout.with_untracked(|layout| layout.bounds);
    app.camera.view.set(Viewport::opening(bounds, width, height));
}

/// After the workflow is shown: who edits it, and what is to be said of it.
pub fn settle(app: App, opened: Opened, found: &Found) {
    app.editor.following.set(!opened.editing);
    app.workflow.set(opened.id.clone());
    app.trouble.set(opened.trouble);
    offer_run(app);
    chat::load(app);
    if let Some(absent) = opened.lost {
        let said = match absent {
            Absent::Deleted => {
                "The workflow of this address is deleted. The list of workflows brings it back; this one is shown instead."
            }
            Absent::Unknown => {
                "The workflow of this address is not stored in this browser. This one is shown instead."
            }
        };
        app.editor.notice.set(Some(said.to_owned()));
    }
    match found.state {
        // What is typed now is another change than what was typed before a reload.
        State::Stored => app.editor.seal(),
        State::New if opened.editing => spawn_local(autosave::snapshot(app)),
        State::New => {}
        State::Unreadable => {
            app.unreadable.set(Some(Lost { id: opened.id }));
            spawn_local(make_now(app, found.work.clone()));
        }
    }
}

/// Offers the runs of the open workflow that wait or were cut off, or else shows the last one that has ended; those that
/// have ended are at hand. Who only follows could not take one up.
fn offer_run(app: App) {
    app.waiting.set(Vec::new());
    if app.editor.following.get_untracked() {
        return;
    }
    spawn_local(async move {
        let runs = app.bridge.with_value(|bridge| bridge.store().runs());
        let workflow = app.workflow.get_untracked();
        let is_open = || app.workflow.get_untracked() == workflow;
        let last = runs.last_number(&workflow).await;
        offer_left(app).await;
        if !is_open() {
            return;
        }
        let is_offered = app.waiting.with_untracked(|waiting| !waiting.is_empty());
        let ended = runs.ended(&workflow).await;
        if !ended.is_empty()
            && let Ok(taking) = board::taking().await
            && is_open()
        {
            app.runner.recall(ended, taking);
        }
        if !is_open() {
            return;
        }
        app.runner.count_from(last);
        if !is_offered && app.runner.status.get_untracked() == Status::Idle {
            app.runner.look_at_last();
            show_or_hide_run(app);
        }
    });
}

/// Offers the runs of the open workflow that wait or were cut off, but for those of this visit, which are listed among its runs.
pub async fn offer_left(app: App) {
    let runs = app.bridge.with_value(|bridge| bridge.store().runs());
    let workflow = app.workflow.get_untracked();
    let mut waiting = runs.waiting(&workflow).await;
    if app.workflow.get_untracked() == workflow && !app.editor.following.get_untracked() {
        waiting.retain(|one| app.runner.number_of(&one.run).is_none());
        app.waiting.set(waiting);
    }
}

/// Makes a new workflow of a document, under a name that no other one has, and opens it. A dialog closes only then: a
/// click on Run must not reach the workflow before it.
pub fn make(app: App, document: Document) {
    make_then(app, document, None);
}

/// Makes an empty workflow and opens it.
pub fn make_empty(app: App) {
    spawn_local(async move {
        make_now(app, empty()).await;
        app.dialog.set(None);
        begin_in_canvas();
    });
}

/// Makes a new workflow of a document, opens it, and shows a dialog about it.
pub fn make_then(app: App, document: Document, then: Option<Dialog>) {
    spawn_local(async move {
        make_now(app, Work::new(document)).await;
        app.dialog.set(then);
    });
}

/// Opens a stored workflow, then closes the dialog in which it was chosen.
pub fn enter(app: App, id: String) {
    spawn_local(async move {
        leave_for(app, &id).await;
        app.dialog.set(None);
    });
}

/// Opens a stored workflow instead of the one that is open.
pub async fn leave_for(app: App, id: &str) {
    leave(app).await;
    enter_now(app, id).await;
}

/// Reads the open workflow again.
pub async fn reopen(app: App) {
    enter_now(app, &app.workflow.get_untracked()).await;
}

/// Edits the open workflow here, instead of in the tab that does so now.
pub fn edit_here(app: App) {
    let store = app.bridge.with_value(|bridge| bridge.store());
    spawn_local(async move {
        if let Some(opened) = store.seize().await {
            show(app, opened);
        }
    });
}

async fn make_now(app: App, mut work: Work) {
    // Whoever begins anew adds steps. What was typed there belongs to the workflow that is left.
    app.as_json.set(false);
    leave(app).await;
    let store = app.bridge.with_value(|bridge| bridge.store());
    work.document.name = store.library().free_name(&work.document.name).await;
    let picture = Picture::of(&Layout::of(&work.document)).text();
    // Plain data with text keys always has a JSON form.
    let text = json::text(&work);
    match store.library().add(&work.document.name, &text, &picture).await {
        Some(id) => {
            enter_now(app, &id).await;
            // Firefox answers only when a person has.
            spawn_local(async move {
                store.persist().await;
            });
        }
        // Where nothing can be stored there is one workflow, and undo brings the one before back.
        None => {
            app.editor.make(Edit::Whole(Box::new(work.document)));
            app.panel.set(None);
        }
    }
}

async fn enter_now(app: App, id: &str) {
    let store = app.bridge.with_value(|bridge| bridge.store());
    if let Some(opened) = store.enter(id).await {
        show(app, opened);
    }
}

/// Opens the workflow that was changed last, when the open one was deleted.
pub async fn enter_next(app: App) {
    let store = app.bridge.with_value(|bridge| bridge.store());
    let entries = store.library().list().await;
    match entries.into_iter().find(|entry| entry.deleted_at.is_none()) {
        Some(entry) => enter_now(app, &entry.id).await,
        None => make_now(app, empty()).await,
    }
}

fn empty() -> Work {
    Work::new(Document::new("Untitled"))
}

/// Focuses the slot of an empty workflow, where its first step is added.
fn begin_in_canvas() {
    once_drawn(|| {
        let slot = document().query_selector(".place[data-look=empty] .place-add").ok().flatten();
        slot.and_then(|slot| slot.dyn_into().ok()).iter().for_each(focus_in_place);
    });
}

/// Stores all of the open workflow, before the list is shown or another one is opened.
pub async fn leave(app: App) {
    app.editor.seal();
    // A workflow that cannot be read is not written over.
    let unreadable = app.unreadable.with_untracked(|lost| lost.as_ref().map(|lost| lost.id.clone()));
    if !app.editor.following.get_untracked() && unreadable != Some(app.workflow.get_untracked()) {
        autosave::snapshot(app).await;
    }
}
