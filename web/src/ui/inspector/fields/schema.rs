//! A JSON Schema: its common part as fields, all of it as JSON.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::Document;
use stepweave_core::rename::Named;
use web_sys::MouseEvent;

use super::behind::JsonBehind;
use super::bound::Bound;
use super::json::JsonShape;
use super::key_field::{KeyField, hint_of};
use super::many::{rest_of, shown_of};
use super::rows::PlaceOf;
use crate::model::shape::{
    Giver, Kind, Property, about, choices, free_key, is_choice, items, properties, with_about, with_choices,
    with_items, with_properties,
};
use crate::page::focus::name_new_row;
use crate::page::icon::{CLOSE, PLUS, icon};
use crate::page::removal::remove_row;
use crate::page::state::app;
use crate::ui::field::{Choice, TextArea, below, complained};

/// Deeper keys are edited as JSON: there would be no room for their fields.
const DEEPEST: usize = 3;

/// A schema after a change, and whether that belongs to typing into a field.
#[derive(Clone)]
enum Changed {
    Typed(Option<Value>),
    Picked(Option<Value>),
    /// A key of the outermost object is called otherwise.
    Named(Name, Option<Value>),
    /// A key of the outermost object is gone.
    Removed(String, Option<Value>),
}

/// Another name of the key in a row.
#[derive(Clone)]
struct Name {
    at: usize,
    from: String,
    to: String,
}

impl Changed {
    fn map(self, around: impl FnOnce(Option<Value>) -> Option<Value>) -> Self {
        match self {
            // What is inside of a key is no key of a state.
            Self::Typed(schema) | Self::Named(_, schema) => Self::Typed(around(schema)),
            Self::Picked(schema) | Self::Removed(_, schema) => Self::Picked(around(schema)),
        }
    }
}

/// The schema.
#[component]
pub fn SchemaField(
    /// What it is, above the fields.
    label: &'static str,
    /// The schema; none when nothing is said.
    bound: Bound<Option<Value>>,
    /// Who gives such a value.
    giver: Giver,
    /// What to say below.
    hint: &'static str,
    /// Whose state or answer has the keys, so that what uses a key follows its name; nothing where that is none.
    place: Option<PlaceOf>,
) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let (value, draft) = (bound.signal(), bound.clone());
    let (kept, place) = (StoredValue::new(bound.clone()), StoredValue::new(place));
    let change = move |changed: Changed| match changed {
        Changed::Typed(schema) => kept.get_value().type_in(schema),
        Changed::Picked(schema) => kept.get_value().pick(schema),
        Changed::Removed(key, schema) => {
            let edit = kept.get_value().picked(schema);
            remove_row(app, |document| place.with_value(|place| place.as_ref()?(document)), key, edit);
        }
        Changed::Named(Name { at, from, to }, schema) => {
            let own = kept.get_value().at(&format!("[{at}].key"));
            let named = |document: &Document| {
                let place = place.with_value(|place| place.as_ref()?(document))?;
                Some(Named::Key { place, key: from })
            };
            editor.type_name(&own.field(), named, &to, || own.type_in(schema));
        }
    };
    view! {
        <JsonBehind label=label bound=bound shape=JsonShape::Schema hint=hint placeholder="{ \"type\": \"object\" }"
            can_be_fields=giver.has_fields() fields=move || view! { <Whole schema=value on_change=change draft=draft.clone() giver=giver /> } />
    }
}

/// The keys of an object, or the values that an answer may be.
#[component]
fn Whole(
    schema: Signal<Option<Value>>,
    #[prop(into)] on_change: Callback<Changed>,
    draft: Bound<Option<Value>>,
    giver: Giver,
) -> impl IntoView {
    let is_choice = Memo::new(move |_| schema.with(|schema| is_choice(schema.as_ref())));
    let draft = StoredValue::new(draft);
    move || {
        match is_choice.get() {
        true => view! {
            <Choices schema=schema on_change=on_change />
            <button class="text-button" type="button" on:click=move |_| on_change.run(Changed::Picked(None))>{icon(CLOSE)} "Any text"</button>
        }
        .into_any(),
        false => view! { <Keys schema=schema on_change=on_change draft=draft.get_value() giver=giver depth=0 /> }.into_any(),
    }
    }
}

