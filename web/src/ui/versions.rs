//! The versions of the open workflow: kept by runs and by a person, compared with what is open, restored.

use leptos::ev;
use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::Edit;
use wasm_bindgen_futures::spawn_local;

use super::library::focus_row;
use super::opening;
use crate::bridge::Version;
use crate::model::ago::ago;
use crate::model::differences::{Change, Difference, FieldChange, differences};
use crate::page::icon::{TRASH, UNDO, icon};
use crate::page::state::{App, app, document_file};

/// How many rows of a comparison are listed.
const MOST_ROWS: usize = 300;

/// The versions of the open workflow.
#[component]
pub fn Versions() -> impl IntoView {
    let app = app();
    let versions = RwSignal::new(Vec::<Version>::new());
    let name = RwSignal::new(String::new());
    let reload = move || {
        let store = app.bridge.with_value(|bridge| bridge.store().versions());
        spawn_local(async move {
            let found = store.list(&app.workflow.get_untracked()).await;
            // The dialog may have been closed meanwhile.
            let _ = versions.try_set(found);
        });
    };
    reload();
    let keep = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let store = app.bridge.with_value(|bridge| bridge.store().versions());
        let text = app.editor.document.with_untracked(document_file);
        let given = name.with_untracked(|name| name.trim().to_owned());
        let given = if given.is_empty() { "Version".to_owned() } else { given };
        spawn_local(async move {
            if store.keep(&app.workflow.get_untracked(), &given, &text).await {
                let _ = name.try_set(String::new());
                reload();
            } else {
                app.editor
                    .notice
                    .set(Some("The version could not be stored: export the workflow instead.".to_owned()));
            }
        });
    };
    let rename = move |number: f64, name: String| {
        let store = app.bridge.with_value(|bridge| bridge.store().versions());
        spawn_local(async move {
            if !store.rename(&app.workflow.get_untracked(), number, &name).await {
                app.editor.notice.set(Some("The name could not be stored.".to_owned()));
            }
            reload();
        });
    };
    // What the version is called that was deleted last.
    let gone = RwSignal::new(None::<String>);
    let delete = move |(number, name): (f64, String)| {
        let store = app.bridge.with_value(|bridge| bridge.store().versions());
        spawn_local(async move {
            if store.remove(&app.workflow.get_untracked(), number).await {
                let _ = gone.try_set(Some(name));
                focus_row(".version-gone .button");
            } else {
                app.editor
                    .notice
                    .set(Some("The version could not be deleted: the browser refused.".to_owned()));
            }
            reload();
        });
    };
    let undo = move |_| {
        let store = app.bridge.with_value(|bridge| bridge.store().versions());
        spawn_local(async move {
            if store.restore(&app.workflow.get_untracked()).await {
                let _ = gone.try_set(None);
                focus_row(".version summary");
            } else {
                app.editor
                    .notice
                    .set(Some("The version could not be brought back: the browser refused.".to_owned()));
            }
            reload();
        });
    };
    view! {
        <div class="modal-body">
            <form class="library-head" on:submit=keep>
                <input
                    class="input"
                    placeholder="What is special about it"
                    aria-label="Name of the version"
                    autofocus
                    prop:value=name
                    on:input=move |event| name.set(event_target_value(&event))
                />
                <button class="button primary">"Keep this version"</button>
            </form>
            <div class="library-done version-gone" role="status">
                {move || gone.get().map(|name| view! {
                    <p>"“"<bdi>{name}</bdi>"” is deleted."</p>
                    <button class="button" on:click=undo>{icon(UNDO)} "Undo"</button>
                })}
            </div>
            <Show when=move || versions.with(Vec::is_empty)>
                <p class="library-empty">"There are no versions yet. Each run keeps the workflow as it is then."</p>
            </Show>
            <div class="versions">
                <For each=move || versions.get() key=|version| (version.number as u64, version.name.clone())
                    children=move |version| view! { <Row version=version on_rename=move |(number, name): (f64, String)| rename(number, name) on_delete=delete /> } />
            </div>
        </div>
    }
}

