//! A workflow as it is stored: the document, drafts and history of one moment, and the changes since then.

use serde::{Deserialize, Serialize};
use stepweave_core::document::{Document, nesting};
use stepweave_core::edit::EditError;
use stepweave_core::json;

use super::change::{Change, Drafts, write_draft};
use super::history::History;
use super::sample::{Samples, write_sample};
use crate::layout::Folded;

/// How many bytes of history are stored with a workflow.
pub const MOST_HISTORY: usize = 2 << 20;

/// All that is kept of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The document.
    pub document: Document,
    /// Texts that are no valid value yet.
    #[serde(default)]
    pub drafts: Drafts,
    /// What can be undone and redone.
    #[serde(default)]
    pub history: History,
    /// What requests answered when they were tried. They are in no document, and so in no file.
    #[serde(default)]
    pub samples: Samples,
    /// The containers that are folded: how a person looks at the workflow, and no part of it.
    #[serde(default)]
    pub folded: Folded,
}

/// Why a stored workflow cannot be read, and what of it can.
#[derive(Debug, Clone, PartialEq)]
pub struct Unreadable {
    /// What can be read: everything up to the first change that cannot.
    pub rest: Option<Box<Work>>,
}

impl Work {
    /// A document that nobody has changed yet.
    pub fn new(document: Document) -> Self {
        Self {
            document,
            drafts: Drafts::new(),
            history: History::default(),
            samples: Samples::new(),
            folded: Folded::new(),
        }
    }

    /// Reads what was stored.
    ///
    /// # Errors
    /// With what can be read, when not all of it can.
    pub fn read(snapshot: &str, changes: &[String]) -> Result<Self, Unreadable> {
        let Some(mut work) = nesting::read::<Self>(snapshot) else {
            return Err(Unreadable { rest: None });
        };
        for text in changes {
            let change = nesting::read(text);
            if change.and_then(|change| work.apply(change).ok()).is_none() {
                return Err(Unreadable { rest: Some(Box::new(work)) });
            }
        }
        Ok(work)
    }

    /// Makes a change again that was made before.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn apply(&mut self, change: Change) -> Result<(), EditError> {
        match change {
            Change::Draft { key, text } => write_draft(&mut self.drafts, key, text),
            Change::Sample { key, sample } => {
                write_sample(&mut self.samples, key, sample.map(|sample| *sample));
            }
            Change::Fold { step } => {
                self.folded.insert(step);
            }
            Change::Unfold { step } => {
                self.folded.shift_remove(&step);
            }
            change => return self.history.apply(&mut self.document, change).map(drop),
        }
        Ok(())
    }
}

