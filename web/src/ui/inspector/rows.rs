//! The rows of a function step: each sets a key of the state to the value of an expression.

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::document::{Run, Step, StepKind};

use super::super::icon::{CLOSE, PLUS, icon};
use super::super::state::app;

/// The rows.
#[component]
pub fn SetRows(
    /// The step's id.
    id: String,
) -> impl IntoView {
    let editor = app().editor;
    let id = StoredValue::new(id);
    let rows =
        Memo::new(move |_| editor.step(&id.get_value(), |step| rows_of(step).clone()).unwrap_or_default());
    // Rows are known by their place, so that typing into one does not make it anew.
    let count = Memo::new(move |_| rows.with(IndexMap::len));
    let add = move |_| {
        editor.change_step(&id.get_value(), |step| {
            change(step, |rows| {
                let numbered = (1_usize..).map(|number| format!("key_{number}"));
                let free =
                    std::iter::once("key".to_owned()).chain(numbered).find(|key| !rows.contains_key(key));
                rows.insert(free.unwrap_or_default(), "''".to_owned());
            });
        });
    };
    view! {
        <div class="field">
            <span class="field-label">"Set"</span>
            {move || (0..count.get()).map(|row| view! { <SetRow id=id.get_value() row=row rows=rows /> }).collect_view()}
            <button class="text-button" on:click=add>{icon(PLUS)} "Add a key"</button>
            <span class="field-hint">"Each key gets the value of its expression, such as topic | trim or count + 1."</span>
        </div>
    }
}

#[component]
fn SetRow(id: String, row: usize, rows: Memo<IndexMap<String, String>>) -> impl IntoView {
    let editor = app().editor;
    let id = StoredValue::new(id);
    let draft_key = StoredValue::new(format!("{}.set.{row}", id.get_value()));
    let key = move || rows.with(|rows| rows.get_index(row).map(|(key, _)| key.clone()).unwrap_or_default());
    let value =
        move || rows.with(|rows| rows.get_index(row).map(|(_, value)| value.clone()).unwrap_or_default());
    let draft = move || editor.drafts.with(|drafts| drafts.get(&draft_key.get_value()).cloned());
    let rename = move |text: String| {
        let taken = rows.with_untracked(|rows| rows.get_index_of(&text).is_some_and(|other| other != row));
        if text.is_empty() || taken {
            editor.drafts.update(|drafts| drafts.insert(draft_key.get_value(), text).map_or((), drop));
            return;
        }
        editor.drafts.update(|drafts| drafts.shift_remove(&draft_key.get_value()).map_or((), drop));
        editor.type_into_step(&id.get_value(), &format!("set.{row}.key"), |step| {
            change(step, |rows| {
                let renamed = rows.drain(..).enumerate();
                *rows = renamed
                    .map(|(at, (key, value))| (if at == row { text.clone() } else { key }, value))
                    .collect();
            });
        });
    };
    let compute = move |text: String| {
        editor.type_into_step(&id.get_value(), &format!("set.{row}.value"), |step| {
            change(step, |rows| {
                if let Some((_, value)) = rows.get_index_mut(row) {
                    *value = text;
                }
            });
        });
    };
    let remove = move |_| {
        editor.drafts.update(|drafts| drafts.shift_remove(&draft_key.get_value()).map_or((), drop));
        editor.change_step(&id.get_value(), |step| change(step, |rows| drop(rows.shift_remove_index(row))));
    };
    let complaint = move || {
        draft().map(|text| {
            if text.is_empty() { "A key needs a name." } else { "Another row sets this key already." }
        })
    };
    view! {
        <div class="set-row" class:wrong=move || draft().is_some()>
            <input
                class="input code"
                aria-label="Key"
                spellcheck="false"
                prop:value=move || draft().unwrap_or_else(key)
                on:input=move |event| rename(event_target_value(&event))
                on:blur=move |_| editor.seal()
            />
            <span aria-hidden="true">"="</span>
            <input
                class="input code"
                aria-label="Expression"
                spellcheck="false"
                prop:value=value
                on:input=move |event| compute(event_target_value(&event))
                on:blur=move |_| editor.seal()
            />
            <button class="icon-button" title="Remove" aria-label="Remove this key" on:click=remove>{icon(CLOSE)}</button>
        </div>
        {move || complaint().map(|text| view! { <span class="field-error" role="alert">{text}</span> })}
    }
}

fn rows_of(step: &Step) -> &IndexMap<String, String> {
    static NONE: std::sync::LazyLock<IndexMap<String, String>> = std::sync::LazyLock::new(IndexMap::new);
    match &step.kind {
        StepKind::Function(Run::Set(rows)) => rows,
        _ => &NONE,
    }
}

fn change(step: &mut Step, change: impl FnOnce(&mut IndexMap<String, String>)) {
    if let StepKind::Function(Run::Set(rows)) = &mut step.kind {
        change(rows);
    }
}
