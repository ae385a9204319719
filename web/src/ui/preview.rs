//! What a template or an expression gives with the values that are known, below its field while that has the focus.

use std::time::Duration;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::code::{Writes, known};
use crate::bridge::Outcome;
use crate::model::preview::{said, workflow_of};
use crate::page::state::{App, app};

/// How long after a key it is evaluated.
const PAUSE: Duration = Duration::from_millis(150);

/// More characters of a value are not shown.
const MOST: u32 = 2_000;

/// About as long as a person holds a button down.
const PRESS: Duration = Duration::from_millis(400);

#[derive(Clone, PartialEq)]
enum Shown {
    Given(Outcome),
    Missing(Vec<String>),
}

/// The line below a field.
pub fn preview(
    writes: Writes,
    value: Signal<String>,
    request: StoredValue<Option<String>>,
    is_in: RwSignal<bool>,
) -> AnyView {
    let app = app();
    let shown = RwSignal::new(None::<Shown>);
    let turn = StoredValue::new(0_u64);
    let around = NodeRef::<html::Div>::new();
    let close = move || {
        // The focus may be on its way to another part of the field, such as a long value, which keys scroll. And what is
        // pressed below the field must not move away before it is released.
        set_timeout(
            move || {
                if is_in.try_get_untracked() == Some(false) && !has_focus(around) {
                    let _ = shown.try_set(None);
                }
            },
            PRESS,
        );
    };
    let left = window_event_listener(ev::focusout, move |_| {
        if shown.with_untracked(Option::is_some) {
            close();
        }
    });
    on_cleanup(move || left.remove());
    Effect::new(move |_| {
        let text = value.get();
        // A run that has ended has left other values.
        app.runner.status.track();
        let next = turn.get_value() + 1;
        turn.set_value(next);
        if !is_in.get() {
            return close();
        }
        set_timeout(
            move || {
                if turn.try_get_value() == Some(next) {
                    look(app, writes, &text, request.get_value().as_deref(), move |found| {
                        if turn.try_get_value() == Some(next) {
                            shown.set(found);
                        }
                    });
                }
            },
            PAUSE,
        );
    });
    let line = move || {
        let line = match shown.get()? {
            Shown::Given(Outcome::Value(text)) if text.is_empty() => {
                view! { <small>"empty text, " {source(app, writes)}</small> }.into_any()
            }
            Shown::Given(Outcome::Value(text)) => {
                view! { <Value text=text /> <small>{source(app, writes)}</small> }.into_any()
            }
            Shown::Given(Outcome::Error(why)) => {
                view! { <span class="preview-error">{said(&why)}</span> <small>{source(app, writes)}</small> }
                    .into_any()
            }
            Shown::Missing(names) => {
                let names = names.join(", ");
                view! { <small>"There is no value of " <code>{names}</code> " yet: run the workflow, or pin what gives it."</small> }.into_any()
            }
        };
        Some(view! { <div class="preview" role="group" aria-label="Preview" node_ref=around>{line}</div> })
    };
    line.into_any()
}

/// What it gives. Keys reach it where it is too long to be seen at once.
#[component]
fn Value(
    /// As text.
    text: String,
) -> impl IntoView {
    let node = NodeRef::<html::Span>::new();
    let is_long = RwSignal::new(false);
    Effect::new(move |_| {
        if let Some(node) = node.get() {
            // It has a height when the browser has laid it out.
            request_animation_frame(move || {
                let _ = is_long.try_set(node.scroll_height() > node.client_height());
            });
        }
    });
    let when_long = move |word: &'static str| is_long.get().then_some(word);
    view! {
        <span class="preview-value" node_ref=node tabindex=move || when_long("0") role=move || when_long("group")
            aria-label=move || when_long("Value of the preview")>{text}</span>
    }
}

/// Whether the focus is in the field that the preview belongs to.
fn has_focus(around: NodeRef<html::Div>) -> bool {
    let field =
        around.try_get_untracked().flatten().and_then(|around| around.closest(".field").ok().flatten());
    field.is_some_and(|field| field.contains(document().active_element().as_deref()))
}

fn look(app: App, writes: Writes, text: &str, request: Option<&str>, show: impl Fn(Option<Shown>) + 'static) {
    let found = known(app, writes, request).and_then(|known| workflow_of(text, writes.code(), &known));
    match found {
        None => show(None),
        Some(Err(missing)) => show(Some(Shown::Missing(missing))),
        Some(Ok(workflow)) => {
            let bridge = app.bridge.get_value();
            spawn_local(async move { show(bridge.evaluate(&workflow, MOST).await.map(Shown::Given)) });
        }
    }
}

/// Whose values these are.
fn source(app: App, writes: Writes) -> String {
    let number = app.runner.shown.get();
    let has_state = app.runner.read(|board| board.result.is_some());
    match writes {
        Writes::Answer => "with the sample answer".to_owned(),
        _ if has_state => format!("with the values of run {number}"),
        _ => "with the initial state, pinned outputs and samples".to_owned(),
    }
}
