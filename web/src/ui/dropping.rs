//! Files and links that are dropped anywhere on the page: they are looked at in the import dialog, and nothing runs.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::page::icon::{IMPORT, icon};
use crate::page::state::{App, Dialog};

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
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => read(app, &file),
            None => import(app, data.get_data("text/uri-list").unwrap_or_default()),
        }
    });
    on_cleanup(move || {
        over.remove();
        drop.remove();
    });
}

/// Reads a file and shows it in the import dialog, or in that of OpenAPI descriptions where it is open.
pub fn read(app: App, file: &web_sys::File) {
    let reading = text_of(file);
    spawn_local(async move {
        match reading.await {
            Ok(text) => match app.dialog.get_untracked() {
                Some(Dialog::OpenApi { goal, .. }) => {
                    open(app, Dialog::OpenApi { goal, dropped: Some(text) })
                }
                _ => import(app, text),
            },
            Err(why) => app.editor.notice.set(Some(why)),
        }
    });
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
        read.ok_or_else(|| format!("“{name}” could not be read."))
    }
}

/// A button that chooses a file.
#[component]
pub fn ChooseFile(
    /// What can be chosen, by the endings of names.
    accept: &'static str,
    /// Called with what was chosen.
    #[prop(into)]
    on_file: Callback<web_sys::File>,
) -> impl IntoView {
    let choose = move |event: ev::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            on_file.run(file);
        }
    };
    view! {
        <label class="button file-button">
            {icon(IMPORT)} "Choose a file…"
            <input type="file" accept=accept on:change=choose />
        </label>
    }
}

/// Shows a text in the import dialog.
pub fn import(app: App, text: String) {
    open(app, Dialog::Import { dropped: Some(text) });
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
