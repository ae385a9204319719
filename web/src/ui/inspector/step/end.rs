//! The fields of a step that ends what is around it.

use leptos::prelude::*;
use stepweave_core::document::{Exit, ExitScope, ExitStatus, Step, StepKind};

use crate::ui::code::Writes;
use crate::ui::inspector::fields::bound::{Bound, BoundChoice, BoundLines, StepId, or_empty};

/// The fields of an end.
#[component]
pub fn EndStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let scope = exit(
        id,
        "end.scope",
        |exit| {
            match exit.scope {
                ExitScope::Run => "run",
                ExitScope::Round => "round",
                ExitScope::Item => "item",
            }
            .to_owned()
        },
        |exit, word| {
            exit.scope = match word.as_str() {
                "round" => ExitScope::Round,
                "item" => ExitScope::Item,
                _ => ExitScope::Run,
            };
        },
    );
    let status = exit(
        id,
        "end.status",
        |exit| if exit.status == ExitStatus::Error { "error" } else { "done" }.to_owned(),
        |exit, word| exit.status = if word == "error" { ExitStatus::Error } else { ExitStatus::Done },
    );
    let message =
        or_empty(exit(id, "end.message", |exit| exit.message.clone(), |exit, text| exit.message = text));
    view! {
        <BoundChoice label="What ends" bound=scope
            options=&[("run", "the run, or the sub-workflow"), ("round", "this round of the loop"), ("item", "this item of the list")] />
        <BoundChoice label="Ends" bound=status options=&[("done", "well"), ("error", "with an error")] />
        <BoundLines label="Message" bound=message rows=2 writes=Writes::Template placeholder="Nothing new since {{ last_visit }}"
            hint="A template: why it ends. {{ key }} puts in a value of the state." />
    }
}

fn exit<T: Default + 'static>(
    id: StepId,
    path: &str,
    read: impl Fn(&Exit) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Exit, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::End(exit) => read(exit),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::End(exit) = &mut step.kind {
            write(exit, value);
        }
    })
}