/// The keys of an object, which may be inside of another one.
#[component]
fn Keys(
    schema: Signal<Option<Value>>,
    #[prop(into)] on_change: Callback<Changed>,
    draft: Bound<Option<Value>>,
    giver: Giver,
    depth: usize,
) -> AnyView {
    let all = Memo::new(move |_| schema.with(|schema| schema.as_ref().map(properties).unwrap_or_default()));
    // Rows are identified by their index, so that typing into one does not make it anew.
    let count = Memo::new(move |_| all.with(Vec::len));
    let draft = StoredValue::new(draft);
    let write = move |properties: Vec<Property>| {
        schema.with_untracked(|schema| with_properties(schema.as_ref(), &properties))
    };
    let add = move |click: MouseEvent| {
        let mut properties = all.get_untracked();
        let schema = Kind::Text.schema(&Value::Null);
        properties.push(Property { key: free_key(&properties), kind: Kind::Text, required: true, schema });
        on_change.run(Changed::Picked(write(properties)));
        name_new_row(&click, "Key");
    };
    let row = move |at: usize| {
        let property = Memo::new(move |_| all.with(|all| all.get(at).cloned()));
        let taken = move |key: &str| {
            all.with_untracked(|all| all.iter().enumerate().any(|(other, own)| other != at && own.key == key))
        };
        let put = move |changed: PropertyChange| {
            let with = |one: Property| {
                let mut properties = all.get_untracked();
                properties.get_mut(at).into_iter().for_each(|own| own.clone_from(&one));
                write(properties)
            };
            on_change.run(match changed {
                PropertyChange::Typed(one) => Changed::Typed(with(one)),
                PropertyChange::Picked(one) => Changed::Picked(with(one)),
                PropertyChange::Named(from, one) => {
                    let to = one.key.clone();
                    Changed::Named(Name { at, from, to }, with(one))
                }
                PropertyChange::Removed => {
                    let mut properties = all.get_untracked();
                    if at >= properties.len() {
                        return;
                    }
                    let Property { key, .. } = properties.remove(at);
                    Changed::Removed(key, write(properties))
                }
            });
        };
        let draft = draft.with_value(|draft| draft.at(&format!("[{at}]")));
        view! { <Row property=property taken=Callback::new(move |key: String| taken(&key)) on_change=put draft=draft giver=giver depth=depth /> }
    };
    view! {
        <div class="schema-rows">
            <For each=move || 0..shown_of(count.get()) key=|at| *at children=row />
            {move || rest_of(count.get())}
            <button class="text-button" type="button" on:click=add>{icon(PLUS)} "Add a key"</button>
        </div>
    }
    .into_any()
}

/// What becomes of a key.
enum PropertyChange {
    Typed(Property),
    Picked(Property),
    /// It was called so before.
    Named(String, Property),
    Removed,
}

#[component]
fn Row(
    property: Memo<Option<Property>>,
    taken: Callback<String, bool>,
    #[prop(into)] on_change: Callback<PropertyChange>,
    draft: Bound<Option<Value>>,
    giver: Giver,
    depth: usize,
) -> impl IntoView {
    let editor = app().editor;
    let name = KeyField::new(editor, draft.draft_key());
    let draft = StoredValue::new(draft);
    let key =
        Memo::new(move |_| property.with(|one| one.as_ref().map(|one| one.key.clone()).unwrap_or_default()));
    let kind = Memo::new(move |_| property.with(|one| one.as_ref().map_or(Kind::Other, |one| one.kind)));
    let required = Memo::new(move |_| property.with(|one| one.as_ref().is_some_and(|one| one.required)));
    let schema = Signal::derive(move || property.with(|one| one.as_ref().map(|one| one.schema.clone())));
    let with = move |change: &dyn Fn(Property) -> PropertyChange| {
        property.get_untracked().into_iter().for_each(|one| on_change.run(change(one)));
    };
    let rename = move |text: String| {
        let is_taken = |text: &str| taken.run(text.to_owned());
        let Some(name) = name.write(text, is_taken, &key.get_untracked()) else { return };
        with(&|one| PropertyChange::Named(one.key.clone(), Property { key: name.clone(), ..one }));
    };
    let pick = move |label: String| {
        let Some(kind) = Kind::called(&label) else { return };
        with(&|one| PropertyChange::Picked(Property { schema: kind.schema(&one.schema), ..one }));
    };
    let describe = move |text: String| {
        with(&|one| PropertyChange::Typed(Property { schema: with_about(&one.schema, &text), ..one }));
    };
    let need = move |on: bool| with(&|one| PropertyChange::Picked(Property { required: on, ..one }));
    let remove = move |_| {
        on_change.run(PropertyChange::Removed);
    };
    let complaint = move || name.complaint("Another key has this name already.");
    // The keys of what is inside are read by a path.
    let hint = move || (depth == 0).then(|| key.with(|key| hint_of(key))).flatten();
    // What is below the key, whose schema another one takes the place of.
    let inside = move |changed: Changed| {
        let put = |schema: Option<Value>| with_properties_of(schema);
        match changed {
            Changed::Typed(schema) | Changed::Named(_, schema) => {
                with(&|one| PropertyChange::Typed(Property { schema: put(schema.clone()), ..one }))
            }
            Changed::Picked(schema) | Changed::Removed(_, schema) => {
                with(&|one| PropertyChange::Picked(Property { schema: put(schema.clone()), ..one }))
            }
        }
    };
    let more = move || {
        match kind.get() {
        Kind::Choice => view! { <Choices schema=schema on_change=inside /> }.into_any(),
        Kind::List => view! { <Items schema=schema on_change=inside draft=draft.get_value() giver=giver depth=depth /> }.into_any(),
        Kind::Object if depth < DEEPEST => {
            view! { <div class="nested"><Keys schema=schema on_change=inside draft=draft.get_value() giver=giver depth=depth + 1 /></div> }.into_any()
        }
        Kind::Object | Kind::Other => view! { <span class="field-hint">"What it holds is said in the JSON."</span> }.into_any(),
        _ => ().into_any(),
    }
    };
    view! {
        <div class="schema-row" role="group" aria-label=move || key.get() class:wrong=move || name.draft().is_some()>
            <div class="schema-head">
                <input class="input code" aria-label="Key" spellcheck="false" prop:value=move || name.draft().unwrap_or_else(|| key.get())
                    on:input=move |event| rename(event_target_value(&event)) on:blur=move |_| name.leave() />
                <select class="input" aria-label="Kind" on:change=move |event| pick(event_target_value(&event))>
                    {move || kinds(giver, kind.get())}
                </select>
                <button class="icon-button" type="button" title="Remove" aria-label="Remove this key" on:click=remove>{icon(CLOSE)}</button>
            </div>
            {below((move || complaint().map(complained), hint))}
            <div class="schema-head">
                <input class="input" aria-label="What it is" placeholder="What it is" title="For people and models" prop:value=move || schema.get().as_ref().map(about).unwrap_or_default()
                    on:input=move |event| describe(event_target_value(&event)) on:blur=move |_| editor.seal() />
                <label class="schema-need"><input type="checkbox" prop:checked=required on:change=move |event| need(event_target_checked(&event)) /> "Required"</label>
            </div>
            {more}
        </div>
    }
}

