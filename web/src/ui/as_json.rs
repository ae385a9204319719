//! The document as text, in the place of the canvas: what is valid changes it, what is not stays as it was typed.

use std::time::Duration;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::Edit;
use stepweave_core::validate::check_structure;
use wasm_bindgen::JsCast;

use self::area::{Area, top_of};
use super::commands::acts;
use crate::model::kept::{self, Fate, is_of_another, version_of};
use crate::model::locate::path_to;
use crate::model::problem::{DOCUMENT, Problem};
use crate::model::reading::{Flaw, units};
use crate::model::written::{Place, place_of, span_of_line};
use crate::page::focus::focus_in_place;
use crate::page::icon::{CLOSE, WARNING, icon};
use crate::page::state::{App, Dialog, app, document_file};
use crate::step::upright::upright;

pub mod area;

/// Typing that has paused for so long is one change.
const PAUSE: Duration = Duration::from_millis(350);

/// Typing that does not pause is taken over every so often: what is not may be lost.
const LONGEST: Duration = Duration::from_secs(1);

/// How many problems are listed.
const MOST: usize = 20;

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
    give_focus_back(app);
    let area = Area::new(app);
    let gutter = NodeRef::<html::Pre>::new();
    // What is typed stays as it is typed; the document is written anew when it changes elsewhere.
    let typed = RwSignal::new(None::<String>);
    // Meanwhile nothing is looked at and shown: a long text would be read with each key.
    let is_typing = RwSignal::new(false);
    let own = StoredValue::new(None::<Document>);
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let latest = StoredValue::new(None::<TimeoutHandle>);
    let draft = Memo::new(move |_| editor.drafts.with(|drafts| drafts.get(DOCUMENT).cloned()));
    let text = Memo::new(move |before: Option<&String>| match before {
        Some(before) if is_typing.get() => before.clone(),
        _ => typed.get().or_else(|| draft.get()).unwrap_or_else(|| editor.document.with(document_file)),
    });
    // A text that is kept is looked at by itself: its problems, and whether it is a workflow all the same.
    let looked = Memo::new(move |_| {
        draft.with(|draft| {
            let check = check_structure(draft.as_ref()?);
            let problems: Vec<Problem> = check.problems.into_iter().map(Problem::from).collect();
            Some((problems, check.document.is_some()))
        })
    });
    let found = Memo::new(move |_| {
        let problems = looked.get().map_or_else(|| app.problems.get(), |(problems, _)| problems);
        text.with(|text| {
            let placed = |problem: Problem| {
                let (place, message) = place_of(text, &problem.path, &problem.message);
                Found { place, problem: Problem { message, ..problem } }
            };
            problems.into_iter().take(MOST).map(placed).collect::<Vec<_>>()
        })
    });
    let is_draft = Memo::new(move |_| draft.with(Option::is_some));
    let is_wrong = Memo::new(move |_| looked.with(|looked| matches!(looked, Some((_, false)))));
    let is_other = Memo::new(move |_| {
        editor.drafts.with(|drafts| editor.document.with(|document| is_of_another(drafts, document)))
    });
    let take_in = move |written: String| {
        if take_over(app, own, &written) {
            area.settle();
        }
        typed.set(Some(written));
        is_typing.set(false);
    };
    let take = move || {
        // A field that goes away while it has the focus is left once more, when nothing waits any longer.
        if let Some(timer) = waiting.try_update_value(Option::take).flatten()
            && let Some(written) = area.text()
        {
            timer.clear();
            latest.update_value(|latest| latest.take().iter().for_each(TimeoutHandle::clear));
            take_in(written);
        }
    };
    let on_input = move |_: ev::Event| {
        is_typing.set(true);
        if let Some(timer) = waiting.get_value() {
            timer.clear();
        }
        // A timer that cannot be set leaves the text until the field is left.
        waiting.set_value(set_timeout_with_handle(take, PAUSE).ok());
        if latest.with_value(Option::is_none) {
            latest.set_value(set_timeout_with_handle(take, LONGEST).ok());
        }
    };
    let leave = move || {
        take();
        editor.seal();
    };
    // Whoever leaves the page takes what was typed last along.
    let leaving = window_event_listener(ev::Custom::<web_sys::Event>::new("pagehide"), move |_| take());
    on_cleanup(move || {
        leaving.remove();
        leave();
        area.close();
    });
    Effect::new(move || {
        area.is_plain.track();
        if !is_typing.get() {
            text.with(|text| found.with(|found| area.show(text, &flaws_of(text, found))));
        }
    });
    let show = move |line: usize| {
        // It may have been closed in the same frame.
        let _ = text.try_with_untracked(|text| area.reveal(text, span_of_line(text, line)));
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
        if area.node.get().is_some()
            && let Some(id) = editor.selected.get()
            && let Some(path) = editor.document.with_untracked(|document| path_to(document, &id))
        {
            let line = text.with_untracked(|text| place_of(text, &path, "").0.line);
            // The text is in the field by then.
            request_animation_frame(move || show(line));
        }
    });
    Effect::new(move || {
        if area.node.get().is_some() {
            area.focus();
        }
    });
    let forget = move |_| {
        typed.set(None);
        give_up(app);
        area.focus();
    };
    // From here on it was typed over the workflow as it is now, in whose place it is put once it is valid.
    let keep = move |_| {
        editor.draft(kept::BASE, Some(editor.document.with_untracked(version_of)));
        if let Some(written) = area.text() {
            take_in(written);
        }
        area.focus();
    };
    // Before the field knows of the key: what was typed last is taken over before anything is taken back.
    let before_key = move |event: ev::KeyboardEvent| {
        if is_of_history(&event) {
            take();
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" && !event.default_prevented() {
            event.prevent_default();
            acts::toggle_json(app);
        }
        if is_of_history(&event) && is_draft.get_untracked() {
            // The document does not have what was typed last; the field's own history does.
            event.stop_propagation();
        }
    };
    let follow_scroll = move |_: ev::Event| {
        if let (Some(area), Some(lines)) = (area.node.get_untracked(), gutter.get_untracked()) {
            lines.set_scroll_top(area.scroll_top());
        }
    };
    let count = Memo::new(move |_| text.with(|text| text.split('\n').count()));
    let numbers = move || (1..=count.get()).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    let mark = |Found { place, problem }: Found| {
        let top = format!("{}px", top_of(place.line - 1));
        view! { <i class="as-json-mark" data-severity=problem.severity style:top=top></i> }
    };
    let row = move |Found { place, problem }: Found| {
        let said = match place.column {
            Some(column) => format!("Line {}, column {column}", place.line),
            None => format!("Line {}", place.line),
        };
        let span = place.span;
        let go = move |_| {
            area.focus();
            text.with_untracked(|text| area.reveal(text, span.clone()));
        };
        view! {
            <li><button class="problem" data-severity=problem.severity on:click=go>
                {icon(WARNING)}
                <span><b>{said}</b> " " {upright(problem.message)}<small>{upright(problem.hint)}</small></span>
            </button></li>
        }
    };
    let says = move || match (editor.following.get(), is_draft.get()) {
        (true, _) => "Another tab edits this workflow.",
        (false, false) => "What you type changes the workflow as soon as it is valid.",
        (false, true) if is_other.get() => "The workflow has changed since this text was written.",
        (false, true) if is_wrong.get() => {
            "The workflow is as it was before, until this is valid. Your text is kept."
        }
        // What had changed was taken back.
        (false, true) => "This text is no part of the workflow yet.",
    };
    let back = move || view! { <button class="text-button" on:click=forget>"Back to what is valid"</button> };
    let choice = move || {
        view! {
            <button class="text-button" title="Gives this text up." on:click=forget>"Show the workflow as it is"</button>
            <button class="text-button" title="Puts this text in the place of the workflow as soon as it is valid." on:click=keep>
                "Use this text instead"
            </button>
        }
    };
    let is_back = Memo::new(move |_| is_wrong.get() && !is_other.get());
    let ways = move || if is_back.get() { back().into_any() } else { choice().into_any() };
    view! {
        <header>
            <h2>"JSON"</h2>
            <span class="field-hint" role="status">{says}</span>
            <Show when=move || is_draft.get() && !editor.following.get()>{ways}</Show>
            <button class="icon-button" title="Close (Esc)" aria-label="Close JSON" on:click=move |_| acts::toggle_json(app)>{icon(CLOSE)}</button>
        </header>
        <div class="as-json-text" class:wrong=is_draft on:keydown:capture=before_key on:keydown=on_key>
            <Show when=move || area.is_plain.get()>
                <pre class="as-json-lines code" aria-hidden="true" node_ref=gutter>
                    {numbers}
                    {move || found.get().into_iter().map(mark).collect_view()}
                </pre>
            </Show>
            <textarea
                class="code"
                aria-label="JSON of the workflow"
                aria-invalid=move || is_wrong.get().to_string()
                aria-describedby="as-json-problems"
                spellcheck="false"
                autocomplete="off"
                wrap="off"
                readonly=editor.following
                node_ref=area.node
                prop:value=text
                on:input=on_input
                on:blur=move |_| leave()
                on:scroll=follow_scroll
            ></textarea>
        </div>
        <ul class="problems" id="as-json-problems" aria-label="Problems" aria-live="polite" hidden=move || found.with(Vec::is_empty)>
            {move || found.get().into_iter().map(row).collect_view()}
        </ul>
    }
}