#[component]
fn Row(
    version: Version,
    /// Called with the number of the version and its new name.
    #[prop(into)]
    on_rename: Callback<(f64, String)>,
    /// Called with the number of the version that is to go, and what it is called.
    #[prop(into)]
    on_delete: Callback<(f64, String)>,
) -> impl IntoView {
    let app = app();
    let document = RwSignal::new(None::<Result<Document, ()>>);
    let number = version.number;
    let load = move |_| {
        if document.with_untracked(Option::is_some) {
            return;
        }
        let store = app.bridge.with_value(|bridge| bridge.store().versions());
        spawn_local(async move {
            let text = store.read(&app.workflow.get_untracked(), number).await;
            let read = text.and_then(|text| serde_json::from_str(&text).ok()).ok_or(());
            let _ = document.try_set(Some(read));
        });
    };
    let name = if version.name.is_empty() { "A run".to_owned() } else { version.name.clone() };
    let label = StoredValue::new(name.clone());
    let time = ago(js_sys::Date::now() - version.at);
    let compared = move || {
        document.get().map(|read| match read {
            Ok(document) => view! { <Comparison document=document name=label.get_value() /> }.into_any(),
            Err(()) => view! { <p>"This version cannot be read."</p> }.into_any(),
        })
    };
    let before = StoredValue::new(version.name.clone());
    let typed = RwSignal::new(version.name.clone());
    let rename = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let name = typed.with_untracked(|name| name.trim().to_owned());
        if !name.is_empty() && before.with_value(|before| *before != name) {
            on_rename.run((number, name));
        }
    };
    let hint = version.name.is_empty().then_some("With a name it stays, however many runs there are.");
    view! {
        <details class="entry version" on:toggle=load>
            <summary><b>{name.clone()}</b><small>{time}</small></summary>
            <div class="nested">
                <form class="version-name" on:submit=rename>
                    <input class="input" aria-label=format!("Another name for {name}") placeholder="Its name" prop:value=typed on:input=move |event| typed.set(event_target_value(&event)) />
                    <button class="button">"Rename"</button>
                    <button class="icon-button" type="button" title="Delete this version" aria-label=format!("Delete the version {name}")
                        on:click=move |_| on_delete.run((number, label.get_value()))>{icon(TRASH)}</button>
                </form>
                {hint.map(|hint| view! { <span class="field-hint">{hint}</span> })}
                {compared}
            </div>
        </details>
    }
}

/// What changed since a version.
#[component]
fn Comparison(document: Document, name: String) -> impl IntoView {
    let app = app();
    let found = app.editor.document.with(|open| differences(&document, open));
    let same = found.is_empty();
    let many = found.len();
    let rows = found.into_iter().take(MOST_ROWS).map(difference).collect_view();
    let restore = move |_| restore(app, document.clone(), &name);
    view! {
        {same.then(|| view! { <p class="field-hint">"The workflow is as it was then."</p> })}
        {(!same).then(|| view! {
            <p class="field-hint">"Changed since then:"</p>
            <ul class="differences">{rows}</ul>
            {(many > MOST_ROWS).then(|| view! { <p class="field-hint">"And " {many - MOST_ROWS} " more."</p> })}
            <button class="button" on:click=restore>{icon(UNDO)} "Restore this version"</button>
        })}
    }
}

fn difference(found: Difference) -> impl IntoView {
    let (word, sign) = match found.change {
        Change::Added => ("added", "+"),
        Change::Removed => ("removed", "−"),
        Change::Moved => ("moved", "↕"),
        Change::Changed => ("changed", "~"),
        Change::Around => ("around", ""),
    };
    let said = (found.change != Change::Around).then(|| view! { <small>{word}</small> });
    let depth = found.depth.min(8).to_string();
    view! {
        <li class="difference" data-change=word data-depth=depth>
            <span class="sign" aria-hidden="true">{sign}</span>
            <b>{found.name}</b>
            {said}
            {(!found.fields.is_empty()).then(|| view! { <dl>{found.fields.into_iter().map(field).collect_view()}</dl> })}
        </li>
    }
}

fn field(field: FieldChange) -> impl IntoView {
    let text =
        |text: Option<String>, word: &'static str| text.map(|text| view! { <dd class=word>{text}</dd> });
    view! {
        <dt>{field.path}</dt>
        {text(field.before, "before")}
        {text(field.after, "after")}
    }
}

fn restore(app: App, document: Document, name: &str) {
    app.dialog.set(None);
    app.editor.seal();
    app.editor.make(Edit::Whole(Box::new(document)));
    if !app.editor.following.get_untracked() {
        app.editor.notice.set(Some(format!("“{name}” is restored. Undo takes that back.")));
    }
    opening::fit(app);
}
