//! All workflows as one file. [docs/builder.md](../../../../docs/builder.md) says what is in it.

use leptos::prelude::*;
use serde::Serialize;
use serde_json::Value;
use stepweave_core::document::{Document, nesting};
use stepweave_core::json;

use crate::layout::Layout;
use crate::model::picture::Picture;
use crate::model::work::{Unreadable, Work};
use crate::page::state::{App, exported};

/// What tells such a file from a document.
pub(super) const MARK: &str = "library";

/// The version of such files that this page writes, and knows all of.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize)]
struct File {
    stepweave: &'static str,
    version: u32,
    workflows: Vec<Document>,
}

/// All workflows as one file, and how many of them could not be read.
pub(super) async fn export(app: App) -> (String, usize) {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let mut workflows = Vec::new();
    let mut unread = 0;
    for entry in library.list().await.into_iter().filter(|entry| entry.deleted_at.is_none()) {
        let stored = library.read(&entry.id).await;
        match stored.and_then(|stored| Work::read(&stored.snapshot, &stored.changes).ok()) {
            Some(work) => workflows.push(exported(&work.document)),
            None => unread += 1,
        }
    }
    let file = File { stepweave: MARK, version: VERSION, workflows };
    // Documents are plain data with text keys, which always have a JSON form.
    (json::lines(&file), unread)
}

/// What can be read of a workflow that was kept because it could not be: such a file has all that was stored of it.
/// Nothing when it is none.
pub fn kept(text: &str) -> Option<Option<Document>> {
    let file: Value = nesting::read(text)?;
    let (snapshot, changes) = (file.get("snapshot")?, file.get("changes")?.as_array()?);
    let Some(snapshot) = snapshot.get("text").and_then(Value::as_str) else { return Some(None) };
    let changes: Vec<String> =
        changes.iter().filter_map(|change| Some(change.as_str()?.to_owned())).collect();
    Some(match Work::read(snapshot, &changes) {
        Ok(work) => Some(work.document),
        Err(Unreadable { rest }) => rest.map(|work| work.document),
    })
}

/// Stores workflows beside those that are there, each under a name that no other one has; says how it went.
pub async fn import(app: App, workflows: Vec<Document>) -> String {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let mut added = 0;
    let mut refused = 0;
    // The first of the file becomes the newest.
    for mut document in workflows.into_iter().rev() {
        document.name = library.free_name(&document.name).await;
        let picture = Picture::of(&Layout::of(&document)).text();
        let name = document.name.clone();
        let text = json::text(&Work::new(document));
        match library.add(&name, &text, &picture).await {
            Some(_) => added += 1,
            None => refused += 1,
        }
    }
    let plural = if added == 1 { "workflow is" } else { "workflows are" };
    let mut said = format!("{added} {plural} added.");
    if refused > 0 {
        said.push_str(&format!(" {refused} could not be stored: there may be no room left."));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;

    #[test]
    fn what_was_kept_unread_is_read_as_far_as_it_can_be() {
        let work = json::text(&Work::new(Document::new("kept")));
        let file = |text: &str, changes: &[&str]| {
            kept(&json::text(
                &serde_json::json!({ "entry": { "id": "a" }, "snapshot": { "text": text }, "changes": changes }),
            ))
        };
        assert_eq!(file(&work, &[]).unwrap().unwrap().name, "kept");
        assert_eq!(file(&work, &["{\"later\":1}"]).unwrap().unwrap().name, "kept");
        assert_eq!(file("{", &[]), Some(None));
        assert_eq!(kept(r#"{"version":1,"name":"a","steps":[]}"#), None);
    }

    #[test]
    fn a_file_of_workflows_is_read_again() {
        let file = File { stepweave: MARK, version: VERSION, workflows: vec![Document::new("a")] };
        let read = read(&json::lines(&file)).unwrap();
        assert_eq!((read.workflows[0].name.as_str(), read.said()), ("a", None));
    }
}
