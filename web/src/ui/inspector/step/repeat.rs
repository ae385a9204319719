//! The fields of the steps that run others many times.

use leptos::prelude::*;
use stepweave_core::document::{
    DEFAULT_ITEM, Document, Foreach, Loop, OnItemError, OnMax, Repeat, Source, Step, StepKind,
};
use stepweave_core::rename::{Named, Place};

use crate::model::keeping;
use crate::page::icon::{PLUS, icon};
use crate::page::state::app;
use crate::ui::code::Writes;
use crate::ui::field::{TextField, below};
use crate::ui::inspector::fields::bound::{Bound, BoundChoice, BoundLines, BoundNumber, StepId, or_empty};
use crate::ui::inspector::fields::source::{SourceField, or_nothing};

/// The fields of a foreach.
#[component]
pub fn ForeachStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let items =
        each(id, "items", |each| Some(each.items.clone()), |each, items| each.items = or_nothing(items));
    let item = each(
        id,
        "as",
        |each| each.item.clone(),
        |each, item| {
            each.item = if item.is_empty() { DEFAULT_ITEM.to_owned() } else { item };
        },
    );
    let hint = {
        let item = item.signal();
        Signal::derive(move || {
            format!("The steps find it as {0}, and its place, counted from 0, as {0}_index.", item.get())
        })
    };
    let (called, item_flaw) = (item.signal(), item.flaw());
    let editor = app().editor;
    let rename = move |text: String| {
        let name = if text.is_empty() { DEFAULT_ITEM } else { &text };
        let named = |_: &Document| {
            Some(Named::Key { place: Place::Inside(id.now().to_string()), key: called.get_untracked() })
        };
        editor.type_name(&item.field(), named, name, || item.type_in(name.to_owned()));
    };
    let result =
        or_empty(each(id, "result", |each| each.result.clone(), |each, result| each.result = result));
    let concurrency = each(
        id,
        "concurrency",
        |each| Some(each.concurrency.into()),
        |each, many: Option<u64>| {
            each.concurrency = many.and_then(|many| many.try_into().ok()).unwrap_or(1);
        },
    );
    let can_keep =
        Memo::new(move |_| editor.document.with(|document| keeping::before(document, &id.get()).is_some()));
    let keep = move |_| {
        let found = editor.document.with_untracked(|document| keeping::before(document, &id.now()));
        if let Some((edit, step)) = found {
            editor.make(edit);
            editor.choose(Some(step));
        }
    };
    let on_item_error = each(
        id,
        "onItemError",
        |each| {
            match each.on_item_error {
                OnItemError::Stop => "stop",
                OnItemError::Null => "null",
                OnItemError::Drop => "drop",
            }
            .to_owned()
        },
        |each, word| {
            each.on_item_error = match word.as_str() {
                "null" => OnItemError::Null,
                "drop" => OnItemError::Drop,
                _ => OnItemError::Stop,
            };
        },
    );
    view! {
        <div>
            <SourceField label="Items" bound=items placeholder="topics" hint="An expression that gives a list, such as topics." />
            // What the field above says lies over it, and not the other way round.
            <div>{below(move || can_keep.get().then(|| view! {
                <button class="text-button" type="button" title="A step before this one that filters the list by a condition" on:click=keep>
                    {icon(PLUS)} "Keep only some of these items"
                </button>
            }))}</div>
        </div>
        <TextField label="Each item is called" value=called flaw=item_flaw hint=hint code=true placeholder=DEFAULT_ITEM
            on_input=rename on_leave=move |()| editor.seal() />
        <BoundLines label="Result of each item" bound=result rows=1 code=true writes=Writes::Inside placeholder="the keys that its steps changed"
            hint="An expression over its state at the end. The list of results goes to the step's output." />
        <BoundNumber label="How many at the same time" bound=concurrency least=1 needed=true hint="How many items may be under way at the same time, those that wait for a person too" />
        <BoundChoice
            label="If an item fails"
            bound=on_item_error
            options=&[("stop", "the step fails"), ("null", "its result is null"), ("drop", "it has no result")]
        />
    }
}

/// The fields of a loop.
#[component]
pub fn LoopStep(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let way = again(
        id,
        "repeat",
        |again| {
            match again.repeat {
                Repeat::While(_) => "while",
                Repeat::Until(_) => "until",
            }
            .to_owned()
        },
        |again, word| {
            let source = source_of(&again.repeat);
            again.repeat = if word == "while" { Repeat::While(source) } else { Repeat::Until(source) };
        },
    );
    let source = again(
        id,
        "repeat",
        |again| Some(source_of(&again.repeat)),
        |again, source| {
            let source = or_nothing(source);
            again.repeat = match again.repeat {
                Repeat::While(_) => Repeat::While(source),
                Repeat::Until(_) => Repeat::Until(source),
            };
        },
    );
    let most = again(
        id,
        "maxIterations",
        |again| Some(again.max_iterations.into()),
        |again, many: Option<u64>| {
            again.max_iterations = many.and_then(|many| many.try_into().ok()).unwrap_or(1);
        },
    );
    let on_max = again(
        id,
        "onMax",
        |again| {
            match again.on_max {
                OnMax::Error => "error",
                OnMax::Continue => "continue",
            }
            .to_owned()
        },
        |again, word| {
            again.on_max = if word == "continue" { OnMax::Continue } else { OnMax::Error };
        },
    );
    let chosen = way.signal();
    let example =
        Signal::derive(move || if chosen.get() == "while" { "score < 8" } else { "score >= 8" }.to_owned());
    view! {
        <BoundChoice
            label="Repeat"
            bound=way
            options=&[("while", "while this is true, asked before each time"), ("until", "until this is true, asked after each time")]
        />
        <SourceField label="Condition" bound=source writes=Writes::Inside placeholder=example hint="An expression over the state." />
        <BoundNumber label="Most rounds" bound=most least=1 needed=true />
        <BoundChoice
            label="After the last round"
            bound=on_max
            options=&[("error", "the step fails"), ("continue", "the run goes on")]
        />
    }
}

fn source_of(repeat: &Repeat) -> Source {
    match repeat {
        Repeat::While(source) | Repeat::Until(source) => source.clone(),
    }
}

fn each<T: Default + 'static>(
    id: StepId,
    path: &str,
    read: impl Fn(&Foreach) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Foreach, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Foreach(each) => read(each),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Foreach(each) = &mut step.kind {
            write(each, value);
        }
    })
}

fn again<T: Default + 'static>(
    id: StepId,
    path: &str,
    read: impl Fn(&Loop) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Loop, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |step: &Step| match &step.kind {
        StepKind::Loop(again) => read(again),
        _ => T::default(),
    };
    Bound::new(id, path, read, move |step, value| {
        if let StepKind::Loop(again) = &mut step.kind {
            write(again, value);
        }
    })
}
