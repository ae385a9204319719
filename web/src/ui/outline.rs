//! The outline: the workflow as a tree of lines, for the keyboard, for screen readers, and for whoever likes lists.

use std::collections::HashSet;
use std::ops::Range;

use indexmap::IndexMap;
use leptos::attr::custom::custom_attribute;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::FocusOptions;

use crate::canvas::places::pick_at;
use crate::layout::Place;
use crate::model::outline::{Item, Row, rows};
use crate::model::place::Direction;
use crate::page::icon::{PLUS, WARNING, icon, of_kind, of_status};
use crate::page::removal::{Going, delete_or_ask};
use crate::page::resizing;
use crate::page::state::{App, app};
use crate::run::executions::Executions;
use crate::run::status::Status;
use crate::step::kinds::Kind;
use crate::step::plain::plain;

/// What the lines of one outline share.
#[derive(Clone, Copy)]
struct Lines {
    rows: Memo<IndexMap<String, Row>>,
    /// The line that Tab reaches.
    current: Memo<String>,
    /// The line that a person was on last.
    visited: RwSignal<Option<String>>,
    /// The line that is to take the keyboard's focus.
    wanted: RwSignal<Option<String>>,
}

/// How tall a line is, in pixels as in the style sheet.
const LINE: i32 = 30;
/// How many lines beyond those that are seen are elements too, so that a turn of the wheel finds them there.
const BEYOND: usize = 8;

/// The outline.
#[component]
pub fn Outline() -> impl IntoView {
    let app = app();
    let rows = Memo::new(move |_| app.editor.document.with(rows));
    let visited = RwSignal::new(None::<String>);
    let current = Memo::new(move |_| {
        let selected = app.editor.selected.get();
        rows.with(|rows| {
            // An empty way cannot be selected on the canvas, so a visit there counts more.
            let empty = visited.get().filter(|key| rows.get(key).is_some_and(|row| row.step().is_none()));
            let known = |key: &String| rows.contains_key(key);
            let found = empty.or(selected.filter(known)).or_else(|| visited.get().filter(known));
            found.or_else(|| rows.keys().next().cloned()).unwrap_or_default()
        })
    });
    let wanted = RwSignal::new(None::<String>);
    let lines = Lines { rows, current, visited, wanted };
    let node = NodeRef::<html::Div>::new();
    // Where it is scrolled to, and how much of it is seen.
    let seen = RwSignal::new((0, 1000));
    let measure = move || {
        if let Some(node) = node.get_untracked() {
            seen.set((node.scroll_top(), node.client_height()));
        }
    };
    Effect::new(move || {
        if let Some(node) = node.get() {
            measure();
            resizing::follow(&node, measure);
        }
    });
    let range = Memo::new(move |_| lines_within(seen.get(), rows.with(IndexMap::len)));
    // The line of the keyboard is there wherever the outline is scrolled to: it has the focus.
    let shown = Memo::new(move |_| {
        let of_keyboard = [wanted.get(), Some(current.get())];
        rows.with(|rows| {
            let mut shown: Vec<usize> =
                of_keyboard.iter().flatten().filter_map(|key| rows.get_index_of(key)).collect();
            shown.extend(range.get());
            shown.sort_unstable();
            shown.dedup();
            shown.into_iter().filter_map(|index| Some(rows.get_index(index)?.0.clone())).collect::<Vec<_>>()
        })
    });
    let slots = Memo::new(move |before: Option<&Vec<Option<String>>>| {
        shown.with(|shown| placed(before.map_or(&[], Vec::as_slice), shown))
    });
    // Slots are in no order, so `aria-owns` names the order to screen readers.
    let order = move || {
        let slot = |key: &String| slots.with(|slots| slots.iter().position(|own| own.as_ref() == Some(key)));
        let ids = shown.with(|shown| shown.iter().filter_map(slot).map(id_of).collect::<Vec<_>>());
        ids.join(" ")
    };
    // What is selected elsewhere, or gets the focus here, is brought into view.
    Effect::new(move || {
        let key = wanted.get().unwrap_or_else(|| current.get());
        let index = rows.with_untracked(|rows| rows.get_index_of(&key));
        if let (Some(index), Some(node)) = (index, node.get()) {
            let (now, top) = (node.scroll_top(), height_of(index));
            let to = now.min(top).max(top + LINE - node.client_height());
            if to != now {
                node.set_scroll_top(to);
                measure();
            }
        }
    });
    let line = move |slot: usize| {
        let key = Memo::new(move |_| slots.with(|slots| slots.get(slot).cloned().flatten()));
        move || key.get().map(|key| view! { <Line key=key at=slot lines=lines /> })
    };
    view! {
        <div
            class="outline"
            role="tree"
            aria-label="Steps"
            aria-multiselectable="true"
            aria-owns=order
            node_ref=node
            on:keydown=move |event| on_key(app, lines, &event)
            on:scroll=move |_| measure()
        >
            <div class="outline-lines" role="none" style:height=move || format!("{}px", height_of(rows.with(IndexMap::len)))>
                <For each=move || 0..slots.with(Vec::len) key=|slot| *slot children=line />
            </div>
        </div>
    }
}

