//! The pointer's tools on a canvas without a page.

use stepweave_core::edit::{Block, Slot};

use super::*;

/// A canvas whose only slot is right of x = 100, and which `held` may not go to.
struct Canvas {
    held: &'static str,
}

impl Surroundings for Canvas {
    fn place_near(&self, on_screen: Point, moving: Option<&str>) -> Option<Place> {
        let free = moving != Some(self.held);
        (free && on_screen.x > 100.0).then(place)
    }
}

fn place() -> Place {
    Place::Slot(Slot { block: Block::Root, index: 0 })
}

/// A pointer that plays events against a tool and remembers its actions.
struct Pointer {
    tool: Tool,
    actions: Vec<Action>,
}

impl Pointer {
    fn new() -> Self {
        Self { tool: Tool::Idle, actions: Vec::new() }
    }

    fn send(mut self, event: Event) -> Self {
        let (tool, actions) = self.tool.on_event(&event, &Canvas { held: "stuck" });
        self.tool = tool;
        self.actions = actions;
        self
    }

    fn down(self, target: Target) -> Self {
        self.press(target, Press::Main)
    }

    fn press(self, target: Target, press: Press) -> Self {
        self.send(Event::Down { pointer: 1, target, press, at: Point::new(50.0, 50.0) })
    }

    fn go(self, x: f64, y: f64) -> Self {
        self.send(Event::Move { pointer: 1, at: Point::new(x, y) })
    }

    fn up(self, x: f64, y: f64) -> Self {
        self.send(Event::Up { pointer: 1, at: Point::new(x, y) })
    }

    fn escape(self) -> Self {
        self.send(Event::Cancel)
    }

    #[track_caller]
    fn expect(self, tool: Tool, actions: &[Action]) -> Self {
        assert_eq!(self.tool, tool);
        assert_eq!(self.actions, actions);
        self
    }
}

fn card() -> Target {
    Target::Card("s1".into())
}

#[test]
fn a_still_press_on_a_card_is_a_click() {
    let pressed = Pointer::new().down(card());
    assert_eq!(pressed.actions, [Action::Hold("s1".into())]);
    let pressed = pressed.go(52.0, 51.0);
    assert!(matches!(pressed.tool, Tool::PressingCard { .. }));
    pressed.up(52.0, 51.0).expect(Tool::Idle, &[Action::Select("s1".into())]);
}

#[test]
fn four_pixels_make_a_drag_and_capture_the_pointer() {
    let moved = Pointer::new().down(card()).go(54.0, 50.0);
    let moving = Tool::MovingCard { step: "s1".into(), at: Point::new(54.0, 50.0), over: None };
    moved.expect(moving, &[Action::Capture(1), Action::Hold("s1".into())]);
}

#[test]
fn a_card_let_go_over_a_place_is_dropped_there() {
    let held = Pointer::new().down(card()).go(80.0, 50.0).go(120.0, 50.0);
    assert_eq!(held.tool.over(), Some(&place()));
    held.up(120.0, 50.0).expect(Tool::Idle, &[Action::Drop("s1".into(), place())]);
}

#[test]
fn a_card_let_go_elsewhere_stays() {
    Pointer::new().down(card()).go(120.0, 50.0).up(60.0, 50.0).expect(Tool::Idle, &[]);
}

#[test]
fn a_card_is_not_dropped_where_it_cannot_go() {
    let stuck = Target::Card("stuck".into());
    Pointer::new().down(stuck).go(120.0, 50.0).up(120.0, 50.0).expect(Tool::Idle, &[]);
}

#[test]
fn escape_ends_every_gesture_without_a_change() {
    for target in [card(), Target::Kind(Kind::Agent), Target::Canvas] {
        let held = Pointer::new().down(target).go(120.0, 50.0).escape().expect(Tool::Idle, &[]);
        held.up(120.0, 50.0).expect(Tool::Idle, &[]);
    }
}

#[test]
fn a_kind_is_brought_from_the_palette() {
    let held = Pointer::new().down(Target::Kind(Kind::Agent)).go(120.0, 50.0);
    assert!(held.tool.holding());
    held.up(121.0, 50.0).expect(Tool::Idle, &[Action::Put(Kind::Agent, place())]);
}

#[test]
fn a_click_on_a_kind_appends_it() {
    Pointer::new()
        .down(Target::Kind(Kind::Parallel))
        .up(50.0, 50.0)
        .expect(Tool::Idle, &[Action::Append(Kind::Parallel)]);
}

#[test]
fn dragging_the_canvas_pans_and_a_click_on_it_selects_nothing() {
    let panning = Pointer::new().down(Target::Canvas).go(60.0, 50.0);
    assert_eq!(panning.actions, [Action::Capture(1), Action::Pan(Point::new(10.0, 0.0))]);
    panning
        .go(60.0, 45.0)
        .expect(Tool::Panning { at: Point::new(60.0, 45.0) }, &[Action::Pan(Point::new(0.0, -5.0))]);
    Pointer::new().down(Target::Canvas).up(50.0, 50.0).expect(Tool::Idle, &[Action::SelectNothing]);
}

#[test]
fn a_click_with_a_key_held_changes_the_selection() {
    let selected =
        [(Press::Toggle, Action::Toggle("s1".into())), (Press::Extend, Action::Extend("s1".into()))];
    for (press, action) in selected {
        let pressed = Pointer::new().press(card(), press);
        assert_eq!(pressed.actions, []);
        pressed.up(50.0, 50.0).expect(Tool::Idle, &[action]);
    }
}

#[test]
fn a_drag_with_a_key_held_draws_a_box_on_the_canvas_and_moves_a_card() {
    let (from, at) = (Point::new(50.0, 50.0), Point::new(90.0, 70.0));
    for press in [Press::Toggle, Press::Extend] {
        let boxing = Pointer::new().press(Target::Canvas, press).go(60.0, 60.0);
        assert_eq!(boxing.actions, [Action::Capture(1), Action::Box(from, Point::new(60.0, 60.0))]);
        let boxing = boxing.go(90.0, 70.0).expect(Tool::Boxing { from, at }, &[Action::Box(from, at)]);
        boxing.up(90.0, 70.0).expect(Tool::Idle, &[]);
        let moving = Pointer::new().press(card(), press).go(90.0, 70.0);
        moving.expect(
            Tool::MovingCard { step: "s1".into(), at, over: None },
            &[Action::Capture(1), Action::Hold("s1".into())],
        );
    }
}

#[test]
fn the_middle_button_pans_even_on_a_card() {
    let event = Event::Down { pointer: 1, target: card(), press: Press::Pan, at: Point::new(5.0, 5.0) };
    Pointer::new().send(event).expect(Tool::Panning { at: Point::new(5.0, 5.0) }, &[Action::Capture(1)]);
}

#[test]
fn a_second_button_changes_nothing() {
    let pressed = Pointer::new().down(card());
    let before = pressed.tool.clone();
    pressed.down(Target::Canvas).expect(before, &[]);
}

#[test]
fn two_fingers_zoom_around_their_middle() {
    let mut pointer = Pointer::new();
    pointer.tool = Tool::pinch([(1, Point::new(0.0, 0.0)), (2, Point::new(100.0, 0.0))]);
    let pinched = pointer.send(Event::Move { pointer: 2, at: Point::new(200.0, 0.0) });
    let middle = Point::new(100.0, 0.0);
    assert_eq!(pinched.actions, [Action::Pan(Point::new(50.0, 0.0)), Action::ZoomBy(2.0, middle)]);
    pinched.up(0.0, 0.0).expect(Tool::Idle, &[]);
}
