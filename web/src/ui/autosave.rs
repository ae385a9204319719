//! Keeps the open workflow for the next visit, without the keys of endpoints.

use std::time::Duration;

use indexmap::IndexMap;
use leptos::ev;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use stepweave_core::document::Document;
use wasm_bindgen_futures::spawn_local;

use super::topbar::open;
use crate::page::state::{App, Left, Saved};

const PAUSE: Duration = Duration::from_millis(400);

/// What a tab finds of earlier visits.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Kept {
    text: Option<String>,
    /// Whether another tab has the builder open too.
    #[serde(default)]
    pub shared: bool,
    /// What other tabs have left behind.
    #[serde(default)]
    pub left: Vec<Left>,
}

#[derive(Deserialize)]
struct Work {
    document: Document,
    #[serde(default)]
    drafts: IndexMap<String, String>,
}

#[derive(Serialize)]
struct Keeping<'a> {
    document: &'a Document,
    drafts: &'a IndexMap<String, String>,
}

impl Kept {
    /// The workflow, with the texts that were no valid value yet.
    pub fn work(&self) -> Option<(Document, IndexMap<String, String>)> {
        let work: Work = serde_json::from_str(self.text.as_deref()?).ok()?;
        Some((work.document, work.drafts))
    }
}

/// Opens what another tab has left. What is open now stays kept where it is, and is then what is left behind.
pub fn take_over(app: App, left: &Left) {
    let Left { place, name } = left.clone();
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        let kept: Option<Kept> = bridge.take_over(&place, &text(app)).await;
        let Some((kept, (document, drafts))) = kept.and_then(|kept| Some((kept.clone(), kept.work()?)))
        else {
            return app.editor.notice.set(Some(format!("“{name}” is open in another tab.")));
        };
        open(app, document, &format!("“{name}”"));
        app.editor.drafts.set(drafts);
        app.left.set(kept.left);
    });
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
    let (bridge, text) = (app.bridge.get_value(), text(app));
    spawn_local(async move {
        let worked = bridge.save(&text).await;
        app.saved.set(if worked { Saved::Yes } else { Saved::Refused });
    });
}

fn text(app: App) -> String {
    app.editor.document.with_untracked(|document| {
        app.editor.drafts.with_untracked(|drafts| {
            // A document is plain data with text keys, which always has a JSON form.
            serde_json::to_string(&Keeping { document, drafts }).unwrap_or_default()
        })
    })
}
