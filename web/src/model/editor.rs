//! The open document as the page sees it: every change goes through here and can be taken back.

use std::sync::Arc;

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::document::{Document, Step};
use stepweave_core::edit::{Edit, EditError, find};

use super::history::History;
use super::place::{self, Direction};
use crate::layout::{Layout, Place};
use crate::step::agents;
use crate::step::kinds::Kind;

/// The document, what is selected in it, and its history.
#[derive(Clone, Copy)]
pub struct Editor {
    /// The document.
    pub document: RwSignal<Document>,
    /// Where its cards stand.
    pub layout: Memo<Arc<Layout>>,
    /// The id of the selected step.
    pub selected: RwSignal<Option<String>>,
    /// Texts that are no valid value yet, by field. They survive whatever is selected meanwhile.
    pub drafts: RwSignal<IndexMap<String, String>>,
    /// Whether there is something to take back.
    pub undoable: RwSignal<bool>,
    /// Whether there is something to make again.
    pub redoable: RwSignal<bool>,
    /// A short message for the person.
    pub notice: RwSignal<Option<String>>,
    /// The step whose card should take the keyboard's focus.
    pub focus: RwSignal<Option<String>>,
    history: StoredValue<History>,
}

impl Editor {
    /// Opens a document.
    pub fn open(document: Document, drafts: IndexMap<String, String>) -> Self {
        let document = RwSignal::new(document);
        Self {
            document,
            layout: Memo::new(move |_| Arc::new(document.with(Layout::of))),
            selected: RwSignal::new(None),
            drafts: RwSignal::new(drafts),
            undoable: RwSignal::new(false),
            redoable: RwSignal::new(false),
            notice: RwSignal::new(None),
            focus: RwSignal::new(None),
            history: StoredValue::new(History::default()),
        }
    }

    /// Makes a change.
    pub fn make(&self, edit: Edit) {
        let selected = self.selected.get_untracked();
        self.change(|history, document| history.make(document, edit, selected));
    }

    /// Makes a change that belongs to typing into a field.
    pub fn type_into(&self, field: &str, edit: Edit) {
        let selected = self.selected.get_untracked();
        self.change(|history, document| history.type_into(document, edit, field, selected));
    }

    /// Ends typing, when a field is left.
    pub fn seal(&self) {
        self.history.update_value(History::seal);
    }

    /// Takes the last change back.
    pub fn undo(&self) {
        self.cross(History::undo);
    }

    /// Makes the change again that was taken back last.
    pub fn redo(&self) {
        self.cross(History::redo);
    }

    /// Keeps a text that is no valid value yet, or forgets it.
    pub fn draft(&self, key: &str, text: Option<String>) {
        match text {
            Some(text) => self.drafts.update(|drafts| drop(drafts.insert(key.to_owned(), text))),
            None if self.drafts.with_untracked(|drafts| drafts.contains_key(key)) => {
                self.drafts.update(|drafts| drop(drafts.shift_remove(key)));
            }
            None => {}
        }
    }

    /// Changes a step while a person types into `field`.
    pub fn type_into_step(&self, id: &str, field: &str, change: impl FnOnce(&mut Step)) {
        let Some(mut step) = self.document.with_untracked(|document| find(document, id).cloned()) else {
            return;
        };
        change(&mut step);
        self.type_into(&format!("{id}.{field}"), Edit::Replace { step: id.to_owned(), with: step });
    }

    /// Changes a step in one go.
    pub fn change_step(&self, id: &str, change: impl FnOnce(&mut Step)) {
        let Some(mut step) = self.document.with_untracked(|document| find(document, id).cloned()) else {
            return;
        };
        change(&mut step);
        self.make(Edit::Replace { step: id.to_owned(), with: step });
    }

    /// Changes something of the workflow besides its steps, while a person types into `field`.
    pub fn type_into_settings(&self, field: &str, change: impl FnOnce(&mut Document)) {
        let mut settings = self.settings();
        change(&mut settings);
        self.type_into(field, Edit::Settings(Box::new(settings)));
    }

    /// Changes something of the workflow besides its steps in one go.
    pub fn change_settings(&self, change: impl FnOnce(&mut Document)) {
        let mut settings = self.settings();
        change(&mut settings);
        self.make(Edit::Settings(Box::new(settings)));
    }

    /// Changes anything in one go.
    pub fn change_all(&self, change: impl FnOnce(&mut Document)) {
        let mut document = self.document.get_untracked();
        change(&mut document);
        self.make(Edit::Whole(Box::new(document)));
    }

    /// Replaces this document by another one; that can be undone like any change.
    pub fn replace_all(&self, document: Document) {
        self.make(Edit::Whole(Box::new(document)));
        self.drafts.update(IndexMap::clear);
        self.selected.set(None);
    }

