//! Which steps are selected, and which are shown.

use leptos::prelude::*;
use stepweave_core::edit::{find, ids as ids_in};

use super::Editor;
use crate::model::change::Change;
use crate::model::selection::{Marks, Selection};
use crate::step::kinds::holds_steps;

impl Editor {
    /// Selects one step alone, or nothing.
    pub fn select(&self, id: Option<String>) {
        self.marks.set(Marks::default());
        self.selected.set(id);
    }

    /// Selects several steps, of which the last one chosen is `lead`.
    pub fn mark(&self, anchor: Option<String>, lead: Option<String>, selection: Selection) {
        self.marks.set(Marks { anchor, lead: lead.clone(), selection });
        self.selected.set(lead);
    }

    /// Selects steps and gives the last one's card the keyboard's focus.
    pub fn choose_all(&self, ids: &[String]) {
        let selection =
            self.layout.with_untracked(|layout| Selection::of(layout, ids.iter().map(String::as_str)));
        let lead = selection.last().map(str::to_owned);
        self.mark(ids.first().cloned(), lead.clone(), selection);
        self.focus.set(lead);
    }

    /// Adds a step to the selection, or takes it away.
    pub fn toggle(&self, id: &str) {
        let now = self.selection.get_untracked();
        let next = self.layout.with_untracked(|layout| now.toggled(layout, id));
        let lead = if next.contains(id) { Some(id) } else { next.last() }.map(str::to_owned);
        self.mark(lead.clone(), lead, next);
    }

    /// Selects everything from where the selection began to this step.
    pub fn extend_to(&self, id: &str) {
        let selected = self.selected.get_untracked();
        let from = self.marks.with_untracked(|marks| marks.anchor(selected.as_deref()).map(str::to_owned));
        let from = from.unwrap_or_else(|| id.to_owned());
        let next = self.layout.with_untracked(|layout| Selection::range(layout, &from, id));
        self.mark(Some(from), Some(id.to_owned()), next);
    }

    /// The selected steps, of which nothing follows the changes.
    pub fn chosen(&self) -> Vec<String> {
        self.selection.with_untracked(Selection::to_vec)
    }

    /// Selects a step and gives its card the keyboard's focus.
    pub fn choose(&self, id: Option<String>) {
        // First, as the page has not changed yet: a focus then costs nothing.
        self.focus.set(id.clone());
        self.select(id);
    }

    /// Shows containers as one card each, or with what is in them when all are folded already.
    pub fn toggle_fold(&self, ids: &[String]) {
        let containers = self.containers(ids);
        let open = self.folded.with_untracked(|folded| containers.iter().any(|id| !folded.contains(id)));
        for step in containers {
            self.perform(if open { Change::Fold { step } } else { Change::Unfold { step } });
        }
    }

    /// Those of these steps that can be folded.
    pub fn containers(&self, ids: &[String]) -> Vec<String> {
        let holds = |id: &&String| {
            self.document.with_untracked(|document| find(document, id).is_some_and(holds_steps))
        };
        ids.iter().filter(holds).cloned().collect()
    }

    /// Shows a step that is in a folded container.
    pub fn unfold_around(&self, id: &str) {
        let around: Vec<String> = self.document.with_untracked(|document| {
            let holds = |own: &&String| {
                let step = find(document, own).filter(|step| step.id != id);
                step.is_some_and(|step| ids_in(step).contains(&id))
            };
            self.folded.with_untracked(|folded| folded.iter().filter(holds).cloned().collect())
        });
        for step in around {
            self.perform(Change::Unfold { step });
        }
    }
}
