//! The library: every workflow that is stored in this browser.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use self::acts::{duplicate, rename};
use super::banner::said;
use super::opening;
use super::thumbnail::Thumbnail;
use crate::bridge::Entry;
use crate::model::ago::ago;
use crate::model::picture::Picture;
use crate::page::icon::{COPY, EXPORT, IMPORT, PENCIL, PLUS, TRASH, UNDO, icon};
use crate::page::state::{App, Dialog, app};
use crate::step::upright::upright;

mod acts;
pub mod file;
pub mod read;

/// What the list shows, shared by its rows.
#[derive(Clone, Copy)]
struct List {
    entries: RwSignal<Vec<Entry>>,
    /// The workflow of each run that waits for a person.
    waited_for: RwSignal<Vec<String>>,
    /// What is searched for.
    wanted: RwSignal<String>,
    /// The workflow whose name is being changed.
    renaming: RwSignal<Option<String>>,
    /// What was just done to the list.
    done: RwSignal<Option<Done>>,
}

#[derive(Clone)]
enum Done {
    Deleted(Entry, Gone),
    Said(String),
}

/// The runs that go with a workflow.
#[derive(Clone, Copy)]
struct Gone {
    /// How many of them wait for a person.
    waiting: usize,
    /// Whether one goes on in this tab.
    going_on: bool,
}

/// Every workflow: to open, search, rename, duplicate and delete.
#[component]
pub fn Library() -> impl IntoView {
    let app = app();
    let list = List {
        entries: RwSignal::new(Vec::new()),
        waited_for: RwSignal::new(Vec::new()),
        wanted: RwSignal::new(String::new()),
        renaming: RwSignal::new(None),
        done: RwSignal::new(None),
    };
    provide_context(list);
    // The open workflow is shown as it is now.
    spawn_local(async move {
        opening::leave(app).await;
        reload(app, list).await;
    });
    let found = move || {
        let wanted = list.wanted.with(|wanted| wanted.trim().to_lowercase());
        list.entries.with(|entries| {
            let there = entries.iter().filter(|entry| entry.deleted_at.is_none());
            there.filter(|entry| entry.name.to_lowercase().contains(&wanted)).cloned().collect::<Vec<_>>()
        })
    };
    let deleted = move || {
        list.entries.with(|entries| {
            entries.iter().filter(|entry| entry.deleted_at.is_some()).cloned().collect::<Vec<_>>()
        })
    };
    // Where nothing is stored, the open workflow is in no list either.
    let unstored = move || app.trouble.get().filter(|_| list.entries.with(Vec::is_empty));
    let open_first = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            if let Some(entry) = found().first() {
                open(app, entry.id.clone());
            }
        }
        "ArrowDown" => {
            event.prevent_default();
            focus_row(".library .row-open");
        }
        _ => {}
    };
    view! {
        <div class="modal-body library">
            <div class="library-head">
                <input
                    class="input"
                    type="search"
                    placeholder="Search by name"
                    aria-label="Search by name"
                    autofocus
                    prop:value=list.wanted
                    on:input=move |event| list.wanted.set(event_target_value(&event))
                    on:keydown=open_first
                />
                <button class="button" on:click=move |_| app.dialog.set(Some(Dialog::IMPORT))>{icon(IMPORT)} "Import…"</button>
                <button class="button primary" on:click=move |_| {
                    app.dialog.set(None);
                    opening::make_empty(app);
                }>{icon(PLUS)} "New"</button>
            </div>
            <ShowDone />
            <ul class="library-rows" on:keydown=walk>
                <For each=found key=|entry| (entry.id.clone(), entry.changed_at as u64, entry.name.clone()) children=|entry| view! { <Row entry=entry /> } />
            </ul>
            <Show when=move || found().is_empty()>
                <p class="library-empty">{move || match unstored() {
                    Some(trouble) => said(trouble),
                    None if list.wanted.with(|wanted| wanted.trim().is_empty()) => "There are no workflows yet.",
                    None => "No workflow has this in its name.",
                }}</p>
            </Show>
            <Show when=move || !deleted().is_empty()>
                <details class="entry library-deleted">
                    <summary><b>"Deleted"</b><small>"kept for 30 days"</small></summary>
                    <ul class="library-rows">
                        <For each=deleted key=|entry| entry.id.clone() children=|entry| view! { <DeletedRow entry=entry /> } />
                    </ul>
                </details>
            </Show>
        </div>
        <footer>
            <Show when=move || unstored().is_none() fallback=move || view! {
                <span class="spring"></span>
                <button class="button" on:click=move |_| app.dialog.set(Some(Dialog::Export))>{icon(EXPORT)} "Export the open workflow…"</button>
            }>
                <span class="field-hint">"Stored in this browser only: export what you want to keep elsewhere."</span>
                <span class="spring"></span>
                <button class="button" on:click=move |_| export_all(app, list)>{icon(EXPORT)} "Export all"</button>
            </Show>
        </footer>
    }
}

