//! Talking to a workflow that has a conversation: each message is a run, which goes on with what was said before.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use serde_json::{Map, Value};
use wasm_bindgen_futures::spawn_local;

use super::launch;
use crate::model::conversations::Conversation;
use crate::page::state::{App, Panel, Start};
use crate::run::status::Status;
use crate::run::talk::{self, GivenUp, Kept, Open};

pub mod message_box;
pub mod talk_view;
pub mod turn_view;
pub mod view;

/// How long a person pauses before what stands in the message box is stored.
const PAUSE: Duration = Duration::from_millis(300);

/// How long another tab may take to store what came of a turn, once its run has let go.
const STORING: Duration = Duration::from_secs(1);

/// Ends each turn when its run has ended, and stores what is being written when the page is left.
pub fn follow(app: App) {
    let leaving =
        window_event_listener(ev::Custom::<web_sys::Event>::new("pagehide"), move |_| keep_draft(app));
    on_cleanup(move || leaving.remove());
    Effect::new(move || {
        let open = app.chat.kept.with(|kept| kept.open.as_ref().map(|open| open.run.clone()));
        let is_shown = open.is_some() && app.runner.stored() == open;
        if is_shown && !matches!(app.runner.status.get(), Status::Running | Status::Suspended | Status::Idle)
        {
            untrack(|| close(app));
        }
    });
}

/// Reads what has been said to the workflow that was just opened.
pub fn load(app: App) {
    let workflow = app.workflow.get_untracked();
    let chat = app.chat;
    let is_known = chat.of.with_untracked(|of| of.as_ref() == Some(&workflow));
    if !is_known {
        chat.of.set(None);
        chat.kept.set(Kept::default());
        chat.draft.set(String::new());
        chat.before.set(None);
        chat.chosen.set(None);
        chat.stored.set(true);
    }
    spawn_local(async move {
        // Without what reads it nothing can be said, and so nothing is stored over it.
        if let Ok(read) = reading().await {
            read(app, workflow, is_known);
        }
    });
}

/// How what was said to a workflow is read, of which this visit may know something already. It comes with the views that show it.
#[wasm_split(views, fallible, wasm_split_path = leptos::wasm_split)]
fn reading() -> Result<fn(App, String, bool), SplitLoaderError> {
    Ok(read)
}

fn read(app: App, workflow: String, is_known: bool) {
    let chat = app.chat;
    let store = app.bridge.with_value(|bridge| bridge.store());
    spawn_local(async move {
        let text = store.chats().read(&workflow).await;
        let is_read = !is_known && chat.of.with_untracked(|of| of.as_ref() == Some(&workflow));
        if is_read || app.workflow.get_untracked() != workflow {
            return;
        }
        let follows = app.editor.following.get_untracked();
        // Where nothing is stored, what this visit knows is all there is.
        if !is_known || text.is_some() {
            let kept = text.as_deref().map(talk::read).unwrap_or_default();
            if follows || chat.draft.with_untracked(String::is_empty) {
                chat.draft.set(kept.draft.clone());
            }
            chat.kept.set(kept);
            chat.of.set(Some(workflow.clone()));
        }
        let open = || chat.kept.with_untracked(|kept| kept.open.as_ref().map(|open| open.run.clone()));
        let is_shown = || untrack(|| app.runner.stored()) == open();
        // Hardly ever is a turn open that nobody follows: only then is a journal read.
        let Some(run) = open().filter(|_| !is_shown()) else { return chat.elsewhere.set(false) };
        if follows {
            return chat.elsewhere.set(true);
        }
        let waiting = store.runs().waiting(&workflow).await;
        let is_elsewhere = store.runs().is_going_on(&run).await;
        if app.workflow.get_untracked() != workflow || open().as_ref() != Some(&run) || is_shown() {
            return;
        }
        if !is_elsewhere && chat.elsewhere.get_untracked() {
            let look_again = move || {
                chat.elsewhere.set(false);
                load(app);
            };
            return set_timeout(look_again, STORING);
        }
        chat.elsewhere.set(is_elsewhere);
        if !is_elsewhere && !waiting.iter().any(|one| one.run == run) {
            give_up(app, GivenUp::CutOff);
        }
    });
}

