//! The chat: which conversation it is, what has been said in it, and the box for the next message.

use leptos::prelude::*;

use super::message_box::MessageBox;
use super::talk_view::TalkView;
use crate::model::conversations::Conversation;
use crate::page::icon::{PLUS, UNDO, icon};
use crate::page::state::app;
use crate::run::status::Status;
use crate::ui::chat;

/// The chat.
#[component]
pub fn ChatView() -> impl IntoView {
    let app = app();
    // It was not read where the file was missing that this comes in.
    if app.chat.of.with_untracked(Option::is_none) {
        chat::load(app);
    }
    // Another conversation is another view; more messages of the same one are not.
    let shown = Memo::new(move |_| app.chat.shown());
    move || {
        match shown.get() {
        Some(conversation) => view! {
            <div class="chat">
                <ChatHead conversation=conversation.clone() />
                <TalkView conversation=conversation.clone() />
                <MessageBox conversation=conversation />
            </div>
        }
        .into_any(),
        None => view! {
            <p class="empty">
                "This workflow has no conversation. An agent step has one when it says under “More” which key of the state keeps it."
            </p>
        }
        .into_any(),
    }
    }
}

/// What can be chosen, and a new conversation.
#[component]
fn ChatHead(conversation: Conversation) -> impl IntoView {
    let app = app();
    let conversation = StoredValue::new(conversation);
    let key = move || conversation.with_value(|own| own.key.clone());
    let several = Memo::new(move |_| app.chat.all.with(|all| all.len() > 1));
    let options = move || {
        let option = |one: Conversation| {
            let is_it = one.key == key();
            view! { <option value=one.key.clone() selected=is_it>{one.key.clone()}</option> }
        };
        app.chat.all.get().into_iter().map(option).collect_view()
    };
    let inputs = conversation.with_value(|own| own.inputs.clone());
    let goes_to = (inputs.len() > 1).then(|| {
        let input = Memo::new(move |_| conversation.with_value(|own| app.chat.input_of(own)));
        let option = |name: String| {
            let own = name.clone();
            let is_it = move || input.with(|input| input.as_ref() == Some(&own));
            view! { <option value=name.clone() prop:selected=is_it>{name.clone()}</option> }
        };
        let choose = move |event| chat::choose_input(app, key(), event_target_value(&event));
        view! {
            <label title="The key of the state that gets what you write">
                "You write "
                <select class="input" aria-label="What you write is" disabled=app.editor.following on:change=choose>{inputs.into_iter().map(option).collect_view()}</select>
            </label>
        }
    });
    let is_empty =
        Memo::new(move |_| app.chat.kept.with(|kept| conversation.with_value(|own| kept.is_empty(&own.key))));
    let is_running = Memo::new(move |_| {
        let is_open = app.chat.kept.with(|kept| kept.open.is_some());
        is_open && (app.runner.status.get() == Status::Running || app.chat.elsewhere.get())
    });
    let follows = app.editor.following;
    let can_go_back = Memo::new(move |_| app.chat.before.with(Option::is_some) && is_empty.get());
    view! {
        <div class="chat-head">
            {move || several.get().then(|| view! {
                <label>
                    "Conversation "
                    <select class="input" aria-label="Which conversation" on:change=move |event| app.chat.chosen.set(Some(event_target_value(&event)))>
                        {options()}
                    </select>
                </label>
            })}
            {goes_to}
            <span class="spring"></span>
            <Show when=move || can_go_back.get()>
                <button class="text-button" on:click=move |_| chat::back(app)>{icon(UNDO)} "Bring the last one back"</button>
            </Show>
            <Show when=move || !is_empty.get()>
                <button class="text-button" disabled=move || is_running.get() || follows.get() on:click=move |_| chat::anew(app)>{icon(PLUS)} "New conversation"</button>
            </Show>
        </div>
    }
}
