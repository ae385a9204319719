//! What the pointer does, as a state chart without a page: events in, the next state and actions out.
//!
//! ```text
//! Idle --press card--> PressingCard --moved 4 px--> MovingCard --release over a slot--> Idle (drop)
//!   |                       '--release--> Idle (it was a click)   '--Escape--> Idle (nothing happened)
//!   |--press kind--> PressingKind --moved 4 px--> BringingKind --release over a slot--> Idle (put)
//!   |--press canvas--> PressingCanvas --moved 4 px--> Panning --release--> Idle
//!   |                       '--with Shift or Ctrl, moved 4 px--> Boxing --release--> Idle
//!   |--middle button, or space held--> Panning
//!   '--second finger, from anywhere--> Pinching --a finger lifts--> Idle
//! ```
//! The pointer is captured only once it has moved: capture on press would turn clicks on cards into clicks on the canvas.

use crate::geometry::Point;
use crate::layout::Place;
use crate::step::kinds::Kind;

#[cfg(test)]
mod tests;

/// How far a pressed pointer moves before it drags, in screen pixels.
pub const DRAG_AFTER: f64 = 4.0;

/// The state of the pointer.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Tool {
    /// Nothing is pressed.
    #[default]
    Idle,
    /// A card is pressed and may become a click or a drag.
    PressingCard {
        /// The step.
        step: String,
        /// How.
        press: Press,
        /// Where it was pressed.
        from: Point,
    },
    /// A card is being moved, with all that are selected besides it.
    MovingCard {
        /// The step.
        step: String,
        /// Where the pointer is.
        at: Point,
        /// Where the card would go.
        over: Option<Place>,
    },
    /// A kind in the palette is pressed.
    PressingKind {
        /// The kind.
        kind: Kind,
        /// Where it was pressed.
        from: Point,
    },
    /// A new step is being brought from the palette.
    BringingKind {
        /// The kind.
        kind: Kind,
        /// Where the pointer is.
        at: Point,
        /// Where the step would go.
        over: Option<Place>,
    },
    /// The empty canvas is pressed.
    PressingCanvas {
        /// How.
        press: Press,
        /// Where it was pressed.
        from: Point,
    },
    /// A box is drawn around the steps to select.
    Boxing {
        /// The corner where it began.
        from: Point,
        /// The corner where the pointer is.
        at: Point,
    },
    /// The view follows the pointer.
    Panning {
        /// Where the pointer was last.
        at: Point,
    },
    /// Two fingers move and zoom the view.
    Pinching {
        /// The two fingers, by their pointer ids.
        fingers: [(i32, Point); 2],
    },
}

/// What is under a pressed pointer.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// The card of a step.
    Card(String),
    /// A kind in the palette.
    Kind(Kind),
    /// Nothing but the canvas.
    Canvas,
}

/// How the pointer is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// The main button or a finger.
    Main,
    /// The main button with Ctrl or Cmd: it adds to the selection, or takes away from it.
    Toggle,
    /// The main button with Shift: it selects everything up to there.
    Extend,
    /// The middle button, or any with the space bar held: it moves the view.
    Pan,
}

/// What happens to the pointer. Points are on the screen, from the canvas's corner.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A button or finger goes down.
    Down {
        /// The pointer's id.
        pointer: i32,
        /// What is under it.
        target: Target,
        /// How.
        press: Press,
        /// Where.
        at: Point,
    },
    /// The pointer moves.
    Move {
        /// The pointer's id.
        pointer: i32,
        /// Where to.
        at: Point,
    },
    /// The button or finger goes up.
    Up {
        /// The pointer's id.
        pointer: i32,
        /// Where.
        at: Point,
    },
    /// Escape is pressed, or the browser takes the pointer away.
    Cancel,
}

/// What the page has to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// All further events of the pointer belong to the canvas.
    Capture(i32),
    /// Select a step alone.
    Select(String),
    /// Select a step alone, unless it is one of those that are selected.
    Hold(String),
    /// Add a step to the selection, or take it away.
    Toggle(String),
    /// Select everything from where the selection began to a step.
    Extend(String),
    /// Select what a box between two points of the screen touches.
    Box(Point, Point),
    /// Select nothing.
    SelectNothing,
    /// Move the view along a way on the screen.
    Pan(Point),
    /// Zoom by a factor around a point on the screen.
    ZoomBy(f64, Point),
    /// Move the selected steps, of which this is one, into a slot.
    Drop(String, Place),
    /// Insert a new step of a kind into a slot.
    Put(Kind, Place),
    /// Add a new step of a kind where the next one goes; it was picked by a click.
    Append(Kind),
}

/// What the state chart has to know of the canvas.
pub trait Surroundings {
    /// The slot near a point of the screen where a step (a new one when `moving` is nothing) can go.
    fn place_near(&self, on_screen: Point, moving: Option<&str>) -> Option<Place>;
}

impl Tool {
    /// The state after an event, and what to do.
    pub fn on_event(self, event: &Event, around: &impl Surroundings) -> (Self, Vec<Action>) {
        match event {
            Event::Down { pointer, target, press, at } => self.on_down(*pointer, target, *press, *at),
            Event::Move { pointer, at } => self.on_move(*pointer, *at, around),
            Event::Up { pointer, at } => self.on_up(*pointer, *at, around),
            Event::Cancel => (Self::Idle, Vec::new()),
        }
    }

