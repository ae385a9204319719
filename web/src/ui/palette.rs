//! The palette: the kinds of steps, to be dragged or picked.

use leptos::ev;
use leptos::prelude::*;

use super::icon::{icon, of_kind};
use super::state::app;
use crate::canvas::pointer;
use crate::model::kinds::{KIND_GROUPS, Kind, KindGroup};
use crate::tools::Target;

/// The palette.
#[component]
pub fn Palette() -> impl IntoView {
    let app = app();
    let entry = move |kind: Kind| {
        // A press starts a gesture of the canvas, which also knows a click; a click without a pointer is the keyboard's.
        let click = move |event: ev::MouseEvent| {
            if event.detail() == 0 {
                app.editor.append(kind);
            }
        };
        view! {
            <button
                class="kind"
                data-kind=kind.word()
                title=format!("{}. Drag it onto the canvas, or click to add it after the selected step.", kind.description())
                on:pointerdown=move |event| pointer::press(app, &event, Target::Kind(kind))
                on:click=click
            >
                <span class="kind-icon">{icon(of_kind(kind))}</span>
                <span class="kind-text"><b>{kind.label()}</b><small>{kind.description()}</small></span>
            </button>
        }
    };
    let group = move |group: KindGroup| {
        view! {
            <section class="kind-group" role="group" aria-label=group.title>
                <h2>{group.title}</h2>
                {group.kinds.iter().map(|kind| entry(*kind)).collect_view()}
            </section>
        }
    };
    view! {
        <aside class="palette" aria-label="Kinds of steps">
            {KIND_GROUPS.map(group).collect_view()}
            <p class="palette-tip">"Drag onto the canvas, or click to add after the selected step."</p>
        </aside>
    }
}