/// What is stored of a moment. The history is the one that a later visit finds: older changes are forgotten here and now.
pub fn snapshot(
    document: &Document,
    drafts: &Drafts,
    history: &mut History,
    samples: &Samples,
    folded: &Folded,
) -> String {
    #[derive(Serialize)]
    struct Snapshot<'a> {
        document: &'a Document,
        drafts: &'a Drafts,
        history: &'a History,
        samples: &'a Samples,
        folded: &'a Folded,
    }
    history.trim(MOST_HISTORY);
    // Plain data with text keys always has a JSON form.
    json::text(&Snapshot { document, drafts, history, samples, folded })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use stepweave_core::edit::{Block, Edit, Slot};

    use super::*;
    use crate::model::clip;
    use crate::model::place;
    use crate::model::sample::Sample;
    use crate::model::together::shift;
    use crate::step::kinds::Kind;

    /// What a person does next. Numbers choose among what is there.
    #[derive(Debug, Clone)]
    enum Act {
        Insert(Kind, usize),
        Remove(usize),
        Move(usize, usize),
        Type(usize, String),
        Name(String),
        Duplicate(usize),
        Whole,
        Seal,
        Undo,
        Redo,
        Draft(u8, Option<String>),
        Sample(u8, Option<u16>),
        Fold(usize),
        Unfold(usize),
        /// All of it is stored, and the changes before are dropped.
        Snapshot,
        /// The page is closed or its process killed, and opened again.
        Reload,
    }

    fn act() -> impl Strategy<Value = Act> {
        let kind = prop_oneof![
            Just(Kind::Agent),
            Just(Kind::Function),
            Just(Kind::Condition),
            Just(Kind::Parallel),
            Just(Kind::Switch),
            Just(Kind::Foreach),
            Just(Kind::Loop),
        ];
        let word = "[a-z\"\\\\ é\u{2028}😀]{0,6}";
        prop_oneof![
            4 => (kind, any::<usize>()).prop_map(|(kind, at)| Act::Insert(kind, at)),
            2 => any::<usize>().prop_map(Act::Remove),
            2 => any::<(usize, usize)>().prop_map(|(step, to)| Act::Move(step, to)),
            5 => (any::<usize>(), word).prop_map(|(step, text)| Act::Type(step, text)),
            2 => word.prop_map(Act::Name),
            1 => any::<usize>().prop_map(Act::Duplicate),
            1 => Just(Act::Whole),
            2 => Just(Act::Seal),
            4 => Just(Act::Undo),
            3 => Just(Act::Redo),
            2 => (0..3_u8, proptest::option::of(word)).prop_map(|(key, text)| Act::Draft(key, text)),
            1 => (0..3_u8, proptest::option::of(any::<u16>())).prop_map(|(key, status)| Act::Sample(key, status)),
            1 => any::<usize>().prop_map(Act::Fold),
            1 => any::<usize>().prop_map(Act::Unfold),
            1 => Just(Act::Snapshot),
            2 => Just(Act::Reload),
        ]
    }

    /// A page with what it has stored.
    struct Desk {
        work: Work,
        snapshot: String,
        changes: Vec<String>,
    }

    impl Desk {
        fn new() -> Self {
            let work = Work::new(Document::new("test"));
            let snapshot = serde_json::to_string(&work).unwrap();
            Self { work, snapshot, changes: Vec::new() }
        }

        fn ids(&self) -> Vec<String> {
            let layout = crate::layout::Layout::of(&self.work.document);
            layout.cards.iter().map(|card| card.id.clone()).collect()
        }

        fn id(&self, number: usize) -> Option<String> {
            let ids = self.ids();
            ids.get(number.checked_rem(ids.len())?).cloned()
        }

        fn place(&self, number: usize) -> crate::layout::Place {
            let layout = crate::layout::Layout::of(&self.work.document);
            layout.place_of(&layout.places[number % layout.places.len()])
        }

        fn change(&self, act: Act) -> Option<Change> {
            let document = &self.work.document;
            let make = |edit, selected| Change::Make { edit, selected };
            Some(match act {
                Act::Insert(kind, at) => {
                    make(place::put(document, kind.blank(document), &self.place(at))?, self.id(at))
                }
                Act::Remove(step) => make(Edit::Remove { step: self.id(step)? }, self.id(step)),
                Act::Move(step, to) => make(shift(document, &[self.id(step)?], &self.place(to))?, None),
                Act::Type(step, text) => {
                    let id = self.id(step)?;
                    let mut with = stepweave_core::edit::find(document, &id)?.clone();
                    with.notes = Some(text);
                    Change::Type { edit: Edit::Replace { step: id.clone(), with }, field: id, selected: None }
                }
                Act::Name(text) => {
                    let settings = Box::new(Document { name: text, ..document.clone() });
                    Change::Type { edit: Edit::Settings(settings), field: "name".into(), selected: None }
                }
                Act::Duplicate(step) => make(clip::duplicate(document, &[self.id(step)?])?.1, None),
                Act::Whole => {
                    let slot = Slot { block: Block::Root, index: 0 };
                    let insert = Edit::Insert { slot, step: Kind::Wait.blank(document) };
                    make(Edit::Group(vec![Edit::Whole(Box::new(document.clone())), insert]), None)
                }
                Act::Seal => Change::Seal,
                Act::Undo => Change::Undo { selected: self.id(1) },
                Act::Redo => Change::Redo { selected: None },
                Act::Draft(key, text) => Change::Draft { key: key.to_string(), text },
                Act::Sample(key, status) => Change::Sample {
                    key: key.to_string(),
                    sample: status.map(|status| Box::new(Sample { status, ..Sample::default() })),
                },
                Act::Fold(step) => Change::Fold { step: self.id(step)? },
                Act::Unfold(step) => Change::Unfold { step: self.id(step)? },
                Act::Snapshot | Act::Reload => return None,
            })
        }

        fn perform(&mut self, act: Act) {
            match act {
                Act::Snapshot => {
                    let Work { document, drafts, history, samples, folded } = &mut self.work;
                    self.snapshot = snapshot(document, drafts, history, samples, folded);
                    self.changes.clear();
                }
                Act::Reload => {
                    let read = Work::read(&self.snapshot, &self.changes).unwrap();
                    assert_eq!(read, self.work);
                    self.work = read;
                }
                act => {
                    let Some(change) = self.change(act) else { return };
                    let text = serde_json::to_string(&change).unwrap();
                    if self.work.apply(change).is_ok() {
                        self.changes.push(text);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_reload_at_any_point_finds_the_same_document_and_the_same_history(acts in vec(act(), 0..120)) {
            let mut desk = Desk::new();
            for act in acts {
                desk.perform(act);
            }
            desk.perform(Act::Reload);
            desk.perform(Act::Snapshot);
            desk.perform(Act::Reload);
            // All the way back and forth: what was read does the same as what was never closed.
            let mut read = Work::read(&desk.snapshot, &[]).unwrap();
            for change in [Change::Undo { selected: None }, Change::Redo { selected: None }] {
                for _ in 0..130 {
                    read.apply(change.clone()).unwrap();
                    desk.work.apply(change.clone()).unwrap();
                    prop_assert_eq!(&read, &desk.work);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_read_says_how_far_it_can() {
        assert_eq!(Work::read("{", &[]), Err(Unreadable { rest: None }));
        let mut desk = Desk::new();
        desk.perform(Act::Insert(Kind::Function, 0));
        let before = desk.work.clone();
        for broken in ["{", r#"{"grow":{}}"#, r#"{"make":{"edit":{"remove":{"step":"s9"}}}}"#] {
            let changes = [desk.changes.clone(), vec![broken.to_owned()], desk.changes.clone()].concat();
            let read = Work::read(&desk.snapshot, &changes);
            assert_eq!(read, Err(Unreadable { rest: Some(Box::new(before.clone())) }), "{broken}");
        }
    }

    #[test]
    fn what_older_pages_have_stored_is_read() {
        let older = r#"{"document":{"version":1,"name":"old","steps":[]},"drafts":{"initial":"{ "}}"#;
        let work = Work::read(older, &[]).unwrap();
        assert_eq!((work.document.name.as_str(), work.drafts["initial"].as_str()), ("old", "{ "));
    }

    #[test]
    fn a_workflow_as_deep_as_one_may_be_is_read_again() {
        let mut document = Document::new("Deep");
        let within = |id: usize, steps: &[serde_json::Value]| serde_json::json!({ "id": format!("s{id}"), "type": "sequence", "name": format!("s{id}"), "steps": steps });
        let deep = (0..stepweave_core::document::MAX_STEP_DEPTH)
            .fold(Vec::new(), |inner, id| vec![within(id, &inner)]);
        let whole = serde_json::json!({ "version": 1, "name": "Deep", "steps": deep });
        document.steps = Document::from_json(whole).unwrap().steps;
        let work = Work::new(document);
        let mut history = work.history.clone();
        let text = snapshot(&work.document, &work.drafts, &mut history, &work.samples, &work.folded);
        // No `assert_eq`, which would print it.
        assert!(Work::read(&text, &[]).unwrap() == work);
    }
}
