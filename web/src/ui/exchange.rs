//! Workflows as JSON: in from a file or the clipboard, out to a file or the clipboard.

use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{Document, nesting};
use stepweave_core::problem;
use stepweave_core::validate::check_structure;
use wasm_bindgen_futures::spawn_local;

use super::clipboard::copy;
use super::deploy::Deploy;
use super::dropping::ChooseFile;
use super::left_behind::LeftBehind;
use super::library::file;
use super::library::read::read;
use super::problems::plain_rows;
use super::share::{self, CopyLink};
use super::{dropping, fetch, opening};

use crate::bridge::{Foreign, Report};
use crate::model::problem::Problem;
use crate::page::icon::{COPY, DOWNLOAD, icon};
use crate::page::state::{App, Dialog, Dropped, app, document_file, exported};
use crate::step::upright::upright;

/// Imports workflows: one, the file of all, or what is at a link. A broken one is reported with all its problems, and
/// the text stays. Nothing is replaced, and nothing runs.
#[component]
pub fn Import(
    /// What was dropped on the page, which is looked at at once.
    dropped: Vec<Dropped>,
    /// Why files that were dropped with it cannot be read.
    refused: String,
) -> impl IntoView {
    let app = app();
    let problems = RwSignal::new(Vec::<Problem>::new());
    let unfetched = RwSignal::new(None::<String>);
    let refused = RwSignal::new(refused);
    let check = move || {
        let text = app.pasted.get_untracked();
        let bridge = app.bridge.get_value();
        unfetched.set(None);
        if text.trim().is_empty() {
            return unfetched.set(Some(EMPTY.to_owned()));
        }
        spawn_local(async move {
            if let Some(kept) = file::kept(&text) {
                return match kept {
                    Some(document) => {
                        app.pasted.set(String::new());
                        opening::make(app, document);
                    }
                    None => drop(unfetched.try_set(Some(STILL_UNREADABLE.to_owned()))),
                };
            }
            let text = match fetch::link(&text) {
                None => text,
                Some(link) if share::brings_one(link) => {
                    return match share::document_in(app, link).await {
                        Ok(document) => {
                            app.pasted.set(String::new());
                            app.dialog.set(Some(Dialog::Shared { document: Arc::new(document) }));
                        }
                        Err(why) => drop(unfetched.try_set(Some(why))),
                    };
                }
                Some(link) => match fetch::from_elsewhere(link).await {
                    Ok(text) => text,
                    Err(why) => return drop(unfetched.try_set(Some(why))),
                },
            };
            if let Some(read) = read(&text) {
                app.pasted.set(String::new());
                let besides = read.said();
                return add_all(app, read.workflows, besides).await;
            }
            if check_structure(&text).document.is_none()
                && let Some(foreign) = bridge.foreign(&text).await
            {
                return match read_foreign(foreign) {
                    Ok((document, report)) => {
                        app.pasted.set(String::new());
                        opening::make_then(
                            app,
                            document,
                            Some(Dialog::Imported { report: Arc::new(report) }),
                        );
                    }
                    Err(why) => drop(unfetched.try_set(Some(why))),
                };
            }
            let mut found = super::check::problems(&bridge, &text).await;
            found.sort_by_key(|problem| !problem.is_error());
            if found.iter().any(Problem::is_error) {
                // The dialog may have been closed meanwhile; there is nothing to show then.
                let _ = problems.try_set(found);
            } else {
                take(app, &text);
            }
        });
    };
    match dropped.as_slice() {
        [] => {}
        [one] => {
            app.pasted.set(one.text.clone());
            check();
        }
        _ => spawn_local(take_all(app, dropped, refused.get_untracked())),
    }
    let broken = move || problems.with(|problems| !problems.is_empty());
    // Templates that do not parse can be mended on the canvas; a broken structure cannot be shown.
    let mendable = move || broken() && openable(&app.pasted.get()).is_some();
    let choose = move |files: Vec<web_sys::File>| dropping::read(app, files);
    view! {
        <div class="modal-body">
            <label class="field">
                <span class="field-label">"Paste a workflow or a link, or drop a file anywhere on the page"</span>
                <textarea
                    class="input code import-text"
                    rows="10"
                    spellcheck="false"
                    autofocus
                    placeholder="{ \"version\": 1, \"name\": \"…\", \"steps\": [ … ] }"
                    prop:value=app.pasted
                    on:input=move |event| {
                        app.pasted.set(event_target_value(&event));
                        problems.set(Vec::new());
                        unfetched.set(None);
                        refused.set(String::new());
                    }
                ></textarea>
            </label>
            <p class="field-hint">"Workflows of n8n (JSON), apps of Dify (YAML) and the TypeScript that OpenAI's Agent Builder exports are taken over too, with a list of what became what. Nothing of them runs."</p>
            <Show when=move || !refused.with(String::is_empty)>
                <p class="field-error" role="alert">{move || upright(refused.get())}</p>
            </Show>
            {move || unfetched.get().map(|why| view! { <p class="field-error" role="alert">{upright(why)}</p> })}
            <Show when=broken>
                <div class="import-problems" role="alert">
                    <h3>{move || problems.with(|found| counted(found))}</h3>
                    {move || plain_rows(problems.get())}
                </div>
            </Show>
        </div>
        <footer>
            <ChooseFile accept=".json,.yml,.yaml,.ts,.txt,application/json" several=true on_files=choose />
            <span class="spring"></span>
            <Show when=mendable>
                <button class="button" on:click=move |_| take(app, &app.pasted.get_untracked())>"Open it anyway"</button>
            </Show>
            <button
                class="button primary"
                disabled=move || app.pasted.with(|text| text.trim().is_empty())
                on:click=move |_| {
                    refused.set(String::new());
                    check();
                }
            >
                "Open"
            </button>
        </footer>
    }
}

