//! One message to a workflow, and what came of it.

use leptos::prelude::*;

use crate::page::state::app;
use crate::run::executions::Executions;
use crate::run::status::Status;
use crate::run::talk::{Answer, GivenUp, Turn};
use crate::ui::chat;
use crate::ui::inspector::outcome::calls::{Call, FailedCalls, Reasoning, ToolCalls};
use crate::ui::inspector::outcome::links::links;
use crate::ui::inspector::outcome::run_of_step::{Shown, question};
use crate::ui::markdown::Markdown;
use crate::ui::panel::FailureRow;

/// What the person said.
#[component]
pub fn Asked(
    /// The text.
    text: String,
) -> impl IntoView {
    view! { <p class="chat-asked"><span class="unseen">"You: "</span>{text}</p> }
}

/// A turn that is over.
#[component]
pub fn PastTurn(
    /// The turn.
    turn: Turn,
) -> impl IntoView {
    let Turn { asked, answers, failures, .. } = turn;
    let is_empty = answers.is_empty();
    view! {
        <div class="chat-turn">
            <Asked text=asked />
            {several(answers)}
            {is_empty.then(|| view! { <p class="chat-note">"The workflow ran, but no step of this conversation answered."</p> })}
            {failures.into_iter().map(|failure| view! { <FailureRow failure=failure /> }).collect_view()}
        </div>
    }
}

/// A turn that failed or was stopped.
#[component]
pub fn FailedTurn(
    /// The turn.
    turn: Turn,
) -> impl IntoView {
    let app = app();
    let Turn { asked, answers, failures, end, .. } = turn;
    let said = match Status::of(&end) {
        _ if end == GivenUp::CutOff.word() => {
            "The answer was cut off: the page was closed or reloaded before it came."
        }
        Status::Cancelled => "Stopped.",
        Status::Budget => "The budget of a run is used up.",
        _ => "This was not answered.",
    };
    // Whoever has begun another message has that in the box.
    let is_below = RwSignal::new(app.chat.draft.with_untracked(|draft| draft.contains(asked.trim())));
    let message = asked.clone();
    let write = move || {
        let message = message.clone();
        let again = move |_| {
            chat::write_again(app, message.clone());
            is_below.set(true);
        };
        (!is_below.get()).then(|| view! { <button class="button" on:click=again>"Write it again"</button> })
    };
    view! {
        <div class="chat-turn">
            <Asked text=asked />
            {several(answers)}
            {failures.into_iter().filter(|failure| failure.code != "cancelled").map(|failure| view! { <FailureRow failure=failure /> }).collect_view()}
            <div class="chat-note">
                <p>
                    {said}
                    {move || if is_below.get() { " Your message stands below again; the conversation is as it was before it." } else { " The conversation is as it was before it." }}
                </p>
                {write}
            </div>
        </div>
    }
}

/// The turn that the shown run answers.
#[component]
pub fn LiveTurn(
    /// What was said.
    asked: String,
    /// The steps of the conversation, by their ids.
    steps: Vec<String>,
) -> impl IntoView {
    let runner = app().runner;
    let steps = StoredValue::new(steps);
    let executions = Memo::new(move |_| {
        let ids = runner.read(|board| {
            let is_here = |id: &&String| steps.with_value(|steps| steps.contains(id));
            board.order.iter().filter(is_here).cloned().collect::<Vec<_>>()
        });
        let keys = |all: &Executions| all.keys().map(str::to_owned).collect::<Vec<_>>();
        let all = ids.into_iter().map(|id| (runner.step_now(&id, keys).unwrap_or_default(), id));
        all.flat_map(|(keys, id)| keys.into_iter().map(move |key| (id.clone(), key))).collect::<Vec<_>>()
    });
    let is_labelled = Memo::new(move |_| executions.with(|all| all.len() > 1));
    let pending = Memo::new(move |_| {
        runner.read(|board| board.result.as_ref().map(|result| result.pending.clone()).unwrap_or_default())
    });
    // An answer that does not fit is shown where it is given.
    let refused = Memo::new(move |_| runner.read(|board| board.refusal.clone()));
    let doing = Memo::new(move |_| {
        let name =
            runner.begun.get().and_then(|id| runner.step_now(&id, |all| Some(all.latest()?.name.clone())));
        (runner.status.get() == Status::Running).then(|| name.flatten().unwrap_or_default())
    });
    view! {
        <div class="chat-turn">
            <Asked text=asked />
            <For each=move || executions.get() key=Clone::clone let:one>
                <LiveAnswer id=one.0 key=one.1 is_labelled=is_labelled />
            </For>
            {move || refused.get().map(|failure| view! { <FailureRow failure=failure /> })}
            {move || pending.get().into_iter().map(question).collect_view()}
            {move || doing.get().map(|name| view! {
                <p class="chat-note doing"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> {name}</p>
            })}
        </div>
    }
}

/// An answer that arrives. What was unfolded in it stays so.
#[component]
fn LiveAnswer(id: String, key: String, is_labelled: Memo<bool>) -> impl IntoView {
    let shown = Shown::new(id, Memo::new(move |_| Some(key.clone())));
    let length = Memo::new(move |_| shown.read(|run| (run.status, run.attempt, run.text.len())));
    let text = move || {
        // Always read: a memo that is only tracked is never computed.
        length.with(|_| ());
        shown.read_now(|run| run.answer().unwrap_or_default()).unwrap_or_default()
    };
    let name = Memo::new(move |_| shown.read(|run| run.name.clone()).unwrap_or_default());
    let is_simulated = Memo::new(move |_| shown.read(|run| run.simulated).unwrap_or_default());
    view! {
        <div class="chat-answer">
            {move || is_labelled.get().then(|| view! { <b class="chat-step">{name}</b> })}
            <Reasoning shown=shown />
            <FailedCalls shown=shown />
            <ToolCalls shown=shown />
            <Markdown text=Signal::derive(text) />
            {move || is_simulated.get().then(simulated)}
        </div>
    }
}

fn several(answers: Vec<Answer>) -> impl IntoView {
    let is_labelled = answers.len() > 1;
    answers.into_iter().map(|answer| answered(answer, is_labelled)).collect_view()
}

fn answered(answer: Answer, is_labelled: bool) -> impl IntoView {
    let Answer { step, text, calls, sources, simulated: is_simulated, .. } = answer;
    view! {
        <div class="chat-answer">
            {is_labelled.then(|| view! { <b class="chat-step">{step}</b> })}
            {calls.into_iter().map(|call| view! { <Call call=call /> }).collect_view()}
            <Markdown text=Signal::stored(text) />
            {(!sources.is_empty()).then(|| links(sources))}
            {is_simulated.then(simulated)}
        </div>
    }
}

fn simulated() -> impl IntoView {
    view! { <span class="badge simulated">"simulated"</span> }
}