/// Once the view is closed the keyboard is at the selected step or, where none is, at what had the focus before.
fn give_focus_back(app: App) {
    let before = StoredValue::new_local(focused());
    on_cleanup(move || {
        let before = before.try_get_value().flatten();
        request_animation_frame(move || {
            // What was opened in its place has the focus.
            if focused().is_some() {
                return;
            }
            match (app.editor.selected.get_untracked(), before) {
                (None, Some(before)) => focus_in_place(&before),
                (selected, _) => app.editor.focus.set(selected),
            }
        });
    });
}

/// What has the focus, if that is more than the page.
fn focused() -> Option<web_sys::HtmlElement> {
    let element = document().active_element().filter(|element| element.tag_name() != "BODY")?;
    element.dyn_into().ok()
}

/// Makes the text the document, or keeps it as a draft while it is none, or while nobody has said that it shall take the
/// place of another version than the one that it was typed over. Whether the document is another one then.
fn take_over(app: App, own: StoredValue<Option<Document>>, written: &str) -> bool {
    let editor = app.editor;
    let fate = editor.drafts.with_untracked(|drafts| {
        editor
            .document
            .with_untracked(|now| own.with_value(|own| kept::fate_of(written, drafts, own.as_ref(), now)))
    });
    match fate {
        Fate::Taken(document) => {
            let is_new = editor.document.with_untracked(|now| *now != *document);
            own.set_value(Some((*document).clone()));
            give_up(app);
            if is_new {
                editor.make(Edit::Whole(document));
            }
            is_new
        }
        Fate::Kept(base) => {
            // First the version: a text without one is of another version than any.
            if editor.drafts.with_untracked(|drafts| drafts.get(kept::BASE) != Some(&base)) {
                editor.draft(kept::BASE, Some(base));
            }
            editor.draft(DOCUMENT, Some(written.to_owned()));
            false
        }
    }
}

/// Keeps no text beside the workflow any longer.
fn give_up(app: App) {
    app.editor.draft(DOCUMENT, None);
    app.editor.draft(kept::BASE, None);
}

/// What the editor marks: each problem with what to do about it.
fn flaws_of(text: &str, found: &[Found]) -> Vec<Flaw> {
    let flaw = |Found { place, problem }: &Found| Flaw {
        from: units(text, place.span.start),
        to: units(text, place.span.end),
        message: match problem.hint.as_str() {
            "" => problem.message.clone(),
            hint => format!("{}: {hint}", problem.message),
        },
        severity: problem.severity.clone(),
    };
    found.iter().map(flaw).collect()
}

/// Whether a key takes something back, or makes it again.
fn is_of_history(event: &ev::KeyboardEvent) -> bool {
    (event.ctrl_key() || event.meta_key()) && matches!(event.key().as_str(), "z" | "Z" | "y" | "Y")
}
