//! Where everything stands: the tree of steps laid out by itself, steps downwards, members side by side.

use std::borrow::Cow;
use std::collections::HashMap;

use indexmap::IndexSet;
use stepweave_core::document::{Document, Step, StepKind, Wait};
use stepweave_core::edit::{Block, Edit, Slot, find, ids};

use self::arrange::Arranger;
use self::cells::CellRange;
use self::note::{Paper, Papers};
use self::wire::{Lead, Wire};
use crate::geometry::{Point, Rect};
use crate::step::kinds::{Kind, holds_steps};

mod arrange;
pub mod cells;
pub mod note;
pub mod wire;

/// How wide a card is.
pub const CARD_WIDTH: f64 = 236.0;
/// The space between two steps, through which the connector runs.
pub const GAP: f64 = 24.0;

/// The card of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct CardBox {
    /// The step's id.
    pub id: String,
    /// The step's kind.
    pub kind: Kind,
    /// Where the card is.
    pub rect: Rect,
    /// The paper of its note below it, when it has one.
    pub paper: Option<Paper>,
    /// The frame around the card and what is in the step, when steps can be in it.
    pub frame: Option<Rect>,
    /// How many steps this one is inside of.
    pub depth: usize,
    /// How many of the cards that follow are inside this step.
    pub inside: usize,
    /// How many steps are inside of it that have no card, when it is folded.
    pub folded: Option<usize>,
}

impl CardBox {
    /// The card with its paper.
    pub fn with_paper(&self) -> Rect {
        let bottom = self.paper.map_or(self.rect.bottom(), |paper| paper.rect.bottom());
        Rect { height: bottom - self.rect.y, ..self.rect }
    }

    /// All that belongs to the step.
    pub fn whole(&self) -> Rect {
        self.frame.unwrap_or_else(|| self.with_paper())
    }
}

/// The containers that are shown as one card, without what is in them.
pub type Folded = IndexSet<String>;

/// Where a step can be put.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Between the steps of a list.
    Slot(Slot),
    /// After this member of a parallel, in its lane: both then become a sequence.
    Lane(String),
}

impl Place {
    /// A string that no other slot has.
    pub fn key(&self) -> String {
        match self {
            Self::Slot(Slot { block: Block::Root, index }) => format!("/{index}"),
            Self::Slot(Slot { block: Block::Inside { step, key }, index }) => format!("{step}/{key}/{index}"),
            Self::Lane(step) => format!("{step}+"),
        }
    }
}

/// How a slot is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaceLook {
    /// A line across the connector between two steps.
    Across,
    /// A line down between two lanes.
    Down,
    /// The last slot of a parallel, which always shows its plus.
    Add,
    /// A box that stands for an empty list.
    Empty,
}

/// A list of steps, by the number of the card that it is in.
#[derive(Debug, Clone, PartialEq)]
enum List {
    /// The workflow's own.
    Root,
    /// The one that a step has under a key.
    Inside { card: usize, key: Cow<'static, str> },
}

/// Which slot it is, by numbers of cards: there is one for each step and more, and few are ever looked at, so that no id
/// is copied for them.
#[derive(Debug, Clone, PartialEq)]
enum Opening {
    /// Between the steps of a list.
    Between { list: List, index: usize },
    /// After this member of a parallel, in its lane.
    Lane(usize),
}

/// A slot with its position; [`Layout::place_of`] says which one it is.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceBox {
    opening: Opening,
    /// The line or box that lights up when a card is held over it.
    pub rect: Rect,
    /// How it is drawn.
    pub look: PlaceLook,
    /// What an empty list says.
    pub hint: &'static str,
}

/// A word on a connector, or an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The word.
    pub text: String,
    /// Which way it stands on.
    pub way: Way,
    /// Which step says whether a run took that way.
    pub lead: Lead,
    /// Its middle.
    pub at: Point,
}

/// How far from the middle of a card, and below it, the words on its ways are looked at together with it.
const NEAREST_WAYS: (f64, f64) = (240.0, 80.0);

/// Half of how wide and high a word on a way is, as far as most are.
const WORD: (f64, f64) = (50.0, 12.0);

/// The branches below a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Of a condition that is true.
    Yes,
    /// Of a switch's case, by its number.
    Case(usize),
    /// Of everything else.
    Else,
    /// Of an approval that nobody answered in time.
    Late,
}

impl Way {
    /// The name of its colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Case(_) | Self::Late => "case",
            Self::Else => "else",
        }
    }
}

/// Where the step of a card stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spot {
    /// The card of the step that it is in.
    around: Option<usize>,
    /// Which of that step's lists it is in.
    list: usize,
    /// Its place in the list.
    index: usize,
}

