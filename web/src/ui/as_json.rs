//! The document as text, in the place of the canvas: what is valid changes it, what is not stays as it was typed.

use std::time::Duration;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::Edit;
use stepweave_core::validate::check_structure;

use super::commands::acts;
use crate::model::locate::path_to;
use crate::model::problem::{DOCUMENT, Problem};
use crate::model::written::{Place, place_of, span_of_line};
use crate::page::icon::{CLOSE, WARNING, icon};
use crate::page::state::{App, Dialog, app, document_file};

/// Typing that has paused for so long is one change.
const PAUSE: Duration = Duration::from_millis(350);

/// How many problems are listed.
const MOST: usize = 20;

/// How high a line is, and how far from the top the first one begins, in pixels as in the style sheet.
const LINE: i32 = 18;
const TOP: i32 = 10;

/// How many lines above the one that is shown are seen too.
const BEFORE: usize = 6;

/// The JSON over the canvas, once somebody asks for it.
#[component]
pub fn AsJson() -> impl IntoView {
    let app = app();
    let chunk = app.chunks.dialogs;
    Effect::new(move || {
        if app.as_json.get() {
            chunk.fetch();
        }
    });
    move || {
        app.as_json.get().then(|| {
            view! {
                <section class="as-json" aria-label="The workflow as JSON" on:pointerdown=|event| event.stop_propagation()>
                    {chunk.show("JSON", |content| content(Dialog::Json))}
                </section>
            }
        })
    }
}

/// A problem and where in the text it is.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    place: Place,
    problem: Problem,
}

