//! The world: frames, wires, slots and cards, of which only what is in view is an element.

use indexmap::IndexMap;
use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::decimal::written;
use stepweave_core::document::{Check, Document};

use super::card::Card;
use super::paper::PaperOf;
use super::places::{self, PlaceMark, Shape};
use crate::geometry::translate;
use crate::layout::note::NoteOf;
use crate::layout::wire::{Lead, frame_path};
use crate::layout::{Label, Layout, Way};
use crate::page::icon::{NOTE, PLAY, STOP, icon};
use crate::page::state::app;
use crate::run::board::Board;
use crate::run::ending::refusal;
use crate::run::executions::Executions;
use crate::run::status::Status;
use crate::run::step_run::StepRun;
use crate::step::kinds::Kind;

/// The world; the camera's transform says which part of it is seen.
#[component]
pub fn World() -> impl IntoView {
    let app = app();
    let (camera, editor, overview) = (app.camera, app.editor, app.camera.overview);
    let pinned = Memo::new(move |_| {
        let moving = app.tool.with(|tool| tool.moving().map(str::to_owned));
        [editor.selected.get(), moving]
    });
    let cards = Memo::new(move |_| {
        let cells = camera.cells.get();
        editor.layout.with(|layout| {
            let mut seen = if overview.get() { Vec::new() } else { layout.cards_within(cells) };
            seen.extend(pinned.get().iter().flatten().filter_map(|id| layout.position(id)));
            seen.sort_unstable();
            seen.dedup();
            seen.into_iter().filter_map(|index| Some(layout.cards.get(index)?.id.clone())).collect::<Vec<_>>()
        })
    });
    let over = Memo::new(move |_| {
        let held = app.tool.with(|tool| tool.over().map(crate::layout::Place::key));
        held.or_else(|| app.picking.with(|one| one.as_ref().map(|(place, _)| place.key())))
    });
    let seen_places = Memo::new(move |_| {
        let cells = camera.cells.get();
        editor.layout.with(|layout| {
            // Held over the overview a card still has to show where it would go.
            let seen = if overview.get() { Vec::new() } else { layout.places_within(cells) };
            let over = overview.get().then(|| over.get()).flatten();
            let over = over.and_then(|key| layout.place(&key));
            let seen = seen.into_iter().filter_map(|index| layout.places.get(index));
            let places = seen.chain(over).map(|place| (Shape::of(layout, place), place.rect));
            places.collect::<IndexMap<_, _>>()
        })
    });
    // By their keys, as nothing stands in front of another: a step that is inserted then moves no element among the others.
    // They are few, and to sort them would take more code.
    let places = Memo::new(move |_| {
        let mut sorted: Vec<Shape> = Vec::new();
        seen_places.with(|places| {
            for shape in places.keys() {
                sorted.insert(sorted.partition_point(|other| other.key < shape.key), shape.clone());
            }
        });
        sorted
    });
    let wires = Memo::new(move |_| {
        let cells = camera.cells.get();
        let mut path = String::new();
        if !overview.get() {
            editor
                .layout
                .with(|layout| layout.wires_within(cells).for_each(|(_, wire)| wire.draw(&mut path)));
        }
        path
    });
    let taken = Memo::new(move |_| {
        let mut path = String::new();
        if overview.get() || app.runner.status.get() == Status::Idle {
            return path;
        }
        let cells = camera.cells.get();
        app.runner.read(|board| {
            editor.layout.with(|layout| {
                let wires = layout.wires_within(cells).filter(|(lead, _)| is_taken(layout, *lead, board));
                wires.for_each(|(_, wire)| wire.draw_whole(&mut path));
            });
        });
        path
    });
    let frames = Memo::new(move |_| {
        let cells = camera.cells.get();
        let frames = editor.layout.with(|layout| layout.frames_within(cells));
        let mut by_depth: Vec<String> = Vec::new();
        for (depth, frame) in frames.into_iter().filter(|_| !overview.get()) {
            by_depth.resize_with(by_depth.len().max(depth + 1), String::new);
            if let Some(path) = by_depth.get_mut(depth) {
                frame_path(path, frame, 16.0);
            }
        }
        by_depth
    });
    let labels = Memo::new(move |_| {
        let cells = camera.cells.get();
        editor.layout.with(|layout| {
            let seen = if overview.get() { Vec::new() } else { layout.labels_within(cells) };
            seen.into_iter().filter_map(|index| layout.labels.get(index).cloned()).collect::<Vec<_>>()
        })
    });
    let depths = Memo::new(move |_| frames.with(Vec::len));
    let many_labels = Memo::new(move |_| labels.with(Vec::len));
    let pill = move |end: fn(&Layout) -> crate::geometry::Rect| {
        let corner = Memo::new(move |_| editor.layout.with(|layout| end(layout)));
        move || translate(corner.get().x, corner.get().y)
    };
    let paper = Memo::new(move |_| editor.layout.with(|layout| layout.paper));
    let sign = move || {
        let note = editor.document.with(|document| document.notes.clone());
        note.filter(|_| paper.with(Option::is_none))
    };
    let keys = move || editor.document.with(starts);

    view! {
        <div
            class="world"
            class:gliding=camera.gliding
            style:transform=move || {
                let view = camera.view.get();
                format!("{} scale({})", translate(view.origin_on_screen.x, view.origin_on_screen.y), written(view.zoom))
            }
            on:transitionend=move |_| camera.gliding.set(false)
            on:pointerdown=|event| {
                if places::pressed(&event).is_some() {
                    event.stop_propagation();
                }
            }
            on:click=move |event| {
                let place = places::pressed(&event).and_then(|key| {
                    editor.layout.with_untracked(|layout| layout.place(&key).map(|found| layout.place_of(found)))
                });
                place.into_iter().for_each(|place| places::pick_at(app, place));
            }
        >
            <svg class="lines" aria-hidden="true">
                {move || {
                    let frame = |depth: usize| view! { <path class="frame" d=move || frames.with(|paths| paths.get(depth).cloned()) /> };
                    (0..depths.get()).map(frame).collect_view()
                }}
                <path class="wire" d=wires />
                <path class="wire taken" d=taken />
            </svg>
            <For each=move || places.get() key=Clone::clone let:shape>
                <PlaceMark shape=shape seen=seen_places over=over />
            </For>
            {move || {
                let mark = |number: usize| Memo::new(move |_| labels.with(|labels| labels.get(number).cloned()));
                (0..many_labels.get()).map(|number| view! { <LabelMark label=mark(number) /> }).collect_view()
            }}
            <Show when=move || !overview.get()>
                <PaperOf of=NoteOf::Workflow paper=paper />
                <button
                    class="pill start"
                    title="Open the workflow's settings"
                    style:transform=pill(|layout| layout.start)
                    on:pointerdown=|event| event.stop_propagation()
                    on:click=move |_| editor.select(None)
                >
                    {icon(PLAY)}
                    {keys}
                    {move || sign().map(|text| view! { <span class="card-pin card-note" title=text>{icon(NOTE)}</span> })}
                </button>
            </Show>
            <For each=move || cards.get() key=Clone::clone let:id>
                <Card id=id />
            </For>
            <Show when=move || !overview.get()>
                <div class="pill end" style:transform=pill(|layout| layout.end)>{icon(STOP)} "End"</div>
            </Show>
        </div>
    }
}

