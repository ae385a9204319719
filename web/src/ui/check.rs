//! Keeps the list of problems up to date: structure at once, templates a moment later in the worker.

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use serde_json::{Map, Value, json};
use stepweave_core::document::Document;
use stepweave_core::json;
use stepweave_core::validate::check_structure;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use crate::bridge::Bridge;
use crate::model::change::Drafts;
use crate::model::drafts::{Rows, settled, unfinished};
use crate::model::lists::no_lists;
use crate::model::problem::{Flaws, INPUT, Problem};
use crate::model::sites::left_out;
use crate::model::{plain_items, problem, unsaid};
use crate::page::focus::is_typing;
use crate::page::state::{App, document_text};

const PAUSE: Duration = Duration::from_millis(350);

/// How long after that a person still writes: what is missing in the middle of a word is not wrong yet.
const WRITING: Duration = Duration::from_millis(650);

/// Checks the document whenever it has been left alone for a moment.
pub fn follow(app: App) {
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let number = StoredValue::new(0_u64);
    Effect::new(move || {
        app.editor.document.track();
        app.editor.drafts.track();
        // At once: a new row has nothing to do with what was written into the one that was there before.
        spawn_local(async move { drop(half_written(app).await) });
        if let Some(timer) = waiting.get_value() {
            timer.clear();
        }
        number.update_value(|number| *number += 1);
        let own = number.get_value();
        let is_now = move || number.get_value() == own;
        // A timer that cannot be set leaves the list as it is; a run checks again by itself.
        let ask = move || {
            if is_now() {
                spawn_local(look(app, is_now));
            }
        };
        let timer = set_timeout_with_handle(ask, PAUSE);
        waiting.set_value(timer.ok());
    });
}

/// Checks the document, and shows what was found as long as that is of the document as it is now. While a person writes
/// nothing comes up beside it; what is mended goes.
async fn look(app: App, is_now: impl Fn() -> bool + 'static) {
    let found = find(app).await;
    if !is_now() {
        return;
    }
    if !is_typing() {
        return show(app, found);
    }
    let known = app.problems.with_untracked(|known| known_of(&found, known));
    show(app, known);
    set_timeout(
        move || {
            if is_now() {
                show(app, found);
            }
        },
        WRITING,
    );
}

/// Checks the document as it is now, then goes on.
pub fn check_then(app: App, go_on: impl FnOnce() + 'static) {
    spawn_local(async move {
        show(app, find(app).await);
        go_on();
    });
}

/// Every problem of the document as it is now, and of what is half written in its fields.
async fn find(app: App) -> Vec<Problem> {
    let text = app.editor.document.with_untracked(|document| as_run_here(app, document));
    let bridge = app.bridge.get_value();
    let mut found = problems(&bridge, &text).await;
    found.extend(half_written(app).await);
    let own = warnings().await.ok();
    app.editor.document.with_untracked(|document| own.iter().for_each(|add| add(document, &mut found)));
    found
}

/// The problems that half written fields are. What was written into a field that is gone is forgotten.
async fn half_written(app: App) -> Vec<Problem> {
    let judge = match app.editor.drafts.with_untracked(Drafts::is_empty) {
        true => {
            app.editor.draft_rows.set_value(Rows::new());
            return Vec::new();
        }
        false => drafts().await,
    };
    let Ok(judge) = judge else { return Vec::new() };
    let before = app.editor.drafts.get_untracked();
    let seen = app.editor.draft_rows.get_value();
    let (problems, drafts, rows) =
        app.editor.document.with_untracked(|document| judge(document, &before, &seen));
    // Who follows another tab stores nothing.
    if !app.editor.following.get_untracked() {
        app.editor.draft_rows.set_value(rows);
        let is_other = |key: &&String| before.get(*key) != drafts.get(*key);
        let changed = before.keys().chain(drafts.keys().filter(|key| !before.contains_key(*key)));
        for key in changed.filter(is_other) {
            app.editor.place_draft(key, drafts.get(key).cloned());
        }
    }
    problems
}

fn show(app: App, found: Vec<Problem>) {
    let flaws = app.editor.document.with_untracked(|document| Flaws::of(document, &found));
    if app.flaws.with_untracked(|known| *known != flaws) {
        app.flaws.set(flaws);
    }
    if app.problems.with_untracked(|known| *known != found) {
        app.problems.set(found);
    }
}

/// What was found where something was known.
fn known_of(found: &[Problem], known: &[Problem]) -> Vec<Problem> {
    let is_known = |one: &&Problem| known.iter().any(|other| other.path == one.path);
    found.iter().filter(is_known).cloned().collect()
}

