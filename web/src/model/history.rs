//! Undo and redo without end: each entry is the change that takes another one back.

use stepweave_core::document::Document;
use stepweave_core::edit::{Edit, EditError, apply};

/// What has been done and can be taken back.
#[derive(Debug, Default)]
pub struct History {
    undo: Vec<Entry>,
    redo: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    back: Edit,
    /// The field that is being typed into; the next change of the same field belongs to this entry.
    field: Option<String>,
    /// What was selected before the change.
    selected: Option<String>,
}

impl History {
    /// Makes a change that stands for itself.
    ///
    /// # Errors
    /// When the change does not fit the document.
    pub fn make(
        &mut self,
        document: &mut Document,
        edit: Edit,
        selected: Option<String>,
    ) -> Result<(), EditError> {
        let back = apply(document, edit)?;
        self.seal();
        self.undo.push(Entry { back, field: None, selected });
        self.redo.clear();
        Ok(())
    }

    /// Makes a change that belongs to typing into `field`: until the field is left, all of it is one entry.
    /// Such a change replaces the same thing as the one before, so what takes the first back takes all back.
    ///
    /// # Errors
    /// When the change does not fit the document.
    pub fn type_into(
        &mut self,
        document: &mut Document,
        edit: Edit,
        field: &str,
        selected: Option<String>,
    ) -> Result<(), EditError> {
        let back = apply(document, edit)?;
        self.redo.clear();
        if self.undo.last().is_none_or(|entry| entry.field.as_deref() != Some(field)) {
            self.undo.push(Entry { back, field: Some(field.to_owned()), selected });
        }
        Ok(())
    }

    /// Ends typing: the next change is a separate entry.
    pub fn seal(&mut self) {
        if let Some(entry) = self.undo.last_mut() {
            entry.field = None;
        }
    }

    /// Takes the last change back. Gives what was selected before it, or nothing when there is nothing to take back.
    pub fn undo(&mut self, document: &mut Document, selected: Option<String>) -> Option<Option<String>> {
        cross(&mut self.undo, &mut self.redo, document, selected)
    }

    /// Makes the change again that was taken back last.
    pub fn redo(&mut self, document: &mut Document, selected: Option<String>) -> Option<Option<String>> {
        cross(&mut self.redo, &mut self.undo, document, selected)
    }

    /// Whether there is something to take back.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Whether there is something to make again.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }
}

fn cross(
    from: &mut Vec<Entry>,
    to: &mut Vec<Entry>,
    document: &mut Document,
    selected: Option<String>,
) -> Option<Option<String>> {
    let entry = from.pop()?;
    let back = apply(document, entry.back).ok()?;
    to.push(Entry { back, field: None, selected });
    Some(entry.selected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::kinds::Kind;
    use stepweave_core::edit::{Block, Slot};

    fn insert(document: &Document) -> Edit {
        Edit::Insert {
            slot: Slot { block: Block::Root, index: document.steps.len() },
            step: Kind::Function.blank(document),
        }
    }

    fn rename(document: &Document, name: &str) -> Edit {
        let mut step = document.steps[0].clone();
        step.name = name.to_owned();
        Edit::Replace { step: step.id.clone(), with: step }
    }

    #[test]
    fn undo_and_redo_go_all_the_way() {
        let (mut history, mut document) = (History::default(), Document::new("test"));
        let mut states = vec![document.clone()];
        for _ in 0..50 {
            let edit = insert(&document);
            history.make(&mut document, edit, None).unwrap();
            states.push(document.clone());
        }
        for state in states.iter().rev().skip(1) {
            assert!(history.undo(&mut document, None).is_some());
            assert_eq!(&document, state);
        }
        assert!(history.undo(&mut document, None).is_none());
        for state in states.iter().skip(1) {
            assert!(history.redo(&mut document, None).is_some());
            assert_eq!(&document, state);
        }
        assert!(!history.can_redo());
    }

    #[test]
    fn typing_is_one_step_until_the_field_is_left() {
        let (mut history, mut document) = (History::default(), Document::new("test"));
        let edit = insert(&document);
        history.make(&mut document, edit, None).unwrap();
        for name in ["r", "re", "res"] {
            let edit = rename(&document, name);
            history.type_into(&mut document, edit, "s1.name", None).unwrap();
        }
        history.seal();
        let edit = rename(&document, "other");
        history.type_into(&mut document, edit, "s1.name", None).unwrap();
        history.undo(&mut document, None);
        assert_eq!(document.steps[0].name, "res");
        history.undo(&mut document, None);
        assert_eq!(document.steps[0].name, "function");
        history.redo(&mut document, None);
        assert_eq!(document.steps[0].name, "res");
    }

    #[test]
    fn a_new_change_drops_what_could_be_redone() {
        let (mut history, mut document) = (History::default(), Document::new("test"));
        let edit = insert(&document);
        history.make(&mut document, edit, None).unwrap();
        history.undo(&mut document, None);
        let edit = insert(&document);
        history.make(&mut document, edit, None).unwrap();
        assert!(!history.can_redo());
    }

    #[test]
    fn undo_gives_the_selection_back() {
        let (mut history, mut document) = (History::default(), Document::new("test"));
        let edit = insert(&document);
        history.make(&mut document, edit, Some("before".into())).unwrap();
        assert_eq!(history.undo(&mut document, Some("s1".into())), Some(Some("before".into())));
        assert_eq!(history.redo(&mut document, None), Some(Some("s1".into())));
    }

    #[test]
    fn a_change_that_does_not_fit_leaves_no_entry() {
        let (mut history, mut document) = (History::default(), Document::new("test"));
        assert!(history.make(&mut document, Edit::Remove { step: "s9".into() }, None).is_err());
        assert!(!history.can_undo());
    }
}
