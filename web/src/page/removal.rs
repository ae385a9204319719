//! Deleting what others may use: then a person is asked first.

use std::collections::HashSet;

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use stepweave_core::document::{Document, Step, every};
use stepweave_core::edit::Edit;
use stepweave_core::rename::{Named, Place, Use, uses};
use wasm_bindgen_futures::spawn_local;

use super::state::{App, Dialog};
use crate::model::fitting::collecting;
use crate::model::renaming::{users_of_key, users_of_steps};
use crate::model::tools;

/// What is to be deleted.
#[derive(Debug, Clone, PartialEq)]
pub enum Going {
    /// Steps, by their ids.
    Steps(Vec<String>),
    /// What an edit of one step takes out of it, such as the steps of a case of a switch.
    Inside {
        /// The ids of the steps that go.
        steps: Vec<String>,
        /// What takes them out.
        edit: Box<Edit>,
    },
    /// An agent, a tool or a model.
    Entry(Named),
    /// A key of a state, where it is given.
    Key {
        /// Whose state.
        place: Place,
        /// The key.
        key: String,
        /// What deletes it.
        edit: Box<Edit>,
    },
}

/// Where something is used: its path, and the id of the step that uses it.
pub type UsedAt = (String, Option<String>);

impl Going {
    /// Who uses it.
    pub fn users(&self, app: App) -> Vec<UsedAt> {
        let found = app.editor.document.with_untracked(|document| match self {
            Self::Steps(ids) | Self::Inside { steps: ids, .. } => {
                let collecting = collecting(document, ids);
                // Those collect something else then.
                let stays = |used: &Use| {
                    !(used.path.ends_with(".result")
                        && used.step.as_ref().is_some_and(|step| collecting.contains(step)))
                };
                users_of_steps(document, ids).into_iter().filter(stays).collect()
            }
            Self::Entry(named) => uses(document, std::slice::from_ref(named)),
            Self::Key { place, key, edit } => users_of_key(document, place, key, edit),
        });
        found.into_iter().map(|used| (used.path, used.step)).collect()
    }

    /// Deletes it, whoever uses it.
    pub fn delete(&self, app: App) {
        match self {
            Self::Steps(ids) => app.editor.remove(ids),
            Self::Entry(named) => app.editor.change_settings(|document| match named {
                Named::Agent(id) => drop(document.agents.shift_remove(id)),
                Named::Model(id) => drop(document.models.shift_remove(id)),
                Named::Tool(name) => tools::remove(document, name),
                Named::Step(_) | Named::Key { .. } => {}
            }),
            Self::Inside { edit, .. } | Self::Key { edit, .. } => app.editor.make((**edit).clone()),
        }
    }
}

/// Deletes something, or asks first where others use it.
pub fn delete(app: App, going: Going) {
    spawn_local(delete_or_ask(app, going));
}

/// The same; it is deleted, or the question is on the page, when this is done.
pub async fn delete_or_ask(app: App, going: Going) {
    // What cannot look for users cannot show them either: the dialog says that its file did not come.
    let is_used = looking().await.map_or(true, |is_used| is_used(&going, app));
    if is_used && !app.editor.following.get_untracked() {
        app.dialog.set(Some(Dialog::Delete { going }));
    } else {
        going.delete(app);
    }
}

/// Makes an edit, and first asks where others use what is in a step and goes with that.
pub fn make(app: App, edit: Edit) {
    let Edit::Replace { step, with } = &edit else { return app.editor.make(edit) };
    let stays: HashSet<&str> = every([with]).map(|step| step.id.as_str()).collect();
    let gone = |before: &Step| -> Vec<String> {
        let ids = every([before]).map(|step| &step.id);
        ids.filter(|id| !stays.contains(id.as_str())).cloned().collect()
    };
    let Some(steps) = app.editor.step(step, gone) else { return };
    match steps.is_empty() {
        true => app.editor.make(edit),
        false => delete(app, Going::Inside { steps, edit: Box::new(edit) }),
    }
}

/// What looks for users comes with the dialogs, which show them.
#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn looking() -> Result<fn(&Going, App) -> bool, SplitLoaderError> {
    Ok(|going, app| !going.users(app).is_empty())
}

/// Takes a row away, and first asks where others use its key, if that is one of a state.
pub fn remove_row(app: App, place: impl FnOnce(&Document) -> Option<Place>, key: String, edit: Option<Edit>) {
    let Some(edit) = edit else { return };
    match app.editor.document.with_untracked(place) {
        Some(place) => delete(app, Going::Key { place, key, edit: Box::new(edit) }),
        None => app.editor.make(edit),
    }
}

/// Deletes steps, or asks first where others use what they give.
pub fn remove(app: App, ids: &[String]) {
    delete(app, Going::Steps(ids.to_vec()));
}
