//! Agents that are to answer with one of some words, which the workflow says already: the prompt lists them, or what
//! comes after the agent compares its answer with them.

use leptos::prelude::*;
use serde_json::json;
use stepweave_core::document::{Check, Document, Source, Step, StepKind, every};
use stepweave_core::edit::slot_of;
use stepweave_core::state::{output_key, step_of_output_key};

use crate::model::deciding::Deciding;
use crate::model::together::steps_of;
use crate::page::icon::{CLOSE, PLUS, icon};
use crate::page::state::app;
use crate::step::upright::upright;
use crate::step::words::{compared, offered};
use crate::ui::field::below;
use crate::ui::inspector::fields::bound::StepId;

/// An agent, and the words that it could choose from.
#[derive(Debug, Clone, PartialEq)]
struct Choosing {
    step: String,
    agent: String,
    words: Vec<String>,
}

/// What is said below a prompt.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    /// The answer may become one of these.
    Offer(Choosing),
    /// A step of this name compares the answer with these.
    Compared(String, Choosing),
    /// The step of this name decides next, and does not say yet by what.
    Decides(String),
    /// The answer is one of these.
    Chosen(Choosing),
}

/// Below a prompt: the words that the answer is one of, or may become one of where the prompt lists some.
#[component]
pub fn WordsOfPrompt(
    /// The agent's step.
    id: StepId,
) -> impl IntoView {
    let editor = app().editor;
    let found = Memo::new(move |_| editor.step_in(&id.get(), below_prompt).flatten());
    below(move || {
        found.get().map(|line| match line {
            Line::Offer(found) => {
                let label = format!("Answer with one of: {}", found.words.join(", "));
                view! { <Choose choosing=found label=label /> }.into_any()
            }
            Line::Compared(by, found) => {
                let label = format!("Answer with one of: {}", found.words.join(", "));
                view! { <span class="field-hint">{upright(by)} " compares the answer with words, and it may be any text."</span> <Choose choosing=found label=label /> }.into_any()
            }
            Line::Decides(by) => {
                view! { <span class="field-hint">{upright(by)} " decides next: it can take a way for each word that this may answer with."</span> }.into_any()
            }
            Line::Chosen(found) => view! { <Chosen choosing=found /> }.into_any(),
        })
    })
}

/// Says that the answer is one of some words, and ends that.
#[component]
fn Chosen(choosing: Choosing) -> impl IntoView {
    let editor = app().editor;
    let Choosing { agent, words, .. } = choosing;
    let free = move |_| {
        editor.change_settings(|document| {
            if let Some(agent) = document.agents.get_mut(&agent) {
                agent.output = None;
            }
        });
    };
    view! {
        <p class="chosen-words">
            <span>"Answers with one of: " <b>{upright(words.join(", "))}</b></span>
            <button class="icon-button" type="button" title="Let it answer in its own words" aria-label="Remove these words" on:click=free>
                {icon(CLOSE)}
            </button>
        </p>
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
    below(move || {
        found.get().map(|found| {
            let label = format!("Let {} answer with one of: {}", found.step, found.words.join(", "));
            view! {
                <span class="field-hint">{upright(found.step.clone())} " answers with any text, which is hardly one of these words."</span>
                <Choose choosing=found label=label />
            }
        })
    })
}

/// Below a condition that is always true: has the answer of the agent before it decide, where that may be any text.
#[component]
pub fn DecideByAnswer(
    /// The step with the condition.
    id: StepId,
) -> impl IntoView {
    let editor = app().editor;
    let found = Memo::new(move |_| editor.step_in(&id.get(), Deciding::of).flatten());
    let decide = move |_| {
        let found = found.get_untracked();
        let edit = editor.document.with_untracked(|document| found?.edit(document, &id.now()));
        edit.into_iter().for_each(|edit| editor.make(edit));
    };
    below(move || {
        found.get().map(|found| {
            view! { <button class="text-button" type="button" on:click=decide>{icon(PLUS)} <span>{upright(found.title())}</span></button> }
        })
    })
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

fn below_prompt(document: &Document, step: &Step) -> Option<Line> {
    let offer = || of_prompt(document, step).map(Line::Offer);
    let decides = || decides(document, step).map(Line::Decides);
    chosen(document, step)
        .map(Line::Chosen)
        .or_else(offer)
        .or_else(|| compared_by(document, step))
        .or_else(decides)
}

/// Who compares the answer of an agent's step with words, where it may be any text.
fn compared_by(document: &Document, step: &Step) -> Option<Line> {
    let key = matches!(step.kind, StepKind::Agent(_)).then(|| output_key(&step.name))?;
    every(&document.steps).find_map(|other| {
        let words = words_of(other, &key)?;
        Some(Line::Compared(other.name.clone(), choosing(document, step, words)?))
    })
}

/// Who comes right after an agent's step and takes one of several ways, without anybody having said by what.
fn decides(document: &Document, step: &Step) -> Option<String> {
    let mut next = slot_of(document, &step.id)?;
    next.index += 1;
    let next = steps_of(document, &next.block)?.get(next.index)?;
    let found = Deciding::of(document, next).filter(|found| found.step == step.name)?;
    found.words.is_empty().then(|| next.name.clone())
}

/// The words that the agent of a step has to choose from, if it has.
fn chosen(document: &Document, step: &Step) -> Option<Choosing> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let schema = document.agents.get(&call.agent)?.output.as_ref()?.json_schema()?;
    let words = schema.get("enum")?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
    let words = words.collect::<Option<Vec<String>>>()?;
    Some(Choosing { step: step.name.clone(), agent: call.agent.clone(), words })
}

fn of_prompt(document: &Document, step: &Step) -> Option<Choosing> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let Some(Source::Text(prompt)) = &call.input_from else { return None };
    choosing(document, step, offered(prompt))
}

