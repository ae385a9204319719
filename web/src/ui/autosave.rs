//! Keeps the open workflow for the next visit. Keys of endpoints are no part of it.

use std::time::Duration;

use indexmap::IndexMap;
use leptos::ev;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use stepweave_core::document::Document;

use super::state::{App, Saved};
use crate::bridge::once_with_answer;

const PAUSE: Duration = Duration::from_millis(400);

#[derive(Deserialize)]
struct Kept {
    document: Document,
    #[serde(default)]
    drafts: IndexMap<String, String>,
}

#[derive(Serialize)]
struct Keeping<'a> {
    document: &'a Document,
    drafts: &'a IndexMap<String, String>,
}

/// What was kept, with the texts that were no valid value yet.
pub fn read(text: &str) -> Option<(Document, IndexMap<String, String>)> {
    let kept: Kept = serde_json::from_str(text).ok()?;
    Some((kept.document, kept.drafts))
}

/// Stores the document a moment after each change, and at once when the page goes away.
pub fn follow(app: App) {
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move |before: Option<()>| {
        app.editor.document.track();
        app.editor.drafts.track();
        if before.is_none() {
            return;
        }
        if let Some(timer) = waiting.get_value() {
            timer.clear();
        }
        app.saved.set(Saved::Soon);
        // Without a timer the page still stores when it goes away.
        waiting.set_value(set_timeout_with_handle(move || save(app), PAUSE).ok());
    });
    let leaving = window_event_listener(ev::Custom::<web_sys::Event>::new("pagehide"), move |_| {
        if app.saved.get_untracked() == Saved::Soon {
            app.bridge.with_value(|bridge| bridge.save_on_leaving(&text(app)));
        }
    });
    on_cleanup(move || leaving.remove());
}

fn save(app: App) {
    let text = text(app);
    let done =
        once_with_answer(move |worked| app.saved.set(if worked { Saved::Yes } else { Saved::Refused }));
    app.bridge.with_value(|bridge| bridge.save(&text, &done));
}

fn text(app: App) -> String {
    app.editor.document.with_untracked(|document| {
        app.editor.drafts.with_untracked(|drafts| {
            // A document is plain data with text keys, which always has a JSON form.
            serde_json::to_string(&Keeping { document, drafts }).unwrap_or_default()
        })
    })
}
