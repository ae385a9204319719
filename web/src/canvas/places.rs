//! The slots where a step can be inserted: a plus on hover, a line or box while a card is held.

use leptos::prelude::*;
use leptos::{ev, html};

use crate::geometry::Point;
use crate::layout::{Place, PlaceBox, PlaceLook};
use crate::page::icon::{PLUS, icon, of_kind};
use crate::page::roving::Roving;
use crate::page::state::{App, app};
use crate::step::kinds::{KIND_GROUPS, Kind, KindGroup};

/// The size of the menu of kinds, to keep it in view.
const PICKER: (f64, f64) = (180.0, 426.0);

/// Opens the menu of the kinds of steps for a slot.
pub fn pick_at(app: App, place: Place) {
    let rect = app.editor.layout.with_untracked(|layout| layout.place(&place.key()).map(|found| found.rect));
    let view = app.camera.view.get_untracked();
    let (width, height) = app.camera.size.get_untracked();
    let at = rect.map_or(Point::new(width / 2.0, height / 2.0), |rect| view.screen_from_world(rect.center()));
    app.picking.set(Some((place, at)));
}

/// One slot.
#[component]
pub fn PlaceMark(
    /// The slot's key.
    key: String,
) -> impl IntoView {
    let app = app();
    let key = StoredValue::new(key);
    let found =
        Memo::new(move |_| app.editor.layout.with(|layout| key.with_value(|key| layout.place(key).cloned())));
    let over = move || {
        key.with_value(|key| app.tool.with(|tool| tool.over().is_some_and(|place| place.key() == *key)))
            || key.with_value(|key| {
                app.picking.with(|one| one.as_ref().is_some_and(|(place, _)| place.key() == *key))
            })
    };
    let pick = move |_| {
        if let Some(PlaceBox { place, .. }) = found.get_untracked() {
            pick_at(app, place);
        }
    };
    let look = move || match found.get().map(|place| place.look) {
        Some(PlaceLook::Down) => "down",
        Some(PlaceLook::Add) => "add",
        Some(PlaceLook::Empty) => "empty",
        _ => "across",
    };
    let hint = move || found.get().map_or("", |place| place.hint);
    // What is said of the button holds what stands on it, for those who speak to the page.
    let name = move || match hint() {
        "" => "Add a step here".to_owned(),
        hint => format!("{hint}, or add one here"),
    };
    let rect = move || found.get().map(|place| place.rect).unwrap_or_default();
    view! {
        <div
            class="place"
            class:over=over
            data-look=look
            data-place=key.get_value()
            style:transform=move || format!("translate({}px, {}px)", rect().x, rect().y)
            style:width=move || format!("{}px", rect().width)
            style:height=move || format!("{}px", rect().height)
        >
            <button
                class="place-add"
                tabindex="-1"
                aria-label=name
                title=name
                on:pointerdown=|event| event.stop_propagation()
                on:click=pick
            >
                {icon(PLUS)}
                <span>{hint}</span>
            </button>
        </div>
    }
}

/// The kinds to pick from, at the slot whose plus was clicked.
#[component]
pub fn PlacePicker() -> impl IntoView {
    let app = app();
    let option = move |kind: Kind| {
        let pick = move |_| {
            if let Some((place, _)) = app.picking.get_untracked() {
                app.picking.set(None);
                app.editor.put(kind, &place);
            }
        };
        view! {
            <button class="menu-item" role="menuitem" tabindex="-1" data-kind=kind.word() on:click=pick>
                <span class="kind-icon">{icon(of_kind(kind))}</span>
                {kind.label()}
            </button>
        }
    };
    let group = move |group: KindGroup| {
        view! {
            <div role="group" aria-label=group.title>{group.kinds.iter().map(|kind| option(*kind)).collect_view()}</div>
        }
    };
    let node = NodeRef::<html::Div>::new();
    Effect::new(move || {
        if let Some(menu) = node.get() {
            Roving::first(&menu);
        }
    });
    let roving = Roving::new();
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Tab" {
            return app.picking.set(None);
        }
        if node.get_untracked().is_some_and(|menu| roving.on_key(&menu, &event)) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let menu = move |at: Point| {
        let (width, height) = app.camera.size.get_untracked();
        let left = (at.x + 16.0).min(width - PICKER.0).max(8.0);
        let top = (at.y - 20.0).clamp(8.0, (height - PICKER.1).max(8.0));
        view! {
            <div
                class="menu picker"
                role="menu"
                aria-label="Kind of the new step"
                style:left=format!("{left}px")
                style:top=format!("{top}px")
                node_ref=node
                on:keydown=on_key
                on:pointerdown=|event| event.stop_propagation()
            >
                {KIND_GROUPS.map(group).collect_view()}
            </div>
        }
    };
    move || app.picking.get().map(|(_, at)| menu(at))
}
