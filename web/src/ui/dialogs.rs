//! The dialogs' shared frame: the browser's own modal dialog, which keeps the focus in and closes on Escape.

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlTextAreaElement};

use super::agree::Agree;
use super::as_json::Json;
use super::commands::is_done;
use super::delete::Delete;
use super::endpoint::Endpoint;
use super::exchange::{Export, Import};
use super::find::Find;
use super::gallery::Gallery;
use super::given::GivenForm;
use super::imported::Imported;
use super::keys::Keys;
use super::library::Library;
use super::mcp_server::McpTools;
use super::new_origin::NewOrigin;
use super::open_api::OpenApi;
use super::relay::RelayDialog;
use super::remembering::Unlock;
use super::search::Search;
use super::share::Shared;
use super::testing::Tests;
use super::topbar::FILE_BUTTON;
use super::trying::Trying;
use super::versions::Versions;
use crate::page::early_keys;
use crate::page::focus::{focus_in_place, is_lost};
use crate::page::icon::{CLOSE, icon};
use crate::page::narrow::is_narrow;
use crate::page::state::{App, Dialog, OperationsFor, app};

/// The dialog that is open.
#[component]
pub fn Dialogs() -> impl IntoView {
    let app = app();
    let chunk = app.chunks.dialogs;
    Effect::new(move || match app.dialog.with(Option::is_some) {
        true => chunk.fetch(),
        false => early_keys::forget(app),
    });
    Effect::new(move || {
        // Two take the place of other views, and are closed there.
        let is_modal = |dialog: &Dialog| !matches!(dialog, Dialog::Find | Dialog::Json);
        let store = app.bridge.with_value(|bridge| bridge.store());
        let has_dialog = app.dialog.with(|dialog| dialog.as_ref().is_some_and(is_modal));
        match (app.inspecting.get() && is_narrow()) || has_dialog {
            true => store.dialog_opened(),
            false => store.dialog_closed(),
        }
    });
    // Shown with all that is in it, of which the browser chooses what gets the focus.
    let opened = move |dialog: Dialog| {
        let title = title_of(&dialog);
        let wide = matches!(
            dialog,
            Dialog::Library
                | Dialog::Versions
                | Dialog::Tests
                | Dialog::Templates
                | Dialog::Imported { .. }
                | Dialog::OpenApi { .. }
                | Dialog::McpServer { .. }
        );
        view! { <Modal title=title wide=wide>{chunk.show(title, move |content| content(dialog.clone()))}</Modal> }
    };
    move || app.dialog.get().filter(|_| chunk.is_settled()).map(opened)
}

/// What is in the dialogs comes in a file of its own.
#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
pub fn content() -> Result<fn(Dialog) -> AnyView, SplitLoaderError> {
    Ok(|dialog| {
        press_when_done();
        of(dialog)
    })
}

fn of(dialog: Dialog) -> AnyView {
    match dialog {
        Dialog::Endpoint { model, field } => view! { <Endpoint model=model field=field /> }.into_any(),
        Dialog::Library => view! { <Library /> }.into_any(),
        Dialog::Versions => view! { <Versions /> }.into_any(),
        Dialog::Tests => view! { <Tests /> }.into_any(),
        Dialog::Import { dropped, refused } => {
            view! { <Import dropped=dropped refused=refused /> }.into_any()
        }
        Dialog::Shared { document } => view! { <Shared document=document /> }.into_any(),
        Dialog::Search => view! { <Search /> }.into_any(),
        Dialog::Find => view! { <Find /> }.into_any(),
        Dialog::Json => view! { <Json /> }.into_any(),
        Dialog::Imported { report } => view! { <Imported report=report /> }.into_any(),
        Dialog::Templates => view! { <Gallery /> }.into_any(),
        Dialog::Export => view! { <Export /> }.into_any(),
        Dialog::Delete { going } => view! { <Delete going=going /> }.into_any(),
        Dialog::Given { start, schema } => view! { <GivenForm start=start schema=schema /> }.into_any(),
        Dialog::Keys => view! { <Keys /> }.into_any(),
        Dialog::Try { key, offer } => view! { <Trying key=key offer=offer /> }.into_any(),
        Dialog::NewOrigin { origin, offer } => view! { <NewOrigin origin=origin offer=offer /> }.into_any(),
        Dialog::Relay => view! { <RelayDialog /> }.into_any(),
        Dialog::Unlock { sends } => view! { <Unlock sends=sends /> }.into_any(),
        Dialog::OpenApi { goal, dropped } => view! { <OpenApi goal=goal dropped=dropped /> }.into_any(),
        Dialog::McpServer { agent } => view! { <McpTools agent=agent /> }.into_any(),
        Dialog::Agree { origins, sends, offer } => {
            view! { <Agree origins=origins sends=sends offer=offer /> }.into_any()
        }
    }
}

