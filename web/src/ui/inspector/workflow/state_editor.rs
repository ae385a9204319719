//! The initial state: a form or a table of its keys, with JSON behind it.

use std::collections::HashMap;

use leptos::prelude::*;
use serde_json::{Map, Value};
use stepweave_core::document::Document;
use stepweave_core::rename::{Named, Place};
use web_sys::MouseEvent;

use crate::model::cells::Cell;
use crate::model::problem::INITIAL_STATE;
use crate::page::division::Part;
use crate::page::focus::name_new_row;
use crate::page::icon::{CLOSE, PLUS, icon};
use crate::page::removal::remove_row;
use crate::page::state::app;
use crate::step::free::free;
use crate::ui::field::{below, complained};
use crate::ui::inspector::fields::behind::{JSON, JsonBehind, Looks};
use crate::ui::inspector::fields::bound::Bound;
use crate::ui::inspector::fields::json::JsonShape;
use crate::ui::inspector::fields::key_field::{KeyField, hint_of};
use crate::ui::inspector::fields::many::{rest_of, shown_of};
use crate::ui::inspector::fields::typing::Typing;

type State = Bound<Map<String, Value>>;

/// One value below the other.
const FORM: &str = "form";

/// A line for each value.
const TABLE: &str = "table";

/// The ways to show the values.
const LOOKS: [(&str, &str); 2] = [(FORM, "Form"), (TABLE, "Table")];

/// The name under which the browser remembers which one a person has picked.
const PICKED: &str = "state-look";

/// How wide an inspector is in which a table has room, in pixels.
const WIDE: f64 = 440.0;

/// How many letters of a text are about a line of the form, and how many lines are seen at most.
const LETTERS: usize = 40;
const MOST_LINES: usize = 10;

/// How many lines of a list are seen at least.
const LIST_LINES: usize = 3;

/// The editor of the initial state.
#[component]
pub fn StateEditor() -> impl IntoView {
    let bound: State = Bound::of_workflow(
        INITIAL_STATE,
        |document| document.initial_state.clone(),
        |document, state| document.initial_state = state,
    );
    let json = bound.map(
        |state| {
            Some(Value::Object(state))
                .filter(|state| state.as_object().is_some_and(|state| !state.is_empty()))
        },
        |value| match value {
            Some(Value::Object(state)) => state,
            _ => Map::new(),
        },
    );
    let looks = looks();
    view! {
        <JsonBehind label="Initial state" bound=json shape=JsonShape::Object hint="Every run begins with these values."
            can_be_fields=|_| true looks=Some(looks) fields=move || view! { <Values bound=bound.clone() look=looks.now /> } />
    }
}

/// How the values are shown: as a person has picked it, and until then as there is room.
fn looks() -> Looks {
    let app = app();
    let kept = app.bridge.with_value(|bridge| bridge.preference(PICKED)).unwrap_or_default();
    let mut words = LOOKS.iter().map(|(word, _)| *word).chain([JSON]);
    let picked = RwSignal::new(words.find(|word| *word == kept));
    let width = app.division.size(Part::Inspector);
    let now = Memo::new(move |_| picked.get().unwrap_or(if width.get() < WIDE { FORM } else { TABLE }));
    let pick = move |word: &'static str| {
        picked.set(Some(word));
        app.bridge.with_value(|bridge| bridge.prefer(PICKED, word));
    };
    Looks { of_fields: &LOOKS, now: now.into(), pick: Callback::new(pick) }
}

#[component]
fn Values(bound: State, look: Signal<&'static str>) -> impl IntoView {
    let state = bound.signal();
    // Rows are identified by their index, so that typing into one does not make it anew.
    let count = Memo::new(move |_| state.with(Map::len));
    let bound = StoredValue::new(bound);
    let picked = RwSignal::new(HashMap::new());
    let add = move |click: MouseEvent| {
        let mut state = state.get_untracked();
        state.insert(free("key", &|key| state.contains_key(key)), "".into());
        bound.get_value().pick(state);
        name_new_row(&click, "Key");
    };
    view! {
        <div class="state-rows" data-look=look>
            {move || (look.get() == TABLE && count.get() > 0).then(|| view! {
                <div class="state-titles" aria-hidden="true"><span>"Key"</span><span>"Kind"</span><span>"Value"</span></div>
            })}
            <For each=move || 0..shown_of(count.get()) key=|at| *at let:at><Row at=at state=state bound=bound look=look picked=picked /></For>
        </div>
        {move || rest_of(count.get())}
        <button class="text-button" type="button" on:click=add>{icon(PLUS)} "Add a value"</button>
    }
}

