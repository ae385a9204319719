//! Stores the open workflow: each change at once, and all of it now and then, so that there are never many changes to
//! make again.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::{chat, opening};
use crate::bridge::{News, Trouble};
use crate::model::picture::Picture;
use crate::page::state::{App, Saved};

/// How many changes are stored until all of the workflow is.
const MOST_CHANGES: usize = 200;

/// The same in bytes.
const MOST_BYTES: usize = 256 << 10;

/// How long nothing happens before the list of workflows is given the changes.
const PAUSE: Duration = Duration::from_millis(400);

/// What a person reads whose workflow is gone from the list. What is done to it is not lost.
const DELETED: &str = "This workflow was deleted in another tab. Change something here, and it is back.";

/// What a person reads whose page misses files that a newer version has replaced.
const OUTDATED: &str = "A newer version of this page is there, and files of this one are gone. Reload the page: what you have done is kept.";

/// What has been stored since all of the workflow was.
#[derive(Debug, Clone, Copy, Default)]
struct Since {
    changes: usize,
    bytes: usize,
}

/// Stores what happens to the open workflow from now on, and does here what other tabs do to it.
pub fn follow(app: App) {
    let since = StoredValue::new(Since::default());
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    app.editor.store_with(move |text| {
        let storing = app.bridge.with_value(|bridge| bridge.store().append(&text));
        app.saved.set(Saved::Soon);
        spawn_local(async move {
            let Some(trouble) = storing.await else { return };
            refuse(app, trouble);
            if trouble == Trouble::Full {
                // Behind a change that is missing no other one is of use, but all of the workflow is.
                snapshot(app).await;
            }
        });
        since.update_value(|since| {
            since.changes += 1;
            since.bytes += text.len();
        });
        if let Some(timer) = waiting.get_value() {
            timer.clear();
        }
        // Without a timer the list gets the changes when the workflow is left.
        waiting.set_value(set_timeout_with_handle(move || describe(app), PAUSE).ok());
        let Since { changes, bytes } = since.get_value();
        if changes >= MOST_CHANGES || bytes >= MOST_BYTES {
            since.set_value(Since::default());
            let bridge = app.bridge.get_value();
            spawn_local(async move {
                bridge.idle().await;
                snapshot(app).await;
            });
        }
    });
    let hiding = window_event_listener(ev::Custom::<web_sys::Event>::new("visibilitychange"), move |_| {
        if since.with_value(|since| since.changes > 0) && !app.editor.following.get_untracked() {
            since.set_value(Since::default());
            spawn_local(snapshot(app));
        }
    });
    on_cleanup(move || hiding.remove());
    spawn_local(async move {
        let store = app.bridge.with_value(|bridge| bridge.store());
        while let Some(news) = store.next().await {
            match news {
                News::Change(text) => {
                    if !app.editor.follow(&text) {
                        // What this page cannot read, it reads again from the store, and says so if it still cannot.
                        opening::reopen(app).await;
                    }
                }
                News::Opened(opened) => opening::show(app, opened),
                News::Following => app.editor.following.set(true),
                News::Deleted => {
                    app.saved.set(Saved::Deleted);
                    app.editor.notice.set(Some(DELETED.to_owned()));
                }
                News::Restored => {
                    app.saved.set(Saved::Yes);
                    app.editor.notice.set(None);
                }
                News::Outdated => app.editor.notice.set(Some(OUTDATED.to_owned())),
                News::Freed => {
                    opening::offer_left(app).await;
                    chat::load(app);
                }
                News::Said => chat::load(app),
                News::Address(id) => opening::leave_for(app, &id).await,
                // A dialog lies over the form.
                News::Closed if app.dialog.with_untracked(Option::is_some) => app.dialog.set(None),
                News::Closed => app.inspecting.set(false),
                News::Trouble(trouble) => refuse(app, trouble),
            }
        }
    });
}

/// Stores all of the open workflow. It is on its way when this returns.
pub fn snapshot(app: App) -> impl Future<Output = ()> {
    let name = app.editor.document.with_untracked(|document| document.name.clone());
    let picture = app.editor.layout.with_untracked(|layout| Picture::of(layout).text());
    let text = app.editor.snapshot();
    let storing = app.bridge.with_value(|bridge| bridge.store().snapshot(&text, &name, &picture));
    async move {
        match storing.await {
            Some(trouble) => refuse(app, trouble),
            None if app.trouble.get_untracked() == Some(Trouble::Full) => {
                app.trouble.set(None);
                app.saved.set(Saved::Yes);
            }
            None => {}
        }
    }
}

fn describe(app: App) {
    let name = app.editor.document.with_untracked(|document| document.name.clone());
    let picture = app.editor.layout.with_untracked(|layout| Picture::of(layout).text());
    let store = app.bridge.with_value(|bridge| bridge.store());
    spawn_local(async move {
        match store.describe(&name, &picture).await {
            None => app.saved.set(Saved::Yes),
            Some(trouble) => refuse(app, trouble),
        }
    });
}

fn refuse(app: App, trouble: Trouble) {
    app.saved.set(Saved::Refused);
    app.trouble.set(Some(trouble));
}
