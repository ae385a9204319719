//! The side of the page: the kinds of steps, to be dragged or picked; or the outline.

use leptos::ev;
use leptos::prelude::*;

use super::hints::{Hints, NextHint};
use crate::canvas::pointer;
use crate::page::icon::{LIST, PLUS, icon, of_kind};
use crate::page::state::app;
use crate::step::kinds::{KIND_GROUPS, Kind, KindGroup};
use crate::tools::Target;

/// The palette, or instead the outline.
#[component]
pub fn Palette() -> impl IntoView {
    let app = app();
    let hints = Hints::follow(app);
    let entry = move |kind: Kind| {
        // A press starts a gesture of the canvas, which also knows a click; a click without a pointer is the keyboard's.
        let click = move |event: ev::MouseEvent| {
            if event.detail() == 0 {
                pointer::add(app, kind);
            }
        };
        view! {
            <button
                class="kind"
                data-kind=kind.word()
                aria-disabled=move || app.editor.following.get().to_string()
                title=format!("{}. Drag it onto the canvas, or click to add it after the selected step.", kind.description())
                on:pointerdown=move |event| pointer::press(app, &event, Target::Kind(kind))
                on:click=click
            >
                <span class="kind-icon">{icon(of_kind(kind))}</span>
                <span class="kind-text"><b>{kind.label()}</b><small>{kind.description()}</small></span>
            </button>
        }
    };
    let tab = move |text: &'static str, shape: &'static str, outline: bool| {
        view! {
            <button
                class="tab"
                title=text
                aria-label=text
                aria-pressed=move || (app.outlined.get() == outline).to_string()
                on:click=move |_| app.outlined.set(outline)
            >
                {icon(shape)}
                <span>{text}</span>
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
        <aside class="palette" class:outlined=app.outlined aria-label=move || if app.outlined.get() { "Outline" } else { "Kinds of steps" }>
            <div class="side-tabs" role="group" aria-label="What is shown here">
                {tab("Add", PLUS, false)}
                {tab("Outline", LIST, true)}
            </div>
            <Show
                when=move || app.outlined.get()
                fallback=move || view! {
                    <div class="kinds">{KIND_GROUPS.map(group).collect_view()}</div>
                    <NextHint hints=hints>
                        <p class="palette-tip">"Drag onto the canvas, or click to add after the selected step."</p>
                    </NextHint>
                }
            >
                {app.chunks.views.show("The outline", |views| (views.outline)())}
            </Show>
        </aside>
    }
}
