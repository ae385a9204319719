//! Changes of a document, each of which can be taken back.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::{Document, MAX_STEP_DEPTH, Step, Tool, every, every_of};

/// A list of steps: the document's own, or one inside a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    /// The document's `steps`.
    Root,
    /// The list that this step has under this key, such as `steps`, `else` or `cases[0].steps`.
    Inside {
        /// The step's id.
        step: String,
        /// The list's key.
        key: String,
    },
}

/// A position between the steps of a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The list.
    pub block: Block,
    /// How many steps of the block come before the slot.
    pub index: usize,
}

/// One change of a document. [`apply`] gives the change that takes it back.
///
/// ```
/// use stepweave_core::document::{Document, Run, Step, StepKind};
/// use stepweave_core::edit::{apply, Block, Edit, Slot};
///
/// let mut document = Document::new("empty");
/// let step = Step::new("s1", "first", StepKind::Function(Run::Set(Default::default())));
/// let slot = Slot { block: Block::Root, index: 0 };
/// let undo = apply(&mut document, Edit::Insert { slot, step })?;
/// assert_eq!(document.steps.len(), 1);
/// apply(&mut document, undo)?;
/// assert_eq!(document, Document::new("empty"));
/// # Ok::<(), stepweave_core::edit::EditError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Edit {
    /// Insert a step, with everything inside it, into a slot.
    Insert {
        /// The slot.
        slot: Slot,
        /// The step.
        step: Step,
    },
    /// Take a step out, with all that is in it.
    Remove {
        /// The step's id.
        step: String,
    },
    /// Move a step, with everything inside it, into a slot.
    Move {
        /// The step's id.
        step: String,
        /// The slot, as it is before the step is taken out.
        to: Slot,
    },
    /// Replace a step by another one; ids inside may differ.
    Replace {
        /// The id of the step that goes.
        step: String,
        /// The step that comes.
        with: Step,
    },
    /// Change everything of the document but its steps. `steps` of the new settings is left aside.
    Settings(Box<Document>),
    /// Replace the whole document by another one.
    Whole(Box<Document>),
    /// Several changes as one, in this order.
    Group(Vec<Edit>),
}

/// Why a change cannot be made. The document is then as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditError {
    /// No step has this id.
    UnknownStep(String),
    /// The step has no list under this key, or the list is shorter.
    UnknownSlot(Slot),
    /// A step with this id is there already.
    DuplicateId(String),
    /// A step cannot be moved into itself.
    IntoItself(String),
    /// Steps would be nested deeper than a document allows.
    TooDeep,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownStep(id) => write!(f, "there is no step with the id `{id}`"),
            Self::UnknownSlot(slot) => match &slot.block {
                Block::Root => write!(f, "the workflow has no place {}", slot.index),
                Block::Inside { step, key } => {
                    write!(f, "the step `{step}` has no place {} in `{key}`", slot.index)
                }
            },
            Self::DuplicateId(id) => write!(f, "there is a step with the id `{id}` already"),
            Self::IntoItself(id) => write!(f, "the step `{id}` cannot be moved into itself"),
            Self::TooDeep => write!(f, "steps may be nested {MAX_STEP_DEPTH} levels deep"),
        }
    }
}

impl std::error::Error for EditError {}

/// Applies the edit and returns its inverse.
///
/// # Errors
/// When the edit names a step or a slot that does not exist; the document is then unchanged.
pub fn apply(document: &mut Document, edit: Edit) -> Result<Edit, EditError> {
    match edit {
        Edit::Insert { slot, step } => insert(document, slot, step),
        Edit::Remove { step } => {
            let (slot, step) = take(document, &step)?;
            Ok(Edit::Insert { slot, step })
        }
        Edit::Move { step, to } => shift(document, step, to),
        Edit::Replace { step, with } => replace(document, &step, with),
        Edit::Settings(settings) => {
            let steps = std::mem::take(&mut document.steps);
            let old = std::mem::replace(document, Document { steps, ..*settings });
            Ok(Edit::Settings(Box::new(Document { steps: Vec::new(), ..old })))
        }
        Edit::Whole(whole) => Ok(Edit::Whole(Box::new(std::mem::replace(document, *whole)))),
        Edit::Group(edits) => group(document, edits),
    }
}