/// The lines that are seen, with some beyond, of an outline that is scrolled to `top`.
fn lines_within((top, height): (i32, i32), many: usize) -> Range<usize> {
    let at = |pixels: i32| usize::try_from(pixels / LINE).unwrap_or(0);
    let (first, last) = (at(top), at(top.saturating_add(height).saturating_add(LINE - 1)));
    first.saturating_sub(BEYOND).min(many)..last.saturating_add(BEYOND).min(many)
}

/// How tall so many lines are.
fn height_of(lines: usize) -> i32 {
    i32::try_from(lines).unwrap_or(i32::MAX).saturating_mul(LINE)
}

/// Puts lines into slots. A line keeps its slot as long as it is shown, so that its element, which may have the focus, is
/// neither made anew nor moved; others take slots that are free.
fn placed(before: &[Option<String>], shown: &[String]) -> Vec<Option<String>> {
    let is_shown: HashSet<&String> = shown.iter().collect();
    let has_slot: HashSet<&String> = before.iter().flatten().collect();
    let mut slots: Vec<Option<String>> =
        before.iter().map(|key| key.clone().filter(|key| is_shown.contains(key))).collect();
    let mut coming = shown.iter().filter(|key| !has_slot.contains(key)).cloned();
    for slot in slots.iter_mut().filter(|slot| slot.is_none()) {
        *slot = coming.next();
    }
    slots.extend(coming.map(Some));
    slots
}

/// The element in a slot.
fn id_of(slot: usize) -> String {
    format!("outline-{slot}")
}

