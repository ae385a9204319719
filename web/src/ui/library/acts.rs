//! What is done with a workflow of the library, whether it is open or not.

use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::Edit;
use stepweave_core::json;

use super::super::autosave;
use crate::bridge::Entry;
use crate::layout::Layout;
use crate::model::change::Change;
use crate::model::picture::Picture;
use crate::model::settings::without_steps;
use crate::model::work::Work;
use crate::page::state::App;

/// Gives a workflow another name; says why not when that fails. It is a change like any other, which can be undone.
pub(super) async fn rename(app: App, entry: &Entry, name: String) -> Option<String> {
    if app.workflow.with_untracked(|open| *open == entry.id) {
        app.editor.change_settings(|document| document.name = name);
        autosave::snapshot(app).await;
        return None;
    }
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let Some(work) = stored(app, entry).await else { return Some(unreadable(entry)) };
    let settings = Document { name: name.clone(), ..without_steps(&work.document) };
    let change = Change::Make { edit: Edit::Settings(Box::new(settings)), selected: None };
    // A change is plain data with text keys, which always has a JSON form.
    let text = json::text(&change);
    let renamed = library.rename(&entry.id, &name, &text).await;
    (!renamed).then(|| {
        format!("“{}” keeps its name: it is open in another tab, where it can be renamed.", entry.name)
    })
}

/// Brings a deleted workflow back, under a name that no other one has; says what there is to say of that.
pub(super) async fn restore(app: App, entry: &Entry) -> Option<String> {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let free = library.free_name(&entry.name).await;
    if !library.restore(&entry.id).await {
        return Some(format!("“{}” could not be restored: the browser refused.", entry.name));
    }
    if free == entry.name {
        return None;
    }
    let said = format!("“{}” is back as “{free}”, since another one is called that by now.", entry.name);
    rename(app, entry, free).await.or(Some(said))
}

/// Makes a copy of a workflow; says why not when that fails.
pub(super) async fn duplicate(app: App, entry: &Entry) -> Option<String> {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let Some(Work { mut document, drafts, .. }) = stored(app, entry).await else {
        return Some(unreadable(entry));
    };
    document.name = library.free_name(&format!("{} copy", document.name)).await;
    let picture = Picture::of(&Layout::of(&document)).text();
    let copy = Work { drafts, ..Work::new(document) };
    let text = json::text(&copy);
    let added = library.add(&copy.document.name, &text, &picture).await;
    added.is_none().then(|| format!("“{}” could not be copied: the browser refused.", entry.name))
}

async fn stored(app: App, entry: &Entry) -> Option<Work> {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let stored = library.read(&entry.id).await?;
    Work::read(&stored.snapshot, &stored.changes).ok()
}

fn unreadable(entry: &Entry) -> String {
    format!("“{}” cannot be read by this version of the page. It is kept as it is.", entry.name)
}
