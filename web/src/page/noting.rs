//! Notes on their papers: which are shown, and the one that is being written.

use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::find;

use super::state::App;
use crate::bridge::Bridge;
use crate::layout::note::{NoteOf, Paper, Papers};
use crate::model::editor::Editor;
use crate::step::face::Face;

/// The name under which the browser remembers whether notes are papers.
const NOTES: &str = "notes";

/// A note that is being written.
#[derive(Clone, Copy)]
pub struct OpenNote {
    /// Whose note it is.
    pub of: StoredValue<NoteOf>,
    /// What it says.
    pub text: Memo<String>,
    /// Its place in the layout.
    pub paper: Memo<Option<Paper>>,
}

/// As the browser remembers it: notes are papers, unless they were folded.
pub fn remembered(bridge: &Bridge) -> Papers {
    Papers { shown: bridge.preference(NOTES).as_deref() != Some("off"), open: None }
}

/// Shows notes as papers, or folds them to signs.
pub fn turn(app: App) {
    app.editor.papers.update(|papers| papers.shown = !papers.shown);
    let shown = app.editor.papers.with_untracked(|papers| papers.shown);
    app.bridge.with_value(|bridge| bridge.prefer(NOTES, if shown { "on" } else { "off" }));
}

/// Opens a note, to be written on its paper.
pub fn open(app: App, of: NoteOf) {
    if let Some(other) = app.editor.papers.with_untracked(|papers| papers.open.clone()) {
        if other == of {
            return;
        }
        close(app.editor, &other);
    }
    app.as_json.set(false);
    app.editor.select(match &of {
        NoteOf::Workflow => None,
        NoteOf::Step(id) => Some(id.clone()),
    });
    app.editor.papers.update(|papers| papers.open = Some(of));
}

/// Whether a note is open; follows it.
pub fn is_open(editor: Editor, of: &NoteOf) -> bool {
    editor.papers.with(|papers| papers.open.as_ref() == Some(of))
}

/// What a note says.
pub fn text_of(document: &Document, of: &NoteOf) -> Option<String> {
    match of {
        NoteOf::Workflow => document.notes.clone(),
        NoteOf::Step(id) => find(document, id)?.notes.clone(),
    }
}

/// Changes a note while a person types it, in the same way as a field of the inspector does.
pub fn write(editor: Editor, of: &NoteOf, text: String) {
    let note = Some(text).filter(|text| !text.is_empty());
    match of {
        NoteOf::Workflow => editor.type_into_settings("notes", |document| document.notes = note),
        NoteOf::Step(id) => editor.type_into_step(id, "notes", |step| step.notes = note),
    }
}

/// Closes a note that was open. One that says nothing is none.
pub fn close(editor: Editor, of: &NoteOf) {
    if !untrack(|| is_open(editor, of)) {
        return;
    }
    let text = editor.document.with_untracked(|document| text_of(document, of));
    if text.is_some_and(|text| text.trim().is_empty()) && !editor.following.get_untracked() {
        write(editor, of, String::new());
    }
    editor.seal();
    editor.papers.update(|papers| papers.open = None);
}

/// What a note is called; follows the name of its step.
pub fn name_of(editor: Editor, of: &NoteOf) -> String {
    match of {
        NoteOf::Workflow => "Note on the workflow".to_owned(),
        NoteOf::Step(id) => {
            let face = editor.step_in(id, Face::of).unwrap_or_default();
            format!("Note on {}", face.name)
        }
    }
}
