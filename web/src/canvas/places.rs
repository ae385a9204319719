//! The slots where a step can be inserted: a plus on hover, a line or box while a card is held.

use indexmap::IndexMap;
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;

use crate::geometry::{Point, Rect, px, translate};
use crate::layout::{Layout, Place, PlaceBox, PlaceLook};
use crate::page::icon::{PLUS, icon, of_kind};
use crate::page::roving::Roving;
use crate::page::state::{App, app};
use crate::step::kinds::{KIND_GROUPS, Kind, KindGroup};

/// The size of the menu of kinds, to keep it in view.
const PICKER: (f64, f64) = (180.0, 480.0);

/// Opens the menu of the kinds of steps for a slot.
pub fn pick_at(app: App, place: Place) {
    let rect = app.editor.layout.with_untracked(|layout| layout.place(&place.key()).map(|found| found.rect));
    let view = app.camera.view.get_untracked();
    let (width, height) = app.camera.size.get_untracked();
    let at = rect.map_or(Point::new(width / 2.0, height / 2.0), |rect| view.screen_from_world(rect.center()));
    app.picking.set(Some((place, at)));
}

/// A slot as it is shown, but for where it is: one that looks otherwise is another one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The slot's key.
    pub key: String,
    look: PlaceLook,
    hint: &'static str,
    width: u64,
    height: u64,
}

impl Shape {
    /// What a slot of this layout looks like.
    pub fn of(layout: &Layout, place: &PlaceBox) -> Self {
        let PlaceBox { rect, look, hint, .. } = place;
        Self {
            key: layout.place_of(place).key(),
            look: *look,
            hint,
            width: rect.width.to_bits(),
            height: rect.height.to_bits(),
        }
    }
}

/// One slot. There are as many as cards and most are never used, so that each has as little as can be: the world listens
/// for all of them.
#[component]
pub fn PlaceMark(
    /// What it looks like.
    shape: Shape,
    /// Where those are that are seen.
    seen: Memo<IndexMap<Shape, Rect>>,
    /// The key of the one that something is held over, or whose kinds are shown.
    over: Memo<Option<String>>,
) -> impl IntoView {
    let own = shape.clone();
    let corner = Memo::new(move |_| {
        let rect = seen.with(|seen| seen.get(&own).copied());
        rect.map_or(Point::default(), |rect| Point::new(rect.x, rect.y))
    });
    let Shape { key, look, hint, width, height } = shape;
    let own = key.clone();
    let is_over = move || over.with(|over| over.as_ref() == Some(&own));
    let is_offered = look == PlaceLook::Add;
    let look = match look {
        PlaceLook::Across => "across",
        PlaceLook::Down => "down",
        PlaceLook::Add => "add",
        PlaceLook::Empty => "empty",
    };
    // What is said of the button holds what stands on it, for those who speak to the page.
    let name = match hint {
        "" => "Add a step here".to_owned(),
        hint => format!("{hint}, or add one here"),
    };
    let content = (!hint.is_empty()).then(|| view! { {icon(PLUS)} <span>{hint}</span> });
    view! {
        <div
            class="place"
            class:over=is_over
            data-look=look
            data-place=key
            style:transform=move || translate(corner.get().x, corner.get().y)
            style:width=px(f64::from_bits(width))
            style:height=px(f64::from_bits(height))
        >
            <button class="place-add" class:offered=is_offered tabindex="-1" aria-label=name.clone() title=name>{content}</button>
        </div>
    }
}

/// The key of the slot whose button an event is about.
pub fn pressed(event: &web_sys::Event) -> Option<String> {
    let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    // The selector is a valid one.
    let place = target.closest(".place-add").ok()??.parent_element()?;
    place.get_attribute("data-place")
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
                style:left=px(left)
                style:top=px(top)
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
