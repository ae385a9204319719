//! The cases of a switch: looked at in order, the first true one is taken.

use leptos::prelude::*;
use stepweave_core::document::{Case, Source, Step, StepKind, Switch};
use stepweave_core::edit::Edit;

use crate::model::answers::{self, missing};
use crate::model::editor::Editor;
use crate::page::icon::{DOWN, PLUS, TRASH, UP, icon};
use crate::page::removal;
use crate::page::state::app;
use crate::step::kinds::untouched_case;
use crate::step::words::compared;
use crate::ui::inspector::fields::bound::{Bound, StepId, or_empty};
use crate::ui::inspector::fields::source::{SourceField, or_nothing};
use crate::ui::inspector::step::choosing_words::{DecideByAnswer, WordsOfConditions};

/// The fields of a switch.
#[component]
pub fn SwitchStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let editor = app().editor;
    let count = Memo::new(move |_| {
        let count = editor.step(&id.get(), |step| match &step.kind {
            StepKind::Switch(switch) => switch.cases.len(),
            _ => 0,
        });
        count.unwrap_or_default()
    });
    let add = move |_| {
        change(editor, id, |switch| {
            // The next case most often compares the same value.
            let value = switch.cases.last().and_then(|last| compared(&last.when)).map(|(value, _)| value);
            let when = value.map_or_else(|| "false".to_owned(), |value| format!("{value} == ''"));
            switch.cases.push(Case { name: None, when: Source::Text(when), steps: Vec::new() });
        });
    };
    let answers = Memo::new(move |_| editor.document.with(|document| missing(document, &id.get())));
    let of_answers = move || {
        answers.get().map(|found| {
            let step = found.step.clone();
            view! {
                <button class="text-button" on:click=move |_| change(editor, id, |switch| answers::add(switch, found.cases.clone()))>
                    {icon(PLUS)} {format!("A case for each answer of {step}")}
                </button>
            }
        })
    };
    // Cases are identified by their index, so that typing into one does not rebuild it.
    let cases = move || {
        let many = count.get();
        (0..many).map(|index| view! { <CaseFields id=id index=index last=many - 1 /> }).collect_view()
    };
    view! {
        <div class="field" role="group" aria-label="Cases">
            <span class="field-label">"Cases"</span>
            {cases}
            <WordsOfConditions id=id />
            <DecideByAnswer id=id />
            <button class="text-button" on:click=add>{icon(PLUS)} "Add a case"</button>
            {of_answers}
            <span class="field-hint">"The first case that is true is taken, else the default lane."</span>
        </div>
    }
}

#[component]
fn CaseFields(id: StepId, index: usize, last: usize) -> impl IntoView {
    let editor = app().editor;
    let when = Bound::new(
        id,
        format!("cases[{index}].when"),
        move |step| Some(case(step, index)?.when.clone()),
        move |step, source| {
            if let Some(case) = case_mut(step, index) {
                case.when = or_nothing(source);
            }
        },
    );
    let name = or_empty(Bound::new(
        id,
        format!("cases[{index}].name"),
        move |step| case(step, index)?.name.clone(),
        move |step, name| {
            if let Some(case) = case_mut(step, index) {
                case.name = name;
            }
        },
    ));
    let (called, typed) = (name.signal(), StoredValue::new(name));
    let steps = Memo::new(move |_| {
        let many = editor.step(&id.get(), |step| case(step, index).map_or(0, |case| case.steps.len()));
        many.unwrap_or_default()
    });
    let about = move || match steps.get() {
        0 => "no steps".to_owned(),
        1 => "1 step".to_owned(),
        many => format!("{many} steps"),
    };
    let is_always = Memo::new(move |_| {
        let is_untouched =
            |step: &Step| case(step, index).is_some_and(|case| case.when == untouched_case().when);
        editor.step(&id.get(), is_untouched).unwrap_or_default()
    });
    let number = index + 1;
    let swap = move |other: usize| change(editor, id, |switch| switch.cases.swap(index, other));
    let remove = move |_| {
        let Some(mut with) = editor.step(&id.now(), Step::clone) else { return };
        if let StepKind::Switch(switch) = &mut with.kind
            && index < switch.cases.len()
        {
            switch.cases.remove(index);
            removal::make(app(), Edit::Replace { step: with.id.clone(), with });
        }
    };
    view! {
        <div class="nested case" role="group" aria-label=format!("Case {number}")>
            <div class="case-head">
                <input class="input case-name" aria-label=format!("Name of case {number}") placeholder=format!("Case {number}")
                    autocomplete="off" spellcheck="false" prop:value=called
                    on:input=move |event| typed.get_value().type_in(event_target_value(&event)) on:blur=move |_| editor.seal() />
                <small>{about}</small>
                <button class="icon-button" title="Earlier" aria-label=format!("Move case {number} up")
                    disabled=index == 0 on:click=move |_| swap(index.saturating_sub(1))>{icon(UP)}</button>
                <button class="icon-button" title="Later" aria-label=format!("Move case {number} down")
                    disabled=index == last on:click=move |_| swap(index + 1)>{icon(DOWN)}</button>
                <button class="icon-button danger" title="Remove this case and its steps" aria-label=format!("Remove case {number}")
                    disabled=last == 0 on:click=remove>{icon(TRASH)}</button>
            </div>
            <SourceField label="When" bound=when rows=1 placeholder="kind == 'question'" />
            {move || is_always.get().then(|| view! { <p class="field-hint always">"It is always true: write what decides, such as kind == 'question'."</p> })}
        </div>
    }
}

fn case(step: &Step, index: usize) -> Option<&Case> {
    match &step.kind {
        StepKind::Switch(switch) => switch.cases.get(index),
        _ => None,
    }
}

fn case_mut(step: &mut Step, index: usize) -> Option<&mut Case> {
    match &mut step.kind {
        StepKind::Switch(switch) => switch.cases.get_mut(index),
        _ => None,
    }
}

/// Changes the cases as one edit, with all the steps in them.
fn change(editor: Editor, id: StepId, change: impl FnOnce(&mut Switch)) {
    editor.change_step(&id.now(), |step| {
        if let StepKind::Switch(switch) = &mut step.kind {
            change(switch);
        }
    });
}
