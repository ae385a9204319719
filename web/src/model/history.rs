//! Undo and redo: each entry is the edit that takes another one back.

use serde::{Deserialize, Serialize};
use stepweave_core::document::Document;
use stepweave_core::edit::{Edit, EditError, apply};

use super::change::Change;

/// How many changes can be taken back.
pub const MOST_ENTRIES: usize = 1000;

/// What has been done and can be taken back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct History {
    undo: Vec<Entry>,
    redo: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    back: Edit,
    /// The field that is being typed into; the next change of the same field belongs to this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What was selected before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selected: Option<String>,
}

/// What can be taken back and made again at a moment, as far as that tells it from other moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    changes: usize,
    again: Option<Edit>,
}

/// What a change has done to the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing.
    Unchanged,
    /// It is another one now.
    Changed,
    /// A change was taken back or made again; before it, this step was selected.
    Crossed(Option<String>),
}

impl History {
    /// Makes a change of the document. Whatever is stored, sent to other tabs and read again comes through here, so the
    /// same changes always lead to the same document and the same history.
    ///
    /// # Errors
    /// When the change does not fit the document; both are then as they were.
    pub fn apply(&mut self, document: &mut Document, change: Change) -> Result<Outcome, EditError> {
        match change {
            Change::Make { edit, selected } => self.make(document, edit, selected),
            Change::Type { edit, field, selected } => self.type_into(document, edit, field, selected),
            Change::Seal => {
                self.seal();
                Ok(Outcome::Unchanged)
            }
            Change::Undo { selected } => Ok(cross(&mut self.undo, &mut self.redo, document, selected)),
            Change::Redo { selected } => Ok(cross(&mut self.redo, &mut self.undo, document, selected)),
            // Drafts and samples are beside the document, and nobody takes them back.
            Change::Draft { .. } | Change::Sample { .. } | Change::Fold { .. } | Change::Unfold { .. } => {
                Ok(Outcome::Unchanged)
            }
        }
    }

    /// How many changes can be taken back.
    pub fn depth(&self) -> usize {
        self.undo.len()
    }

    /// Whether there is something to take back.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Whether there is something to make again.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// What is taken back and made again next.
    pub fn next(&self) -> Next {
        Next { changes: self.undo.len(), again: self.redo.last().map(|entry| entry.back.clone()) }
    }

    /// Whether a field is being typed into.
    pub fn is_open(&self) -> bool {
        self.undo.last().is_some_and(|entry| entry.field.is_some())
    }

    /// Whether this field is.
    pub fn is_typing_into(&self, field: &str) -> bool {
        self.undo.last().is_some_and(|entry| entry.field.as_deref() == Some(field))
    }

    /// Forgets the oldest changes, so that the others take at most so many bytes where they are stored.
    pub fn trim(&mut self, bytes: usize) {
        let mut left = bytes;
        for entries in [&mut self.undo, &mut self.redo] {
            let fits = |entry: &&Entry| {
                // Edits are plain data with text keys, which always have a JSON form.
                let size = serde_json::to_string(entry).map_or(usize::MAX, |text| text.len());
                let fits = size <= left;
                left = left.saturating_sub(size);
                fits
            };
            let kept = entries.iter().rev().take_while(fits).count();
            entries.drain(..entries.len() - kept);
        }
    }

    fn make(
        &mut self,
        document: &mut Document,
        edit: Edit,
        selected: Option<String>,
    ) -> Result<Outcome, EditError> {
        let back = apply(document, edit)?;
        self.seal();
        self.push(Entry { back, field: None, selected });
        Ok(Outcome::Changed)
    }

    /// Makes a change that belongs to typing into `field`: until the field is left, all of it is one entry.
    /// Such a change replaces the same thing as the one before, so what takes the first back takes all back.
    fn type_into(
        &mut self,
        document: &mut Document,
        edit: Edit,
        field: String,
        selected: Option<String>,
    ) -> Result<Outcome, EditError> {
        let back = apply(document, edit)?;
        if self.undo.last().is_some_and(|entry| entry.field.as_ref() == Some(&field)) {
            self.redo.clear();
        } else {
            self.push(Entry { back, field: Some(field), selected });
        }
        Ok(Outcome::Changed)
    }

    fn push(&mut self, entry: Entry) {
        self.redo.clear();
        if self.undo.len() >= MOST_ENTRIES {
            self.undo.remove(0);
        }
        self.undo.push(entry);
    }

    /// Ends typing: the next change is a separate entry.
    fn seal(&mut self) {
        if let Some(entry) = self.undo.last_mut() {
            entry.field = None;
        }
    }
}