/// Takes the workflow along.
#[component]
pub fn Export() -> impl IntoView {
    let app = app();
    let document = app.editor.document.with_untracked(exported);
    let text = StoredValue::new(document_file(&document));
    let copy_it = move |_| {
        copy(app, text.get_value(), "The workflow");
        app.dialog.set(None);
    };
    let name = StoredValue::new(file_name(&document.name));
    let download = move |_| {
        let name = format!("{}.json", name.get_value());
        app.bridge.with_value(|bridge| bridge.download(&name, &text.get_value()));
        app.dialog.set(None);
    };
    view! {
        <div class="modal-body">
            <LeftBehind />
            <p>"The same file runs in Node, Deno, Bun, edge workers and here. Keys that you enter as keys are not in it, only their names."</p>
            <textarea class="input code" rows="12" readonly aria-label="The workflow as JSON" prop:value=text.get_value()></textarea>
            <details class="entry deploy">
                <summary><b>"Deploy it"</b><small>"to Cloudflare, Node, Deno or Restate"</small></summary>
                <div class="nested"><Deploy /></div>
            </details>
        </div>
        <footer>
            <CopyLink document=document />
            <button class="button" on:click=copy_it>{icon(COPY)} "Copy the JSON"</button>
            <button class="button primary" autofocus on:click=download>{icon(DOWNLOAD)} "Download the JSON"</button>
        </footer>
    }
}

fn take(app: App, text: &str) {
    if let Some(document) = openable(text) {
        app.pasted.set(String::new());
        opening::make(app, document);
    }
}

/// Takes the workflows of several files along: all that can be read is added to the library. `refused` is said with it.
async fn take_all(app: App, files: Vec<Dropped>, refused: String) {
    let bridge = app.bridge.get_value();
    let (mut workflows, mut unread, mut newer) = (Vec::new(), Vec::new(), Vec::new());
    for Dropped { name, text } in files {
        if let Some(mut read) = read(&text) {
            workflows.append(&mut read.workflows);
            unread.extend(read.unread_of(&name));
            newer.extend(read.newer_of(&name));
            continue;
        }
        let mut found = file::kept(&text).flatten().or_else(|| openable(&text));
        if found.is_none()
            && let Some(foreign) = bridge.foreign(&text).await
        {
            found = read_foreign(foreign).ok().map(|(document, _)| document);
        }
        match found {
            Some(document) => workflows.push(document),
            None => unread.push(format!("“{name}”")),
        }
    }
    let unread = match unread.as_slice() {
        [] => None,
        [one] => Some(format!("{one} cannot be read as a workflow: drop it by itself to see why.")),
        many => {
            Some(format!("{} cannot be read as workflows: drop one by itself to see why.", many.join(", ")))
        }
    };
    let refused = (!refused.is_empty()).then_some(refused);
    let besides: Vec<String> = refused.into_iter().chain(unread).chain(newer).collect();
    add_all(app, workflows, (!besides.is_empty()).then(|| besides.join(" "))).await;
}