/// The step of this id.
pub fn find<'a>(document: &'a Document, id: &str) -> Option<&'a Step> {
    document.step(id)
}

/// The slot of the step with this id; those inside tools have none.
pub fn slot_of(document: &Document, id: &str) -> Option<Slot> {
    let mut open = vec![(Block::Root, &document.steps)];
    while let Some((block, steps)) = open.pop() {
        if let Some(index) = steps.iter().position(|step| step.id == id) {
            return Some(Slot { block, index });
        }
        for step in steps {
            open.extend(
                step.blocks().into_iter().map(|(key, steps)| {
                    (Block::Inside { step: step.id.clone(), key: key.into_owned() }, steps)
                }),
            );
        }
    }
    None
}

/// An id of the form `s1`, `s2`, … that no step has.
pub fn fresh_id(document: &Document) -> String {
    fresh_ids(document).next().unwrap_or_default()
}

/// Ids of the form `s1`, `s2`, … that no step has, each another one.
///
/// ```
/// use stepweave_core::document::{Document, Step, StepKind};
/// use stepweave_core::edit::fresh_ids;
///
/// let mut document = Document::new("empty");
/// document.steps.push(Step::new("s4", "first", StepKind::Sequence(Vec::new())));
/// assert!(fresh_ids(&document).take(2).eq(["s5", "s6"]));
/// ```
pub fn fresh_ids(document: &Document) -> impl Iterator<Item = String> + use<> {
    let number = |step: &Step| step.id.strip_prefix('s').and_then(|digits| digits.parse::<u64>().ok());
    let highest = every_of(document).filter_map(number).max().unwrap_or(0);
    // Behind the highest number, unless a document from elsewhere has one behind which there is little room.
    let mut taken: Vec<u64> = Vec::new();
    let mut first = highest.saturating_add(1);
    if first > 1 << 53 {
        taken.extend(every_of(document).filter_map(number));
        taken.sort_unstable();
        first = 1;
    }
    (first..).filter(move |number| taken.binary_search(number).is_err()).map(|number| format!("s{number}"))
}

/// The ids of a step and of everything inside it.
pub fn ids(step: &Step) -> Vec<&str> {
    every([step]).map(|step| step.id.as_str()).collect()
}

fn insert(document: &mut Document, slot: Slot, step: Step) -> Result<Edit, EditError> {
    if let Some(id) = ids(&step).into_iter().find(|id| find(document, id).is_some()) {
        return Err(EditError::DuplicateId(id.to_owned()));
    }
    fits_below(document, &slot.block, &step)?;
    let id = step.id.clone();
    let steps = block_mut(document, &slot.block).ok_or_else(|| EditError::UnknownSlot(slot.clone()))?;
    if slot.index > steps.len() {
        return Err(EditError::UnknownSlot(slot));
    }
    steps.insert(slot.index, step);
    Ok(Edit::Remove { step: id })
}

fn take(document: &mut Document, id: &str) -> Result<(Slot, Step), EditError> {
    let unknown = || EditError::UnknownStep(id.to_owned());
    let slot = slot_of(document, id).ok_or_else(unknown)?;
    let steps = block_mut(document, &slot.block).ok_or_else(unknown)?;
    let step = steps.remove(slot.index);
    Ok((slot, step))
}

fn shift(document: &mut Document, id: String, to: Slot) -> Result<Edit, EditError> {
    let step = find(document, &id).ok_or_else(|| EditError::UnknownStep(id.clone()))?;
    if let Block::Inside { step: target, .. } = &to.block
        && ids(step).contains(&target.as_str())
    {
        return Err(EditError::IntoItself(id));
    }
    let fits = block_mut(document, &to.block).is_some_and(|steps| to.index <= steps.len());
    if !fits {
        return Err(EditError::UnknownSlot(to));
    }
    let step = find(document, &id).ok_or_else(|| EditError::UnknownStep(id.clone()))?;
    fits_below(document, &to.block, step)?;
    let (from, step) = take(document, &id)?;
    // Taking the step out moves the slots after it in the same block one up.
    let same = from.block == to.block;
    let index = if same && to.index > from.index { to.index - 1 } else { to.index };
    let back = if same && index < from.index { from.index + 1 } else { from.index };
    if let Some(steps) = block_mut(document, &to.block) {
        steps.insert(index, step);
    }
    Ok(Edit::Move { step: id, to: Slot { block: from.block, index: back } })
}