/// The document as the engine checks it. Runs of the page are given what `input` says and what a chat fills in, and nothing
/// else: without an `input`, a name that nothing gives is a fault here, while whoever runs the same file may give it more.
fn as_run_here(app: App, document: &Document) -> String {
    let text = document_text(document);
    if document.input.is_some() {
        return text;
    }
    untrack(|| {
        let all = app.chat.all.get();
        let mut filled: Vec<String> = all.iter().filter_map(|one| app.chat.input_of(one)).collect();
        // Two conversations may fill in the same key, and a schema names it once.
        filled.sort();
        filled.dedup();
        with_input(text, all.into_iter().flat_map(|one| one.inputs), filled)
    })
}

/// A document that a run gives these keys, and the filled ones always.
fn with_input(mut text: String, keys: impl Iterator<Item = String>, filled: Vec<String>) -> String {
    let properties: Map<String, Value> =
        keys.chain(filled.iter().cloned()).map(|key| (key, Value::Bool(true))).collect();
    let input = json!({ "type": "object", "properties": properties, "required": filled });
    // It is the object's first key: an object is not empty, for it has a version.
    text.insert_str(1, &format!("\"{INPUT}\":{},", json::text(&input)));
    text
}

/// Every problem of a document. Without the engine's answer its structure has to do.
pub async fn problems(bridge: &Bridge, text: &str) -> Vec<Problem> {
    match bridge.validate(text).await {
        Some(found) => found,
        None => structure().await.map(|check| check(text)).unwrap_or_default(),
    }
}

/// What adds to the problems of a document what the page alone knows of it, and sorts them.
type Adding = fn(&Document, &mut Vec<Problem>);

/// It comes with the views, which show it.
#[wasm_split(views, fallible, wasm_split_path = leptos::wasm_split)]
fn warnings() -> Result<Adding, SplitLoaderError> {
    Ok(|document, found| {
        plain_items::tell(document, found);
        unsaid::tell(document, found);
        found.extend(left_out(document).into_iter().chain(no_lists(document)));
        problem::sort(document, found);
    })
}

/// What the page itself can check comes with the dialogs, which check what is imported.
#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn structure() -> Result<fn(&str) -> Vec<Problem>, SplitLoaderError> {
    Ok(|text| check_structure(text).problems.into_iter().map(Problem::from).collect())
}

/// What becomes of half written fields, whose rows were these: the problems that they are, those that are left, and their
/// rows.
type Judge = fn(&Document, &Drafts, &Rows) -> (Vec<Problem>, Drafts, Rows);

/// That is for the grammar to say, which comes with the dialogs.
#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn drafts() -> Result<Judge, SplitLoaderError> {
    Ok(|document, drafts, seen| {
        let (drafts, rows) = settled(document, drafts, seen);
        (unfinished(document, &drafts), drafts, rows)
    })
}

/// Gives the keyboard's focus to the first problem of the list.
pub fn focus_problems() {
    request_animation_frame(|| {
        let first = document().query_selector(".problem").ok().flatten();
        if let Some(element) = first.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            // A row that cannot be focused is still there to be seen.
            let _ = element.focus();
        }
    });
}

#[cfg(test)]
mod tests {
    use stepweave_core::validate::validate;

    use super::*;

    #[test]
    fn while_a_person_writes_what_is_mended_goes_and_nothing_comes() {
        let problem = |path: &str, message: &str| -> Problem {
            let found = json!({ "path": path, "message": message, "severity": "error" });
            serde_json::from_value(found).unwrap()
        };
        let known = [problem("a", "as it was"), problem("b", "mended now")];
        let found = [problem("a", "as it is"), problem("c", "half written")];
        assert_eq!(known_of(&found, &known), [problem("a", "as it is")]);
    }

    #[test]
    fn what_a_chat_fills_in_is_there() {
        let document = json!({ "version": 1, "name": "t", "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "a": { "model": "m" } },
            "steps": [{ "id": "s1", "type": "agent", "name": "talk", "agent": "a", "inputFrom": "{{ input }} {{ more }}", "history": { "key": "chat" } }] });
        let keys = ["input", "more"].map(str::to_owned);
        let text = with_input(document.to_string(), keys.into_iter(), vec!["input".to_owned()]);
        let found: Vec<String> =
            validate(&text).problems.into_iter().map(|problem| problem.message).collect();
        assert!(!found.iter().any(|message| message.contains("`input`")), "{found:?}");
        // A message goes to one key.
        assert!(found.iter().any(|message| message.contains("`more`")), "{found:?}");
    }
}
