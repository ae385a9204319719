//! The kinds of steps to pick from where one is added.

use leptos::prelude::*;
use leptos::{ev, html};

use super::pointer::add;
use crate::geometry::{Point, px};
use crate::page::icon::{icon, of_kind};
use crate::page::roving::Roving;
use crate::page::state::app;
use crate::step::kinds::{KIND_GROUPS, Kind, KindGroup};

/// The size of the menu of kinds, to keep it in view.
const PICKER: (f64, f64) = (180.0, 480.0);

/// The kinds to pick from, at the slot whose plus was clicked.
#[component]
pub fn Picker(
    /// Where the plus is.
    at: Point,
) -> impl IntoView {
    let app = app();
    let option = move |kind: Kind| {
        let pick = move |_| add(app, kind);
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
}
