//! Lays the tree out: first how large each step is, then where it stands.

use std::borrow::Cow;

use stepweave_core::document::{Document, Foreach, Inner, Loop, Step, StepKind};

use super::note::{Papers, Room};
use super::wire::{Lead, Wire};
use crate::geometry::{Point, Rect};
use crate::layout::{CARD_WIDTH, CardBox, GAP, Label, Layout, List, Opening, PlaceBox, PlaceLook, Way};
use crate::step::face::text;
use crate::step::kinds::{Kind, holds_steps};
use crate::step::words::called_apart;

#[cfg(test)]
mod tests;

/// The space inside a frame at its sides.
const PAD: f64 = 14.0;
/// The space at its sides when a line leads back through it to the card.
const PAD_BACK: f64 = 34.0;
/// From the frame's side to that line, and from the frame's end up to where it begins.
const BACK: f64 = 15.0;
/// The space inside a frame above its card.
const PAD_TOP: f64 = 10.0;
/// The space between lanes.
const LANE_GAP: f64 = 18.0;
/// From a card down to the level line that leads to its lanes.
const FAN: f64 = 14.0;
/// From that line down to the lanes of a parallel.
const FALL: f64 = 24.0;
/// From that line down to the lanes of a condition, whose word stands on the way.
const FALL_WITH_WORD: f64 = 46.0;
/// From the lanes down to the line on which they meet again, and from there to the frame's end.
const MEET: f64 = 22.0;
const END: f64 = 8.0;
const EMPTY: (f64, f64) = (180.0, 44.0);
/// The pills where a run starts and ends.
const PILL: (f64, f64) = (148.0, 28.0);

#[derive(Clone, Copy)]
struct Size {
    width: f64,
    height: f64,
}

/// A list of steps that stands side by side with others in a frame.
struct Lane<'a> {
    list: List,
    steps: &'a [Step],
    label: String,
    way: Way,
    hint: &'static str,
}

/// The layout as it grows.
pub(super) struct Arranger<'a> {
    layout: Layout,
    papers: &'a Papers,
    depth: usize,
}

impl<'a> Arranger<'a> {
    /// Lays out all of a document, with the start pill's top middle at the origin.
    pub(super) fn arrange(document: &Document, papers: &'a Papers) -> Layout {
        let mut own = Self { layout: Layout::default(), papers, depth: 0 };
        let start = Rect::new(-PILL.0 / 2.0, 0.0, PILL.0, PILL.1);
        let top = start.bottom() + GAP;
        let first = document.steps.first().map_or(top, |step| card_top(step, top));
        let to_first = own.to_first(&document.steps);
        own.wire(to_first, Wire::Arrow(Point::new(0.0, start.bottom()), Point::new(0.0, first)));
        let hint = "Drag a step here, or pick a kind of step";
        let (last, from_last) = own.column(&List::Root, &document.steps, 0.0, top, hint);
        let bottom = last + GAP;
        own.lead_on(from_last, Wire::Arrow(Point::new(0.0, last), Point::new(0.0, bottom)));
        own.layout.start = start;
        own.layout.end = Rect::new(-PILL.0 / 2.0, bottom, PILL.0, PILL.1);
        let width = column_size(&document.steps, papers).width;
        own.layout.paper = papers.of_workflow(document).map(Room::above_all);
        let above = own.layout.paper.map_or(start, |paper| paper.rect);
        let (width, bottom) = (width.max(above.width), own.layout.end.bottom());
        own.layout.bounds = Rect::new(-width / 2.0, above.y, width, bottom - above.y);
        own.layout
    }