    /// Inserts a new step of a kind into a slot and selects it.
    pub fn put(&self, kind: Kind, place: &Place) {
        let made = self.document.with_untracked(|document| {
            let step = kind.blank(document);
            let id = step.id.clone();
            place::put(document, step, place).map(|edit| (id, edit))
        });
        if let Some((id, edit)) = made {
            self.make(self.with_agent(kind, edit));
            self.choose(Some(id));
        }
    }

    /// A first agent step brings its agent along, so that it runs as it is.
    fn with_agent(&self, kind: Kind, edit: Edit) -> Edit {
        if kind != Kind::Agent || self.document.with_untracked(|document| !document.agents.is_empty()) {
            return edit;
        }
        let mut settings = self.settings();
        agents::add(&mut settings, agents::FIRST.to_owned());
        Edit::Group(vec![Edit::Settings(Box::new(settings)), edit])
    }

    /// Puts a new step of a kind where the next one goes.
    pub fn append(&self, kind: Kind) {
        let selected = self.selected.get_untracked();
        let place = self.document.with_untracked(|document| place::next(document, selected.as_deref()));
        self.put(kind, &place);
    }

    /// Moves a step into a slot.
    pub fn shift(&self, id: &str, place: &Place) {
        if let Some(edit) = self.document.with_untracked(|document| place::shift(document, id, place)) {
            self.make(edit);
        }
    }

    /// Moves a step up or down among its neighbours.
    pub fn nudge(&self, id: &str, direction: Direction) {
        if let Some(edit) = self.document.with_untracked(|document| place::nudge(document, id, direction)) {
            self.make(edit);
            self.focus.set(Some(id.to_owned()));
        }
    }

    /// Puts a copy of a step after it and selects it.
    pub fn duplicate(&self, id: &str) {
        if let Some((copy, edit)) = self.document.with_untracked(|document| place::duplicate(document, id)) {
            self.make(edit);
            self.choose(Some(copy));
        }
    }

    /// Takes a step out and selects what is next to it.
    pub fn remove(&self, id: &str) {
        let neighbour = self.layout.with_untracked(|layout| {
            let own = layout.position(id)?;
            let inside = layout.cards.get(own)?.inside;
            let next = layout.cards.get(own + inside + 1).or_else(|| layout.cards.get(own.checked_sub(1)?));
            next.map(|card| card.id.clone())
        });
        self.make(Edit::Remove { step: id.to_owned() });
        self.choose(neighbour);
    }

    /// Selects a step and gives its card the keyboard's focus.
    pub fn choose(&self, id: Option<String>) {
        self.selected.set(id.clone());
        self.focus.set(id);
    }

    /// Reads something of a step; follows its changes.
    pub fn step<T>(&self, id: &str, read: impl FnOnce(&Step) -> T) -> Option<T> {
        self.document.with(|document| find(document, id).map(read))
    }

    fn settings(&self) -> Document {
        // The steps are left aside: a settings edit does not look at them, and copying thousands would cost.
        self.document.with_untracked(|document| Document {
            version: document.version,
            name: document.name.clone(),
            description: document.description.clone(),
            input: document.input.clone(),
            output: document.output.clone(),
            initial_state: document.initial_state.clone(),
            models: document.models.clone(),
            agents: document.agents.clone(),
            tools: document.tools.clone(),
            prices: document.prices.clone(),
            steps: Vec::new(),
            retry_policy: document.retry_policy.clone(),
            on_error: document.on_error,
            limits: document.limits,
            notes: document.notes.clone(),
            extensions: document.extensions.clone(),
        })
    }

    fn change(&self, change: impl FnOnce(&mut History, &mut Document) -> Result<(), EditError>) {
        let mut outcome = Ok(());
        let history = self.history;
        self.document.maybe_update(|document| {
            history.update_value(|history| outcome = change(history, document));
            outcome.is_ok()
        });
        if let Err(error) = outcome {
            self.notice.set(Some(format!("That change cannot be made: {error}.")));
        }
        self.follow_history();
    }

    fn cross(
        &self,
        step: impl FnOnce(&mut History, &mut Document, Option<String>) -> Option<Option<String>>,
    ) {
        let selected = self.selected.get_untracked();
        let mut before = None;
        let history = self.history;
        self.document.maybe_update(|document| {
            history.update_value(|history| before = step(history, document, selected));
            before.is_some()
        });
        if let Some(selected) = before {
            let there = selected.filter(|id| self.layout.with_untracked(|layout| layout.card(id).is_some()));
            self.selected.set(there);
        }
        self.follow_history();
    }

    fn follow_history(&self) {
        let (undoable, redoable) =
            self.history.with_value(|history| (history.can_undo(), history.can_redo()));
        self.undoable.set(undoable);
        self.redoable.set(redoable);
    }
}
