//! The open document as the page sees it: every change goes through here and can be taken back.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{Document, Step, nesting};
use stepweave_core::edit::{Edit, EditError};
use stepweave_core::json;
use stepweave_core::rename::Named;

use super::change::{Change, Drafts, write_draft};
use super::drafts::{Rows, is_beside};
use super::half_written::{Half, Halves};
use super::history::{History, Next, Outcome};
use super::mending::Mend;
use super::renaming::Renaming;
use super::sample::{Sample, Samples, write_sample};
use super::selection::{Marks, Selection};
use super::settings::without_steps;
use super::work::{self, Work};
use crate::layout::note::Papers;
use crate::layout::{Folded, Layout};

mod arranging;
mod choosing;

/// A name that is being typed.
struct TypedName {
    field: String,
    /// Nothing where what uses the name does not follow.
    renaming: Option<Renaming>,
    /// What it is called by now, with its uses.
    to: Option<String>,
}

/// The document, what is selected in it, and its history.
#[derive(Clone, Copy)]
pub struct Editor {
    /// The document.
    pub document: RwSignal<Document>,
    /// Where its cards stand.
    pub layout: Memo<Arc<Layout>>,
    /// The id of the selected step; of several, the one that was selected last.
    pub selected: RwSignal<Option<String>>,
    /// The steps that were selected together.
    pub marks: RwSignal<Marks>,
    /// All steps that are selected.
    pub selection: Memo<Selection>,
    /// Texts that are no valid value yet, by field. They survive whatever is selected meanwhile.
    pub drafts: RwSignal<Drafts>,
    /// What requests answered when they were tried, by what sends them.
    pub samples: RwSignal<Samples>,
    /// The containers that are shown as one card.
    pub folded: RwSignal<Folded>,
    /// The notes that are papers on the canvas.
    pub papers: RwSignal<Papers>,
    /// The rows that the drafts stand in, as they were seen last.
    pub draft_rows: StoredValue<Rows>,
    /// Whether another tab edits this workflow, and this one follows.
    pub following: RwSignal<bool>,
    /// Whether there is something to take back.
    pub undoable: RwSignal<bool>,
    /// Whether there is something to make again.
    pub redoable: RwSignal<bool>,
    /// A short message for the person.
    pub notice: RwSignal<Option<String>>,
    /// The step whose card should take the keyboard's focus.
    pub focus: RwSignal<Option<String>>,
    /// The new step whose first field should take it instead.
    pub begun: RwSignal<Option<String>>,
    /// The step that a person added last.
    pub added: RwSignal<Option<String>>,
    /// Told when the document may have to be laid out anew.
    reshaped: Trigger,
    history: StoredValue<History>,
    /// What an undo takes back besides changes.
    halves: StoredValue<Halves>,
    /// The name that is being typed.
    renaming: StoredValue<Option<TypedName>>,
    store: StoredValue<Option<Store>, LocalStorage>,
}

/// Where every change goes as soon as it is made, in the form in which it is stored.
type Store = Rc<dyn Fn(String)>;

impl Editor {
    /// Opens a workflow.
    pub fn open(work: Work) -> Self {
        let document = RwSignal::new(work.document);
        let folded = RwSignal::new(work.folded);
        let papers = RwSignal::new(Papers { shown: true, open: None });
        let reshaped = Trigger::new();
        let layout = Memo::new(move |_| {
            reshaped.track();
            document.with_untracked(|document| {
                folded.with(|folded| papers.with(|papers| Arc::new(Layout::shown(document, folded, papers))))
            })
        });
        let (selected, marks) = (RwSignal::new(None), RwSignal::new(Marks::default()));
        let selection = Memo::new(move |_| {
            let one: Option<String> = selected.get();
            layout.with(|layout| marks.with(|marks| marks.selection(layout, one.as_deref())))
        });
        let editor = Self {
            document,
            layout,
            selected,
            marks,
            selection,
            drafts: RwSignal::new(work.drafts),
            samples: RwSignal::new(work.samples),
            folded,
            papers,
            draft_rows: StoredValue::new(Rows::new()),
            following: RwSignal::new(false),
            undoable: RwSignal::new(false),
            redoable: RwSignal::new(false),
            notice: RwSignal::new(None),
            focus: RwSignal::new(None),
            begun: RwSignal::new(None),
            added: RwSignal::new(None),
            reshaped,
            history: StoredValue::new(work.history),
            halves: StoredValue::new(Halves::default()),
            renaming: StoredValue::new(None),
            store: StoredValue::new_local(None),
        };
        editor.begin_visit();
        editor
    }