/// The main button is pressed by Ctrl Enter in any field, also in one where Enter makes a line.
fn press_when_done() {
    let listening = window_event_listener(ev::keydown, |event| {
        let button = document().query_selector("dialog[open] footer .primary:enabled").ok().flatten();
        let button = button.and_then(|button| button.dyn_into::<HtmlElement>().ok());
        if let Some(button) = button.filter(|_| is_done(&event)) {
            event.prevent_default();
            button.click();
        }
    });
    on_cleanup(move || listening.remove());
}

fn title_of(dialog: &Dialog) -> &'static str {
    match dialog {
        Dialog::Endpoint { .. } => "Endpoint",
        Dialog::Library => "Workflows",
        Dialog::Versions => "Versions",
        Dialog::Tests => "Tests",
        Dialog::Import { .. } => "Import a workflow",
        Dialog::Shared { .. } => "A workflow from a link",
        Dialog::Search => "Search",
        Dialog::Find => "Find and replace",
        Dialog::Json => "JSON",
        Dialog::Imported { .. } => "What was imported",
        Dialog::Templates => "Templates",
        Dialog::Export => "Export the workflow",
        Dialog::Delete { .. } => "Others use this",
        Dialog::Given { .. } => "Run with",
        Dialog::Keys => "Keyboard",
        Dialog::Try { .. } => "Try this request",
        Dialog::NewOrigin { .. } => "A new address",
        Dialog::Relay => "Requests go through",
        Dialog::Unlock { .. } => "Unlock your keys",
        Dialog::OpenApi { goal: OperationsFor::Tools(_), .. } => "Tools of an OpenAPI description",
        Dialog::OpenApi { goal: OperationsFor::Step(_), .. } => "A request of an OpenAPI description",
        Dialog::McpServer { .. } => "Tools of an MCP server",
        Dialog::Agree { .. } => "Send data to these addresses?",
    }
}

/// What a person fills in, or else does, first.
const FIRST: &str = ".modal-body :is(textarea:not([readonly]), select, input:not([type=checkbox], [type=file])), .primary:enabled";

/// What has the value that the run before was given: another one is typed over it.
const GIVEN_BEFORE: &str = "#given :is(input, textarea):not(.code)";

/// What gets the focus back that a dialog has taken.
const OPENERS: &str = "button, input, textarea, select, .code-field";

/// Gives the focus to what a person came for: where the dialog does not say so itself, the browser has given it to the
/// × in the head, which the first space that is typed would press; and nothing where a dialog takes the place of another.
fn enter(dialog: &HtmlElement) {
    let find = |selector| dialog.query_selector(selector).ok().flatten();
    if let Some(first) = find("[autofocus]") {
        focus(first);
    } else if let Some(first) = find(FIRST) {
        if first.matches(GIVEN_BEFORE).unwrap_or_default() {
            // Its value comes right after the field. A field of one line has this of one of several.
            let field = first.clone().unchecked_into::<HtmlTextAreaElement>();
            queue_microtask(move || field.select());
        }
        focus(first);
    }
}

/// Gives the focus back to what opened the dialog. That may be gone, as an item of a menu is; the keyboard then is not
/// nowhere. What a key has opened from a card leaves it on the selected one.
fn leave(app: App, opener: Option<Element>) {
    let selected = app.editor.selected.get_untracked();
    if opener.is_none() && selected.is_some() && is_lost() {
        return app.editor.focus.set(selected);
    }
    for back in [opener, document().get_element_by_id(FILE_BUTTON)].into_iter().flatten() {
        if is_lost() {
            focus(back);
        }
    }
}

fn focus(element: Element) {
    element.dyn_ref().into_iter().for_each(focus_in_place);
}

#[component]
fn Modal(
    /// What it is.
    title: &'static str,
    /// Whether it has room for a list.
    wide: bool,
    children: Children,
) -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        if let Some(dialog) = node.get() {
            // It is in the page, so showing it cannot fail; one that takes the place of another is open already.
            if !dialog.open() {
                let _ = dialog.show_modal();
            }
            enter(&dialog);
            // After what stands in a field was selected.
            queue_microtask(move || early_keys::release(app));
        }
    });
    let close = move || app.dialog.set(None);
    // The browser says that it has closed only a while after Escape: keys that are pressed until then are the page's. A field
    // for a file says so too where nobody has chosen one.
    let cancel = move |event: ev::Event| {
        if event.target() == event.current_target() {
            close();
        }
    };
    // A card, or a line of the outline, is chosen by its focus, and the dialog may have led to another one.
    let gives_back = |element: &Element| element.matches(OPENERS).unwrap_or_default();
    let opener = StoredValue::new_local(document().active_element().filter(gives_back));
    on_cleanup(move || {
        let opener = opener.try_get_value().flatten();
        queue_microtask(move || leave(app, opener));
    });
    view! {
        <dialog class="modal" class:wide=wide aria-label=title node_ref=node on:cancel=cancel on:close=move |_| close()>
            <header>
                <h2>{title}</h2>
                <button class="icon-button" title="Close (Esc)" aria-label="Close" on:click=move |_| close()>{icon(CLOSE)}</button>
            </header>
            {children()}
        </dialog>
    }
}
