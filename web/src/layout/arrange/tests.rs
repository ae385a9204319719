//! Layouts of small documents.

use super::*;
use serde_json::{Value, json};
use stepweave_core::edit::{Block, Slot};

use crate::layout::Place;

fn layout(steps: Value) -> Layout {
    let text = json!({ "version": 1, "name": "test", "steps": steps }).to_string();
    Layout::of(&serde_json::from_str(&text).unwrap())
}

fn function(id: &str) -> Value {
    json!({ "id": id, "type": "function", "name": id, "run": { "set": {} } })
}

fn rect(layout: &Layout, id: &str) -> Rect {
    layout.card(id).unwrap().rect
}

#[test]
fn steps_stand_below_each_other() {
    let layout = layout(json!([function("a"), function("b")]));
    assert_eq!(rect(&layout, "a").bottom() + GAP, rect(&layout, "b").y);
    assert_eq!(rect(&layout, "a").center().x, rect(&layout, "b").center().x);
    assert_eq!(layout.end.y, rect(&layout, "b").bottom() + GAP);
    let places: Vec<String> = layout.places.iter().map(|place| layout.place_of(place).key()).collect();
    assert_eq!(places, ["/0", "/1", "/2"]);
}

#[test]
fn members_stand_side_by_side_inside_the_frame() {
    let fork =
        json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [function("a"), function("b")] });
    let layout = layout(json!([fork, function("c")]));
    let frame = layout.card("p").unwrap().frame.unwrap();
    assert_eq!(rect(&layout, "a").y, rect(&layout, "b").y);
    assert!(rect(&layout, "a").right() < rect(&layout, "b").x);
    for id in ["p", "a", "b"] {
        assert!(frame.contains(rect(&layout, id).center()), "{id}");
    }
    assert_eq!(frame.bottom() + GAP, rect(&layout, "c").y);
    assert!(layout.holds("p", "b") && !layout.holds("p", "c"));
}

#[test]
fn a_condition_has_a_place_in_its_empty_else() {
    let condition = json!({ "id": "c", "type": "condition", "name": "c", "condition": "true",
        "steps": [function("a")], "else": [] });
    let layout = layout(json!([condition]));
    let empty = layout.places.iter().find(|place| place.look == PlaceLook::Empty).unwrap();
    assert_eq!(layout.place_of(empty).key(), "c/else/0");
    assert!(empty.rect.x > rect(&layout, "a").right());
}

#[test]
fn a_step_cannot_go_into_itself() {
    let inner = json!({ "id": "q", "type": "sequence", "name": "q", "steps": [function("a")] });
    let outer = json!({ "id": "p", "type": "sequence", "name": "p", "steps": [inner] });
    let layout = layout(json!([outer, function("z")]));
    let place =
        Place::Slot(Slot { block: Block::Inside { step: "q".into(), key: "steps".into() }, index: 0 });
    assert!(!layout.can_go("p", &place));
    assert!(layout.can_go("z", &place));
    let near = layout
        .place_near(rect(&layout, "a").center(), 110.0, &["p".to_owned()])
        .map(|place| layout.place_of(place).key());
    assert_ne!(near.as_deref(), Some("q/steps/0"));
}

#[test]
fn an_empty_workflow_has_one_place() {
    let layout = layout(json!([]));
    assert_eq!(layout.places.len(), 1);
    assert!(layout.bounds.contains(layout.end.center()));
}

#[test]
fn frames_do_not_overlap_their_neighbours() {
    let fork = |id: &str| {
        json!({ "id": id, "type": "parallel", "name": id,
        "parallel": [function(&format!("{id}a")), function(&format!("{id}b")), function(&format!("{id}c"))] })
    };
    let outer = json!({ "id": "o", "type": "parallel", "name": "o", "parallel": [fork("x"), fork("y")] });
    let layout = layout(json!([outer]));
    let (x, y) = (layout.card("x").unwrap().frame.unwrap(), layout.card("y").unwrap().frame.unwrap());
    assert!(!x.touches(y));
}

#[test]
fn culling_gives_the_order_of_the_tree() {
    let steps: Vec<Value> = (0..3000).map(|number| function(&format!("s{number}"))).collect();
    let layout = layout(Value::Array(steps));
    let seen = crate::layout::cells::CellRange::covering(Rect::new(-100.0, 90_000.0, 800.0, 600.0));
    let cards = layout.cards_within(seen);
    assert!(cards.len() < 20 && cards.is_sorted());
}

