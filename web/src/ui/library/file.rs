//! All workflows as one file. [docs/builder.md](../../../../docs/builder.md) says what is in it.

use leptos::prelude::*;
use serde::Serialize;
use serde_json::Value;
use stepweave_core::document::{Document, nesting};
use stepweave_core::json;

use crate::layout::Layout;
use crate::model::drafts;
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

/// All workflows as one file, and what is not in it.
pub(super) struct Export {
    pub(super) text: String,
    /// How many could not be read.
    unread: usize,
    /// The names of those in which something is not valid yet: the file has the values from before.
    unfinished: Vec<String>,
}

impl Export {
    /// What is not in the file, in words; nothing where all is.
    pub(super) fn said(&self) -> Option<String> {
        let mut said = Vec::new();
        if self.unread > 0 {
            said.push(format!(
                "{} could not be read, and so are not in the file. They are kept as they are.",
                self.unread
            ));
        }
        if !self.unfinished.is_empty() {
            said.push(format!(
                "Not all that you wrote in {} is in the file: it has the values from before, where something is not valid yet.",
                listed(&self.unfinished)
            ));
        }
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// Names, the first few of many.
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().take(NAMED).map(|name| format!("“{name}”")).collect();
    match (names.len() - quoted.len(), quoted.split_last()) {
        (0, Some((last, rest))) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        (0, _) => quoted.join(""),
        (more, _) => format!("{} and {more} more", quoted.join(", ")),
    }
}

/// So many are said by name.
const NAMED: usize = 3;

/// All workflows as one file.
pub(super) async fn export(app: App) -> Export {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let mut workflows = Vec::new();
    let (mut unread, mut unfinished) = (0, Vec::new());
    for entry in library.list().await.into_iter().filter(|entry| entry.deleted_at.is_none()) {
        let stored = library.read(&entry.id).await;
        match stored.and_then(|stored| Work::read(&stored.snapshot, &stored.changes).ok()) {
            Some(work) => {
                if !drafts::unfinished(&work.document, &work.drafts).is_empty() {
                    unfinished.push(work.document.name.clone());
                }
                workflows.push(exported(&work.document));
            }
            None => unread += 1,
        }
    }
    let file = File { stepweave: MARK, version: VERSION, workflows };
    // Documents are plain data with text keys, which always have a JSON form.
    Export { text: json::lines(&file), unread, unfinished }
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
    fn what_is_not_in_a_file_is_said() {
        let said = |unread: usize, names: &[&str]| {
            let unfinished = names.iter().map(|name| (*name).to_owned()).collect();
            Export { text: String::new(), unread, unfinished }.said()
        };
        assert_eq!(said(0, &[]), None);
        assert_eq!(
            said(2, &[]).unwrap(),
            "2 could not be read, and so are not in the file. They are kept as they are."
        );
        for (names, listed) in [
            (&["a"][..], "“a”"),
            (&["a", "b"], "“a” and “b”"),
            (&["a", "b", "c"], "“a”, “b” and “c”"),
            (&["a", "b", "c", "d", "e"], "“a”, “b”, “c” and 2 more"),
        ] {
            assert_eq!(
                said(0, names).unwrap(),
                format!(
                    "Not all that you wrote in {listed} is in the file: it has the values from before, where something is not valid yet."
                )
            );
        }
    }

    #[test]
    fn a_file_of_workflows_is_read_again() {
        let file = File { stepweave: MARK, version: VERSION, workflows: vec![Document::new("a")] };
        let read = read(&json::lines(&file)).unwrap();
        assert_eq!((read.workflows[0].name.as_str(), read.said()), ("a", None));
    }
}
