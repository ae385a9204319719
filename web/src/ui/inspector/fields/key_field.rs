//! The name of a row that is being typed: what can be no name yet is kept as a draft, and its uses follow whole names.

use leptos::prelude::*;
use stepweave_core::letters::is_name;

use crate::model::editor::Editor;
use crate::model::renaming::TypedKey;

/// The field of a key.
#[derive(Clone, Copy)]
pub struct KeyField {
    editor: Editor,
    draft: StoredValue<String>,
    typed: StoredValue<TypedKey>,
}

impl KeyField {
    /// The field whose draft is kept under this key.
    pub fn new(editor: Editor, draft: String) -> Self {
        Self { editor, draft: StoredValue::new(draft), typed: StoredValue::new(TypedKey::default()) }
    }

    /// What was typed that can be no name; follows it.
    pub fn draft(self) -> Option<String> {
        self.editor.drafts.with(|drafts| self.draft.with_value(|key| drafts.get(key).cloned()))
    }

    /// The name that is written for a text, where that is another one than now.
    pub fn write(self, text: String, is_taken: impl FnOnce(&str) -> bool, now: &str) -> Option<String> {
        let can_be = !text.is_empty() && !is_taken(&text);
        let written = self.typed.try_update_value(|typed| typed.written(&text, can_be, now)).flatten();
        self.editor.draft(&self.draft.get_value(), (!can_be).then_some(text));
        written
    }

    /// The field is left.
    pub fn leave(self) {
        self.typed.update_value(TypedKey::leave);
        self.editor.seal();
    }

    /// What is wrong with what was typed; `taken` says that something else has the name.
    pub fn complaint(self, taken: &'static str) -> Option<&'static str> {
        Some(if self.draft()?.is_empty() { "It needs a name." } else { taken })
    }
}

/// How a key is read that is no plain name, below its field.
pub fn hint_of(key: &str) -> Option<impl IntoView + use<>> {
    let written = serde_json::Value::from(key);
    (!key.is_empty() && !is_name(key)).then(|| {
        view! { <span class="field-hint">{format!("Templates and conditions read it as state[{written}].")}</span> }
    })
}