#[test]
fn a_card_is_looked_at_with_the_words_on_its_ways() {
    let value = json!({ "version": 1, "name": "t", "steps": [
        { "id": "s1", "type": "approval", "name": "ask", "steps": [], "else": [] },
        { "id": "s2", "type": "wait", "name": "rest", "wait": { "ms": 1 } }] });
    let layout = Layout::of(&serde_json::from_value(value).unwrap());
    let (card, with) = (layout.card("s1").unwrap().rect, layout.with_ways("s1").unwrap());
    assert_eq!(layout.labels.len(), 2);
    assert!(with.holds(card) && layout.labels.iter().all(|label| with.contains(label.at)), "{with:?}");
    assert_eq!(layout.with_ways("s2"), layout.card("s2").map(|card| card.rect));
}

#[test]
fn a_switch_has_a_lane_for_each_case_and_one_for_the_rest() {
    let switch = json!({ "id": "w", "type": "switch", "name": "w", "default": [function("c")], "cases": [
        { "when": "kind == 'a'", "steps": [function("a")] },
        { "when": { "handler": "is_b" }, "steps": [] }] });
    let layout = layout(json!([switch]));
    let labels: Vec<_> = layout.labels.iter().map(|label| label.text.as_str()).collect();
    assert_eq!(labels, ["a", "function is_b", "default"]);
    let empty = layout.places.iter().find(|place| place.look == PlaceLook::Empty).unwrap();
    assert_eq!(layout.place_of(empty).key(), "w/cases[1].steps/0");
    assert!(rect(&layout, "a").right() < empty.rect.x && empty.rect.right() < rect(&layout, "c").x);
    let frame = layout.card("w").unwrap().frame.unwrap();
    assert!(frame.contains(rect(&layout, "c").center()) && frame.contains(rect(&layout, "a").center()));
}

#[test]
fn what_repeats_has_a_line_back_to_its_card() {
    let each = json!({ "id": "f", "type": "foreach", "name": "f", "items": "list", "steps": [function("a"), function("b")] });
    let layout = layout(json!([each]));
    let frame = layout.card("f").unwrap().frame.unwrap();
    let back = layout.wires.iter().find_map(|(_, wire)| match wire {
        Wire::Back { from, side, to } => Some((*from, *side, *to)),
        _ => None,
    });
    let (from, side, to) = back.unwrap();
    assert!(from.y > rect(&layout, "b").bottom() && from.y < frame.bottom());
    assert!(side > frame.x && side < rect(&layout, "a").x);
    assert_eq!(to, Point::new(rect(&layout, "f").x, rect(&layout, "f").center().y));
}

#[test]
fn waiting_steps_are_leaves() {
    let layout = layout(json!([
        { "id": "w", "type": "wait", "name": "w", "wait": { "ms": 1 } },
        { "id": "q", "type": "approval", "name": "q" },
        { "id": "i", "type": "workflow", "name": "i", "steps": [] }]));
    let framed: Vec<_> = layout.cards.iter().map(|card| card.frame.is_some()).collect();
    assert_eq!(framed, [false, false, true]);
    assert!(layout.place("i/steps/0").is_some());
}

fn noted(document: &Value) -> Layout {
    let document = serde_json::from_value(document.clone()).unwrap();
    Layout::shown(&document, &super::super::Folded::default(), &Papers { shown: true, open: None })
}