    /// Steps below each other around `x`, the first at `top`, with connectors between them. Gives the last one's bottom,
    /// and what leads on from it: nothing does where that ends what is around it.
    fn column(
        &mut self,
        list: &List,
        steps: &[Step],
        x: f64,
        top: f64,
        hint: &'static str,
    ) -> (f64, Option<Lead>) {
        if steps.is_empty() {
            let rect = Rect::new(x - EMPTY.0 / 2.0, top, EMPTY.0, EMPTY.1);
            self.place(list, 0, rect, PlaceLook::Empty, hint);
            return (rect.bottom(), Some(Lead::Nowhere));
        }
        let mut y = top - GAP;
        let mut from_last = Some(Lead::Nowhere);
        let mut last = None;
        for (index, step) in steps.iter().enumerate() {
            let card = self.next_card();
            if let Some(from) = last.replace(card) {
                let end = Point::new(x, card_top(step, y + GAP));
                let on = from_last.map(|_| Lead::On { from, to: card });
                self.lead_on(on, Wire::Arrow(Point::new(x, y), end));
            }
            self.across(list, index, x, y);
            y = self.step(step, x, y + GAP);
            from_last = way_on(step, card);
        }
        self.across(list, steps.len(), x, y);
        (y, from_last)
    }

    /// The number of the card that is laid out next.
    fn next_card(&self) -> usize {
        self.layout.cards.len()
    }

    /// What leads to the first of the steps that are laid out next.
    fn to_first(&self, steps: &[Step]) -> Lead {
        if steps.is_empty() { Lead::Nowhere } else { Lead::To(self.next_card()) }
    }

    /// One step around `x`; gives its bottom.
    fn step(&mut self, step: &Step, x: f64, top: f64) -> f64 {
        let kind = Kind::of(step);
        let size = step_size(step, self.papers);
        let frame = holds_steps(step).then(|| Rect::new(x - size.width / 2.0, top, size.width, size.height));
        let rect = Rect::new(x - CARD_WIDTH / 2.0, card_top(step, top), CARD_WIDTH, kind.card_height());
        let paper = self.papers.of_step(step).map(|room| room.below(rect));
        let own = self.next_card();
        self.layout.cards.push(CardBox {
            id: step.id.clone(),
            kind,
            rect,
            paper,
            frame,
            depth: self.depth,
            inside: 0,
            folded: None,
        });
        self.depth += 1;
        if let Some(frame) = frame {
            let end = paper.map_or(rect.bottom(), |paper| paper.rect.bottom());
            self.inside(step, own, rect, end, frame);
        }
        self.depth -= 1;
        let inside = self.layout.cards.len() - own - 1;
        if let Some(card) = self.layout.cards.get_mut(own) {
            card.inside = inside;
        }
        top + size.height
    }

    /// What is in a step of this number, whose card ends at `top`, with its paper.
    fn inside(&mut self, step: &Step, own: usize, card: Rect, top: f64, frame: Rect) {
        let (x, bottom) = (card.center().x, frame.bottom());
        match &step.kind {
            StepKind::Sequence(steps)
            | StepKind::Foreach(Foreach { steps, .. })
            | StepKind::Loop(Loop { steps, .. })
            | StepKind::Workflow(Inner { steps, .. }) => {
                let from = top + GAP;
                let first = steps.first().map_or(from, |step| card_top(step, from));
                let to_first = self.to_first(steps);
                self.wire(to_first, Wire::Arrow(Point::new(x, top), Point::new(x, first)));
                let list = List::Inside { card: own, key: Cow::Borrowed("steps") };
                let (end, from_last) = self.column(&list, steps, x, from, "Click, or drop a step");
                let on = from_last.map(|_| Lead::From(own));
                self.lead_on(on, Wire::Line(Point::new(x, end), Point::new(x, bottom)));
                if Kind::of(step).repeats() {
                    let (from, to) = (Point::new(x, bottom - BACK), Point::new(card.x, card.center().y));
                    let again = match to_first {
                        Lead::To(first) => Lead::Again { step: own, first },
                        nowhere => nowhere,
                    };
                    self.wire(again, Wire::Back { from, side: frame.x + BACK, to });
                }
            }
            StepKind::Approval(_) if !holds_steps(step) => {}
            StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Approval(_) => {
                self.branches(step, own, x, top, bottom);
            }
            StepKind::Parallel(fork) => self.members(&fork.members, own, x, top, bottom),
            StepKind::Agent(_)
            | StepKind::Function(_)
            | StepKind::Http(_)
            | StepKind::Wait(_)
            | StepKind::End(_) => {}
        }
    }

