//! A field for files that a person chooses, or drops on it.

use std::sync::atomic::{AtomicU32, Ordering};

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use crate::model::chosen::{self, MOST_BYTES, MOST_FILES, TAKEN};
use crate::page::icon::{CLOSE, FILE, IMPORT, icon};
use crate::page::state::app;
use crate::step::upright::upright;

/// How many files a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// One, which another one replaces.
    One,
    /// Several.
    Several,
}

/// The field.
#[component]
pub fn FileField(
    /// What it is, above the field.
    label: String,
    /// How many files it has.
    room: Room,
    /// The text of the files.
    text: Signal<String>,
    /// Called with each change of it.
    #[prop(into)]
    on_text: Callback<String>,
    /// What is wrong with the files.
    error: Signal<Option<String>>,
    /// What to say below.
    hint: Signal<String>,
) -> impl IntoView {
    // Files may be long: they are not looked through with every letter that is typed into another field.
    let text = Memo::new(move |_| text.get());
    let rows =
        Memo::new(move |_| text.with(|text| chosen::files(text).iter().map(row_of).collect::<Vec<_>>()));
    let refused = RwSignal::new(Vec::<String>::new());
    let is_over = RwSignal::new(false);
    let change = move |files: &[Value]| on_text.run(chosen::text(files));
    let now = move || text.with_untracked(|text| chosen::files(text));
    leave_unread(now(), change, refused);
    let take = move |files: Vec<web_sys::File>| {
        let mut all = now();
        if room == Room::One {
            // The last choice counts.
            all.retain(|file| chosen::being_read(file).is_none());
        }
        let (fitting, said) = fitting(files, room, all.len());
        refused.set(said);
        let begun: Vec<_> = fitting.into_iter().map(|file| (file, next_number())).collect();
        all.extend(begun.iter().map(|(file, number)| chosen::begun(&file.name(), *number)));
        change(&all);
        read_all(begun, room, text, on_text, refused);
    };
    let choose = move |event: ev::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        take(listed(input.files()));
        // So that the same file can be chosen again.
        input.set_value("");
    };
    let over = move |event: ev::DragEvent, is_now: bool| {
        if event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0)) {
            event.prevent_default();
            is_over.set(is_now);
        }
    };
    let drop = move |event: ev::DragEvent| {
        let Some(files) =
            event.data_transfer().and_then(|data| data.files()).filter(|files| files.length() > 0)
        else {
            return;
        };
        // What is dropped elsewhere is imported as a workflow.
        event.prevent_default();
        event.stop_propagation();
        is_over.set(false);
        take(listed(Some(files)));
    };
    let remove = move |at: usize| {
        let mut files = now();
        if at < files.len() {
            files.remove(at);
        }
        refused.set(Vec::new());
        change(&files);
    };
    let file = move |(at, (name, about)): (usize, (String, String))| {
        let said = format!("Remove {name}");
        view! {
            <li>
                {icon(FILE)}
                <span class="file-name">{name}</span>
                <small>{about}</small>
                <button class="icon-button" type="button" title="Remove" aria-label=said on:click=move |_| remove(at)>{icon(CLOSE)}</button>
            </li>
        }
    };
    let invites = move || match (room, rows.with(Vec::is_empty)) {
        (Room::One, true) => "Choose a file…",
        (Room::One, false) => "Choose another file…",
        (Room::Several, _) => "Choose files…",
    };
    let name = label.clone();
    let below = format!("about-files-{}", next_number());
    let described = below.clone();
    let is_wrong = move || error.with(Option::is_some) || refused.with(|said| !said.is_empty());
    view! {
        <div class="field" class:wrong=is_wrong role="group" aria-label=name>
            <span class="field-label">{label}</span>
            <div class="file-drop" class:over=is_over on:dragenter=move |event| over(event, true)
                on:dragover=move |event| over(event, true) on:dragleave=move |event| over(event, false) on:drop=drop>
                <ul class="file-list" aria-label="Chosen files" aria-live="polite" hidden=move || rows.with(Vec::is_empty)>
                    {move || rows.get().into_iter().enumerate().map(file).collect_view()}
                </ul>
                <label class="button file-button">
                    {icon(IMPORT)} {invites}
                    <input type="file" accept=TAKEN multiple=room == Room::Several aria-describedby=described
                        aria-invalid=move || error.with(Option::is_some).to_string() on:change=choose />
                </label>
                <span class="field-hint">"or drop it here"</span>
            </div>
            <span id=below>
                {move || error.get().map(|text| view! { <span class="field-error" role="alert">{upright(text)}</span> })}
                {move || refused.get().into_iter().map(|text| view! { <span class="field-error" role="alert">{upright(text)}</span> }).collect_view()}
                <span class="field-hint">{hint}</span>
            </span>
        </div>
    }
}

fn row_of(file: &Value) -> (String, String) {
    (chosen::name_of(file), chosen::about(file))
}

fn next_number() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

fn listed(files: Option<web_sys::FileList>) -> Vec<web_sys::File> {
    files.map(|files| (0..files.length()).filter_map(|at| files.get(at)).collect()).unwrap_or_default()
}

/// Those that can be read, beside so many others, and what to say of the rest.
fn fitting(files: Vec<web_sys::File>, room: Room, others: usize) -> (Vec<web_sys::File>, Vec<String>) {
    match room {
        Room::One if files.len() > 1 => {
            return (Vec::new(), vec!["There is room for one file: choose one of them.".to_owned()]);
        }
        Room::Several if files.len() + others > MOST_FILES => {
            return (Vec::new(), vec![format!("There is room for {MOST_FILES} files: choose fewer.")]);
        }
        _ => {}
    }
    let (fitting, large): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.size() <= MOST_BYTES);
    let said = |file: web_sys::File| format!("“{}” is larger than 10 MB: choose a smaller one.", file.name());
    (fitting, large.into_iter().map(said).collect())
}

/// A field that is made anew does not hear of files that were being read: those have to be chosen again.
fn leave_unread(files: Vec<Value>, change: impl Fn(&[Value]), refused: RwSignal<Vec<String>>) {
    let (unread, read): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| chosen::being_read(file).is_some());
    if !unread.is_empty() {
        let said =
            |file: &Value| format!("“{}” was not read to its end: choose it again.", chosen::name_of(file));
        refused.set(unread.iter().map(said).collect());
        change(&read);
    }
}

/// Reads one file after the other. The field may go away meanwhile: then nobody waits for them.
fn read_all(
    files: Vec<(web_sys::File, u32)>,
    room: Room,
    text: Memo<String>,
    on_text: Callback<String>,
    refused: RwSignal<Vec<String>>,
) {
    let bridge = app().bridge.get_value();
    spawn_local(async move {
        for (file, number) in files {
            let read = bridge.read_file(&file).await;
            let Some(before) = text.try_get_untracked() else { return };
            let (read, why) = match read {
                Ok(read) => (Some(read), None),
                Err(why) => (None, Some(why)),
            };
            // One that was removed meanwhile is not missed.
            let Some(after) = chosen::settled(&before, number, read.clone()) else { continue };
            let _ = on_text.try_run(match (room, &read) {
                (Room::One, Some(read)) => chosen::text([read]),
                _ => after,
            });
            let _ = refused.try_update(|said| said.extend(why));
        }
    });
}
