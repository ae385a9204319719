//! Files and links that are dropped anywhere on the page: they are looked at in the import dialog, and nothing runs.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::page::icon::{IMPORT, icon};
use crate::page::state::{App, Dialog, Dropped};

/// How large an imported file or answer may be, in bytes.
pub const MOST_BYTES: f64 = 10_000_000.0;

/// Listens for what is dropped.
pub fn listen(app: App) {
    let over = window_event_listener(ev::dragover, |event| {
        if is_taken(&event) {
            event.prevent_default();
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        if !is_taken(&event) {
            return;
        }
        event.prevent_default();
        let Some(data) = event.data_transfer() else { return };
        match data.files().map(all_of).filter(|files| !files.is_empty()) {
            Some(files) => read(app, files),
            None => import(app, data.get_data("text/uri-list").unwrap_or_default()),
        }
    });
    on_cleanup(move || {
        over.remove();
        drop.remove();
    });
}

/// Reads files and shows them in the import dialog, or one in that of OpenAPI descriptions where it is open.
pub fn read(app: App, files: Vec<web_sys::File>) {
    spawn_local(async move {
        let (mut dropped, mut refused) = (Vec::new(), Vec::new());
        for file in files {
            match text_of(&file).await {
                Ok(text) => dropped.push(Dropped { name: file.name(), text }),
                Err(why) => refused.push(why),
            }
        }
        let refused = refused.join(" ");
        let shown = app.dialog.get_untracked();
        // A notice would stand behind the dialog, in which the fault of the file before is still to be read.
        let said_there = dropped.is_empty() && matches!(shown, Some(Dialog::Import { .. }));
        if !refused.is_empty() && !said_there {
            app.editor.notice.set(Some(refused.clone()));
        }
        match (shown, dropped.first()) {
            (_, None) if !said_there => {}
            (Some(Dialog::OpenApi { goal, .. }), Some(first)) => {
                open(app, Dialog::OpenApi { goal, dropped: Some(first.text.clone()) });
            }
            _ => open(app, Dialog::Import { dropped, refused }),
        }
    });
}

fn all_of(list: web_sys::FileList) -> Vec<web_sys::File> {
    (0..list.length()).filter_map(|index| list.get(index)).collect()
}

/// The text of a file.
///
/// # Errors
/// Why it has none, for the person who chose it.
pub fn text_of(file: &web_sys::File) -> impl Future<Output = Result<String, String>> + use<> {
    let (name, reading) = (file.name(), (file.size() <= MOST_BYTES).then(|| JsFuture::from(file.text())));
    async move {
        let Some(reading) = reading else {
            return Err(format!("“{name}” is larger than 10 MB, and too large for this page."));
        };
        let read = reading.await.ok().and_then(|text| text.as_string());
        match read {
            Some(text) if text.contains('\0') => Err(format!("“{name}” is no text, and so no workflow.")),
            Some(text) => Ok(text),
            None => Err(format!("“{name}” could not be read.")),
        }
    }
}

/// A button that chooses a file, or several.
#[component]
pub fn ChooseFile(
    /// What can be chosen, by the endings of names.
    accept: &'static str,
    /// Called with what was chosen.
    #[prop(into)]
    on_files: Callback<Vec<web_sys::File>>,
    /// Whether several can be chosen.
    #[prop(optional)]
    several: bool,
) -> impl IntoView {
    let choose = move |event: ev::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        let files = input.files().map(all_of).unwrap_or_default();
        if !files.is_empty() {
            on_files.run(files);
        }
    };
    view! {
        <label class="button file-button">
            {icon(IMPORT)} {if several { "Choose files…" } else { "Choose a file…" }}
            <input type="file" accept=accept multiple=several on:change=choose />
        </label>
    }
}

/// Shows a text in the import dialog.
pub fn import(app: App, text: String) {
    let dropped = vec![Dropped { name: String::new(), text }];
    open(app, Dialog::Import { dropped, refused: String::new() });
}

/// A dialog that is open already is made anew.
fn open(app: App, dialog: Dialog) {
    app.dialog.set(None);
    app.dialog.set(Some(dialog));
}

/// Files are taken wherever they are dropped; a link is text to a field.
fn is_taken(event: &ev::DragEvent) -> bool {
    let Some(data) = event.data_transfer() else { return false };
    let types = data.types();
    if types.includes(&"Files".into(), 0) {
        return true;
    }
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let field = target
        .is_some_and(|element| element.closest("input, textarea, .code-field").ok().flatten().is_some());
    types.includes(&"text/uri-list".into(), 0) && !field
}