/// What stands where a run starts: what it asks for, or else how much it begins with.
fn starts(document: &Document) -> String {
    let asked = document.input.as_ref().and_then(Check::properties);
    let only = asked.filter(|asked| asked.len() == 1).and_then(|asked| asked.keys().next());
    let (verb, many) = match asked.map_or(0, |asked| asked.len()) {
        0 => ("Start with", document.initial_state.len()),
        many => ("Asks for", many),
    };
    match (only, many) {
        (Some(key), _) if key.len() <= SHORT => format!("{verb} {key}"),
        (_, 0) => "Start".to_owned(),
        (_, 1) => format!("{verb} 1 value"),
        _ => format!("{verb} {many} values"),
    }
}

/// Longer names are not seen whole there, in bytes.
const SHORT: usize = 10;

/// A word on a connector.
#[component]
fn LabelMark(
    /// What it says and where; nothing where it is about to go.
    label: Memo<Option<Label>>,
) -> impl IntoView {
    let app = app();
    let text = Memo::new(move |_| label.with(|label| label.as_ref().map(|label| label.text.clone())));
    let taken = Memo::new(move |_| {
        let lead = label.with(|label| label.as_ref().map_or(Lead::Nowhere, |label| label.lead));
        app.runner.read(|board| app.editor.layout.with(|layout| is_taken(layout, lead, board)))
    });
    view! {
        <span
            class="branch"
            class:taken=taken
            data-branch=move || label.with(|label| label.as_ref().map(|label| label.way.word()))
            title=text
            style:transform=move || {
                label.with(|label| label.as_ref().map(|label| translate(label.at.x, label.at.y) + " translate(-50%, -50%)"))
            }
        >
            {text}
        </span>
    }
}

/// Which way an execution of a step of this kind has decided for, by what it gave. A condition that is false and has no steps
/// for it counts as left out.
fn said(kind: Kind, run: &StepRun) -> Option<Way> {
    let output = run.output.as_ref().filter(|output| !output.is_null());
    match (run.status, kind) {
        (Status::Skipped, _) => Some(Way::Else),
        (Status::Done, Kind::Switch) => {
            let number = output.and_then(Value::as_u64).and_then(|number| number.try_into().ok());
            Some(number.map_or(Way::Else, Way::Case))
        }
        (Status::Done, Kind::Approval) if output.is_none() => Some(Way::Late),
        (Status::Done, _) => {
            let is_no = output == Some(&Value::Bool(false)) || refusal(run).is_some();
            Some(if is_no { Way::Else } else { Way::Yes })
        }
        _ => None,
    }
}

/// Whether the run went along a wire.
fn is_taken(layout: &Layout, lead: Lead, board: &Board) -> bool {
    let all = |card: usize| board.step(&layout.cards.get(card)?.id);
    let is_reached = |status: Status| status != Status::Idle;
    let is_past = |status: Status| matches!(status, Status::Done | Status::Skipped);
    let status = |card: usize| all(card).map_or(Status::Idle, Executions::status);
    let goes_inside = |card: usize| {
        let inside = layout.cards.get(card).map_or(0, |own| own.inside);
        (card + 1..=card + inside).any(|card| is_reached(status(card)))
    };
    match lead {
        Lead::To(card) => is_reached(status(card)),
        Lead::On { from, to } => is_reached(status(to)) && status(from) != Status::Idle,
        Lead::Into(card) => is_past(status(card)) || goes_inside(card),
        Lead::From(card) => is_past(status(card)),
        Lead::Again { step, first } => {
            let times = |card: usize| all(card).map_or(0, |all| all.tally().all);
            times(first) > times(step)
        }
        Lead::Past(card) => status(card) == Status::Done && !goes_inside(card),
        Lead::By { step, way } => layout.cards.get(step).zip(all(step)).is_some_and(|(card, all)| {
            let mut runs = all.keys().filter_map(|key| all.get(key));
            runs.any(|run| said(card.kind, run) == Some(way))
        }),
        Lead::Nowhere => false,
    }
}