#[test]
fn a_note_takes_its_room_below_the_card_and_covers_nothing() {
    let with = |mut step: Value, note: &str| {
        step["notes"] = json!(note);
        step
    };
    let fork = with(
        json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [with(function("a"), &"long ".repeat(80)), function("b")] }),
        "Both at once.",
    );
    let again = with(
        json!({ "id": "l", "type": "loop", "name": "l", "repeat": { "until": "true" }, "maxIterations": 2, "steps": [with(function("c"), "x")] }),
        "Until Ada says so.",
    );
    let choice = with(
        json!({ "id": "q", "type": "condition", "name": "q", "condition": "true", "steps": [with(function("d"), "yes!")], "else": [] }),
        "Why.",
    );
    let document = json!({ "version": 1, "name": "t", "notes": "For Monday.", "steps": [fork, again, choice, function("z")] });
    let layout = noted(&document);
    let papers: Vec<Rect> =
        layout.cards.iter().filter_map(|card| card.paper).map(|paper| paper.rect).collect();
    assert_eq!(papers.len(), 6);
    assert_eq!(layout.cards.iter().filter(|card| card.paper.is_some_and(|paper| paper.cut)).count(), 1);
    let own = layout.paper.unwrap().rect;
    assert!(own.bottom() < layout.start.y && own.bottom() < rect(&layout, "p").y);
    let things = layout
        .cards
        .iter()
        .map(|card| card.rect)
        .chain([layout.start, layout.end])
        .chain(papers.iter().copied());
    let things: Vec<Rect> = things.chain([own]).collect();
    for (index, one) in things.iter().enumerate() {
        assert!(
            layout.bounds.contains(one.center())
                && layout.bounds.y <= one.y
                && layout.bounds.bottom() >= one.bottom()
        );
        assert!(things[index + 1..].iter().all(|other| !one.touches(*other)), "{one:?}");
        assert!(layout.labels.iter().all(|label| !one.contains(label.at)), "{one:?}");
    }
    for card in &layout.cards {
        let Some(paper) = card.paper else { continue };
        assert!(card.whole().contains(Point::new(paper.rect.x, paper.rect.bottom())), "{}", card.id);
        // Who looks at the paper alone finds the card, and so does a press on it.
        let seen = crate::layout::cells::CellRange::covering(paper.rect);
        assert!(layout.cards_within(seen).iter().any(|index| layout.cards[*index].id == card.id));
        assert_eq!(
            layout.card_at(paper.rect.center()).map(|found| found.id.as_str()),
            Some(card.id.as_str())
        );
    }
    // Without papers all is as if there were no notes.
    let plain = Layout::of(&serde_json::from_value(document).unwrap());
    assert!(
        plain.paper.is_none() && plain.cards.iter().all(|card| card.paper.is_none()) && plain.bounds.y == 0.0
    );
}

#[test]
fn the_way_between_two_steps_is_that_of_both_and_the_way_into_one_that_of_what_is_in_it() {
    use crate::layout::wire::Lead;
    let asks = json!({ "id": "q", "type": "approval", "name": "q", "message": "?", "steps": [function("b")], "else": [] });
    let leads: Vec<Lead> = layout(json!([function("a"), asks])).wires.iter().map(|(lead, _)| *lead).collect();
    assert!(leads.contains(&Lead::On { from: 0, to: 1 }), "{leads:?}");
    assert!(leads.contains(&Lead::Into(1)) && !leads.contains(&Lead::To(1)), "{leads:?}");
}

#[test]
fn a_lane_without_steps_is_taken_by_what_was_decided() {
    use crate::layout::wire::Lead;
    let many = |step: Value, lead: Lead| {
        let wires = layout(json!([step])).wires;
        wires.iter().filter(|(own, _)| *own == lead).count()
    };
    let by = |way| Lead::By { step: 0, way };
    let choice = |steps: Value| json!({ "id": "c", "type": "condition", "name": "c", "condition": "true", "steps": steps, "else": [] });
    // Into the lane, and out of it.
    assert_eq!([many(choice(json!([])), by(Way::Yes)), many(choice(json!([])), by(Way::Else))], [2, 2]);
    let one = || choice(json!([function("b")]));
    assert_eq!([many(one(), by(Way::Yes)), many(one(), by(Way::Else))], [0, 2]);
    let cases = json!([{ "when": "false", "steps": [] }, { "when": "true", "steps": [] }, { "when": "true", "steps": [function("b")] }]);
    let switch = json!({ "id": "s", "type": "switch", "name": "s", "cases": cases, "default": [] });
    let ways = [Way::Case(0), Way::Case(1), Way::Case(2), Way::Else];
    assert_eq!(ways.map(|way| many(switch.clone(), by(way))), [2, 2, 0, 2]);
    let asks = |more: Value| {
        let mut asks = json!({ "id": "q", "type": "approval", "name": "q", "message": "?", "steps": [] });
        asks.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asks
    };
    let both = asks(json!({ "else": [] }));
    assert_eq!([many(both.clone(), by(Way::Yes)), many(both, by(Way::Else))], [2, 2]);
    // What a single one is for may be an expression over the answer.
    assert_eq!(many(asks(json!({ "else": [function("b")] })), Lead::Past(0)), 2);
    let mut off = choice(json!([]));
    off["enabled"] = json!(false);
    assert_eq!([many(off.clone(), by(Way::Else)), many(off, Lead::Into(0))], [0, 0]);
}

