//! The outline: the workflow as a tree of lines, for the keyboard, for screen readers, and for whoever likes lists.

use indexmap::IndexMap;
use leptos::attr::custom::custom_attribute;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;

use crate::canvas::places::pick_at;
use crate::layout::Place;
use crate::model::outline::{Item, Row, rows};
use crate::model::place::Direction;
use crate::page::icon::{PLUS, WARNING, icon, of_kind, of_status};
use crate::page::removal::remove;
use crate::page::state::{App, app};
use crate::run::executions::Executions;
use crate::run::status::Status;

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
    let lines = Lines { rows, current, visited, wanted: RwSignal::new(None) };
    let keys = move || rows.with(|rows| rows.keys().cloned().collect::<Vec<_>>());
    view! {
        <div class="outline" role="tree" aria-label="Steps" aria-multiselectable="true" on:keydown=move |event| on_key(app, lines, &event)>
            <For each=keys key=Clone::clone let:key><Line key=key lines=lines /></For>
        </div>
    }
}

#[component]
fn Line(key: String, lines: Lines) -> impl IntoView {
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
            // A line of the page takes the focus.
            let _ = node.focus();
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
    let problem = Memo::new(move |_| key.with_value(|key| app.problem_of(key)));
    let label = move || row.get().map(|row| spoken(&row, status.get(), problem.get())).unwrap_or_default();
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
            role="treeitem"
            {..custom_attribute("aria-level", move || number(|row| row.level))}
            {..custom_attribute("aria-posinset", move || number(|row| row.position))}
            {..custom_attribute("aria-setsize", move || number(|row| row.of))}
            aria-selected=move || selected.get().to_string()
            aria-label=label
            data-status=move || status.get().word()
            data-line=key.get_value()
            data-level=move || number(|row| row.level.min(DEEPEST))
            tabindex=move || if is_current.get() { "0" } else { "-1" }
            node_ref=node
            on:focus=visit
            on:mousedown=hold
            on:click=press
        >
            {move || row.get().map(|row| content(row, problem))}
            <span class="state" data-status=move || status.get().word()>{move || icon(of_status(status.get()))}</span>
        </div>
    }
}

/// What stands where there is no step.
const ADD: &str = "Add a step";

/// Deeper lines are not set in any further: there would be no room for their names.
const DEEPEST: usize = 8;

fn content(row: Row, problem: Memo<Option<String>>) -> impl IntoView {
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
    words.extend((status != Status::Idle).then(|| status.word().to_owned()));
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
            if id.is_some() {
                remove(app, &app.editor.chosen());
            }
            come_back(app, lines);
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