/// Shows the chat and puts the keyboard into its message box.
pub fn show(app: App) {
    app.panel.set(Some(Panel::Chat));
    app.chat.focus.update(|count| *count += 1);
}

/// Says what stands in the message box, unless a turn is still open. It stays there until its run begins.
pub fn send(app: App) {
    let is_open = app.chat.kept.with_untracked(|kept| kept.open.is_some());
    let is_empty = app.chat.draft.with_untracked(|draft| draft.trim().is_empty());
    if !is_open && !is_empty && refusal(app).is_none() {
        launch::run(app, Start::Said);
    }
}

/// Why nothing can be said; follows it.
pub fn refusal(app: App) -> Option<&'static str> {
    if app.editor.following.get() {
        return Some("Another tab edits this workflow: talk to it there, or edit it here.");
    }
    if app.runner.elsewhere.with(Option::is_some) {
        return Some("Another workflow is running. Wait for its end, or stop it.");
    }
    let is_read = app.chat.of.with(|of| app.workflow.with(|workflow| of.as_ref() == Some(workflow)));
    let goes_in = app.chat.shown().and_then(|shown| app.chat.input_of(&shown));
    match (is_read, goes_in) {
        (false, _) => Some("What has been said before is being read…"),
        (true, None) => Some("No prompt of this conversation reads what you write."),
        (true, Some(_)) => None,
    }
}

/// The keys of the state that a turn fills in by itself.
pub fn filled(app: App) -> Vec<String> {
    let chat = app.chat;
    let input = chat.shown().and_then(|shown| chat.input_of(&shown));
    chat.all.with(|all| all.iter().map(|one| one.key.clone()).chain(input).collect())
}

/// What the run of the next turn is given: the messages of every conversation, and what stands in the message box.
pub fn state(app: App) -> Map<String, Value> {
    let chat = app.chat;
    let mut state = Map::new();
    chat.kept.with_untracked(|kept| {
        for Conversation { key, .. } in chat.all.get_untracked() {
            if let Some(messages) = kept.messages.get(&key) {
                state.insert(key, messages.clone());
            }
        }
    });
    let input = untrack(|| chat.shown().and_then(|shown| chat.input_of(&shown)));
    if let Some(input) = input {
        state.insert(input, chat.draft.get_untracked().into());
    }
    state
}

/// The run of a turn has begun.
pub fn begun(app: App) {
    let chat = app.chat;
    let shown = untrack(|| chat.shown().zip(app.runner.stored()));
    let Some((Conversation { key, .. }, run)) = shown else { return };
    let asked = chat.draft.get_untracked();
    chat.draft.set(String::new());
    chat.before.set(None);
    chat.kept.update(|kept| kept.begin(Open { key, asked, run }));
    save(app);
}

/// Begins the shown conversation anew.
pub fn anew(app: App) {
    let chat = app.chat;
    let Some(Conversation { key, .. }) = untrack(|| chat.shown()) else { return };
    let waits = chat.kept.with_untracked(|kept| kept.open.clone()).filter(|open| open.key == key);
    chat.before.set(Some(chat.kept.get_untracked()));
    chat.kept.update(|kept| kept.forget(&key));
    if let Some(Open { run, .. }) = waits {
        // A run that waits for an answer in a conversation that is over waits for nobody.
        forget(app, run);
        chat.before.update(|before| {
            let given_up = |before: &mut Kept| before.give_up(GivenUp::Stopped);
            if let Some(text) = before.as_mut().and_then(given_up) {
                give_back(app, text);
            }
        });
    }
    save(app);
    chat.focus.update(|count| *count += 1);
}