    fn branches(&mut self, step: &Step, own: usize, x: f64, top: f64, bottom: f64) {
        let lanes = ways(step, own);
        let line = top + FAN;
        let meet = bottom - END;
        let widths: Vec<f64> = lanes.iter().map(|lane| column_size(lane.steps, self.papers).width).collect();
        let centers = centers(&widths, x);
        let without_steps = lanes.iter().filter(|lane| lane.steps.is_empty()).count();
        let past = |way: Way| match &step.kind {
            // One that is switched off decides nothing.
            _ if !step.enabled => Lead::Nowhere,
            StepKind::Approval(_) if without_steps == 1 => Lead::Past(own),
            _ => Lead::By { step: own, way },
        };
        let mut meeting = Vec::new();
        for (lane, center) in lanes.iter().zip(&centers) {
            let at = Point::new(*center, line + 23.0);
            let from = line + FALL_WITH_WORD;
            let first = lane.steps.first().map_or(from, |step| card_top(step, from));
            let to_first = self.to_first(lane.steps).or(past(lane.way));
            self.layout.labels.push(Label { text: lane.label.clone(), way: lane.way, lead: to_first, at });
            self.wire(to_first, Wire::Drop { from: Point::new(x, line), to: Point::new(*center, first) });
            let (end, from_last) = self.column(&lane.list, lane.steps, *center, from, lane.hint);
            meeting.extend(from_last.map(|_| *center));
            self.lead_on(
                from_last.map(|lead| lead.or(past(lane.way))),
                Wire::Join { from: Point::new(*center, end), to: Point::new(x, meet) },
            );
        }
        let into = if step.enabled { Lead::Into(own) } else { Lead::Nowhere };
        self.level([into, Lead::From(own)], x, [&centers, &meeting], [top, line, meet, bottom]);
    }

    fn members(&mut self, members: &[Step], own: usize, x: f64, top: f64, bottom: f64) {
        let list = List::Inside { card: own, key: Cow::Borrowed("parallel") };
        if members.is_empty() {
            let rect = Rect::new(x - EMPTY.0 / 2.0, top + GAP, EMPTY.0, EMPTY.1);
            self.wire(Lead::Nowhere, Wire::Arrow(Point::new(x, top), Point::new(x, rect.y)));
            self.place(&list, 0, rect, PlaceLook::Empty, "Drop steps to run at once");
            self.wire(Lead::Nowhere, Wire::Line(Point::new(x, rect.bottom()), Point::new(x, bottom)));
            return;
        }
        let line = top + FAN;
        let meet = bottom - END;
        let from = line + FALL;
        let widths: Vec<f64> = members.iter().map(|member| step_size(member, self.papers).width).collect();
        let centers = centers(&widths, x);
        let tall = meet - MEET - from;
        let mut meeting = Vec::new();
        for (index, ((member, center), width)) in members.iter().zip(&centers).zip(&widths).enumerate() {
            let left = center - width / 2.0 - LANE_GAP / 2.0;
            self.place(&list, index, Rect::new(left, from, 0.0, tall), PlaceLook::Down, "");
            let card_top = card_top(member, from);
            let drop = Wire::Drop { from: Point::new(x, line), to: Point::new(*center, card_top) };
            let card = self.next_card();
            self.wire(Lead::To(card), drop);
            let end = self.step(member, *center, from);
            let join = Wire::Join { from: Point::new(*center, end), to: Point::new(x, meet) };
            let on = way_on(member, card);
            meeting.extend(on.map(|_| *center));
            self.lead_on(on, join);
            if !matches!(member.kind, StepKind::Sequence(_)) {
                let rect = Rect::new(center - CARD_WIDTH / 2.0, end + MEET / 2.0, CARD_WIDTH, 0.0);
                let opening = Opening::Lane(card);
                self.layout.places.push(PlaceBox { opening, rect, look: PlaceLook::Across, hint: "" });
            }
        }
        if let (Some(center), Some(width)) = (centers.last(), widths.last()) {
            let right = center + width / 2.0 + LANE_GAP / 2.0;
            self.place(&list, members.len(), Rect::new(right, from, 0.0, tall), PlaceLook::Add, "");
        }
        let stems = [Lead::Into(own), Lead::From(own)];
        self.level(stems, x, [&centers, &meeting], [top, line, meet, bottom]);
    }

