//! The text of a whole document: a plain text area, and in its place an editor once that is here.

use std::ops::Range;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::bridge::DocumentField;
use crate::model::reading::{Flaw, units};
use crate::page::state::App;

/// How high a line of the text area is, and how far from the top the first one begins, in pixels as in the style sheet.
const LINE: i32 = 18;
const TOP: i32 = 10;

/// How many lines above the one that is shown are seen too.
const BEFORE: usize = 6;

/// The text area, or the editor in its place.
#[derive(Clone, Copy)]
pub struct Area {
    /// The text area, whose events are those of the editor too.
    pub node: NodeRef<html::Textarea>,
    /// Whether it is the plain one that is seen.
    pub is_plain: RwSignal<bool>,
    editor: StoredValue<Option<DocumentField>, LocalStorage>,
}

impl Area {
    /// A text area in whose place the editor stands as soon as it is here.
    pub fn new(app: App) -> Self {
        let own = Self {
            node: NodeRef::new(),
            is_plain: RwSignal::new(true),
            editor: StoredValue::new_local(None),
        };
        Effect::new(move || {
            let Some(plain) = own.node.get() else { return };
            let bridge = app.bridge.get_value();
            spawn_local(async move {
                let Some(editor) = bridge.document_field(&plain).await else { return };
                let kept = editor.clone();
                if own.editor.try_set_value(Some(kept)).is_some() {
                    // The view was closed meanwhile.
                    editor.close_text();
                } else {
                    own.is_plain.set(false);
                }
            });
        });
        own
    }

    /// What stands in it; nothing once it is gone.
    pub fn text(self) -> Option<String> {
        self.of_editor(DocumentField::text).or_else(|| Some(self.plain()?.value()))
    }

    /// Shows a text, with what is wrong in it. The text area follows its own properties.
    pub fn show(self, text: &str, flaws: &[Flaw]) {
        self.of_editor(|editor| {
            editor.show_text(text);
            editor.mark(flaws);
        });
    }

    /// Selects a piece of the text in it, and scrolls to it.
    pub fn reveal(self, text: &str, span: Range<usize>) {
        let (from, to) = (units(text, span.start), units(text, span.end));
        let Some(area) = self.plain().filter(|_| self.of_editor(|editor| editor.reveal(from, to)).is_none())
        else {
            return;
        };
        let lines = text.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
        // A range within its own text is always valid.
        let _ = area.set_selection_range(from, to);
        area.set_scroll_top(height_of(lines.saturating_sub(BEFORE)));
    }

    /// Takes the focus.
    pub fn focus(self) {
        if self.of_editor(DocumentField::focus).is_none()
            && let Some(area) = self.plain()
        {
            // It is in the page, so it takes the focus.
            let _ = area.focus();
        }
    }

    /// Leaves the history of what was typed to the document, which has it.
    pub fn settle(self) {
        self.of_editor(DocumentField::settle);
    }

    /// Ends the editor.
    pub fn close(self) {
        self.of_editor(DocumentField::close_text);
    }

    fn of_editor<T>(self, act: impl FnOnce(&DocumentField) -> T) -> Option<T> {
        self.editor.try_with_value(|editor| editor.as_ref().map(act)).flatten()
    }

    fn plain(self) -> Option<web_sys::HtmlTextAreaElement> {
        self.node.try_get_untracked().flatten()
    }
}

/// How far from the top of the text area a line begins, from 0.
pub fn top_of(line: usize) -> i32 {
    height_of(line).saturating_add(TOP)
}

/// How high so many lines are.
fn height_of(lines: usize) -> i32 {
    i32::try_from(lines).unwrap_or(i32::MAX).saturating_mul(LINE)
}