/// Brings the conversation back that was there before the new one.
pub fn back(app: App) {
    if let Some(before) = app.chat.before.get_untracked() {
        app.chat.before.set(None);
        app.chat.kept.set(before);
        save(app);
    }
}

/// From now on messages of a conversation go to this key of the state.
pub fn choose_input(app: App, key: String, input: String) {
    app.chat.kept.update(|kept| kept.talks.entry(key).or_default().input = Some(input));
    save(app);
}

/// Gives up the turn whose run is no longer there: what was said stands in the message box again.
pub fn give_up(app: App, end: GivenUp) {
    if let Some(text) = app.chat.kept.try_update(|kept| kept.give_up(end)).flatten() {
        give_back(app, text);
    }
    save(app);
}

/// Says once more what the turn has said that was cut off, which is given up with what its run has done.
pub fn say_again(app: App) {
    let open = app.chat.kept.with_untracked(|kept| kept.open.clone());
    if let Some(Open { run, .. }) = open {
        forget(app, run);
        give_up(app, GivenUp::CutOff);
        send(app);
    }
}

/// Whether the turn that is open was cut off, and can go on; follows it.
pub fn is_cut_off(app: App) -> bool {
    let run = app.chat.kept.with(|kept| kept.open.as_ref().map(|open| open.run.clone()));
    app.waiting.with(|all| all.iter().any(|one| !one.suspended && Some(&one.run) == run.as_ref()))
}

/// Forgets a run that can be taken up again.
pub fn forget(app: App, run: String) {
    launch::forget_left(app, &run);
    let runs = app.bridge.with_value(|bridge| bridge.store().runs());
    spawn_local(async move { runs.forget(&app.workflow.get_untracked(), &run).await });
}

fn close(app: App) {
    let chat = app.chat;
    let all = chat.all.get_untracked();
    let back = app.runner.read(|board| chat.kept.try_update(|kept| kept.close(&all, board)).flatten());
    if let Some(text) = back {
        give_back(app, text);
    }
    save(app);
}

/// Puts a message that was not answered into the message box, before what is being written there.
pub fn write_again(app: App, text: String) {
    let draft = app.chat.draft.get_untracked();
    write(app, if draft.trim().is_empty() { text } else { format!("{text}\n{draft}") });
    app.chat.focus.update(|count| *count += 1);
}

/// What is being written already is not written over.
fn give_back(app: App, text: String) {
    app.chat.draft.update(|draft| {
        if draft.trim().is_empty() {
            *draft = text;
        }
    });
}

/// What stands in the message box from now on. It is stored once the person pauses.
pub fn write(app: App, text: String) {
    let chat = app.chat;
    chat.draft.set(text);
    if let Some(timer) = chat.unsaved.try_update_value(Option::take).flatten() {
        timer.clear();
    }
    chat.unsaved.set_value(set_timeout_with_handle(move || keep_draft(app), PAUSE).ok());
}

/// Stores what stands in the message box and is not stored yet.
pub fn keep_draft(app: App) {
    if let Some(timer) = app.chat.unsaved.try_update_value(Option::take).flatten() {
        timer.clear();
        save(app);
    }
}

/// Stores what has been said. It is on its way when this returns.
fn save(app: App) {
    let chat = app.chat;
    let Some(workflow) = chat.of.get_untracked() else { return };
    let text = chat
        .kept
        .try_update_untracked(|kept| {
            kept.draft = chat.draft.get_untracked();
            kept.text()
        })
        .flatten();
    let chats = app.bridge.with_value(|bridge| bridge.store().chats());
    match text {
        Some(text) => {
            let keeping = chats.keep(&workflow, &text);
            spawn_local(async move { chat.stored.set(keeping.await) });
        }
        // Half of a conversation would be another one.
        None => {
            spawn_local(chats.forget(&workflow));
            chat.stored.set(false);
        }
    }
}