    /// Opens another workflow instead.
    pub fn load(&self, work: Work) {
        self.selected.set(None);
        self.focus.set(None);
        self.begun.set(None);
        self.added.set(None);
        self.papers.update(|papers| papers.open = None);
        self.history.set_value(work.history);
        self.draft_rows.set_value(Rows::new());
        self.drafts.set(work.drafts);
        self.samples.set(work.samples);
        self.folded.set(work.folded);
        self.document.set(work.document);
        self.reshaped.notify();
        self.begin_visit();
    }

    /// Says where changes go.
    pub fn store_with(&self, store: impl Fn(String) + 'static) {
        self.store.set_value(Some(Rc::new(store)));
    }

    /// All of the workflow, in the form in which it is stored.
    pub fn snapshot(&self) -> String {
        let mut text = String::new();
        self.document.with_untracked(|document| {
            self.drafts.with_untracked(|drafts| {
                self.samples.with_untracked(|samples| {
                    self.folded.with_untracked(|folded| {
                        self.history.update_value(|history| {
                            text = work::snapshot(document, drafts, history, samples, folded);
                        });
                    });
                });
            });
        });
        self.follow_history();
        text
    }

    /// Makes a change.
    pub fn make(&self, edit: Edit) {
        let selected = self.selected.get_untracked();
        self.perform(Change::Make { edit, selected });
    }

    /// Makes a change that belongs to typing into a field.
    pub fn type_into(&self, field: &str, edit: Edit) {
        let selected = self.selected.get_untracked();
        self.perform(Change::Type { edit, field: field.to_owned(), selected });
    }

    /// Ends typing, when a field is left.
    pub fn seal(&self) {
        if let Some(named) = self.renaming.try_update_value(Option::take).flatten()
            && self.history.with_value(|history| history.is_typing_into(&named.field))
        {
            self.say_renamed(named.renaming.as_ref(), named.to.as_deref());
        }
        if !self.following.get_untracked() && self.history.with_value(History::is_open) {
            self.perform(Change::Seal);
        }
    }

    /// Takes the last change back.
    pub fn undo(&self) {
        self.perform(Change::Undo { selected: self.selected.get_untracked() });
    }

    /// Makes the change again that was taken back last.
    pub fn redo(&self) {
        self.perform(Change::Redo { selected: self.selected.get_untracked() });
    }

    /// Keeps a text that is no valid value yet, as a person has written it, or forgets it.
    pub fn draft(&self, key: &str, text: Option<String>) {
        match text {
            Some(_) => self.note_draft(key),
            None => self.halves.update_value(|halves| halves.forget(key)),
        }
        self.place_draft(key, text);
    }

    /// The same for a text whose field is at another place now, or gone.
    pub fn place_draft(&self, key: &str, text: Option<String>) {
        if text.is_some() || self.drafts.with_untracked(|drafts| drafts.contains_key(key)) {
            self.perform(Change::Draft { key: key.to_owned(), text });
        }
    }

    /// Keeps what a request answered when it was tried, or forgets it.
    pub fn keep_sample(&self, key: String, sample: Option<Sample>) {
        if sample.is_some() || self.samples.with_untracked(|samples| samples.contains_key(&key)) {
            self.perform(Change::Sample { key, sample: sample.map(Box::new) });
        }
    }

