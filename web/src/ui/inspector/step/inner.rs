//! The fields of a workflow inside a workflow.

use std::sync::Arc;

use indexmap::IndexMap;
use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Document, Inner, Step, StepKind};
use stepweave_core::rename::{Place, place_of};

use crate::ui::inspector::fields::bound::{Bound, BoundChoice, BoundJson, StepId};
use crate::ui::inspector::fields::json::JsonShape;
use crate::ui::inspector::fields::rows::{EXPRESSIONS, EXPRESSIONS_INSIDE, PlaceOf, Rows, Words};

type Expressions = Option<IndexMap<String, String>>;

/// The fields of a workflow step.
#[component]
pub fn WorkflowStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let with = inner(id, "with", |inner| inner.with.clone(), |inner, rows| inner.with = rows);
    let set = inner(id, "set", |inner| inner.set.clone(), |inner, rows| inner.set = rows);
    let initial = inner(
        id,
        "initialState",
        |inner| Some(Value::Object(inner.initial_state.clone())).filter(|_| !inner.initial_state.is_empty()),
        |inner, value| {
            inner.initial_state = match value {
                Some(Value::Object(state)) => state,
                _ => serde_json::Map::new(),
            };
        },
    );
    view! {
        <p class="field-hint">"Its steps have a state of their own: they see what they are given and change nothing outside."</p>
        <Given
            label="Sees from outside"
            ways=&[("all", "the whole state outside"), ("keys", "only these keys")]
            rows="Given"
            hint="Each key gets the value of its expression over the state outside."
            bound=with
            place=Arc::new(move |_: &Document| Some(Place::Inside(id.now().to_string())))
        />
        <BoundJson label="Initial state" bound=initial shape=JsonShape::Object rows=3 hint="JSON, below what it is given." />
        <Given
            label="Passes on"
            ways=&[("all", "its whole state, as its output"), ("keys", "only these keys")]
            rows="Gives"
            words=EXPRESSIONS_INSIDE
            hint="Each key outside gets the value of its expression over the state inside, at the end."
            bound=set
            place=Arc::new(move |document: &Document| place_of(document, &id.now()))
        />
    }
}

/// Everything, or the keys of these rows.
#[component]
fn Given(
    label: &'static str,
    ways: &'static [(&'static str, &'static str)],
    rows: &'static str,
    hint: &'static str,
    bound: Bound<Expressions>,
    place: PlaceOf,
    #[prop(default = EXPRESSIONS)] words: Words,
) -> impl IntoView {
    let way = bound.map(
        |rows| if rows.is_some() { "keys" } else { "all" }.to_owned(),
        |word| (word == "keys").then(IndexMap::new),
    );
    let chosen = StoredValue::new(bound.clone());
    let listed = Memo::new(move |_| chosen.get_value().get().is_some());
    let keys = move || {
        listed.get().then(|| {
            let keys = chosen.get_value().map(Option::unwrap_or_default, Some);
            view! { <Rows label=rows bound=keys hint=hint words=words place=place.clone() /> }
        })
    };
    view! {
        <BoundChoice label=label bound=way options=ways />
        {keys}
    }
}

fn inner<T: Default + 'static>(
    id: StepId,
    path: &str,
    read: impl Fn(&Inner) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Inner, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Workflow(inner) => read(inner),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Workflow(inner) = &mut step.kind {
            write(inner, value);
        }
    })
}
