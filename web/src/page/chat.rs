//! The conversation that a person has with the open workflow.

use leptos::prelude::*;

use super::chunk::Chunk;
use super::state::Views;
use crate::model::conversations::Conversation;
use crate::model::editor::Editor;
use crate::run::talk::Kept;

/// What all that shows a chat shares.
#[derive(Debug, Clone, Copy)]
pub struct Chat {
    /// The conversations that the open workflow has; none until the views are here.
    pub all: Memo<Vec<Conversation>>,
    /// What has been said.
    pub kept: RwSignal<Kept>,
    /// The id of the workflow that it was said to; nothing until that has been read.
    pub of: RwSignal<Option<String>>,
    /// What stands in the message box.
    pub draft: RwSignal<String>,
    /// Stores it soon, where it is not stored.
    pub unsaved: StoredValue<Option<TimeoutHandle>>,
    /// The conversation that a person has chosen, by its key.
    pub chosen: RwSignal<Option<String>>,
    /// What was said before a new conversation was begun, until something is said in that.
    pub before: RwSignal<Option<Kept>>,
    /// Whether a reload finds what has been said.
    pub stored: RwSignal<bool>,
    /// Whether another tab has the run that answers.
    pub elsewhere: RwSignal<bool>,
    /// Counts up when the message box is to take the keyboard's focus.
    pub focus: RwSignal<u64>,
}

impl Chat {
    /// The chat of what is open in an editor.
    pub fn new(editor: Editor, views: Chunk<Views>) -> Self {
        Self {
            all: Memo::new(move |_| {
                views.get().map(|views| editor.document.with(views.conversations)).unwrap_or_default()
            }),
            kept: RwSignal::new(Kept::default()),
            of: RwSignal::new(None),
            draft: RwSignal::new(String::new()),
            unsaved: StoredValue::new(None),
            chosen: RwSignal::new(None),
            before: RwSignal::new(None),
            stored: RwSignal::new(true),
            elsewhere: RwSignal::new(false),
            focus: RwSignal::new(0),
        }
    }

    /// Whether there is anybody to talk to; follows the document.
    pub fn is_offered(&self) -> bool {
        self.all.with(|all| !all.is_empty())
    }

    /// The conversation that is shown: the chosen one, else the first; follows both.
    pub fn shown(&self) -> Option<Conversation> {
        self.chosen.with(|chosen| {
            self.all.with(|all| {
                let is_chosen = |one: &&Conversation| Some(&one.key) == chosen.as_ref();
                all.iter().find(is_chosen).or(all.first()).cloned()
            })
        })
    }

    /// The key of the state that messages of a conversation go to: the chosen one, else the likeliest; follows both.
    pub fn input_of(&self, conversation: &Conversation) -> Option<String> {
        self.kept.with(|kept| {
            let chosen = kept.talks.get(&conversation.key).and_then(|talk| talk.input.as_ref());
            let chosen = chosen.filter(|chosen| conversation.inputs.contains(chosen));
            chosen.or(conversation.inputs.first()).cloned()
        })
    }
}