#[component]
fn Line(key: String, at: usize, lines: Lines) -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Div>::new();
    let key = StoredValue::new(key);
    // The last look of a line whose step goes away is nobody's business any more.
    let row = Memo::new(move |_| lines.rows.with(|rows| key.with_value(|key| rows.get(key).cloned())));
    let is_current = Memo::new(move |_| lines.current.with(|current| key.with_value(|key| current == key)));
    let selected =
        Memo::new(move |_| key.with_value(|key| app.editor.selection.with(|all| all.contains(key))));
    Effect::new(move || {
        let wanted = lines.wanted.with(|wanted| key.with_value(|key| wanted.as_ref() == Some(key)));
        if let (true, Some(node)) = (wanted, node.get()) {
            lines.wanted.set(None);
            let options = FocusOptions::new();
            // The outline has been scrolled to it, just so far.
            options.set_prevent_scroll(true);
            // A line of the page takes the focus.
            let _ = node.focus_with_options(&options);
        }
    });
    let visit = move |_| {
        lines.visited.set(Some(key.get_value()));
        let step = row.get_untracked().and_then(|row| row.step().map(str::to_owned));
        if let Some(id) = step {
            let rect = app.editor.layout.with_untracked(|layout| layout.card(&id).map(|card| card.rect));
            // What was selected together stays so when the keyboard comes to it.
            if app.editor.selected.with_untracked(|one| one.as_deref() != Some(&id)) {
                app.editor.select(Some(id));
            }
            rect.into_iter().for_each(|rect| app.camera.reveal(rect));
        }
    };
    let status = Memo::new(move |_| {
        key.with_value(|key| app.runner.step(key, Executions::status)).unwrap_or(Status::Idle)
    });
    let problem = Memo::new(move |_| {
        let problem = key.with_value(|key| app.problem_of(key))?;
        Some(plain(problem.message, key.with_value(|key| app.editor.step(key, Kind::of))))
    });
    let label = move || row.get().map(|row| spoken(&row, status.get(), problem.get())).unwrap_or_default();
    let below =
        move || lines.rows.with(|rows| key.with_value(|key| rows.get_index_of(key))).unwrap_or_default();
    let number = move |read: fn(&Row) -> usize| row.with(|row| row.as_ref().map_or(1, read)).to_string();
    let hold = move |event: ev::MouseEvent| {
        let step = row.get_untracked().and_then(|row| row.step().map(str::to_owned));
        let toggles = event.ctrl_key() || event.meta_key();
        if let Some(id) = step.filter(|_| toggles || event.shift_key()) {
            // The browser would give the line the focus, which selects it alone.
            event.prevent_default();
            if toggles {
                app.editor.toggle(&id)
            } else {
                app.editor.extend_to(&id)
            }
            lines.wanted.set(app.editor.selected.get_untracked());
        }
    };
    let press = move |_| {
        if let Some(place) = row.get_untracked().and_then(|row| empty_place(&row)) {
            pick_at(app, place);
        }
    };
    view! {
        <div
            class="line"
            id=id_of(at)
            role="treeitem"
            {..custom_attribute("aria-level", move || number(|row| row.level))}
            {..custom_attribute("aria-posinset", move || number(|row| row.position))}
            {..custom_attribute("aria-setsize", move || number(|row| row.of))}
            aria-selected=move || selected.get().to_string()
            aria-label=label
            data-status=move || status.get().word()
            data-line=key.get_value()
            data-level=move || number(|row| row.level.min(DEEPEST))
            style:transform=move || format!("translateY({}px)", height_of(below()))
            tabindex=move || if is_current.get() { "0" } else { "-1" }
            node_ref=node
            on:focus=visit
            on:mousedown=hold
            on:click=press
        >
            {move || row.get().map(|row| line_content(row, problem))}
            <span class="state" data-status=move || status.get().word()>{move || icon(of_status(status.get()))}</span>
        </div>
    }
}

/// What stands where there is no step.
const ADD: &str = "Add a step";

/// Deeper lines are not set in any further: there would be no room for their names.
const DEEPEST: usize = 8;

fn line_content(row: Row, problem: Memo<Option<String>>) -> impl IntoView {
    let way = (!row.way.is_empty()).then(|| view! { <span class="line-way">{row.way} " "</span> });
    match row.item {
        Item::Step { name, kind, off, .. } => view! {
            <span class="kind-icon" data-kind=kind.word()>{icon(of_kind(kind))}</span>
            {way}
            <span class="line-name" class:off=off>{name}</span>
            {move || problem.get().map(|text| view! { <span class="card-flaw" title=text>{icon(WARNING)}</span> })}
        }
        .into_any(),
        Item::Empty(_) => view! {
            <span class="kind-icon">{icon(PLUS)}</span>
            {way}
            <span class="line-name empty-way">{ADD}</span>
        }
        .into_any(),
    }
}

/// A line as a screen reader says it.
fn spoken(row: &Row, status: Status, problem: Option<String>) -> String {
    let mut words = Vec::new();
    match &row.item {
        Item::Step { name, kind, off, .. } => {
            words.push(format!("{} {name}", row.way).trim_start().to_owned());
            words.push(kind.label().to_owned());
            words.extend(off.then(|| "off".to_owned()));
        }
        Item::Empty(_) => words.push(format!("{} {ADD}", row.way).trim_start().to_owned()),
    }
    words.extend((status != Status::Idle).then(|| status.said().to_owned()));
    words.extend(problem.map(|text| format!("problem: {text}")));
    words.join(", ")
}

fn empty_place(row: &Row) -> Option<Place> {
    match &row.item {
        Item::Empty(place) => Some(place.clone()),
        Item::Step { .. } => None,
    }
}