/// How far the level lines of lanes reach to each side of the middle, the upper ones first, and whether a line leads to
/// where the run ends.
fn lines(steps: Value) -> (Vec<(f64, f64)>, bool) {
    let layout = layout(steps);
    let level = |wire: &Wire| match *wire {
        Wire::Line(from, to) if from.y == to.y => Some((from.y, (from.x, to.x))),
        _ => None,
    };
    let mut levels: Vec<(f64, (f64, f64))> =
        layout.wires.iter().filter_map(|(_, wire)| level(wire)).collect();
    levels.sort_by(|one, other| one.0.total_cmp(&other.0));
    let to_end = |wire: &Wire| matches!(wire, Wire::Arrow(_, to) if to.y == layout.end.y);
    let ends = layout.wires.iter().any(|(_, wire)| to_end(wire));
    (levels.into_iter().map(|(_, sides)| sides).collect(), ends)
}

#[test]
fn only_lanes_that_lead_on_meet_again_and_where_none_does_nothing_leads_on() {
    let end = json!({ "id": "e", "type": "end", "name": "e", "end": {} });
    let other = json!({ "id": "f", "type": "end", "name": "f", "end": {} });
    let choice = |yes: &[&Value], no: &[&Value]| json!({ "id": "c", "type": "condition", "name": "c", "condition": "true", "steps": yes, "else": no });
    let (levels, leads_on) = lines(json!([choice(&[&end], &[])]));
    assert!(leads_on);
    // Above both ways, and below from the middle to the one that leads on.
    assert!(levels[0].0 < 0.0 && levels[0].1 > 0.0, "{levels:?}");
    assert_eq!(levels[1].0, 0.0, "{levels:?}");
    let (levels, leads_on) = lines(json!([choice(&[&end], &[&other])]));
    assert_eq!((levels.len(), leads_on), (1, false));
    // The same within a sequence, and of an approval with both ways.
    let group = json!({ "id": "q", "type": "sequence", "name": "q", "steps": [choice(&[&end], &[&other])] });
    assert!(!lines(json!([group])).1);
    let ask = |more: Value| {
        let mut ask = json!({ "id": "p", "type": "approval", "name": "p", "steps": [end] });
        ask.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        lines(json!([ask])).1
    };
    assert!(!ask(json!({ "else": [other] })));
    assert!(ask(json!({ "else": [] })) && ask(json!({})));
    let lanes = json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [end, function("a")] });
    assert!(!lines(json!([lanes])).1);
    let each = json!({ "id": "l", "type": "foreach", "name": "l", "items": "[]", "steps": [end] });
    assert!(lines(json!([each])).1);
}

#[test]
fn nothing_leads_on_from_a_step_that_ends_what_is_around_it() {
    let leads_on = |steps: Value| {
        let layout = layout(steps);
        let from = Point::new(rect(&layout, "e").center().x, rect(&layout, "e").bottom());
        let begins = |wire: &Wire| match wire {
            Wire::Line(at, _)
            | Wire::Arrow(at, _)
            | Wire::Join { from: at, .. }
            | Wire::Back { from: at, .. } => *at == from,
            Wire::Drop { .. } => false,
        };
        layout.wires.iter().any(|(_, wire)| begins(wire))
    };
    let end = |on: bool| json!({ "id": "e", "type": "end", "name": "e", "enabled": on, "end": {} });
    let choice = |on: bool| json!({ "id": "c", "type": "condition", "name": "c", "condition": "true", "steps": [end(on)], "else": [] });
    let each =
        |on: bool| json!({ "id": "l", "type": "foreach", "name": "l", "items": "[]", "steps": [end(on)] });
    let lanes = |on: bool| json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [end(on), function("a")] });
    let ways = |on: bool| {
        [
            json!([end(on), function("b")]),
            json!([function("b"), end(on)]),
            json!([choice(on)]),
            json!([each(on)]),
            json!([lanes(on)]),
        ]
    };
    for (over, on) in ways(true).into_iter().zip(ways(false)) {
        assert!(!leads_on(over.clone()), "{over}");
        // One that is not taken into runs ends nothing.
        assert!(leads_on(on.clone()), "{on}");
    }
}