fn cross(
    from: &mut Vec<Entry>,
    to: &mut Vec<Entry>,
    document: &mut Document,
    selected: Option<String>,
) -> Outcome {
    let Some(Entry { back, selected: before, .. }) = from.pop() else { return Outcome::Unchanged };
    let Ok(back) = apply(document, back) else { return Outcome::Unchanged };
    to.push(Entry { back, field: None, selected });
    Outcome::Crossed(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::kinds::Kind;
    use stepweave_core::edit::{Block, Slot};

    /// A document with its history, and the words in which the tests speak of them.
    struct Desk {
        history: History,
        document: Document,
    }

    impl Desk {
        fn new() -> Self {
            Self { history: History::default(), document: Document::new("test") }
        }

        fn apply(&mut self, change: Change) -> Outcome {
            self.history.apply(&mut self.document, change).unwrap()
        }

        fn insert(&mut self) {
            let slot = Slot { block: Block::Root, index: self.document.steps.len() };
            let step = Kind::Function.blank(&self.document);
            self.apply(Change::Make { edit: Edit::Insert { slot, step }, selected: None });
        }

        fn rename(&mut self, name: &str) {
            let mut step = self.document.steps[0].clone();
            step.name = name.to_owned();
            let edit = Edit::Replace { step: step.id.clone(), with: step };
            self.apply(Change::Type { edit, field: "s1.name".to_owned(), selected: None });
        }

        fn undo(&mut self) -> Outcome {
            self.apply(Change::Undo { selected: None })
        }

        fn redo(&mut self) -> Outcome {
            self.apply(Change::Redo { selected: None })
        }
    }

    #[test]
    fn undo_and_redo_go_all_the_way() {
        let mut desk = Desk::new();
        let mut states = vec![desk.document.clone()];
        for _ in 0..50 {
            desk.insert();
            states.push(desk.document.clone());
        }
        for state in states.iter().rev().skip(1) {
            assert_eq!(desk.undo(), Outcome::Crossed(None));
            assert_eq!(&desk.document, state);
        }
        assert_eq!(desk.undo(), Outcome::Unchanged);
        for state in states.iter().skip(1) {
            assert_eq!(desk.redo(), Outcome::Crossed(None));
            assert_eq!(&desk.document, state);
        }
        assert!(!desk.history.can_redo());
    }

    #[test]
    fn typing_is_one_step_until_the_field_is_left() {
        let mut desk = Desk::new();
        desk.insert();
        for name in ["r", "re", "res"] {
            desk.rename(name);
        }
        assert!(desk.history.is_open());
        desk.apply(Change::Seal);
        assert!(!desk.history.is_open());
        desk.rename("other");
        desk.undo();
        assert_eq!(desk.document.steps[0].name, "res");
        desk.undo();
        assert_eq!(desk.document.steps[0].name, "function");
        desk.redo();
        assert_eq!(desk.document.steps[0].name, "res");
    }

    #[test]
    fn a_new_change_drops_what_could_be_redone() {
        let mut desk = Desk::new();
        desk.insert();
        desk.undo();
        desk.insert();
        assert!(!desk.history.can_redo());
    }

    #[test]
    fn undo_gives_the_selection_back() {
        let mut desk = Desk::new();
        let slot = Slot { block: Block::Root, index: 0 };
        let edit = Edit::Insert { slot, step: Kind::Function.blank(&desk.document) };
        desk.apply(Change::Make { edit, selected: Some("before".into()) });
        let outcome = desk.apply(Change::Undo { selected: Some("s1".into()) });
        assert_eq!(outcome, Outcome::Crossed(Some("before".into())));
        assert_eq!(desk.redo(), Outcome::Crossed(Some("s1".into())));
    }

    #[test]
    fn a_change_that_does_not_fit_leaves_no_entry() {
        let mut desk = Desk::new();
        let edit = Edit::Remove { step: "s9".into() };
        assert!(desk.history.apply(&mut desk.document, Change::Make { edit, selected: None }).is_err());
        assert!(!desk.history.can_undo());
    }

    #[test]
    fn history_is_bounded_by_entries_and_by_bytes() {
        let mut desk = Desk::new();
        for _ in 0..MOST_ENTRIES + 5 {
            desk.insert();
        }
        assert_eq!(desk.history.undo.len(), MOST_ENTRIES);
        desk.undo();
        let newest = desk.history.undo.last().cloned();
        desk.history.trim(300);
        let size = serde_json::to_string(&desk.history.undo).unwrap().len();
        assert!(size > 100 && size < 320, "{size}");
        assert_eq!(desk.history.undo.last(), newest.as_ref());
        desk.history.trim(0);
        assert_eq!(desk.history, History::default());
    }
}
