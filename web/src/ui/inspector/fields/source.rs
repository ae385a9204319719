//! Fields for what is written down or comes from a function of the host.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Check, HandlerRef, Source};

use super::bound::{Bound, BoundLines, BoundText, or_empty};
use super::rows::PlaceOf;
use super::schema::SchemaField;
use crate::model::shape::Giver;
use crate::ui::code::Writes;

const ABOUT: &str = "A function of the program that runs this workflow. The builder has none.";

/// An expression or a template, or instead a handler.
#[component]
pub fn SourceField(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The value; none when the field is empty.
    bound: Bound<Option<Source>>,
    /// `expression` or `template`.
    #[prop(default = "expression")]
    text: &'static str,
    /// What to say below.
    #[prop(optional)]
    hint: &'static str,
    /// An example, shown while it is empty.
    #[prop(optional, into)]
    placeholder: Signal<String>,
    /// How many lines are seen.
    #[prop(default = 2)]
    rows: u32,
    /// What is written in it, if that is not the state where the step stands.
    #[prop(optional)]
    writes: Option<Writes>,
) -> impl IntoView {
    let usual = if text == "template" { Writes::Template } else { Writes::Expression };
    let writes = writes.unwrap_or(usual);
    let label = StoredValue::new(label);
    let kept = StoredValue::new(bound.clone());
    let handled = Memo::new(move |_| matches!(kept.get_value().get(), Some(Source::Handler(_))));
    let turn = move || {
        let source = match handled.get_untracked() {
            true => None,
            false => Some(Source::Handler(HandlerRef::new("handler"))),
        };
        kept.get_value().pick(source);
    };
    let content = move || match handled.get() {
        true => {
            let handler = kept.get_value().map(
                |source| match source {
                    Some(Source::Handler(handler)) => Some(handler),
                    _ => None,
                },
                |handler| handler.map(Source::Handler),
            );
            view! { <HandlerFields label=label.get_value() bound=handler /> }.into_any()
        }
        false => {
            let words = kept.get_value().map(
                |source| match source {
                    Some(Source::Text(text)) => text,
                    _ => String::new(),
                },
                |text| Some(Source::Text(text)),
            );
            view! {
                <BoundLines label=label.get_value() bound=words hint=hint placeholder=placeholder rows=rows code=true writes=writes />
            }
            .into_any()
        }
    };
    view! { <Turnable turned=handled word=text on_turn=turn>{content}</Turnable> }
}

/// Whether there is nothing to evaluate.
pub fn is_empty(source: &Source) -> bool {
    matches!(source, Source::Text(text) if text.is_empty())
}

/// The source; an empty text, which is reported as a problem, where there is none.
pub fn or_nothing(source: Option<Source>) -> Source {
    source.unwrap_or_else(|| Source::Text(String::new()))
}

/// A JSON Schema, or instead a handler.
#[component]
pub fn CheckField(
    /// What it is, above the field.
    label: &'static str,
    /// The value; none when the field is empty.
    bound: Bound<Option<Check>>,
    /// Who gives such a value.
    #[prop(default = Giver::Program)]
    giver: Giver,
    /// What to say below.
    hint: &'static str,
    /// Whose state or answer the schema describes, so that what uses a key follows its name; nothing where it describes none.
    #[prop(optional)]
    place: Option<PlaceOf>,
) -> impl IntoView {
    let (kept, place) = (StoredValue::new(bound), StoredValue::new(place));
    let handled = Memo::new(move |_| matches!(kept.get_value().get(), Some(Check::Handler(_))));
    let turn = move || {
        let check = match handled.get_untracked() {
            true => None,
            false => Some(Check::Handler(HandlerRef::new("handler"))),
        };
        kept.get_value().pick(check);
    };
    let content = move || match handled.get() {
        true => {
            let handler = kept.get_value().map(
                |check| match check {
                    Some(Check::Handler(handler)) => Some(handler),
                    _ => None,
                },
                |handler| handler.map(Check::Handler),
            );
            view! { <HandlerFields label=label.to_owned() bound=handler /> }.into_any()
        }
        false => {
            let schema = kept.get_value().map(
                |check| match check {
                    Some(Check::Schema(schema)) => Some(schema),
                    _ => None,
                },
                |schema: Option<Value>| schema.map(Check::Schema),
            );
            view! {
                <SchemaField label=label bound=schema giver=giver hint=hint place=place.get_value() />
            }
            .into_any()
        }
    };
    view! { <Turnable turned=handled word="JSON Schema" on_turn=turn>{content}</Turnable> }
}

/// The name and the version of a handler.
#[component]
pub fn HandlerFields(
    /// What it is used for.
    label: String,
    /// The handler.
    bound: Bound<Option<HandlerRef>>,
) -> impl IntoView {
    // Each field writes the whole handler, so it takes the other field's value from the current one.
    let kept = StoredValue::new(bound.clone());
    let now = move || untrack(|| kept.get_value().get()).unwrap_or_else(|| HandlerRef::new(""));
    let named = bound.map(
        |handler| handler.map(|handler| handler.handler).unwrap_or_default(),
        move |name| Some(HandlerRef { handler: name, ..now() }),
    );
    let versioned = or_empty(bound.map(
        |handler| handler.and_then(|handler| handler.version),
        move |version| Some(HandlerRef { version, ..now() }),
    ));
    view! {
        <div class="pair">
            <BoundText label=format!("{label}: function") bound=named code=true />
            <BoundText label="Version" bound=versioned placeholder="none" code=true />
        </div>
        <span class="field-hint">{ABOUT}</span>
    }
}

/// A field with a button that turns it into another form.
#[component]
fn Turnable(
    turned: Memo<bool>,
    word: &'static str,
    on_turn: impl Fn() + Send + Sync + 'static,
    children: Children,
) -> impl IntoView {
    let text = move || match turned.get() {
        true => format!("Use {}", with_article(word)),
        false => "Use a function".to_owned(),
    };
    let about = move || (!turned.get()).then_some(ABOUT);
    view! {
        <div class="turnable">
            {children()}
            <button class="turn" type="button" title=about on:click=move |_| on_turn()>{text}</button>
        </div>
    }
}

fn with_article(word: &str) -> String {
    let article = if word.starts_with('e') { "an" } else { "a" };
    format!("{article} {word}")
}
