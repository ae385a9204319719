//! Agents that are to answer with one of some words, which the workflow says already: the prompt lists them, or what
//! comes after the agent compares its answer with them.

use leptos::prelude::*;
use serde_json::json;
use stepweave_core::document::{Check, Document, Source, Step, StepKind, every};
use stepweave_core::state::step_of_output_key;

use crate::page::icon::{PLUS, icon};
use crate::page::state::app;
use crate::step::upright::upright;
use crate::step::words::{compared, offered};
use crate::ui::inspector::fields::bound::StepId;

/// An agent, and the words that it could choose from.
#[derive(Debug, Clone, PartialEq)]
struct Choosing {
    step: String,
    agent: String,
    words: Vec<String>,
}

/// Below a prompt that lists words: makes the answer one of them.
#[component]
pub fn WordsOfPrompt(
    /// The agent's step.
    id: StepId,
) -> impl IntoView {
    let editor = app().editor;
    let found = Memo::new(move |_| editor.step_in(&id.get(), of_prompt).flatten());
    move || {
        found.get().map(|found| {
            let label = format!("Answer with one of: {}", found.words.join(", "));
            view! { <Choose choosing=found label=label /> }
        })
    }
}

/// Below conditions that compare the answer of an agent with words, where that may be any text.
#[component]
pub fn WordsOfConditions(
    /// The step that compares.
    id: StepId,
) -> impl IntoView {
    let editor = app().editor;
    let found = Memo::new(move |_| editor.step_in(&id.get(), of_conditions).flatten());
    move || {
        found.get().map(|found| {
        let label = format!("Let {} answer with one of: {}", found.step, found.words.join(", "));
        view! {
            <span class="field-hint">{upright(found.step.clone())} " answers with any text, which is hardly one of these words."</span>
            <Choose choosing=found label=label />
        }
    })
    }
}

#[component]
fn Choose(choosing: Choosing, label: String) -> impl IntoView {
    let editor = app().editor;
    let Choosing { agent, words, .. } = choosing;
    let choose = move |_| {
        editor.change_settings(|document| {
            if let Some(agent) = document.agents.get_mut(&agent) {
                agent.output = Some(Check::Schema(json!({ "enum": words })));
            }
        });
    };
    view! { <button class="text-button" type="button" on:click=choose>{icon(PLUS)} <span>{upright(label)}</span></button> }
}

fn of_prompt(document: &Document, step: &Step) -> Option<Choosing> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let Some(Source::Text(prompt)) = &call.input_from else { return None };
    choosing(document, step, offered(prompt))
}

fn of_conditions(document: &Document, step: &Step) -> Option<Choosing> {
    let conditions: Vec<&Source> = match &step.kind {
        StepKind::Switch(switch) => switch.cases.iter().map(|case| &case.when).collect(),
        StepKind::Condition(branch) => vec![&branch.condition],
        _ => return None,
    };
    let mut compared = conditions.into_iter().filter_map(compared).peekable();
    let (value, _) = *compared.peek()?;
    let name = step_of_output_key(value)?;
    let mut words: Vec<String> = Vec::new();
    for (_, word) in compared.filter(|(own, _)| *own == value) {
        if !words.iter().any(|own| own == word) {
            words.push(word.to_owned());
        }
    }
    // What is none of them has to be called something too.
    if !words.iter().any(|word| word == OTHER) {
        words.push(OTHER.to_owned());
    }
    let asked = every(&document.steps).find(|step| step.name == name)?;
    choosing(document, asked, words)
}

/// The word for what is none of the others.
const OTHER: &str = "other";

/// The agent of a step, as long as nothing is said of its answer.
fn choosing(document: &Document, step: &Step, words: Vec<String>) -> Option<Choosing> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let agent = document.agents.get(&call.agent)?;
    let is_free = agent.output.is_none() && words.len() > 1;
    is_free.then(|| Choosing { step: step.name.clone(), agent: call.agent.clone(), words })
}