#[component]
fn Row(entry: Entry) -> impl IntoView {
    let app = app();
    let list: List = expect_context();
    let entry = StoredValue::new(entry);
    let id = move || entry.with_value(|entry| entry.id.clone());
    let current = move || app.workflow.with(|open| entry.with_value(|entry| entry.id == *open));
    let renamed =
        move || list.renaming.with(|renaming| entry.with_value(|entry| renaming.as_ref() == Some(&entry.id)));
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "F2" => list.renaming.set(Some(id())),
        "Delete" => delete(app, list, entry.get_value()),
        "d" if event.ctrl_key() || event.meta_key() => {
            event.prevent_default();
            act(app, list, entry.get_value(), Act::Duplicate);
        }
        _ => {}
    };
    let time = move || {
        let now = js_sys::Date::now();
        let changed = ago(now - entry.with_value(|entry| entry.changed_at));
        if current() { format!("Open now · {changed}") } else { changed }
    };
    let waits = move || {
        let is_own = |workflow: &&String| entry.with_value(|entry| entry.id == **workflow);
        let said = match list.waited_for.with(|all| all.iter().filter(is_own).count()) {
            0 => return None,
            1 => "A run waits for your answer".to_owned(),
            many => format!("{many} runs wait for your answer"),
        };
        Some(view! { <small class="row-waits">{said}</small> })
    };
    let label = entry.with_value(called);
    let says = |what: &'static str| format!("{what} {}", label.clone());
    let (rename_it, duplicate_it, delete_it) = (says("Rename"), says("Duplicate"), says("Delete"));
    view! {
        <li class="library-row" class:current=current>
            <Thumbnail picture=entry.with_value(picture_of) />
            <Show when=renamed fallback={
                let label = label.clone();
                move || view! {
                    <button class="row-open" aria-current=move || current().then_some("true") on:click=move |_| open(app, id()) on:keydown=on_key>
                        <b>{label.clone()}</b>
                        <small>{time}</small>
                        {waits}
                    </button>
                }
            }>
                <NameField entry=entry.get_value() />
            </Show>
            <span class="row-acts">
                <button class="icon-button" title="Rename (F2)" aria-label=rename_it on:click=move |_| list.renaming.set(Some(id()))>{icon(PENCIL)}</button>
                <button class="icon-button" title="Duplicate (Ctrl+D)" aria-label=duplicate_it on:click=move |_| act(app, list, entry.get_value(), Act::Duplicate)>{icon(COPY)}</button>
                <button class="icon-button" title="Delete (Del)" aria-label=delete_it on:click=move |_| delete(app, list, entry.get_value())>{icon(TRASH)}</button>
            </span>
        </li>
    }
}

/// What a list says for the name of a workflow.
pub fn called(entry: &Entry) -> String {
    if entry.name.trim().is_empty() { "Untitled".to_owned() } else { entry.name.clone() }
}

/// The field for another name.
#[component]
fn NameField(entry: Entry) -> impl IntoView {
    let app = app();
    let list: List = expect_context();
    let node = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(input) = node.get() {
            // It has just been put into the page, so it takes the focus.
            let _ = input.focus();
            input.select();
        }
    });
    let before = entry.name.clone();
    let entry = StoredValue::new(entry);
    let take = move || {
        if list.renaming.get_untracked().is_none() {
            return;
        }
        list.renaming.set(None);
        let name = node.get_untracked().map(|input| input.value()).unwrap_or_default().trim().to_owned();
        if !name.is_empty() && entry.with_value(|entry| entry.name != name) {
            act(app, list, entry.get_value(), Act::Rename(name));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => take(),
        "Escape" => {
            // The dialog stays.
            event.prevent_default();
            event.stop_propagation();
            let row = event_target::<web_sys::Element>(&event).closest(".library-row").ok().flatten();
            list.renaming.set(None);
            request_animation_frame(move || {
                let open = row.and_then(|row| row.query_selector(".row-open").ok().flatten());
                open.iter().for_each(focus);
            });
        }
        _ => {}
    };
    view! { <input class="input row-name" aria-label="Name" node_ref=node value=before on:keydown=on_key on:blur=move |_| take() /> }
}

#[component]
fn DeletedRow(entry: Entry) -> impl IntoView {
    let app = app();
    let list: List = expect_context();
    let picture = picture_of(&entry);
    let name = entry.name.clone();
    let label = format!("Restore {name}");
    view! {
        <li class="library-row">
            <Thumbnail picture=picture />
            <span class="row-open"><b>{name}</b></span>
            <button class="button" aria-label=label on:click=move |_| restore(app, list, entry.clone())>"Restore"</button>
        </li>
    }
}

