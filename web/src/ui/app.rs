//! The whole page.

use indexmap::IndexMap;
use leptos::prelude::*;

use super::as_json::AsJson;
use super::banner::Banners;
use super::dialogs::{self, Dialogs};
use super::find::FindPanel;
use super::inspector::Inspector;
use super::menu::{self, ContextMenu};
use super::palette::Palette;
use super::panel::BottomPanel;
use super::topbar::Topbar;
use super::{autosave, chat, check, commands, dropping, keys, new_origin, opening, views};
use crate::bridge::{Bridge, Opened};
use crate::canvas::view::Canvas;
use crate::model::editor::Editor;
use crate::model::problem::Flaws;
use crate::page::camera::Camera;
use crate::page::chat::Chat;
use crate::page::chunk::Chunk;
use crate::page::division::Division;
use crate::page::keyring;
use crate::page::noting;
use crate::page::pointer_state::PointerState;
use crate::page::state::{App, Chunks, Given, Saved};
use crate::run::runner::Runner;
use crate::run::trials::Trials;
use crate::step::upright::upright;
use crate::tools::Tool;

/// The page, with the workflow that was opened.
#[component]
pub fn Page(
    /// What the page's TypeScript does.
    bridge: Bridge,
    /// The workflow as it is stored.
    opened: Opened,
) -> impl IntoView {
    let found = opening::read(&opened);
    let editor = Editor::open(found.work.clone());
    let views = Chunk::new(|| Box::pin(views::views()));
    editor.papers.set(noting::remembered(&bridge));
    let app = App {
        editor,
        chat: Chat::new(editor, views),
        camera: Camera::new(),
        runner: Runner::new(),
        has_written: StoredValue::new(false),
        early_keys: StoredValue::new_local(Vec::new()),
        answering: StoredValue::new(false),
        trials: Trials::new(),
        pointer: PointerState::new(),
        tool: RwSignal::new(Tool::Idle),
        dialog: RwSignal::new(None),
        panel: RwSignal::new(None),
        picking: RwSignal::new(None),
        menu: RwSignal::new(None),
        finding: RwSignal::new(false),
        problems: RwSignal::new(Vec::new()),
        flaws: RwSignal::new(Flaws::default()),
        as_json: RwSignal::new(false),
        outlined: RwSignal::new(false),
        mapped: RwSignal::new(true),
        inspecting: RwSignal::new(false),
        more: RwSignal::new(false),
        more_of_agent: RwSignal::new(String::new()),
        more_of_requests: RwSignal::new(false),
        opened_tool: RwSignal::new(None),
        renamed_entry: RwSignal::new(None),
        saved: RwSignal::new(Saved::Yes),
        workflow: RwSignal::new(opened.id.clone()),
        trouble: RwSignal::new(None),
        unreadable: RwSignal::new(None),
        waiting: RwSignal::new(Vec::new()),
        lit: RwSignal::new(Vec::new()),
        single_keys: RwSignal::new(keys::are_single_keys_on(&bridge)),
        keys: RwSignal::new(IndexMap::new()),
        remembered: RwSignal::new(keyring::at_first(&bridge.vault())),
        agreed: RwSignal::new(Vec::new()),
        given: RwSignal::new(Given::default()),
        pins: RwSignal::new(Vec::new()),
        relay: RwSignal::new(None),
        relay_chosen: RwSignal::new(false),
        pasted: RwSignal::new(String::new()),
        division: Division::remembered(&bridge),
        chunks: Chunks { views, dialogs: Chunk::new(|| Box::pin(dialogs::content())) },
        bridge: StoredValue::new_local(bridge),
    };
    provide_context(app);
    autosave::follow(app);
    chat::follow(app);
    let offered = opened.offered.clone();
    opening::settle(app, opened, &found);
    check::follow(app);
    commands::listen(app);
    menu::listen(app);
    dropping::listen(app);
    if let Some(offered) = offered {
        dropping::import(app, offered);
    }
    new_origin::follow(app);
    // Tabs, bookmarks and the browser's history are told apart by it.
    let name = Memo::new(move |_| app.editor.document.with(|document| document.name.clone()));
    Effect::new(move || document().set_title(&(upright(name.get()) + " · Stepweave")));
    keyring::follow(app);
    // The browser draws the cards first. The dialogs come unasked too, for who opens one may be offline by then.
    request_animation_frame(move || {
        app.chunks.views.fetch();
        app.chunks.dialogs.fetch();
    });
    view! {
        <Topbar />
        <Banners />
        <main class="workbench">
            <Palette />
            <div class="stage" class:beside=app.division.is_beside>
                <div class="sheet">
                    <Canvas />
                    <AsJson />
                </div>
                <FindPanel />
                <BottomPanel />
            </div>
            <Inspector />
            <ContextMenu />
        </main>
        <Dialogs />
        <Announcer />
    }
}

/// What is announced comes with the views that show a run: none begins before.
#[component]
fn Announcer() -> impl IntoView {
    let views = crate::page::state::app().chunks.views;
    move || Some((views.get()?.announcer)())
}