/// Everything that is drawn, in world units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The cards in the order of the tree.
    pub cards: Vec<CardBox>,
    /// The lines between them, and which step says whether a run took one.
    pub wires: Vec<(Lead, Wire)>,
    /// Where steps can be put.
    pub places: Vec<PlaceBox>,
    /// The words on the lines.
    pub labels: Vec<Label>,
    /// The paper of the workflow's note, when it has one.
    pub paper: Option<Paper>,
    /// Where a run starts.
    pub start: Rect,
    /// Where a run ends.
    pub end: Rect,
    /// All of it.
    pub bounds: Rect,
    spots: Vec<Spot>,
    by_id: HashMap<String, usize>,
}

impl Layout {
    /// Lays a document out as a person looks at it: some containers folded, and notes as papers.
    pub fn shown(document: &Document, folded: &Folded, papers: &Papers) -> Self {
        let containers = |step: &&Step| folded.contains(&step.id) && holds_steps(step);
        if !folded.iter().any(|id| find(document, id).as_ref().is_some_and(containers)) {
            return Self::with(document, papers);
        }
        // Laid out as a step without others in it, and then what it is again.
        let mut leaves = document.clone();
        let mut open: Vec<&mut Step> = leaves.steps.iter_mut().collect();
        while let Some(step) = open.pop() {
            if containers(&&*step) {
                step.kind = StepKind::Wait(Wait::Ms(0));
            } else {
                open.extend(step.inner_mut());
            }
        }
        let mut layout = Self::with(&leaves, papers);
        for card in &mut layout.cards {
            if let Some(step) = find(document, &card.id).filter(containers) {
                card.kind = Kind::of(step);
                card.folded = Some(ids(step).len() - 1);
            }
        }
        layout
    }

    /// Lays a document out: all of its steps, and no papers.
    pub fn of(document: &Document) -> Self {
        Self::with(document, &Papers::default())
    }

    fn with(document: &Document, papers: &Papers) -> Self {
        let mut layout = Arranger::arrange(document, papers);
        layout.by_id =
            layout.cards.iter().enumerate().map(|(index, card)| (card.id.clone(), index)).collect();
        list_spots(&document.steps, None, 0, &mut layout.spots);
        layout
    }

    /// The card of a step with the words on the ways that begin right below it.
    pub fn with_ways(&self, id: &str) -> Option<Rect> {
        let card = self.card(id)?;
        let (rect, frame) = (card.rect, card.frame.unwrap_or(card.rect));
        let is_own = |at: Point| {
            let is_below = at.y > rect.bottom() && at.y - rect.bottom() <= NEAREST_WAYS.1;
            is_below && frame.contains(at) && (at.x - rect.center().x).abs() <= NEAREST_WAYS.0
        };
        let words = self.labels.iter().map(|label| label.at).filter(|at| is_own(*at));
        Some(words.fold(rect, |all, at| {
            let (start, end) = (at.x - WORD.0, at.x + WORD.0);
            let (left, right) = (all.x.min(start), all.right().max(end));
            let bottom = all.bottom().max(at.y + WORD.1);
            Rect::new(left, all.y, right - left, bottom - all.y)
        }))
    }

    /// The card of a step.
    pub fn card(&self, id: &str) -> Option<&CardBox> {
        self.cards.get(*self.by_id.get(id)?)
    }