    /// A second finger on the screen begins a pinch, whatever the first one was doing.
    pub fn pinch(fingers: [(i32, Point); 2]) -> Self {
        Self::Pinching { fingers }
    }

    /// The step that is being moved.
    pub fn moving(&self) -> Option<&str> {
        match self {
            Self::MovingCard { step, .. } => Some(step),
            _ => None,
        }
    }

    /// The slot that a held step would go to.
    pub fn over(&self) -> Option<&Place> {
        match self {
            Self::MovingCard { over, .. } | Self::BringingKind { over, .. } => over.as_ref(),
            _ => None,
        }
    }

    /// Whether a step is being held over the canvas.
    pub fn holding(&self) -> bool {
        matches!(self, Self::MovingCard { .. } | Self::BringingKind { .. })
    }

    fn on_down(self, pointer: i32, target: &Target, press: Press, at: Point) -> (Self, Vec<Action>) {
        match (self, press, target) {
            (Self::Idle, Press::Pan, _) => (Self::Panning { at }, vec![Action::Capture(pointer)]),
            (Self::Idle, _, Target::Card(step)) => {
                // Other presses count when it turns out that they are no drag.
                let now = Some(Action::Hold(step.clone())).filter(|_| press == Press::Main);
                (Self::PressingCard { step: step.clone(), press, from: at }, now.into_iter().collect())
            }
            (Self::Idle, _, Target::Kind(kind)) => (Self::PressingKind { kind: *kind, from: at }, Vec::new()),
            (Self::Idle, _, Target::Canvas) => (Self::PressingCanvas { press, from: at }, Vec::new()),
            // Another button while one is held changes nothing.
            (busy, _, _) => (busy, Vec::new()),
        }
    }

    fn on_move(self, pointer: i32, at: Point, around: &impl Surroundings) -> (Self, Vec<Action>) {
        match self {
            Self::PressingCard { from, .. }
            | Self::PressingKind { from, .. }
            | Self::PressingCanvas { from, .. }
                if from.distance(at) < DRAG_AFTER =>
            {
                (self, Vec::new())
            }
            Self::PressingCard { step, .. } => {
                let over = around.place_near(at, Some(&step));
                let hold = Action::Hold(step.clone());
                (Self::MovingCard { step, at, over }, vec![Action::Capture(pointer), hold])
            }
            Self::PressingKind { kind, .. } => {
                let over = around.place_near(at, None);
                (Self::BringingKind { kind, at, over }, vec![Action::Capture(pointer)])
            }
            Self::PressingCanvas { press: Press::Main | Press::Pan, from } => {
                (Self::Panning { at }, vec![Action::Capture(pointer), Action::Pan(at.minus(from))])
            }
            Self::PressingCanvas { from, .. } => {
                (Self::Boxing { from, at }, vec![Action::Capture(pointer), Action::Box(from, at)])
            }
            Self::Boxing { from, .. } => (Self::Boxing { from, at }, vec![Action::Box(from, at)]),
            Self::MovingCard { step, .. } => {
                let over = around.place_near(at, Some(&step));
                (Self::MovingCard { step, at, over }, Vec::new())
            }
            Self::BringingKind { kind, .. } => {
                let over = around.place_near(at, None);
                (Self::BringingKind { kind, at, over }, Vec::new())
            }
            Self::Panning { at: last } => (Self::Panning { at }, vec![Action::Pan(at.minus(last))]),
            Self::Pinching { fingers } => pinched(fingers, pointer, at),
            Self::Idle => (Self::Idle, Vec::new()),
        }
    }

    fn on_up(self, pointer: i32, at: Point, around: &impl Surroundings) -> (Self, Vec<Action>) {
        let actions = match self {
            Self::PressingCard { step, press: Press::Toggle, .. } => vec![Action::Toggle(step)],
            Self::PressingCard { step, press: Press::Extend, .. } => vec![Action::Extend(step)],
            Self::PressingCard { step, .. } => vec![Action::Select(step)],
            Self::PressingKind { kind, .. } => vec![Action::Append(kind)],
            Self::PressingCanvas { .. } => vec![Action::SelectNothing],
            Self::MovingCard { step, .. } => {
                let over = around.place_near(at, Some(&step));
                over.map(|place| Action::Drop(step, place)).into_iter().collect()
            }
            Self::BringingKind { kind, .. } => {
                around.place_near(at, None).map(|place| Action::Put(kind, place)).into_iter().collect()
            }
            Self::Pinching { fingers } if fingers.iter().all(|(id, _)| *id != pointer) => {
                return (self, Vec::new());
            }
            Self::Idle | Self::Panning { .. } | Self::Boxing { .. } | Self::Pinching { .. } => Vec::new(),
        };
        (Self::Idle, actions)
    }
}

fn pinched(fingers: [(i32, Point); 2], pointer: i32, at: Point) -> (Tool, Vec<Action>) {
    let now = fingers.map(|(id, point)| (id, if id == pointer { at } else { point }));
    let ([(_, a), (_, b)], [(_, new_a), (_, new_b)]) = (fingers, now);
    let pan = Action::Pan(new_a.middle(new_b).minus(a.middle(b)));
    let factor = new_a.distance(new_b) / a.distance(b).max(1.0);
    (Tool::Pinching { fingers: now }, vec![pan, Action::ZoomBy(factor, new_a.middle(new_b))])
}
