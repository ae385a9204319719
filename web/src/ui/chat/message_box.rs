//! The box in which a person writes to the workflow.

use leptos::html;
use leptos::prelude::*;
use stepweave_core::document::{Source, StepKind};

use crate::model::conversations::Conversation;
use crate::page::icon::{STOP, UP, icon};
use crate::page::state::app;
use crate::run::status::Status;
use crate::ui::{chat, launch};

/// What a prompt is that is what a person says.
const PROMPT: &str = "{{ input }}";

/// The box. Enter sends; the keyboard stays in it.
#[component]
pub fn MessageBox(
    /// The conversation.
    conversation: Conversation,
) -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Textarea>::new();
    let is_open = Memo::new(move |_| app.chat.kept.with(|kept| kept.open.is_some()));
    let key = StoredValue::new(conversation.key);
    let is_elsewhere = Memo::new(move |_| {
        app.chat
            .kept
            .with(|kept| key.with_value(|key| kept.open.as_ref().is_some_and(|open| open.key != *key)))
    });
    let is_running = Memo::new(move |_| app.runner.status.get() == Status::Running);
    let hint = Memo::new(move |_| match (chat::refusal(app), is_open.get(), is_running.get()) {
        (Some(refusal), ..) => Some(refusal),
        (None, true, false) if is_elsewhere.get() => {
            Some("A message of another conversation of this workflow waits for an answer: choose it above.")
        }
        (None, true, false) if app.chat.elsewhere.get() => {
            Some("Another tab gets the answer to the last message.")
        }
        (None, true, false) if chat::is_cut_off(app) => {
            Some("The last message has no answer yet: go on above, or send it again.")
        }
        (None, true, false) => Some("This message waits: answer what is asked above first."),
        (None, false, true) => Some("The workflow is running. Wait for its end, or stop it."),
        (None, true, true) => None,
        (None, false, false) if !app.chat.stored.get() => Some(
            "This conversation is not stored, because it is too large or the browser stores nothing: a reload of the page loses it.",
        ),
        (None, false, false) => None,
    });
    let send = move || {
        if !is_running.get_untracked() {
            chat::send(app);
        }
        focus(node);
    };
    let press = move |event: leptos::ev::KeyboardEvent| {
        // Enter that ends a word of an input method is part of the word.
        let is_writing = event.is_composing() || event.key_code() == 229;
        if event.key() == "Enter" && !event.shift_key() && !is_writing {
            event.prevent_default();
            // With Ctrl it would run all of the workflow elsewhere on the page.
            event.stop_propagation();
            send();
        }
    };
    let stop = move |_| {
        launch::stop(app);
        focus(node);
    };
    // Whoever opens the chat writes; whoever has answered a question, whose form is gone then, goes on writing.
    Effect::new(move |before: Option<(u64, bool)>| {
        let now = (app.chat.focus.get(), app.runner.status.get() == Status::Suspended && is_open.get());
        let answered = before.is_some_and(|(_, waited)| waited && !now.1);
        let is_wanted = before.map_or(now.0 > 0, |(count, _)| count != now.0);
        if (is_wanted || answered) && node.get().is_some() {
            request_animation_frame(move || focus(node));
        }
        now
    });
    let steps = StoredValue::new(conversation.steps);
    let no_prompt = conversation.inputs.is_empty();
    let repair = move |_| {
        let Some(id) = steps.with_value(|steps| steps.first().cloned()) else { return };
        app.editor.change_step(&id, |step| {
            if let StepKind::Agent(call) = &mut step.kind {
                call.input_from = Some(Source::Text(PROMPT.to_owned()));
            }
        });
    };
    view! {
        <form class="chat-box" on:submit=move |event| { event.prevent_default(); send(); }>
            {move || hint.get().map(|text| view! { <p class="chat-note" id="chat-hint" role="status">{text}</p> })}
            {no_prompt.then(|| view! {
                <button class="button" type="button" on:click=repair>"Make " <code>{PROMPT}</code> " the prompt"</button>
            })}
            <div class="chat-line">
                <textarea class="input" rows="1" aria-label="Message" placeholder="Write a message" node_ref=node
                    readonly=app.editor.following
                    aria-describedby=move || hint.get().map(|_| "chat-hint")
                    title="Enter sends, Shift+Enter begins a new line"
                    prop:value=move || app.chat.draft.get()
                    on:input=move |event| chat::write(app, event_target_value(&event))
                    on:keydown=press></textarea>
                {move || match is_running.get() {
                    true => view! { <button class="button" type="button" on:click=stop>{icon(STOP)} "Stop"</button> }.into_any(),
                    false => view! {
                        <button class="button primary" type="submit"
                            disabled=move || is_open.get() || app.chat.draft.with(|draft| draft.trim().is_empty())>{icon(UP)} "Send"</button>
                    }
                    .into_any(),
                }}
            </div>
        </form>
    }
}

fn focus(node: NodeRef<html::Textarea>) {
    // A box that is gone needs no focus.
    if let Some(field) = node.try_get_untracked().flatten() {
        let _ = field.focus();
    }
}
