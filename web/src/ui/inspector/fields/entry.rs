//! What the workflow has by name, its models, agents and tools: the values of one of them, and when it is shown.

use indexmap::IndexMap;
use leptos::html::Details;
use leptos::prelude::*;
use stepweave_core::document::{Agent, Document, Model, Tool};

use super::bound::Bound;
use crate::model::locate::path_of_entry;
use crate::page::state::app;

/// Something that a document has by name.
pub trait Entry: Sized + 'static {
    /// The key of the document under which all of its kind are.
    const TABLE: &'static str;

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
    ($($kind:ident in $table:ident;)+) => {
        $(impl Entry for $kind {
            const TABLE: &'static str = stringify!($table);

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
    Model in models;
    Agent in agents;
    Tool in tools;
}

/// For the details of an entry: they open when something at its path is wrong. What is wrong is shown; that it no
/// longer is, is no reason to close what a person is typing into.
pub fn opened_by_flaws(path: String) -> NodeRef<Details> {
    let flaws = app().flaws;
    let node = NodeRef::<Details>::new();
    let flawed = Memo::new(move |_| flaws.with(|flaws| flaws.at(None, &path).is_some()));
    Effect::new(move || {
        if let (true, Some(node)) = (flawed.get(), node.get()) {
            node.set_open(true);
        }
    });
    node
}