    /// Makes a change that another tab has made; whether it fits.
    pub fn follow(&self, change: &str) -> bool {
        let change = nesting::read(change);
        change.and_then(|change| self.apply(change).ok()).is_some()
    }

    /// Changes a step while a person types into `field`.
    pub fn type_into_step(&self, id: &str, field: &str, change: impl FnOnce(&mut Step)) {
        let Some(mut step) = untrack(|| self.step(id, Step::clone)) else { return };
        change(&mut step);
        self.type_into(&format!("{id}.{field}"), Edit::Replace { step: id.to_owned(), with: step });
    }

    /// Changes a step in one go.
    pub fn change_step(&self, id: &str, change: impl FnOnce(&mut Step)) {
        let Some(mut step) = untrack(|| self.step(id, Step::clone)) else { return };
        change(&mut step);
        self.make(Edit::Replace { step: id.to_owned(), with: step });
    }

    /// Calls something by another name while a person types it, wherever it is used. Where it cannot be, `alone` changes
    /// this one place.
    pub fn type_name(
        &self,
        field: &str,
        named: impl FnOnce(&Document) -> Option<Named>,
        name: &str,
        alone: impl FnOnce(),
    ) {
        let begun =
            self.renaming.with_value(|typed| typed.as_ref().is_some_and(|typed| typed.field == field));
        if !begun || !self.history.with_value(|history| history.is_typing_into(field)) {
            let renaming =
                self.document.with_untracked(|document| Renaming::begin(document, named(document)?));
            self.renaming.set_value(Some(TypedName { field: field.to_owned(), renaming, to: None }));
        }
        let edit = self
            .renaming
            .try_update_value(|typed| {
                let typed = typed.as_mut()?;
                let renaming = typed.renaming.as_ref()?;
                let edit = self.document.with_untracked(|document| renaming.edit(document, name));
                typed.to = edit.is_some().then(|| name.to_owned());
                edit
            })
            .flatten();
        match edit {
            Some(edit) => self.type_into(field, edit),
            None => alone(),
        }
    }

    /// Calls something by another name, wherever it is used, in one go.
    pub fn rename(&self, named: Named, name: &str) {
        let renaming = self.document.with_untracked(|document| Renaming::begin(document, named));
        let edit = self.document.with_untracked(|document| renaming.as_ref()?.edit(document, name));
        if let Some(edit) = edit {
            self.make(edit);
            self.say_renamed(renaming.as_ref(), Some(name));
        }
    }

    fn say_renamed(&self, renaming: Option<&Renaming>, to: Option<&str>) {
        if let Some(said) = renaming.zip(to).and_then(|(renaming, to)| renaming.said(to)) {
            self.notice.set(Some(said));
        }
    }

