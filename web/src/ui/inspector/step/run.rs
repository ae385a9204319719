//! What a function step runs: expressions, a handler of the host, or code.

use std::sync::Arc;

use leptos::prelude::*;
use stepweave_core::document::{HandlerRef, Run, Step, StepKind};
use stepweave_core::rename::place_of;

use crate::model::example;
use crate::page::state::app;
use crate::ui::code::Writes;
use crate::ui::inspector::fields::bound::{Bound, BoundChoice, BoundLines, StepId};
use crate::ui::inspector::fields::rows::{PlaceOf, Rows};
use crate::ui::inspector::fields::source::HandlerFields;

/// The fields of a function.
#[component]
pub fn FunctionStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let document = app().editor.document;
    let example = move || document.with_untracked(|document| example::code(document, &id.now()));
    // What was written before another way was chosen comes back with its own.
    let left = StoredValue::new(Vec::<(Arc<str>, Run)>::new());
    let way = run(
        id,
        "run",
        |run| word_of(run).to_owned(),
        move |run, word| {
            let step = id.now();
            let is_of = |kept: &(Arc<str>, Run), word: &str| kept.0 == step && word_of(&kept.1) == word;
            left.update_value(|left| {
                left.retain(|kept| !is_of(kept, word_of(run)));
                left.push((step.clone(), run.clone()));
            });
            let before = left.with_value(|left| left.iter().find(|kept| is_of(kept, &word)).cloned());
            *run = before.map(|(_, run)| run).unwrap_or_else(|| match word.as_str() {
                "handler" => Run::Handler(HandlerRef::new("handler")),
                "code" => Run::Code(example()),
                _ => Run::Set(Default::default()),
            });
        },
    );
    let chosen = way.signal();
    let rows = run(
        id,
        "run.set",
        |run| match run {
            Run::Set(rows) => rows.clone(),
            _ => Default::default(),
        },
        |run, rows| *run = Run::Set(rows),
    );
    let handler = run(
        id,
        "run.handler",
        |run| match run {
            Run::Handler(handler) => Some(handler.clone()),
            _ => None,
        },
        |run, handler| *run = Run::Handler(handler.unwrap_or_else(|| HandlerRef::new(""))),
    );
    let code = run(
        id,
        "run.code",
        |run| match run {
            Run::Code(code) => code.clone(),
            _ => String::new(),
        },
        |run, code| *run = Run::Code(code),
    );
    let place: PlaceOf = Arc::new(move |document| place_of(document, &id.now()));
    let content = move || {
        match chosen.get().as_str() {
        "handler" => view! { <HandlerFields label="Run".to_owned() bound=handler.clone() /> }.into_any(),
        "code" => view! {
            <BoundLines label="Code" bound=code.clone() rows=10 code=true writes=Writes::JavaScript
                hint="JavaScript: state is the state; what it returns is merged into it. It runs in a closed room, without network, clock or page." />
        }
        .into_any(),
        _ => view! {
            <Rows label="Set" bound=rows.clone() place=place.clone()
                hint="Each key gets the value of its expression, such as topic | trim or count + 1. To keep or sort items of a list, compute with JavaScript." />
        }
        .into_any(),
    }
    };
    view! {
        <BoundChoice
            label="Compute with"
            bound=way
            options=&[("set", "expressions"), ("code", "JavaScript"), ("handler", "a function of the program")]
        />
        {content}
    }
}

fn word_of(run: &Run) -> &'static str {
    match run {
        Run::Set(_) => "set",
        Run::Handler(_) => "handler",
        Run::Code(_) => "code",
    }
}

fn run<T: Default + 'static>(
    id: StepId,
    path: &str,
    read: impl Fn(&Run) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Run, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Function(run) => read(run),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Function(run) = &mut step.kind {
            write(run, value);
        }
    })
}
