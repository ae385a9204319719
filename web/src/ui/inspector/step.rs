//! The fields that only one kind of step has.

use self::choosing_words::{DecideByAnswer, WordsOfConditions};
use leptos::html;
use leptos::prelude::*;
use stepweave_core::document::{OnConflict, Step, StepKind};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement};

use crate::page::early_keys;
use crate::page::state::app;
use crate::step::kinds::{Kind, untouched_case};
use crate::ui::field::below;
use crate::ui::inspector::fields::bound::{Bound, BoundChoice, BoundNumber, StepId};
use crate::ui::inspector::fields::source::SourceField;
use crate::ui::inspector::step::agent_step::AgentStep;
use crate::ui::inspector::step::cases::SwitchStep;
use crate::ui::inspector::step::end::EndStep;
use crate::ui::inspector::step::http::HttpStep;
use crate::ui::inspector::step::inner::WorkflowStep;
use crate::ui::inspector::step::repeat::{ForeachStep, LoopStep};
use crate::ui::inspector::step::run::FunctionStep;
use crate::ui::inspector::step::waiting::{ApprovalStep, WaitStep};

pub mod agent_step;
pub mod cases;
pub mod choosing_words;
pub mod end;
pub mod http;
pub mod inner;
pub mod more;
pub mod passing;
pub mod repeat;
pub mod run;
pub mod waiting;

/// The fields of a kind.
#[component]
pub fn StepKindFields(
    /// The step's id.
    id: StepId,
    /// The step's kind.
    kind: Kind,
) -> impl IntoView {
    let fields = match keeps_its_own(kind) {
        true => (move || of_kind(StepId::fixed(&id.get()), kind)).into_any(),
        false => of_kind(id, kind),
    };
    let asked = NodeRef::<html::Div>::new();
    begin(id, asked);
    view! { <div class="asked" node_ref=asked>{fields}</div> }.into_any()
}

/// Whether some of a kind's fields keep what belongs to the step that they were made for: lists of rows, schemas, JSON.
fn keeps_its_own(kind: Kind) -> bool {
    matches!(kind, Kind::Function | Kind::Switch | Kind::Workflow | Kind::Approval | Kind::Http)
}

fn of_kind(id: StepId, kind: Kind) -> AnyView {
    match kind {
        Kind::Agent => view! { <AgentStep id=id /> }.into_any(),
        Kind::Function => view! { <FunctionStep id=id /> }.into_any(),
        Kind::Condition => view! { <ConditionStep id=id /> }.into_any(),
        Kind::Parallel => view! { <ParallelStep id=id /> }.into_any(),
        Kind::Switch => view! { <SwitchStep id=id /> }.into_any(),
        Kind::Foreach => view! { <ForeachStep id=id /> }.into_any(),
        Kind::Loop => view! { <LoopStep id=id /> }.into_any(),
        Kind::Workflow => view! { <WorkflowStep id=id /> }.into_any(),
        Kind::Wait => view! { <WaitStep id=id /> }.into_any(),
        Kind::Approval => view! { <ApprovalStep id=id /> }.into_any(),
        Kind::End => view! { <EndStep id=id /> }.into_any(),
        Kind::Http => view! { <HttpStep id=id /> }.into_any(),
        Kind::Sequence => {
            view! { <p class="field-hint">"Its steps run one after the other, as one lane."</p> }.into_any()
        }
    }
}

/// What such a field is.
const FIRST: &str = "textarea, .code-field, .set-row input, input[aria-label='Milliseconds']";

/// The first field of what a new step is asked for takes the keyboard's focus; the canvas shows it. Where the inspector is not
/// in view the card takes it.
fn begin(id: StepId, asked: NodeRef<html::Div>) {
    let app = app();
    let editor = app.editor;
    Effect::new(move || {
        let id = id.get();
        let is_new = editor.begun.with(|begun| begun.as_deref() == Some(&*id));
        let (true, Some(node)) = (is_new, asked.get()) else { return };
        editor.begun.set(None);
        // After the form has left the fields of the step before, and has those of this one.
        queue_microtask(move || {
            // The first row of a function has a key to name, and a wait is nothing but its time.
            let field = node.query_selector(FIRST).ok().flatten();
            let field = field.and_then(|field| field.dyn_into::<HtmlElement>().ok());
            match field.filter(|field| field.offset_parent().is_some()) {
                Some(field) => {
                    // A browser that refuses leaves it where it is.
                    let _ = field.focus();
                    // What stands there is an example. An editor of code has this of a plain field.
                    field.unchecked_ref::<HtmlTextAreaElement>().select();
                    early_keys::release(app);
                }
                None => {
                    early_keys::forget(app);
                    editor.focus.set(Some(id.to_string()));
                }
            }
        });
    });
}

#[component]
fn ConditionStep(id: StepId) -> impl IntoView {
    let is_untouched = move |step: &Step| match &step.kind {
        StepKind::Condition(branch) => branch.condition == untouched_case().when,
        _ => false,
    };
    let editor = app().editor;
    let is_always = Memo::new(move |_| editor.step(&id.get(), is_untouched).unwrap_or_default());
    let condition = Bound::new(
        id,
        "condition",
        |step| match &step.kind {
            StepKind::Condition(branch) => Some(branch.condition.clone()),
            _ => None,
        },
        |step, source| {
            if let StepKind::Condition(branch) = &mut step.kind {
                branch.condition = crate::ui::inspector::fields::source::or_nothing(source);
            }
        },
    );
    view! {
        <SourceField
            label="Condition"
            bound=condition
            placeholder="score > 3 and approved"
            hint="An expression over the state, such as score > 3. True goes left, false goes right."
        />
        {below(move || is_always.get().then(|| view! { <span class="field-hint always">"It is always a yes: write what decides."</span> }))}
        <WordsOfConditions id=id />
        <DecideByAnswer id=id />
    }
}

#[component]
fn ParallelStep(id: StepId) -> impl IntoView {
    let concurrency = Bound::new(
        id,
        "concurrency",
        |step| match &step.kind {
            StepKind::Parallel(fork) => fork.concurrency.map(u64::from),
            _ => None,
        },
        |step, many| {
            if let StepKind::Parallel(fork) = &mut step.kind {
                fork.concurrency = many.and_then(|many| many.try_into().ok());
            }
        },
    );
    let conflict = Bound::new(
        id,
        "onConflict",
        |step: &Step| match &step.kind {
            StepKind::Parallel(fork) if fork.on_conflict == OnConflict::Error => "error".to_owned(),
            _ => "warn".to_owned(),
        },
        |step, word| {
            if let StepKind::Parallel(fork) = &mut step.kind {
                fork.on_conflict = if word == "error" { OnConflict::Error } else { OnConflict::Warn };
            }
        },
    );
    view! {
        <BoundNumber label="How many at the same time" bound=concurrency least=1 placeholder="all lanes" hint="How many lanes may be under way at the same time, those that wait for a person too" />
        <BoundChoice
            label="If two lanes write the same key"
            bound=conflict
            options=&[("warn", "the last lane wins, with a warning"), ("error", "the step fails")]
        />
    }
}