#[component]
fn Row(
    at: usize,
    state: Signal<Map<String, Value>>,
    bound: StoredValue<State>,
    look: Signal<&'static str>,
    /// The kinds that a person has picked, by the names of the rows: what is written stays of its kind, whatever else could
    /// be made of it.
    picked: RwSignal<HashMap<String, Cell>>,
) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let own = StoredValue::new((
        bound.get_value().at(&format!("[{at}].key")),
        bound.get_value().at(&format!("[{at}].value")),
    ));
    let (name, value_draft) = own.with_value(|(key, value)| {
        (KeyField::new(editor, key.draft_key()), StoredValue::new(value.draft_key()))
    });
    let drafted = move || editor.drafts.with(|drafts| value_draft.with_value(|key| drafts.get(key).cloned()));
    let key = Memo::new(move |_| state.with(|state| state.keys().nth(at).cloned().unwrap_or_default()));
    let value = Memo::new(move |_| state.with(|state| state.values().nth(at).cloned().unwrap_or_default()));
    let own_picked = move || key.with(|key| picked.with(|all: &HashMap<String, Cell>| all.get(key).copied()));
    let cell = Memo::new(move |_| {
        value.with(|value| own_picked().filter(|cell| cell.fits(value)).unwrap_or_else(|| Cell::of(value)))
    });
    let keep_picked = move |cell: Cell| {
        picked.update(|all| all.extend([(key.get_untracked(), cell)]));
    };
    let with_value = move |value: Value| {
        let mut state = state.get_untracked();
        state.values_mut().nth(at).into_iter().for_each(|own| own.clone_from(&value));
        state
    };
    let rename = move |text: String| {
        let is_taken = |text: &str| {
            state.with_untracked(|state| {
                state.keys().enumerate().any(|(other, key)| other != at && key == text)
            })
        };
        let before = key.get_untracked();
        let Some(name) = name.write(text, is_taken, &before) else { return };
        picked.update(|all| {
            let kept = all.remove(&before);
            all.extend(kept.map(|cell| (name.clone(), cell)));
        });
        let renamed = state.get_untracked().into_iter().enumerate();
        let renamed =
            renamed.map(|(other, (key, value))| (if other == at { name.clone() } else { key }, value));
        let own = own.with_value(|(key, _)| key.clone());
        // What reads the key follows its name.
        let named = |_: &Document| Some(Named::Key { place: Place::Workflow, key: before });
        editor.type_name(&own.field(), named, &name, || own.type_in(renamed.collect()));
    };
    let typing = Typing::begin();
    let write = move |text: String| {
        let cell = cell.get_untracked();
        keep_picked(cell);
        let before = typing.before(|| value.get_untracked());
        match cell.read(&text) {
            Ok(value) => {
                editor.draft(&value_draft.get_value(), None);
                own.with_value(|(_, own)| own.type_in(with_value(value)));
            }
            Err(_) => {
                editor.draft(&value_draft.get_value(), Some(text));
                if value.with_untracked(|value| *value != before) {
                    own.with_value(|(_, own)| own.type_in(with_value(before)));
                }
            }
        }
    };
    let leave_value = move |text: String| {
        // Lines below the last item are room to write in.
        if cell.get_untracked() == Cell::List && text.ends_with('\n') {
            write(text.trim_end_matches('\n').to_owned());
        }
        editor.seal();
        typing.leave();
    };
    let pick = move |label: String| {
        if let Some(cell) = Cell::called(&label) {
            editor.draft(&value_draft.get_value(), None);
            let made = value.with_untracked(|value| cell.made_of(value));
            keep_picked(cell);
            bound.get_value().pick(with_value(made));
        }
    };
    let remove = move |_| {
        let (mut state, key) = (state.get_untracked(), key.get_untracked());
        state.shift_remove(&key);
        remove_row(app, |_| Some(Place::Workflow), key, bound.get_value().picked(state));
    };
    let complaint = move || {
        let of_value = || cell.get().read(&drafted()?).err();
        name.complaint("Another value has this name already.").or_else(of_value)
    };
    let text = move || drafted().unwrap_or_else(|| value.with(|value| cell.get().text(value)));
    // A table keeps its lines; a form shows what is written.
    let rows = Memo::new(move |_| match look.get() {
        TABLE => 1,
        _ if cell.get() == Cell::List => lines_of(&text()).max(LIST_LINES),
        _ => lines_of(&text()),
    });
    let input = move || {
        match cell.get() {
        Cell::Boolean => view! {
            <select class="input" aria-label="Value" on:change=move |event| write(event_target_value(&event))>
                {["true", "false"].map(|word| view! {
                    <option value=word prop:selected=move || text() == word>{if word == "true" { "yes" } else { "no" }}</option>
                })}
            </select>
        }
        .into_any(),
        shown => view! {
            <textarea class="input" class:code=shown == Cell::Json aria-label="Value" rows=rows spellcheck="false" placeholder=shown.placeholder() prop:value=text
                aria-invalid=move || drafted().is_some().to_string()
                on:input=move |event| write(event_target_value(&event)) on:blur=move |event| leave_value(event_target_value(&event))></textarea>
        }
        .into_any(),
    }
    };
    let kinds = move || {
        let now = cell.get();
        Cell::ALL
            .map(|(cell, label)| view! { <option value=label prop:selected=cell == now>{label}</option> })
    };
    view! {
        <div class="state-row" role="group" aria-label=move || key.get() class:wrong=move || complaint().is_some()>
            <input class="input code" aria-label="Key" spellcheck="false" prop:value=move || name.draft().unwrap_or_else(|| key.get())
                on:input=move |event| rename(event_target_value(&event)) on:blur=move |_| name.leave() />
            <select class="input" aria-label="Kind" on:change=move |event| pick(event_target_value(&event))>{kinds}</select>
            <div class="state-value">{input}</div>
            <button class="icon-button" type="button" title="Remove" aria-label="Remove this value" on:click=remove>{icon(CLOSE)}</button>
        </div>
        {below((move || complaint().map(complained), move || key.with(|key| hint_of(key))))}
    }
}

/// How many lines a text takes in the form, as far as they are shown.
fn lines_of(text: &str) -> usize {
    let lines: usize = text.split('\n').map(|line| 1 + line.chars().count() / LETTERS).sum();
    lines.min(MOST_LINES)
}
