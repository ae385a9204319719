//! The fields that only one kind of step has.

use leptos::prelude::*;
use stepweave_core::document::{OnConflict, Run, Source, Step, StepKind};

use super::super::field::{Choice, TextArea, TextField};
use super::super::state::app;
use super::rows::SetRows;
use super::{agents, owned};
use crate::model::kinds::Kind;

/// The fields of a kind.
#[component]
pub fn StepKindFields(
    /// The step's id.
    id: String,
    /// The step's kind.
    kind: Kind,
) -> impl IntoView {
    match kind {
        Kind::Agent => view! { <AgentStep id=id /> }.into_any(),
        Kind::Function => view! { <FunctionStep id=id /> }.into_any(),
        Kind::Condition => view! { <ConditionStep id=id /> }.into_any(),
        Kind::Parallel => view! { <ParallelStep id=id /> }.into_any(),
        Kind::Sequence => {
            view! { <p class="field-hint">"Its steps run one after the other, as one lane."</p> }.into_any()
        }
    }
}

#[component]
fn AgentStep(id: String) -> impl IntoView {
    let editor = app().editor;
    let id = StoredValue::new(id);
    let input = Signal::derive(move || {
        let text = editor.step(&id.get_value(), |step| match &step.kind {
            StepKind::Agent(call) => call.input_from.as_ref().map(text_of),
            _ => None,
        });
        text.flatten().unwrap_or_default()
    });
    let ask = move |text: String| {
        editor.type_into_step(&id.get_value(), "inputFrom", |step| {
            if let StepKind::Agent(call) = &mut step.kind {
                call.input_from = Some(text).filter(|text| !text.is_empty()).map(Source::Text);
            }
        });
    };
    let agent = Signal::derive(move || {
        let agent = editor.step(&id.get_value(), |step| match &step.kind {
            StepKind::Agent(call) => Some(call.agent.clone()),
            _ => None,
        });
        agent.flatten().unwrap_or_default()
    });
    let pick = move |word: String| {
        editor.change_step(&id.get_value(), |step| {
            if let StepKind::Agent(call) = &mut step.kind {
                call.agent = word;
            }
        });
    };
    view! {
        <TextArea
            label="What it is asked"
            value=input
            on_input=ask
            on_leave=move |()| editor.seal()
            rows=5
            code=true
            placeholder="Research this topic: {{ topic }}"
            hint="A template: {{ key }} puts in a value of the state. Empty: the whole state."
        />
        <agents::AgentPicker agent=agent on_pick=pick />
    }
}

#[component]
fn FunctionStep(id: String) -> impl IntoView {
    let editor = app().editor;
    let own = StoredValue::new(id);
    let handler = Memo::new(move |_| {
        let name = editor.step(&own.get_value(), |step| match &step.kind {
            StepKind::Function(Run::Handler(name)) => Some(name.clone()),
            _ => None,
        });
        name.flatten()
    });
    move || {
        match handler.get() {
        Some(name) => view! {
            <p class="field-hint">
                "Calls the handler " <code>{name}</code> " of the program that runs this workflow. The builder has no handlers."
            </p>
        }
        .into_any(),
        None => view! { <SetRows id=own.get_value() /> }.into_any(),
    }
    }
}

#[component]
fn ConditionStep(id: String) -> impl IntoView {
    let editor = app().editor;
    let id = StoredValue::new(id);
    let condition = Signal::derive(move || {
        let text = editor.step(&id.get_value(), |step| match &step.kind {
            StepKind::Condition(branch) => Some(text_of(&branch.condition)),
            _ => None,
        });
        text.flatten().unwrap_or_default()
    });
    let decide = move |text: String| {
        editor.type_into_step(&id.get_value(), "condition", |step| {
            if let StepKind::Condition(branch) = &mut step.kind {
                branch.condition = Source::Text(text);
            }
        });
    };
    view! {
        <TextArea
            label="Condition"
            value=condition
            on_input=decide
            on_leave=move |()| editor.seal()
            rows=2
            code=true
            placeholder="score > 3 and approved"
            hint="An expression over the state, such as score > 3. True goes left, false goes right."
        />
    }
}

#[component]
fn ParallelStep(id: String) -> impl IntoView {
    let editor = app().editor;
    let id = StoredValue::new(id);
    let key = StoredValue::new(format!("{}.concurrency", id.get_value()));
    let draft = move || editor.drafts.with(|drafts| drafts.get(&key.get_value()).cloned());
    let concurrency = Signal::derive(move || {
        let many = editor.step(&id.get_value(), |step| match &step.kind {
            StepKind::Parallel(fork) => fork.concurrency,
            _ => None,
        });
        draft().unwrap_or_else(|| many.flatten().map(|many| many.to_string()).unwrap_or_default())
    });
    let error = Signal::derive(move || {
        draft().map(|_| "Must be a whole number, 1 or more. The last valid value is kept.".to_owned())
    });
    let limit = move |text: String| {
        let text = text.trim().to_owned();
        let parsed = text.parse::<u32>().ok().filter(|many| *many >= 1);
        if parsed.is_none() && !text.is_empty() {
            editor.drafts.update(|drafts| drafts.insert(key.get_value(), text).map_or((), drop));
            return;
        }
        editor.drafts.update(|drafts| drafts.shift_remove(&key.get_value()).map_or((), drop));
        editor.type_into_step(&id.get_value(), "concurrency", |step| {
            if let StepKind::Parallel(fork) = &mut step.kind {
                fork.concurrency = parsed;
            }
        });
    };
    let conflict = Signal::derive(move || {
        let on_error = editor.step(
            &id.get_value(),
            |step| matches!(&step.kind, StepKind::Parallel(fork) if fork.on_conflict == OnConflict::Error),
        );
        if on_error == Some(true) { "error" } else { "warn" }.to_owned()
    });
    let settle = move |word: String| {
        editor.change_step(&id.get_value(), |step: &mut Step| {
            if let StepKind::Parallel(fork) = &mut step.kind {
                fork.on_conflict = if word == "error" { OnConflict::Error } else { OnConflict::Warn };
            }
        });
    };
    view! {
        <TextField
            label="At once"
            value=concurrency
            on_input=limit
            on_leave=move |()| editor.seal()
            error=error
            placeholder="all lanes"
            hint="How many lanes may run at the same time"
        />
        <Choice
            label="If two lanes write the same key"
            value=conflict
            options=Signal::derive(|| [("warn", "the last lane wins, with a warning"), ("error", "the step fails")].map(owned).to_vec())
            on_pick=settle
        />
    }
}

fn text_of(source: &Source) -> String {
    match source {
        Source::Text(text) => text.clone(),
        Source::Handler { handler } => handler.clone(),
    }
}