    /// The level lines from which lanes fall and on which those meet again that lead on, and the stems to them.
    fn level(
        &mut self,
        [into, on]: [Lead; 2],
        x: f64,
        lanes: [&[f64]; 2],
        [top, line, meet, bottom]: [f64; 4],
    ) {
        let stems = [(into, top, line, line), (on, meet, bottom, meet)];
        for (centers, (lead, from, to, y)) in lanes.into_iter().zip(stems) {
            let (Some(first), Some(last)) = (centers.first(), centers.last()) else { continue };
            self.wire(lead, Wire::Line(Point::new(x, from), Point::new(x, to)));
            let (left, right) = ((first + 12.0).min(x), (last - 12.0).max(x));
            self.wire(Lead::Nowhere, Wire::Line(Point::new(left, y), Point::new(right, y)));
        }
    }

    /// Draws what leads on, if anything does.
    fn lead_on(&mut self, lead: Option<Lead>, wire: Wire) {
        lead.into_iter().for_each(|lead| self.wire(lead, wire));
    }

    fn wire(&mut self, lead: Lead, wire: Wire) {
        self.layout.wires.push((lead, wire));
    }

    fn across(&mut self, list: &List, index: usize, x: f64, y: f64) {
        let rect = Rect::new(x - CARD_WIDTH / 2.0, y + GAP / 2.0, CARD_WIDTH, 0.0);
        self.place(list, index, rect, PlaceLook::Across, "");
    }

    fn place(&mut self, list: &List, index: usize, rect: Rect, look: PlaceLook, hint: &'static str) {
        let opening = Opening::Between { list: list.clone(), index };
        self.layout.places.push(PlaceBox { opening, rect, look, hint });
    }
}

/// What leads on from a step whose card has this number; nothing where it ends what is around it.
fn way_on(step: &Step, card: usize) -> Option<Lead> {
    (!ends(step)).then_some(Lead::From(card))
}

/// Whether nothing behind a step is ever reached: it ends what is around it, or each of its ways does.
fn ends(step: &Step) -> bool {
    let block_ends = |steps: &[Step]| steps.iter().any(ends);
    let all_end = || step.blocks().into_iter().all(|(_, steps)| block_ends(steps));
    step.enabled
        && match &step.kind {
            StepKind::End(_) => true,
            StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Sequence(_) => all_end(),
            // Without a block of its own a no goes on.
            StepKind::Approval(approval) => {
                approval.steps.is_some() && approval.otherwise.is_some() && all_end()
            }
            StepKind::Parallel(fork) => block_ends(&fork.members),
            // What ends inside of these ends a round, an item or the workflow in them, or there may be none.
            _ => false,
        }
}

/// The lanes of a condition, a switch or an approval, whose card has this number.
fn ways(step: &Step, card: usize) -> Vec<Lane<'_>> {
    let lane = |key: Cow<'static, str>, steps, label: String, way, hint| Lane {
        list: List::Inside { card, key },
        steps,
        label,
        way,
        hint,
    };
    match &step.kind {
        StepKind::Condition(branch) => vec![
            lane(
                "steps".into(),
                branch.steps.as_slice(),
                "yes".to_owned(),
                Way::Yes,
                "Click, or drop a step",
            ),
            lane("else".into(), &branch.otherwise, "no".to_owned(), Way::Else, "Nothing to do"),
        ],
        StepKind::Switch(switch) => {
            let keys = step.blocks().into_iter().map(|(key, _)| key);
            let cases = keys.zip(&switch.cases);
            let mut lanes: Vec<_> = cases
                .enumerate()
                .map(|(at, (key, case))| {
                    let label = called_apart(&switch.cases, at).unwrap_or_else(|| text(&case.when));
                    lane(key, case.steps.as_slice(), label, Way::Case(at), "Click, or drop a step")
                })
                .collect();
            lanes.push(lane(
                "default".into(),
                &switch.default,
                "default".to_owned(),
                Way::Else,
                "Nothing to do",
            ));
            lanes
        }
        StepKind::Approval(_) => {
            let ways = step.blocks().into_iter().map(|(key, steps)| match key.as_ref() {
                "steps" => lane(key, steps, "approved".to_owned(), Way::Yes, "Click, or drop a step"),
                "else" => lane(key, steps, "refused".to_owned(), Way::Else, "Goes on without steps"),
                _ => lane(key, steps, "too late".to_owned(), Way::Late, "Click, or drop a step"),
            });
            ways.collect()
        }
        _ => Vec::new(),
    }
}