    /// A step of the document that is laid out here: found at once where it has a card.
    pub fn step<'a>(&self, document: &'a Document, id: &str) -> Option<&'a Step> {
        let shown = self.position(id).and_then(|card| self.step_at(document, card));
        shown.filter(|step| step.id == id).or_else(|| document.step(id))
    }

    fn step_at<'a>(&self, document: &'a Document, card: usize) -> Option<&'a Step> {
        let Spot { around, list, index } = self.spots.get(card)?;
        let steps = match around {
            None => &document.steps,
            Some(around) => self.step_at(document, *around)?.blocks().into_iter().nth(*list)?.1,
        };
        steps.get(*index)
    }

    /// Whether the document is laid out after an edit as it is here: only what has no lanes is sure to be.
    pub fn outlasts(&self, document: &Document, edit: &Edit) -> bool {
        match edit {
            Edit::Replace { step, with } => self.step(document, step).is_some_and(|now| {
                let is_same = now.id == with.id && Kind::of(now) == Kind::of(with) && now.notes == with.notes;
                is_same && !holds_steps(now) && !holds_steps(with)
            }),
            Edit::Settings(settings) => settings.notes == document.notes,
            Edit::Group(edits) => edits.iter().all(|edit| self.outlasts(document, edit)),
            Edit::Insert { .. } | Edit::Remove { .. } | Edit::Move { .. } | Edit::Whole(_) => false,
        }
    }

    /// The slot with this key, of all that there are: one that is seen is found among those within some cells.
    pub fn place(&self, key: &str) -> Option<&PlaceBox> {
        self.places.iter().find(|place| self.place_of(place).key() == key)
    }

    /// Which slot it is.
    pub fn place_of(&self, place: &PlaceBox) -> Place {
        let id = |card: usize| self.cards.get(card).map_or_else(String::new, |card| card.id.clone());
        match &place.opening {
            Opening::Lane(member) => Place::Lane(id(*member)),
            Opening::Between { list: List::Root, index } => {
                Place::Slot(Slot { block: Block::Root, index: *index })
            }
            Opening::Between { list: List::Inside { card, key }, index } => {
                let block = Block::Inside { step: id(*card), key: key.to_string() };
                Place::Slot(Slot { block, index: *index })
            }
        }
    }

    /// Where the card of a step stands in the order of the tree.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The cards in these cells, in the order of the tree.
    pub fn cards_within(&self, range: CellRange) -> Vec<usize> {
        range.touched(self.cards.iter().map(CardBox::with_paper))
    }

    /// The frames that touch these cells with their depth, outer ones first.
    pub fn frames_within(&self, range: CellRange) -> Vec<(usize, Rect)> {
        let own = range.rect();
        let frames = self.cards.iter().filter_map(|card| Some((card.depth, card.frame?)));
        frames.filter(|(_, frame)| frame.touches(own)).collect()
    }

    /// The wires in these cells.
    pub fn wires_within(&self, range: CellRange) -> impl Iterator<Item = &(Lead, Wire)> {
        let own = range.rect();
        self.wires.iter().filter(move |(_, wire)| wire.rect().touches(own))
    }

    /// The indices of the slots in these cells.
    pub fn places_within(&self, range: CellRange) -> Vec<usize> {
        range.touched(self.places.iter().map(|place| place.rect))
    }

    /// The numbers of the labels in these cells.
    pub fn labels_within(&self, range: CellRange) -> Vec<usize> {
        range.touched(self.labels.iter().map(|label| Rect::around(label.at, label.at)))
    }

    /// The papers of all notes.
    pub fn papers(&self) -> impl Iterator<Item = Paper> {
        self.cards.iter().filter_map(|card| card.paper).chain(self.paper)
    }

    /// The card under a point of the world, or the one whose paper is.
    pub fn card_at(&self, world: Point) -> Option<&CardBox> {
        let range = CellRange::covering(Rect::around(world, world));
        let mut found = self.cards_within(range).into_iter().filter_map(|index| self.cards.get(index));
        found.rfind(|card| card.with_paper().contains(world))
    }

    /// The step whose frame, innermost, or card the point is in.
    pub fn step_around(&self, world: Point) -> Option<&CardBox> {
        self.cards.iter().rfind(|card| card.whole().contains(world))
    }

    /// Whether `inner` is the step `outer` or somewhere inside it.
    pub fn holds(&self, outer: &str, inner: &str) -> bool {
        let (Some(outer), Some(inner)) = (self.position(outer), self.position(inner)) else { return false };
        let inside = self.cards.get(outer).map_or(0, |card| card.inside);
        inner >= outer && inner <= outer + inside
    }

    /// The slot nearest to a point of the world, if one is within reach, where all of `moving` could go.
    pub fn place_near(&self, world: Point, reach: f64, moving: &[String]) -> Option<&PlaceBox> {
        let range = CellRange::covering(Rect::around(world, world).grown(reach));
        let open = self.places_within(range).into_iter().filter_map(|index| self.places.get(index));
        let open = open.filter(|place| {
            let place = self.place_of(place);
            moving.iter().all(|step| self.can_go(step, &place))
        });
        let measured = open.map(|place| (place.rect.distance(world), place));
        let near = measured.filter(|(distance, _)| *distance <= reach);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| place)
    }

    /// Whether a step can be moved to a slot and would then be elsewhere than now.
    pub fn can_go(&self, step: &str, place: &Place) -> bool {
        match place {
            Place::Lane(member) => !self.holds(step, member),
            Place::Slot(Slot { block: Block::Inside { step: target, .. }, .. }) => !self.holds(step, target),
            Place::Slot(_) => true,
        }
    }
}

