//! What a step reads and writes, by name; a name shows where its value comes from or goes to.

use leptos::prelude::*;
use stepweave_core::document::{Document, Step};

use crate::model::passing::{Passing, readers};
use crate::model::sources::givers;
use crate::page::state::app;
use crate::ui::code::{light, origin};
use crate::ui::field::below;
use crate::ui::inspector::fields::bound::StepId;

/// How many names are shown of each.
const MOST: usize = 12;

/// The names, where there are any.
#[component]
pub fn PassingFields(
    /// The step's id.
    id: StepId,
) -> impl IntoView {
    let app = app();
    let passing = Memo::new(move |_| app.editor.step(&id.get(), Passing::of).unwrap_or_default());
    on_cleanup(move || light(app, Vec::new()));
    let reads = move || {
        let (keys, all) = passing.with(|own| (own.reads.iter().cloned().collect::<Vec<_>>(), own.reads_all));
        (all || !keys.is_empty()).then(|| {
            let besides = if all { "all of the state" } else { "" };
            view! { <Line word="Reads" keys=keys way=Way::In besides=besides /> }
        })
    };
    let writes = move || {
        let keys: Vec<String> = passing.with(|own| own.writes.iter().cloned().collect());
        (!keys.is_empty()).then(|| view! { <Line word="Writes" keys=keys way=Way::Out besides="" /> })
    };
    below(view! { <div class="passing">{reads} {writes}</div> })
}

/// Which way a value goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl Way {
    /// The steps at its other end.
    fn steps(self, document: &Document, key: &str) -> Vec<String> {
        let steps: Vec<&Step> = match self {
            Self::In => givers(document, key),
            Self::Out => readers(document, key),
        };
        steps.into_iter().map(|step| step.id.clone()).collect()
    }

    /// Who stands there, in words.
    fn about(self, document: &Document, key: &str) -> String {
        if self == Self::In {
            return origin(document, key, &givers(document, key));
        }
        let names: Vec<&str> = readers(document, key).into_iter().map(|step| step.name.as_str()).collect();
        if names.is_empty() {
            "no step reads it by its name".to_owned()
        } else {
            format!("read by {}", names.join(", "))
        }
    }
}

#[component]
fn Line(word: &'static str, keys: Vec<String>, way: Way, besides: &'static str) -> impl IntoView {
    let more = keys.len().saturating_sub(MOST);
    let names = keys.into_iter().take(MOST).map(|key| view! { <Name key_name=key way=way /> }).collect_view();
    view! {
        <div role="group" aria-label=word>
            <span class="field-hint">{word}</span>
            {names}
            {(!besides.is_empty()).then(|| view! { <span class="field-hint">{besides}</span> })}
            {(more > 0).then(|| view! { <span class="field-hint">{format!("and {more} more")}</span> })}
        </div>
    }
}

#[component]
fn Name(key_name: String, way: Way) -> impl IntoView {
    let app = app();
    let key = StoredValue::new(key_name.clone());
    let others = move || app.editor.document.with_untracked(|document| way.steps(document, &key.get_value()));
    // Asked when somebody points at it: looking through all steps at each key that is typed would take long.
    let about = RwSignal::new(String::new());
    let point = move || {
        about.set(app.editor.document.with_untracked(|document| way.about(document, &key.get_value())));
        light(app, others());
    };
    let go = move |_| {
        if let Some(step) = others().into_iter().next() {
            light(app, Vec::new());
            app.editor.choose(Some(step));
        }
    };
    view! {
        <button class="passing-name" type="button" title=about on:click=go
            on:mouseenter=move |_| point() on:focus=move |_| point()
            on:mouseleave=move |_| light(app, Vec::new()) on:blur=move |_| light(app, Vec::new())>
            {key_name}
        </button>
    }
}