/// The text with its lines numbered, and its problems below.
#[component]
pub fn Json() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let node = NodeRef::<html::Textarea>::new();
    let gutter = NodeRef::<html::Pre>::new();
    // What is typed stays as it is typed; the document is written anew when it changes elsewhere.
    let typed = RwSignal::new(None::<String>);
    let own = StoredValue::new(None::<Document>);
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let draft = Memo::new(move |_| editor.drafts.with(|drafts| drafts.get(DOCUMENT).cloned()));
    let text = Memo::new(move |_| {
        typed.get().or_else(|| draft.get()).unwrap_or_else(|| editor.document.with(document_file))
    });
    let found = Memo::new(move |_| {
        let problems = match draft.get() {
            Some(draft) => check_structure(&draft).problems.into_iter().map(Problem::from).collect(),
            None => app.problems.get(),
        };
        text.with(|text| {
            let placed = |problem: Problem| {
                let (place, message) = place_of(text, &problem.path, &problem.message);
                Found { place, problem: Problem { message, ..problem } }
            };
            problems.into_iter().take(MOST).map(placed).collect::<Vec<_>>()
        })
    });
    let is_draft = Memo::new(move |_| draft.with(Option::is_some));
    let take = move || {
        // A field that goes away while it has the focus is left once more, when nothing waits any longer.
        if let Some(timer) = waiting.try_update_value(Option::take).flatten() {
            timer.clear();
            typed.get_untracked().into_iter().for_each(|written| take_over(app, own, &written));
        }
    };
    let on_input = move |event: ev::Event| {
        typed.set(Some(event_target_value(&event)));
        if let Some(timer) = waiting.get_value() {
            timer.clear();
        }
        // A timer that cannot be set leaves the text until the field is left.
        waiting.set_value(set_timeout_with_handle(take, PAUSE).ok());
    };
    let leave = move || {
        take();
        editor.seal();
    };
    on_cleanup(leave);
    let show = move |line: usize| {
        // It may have been closed in the same frame.
        if let Some(area) = node.try_get_untracked().flatten() {
            text.with_untracked(|text| show_line(&area, text, line));
        }
    };
    // A change from elsewhere, such as undo, is shown where it begins.
    Effect::new(move || {
        let elsewhere = editor.document.with(|document| own.with_value(|own| own.as_ref() != Some(document)));
        if !elsewhere || is_draft.get() || waiting.with_value(Option::is_some) {
            return;
        }
        let before = text.get_untracked();
        let is_first = own.with_value(Option::is_none);
        own.set_value(Some(editor.document.get_untracked()));
        typed.set(None);
        if !is_first {
            let same = text.with_untracked(|now| {
                now.lines().zip(before.lines()).take_while(|(now, before)| now == before).count()
            });
            request_animation_frame(move || show(same + 1));
        }
    });
    // The step that is selected is shown where it stands.
    Effect::new(move || {
        if node.get().is_some()
            && let Some(id) = editor.selected.get()
            && let Some(path) = editor.document.with_untracked(|document| path_to(document, &id))
        {
            let line = text.with_untracked(|text| place_of(text, &path, "").0.line);
            // The text is in the field by then.
            request_animation_frame(move || show(line));
        }
    });
    let focus = move || {
        node.get_untracked().into_iter().for_each(|area| {
            // It is in the page, so it takes the focus.
            let _ = area.focus();
        });
    };
    Effect::new(move || {
        if node.get().is_some() {
            focus();
        }
    });
    let forget = move |_| {
        typed.set(None);
        editor.draft(DOCUMENT, None);
        focus();
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let command = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "Escape" => {
                event.prevent_default();
                acts::toggle_json(app);
            }
            "z" | "Z" | "y" | "Y" if command => {
                take();
                if is_draft.get_untracked() {
                    // The document does not have what was typed last; the browser's own undo does.
                    event.stop_propagation();
                }
            }
            _ => {}
        }
    };
    let follow_scroll = move |_: ev::Event| {
        if let (Some(area), Some(lines)) = (node.get_untracked(), gutter.get_untracked()) {
            lines.set_scroll_top(area.scroll_top());
        }
    };
    let count = Memo::new(move |_| text.with(|text| text.split('\n').count()));
    let numbers = move || (1..=count.get()).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    let mark = |Found { place, problem }: Found| {
        let top = format!("{}px", height_of(place.line - 1).saturating_add(TOP));
        view! { <i class="as-json-mark" data-severity=problem.severity style:top=top></i> }
    };
    let row = move |Found { place, problem }: Found| {
        let said = match place.column {
            Some(column) => format!("Line {}, column {column}", place.line),
            None => format!("Line {}", place.line),
        };
        let go = move |_| {
            focus();
            show(place.line);
        };
        view! {
            <li><button class="problem" data-severity=problem.severity on:click=go>
                {icon(WARNING)}
                <span><b>{said}</b> " " {problem.message}<small>{problem.hint}</small></span>
            </button></li>
        }
    };
    let says = move || match (editor.following.get(), is_draft.get()) {
        (true, _) => "Another tab edits this workflow.",
        (false, false) => "What you type changes the workflow as soon as it is valid.",
        (false, true) => "The workflow is as it was before, until this is valid. Your text is kept.",
    };
    view! {
        <header>
            <h2>"JSON"</h2>
            <span class="field-hint">{says}</span>
            <Show when=move || is_draft.get() && !editor.following.get()>
                <button class="text-button" on:click=forget>"Back to what is valid"</button>
            </Show>
            <button class="icon-button" title="Close (Esc)" aria-label="Close JSON" on:click=move |_| acts::toggle_json(app)>{icon(CLOSE)}</button>
        </header>
        <div class="as-json-text">
            <pre class="as-json-lines code" aria-hidden="true" node_ref=gutter>
                {numbers}
                {move || found.get().into_iter().map(mark).collect_view()}
            </pre>
            <textarea
                class="code"
                aria-label="JSON of the workflow"
                aria-invalid=move || is_draft.get().to_string()
                aria-describedby="as-json-problems"
                spellcheck="false"
                autocomplete="off"
                wrap="off"
                readonly=editor.following
                node_ref=node
                prop:value=text
                on:input=on_input
                on:blur=move |_| leave()
                on:scroll=follow_scroll
                on:keydown=on_key
            ></textarea>
        </div>
        <ul class="problems" id="as-json-problems" aria-label="Problems" aria-live="polite" hidden=move || found.with(Vec::is_empty)>
            {move || found.get().into_iter().map(row).collect_view()}
        </ul>
    }
}

/// Makes the text the document, or keeps it as a draft while it is none.
fn take_over(app: App, own: StoredValue<Option<Document>>, written: &str) {
    match check_structure(written).document {
        Some(document) => {
            let is_new = app.editor.document.with_untracked(|now| *now != document);
            own.set_value(Some(document.clone()));
            app.editor.draft(DOCUMENT, None);
            if is_new {
                app.editor.make(Edit::Whole(Box::new(document)));
            }
        }
        None => app.editor.draft(DOCUMENT, Some(written.to_owned())),
    }
}

/// Puts the caret on a line, and scrolls to it.
fn show_line(area: &web_sys::HtmlTextAreaElement, text: &str, line: usize) {
    let span = span_of_line(text, line);
    let units = |offset: usize| {
        u32::try_from(text.get(..offset).map_or(0, |part| part.encode_utf16().count())).unwrap_or(0)
    };
    // A range within its own text is always valid.
    let _ = area.set_selection_range(units(span.start), units(span.end));
    area.set_scroll_top(height_of(line.saturating_sub(BEFORE)));
}

/// How high so many lines are.
fn height_of(lines: usize) -> i32 {
    i32::try_from(lines).unwrap_or(i32::MAX).saturating_mul(LINE)
}
