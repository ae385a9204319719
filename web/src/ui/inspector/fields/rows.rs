//! Rows that each give a key a text: the value of an expression, or a header.

use std::sync::Arc;

use indexmap::IndexMap;
use leptos::html;
use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::rename::{Named, Place};
use web_sys::MouseEvent;

use super::bound::Bound;
use super::key_field::KeyField;
use super::many::{rest_of, shown_of};
use crate::model::editor::Editor;
use crate::model::fitting::{NEW_KEY, NEW_VALUE};
use crate::model::problem::Problem;
use crate::page::focus::name_new_row;
use crate::page::icon::{CLOSE, PLUS, icon};
use crate::page::removal::remove_row;
use crate::page::state::app;
use crate::ui::code::{Writes, become_code};
use crate::ui::field::{below, complained, said_of};

/// What the rows are made of.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// What stands at the left.
    pub key: &'static str,
    /// What stands at the right.
    pub value: &'static str,
    /// What stands between them.
    pub sign: &'static str,
    /// The key of a new row.
    pub new_key: &'static str,
    /// The value of a new row.
    pub new_value: &'static str,
    /// What is written in the values.
    pub writes: Writes,
}

/// Whose state it is, in a document.
pub type PlaceOf = Arc<dyn Fn(&Document) -> Option<Place> + Send + Sync>;

/// Keys of a state with the expressions that give them.
pub const EXPRESSIONS: Words = Words {
    key: "Key",
    value: "Expression",
    sign: "=",
    new_key: NEW_KEY,
    new_value: NEW_VALUE,
    writes: Writes::Expression,
};

/// Keys of a state with the expressions that give them, over the state as the steps inside leave it.
pub const EXPRESSIONS_INSIDE: Words = Words { writes: Writes::Inside, ..EXPRESSIONS };

/// Parameters of a query.
pub const PARAMETERS: Words = Words {
    key: "Parameter",
    value: "Value",
    sign: "=",
    new_key: "q",
    new_value: "",
    writes: Writes::Template,
};

/// Fields of a form.
pub const FIELDS: Words = Words {
    key: "Field",
    value: "Value",
    sign: "=",
    new_key: "field",
    new_value: "",
    writes: Writes::Template,
};

/// Headers of requests.
pub const HEADERS: Words = Words {
    key: "Header",
    value: "Value",
    sign: ":",
    new_key: "x-header",
    new_value: "",
    writes: Writes::Template,
};

/// The rows.
#[component]
pub fn Rows(
    /// What they are, above them.
    label: &'static str,
    /// The keys with their expressions.
    bound: Bound<IndexMap<String, String>>,
    /// What to say below.
    hint: &'static str,
    /// What the rows are made of.
    #[prop(default = EXPRESSIONS)]
    words: Words,
    /// Whose state has the keys, so that what uses a key follows its name; nothing where they are no keys of a state.
    #[prop(optional)]
    place: Option<PlaceOf>,
) -> impl IntoView {
    let place = StoredValue::new(place);
    let rows = bound.signal();
    // Rows are identified by their index, so that typing into one does not rebuild it.
    let count = Memo::new(move |_| rows.with(IndexMap::len));
    let bound = StoredValue::new(bound);
    let add = move |click: MouseEvent| {
        let mut rows = rows.get_untracked();
        let numbered = (1_usize..).map(|number| format!("{}_{number}", words.new_key));
        let mut keys = std::iter::once(words.new_key.to_owned()).chain(numbered);
        let free = keys.find(|key| !rows.contains_key(key));
        rows.insert(free.unwrap_or_default(), words.new_value.to_owned());
        bound.get_value().pick(rows);
        name_new_row(&click, words.key);
    };
    view! {
        <div class="field" role="group" aria-label=label>
            <span class="field-label">{label}</span>
            <For each=move || 0..shown_of(count.get()) key=|row| *row let:row><Row row=row rows=rows bound=bound words=words place=place /></For>
            {move || rest_of(count.get())}
            <button class="text-button" on:click=add>{icon(PLUS)} "Add a " {words.key.to_lowercase()}</button>
            <span class="field-hint">{hint}</span>
        </div>
    }
}

#[component]
fn Row(
    row: usize,
    rows: Signal<IndexMap<String, String>>,
    bound: StoredValue<Bound<IndexMap<String, String>>>,
    words: Words,
    place: StoredValue<Option<PlaceOf>>,
) -> impl IntoView {
    let app = app();
    let editor: Editor = app.editor;
    let name = KeyField::new(editor, bound.with_value(|bound| bound.at(&format!("[{row}]")).draft_key()));
    let entry = move |part: fn((&String, &String)) -> String| {
        rows.with(|rows| rows.get_index(row).map(part).unwrap_or_default())
    };
    let key = Memo::new(move |_| entry(|(key, _)| key.clone()));
    let rename = move |text: String| {
        let is_taken = |text: &str| {
            rows.with_untracked(|rows| rows.get_index_of(text).is_some_and(|other| other != row))
        };
        let before = key.get_untracked();
        let Some(name) = name.write(text, is_taken, &before) else { return };
        let renamed = rows.get_untracked().into_iter().enumerate();
        let renamed = renamed.map(|(at, (key, value))| (if at == row { name.clone() } else { key }, value));
        let own = bound.get_value().at(&format!(".{row}.key"));
        let named = |document: &Document| {
            let place = place.with_value(|place| place.as_ref().and_then(|place| place(document)))?;
            Some(Named::Key { place, key: before })
        };
        editor.type_name(&own.field(), named, &name, || own.type_in(renamed.collect()));
    };
    let compute = move |text: String| {
        let mut rows = rows.get_untracked();
        if let Some((_, value)) = rows.get_index_mut(row) {
            *value = text;
        }
        bound.get_value().at(&format!(".{row}.value")).type_in(rows);
    };
    let remove = move |_| {
        let mut rows = rows.get_untracked();
        let Some((key, _)) = rows.shift_remove_index(row) else { return };
        let edit = bound.get_value().picked(rows);
        remove_row(app, |document| place.with_value(|place| place.as_ref()?(document)), key, edit);
    };
    let complaint = move || name.complaint("Another row has this name already.");
    let flaw = Signal::derive(move || bound.get_value().at(&format!(".{}", key.get())).wrong());
    let is_wrong = move || flaw.with(|flaw| flaw.as_ref().is_some_and(Problem::is_error));
    let written = Signal::derive(move || entry(|(_, value)| value.clone()));
    let node = NodeRef::<html::Input>::new();
    let preview = become_code(move || node.get().map(Into::into), Some(words.writes), written, flaw);
    view! {
        <div class="set-row">
            <input
                class="input code"
                class:wrong=move || name.draft().is_some()
                aria-label=words.key
                spellcheck="false"
                prop:value=move || name.draft().unwrap_or_else(|| key.get())
                on:input=move |event| rename(event_target_value(&event))
                on:blur=move |_| name.leave()
            />
            <span aria-hidden="true">{words.sign}</span>
            <div class="set-value" class:wrong=is_wrong>
                <input
                    class="input code"
                    aria-label=words.value
                    aria-invalid=move || is_wrong().to_string()
                    node_ref=node
                    spellcheck="false"
                    prop:value=written
                    on:input=move |event| compute(event_target_value(&event))
                    on:blur=move |_| editor.seal()
                />
            </div>
            <button class="icon-button" title="Remove" aria-label=format!("Remove this {}", words.key.to_lowercase()) on:click=remove>{icon(CLOSE)}</button>
        </div>
        {below((preview, move || complaint().map(complained), said_of(flaw)))}
    }
}