/// An object's keys may be all gone; it is an object still.
fn with_properties_of(schema: Option<Value>) -> Value {
    schema.unwrap_or_else(|| Kind::Object.schema(&Value::Null))
}

/// The kinds to choose from, and whichever is the present one.
fn kinds(giver: Giver, now: Kind) -> impl IntoView {
    let other = giver.kinds().all(|kind| kind != now).then_some(now);
    giver
        .kinds()
        .chain(other)
        .map(|kind| view! { <option value=kind.label() prop:selected=kind == now>{kind.label()}</option> })
        .collect_view()
}

/// The values of a choice.
#[component]
fn Choices(schema: Signal<Option<Value>>, #[prop(into)] on_change: Callback<Changed>) -> impl IntoView {
    let editor = app().editor;
    // A line that is still empty means nothing, and stays as it is typed.
    let typed = RwSignal::new(None::<String>);
    let text = Signal::derive(move || {
        let schema = schema.get().unwrap_or_default();
        typed.get().filter(|text| with_choices(&schema, text) == schema).unwrap_or_else(|| choices(&schema))
    });
    let write = move |text: String| {
        let changed = with_choices(&schema.get_untracked().unwrap_or_default(), &text);
        typed.set(Some(text));
        on_change.run(Changed::Typed(Some(changed)));
    };
    view! {
        <TextArea label="Choices" value=text on_input=write on_leave=move |()| editor.seal() rows=3 code=true hint="One in each line." />
    }
}

/// What each item of a list is.
#[component]
fn Items(
    schema: Signal<Option<Value>>,
    #[prop(into)] on_change: Callback<Changed>,
    draft: Bound<Option<Value>>,
    giver: Giver,
    depth: usize,
) -> impl IntoView {
    let own = Signal::derive(move || schema.get().as_ref().map(items));
    let kind = Memo::new(move |_| own.with(|own| own.as_ref().map_or(Kind::Other, Kind::of)));
    let put = move |changed: Changed| {
        let around = schema.get_untracked().unwrap_or_default();
        on_change.run(changed.map(|inner| Some(with_items(&around, with_properties_of(inner)))));
    };
    let options = Signal::derive(move || {
        let kind = kind.get();
        let other = giver.kinds().all(|own| own != kind).then_some(kind);
        let all = giver.kinds().filter(|kind| *kind != Kind::List).chain(other);
        all.map(|kind| (kind.label().to_owned(), kind.label().to_owned())).collect::<Vec<_>>()
    });
    let pick = move |label: String| {
        if let Some(kind) = Kind::called(&label) {
            put(Changed::Picked(Some(kind.schema(&own.get_untracked().unwrap_or_default()))));
        }
    };
    let draft = StoredValue::new(draft.at(".items"));
    let more = move || {
        match kind.get() {
        Kind::Choice => view! { <Choices schema=own on_change=put /> }.into_any(),
        Kind::Object if depth < DEEPEST => {
            view! { <div class="nested"><Keys schema=own on_change=put draft=draft.get_value() giver=giver depth=depth + 1 /></div> }.into_any()
        }
        Kind::Object | Kind::Other | Kind::List => view! { <span class="field-hint">"What an item holds is said in the JSON."</span> }.into_any(),
        _ => ().into_any(),
    }
    };
    view! {
        <Choice label="Each item is" value=Signal::derive(move || kind.get().label().to_owned()) options=options on_pick=pick />
        {more}
    }
}
