//! The paper of a note, below the card of its step or above the start.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::geometry::{px, translate};
use crate::layout::note::{NoteOf, Paper};
use crate::page::icon::{PENCIL, icon};
use crate::page::noting::{self, OpenNote};
use crate::page::state::app;

/// The paper of a note, where there is one.
#[component]
pub fn PaperOf(
    /// Whose note it is.
    of: NoteOf,
    /// Its place in the layout.
    paper: Memo<Option<Paper>>,
) -> impl IntoView {
    let of = StoredValue::new(of);
    let is_there = Memo::new(move |_| paper.with(Option::is_some));
    // Few steps have a note: whoever has none pays for nothing else.
    move || is_there.get().then(|| view! { <Sheet of=of paper=paper /> })
}

#[component]
fn Sheet(of: StoredValue<NoteOf>, paper: Memo<Option<Paper>>) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let is_own = of.with_value(|of| *of == NoteOf::Workflow);
    let text = Memo::new(move |_| {
        editor.document.with(|document| of.with_value(|of| noting::text_of(document, of))).unwrap_or_default()
    });
    let is_open = Memo::new(move |_| of.with_value(|of| noting::is_open(editor, of)));
    let cut = Memo::new(move |_| paper.get().is_some_and(|paper| paper.cut));
    let place = move || paper.get().map(|paper| paper.rect).unwrap_or_default();
    let open = move || noting::open(app, of.get_value());
    // A finger has no second click to spare.
    let tap = move |event: ev::MouseEvent| {
        if event.dyn_ref::<web_sys::PointerEvent>().is_some_and(|event| event.pointer_type() == "touch") {
            open();
        }
    };
    let content = move || {
        if is_open.get() {
            let note = OpenNote { of, text, paper };
            // The field comes in a file of its own, a moment after the first card.
            return app.chunks.views.show("This note", move |views| (views.note)(note)).into_any();
        }
        let label = move || {
            let act = if cut.get() { "more" } else { "Edit" };
            format!("{act}: {}", of.with_value(|of| noting::name_of(app.editor, of)))
        };
        view! {
            // The name of a card says the note of its step already; nobody else says that of the workflow.
            <div class="paper-text" aria-hidden=(!is_own).then_some("true") on:dblclick=move |_| open() on:click=tap>{text}</div>
            <button
                class="paper-edit"
                title=label
                aria-label=label
                on:pointerdown=|event| event.stop_propagation()
                on:click=move |_| open()
            >
                {move || if cut.get() { "more".into_any() } else { icon(PENCIL).into_any() }}
            </button>
        }
        .into_any()
    };
    view! {
        <div
            class="paper"
            class:cut=cut
            class:of-workflow=is_own
            role=is_own.then_some("note")
            aria-label=is_own.then_some("Note on the workflow")
            style:transform=move || is_own.then(|| translate(place().x, place().y))
            style:width=move || px(place().width)
            style=("--lines", move || paper.get().map_or(0, |paper| paper.lines).to_string())
            style:height=move || px(place().height)
        >
            {content}
        </div>
    }
}
