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
const MARK: &str = "library";

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
    let file = File { stepweave: MARK, version: 1, workflows };
    // Documents are plain data with text keys, which always have a JSON form.
    (json::lines(&file), unread)
}

/// The workflows of such a file, and how many of them cannot be read; nothing when it is none.
pub fn read(text: &str) -> Option<(Vec<Document>, usize)> {
    let mut file: Value = nesting::read(text)?;
    if file.get("stepweave").and_then(Value::as_str) != Some(MARK) {
        return None;
    }
    let workflows = file.get_mut("workflows").map(Value::take);
    let Some(Value::Array(workflows)) = workflows else { return Some((Vec::new(), 0)) };
    let all = workflows.len();
    let read: Vec<Document> =
        workflows.into_iter().filter_map(|value| Document::from_json(value).ok()).collect();
    let unread = all - read.len();
    Some((read, unread))
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

/// Stores workflows beside those that are there; says how it went.
pub async fn import(app: App, workflows: Vec<Document>) -> String {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let mut added = 0;
    let mut refused = 0;
    // The first of the file becomes the newest.
    for document in workflows.into_iter().rev() {
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
    fn a_file_of_workflows_is_read_and_what_is_broken_in_it_is_counted() {
        let text = r#"{"stepweave":"library","version":1,"workflows":[{"version":1,"name":"a","steps":[]},{"name":7}]}"#;
        let (workflows, unread) = read(text).unwrap();
        assert_eq!((workflows.len(), workflows[0].name.as_str(), unread), (1, "a", 1));
        assert!(read(r#"{"version":1,"name":"a","steps":[]}"#).is_none());
        assert!(read("[").is_none());
        let file = File { stepweave: MARK, version: 1, workflows };
        assert_eq!(read(&serde_json::to_string(&file).unwrap()).unwrap().0[0].name, "a");
    }
}
