//! Several selected steps: how many and which, and what can be done with all of them.

use leptos::prelude::*;
use stepweave_core::edit::find;

use crate::page::icon::{COPY, TRASH, icon, of_kind};
use crate::page::removal::remove;
use crate::page::state::app;
use crate::step::kinds::Kind;
use crate::ui::field::Switch;
use crate::ui::inspector::fields::edits::Edits;

/// More of them are only counted.
const SHOWN: usize = 12;

/// The fields of several steps.
#[component]
pub fn SeveralFields() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let count = Memo::new(move |_| editor.selection.with(|selection| selection.len()));
    let lines = Memo::new(move |_| {
        editor.document.with(|document| {
            let named =
                |id: &str| find(document, id).map(|step| (id.to_owned(), Kind::of(step), step.name.clone()));
            editor
                .selection
                .with(|selection| selection.iter().take(SHOWN).filter_map(named).collect::<Vec<_>>())
        })
    });
    let enabled = Memo::new(move |_| {
        editor.document.with(|document| {
            let on = |id: &str| find(document, id).is_some_and(|step| step.enabled);
            editor.selection.with(|selection| selection.iter().all(on))
        })
    });
    let line = move |(id, kind, name): (String, Kind, String)| {
        view! {
            <li>
                <button class="several-step" data-kind=kind.word() on:click=move |_| editor.choose(Some(id.clone()))>
                    <span class="kind-icon">{icon(of_kind(kind))}</span>
                    {name}
                </button>
            </li>
        }
    };
    let more = move || count.get().checked_sub(SHOWN).filter(|more| *more > 0);
    view! {
        <header class="inspector-head">
            <div><h2>{count} " steps"</h2><small>"Selected together"</small></div>
            <button class="icon-button" title="Duplicate (Ctrl+D)" aria-label="Duplicate" on:click=move |_| editor.duplicate(&editor.chosen())>
                {icon(COPY)}
            </button>
            <button class="icon-button danger" title="Delete (Del)" aria-label="Delete" on:click=move |_| remove(app, &editor.chosen())>
                {icon(TRASH)}
            </button>
        </header>
        <div class="inspector-body">
            <section>
                <ul class="several" aria-label="Selected steps">{move || lines.get().into_iter().map(line).collect_view()}</ul>
                {move || more().map(|more| view! { <p class="field-hint">"and " {more} " more"</p> })}
                <Edits><Switch label="Enabled" hint="Off: these steps are left out, as if they were not there" value=enabled
                    on_change=move |on| editor.enable(&editor.chosen(), on) /></Edits>
            </section>
        </div>
    }
}