fn replace(document: &mut Document, id: &str, with: Step) -> Result<Edit, EditError> {
    // What only changes in itself, as with every key that is typed, is as deep as it was, and is looked for once.
    if with.id == id
        && with.blocks().is_empty()
        && let Some(place) = step_mut(document, id).filter(|place| place.blocks().is_empty())
    {
        return Ok(Edit::Replace { step: with.id.clone(), with: std::mem::replace(place, with) });
    }
    let old = find(document, id).ok_or_else(|| EditError::UnknownStep(id.to_owned()))?;
    let own = ids(old);
    let taken = |new: &&str| !own.contains(new) && find(document, new).is_some();
    if let Some(id) = ids(&with).into_iter().find(taken) {
        return Err(EditError::DuplicateId(id.to_owned()));
    }
    let new_id = with.id.clone();
    // What holds no others, instead of what held none, is as deep as that was.
    if own.len() != 1 || !with.blocks().is_empty() {
        let block = slot_of(document, id).map_or(Block::Root, |slot| slot.block);
        fits_below(document, &block, &with)?;
    }
    let place = step_mut(document, id).ok_or_else(|| EditError::UnknownStep(id.to_owned()))?;
    Ok(Edit::Replace { step: new_id, with: std::mem::replace(place, with) })
}

fn group(document: &mut Document, edits: Vec<Edit>) -> Result<Edit, EditError> {
    let mut undo = Vec::with_capacity(edits.len());
    for edit in edits {
        match apply(document, edit) {
            Ok(back) => undo.push(back),
            Err(error) => {
                // What went before in the group is taken back, so that a group is made whole or not at all.
                for back in undo.into_iter().rev() {
                    apply(document, back)?;
                }
                return Err(error);
            }
        }
    }
    undo.reverse();
    Ok(Edit::Group(undo))
}

/// Whether a step may be in a list, with all that is in it.
fn fits_below(document: &Document, block: &Block, step: &Step) -> Result<(), EditError> {
    let below = levels(std::slice::from_ref(step), |_| false);
    let above = match block {
        Block::Inside { step, .. } if below > 0 => levels(&document.steps, |own| own.id == *step),
        _ => 0,
    };
    if above + below > MAX_STEP_DEPTH { Err(EditError::TooDeep) } else { Ok(()) }
}

/// How many levels of steps there are, or how deep the step is at which the search ends.
fn levels(steps: &[Step], is_found: impl Fn(&Step) -> bool) -> usize {
    let mut deepest = 0;
    let mut open: Vec<(usize, &Step)> = steps.iter().map(|step| (1, step)).collect();
    while let Some((level, step)) = open.pop() {
        if is_found(step) {
            return level;
        }
        deepest = deepest.max(level);
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).map(|step| (level + 1, step)));
    }
    deepest
}

fn block_mut<'a>(document: &'a mut Document, block: &Block) -> Option<&'a mut Vec<Step>> {
    match block {
        Block::Root => Some(&mut document.steps),
        Block::Inside { step, key } => step_mut(document, step)?.block_mut(key),
    }
}

pub(crate) fn step_mut<'a>(document: &'a mut Document, id: &str) -> Option<&'a mut Step> {
    let of_tools =
        document.tools.values_mut().filter_map(Tool::workflow_mut).flat_map(|inner| &mut inner.steps);
    let mut open: Vec<&mut Step> = document.steps.iter_mut().chain(of_tools).collect();
    while let Some(step) = open.pop() {
        if step.id == id {
            return Some(step);
        }
        open.extend(step.inner_mut());
    }
    None
}