/// Where the card of a step is when the step begins at `top`.
fn card_top(step: &Step, top: f64) -> f64 {
    if holds_steps(step) { top + PAD_TOP } else { top }
}

/// The middles of lanes of these widths that stand around `x`.
fn centers(widths: &[f64], x: f64) -> Vec<f64> {
    let mut left = x - side_by_side(widths) / 2.0;
    let place = |width: &f64| {
        let center = left + width / 2.0;
        left += width + LANE_GAP;
        center
    };
    widths.iter().map(place).collect()
}

fn side_by_side(widths: &[f64]) -> f64 {
    widths.iter().sum::<f64>() + LANE_GAP * widths.len().saturating_sub(1) as f64
}

/// The steps of a list with the connectors between them.
fn column_size(steps: &[Step], papers: &Papers) -> Size {
    if steps.is_empty() {
        return Size { width: EMPTY.0, height: EMPTY.1 };
    }
    let sizes = steps.iter().map(|step| step_size(step, papers));
    sizes.fold(Size { width: 0.0, height: -GAP }, |all, one| Size {
        width: all.width.max(one.width),
        height: all.height + GAP + one.height,
    })
}

fn step_size(step: &Step, papers: &Papers) -> Size {
    let own = Kind::of(step).card_height() + papers.of_step(step).map_or(0.0, Room::height);
    let head = PAD_TOP + own;
    match &step.kind {
        StepKind::Agent(_)
        | StepKind::Function(_)
        | StepKind::Http(_)
        | StepKind::Wait(_)
        | StepKind::End(_) => Size { width: CARD_WIDTH, height: own },
        StepKind::Approval(_) if !holds_steps(step) => Size { width: CARD_WIDTH, height: own },
        StepKind::Sequence(steps)
        | StepKind::Foreach(Foreach { steps, .. })
        | StepKind::Loop(Loop { steps, .. })
        | StepKind::Workflow(Inner { steps, .. }) => {
            let column = column_size(steps, papers);
            let pad = if Kind::of(step).repeats() { PAD_BACK } else { PAD };
            framed(&[column.width], pad, head + GAP + column.height + MEET)
        }
        StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Approval(_) => {
            let lanes: Vec<Size> =
                step.blocks().into_iter().map(|(_, steps)| column_size(steps, papers)).collect();
            let widths: Vec<f64> = lanes.iter().map(|lane| lane.width).collect();
            let tallest = lanes.iter().map(|lane| lane.height).fold(0.0, f64::max);
            framed(&widths, PAD, head + FAN + FALL_WITH_WORD + tallest + MEET + END)
        }
        StepKind::Parallel(fork) if fork.members.is_empty() => {
            framed(&[EMPTY.0], PAD, head + GAP + EMPTY.1 + MEET)
        }
        StepKind::Parallel(fork) => {
            let sizes: Vec<Size> = fork.members.iter().map(|member| step_size(member, papers)).collect();
            let widths: Vec<f64> = sizes.iter().map(|size| size.width).collect();
            let tallest = sizes.iter().map(|size| size.height).fold(0.0, f64::max);
            framed(&widths, PAD, head + FAN + FALL + tallest + MEET + END)
        }
    }
}

fn framed(widths: &[f64], pad: f64, height: f64) -> Size {
    Size { width: side_by_side(widths).max(CARD_WIDTH) + 2.0 * pad, height }
}
