//! What has been said in a conversation, and what is being answered.

use leptos::html;
use leptos::prelude::*;

use super::turn_view::{Asked, FailedTurn, LiveTurn, PastTurn};
use crate::model::conversations::Conversation;
use crate::page::icon::{AGAIN, icon};
use crate::page::state::app;
use crate::run::talk::{GivenUp, Open, Talk};
use crate::ui::{chat, launch};

/// Who is so near to the end, in pixels, reads along.
const NEAR: i32 = 60;

/// The conversation. It grows at its end, and is read out there.
#[component]
pub fn TalkView(
    /// The conversation.
    conversation: Conversation,
) -> impl IntoView {
    let app = app();
    let key = StoredValue::new(conversation.key.clone());
    let of = move |read: &dyn Fn(&Talk) -> usize| {
        app.chat.kept.with(|kept| key.with_value(|key| kept.talks.get(key).map(read)).unwrap_or_default())
    };
    // Turns never change: only their numbers are looked at with every message.
    let first = Memo::new(move |_| of(&|talk| talk.turns.first().map_or(0, |turn| turn.number as usize)));
    let many = Memo::new(move |_| of(&|talk| talk.turns.len()));
    // Another conversation begins with the same numbers.
    let generation = Memo::new(move |last: Option<&(u64, usize)>| {
        let (count, before) = last.copied().unwrap_or_default();
        let now = many.get();
        (if now < before { count + 1 } else { count }, now)
    });
    let numbers = Memo::new(move |_| {
        let (count, _) = generation.get();
        (first.get()..first.get() + many.get()).map(|number| (count, number)).collect::<Vec<_>>()
    });
    let turn = move |(_, number): (u64, usize)| {
        let turn = app.chat.kept.with_untracked(|kept| {
            let talk = key.with_value(|key| kept.talks.get(key))?;
            talk.turns.iter().find(|turn| turn.number as usize == number).cloned()
        });
        turn.map(|turn| view! { <PastTurn turn=turn /> })
    };
    let failed = Memo::new(move |_| {
        app.chat.kept.with(|kept| key.with_value(|key| kept.talks.get(key)?.failed.clone()))
    });
    let open = Memo::new(move |_| {
        app.chat.kept.with(|kept| key.with_value(|key| kept.open.clone().filter(|open| open.key == *key)))
    });
    let is_live = Memo::new(move |_| {
        open.with(|open| open.as_ref().is_some_and(|open| app.runner.stored().as_ref() == Some(&open.run)))
    });
    let is_empty =
        Memo::new(move |_| many.get() == 0 && failed.with(Option::is_none) && open.with(Option::is_none));
    let steps = StoredValue::new(conversation.steps);
    let node = NodeRef::<html::Div>::new();
    follow_end(node, many, open);
    view! {
        <div class="chat-log" role="log" aria-live="polite" aria-label="Conversation" tabindex="0" node_ref=node
            aria-busy=move || is_live.get().to_string()>
            {move || is_empty.get().then(|| view! {
                <p class="empty">"Say something: the workflow answers, and goes on with what was said before. What is said is kept in this browser."</p>
            })}
            <For each=move || numbers.get() key=|one| *one children=turn />
            {move || failed.get().map(|turn| view! { <FailedTurn turn=turn /> })}
            {move || open.get().map(|open| match is_live.get() {
                true => view! { <LiveTurn asked=open.asked steps=steps.get_value() /> }.into_any(),
                false => view! { <LeftTurn open=open /> }.into_any(),
            })}
        </div>
    }
}

/// A turn whose run is not the one that is shown.
#[component]
fn LeftTurn(open: Open) -> impl IntoView {
    let app = app();
    let run = StoredValue::new(open.run);
    let waiting = Memo::new(move |_| {
        app.waiting.with(|waiting| run.with_value(|run| waiting.iter().find(|one| one.run == *run).cloned()))
    });
    let number = Memo::new(move |_| run.with_value(|run| app.runner.number_of(run)));
    let go_on = move |run: String| {
        view! {
            <button class="button" on:click=move |_| launch::take_up(app, run.clone())>{icon(AGAIN)} "Go on"</button>
        }
    };
    let is_writing = move || app.chat.draft.with(|draft| !draft.trim().is_empty());
    let why_not = move || if is_writing() { "Another message stands in the box below." } else { "" };
    let way = move || {
        match (waiting.get(), number.get()) {
        _ if app.chat.elsewhere.get() => view! {
            <p>"Another tab has this workflow open, and shows the answer as it comes. It stands here once it is whole."</p>
        }
        .into_any(),
        (Some(left), _) if left.suspended => view! {
            <p>"The workflow waits for your answer."</p>
            {go_on(left.run)}
        }
        .into_any(),
        (Some(left), _) => view! {
            <p>"The answer was cut off: the page was closed or reloaded before it came. What the run has done is kept."</p>
            {go_on(left.run)}
            <button class="button" disabled=is_writing title=why_not on:click=move |_| chat::say_again(app)>"Send it again"</button>
        }
        .into_any(),
        (None, Some(number)) => view! {
            <p>"Another run is shown."</p>
            <button class="button" on:click=move |_| app.runner.look_at(number)>"Show the run of this message"</button>
        }
        .into_any(),
        (None, None) => view! {
            <p>"The run of this message is no longer there."</p>
            <button class="button" on:click=move |_| chat::give_up(app, GivenUp::CutOff)>"Write it again"</button>
        }
        .into_any(),
    }
    };
    view! {
        <div class="chat-turn">
            <Asked text=open.asked />
            <div class="chat-note">{way}</div>
        </div>
    }
}

/// Keeps the end in view for who reads there, and for who has just said something.
fn follow_end(node: NodeRef<html::Div>, many: Memo<usize>, open: Memo<Option<Open>>) {
    let runner = app().runner;
    let said = StoredValue::new(None::<Open>);
    Effect::new(move || {
        runner.progress.track();
        many.with(|_| ());
        let is_new = open.with(|open| {
            let is_new = open.is_some() && said.with_value(|said| said != open);
            said.set_value(open.clone());
            is_new
        });
        let Some(log) = node.get() else { return };
        let is_near = log.scroll_height() - log.scroll_top() - log.client_height() < NEAR;
        if is_new || is_near || log.scroll_top() == 0 {
            // What has arrived is laid out by then.
            request_animation_frame(move || log.set_scroll_top(log.scroll_height()));
        }
    });
}