fn of_conditions(document: &Document, step: &Step) -> Option<Choosing> {
    let (value, _) = conditions(step).into_iter().find_map(compared)?;
    let name = step_of_output_key(value)?;
    let asked = every(&document.steps).find(|step| step.name == name)?;
    choosing(document, asked, words_of(step, value)?)
}

fn conditions(step: &Step) -> Vec<&Source> {
    match &step.kind {
        StepKind::Switch(switch) => switch.cases.iter().map(|case| &case.when).collect(),
        StepKind::Condition(branch) => vec![&branch.condition],
        _ => Vec::new(),
    }
}

/// The words that a step compares a value with, if it compares that first.
fn words_of(step: &Step, value: &str) -> Option<Vec<String>> {
    let mut compared = conditions(step).into_iter().filter_map(compared).peekable();
    compared.next_if(|(own, _)| *own == value).map(|first| {
        let mut words: Vec<String> = vec![first.1.to_owned()];
        for (_, word) in compared.filter(|(own, _)| *own == value) {
            if !words.iter().any(|own| own == word) {
                words.push(word.to_owned());
            }
        }
        // What is none of them has to be called something too.
        if !words.iter().any(|word| word == OTHER) {
            words.push(OTHER.to_owned());
        }
        words
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn line(agent: Value) -> Option<Line> {
        let step = json!({ "id": "s1", "type": "agent", "name": "sort", "agent": "a", "inputFrom": "Is it good, bad or mixed?" });
        let document = json!({ "version": 1, "name": "t", "agents": { "a": agent }, "steps": [step] });
        let document: Document = serde_json::from_value(document).unwrap();
        below_prompt(&document, document.step("s1").unwrap())
    }

    fn choosing(words: &[&str]) -> Choosing {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Choosing { step: "sort".to_owned(), agent: "a".to_owned(), words }
    }

    #[test]
    fn words_are_offered_until_the_answer_is_one_of_some() {
        assert_eq!(line(json!({ "model": "m" })), Some(Line::Offer(choosing(&["good", "bad", "mixed"]))));
        let output = json!({ "enum": ["billing", "other"] });
        assert_eq!(
            line(json!({ "model": "m", "output": output })),
            Some(Line::Chosen(choosing(&["billing", "other"])))
        );
        for output in [json!({ "enum": [1, 2] }), json!({ "type": "object" })] {
            assert_eq!(line(json!({ "model": "m", "output": output })), None);
        }
    }
}
