//! What the workflow has by name, its models, agents and tools: the values of one of them, and when it is shown.

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::document::{Agent, Document, Model, Tool};
use stepweave_core::rename::Named;

use super::bound::Bound;
use super::fold::{has_opened, once_open};
use crate::model::locate::path_of_entry;
use crate::model::problem::Problem;
use crate::page::focus::when_left;
use crate::page::state::{App, app};
use crate::ui::field::TextField;

/// Something that a document has by name.
pub trait Entry: Sized + 'static {
    /// The key of the document under which all of its kind are.
    const TABLE: &'static str;

    /// What people call one.
    const NOUN: &'static str;

    /// What the field is called that has its name.
    const LABEL: &'static str;

    /// The one with this id, as something that has a name.
    fn named(id: &str) -> Named;

    /// All of its kind.
    fn table(document: &Document) -> &IndexMap<String, Self>;

    /// All of its kind, to be changed.
    fn table_mut(document: &mut Document) -> &mut IndexMap<String, Self>;

    /// Where the validator says that it is.
    fn path(id: &str) -> String {
        path_of_entry(Self::TABLE, id)
    }

    /// A value of the one with this id, that the validator calls by this field.
    fn value<T: Default + 'static>(
        id: &str,
        field: &str,
        read: impl Fn(&Self) -> T + Send + Sync + 'static,
        write: impl Fn(&mut Self, T) + Send + Sync + 'static,
    ) -> Bound<T> {
        let path = format!("{}.{field}", Self::path(id));
        let (reader, writer) = (id.to_owned(), id.to_owned());
        Bound::of_workflow(
            path,
            move |document| Self::table(document).get(&reader).map(&read).unwrap_or_default(),
            move |document, value| {
                if let Some(entry) = Self::table_mut(document).get_mut(&writer) {
                    write(entry, value);
                }
            },
        )
    }
}

macro_rules! entries {
    ($($kind:ident in $table:ident is $noun:literal, $label:literal;)+) => {
        $(impl Entry for $kind {
            const TABLE: &'static str = stringify!($table);
            const NOUN: &'static str = $noun;
            const LABEL: &'static str = $label;

            fn named(id: &str) -> Named {
                Named::$kind(id.to_owned())
            }

            fn table(document: &Document) -> &IndexMap<String, Self> {
                &document.$table
            }

            fn table_mut(document: &mut Document) -> &mut IndexMap<String, Self> {
                &mut document.$table
            }
        })+
    };
}

entries! {
    Model in models is "model", "This model is called";
    Agent in agents is "agent", "This agent is called";
    Tool in tools is "tool", "Name of the tool";
}

/// What an entry is called while its name is typed, for what stands above its fields.
#[derive(Clone, Copy)]
pub struct Called(RwSignal<String>);

impl Called {
    /// It is called so by now; the fields below learn where to say what it becomes.
    pub fn provide(name: String) -> RwSignal<String> {
        let called = RwSignal::new(name);
        provide_context(Self(called));
        called
    }
}

/// The fields of an entry, closed until they are opened or something at the entry's path is wrong. Nothing is made of them
/// before: the forms of a hundred tools take a second. What is wrong is shown; that it no longer is, is no reason to close
/// what a person is typing into.
#[component]
pub fn EntryDetails(
    /// What the entry is called.
    name: String,
    /// What is to be known of it while it is closed.
    about: Signal<String>,
    /// Where the validator says that it is.
    path: String,
    /// How its fields stand: as in `entry`, or that and more.
    #[prop(default = "entry")]
    class: &'static str,
    /// Whether it is open.
    #[prop(default = RwSignal::new(false))]
    open: RwSignal<bool>,
    children: Children,
) -> impl IntoView {
    let App { flaws, renamed_entry, .. } = app();
    if renamed_entry.with_untracked(|renamed| renamed.as_ref() == Some(&path)) {
        open.set(true);
    }
    let called = Called::provide(name);
    let entry = path.clone();
    let flawed = Memo::new(move |_| flaws.with(|flaws| flaws.at(None, &path).is_some()));
    Effect::new(move || {
        if flawed.get() {
            open.set(true);
        }
    });
    let toggle = move |event: leptos::ev::Event| open.set(has_opened(&event));
    view! {
        <details class=class data-entry=entry prop:open=open on:toggle=toggle>
            <summary><b>{called}</b><small>{about}</small></summary>
            {once_open(open.into(), children)}
        </details>
    }
}

/// The name of an entry: taken when the field is left, because others name it too and follow.
pub fn name_field<T: Entry>(
    id: &str,
    hint: &'static str,
    flaw: Signal<Option<Problem>>,
    on_renamed: fn(App, &str, String),
) -> impl IntoView + use<T> {
    let app = app();
    let editor = app.editor;
    let typed = RwSignal::new(id.to_owned());
    let id = StoredValue::new(id.to_owned());
    let error = Signal::derive(move || {
        let typed = typed.get();
        let is_other = id.with_value(|id| *id != typed);
        let is_taken = is_other && editor.document.with(|document| T::table(document).contains_key(&typed));
        match typed.as_str() {
            "" => Some(format!("It needs a name, by which others use this {}.", T::NOUN)),
            _ if is_taken => Some(format!("Another {} has this name already.", T::NOUN)),
            _ => None,
        }
    });
    let called = use_context::<Called>();
    let write = move |text: String| {
        typed.set(text.clone());
        if let Some(Called(called)) = called {
            called.set(if error.get_untracked().is_none() { text } else { id.get_value() });
        }
    };
    let leave = move |()| {
        let (to, from) = (typed.get_untracked(), id.get_value());
        if error.get_untracked().is_none() && to != from {
            id.set_value(to.clone());
            when_left(move || {
                editor.rename(T::named(&from), &to);
                // Under another name it is another entry, which stays open.
                app.renamed_entry.set(Some(T::path(&to)));
                on_renamed(app, &from, to);
            });
        }
    };
    view! {
        <TextField label=T::LABEL code=true value=typed on_input=write
            on_leave=leave error=error flaw=flaw hint=hint />
    }
}