    /// Ends a problem at this path.
    pub fn mend(&self, path: &str, mend: &Mend) {
        if let Some(edit) = self.document.with_untracked(|document| mend.edit(document, path)) {
            self.make(edit);
        }
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

    /// Reads something of a step; follows its changes.
    pub fn step<T>(&self, id: &str, read: impl FnOnce(&Step) -> T) -> Option<T> {
        self.step_in(id, |_, step| read(step))
    }

    /// The same with the document that it is in.
    pub fn step_in<T>(&self, id: &str, read: impl FnOnce(&Document, &Step) -> T) -> Option<T> {
        let layout = self.layout.get_untracked();
        self.document.with(|document| layout.step(document, id).map(|step| read(document, step)))
    }

    fn settings(&self) -> Document {
        self.document.with_untracked(without_steps)
    }

    /// Makes a change of this tab, and stores it.
    fn perform(&self, change: Change) {
        let looks = matches!(change, Change::Fold { .. } | Change::Unfold { .. });
        if looks && self.following.get_untracked() {
            // How this tab shows the workflow is nobody else's business, and always fits.
            let _ = self.apply(change);
            return;
        }
        if self.following.get_untracked() {
            let said = "This workflow is being edited in another tab. Choose “Edit here” first.";
            return self.notice.set(Some(said.to_owned()));
        }
        let crosses = matches!(change, Change::Undo { .. } | Change::Redo { .. });
        // A change is plain data with text keys, which always has a JSON form.
        let text = json::text(&change);
        match self.apply(change) {
            Ok(Outcome::Unchanged) if crosses => return,
            Ok(Outcome::Crossed(selected)) => {
                // What was said of a change is no longer so.
                self.notice.set(None);
                let there =
                    selected.filter(|id| self.layout.with_untracked(|layout| layout.card(id).is_some()));
                self.selected.set(there);
            }
            Ok(_) => {}
            Err(error) => {
                return self.notice.set(Some(format!("That change cannot be made: {error}.")));
            }
        }
        if let Some(store) = self.store.get_value() {
            store(text);
        }
    }

    fn apply(&self, change: Change) -> Result<Outcome, EditError> {
        let change = match change {
            Change::Draft { key, text } => {
                self.drafts.update(|drafts| write_draft(drafts, key, text));
                self.follow_history();
                return Ok(Outcome::Unchanged);
            }
            Change::Fold { step } => {
                self.folded.update(|folded| {
                    folded.insert(step);
                });
                return Ok(Outcome::Unchanged);
            }
            Change::Unfold { step } => {
                self.folded.update(|folded| {
                    folded.shift_remove(&step);
                });
                return Ok(Outcome::Unchanged);
            }
            Change::Sample { key, sample } => {
                self.samples.update(|samples| write_sample(samples, key, sample.map(|sample| *sample)));
                return Ok(Outcome::Unchanged);
            }
            change => change,
        };
        let mut outcome = Ok(Outcome::Unchanged);
        let history = self.history;
        let stands = match &change {
            Change::Make { edit, .. } | Change::Type { edit, .. } => {
                let layout = self.layout.get_untracked();
                self.document.with_untracked(|document| layout.outlasts(document, edit))
            }
            _ => false,
        };
        self.document.update_untracked(|document| {
            history.update_value(|history| outcome = history.apply(document, change));
        });
        if !matches!(outcome, Ok(Outcome::Unchanged) | Err(_)) {
            if !stands {
                self.reshaped.notify();
            }
            self.document.notify();
        }
        self.follow_history();
        outcome
    }

    fn note_draft(&self, key: &str) {
        let (above, has_typed) = self.history.with_value(|history| (history.depth(), history.is_open()));
        let half = Half { key: key.to_owned(), above, has_typed, selected: self.selected.get_untracked() };
        self.halves.update_value(|halves| halves.note(half));
    }

    /// What is half written in a field and was written after the last change.
    pub fn newest_half(&self) -> Option<Half> {
        let changes = self.history.with_value(History::depth);
        self.halves.with_value(|halves| self.drafts.with_untracked(|drafts| halves.newest(changes, drafts)))
    }

    /// What is taken back and made again next.
    pub fn next(&self) -> Next {
        self.history.with_value(History::next)
    }

    /// Changes what an undo takes back besides changes, and a redo gives again.
    pub fn change_halves<T>(&self, change: impl FnOnce(&mut Halves) -> T) -> Option<T> {
        self.halves.try_update_value(change)
    }

    fn begin_visit(&self) {
        let before = self.history.with_value(History::depth);
        self.halves.set_value(Halves::begin(before));
        self.follow_history();
    }

    fn follow_history(&self) {
        let (undoable, redoable) =
            self.history.with_value(|history| (history.can_undo(), history.can_redo()));
        let is_half = |drafts: &Drafts| drafts.keys().any(|key| !is_beside(key));
        self.undoable.set(undoable || self.drafts.with_untracked(is_half));
        self.redoable.set(redoable);
    }
}
