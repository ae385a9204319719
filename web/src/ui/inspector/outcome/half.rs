//! Answers to a waiting run that are half written: they survive whatever is looked at meanwhile, and a reload.

use leptos::prelude::*;
use stepweave_core::json;

use crate::model::problem::ANSWER;
use crate::page::state::App;

/// What a person has written for one question.
#[derive(Clone)]
pub struct HalfWritten {
    app: App,
    /// Nothing where the run is not stored.
    key: Option<String>,
}

impl HalfWritten {
    /// What was written for the question of this key in the run that is shown. Those of other runs go.
    pub fn of(app: App, question: &str) -> Self {
        let run = untrack(|| app.runner.stored()).map(|run| format!("{ANSWER}{run}/"));
        let is_over = |key: &&String| {
            key.starts_with(ANSWER) && run.as_ref().is_none_or(|run| !key.starts_with(run.as_str()))
        };
        let over: Vec<String> =
            app.editor.drafts.with_untracked(|drafts| drafts.keys().filter(is_over).cloned().collect());
        let half = Self { app, key: run.map(|run| run + question) };
        over.iter().for_each(|key| half.write(key, None));
        half
    }

    /// The texts of the fields, where so many were kept.
    pub fn texts(&self, many: usize) -> Option<Vec<String>> {
        let key = self.key.as_ref()?;
        let text = self.app.editor.drafts.with_untracked(|drafts| drafts.get(key).cloned())?;
        serde_json::from_str::<Vec<String>>(&text).ok().filter(|texts| texts.len() == many)
    }

    /// Keeps them.
    pub fn keep(&self, texts: &[String]) {
        self.put(Some(json::text(&texts)));
    }

    /// The answer is given.
    pub fn forget(&self) {
        self.put(None);
    }

    fn put(&self, text: Option<String>) {
        if let Some(key) = &self.key {
            self.write(key, text);
        }
    }

    /// Who follows another tab stores nothing.
    fn write(&self, key: &str, text: Option<String>) {
        if !self.app.editor.following.get_untracked() {
            self.app.editor.draft(key, text);
        }
    }
}
