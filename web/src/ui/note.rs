//! The field that a note is written in, on its paper.

use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;

use crate::geometry::{Point, Rect};
use crate::layout::note::NoteOf;
use crate::page::focus::focus_in_place;
use crate::page::noting::{self, OpenNote};
use crate::page::state::{App, app};
use crate::ui::commands::is_done;

/// The field that a note is written in.
#[component]
pub fn Field(
    /// The note.
    note: OpenNote,
) -> impl IntoView {
    let OpenNote { of, text, paper } = note;
    let app = app();
    let editor = app.editor;
    let node = NodeRef::<html::Textarea>::new();
    let settled = StoredValue::new(false);
    Effect::new(move || {
        let Some(field) = node.get() else { return };
        let end = field.value().encode_utf16().count() as u32;
        // A field of text has a caret.
        let _ = field.set_selection_range(end, end);
        focus_in_place(&field);
        // The menu or dialog that it was opened from may still give the focus back to what had it before.
        request_animation_frame(move || {
            focus_in_place(&field);
            settled.try_set_value(true);
        });
    });
    // It grows with what is typed.
    Effect::new(move || {
        paper.track();
        reveal(app, of);
    });
    let close = move || of.with_value(|of| noting::close(editor, of));
    let key = move |event: ev::KeyboardEvent| {
        if is_done(&event) || (event.key() == "Escape" && !event.is_composing()) {
            event.prevent_default();
            close();
            leave(app, of);
        }
    };
    let blur = move |event: ev::FocusEvent| {
        // It keeps the focus when the whole window loses it. One that goes away while it has the focus is left too, and
        // has nothing to say any more.
        let field = event.target().and_then(|field| field.dyn_into::<web_sys::Element>().ok());
        if settled.try_get_value() == Some(true) && document().active_element() != field {
            close();
        }
    };
    let wheel = move |event: ev::WheelEvent| {
        let scrolls = node.get_untracked().is_some_and(|field| field.scroll_height() > field.client_height());
        if scrolls && !event.ctrl_key() && !event.meta_key() {
            event.stop_propagation();
        }
    };
    view! {
        <textarea
            class="paper-field"
            aria-label=move || of.with_value(|of| noting::name_of(editor, of))
            placeholder="For the people who read this workflow"
            readonly=editor.following
            prop:value=text
            node_ref=node
            on:input=move |event| of.with_value(|of| noting::write(editor, of, event_target_value(&event)))
            on:keydown=key
            on:blur=blur
            on:wheel=wheel
            on:pointerdown=|event| event.stop_propagation()
            on:mousedown=|event| event.stop_propagation()
        ></textarea>
    }
}

/// Shows all of an open note, with the card that it belongs to.
fn reveal(app: App, of: StoredValue<NoteOf>) {
    let rect = app.editor.layout.with_untracked(|layout| {
        of.with_value(|of| match of {
            NoteOf::Workflow => {
                let corner = Point::new(layout.start.right(), layout.start.bottom());
                layout.paper.map(|paper| Rect::around(Point::new(paper.rect.x, paper.rect.y), corner))
            }
            NoteOf::Step(id) => layout.card(id).map(|card| card.with_paper()),
        })
    });
    rect.into_iter().for_each(|rect| app.camera.reveal(rect));
}

/// From the field back to what the note belongs to.
fn leave(app: App, of: StoredValue<NoteOf>) {
    match of.get_value() {
        NoteOf::Step(id) => app.editor.focus.set(Some(id)),
        // What is left of it, if anything, is drawn by then.
        NoteOf::Workflow => request_animation_frame(|| {
            let button = document().query_selector(".of-workflow .paper-edit, .pill.start").ok().flatten();
            if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
                focus_in_place(&button);
            }
        }),
    }
}