/// Adds workflows to the library and shows it, with what is to be said besides.
async fn add_all(app: App, workflows: Vec<Document>, besides: Option<String>) {
    let said = file::import(app, workflows).await;
    app.dialog.set(Some(Dialog::Library));
    app.editor.notice.set(Some(std::iter::once(said).chain(besides).collect::<Vec<_>>().join(" ")));
}

/// How many problems there are, and how many warnings, which keep nobody from opening the workflow.
fn counted(found: &[Problem]) -> String {
    let errors = found.iter().filter(|problem| problem.is_error()).count();
    let many = |count: usize, what: &str| match count {
        1 => format!("a {what}"),
        many => format!("{many} {what}s"),
    };
    let problems = many(errors, "problem");
    match found.len() - errors {
        0 => format!("This workflow has {problems}."),
        warnings => format!("This workflow has {problems} and {}.", many(warnings, "warning")),
    }
}

/// The document of a text, if the page can show it: as the page itself may have made it, with faults that are mended in
/// its forms.
pub fn openable(text: &str) -> Option<Document> {
    let report = check_structure(text);
    let is_shown = |problem: &problem::Problem| {
        problem.severity == problem::Severity::Warning || MENDED_IN_FORMS.contains(&problem.code)
    };
    match report.document {
        None if report.problems.iter().all(is_shown) => nesting::read(text),
        document => document,
    }
}

/// The faults that a person can make in the page's forms, by their codes.
const MENDED_IN_FORMS: [&str; 12] = [
    "empty",
    "too_long",
    "unknown_reference",
    "tool_not_offered",
    "summary",
    "write_conflict",
    "wrong_address",
    "wrong_header",
    "wrong_name",
    "wrong_scope",
    "wrong_pin",
    "not_pinnable",
];

/// What a person reads whose file has nothing in it.
const EMPTY: &str = "This is empty: there is no workflow in it.";

/// What a person reads whose file is a workflow that was kept because nothing could read it.
const STILL_UNREADABLE: &str = "This is a workflow that was kept since it could not be read, and this version of the page cannot read it either. Keep the file.";

/// The workflow that a file of another tool became.
fn read_foreign(foreign: Foreign) -> Result<(Document, Report), String> {
    if let Some(error) = foreign.error {
        return Err(error);
    }
    let Foreign { document, report, .. } = foreign;
    let read = check_structure(&document);
    let fault = read.problems.first().map(|problem| format!("{}: {}", problem.path, problem.message));
    match read.document {
        Some(document) => Ok((document, report)),
        None => {
            let (tool, fault) = (report.tool, fault.unwrap_or_default());
            Err(format!("This file of {tool} cannot be shown as a workflow. {fault}"))
        }
    }
}

/// What files of the workflow are called, without their ending.
pub fn file_name(name: &str) -> String {
    let words: Vec<String> = name
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() { "workflow".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{counted, file_name, openable};
    use crate::model::problem::Problem;

    #[test]
    fn warnings_are_counted_apart() {
        let problem = |severity: &str| -> Problem {
            serde_json::from_value(json!({ "path": "steps", "message": "it is wrong", "severity": severity }))
                .unwrap()
        };
        let found = ["error", "warning", "error", "warning", "warning"].map(problem);
        assert_eq!(counted(&found[..1]), "This workflow has a problem.");
        assert_eq!(counted(&found[..2]), "This workflow has a problem and a warning.");
        assert_eq!(counted(&found), "This workflow has 2 problems and 3 warnings.");
    }

    #[test]
    fn whatever_the_forms_can_make_can_be_opened_again() {
        let with = |steps: serde_json::Value| {
            openable(&json!({ "version": 1, "name": "t", "steps": steps }).to_string())
        };
        let wait =
            |id: &str, name: &str| json!({ "id": id, "type": "wait", "name": name, "wait": { "ms": 1 } });
        assert_eq!(with(json!([wait("s1", ""), wait("s2", &"x".repeat(300))])).unwrap().steps.len(), 2);
        assert!(with(json!([{ "id": "s1", "type": "agent", "name": "a", "agent": "gone" }])).is_some());
        // Two of one id cannot be distinguished, and an unknown key would be lost.
        assert!(with(json!([wait("s1", "a"), wait("s1", "b")])).is_none());
        assert!(
            with(json!([{ "id": "s1", "type": "wait", "name": "", "wait": { "ms": 1 }, "more": 1 }]))
                .is_none()
        );
        assert!(openable("{").is_none());
    }

    #[test]
    fn a_file_is_named_after_the_workflow() {
        assert_eq!(file_name("Research report: bees!"), "research-report-bees");
        assert_eq!(file_name(" … "), "workflow");
    }
}