/// Where the steps of a list stand with all that is in them, in the order of the tree.
fn list_spots(steps: &[Step], around: Option<usize>, list: usize, spots: &mut Vec<Spot>) {
    for (index, step) in steps.iter().enumerate() {
        let own = spots.len();
        spots.push(Spot { around, list, index });
        for (list, (_, inner)) in step.blocks().into_iter().enumerate() {
            list_spots(inner, Some(own), list, spots);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested() -> Document {
        serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "a", "type": "condition", "name": "a", "condition": "true",
              "steps": [{ "id": "b", "type": "wait", "name": "b", "wait": { "ms": 1 } }],
              "else": [
                { "id": "c", "type": "wait", "name": "c", "wait": { "ms": 1 } },
                { "id": "d", "type": "parallel", "name": "d", "parallel": [
                    { "id": "e", "type": "wait", "name": "e", "wait": { "ms": 1 } },
                    { "id": "f", "type": "sequence", "name": "f", "steps": [
                        { "id": "g", "type": "wait", "name": "g", "wait": { "ms": 1 } }] }] }] },
            { "id": "h", "type": "wait", "name": "h", "wait": { "ms": 1 } }] }))
        .unwrap()
    }

    #[test]
    fn every_step_is_found_where_its_card_says() {
        let document = nested();
        for folded in [&[][..], &["d"], &["a"]] {
            let folded = folded.iter().map(|id| (*id).to_owned()).collect();
            let layout = Layout::shown(&document, &folded, &Papers::default());
            for (index, card) in layout.cards.iter().enumerate() {
                assert_eq!(layout.step_at(&document, index).map(|step| &step.id), Some(&card.id));
            }
            // Also what has no card, and what is no more where it was.
            for id in ["a", "b", "c", "d", "e", "f", "g", "h"] {
                assert_eq!(layout.step(&document, id).unwrap().id, id);
            }
            let fewer = Document { steps: document.steps[1..].to_vec(), ..document.clone() };
            assert_eq!(layout.step(&fewer, "h").unwrap().id, "h");
            assert!(layout.step(&fewer, "g").is_none());
        }
    }

    #[test]
    fn what_outlasts_an_edit_is_laid_out_alike() {
        let document = nested();
        let replace = |id: &str, change: &dyn Fn(&mut Step)| {
            let mut with = document.step(id).unwrap().clone();
            change(&mut with);
            Edit::Replace { step: id.to_owned(), with }
        };
        let name = |step: &mut Step| step.name = "another".to_owned();
        let note = |step: &mut Step| step.notes = Some("Look here.".to_owned());
        let kind = |step: &mut Step| step.kind = StepKind::Sequence(Vec::new());
        let id = |step: &mut Step| step.id = "z".to_owned();
        let settings = |notes: Option<&str>| {
            Edit::Settings(Box::new(Document { notes: notes.map(str::to_owned), ..Document::new("u") }))
        };
        let papers = Papers { shown: true, open: None };
        let shown = |document: &Document| Layout::shown(document, &Folded::new(), &papers);
        let edits = [
            (replace("g", &name), true),
            (replace("g", &note), false),
            (replace("g", &kind), false),
            (replace("g", &id), false),
            // It has lanes, of which some show what they are called.
            (replace("a", &name), false),
            (settings(None), true),
            (settings(Some("Read me.")), false),
            (Edit::Group(vec![replace("b", &name), settings(None)]), true),
            (Edit::Group(vec![replace("b", &name), replace("c", &note)]), false),
            (Edit::Remove { step: "h".to_owned() }, false),
        ];
        for (edit, expected) in edits {
            assert_eq!(shown(&document).outlasts(&document, &edit), expected, "{edit:?}");
            let mut after = document.clone();
            if expected {
                stepweave_core::edit::apply(&mut after, edit).unwrap();
                assert_eq!(shown(&after), shown(&document));
            }
        }
    }

    #[test]
    fn a_folded_container_is_one_card() {
        let document: Document = serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "a", "type": "parallel", "name": "a", "parallel": [
                { "id": "b", "type": "loop", "name": "b", "repeat": { "until": "true" }, "maxIterations": 2, "steps": [
                    { "id": "c", "type": "wait", "name": "c", "wait": { "ms": 1 } }] },
                { "id": "d", "type": "wait", "name": "d", "wait": { "ms": 1 } }] },
            { "id": "e", "type": "wait", "name": "e", "wait": { "ms": 1 } }] }))
        .unwrap();
        let shown = |folded: &[&str]| {
            let folded = folded.iter().map(|id| (*id).to_owned()).collect();
            let layout = Layout::shown(&document, &folded, &Papers::default());
            let cards = layout.cards.iter().map(|card| (card.id.clone(), card.folded));
            cards.collect::<Vec<_>>()
        };
        let open = |id: &str| (id.to_owned(), None);
        assert_eq!(shown(&[]), ["a", "b", "c", "d", "e"].map(open));
        assert_eq!(shown(&["b"]), [open("a"), ("b".into(), Some(1)), open("d"), open("e")]);
        assert_eq!(shown(&["a", "b"]), [("a".into(), Some(3)), open("e")]);
        // What is no container, or is gone, is not folded.
        assert_eq!(shown(&["e", "nobody"]), ["a", "b", "c", "d", "e"].map(open));
        let folded = Layout::shown(&document, &["a".to_owned()].into_iter().collect(), &Papers::default());
        let card = folded.card("a").unwrap();
        assert_eq!((card.kind, card.frame, card.inside), (Kind::Parallel, None, 0));
    }
}
