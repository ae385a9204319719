//! The fields of an agent step.

use super::choosing_words::WordsOfPrompt;
use leptos::prelude::*;
use stepweave_core::document::{AgentCall, Document, History, Step, StepKind};
use stepweave_core::rename::{Named, is_given_once, place_of};

use crate::model::example;
use crate::page::state::app;
use crate::ui::field::TextField;
use crate::ui::inspector::fields::bound::{Bound, BoundNumber, BoundSwitch, BoundText, StepId};
use crate::ui::inspector::fields::source::{SourceField, is_empty};
use crate::ui::inspector::workflow::agent_more::AnswersWithWords;
use crate::ui::inspector::workflow::agents::AgentPicker;

/// The fields of an agent step.
#[component]
pub fn AgentStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let input = call(
        id,
        "inputFrom",
        |call| call.input_from.clone(),
        |call, source| call.input_from = source.filter(|source| !is_empty(source)),
    );
    let agent = call(id, "agent", |call| call.agent.clone(), |call, agent| call.agent = agent);
    let (chosen, flaw) = (agent.signal(), agent.flaw());
    let document = app().editor.document;
    let known = Memo::new(move |_| {
        Some(chosen.get()).filter(|id| document.with(|document| document.agents.contains_key(id)))
    });
    let name =
        Signal::derive(move || app().editor.step(&id.get(), |step| step.name.clone()).unwrap_or_default());
    let example =
        Signal::derive(move || document.with_untracked(|document| example::prompt(document, &id.get())));
    view! {
        <div>
            <SourceField
                label="Prompt"
                bound=input
                text="template"
                rows=5
                placeholder=example
                hint="A template: {{ key }} puts in a value of the state. Empty: the whole state."
            />
            <WordsOfPrompt id=id />
            {move || known.get().map(|id| view! { <AnswersWithWords id=id /> })}
        </div>
        <AgentPicker agent=chosen flaw=flaw step=name on_pick=move |word: String| agent.pick(word) />
    }
}

/// What few agent steps have: files, a conversation, and more of the answer than its text.
#[component]
pub fn AgentStepMore(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    // A conversation without a key is none.
    let key = call(
        id,
        "history",
        |call| call.history.as_ref().map(|history| history.key.clone()).unwrap_or_default(),
        |call, key| {
            let kept = call.history.take();
            let none = History { key: String::new(), max_messages: None, max_tokens: None, summary: None };
            call.history =
                Some(History { key, ..kept.unwrap_or(none) }).filter(|history| !history.key.is_empty());
        },
    );
    let most_tokens = call(
        id,
        "history.maxTokens",
        |call| call.history.as_ref().and_then(|history| history.max_tokens),
        |call, most: Option<u64>| {
            if let Some(history) = &mut call.history {
                history.max_tokens = most;
            }
        },
    );
    let most = call(
        id,
        "history.maxMessages",
        |call| call.history.as_ref().and_then(|history| history.max_messages).map(u64::from),
        |call, most: Option<u64>| {
            if let Some(history) = &mut call.history {
                history.max_messages = most.and_then(|most| most.try_into().ok());
            }
        },
    );
    let summary = call(
        id,
        "history.summary",
        |call| call.history.as_ref().and_then(|history| history.summary.clone()).unwrap_or_default(),
        |call, agent: String| {
            if let Some(history) = &mut call.history {
                history.summary = Some(agent).filter(|agent| !agent.is_empty());
            }
        },
    );
    let (conversation, conversation_flaw) = (key.signal(), key.flaw());
    let has_history = Memo::new(move |_| conversation.with(|key| !key.is_empty()));
    let editor = app().editor;
    let call_conversation = move |text: String| {
        // With a conversation of several steps, this one leaves it for another one.
        let named = |document: &Document| {
            let (place, key) = (place_of(document, &id.now())?, conversation.get_untracked());
            let is_renamed = !key.is_empty() && is_given_once(document, &place, &key);
            is_renamed.then_some(Named::Key { place, key })
        };
        if text.is_empty() {
            return key.type_in(text);
        }
        editor.type_name(&key.field(), named, &text, || key.type_in(text.clone()));
    };
    let files = call(
        id,
        "files",
        |call| call.files.clone(),
        |call, source| call.files = source.filter(|source| !is_empty(source)),
    );
    let full = call(id, "fullResponse", |call| call.full_response, |call, on| call.full_response = on);
    view! {
        <SourceField label="Files" bound=files rows=1 placeholder="[photo]"
            hint="An expression for the images and files that go with it: a list of { type, mediaType, data }." />
        <TextField label="Conversation" value=conversation flaw=conversation_flaw code=true placeholder="none"
            hint="The key of the state that keeps what was said, so that steps go on with it"
            on_input=call_conversation on_leave=move |()| editor.seal() />
        {move || has_history.get().then(|| view! {
            <BoundNumber label="Messages kept" bound=most.clone() least=1 placeholder="20" />
            <BoundNumber label="Tokens kept" bound=most_tokens.clone() least=1 placeholder="any" />
            <BoundText label="Summed up by" bound=summary.clone() code=true placeholder="nobody: older messages are dropped"
                hint="An agent of this workflow without tools, which puts older messages in short" />
        })}
        <BoundSwitch label="Answer with details" hint="Give reasoning, tool calls and usage too, not the text alone" bound=full />
    }
}

fn call<T: Default + 'static>(
    id: StepId,
    path: &str,
    read: impl Fn(&AgentCall) -> T + Send + Sync + 'static,
    write: impl Fn(&mut AgentCall, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Agent(call) => read(call),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Agent(call) = &mut step.kind {
            write(call, value);
        }
    })
}