fn on_key(app: App, lines: Lines, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() {
        return;
    }
    let current = lines.current.get_untracked();
    let Some((index, row)) =
        lines.rows.with_untracked(|rows| rows.get_full(&current).map(|(index, _, row)| (index, row.clone())))
    else {
        return;
    };
    let id = row.step().map(str::to_owned);
    let nudge = |direction| {
        if id.is_some() {
            app.editor.nudge(&app.editor.chosen(), direction);
        }
        come_back(app, lines);
    };
    // The next line that has a step, wherever it is.
    let extend = |mut others: Box<dyn Iterator<Item = usize>>| {
        let step = |index: usize| {
            lines.rows.with_untracked(|rows| rows.get_index(index)?.1.step().map(str::to_owned))
        };
        if let Some(id) = others.find_map(step) {
            app.editor.extend_to(&id);
            lines.wanted.set(Some(id));
        }
    };
    let many = lines.rows.with_untracked(IndexMap::len);
    match (event.alt_key(), event.key().as_str()) {
        (true, "ArrowUp") => nudge(Direction::Up),
        (true, "ArrowDown") => nudge(Direction::Down),
        (true, _) => return,
        (false, "ArrowUp") if event.shift_key() => extend(Box::new((0..index).rev())),
        (false, "ArrowDown") if event.shift_key() => extend(Box::new(index + 1..many)),
        (false, "ArrowUp") => go(lines, index.checked_sub(1)),
        (false, "ArrowDown") => go(lines, Some(index + 1)),
        (false, "ArrowRight") => {
            go(lines, Some(index + 1).filter(|next| level(lines, *next) > Some(row.level)))
        }
        (false, "ArrowLeft") => {
            go(lines, (0..index).rev().find(|above| level(lines, *above) < Some(row.level)))
        }
        (false, "Home") => go(lines, Some(0)),
        (false, "End") => go(lines, lines.rows.with_untracked(IndexMap::len).checked_sub(1)),
        (false, "Delete" | "Backspace") => {
            let going = id.is_some().then(|| Going::Steps(app.editor.chosen()));
            spawn_local(async move {
                if let Some(going) = going {
                    delete_or_ask(app, going).await;
                }
                come_back(app, lines);
            });
        }
        (false, "Enter") if id.is_none() => {
            empty_place(&row).into_iter().for_each(|place| pick_at(app, place));
        }
        // What is left is the same here as on the canvas.
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

fn level(lines: Lines, index: usize) -> Option<usize> {
    lines.rows.with_untracked(|rows| rows.get_index(index).map(|(_, row)| row.level))
}

fn go(lines: Lines, to: Option<usize>) {
    let key =
        to.and_then(|to| lines.rows.with_untracked(|rows| rows.get_index(to).map(|(key, _)| key.clone())));
    if key.is_some() {
        lines.wanted.set(key);
    }
}

/// Keeps the focus in the outline after a change that would give it to a card.
fn come_back(app: App, lines: Lines) {
    app.editor.focus.set(None);
    lines.visited.set(None);
    let first = || lines.rows.with_untracked(|rows| rows.keys().next().cloned());
    lines.wanted.set(app.editor.selected.get_untracked().or_else(first));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_seen_are_elements() {
        assert_eq!(lines_within((0, 600), 5_000), 0..20 + BEYOND);
        assert_eq!(lines_within((3_000, 600), 5_000), 100 - BEYOND..120 + BEYOND);
        assert_eq!(lines_within((3_010, 600), 5_000), 100 - BEYOND..121 + BEYOND);
        assert_eq!(lines_within((149_400, 600), 5_000), 4_980 - BEYOND..5_000);
        // Where steps were deleted, it is scrolled further than there are lines, for a moment.
        assert_eq!(lines_within((149_400, 600), 3), 3..3);
        assert_eq!(lines_within((0, 600), 3), 0..3);
        assert_eq!(lines_within((-50, 0), 3), 0..3);
    }

    #[test]
    fn a_line_keeps_its_slot_as_long_as_it_is_shown() {
        let keys = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let mut slots = placed(&[], &keys("abcd"));
        let mut now = |shown: &str| {
            slots = placed(&slots, &keys(shown));
            slots.iter().map(|key| key.clone().unwrap_or_else(|| "-".to_owned())).collect::<String>()
        };
        assert_eq!(now("abcd"), "abcd");
        assert_eq!(now("bcde"), "ebcd");
        // The keyboard is at `b`, and the outline is scrolled far away.
        assert_eq!(now("bxyz"), "xbyz");
        assert_eq!(now("bxy"), "xby-");
        assert_eq!(now("bcdef"), "cbdef");
        assert_eq!(now(""), "-----");
    }
}
