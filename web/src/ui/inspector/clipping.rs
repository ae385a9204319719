//! The system's clipboard outside of fields: selected steps are copied, cut and pasted as a small workflow, and a `curl`
//! command becomes a step that sends its request.

use leptos::ev;
use leptos::prelude::*;
use stepweave_core::document::{HttpRequest, StepKind};
use wasm_bindgen::JsCast;

use super::super::dropping;
use super::fields::curl::take;
use crate::model::clip;
use crate::model::cut::said_of_cut;
use crate::model::pasted::steps_in;
use crate::model::requests::name_of;
use crate::page::state::{App, document_file};
use crate::step::kinds::{Kind, free_name};

/// Bytes of text that are looked at.
const MOST_BYTES: usize = 10_000_000;

/// Listens for what is copied, cut and pasted.
pub fn listen(app: App) {
    let copied = window_event_listener(ev::copy, move |event| {
        if let Some(ids) = copy(app, &event) {
            app.editor.notice.set(Some(match ids.len() {
                1 => "1 step copied.".to_owned(),
                many => format!("{many} steps copied."),
            }));
        }
    });
    let cut = window_event_listener(ev::cut, move |event| {
        if let Some(ids) = copy(app, &event) {
            take_out(app, &ids);
        }
    });
    let pasted = window_event_listener(ev::paste, move |event| {
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
        let text = text.filter(|text| !is_elsewhere(app, &event) && text.len() <= MOST_BYTES);
        // Files and pictures have no text.
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return };
        if paste(app, &text) {
            event.prevent_default();
        } else {
            let said = "What is on the clipboard is no step of a workflow.";
            app.editor.notice.set(Some(said.to_owned()));
        }
    });
    on_cleanup(move || {
        copied.remove();
        cut.remove();
        pasted.remove();
    });
}

/// Puts the selected steps on the clipboard, with what they use; gives their ids.
fn copy(app: App, event: &ev::ClipboardEvent) -> Option<Vec<String>> {
    let ids = app.editor.chosen();
    if ids.is_empty() || is_elsewhere(app, event) || is_text_selected() {
        return None;
    }
    let text = app.editor.document.with_untracked(|document| document_file(&clip::copy(document, &ids)));
    event.clipboard_data()?.set_data("text/plain", &text).ok()?;
    event.prevent_default();
    Some(ids)
}

/// Takes steps out that are on the clipboard, and says who misses them until they are pasted.
fn take_out(app: App, ids: &[String]) {
    let said = app.editor.document.with_untracked(|document| said_of_cut(document, ids));
    app.editor.remove(ids);
    // Nothing was taken out where another tab edits, which is said already.
    if said.is_some() && !app.editor.following.get_untracked() {
        app.editor.notice.set(said);
    }
}

/// Whether a text was something for the workflow.
fn paste(app: App, text: &str) -> bool {
    if is_command(text) {
        match take(app, text) {
            Ok(request) => put(app, request),
            Err(why) => app.editor.notice.set(Some(why)),
        }
        return true;
    }
    if is_foreign(text) {
        dropping::import(app, text.to_owned());
        return true;
    }
    match steps_in(text) {
        Some(Ok(clip)) => app.editor.paste(clip),
        Some(Err(why)) => app.editor.notice.set(Some(why)),
        None => return false,
    }
    true
}

/// Puts a step that sends a request behind the selected one.
fn put(app: App, request: HttpRequest) {
    let mut step = app.editor.document.with_untracked(|document| {
        let mut step = Kind::Http.blank(document);
        if let Some(name) = name_of(&request) {
            step.name = free_name(document, &name);
        }
        step
    });
    if let StepKind::Http(call) = &mut step.kind {
        call.http = request;
    }
    app.inspecting.set(true);
    app.editor.append_step(step);
}

/// Whether this may be a workflow of another tool, which the import dialog looks at: n8n's nodes, OpenAI's code, Dify's app.
fn is_foreign(text: &str) -> bool {
    let is_data = text.trim_start().starts_with('{');
    (is_data
        && text.contains("\"nodes\"")
        && (text.contains("\"connections\"") || text.contains("\"edges\"")))
        || (!is_data && text.contains("@openai/agents") && text.contains("import "))
        || (!is_data && text.contains("\nworkflow:") && text.contains("app:"))
}

fn is_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word == "curl" || word == "curl.exe"
}

/// Whether a field or a dialog is concerned.
fn is_elsewhere(app: App, event: &ev::ClipboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let in_field = target.is_some_and(|element| {
        element.closest("input:not([type=checkbox]), textarea, select, .code-field").ok().flatten().is_some()
    });
    in_field || app.dialog.with_untracked(Option::is_some)
}

/// Whether a person has marked a piece of text, such as an output.
fn is_text_selected() -> bool {
    let selection = window().get_selection().ok().flatten();
    selection.is_some_and(|selection| !selection.is_collapsed())
}