fn picture_of(entry: &Entry) -> Picture {
    entry.picture.as_ref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// What was just done, and how to take it back.
#[component]
fn ShowDone() -> impl IntoView {
    let app = app();
    let list: List = expect_context();
    view! {
        <div class="library-done" role="status">
            {move || list.done.get().map(|done| match done {
                Done::Said(text) => view! { <p>{upright(text)}</p> }.into_any(),
                Done::Deleted(entry, gone) => view! {
                    <p>"“"<bdi>{entry.name.clone()}</bdi>"” is deleted." {gone_with_it(gone)}</p>
                    <button class="button" on:click=move |_| restore(app, list, entry.clone())>{icon(UNDO)} "Undo"</button>
                }.into_any(),
            })}
        </div>
    }
}

/// What is said of the runs of a workflow that is deleted while they wait or go on.
fn gone_with_it(Gone { waiting, going_on }: Gone) -> String {
    let cut = if going_on { " A run of it that goes on is cut off." } else { "" };
    let waits = match waiting {
        0 => return cut.to_owned(),
        1 => "A run of it waits for your answer, and goes".to_owned(),
        many => format!("{many} runs of it wait for your answer, and go"),
    };
    format!(" {waits} with it.{cut}")
}

enum Act {
    Rename(String),
    Duplicate,
}

/// Does something with a workflow, then shows the list as it is then.
fn act(app: App, list: List, entry: Entry, act: Act) {
    spawn_local(async move {
        let said = match act {
            Act::Rename(name) => rename(app, &entry, name).await,
            Act::Duplicate => duplicate(app, &entry).await,
        };
        // The dialog may have been closed meanwhile.
        let _ = list.done.try_set(said.map(Done::Said));
        reload(app, list).await;
        focus_row(".library .row-open");
    });
}

fn delete(app: App, list: List, entry: Entry) {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let runs = app.bridge.with_value(|bridge| bridge.store().runs());
    spawn_local(async move {
        let waiting = runs.waited_for().await;
        if library.delete(&entry.id).await {
            let is_open = app.workflow.get_untracked() == entry.id;
            let is_running = match app.runner.elsewhere.with_untracked(Option::is_some) {
                true => app.runner.left() == entry.id,
                false => is_open,
            };
            let is_running = is_running && app.runner.is_busy();
            // Nobody would see what it does, or could stop it.
            if is_running {
                app.runner.cut();
            }
            if is_open {
                opening::enter_next(app).await;
            }
            let waiting = waiting.iter().filter(|workflow| **workflow == entry.id).count();
            let gone = Gone { waiting, going_on: is_running };
            let _ = list.done.try_set(Some(Done::Deleted(entry, gone)));
        } else {
            let said = format!("“{}” could not be deleted: the browser refused.", entry.name);
            let _ = list.done.try_set(Some(Done::Said(said)));
        }
        reload(app, list).await;
        focus_row(".library-done .button");
    });
}

fn restore(app: App, list: List, entry: Entry) {
    spawn_local(async move {
        let said = acts::restore(app, &entry).await;
        let _ = list.done.try_set(said.map(Done::Said));
        reload(app, list).await;
        focus_row(".library .row-open");
    });
}

fn open(app: App, id: String) {
    if app.workflow.with_untracked(|open| *open == id) {
        app.dialog.set(None);
    } else {
        opening::enter(app, id);
    }
}

fn export_all(app: App, list: List) {
    spawn_local(async move {
        let export = file::export(app).await;
        app.bridge.with_value(|bridge| bridge.download("stepweave-workflows.json", &export.text));
        if let Some(said) = export.said() {
            let _ = list.done.try_set(Some(Done::Said(said)));
        }
    });
}

async fn reload(app: App, list: List) {
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let entries = library.list().await;
    let _ = list.entries.try_set(entries);
    // The list can be used meanwhile.
    let runs = app.bridge.with_value(|bridge| bridge.store().runs());
    spawn_local(async move {
        let waited_for = runs.waited_for().await;
        let _ = list.waited_for.try_set(waited_for);
    });
}

/// From row to row.
fn walk(event: ev::KeyboardEvent) {
    let forward = match event.key().as_str() {
        "ArrowDown" => true,
        "ArrowUp" => false,
        _ => return,
    };
    let row = document().active_element().and_then(|element| element.closest(".library-row").ok().flatten());
    let Some(row) = row else { return };
    event.prevent_default();
    let next = if forward { row.next_element_sibling() } else { row.previous_element_sibling() };
    match next.and_then(|row| row.query_selector("button.row-open").ok().flatten()) {
        Some(button) => focus(&button),
        None if !forward => focus_row(".library-head input"),
        None => {}
    }
}

/// Gives the keyboard's focus to what will be there with the next frame.
pub fn focus_row(selector: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = document().query_selector(selector).ok().flatten() {
            focus(&element);
        }
    });
}

fn focus(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        // What has left the page meanwhile takes no focus.
        let _ = element.focus();
    }
}
