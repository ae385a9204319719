//! Steps that come, go and move.

use leptos::prelude::*;
use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::edit::Edit;

use super::Editor;
use crate::layout::Place;
use crate::model::change::Change;
use crate::model::place::{self, Direction};
use crate::model::{answers, clip, fitting, together, wrap};
use crate::step::agents;
use crate::step::kinds::Kind;

impl Editor {
    /// Inserts a new step of a kind into a slot and selects it.
    pub fn put(&self, kind: Kind, place: &Place) {
        if let Some((step, edit)) =
            self.document.with_untracked(|document| fitting::made(kind, document, place))
        {
            let asks = fitting::asks(&step);
            let agent = match step.kind {
                StepKind::Agent(call) => Some(call.agent),
                _ => None,
            };
            let id = step.id;
            self.make(self.with_agent(agent, edit));
            self.added.set(Some(id.clone()));
            if asks {
                self.select(Some(id.clone()));
                self.begun.set(Some(id));
            } else {
                self.choose(Some(id));
            }
        }
    }

    /// A new agent step brings its own agent along, so that it runs as it is, and what is said to it is said to no other.
    fn with_agent(&self, agent: Option<String>, edit: Edit) -> Edit {
        let Some(agent) = agent else { return edit };
        let mut settings = self.settings();
        agents::add(&mut settings, agent);
        Edit::Group(vec![Edit::Settings(Box::new(settings)), edit])
    }

    /// Puts a step that was made elsewhere where the next one goes.
    pub fn append_step(&self, step: Step) {
        let (id, selected) = (step.id.clone(), self.selected.get_untracked());
        let edit = self.document.with_untracked(|document| {
            place::put(document, step, &place::next(document, selected.as_deref()))
        });
        if let Some(edit) = edit {
            self.make(edit);
            self.choose(Some(id));
        }
    }

    /// Puts a new step of a kind where the next one goes.
    pub fn append(&self, kind: Kind) {
        let selected = self.selected.get_untracked();
        let place = self.document.with_untracked(|document| place::next(document, selected.as_deref()));
        self.put(kind, &place);
    }

    /// Moves steps into a slot.
    pub fn shift(&self, ids: &[String], place: &Place) {
        let shifted = self.document.with_untracked(|document| {
            Some(answers::with_cases(document, ids, together::shift(document, ids, place)?))
        });
        if let Some(edit) = shifted {
            self.make(edit);
        }
    }

    /// Moves steps up or down among their neighbours.
    pub fn nudge(&self, ids: &[String], direction: Direction) {
        let nudged = self.document.with_untracked(|document| {
            Some(answers::with_cases(document, ids, together::nudge(document, ids, direction)?))
        });
        if let Some(edit) = nudged {
            self.make(edit);
            self.focus.set(self.selected.get_untracked());
        }
    }

    /// Puts steps into a new container and selects it.
    pub fn wrap(&self, ids: &[String], kind: Kind) {
        let wrapped = self.document.with_untracked(|document| wrap::wrap(document, ids, kind));
        let Some((id, edit)) = wrapped else {
            let said = "Steps that go into one container have to be in the same list.";
            return self.notice.set(Some(said.to_owned()));
        };
        self.make(edit);
        // It is not there when the steps would have been too deep.
        if self.layout.with_untracked(|layout| layout.card(&id).is_some()) {
            self.choose(Some(id));
        }
    }

    /// Puts what is in containers in their place and selects it.
    pub fn unwrap(&self, ids: &[String]) {
        if let Some((out, edit)) = self.document.with_untracked(|document| wrap::unwrap(document, ids)) {
            self.make(edit);
            self.choose_all(&out);
        }
    }

    /// Puts copies of steps behind the last of them and selects these.
    pub fn duplicate(&self, ids: &[String]) {
        if let Some((copies, edit)) = self.document.with_untracked(|document| clip::duplicate(document, ids))
        {
            self.make(edit);
            self.choose_all(&copies);
        }
    }

    /// Puts the steps of another workflow where the next one goes, with what they use, and selects them.
    pub fn paste(&self, clip: Document) {
        let selected = self.selected.get_untracked();
        let pasted = self.document.with_untracked(|document| {
            let (ids, edit) = clip::paste(document, clip, &place::next(document, selected.as_deref()))?;
            Some((ids.clone(), answers::with_cases(document, &ids, edit)))
        });
        match pasted {
            Some((ids, edit)) => {
                self.make(edit);
                self.choose_all(&ids);
            }
            None => self.notice.set(Some("The workflow that was pasted has no steps.".to_owned())),
        }
    }

    /// Takes steps into runs, or leaves them out.
    pub fn enable(&self, ids: &[String], on: bool) {
        self.make(
            self.document
                .with_untracked(|document| together::change(document, ids, |step| step.enabled = on)),
        );
    }

    /// Takes steps out and selects what is next to them.
    pub fn remove(&self, ids: &[String]) {
        let neighbour = self.layout.with_untracked(|layout| {
            let (first, last) = (layout.position(ids.first()?)?, layout.position(ids.last()?)?);
            let inside = layout.cards.get(last)?.inside;
            let next =
                layout.cards.get(last + inside + 1).or_else(|| layout.cards.get(first.checked_sub(1)?));
            next.map(|card| card.id.clone())
        });
        let edit = self.document.with_untracked(|document| fitting::deleted(document, ids));
        let selected = self.selected.get_untracked();
        // The focus goes before the cards do: to take it from one that goes has the browser lay out the page.
        self.choose(neighbour);
        self.perform(Change::Make { edit, selected });
    }
}
