//! Which texts that are no valid value yet an undo takes back, and a redo gives again, and before which changes: each when
//! it was written.

use leptos::prelude::*;

use super::change::Drafts;
use super::drafts::is_beside;
use super::editor::Editor;
use super::history::Next;

/// A text that was written into a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Half {
    /// The key of the field.
    pub key: String,
    /// How many changes could be taken back when it was written.
    pub above: usize,
    /// Whether the last of them was the typing into the same field, which is taken back along with it.
    pub has_typed: bool,
    /// What was selected then.
    pub selected: Option<String>,
}

/// A text that an undo has taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    half: Half,
    text: String,
    /// What could be taken back and made again from then on: as long as that is so, it is given again next.
    next: Next,
}

/// Those of one visit, in the order in which they were written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Halves {
    /// How many changes could be taken back when the visit began. What was half written by then is older than the others.
    before: usize,
    noted: Vec<Half>,
    /// Those that were taken back, in that order.
    taken: Vec<Taken>,
}

impl Halves {
    /// Those of a visit that begins with so many changes that can be taken back.
    pub fn begin(before: usize) -> Self {
        Self { before, ..Self::default() }
    }

    /// Notes that a text stands in a field. While it is written on it is the same one, unless something was changed meanwhile.
    /// What stands beside the document, as what a run is given does, is no part of what is taken back.
    pub fn note(&mut self, half: Half) {
        if !is_beside(&half.key)
            && !self.noted.iter().any(|one| one.key == half.key && one.above == half.above)
        {
            self.forget(&half.key);
            self.noted.push(half);
        }
    }

    /// Forgets the text of a field, which is valid now.
    pub fn forget(&mut self, key: &str) {
        self.noted.retain(|half| half.key != key);
    }

    /// The one of these texts that is taken back next, where it was written after the last of so many changes.
    pub fn newest(&self, changes: usize, drafts: &Drafts) -> Option<Half> {
        let is_newer = |half: &&Half| half.above >= changes && drafts.contains_key(&half.key);
        let of_before = || {
            let is_noted = |key: &str| self.noted.iter().any(|half| half.key == key);
            let mut keys = drafts.keys().rev().filter(|_| self.before >= changes);
            let key = keys.find(|key| !is_beside(key) && !is_noted(key))?.clone();
            Some(Half { key, above: self.before, has_typed: false, selected: None })
        };
        self.noted.iter().rev().find(is_newer).cloned().or_else(of_before)
    }
}

/// Takes the last change back, or what is half written in a field and was written after it; says what that was, since its
/// field need not be in sight.
pub fn undo(editor: &Editor) {
    let half = if editor.following.get_untracked() { None } else { editor.newest_half() };
    let Some(half) = half else { return editor.undo() };
    let text = editor.drafts.with_untracked(|all| all.get(&half.key).cloned()).unwrap_or_default();
    editor.draft(&half.key, None);
    if half.has_typed {
        editor.undo();
    }
    if half.selected.is_some() {
        editor.select(half.selected.clone());
    }
    editor.notice.set(Some(format!("Taken back, as it was not valid: “{text}”")));
    let next = editor.next();
    editor.change_halves(|halves| halves.taken.push(Taken { half, text, next }));
    editor.redoable.set(true);
}

/// Makes the change again that was taken back last, or gives again what was half written and was taken back after it.
pub fn redo(editor: &Editor) {
    let next = editor.next();
    let is_next = |taken: &mut Taken| taken.next == next;
    let taken = editor.change_halves(|halves| halves.taken.pop_if(is_next));
    let is_free = |key: &str| editor.drafts.with_untracked(|all| !all.contains_key(key));
    match taken.flatten().filter(|taken| is_free(&taken.half.key)) {
        Some(Taken { half, text, .. }) => {
            if half.has_typed {
                editor.redo();
            }
            if half.selected.is_some() {
                editor.select(half.selected.clone());
            }
            editor.notice.set(Some(format!("It is there again, and still not valid: “{text}”")));
            editor.place_draft(&half.key, Some(text));
            editor.change_halves(|halves| halves.note(half));
        }
        None => editor.redo(),
    }
    let next = editor.next();
    let is_left = editor.change_halves(|halves| halves.taken.last().is_some_and(|taken| taken.next == next));
    if is_left == Some(true) {
        editor.redoable.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::{ANSWER, DOCUMENT, GIVEN};

    fn half(key: &str, above: usize) -> Half {
        Half { key: key.to_owned(), above, has_typed: false, selected: None }
    }

    #[test]
    fn what_was_written_last_is_taken_back_first() {
        let mut halves = Halves::begin(1);
        let drafts = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), "x".to_owned())).collect();
        let all: Drafts = drafts(&["old", "a", "b"]);
        let next = |halves: &Halves, changes: usize| halves.newest(changes, &all).map(|half| half.key);
        halves.note(half("a", 2));
        halves.note(half("b", 2));
        // It is written on, and still stands before the other one.
        halves.note(half("a", 2));
        halves.note(half("gone", 2));
        assert_eq!(next(&halves, 2).as_deref(), Some("b"));
        assert_eq!(next(&halves, 3), None);
        halves.forget("b");
        assert_eq!(halves.newest(2, &drafts(&["old", "a"])).map(|half| half.key).as_deref(), Some("a"));
        // It was changed after something else.
        halves.note(half("a", 3));
        assert_eq!(next(&halves, 3).as_deref(), Some("a"));
        assert_eq!(next(&halves, 4), None);
        // What an earlier visit has left comes last.
        halves.forget("a");
        let left: Drafts = drafts(&["old"]);
        assert_eq!(halves.newest(2, &left), None);
        assert_eq!(halves.newest(1, &left), Some(half("old", 1)));
    }

    #[test]
    fn what_stands_beside_the_document_stays() {
        let (mut halves, mut drafts) = (Halves::default(), Drafts::new());
        for key in [DOCUMENT.to_owned(), GIVEN.to_owned(), format!("{ANSWER}1")] {
            halves.note(half(&key, 0));
            drafts.insert(key, String::new());
        }
        assert_eq!(halves.newest(0, &drafts), None);
    }
}
