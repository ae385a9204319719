//! The slots where a step can be inserted: a plus on hover, a line or box while a card is held.

use indexmap::IndexMap;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::geometry::{Point, Rect, px, translate};
use crate::layout::{Layout, Place, PlaceBox, PlaceLook};
use crate::page::icon::{PLUS, icon};
use crate::page::state::{App, app};

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
    move || {
        let (_, at) = app.picking.get()?;
        Some((app.chunks.views.get()?.picker)(at))
    }
}
