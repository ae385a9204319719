//! The views around the canvas, which come in a file of their own once the first card is shown.

use leptos::prelude::*;
use leptos::wasm_split::{SplitLoaderError, wasm_split};

use super::announcer::Announcer;
use super::elsewhere::RunElsewhere;
use super::inspector::Fields;
use super::launch;
use super::menu::opened::Opened;
use super::note::Field;
use super::outline::Outline;
use super::panel::Content;
use super::retrying::Retrying;
use super::waiting::Waiting;
use crate::canvas::picker::Picker;
use crate::model::conversations::conversations;
use crate::model::{half_written, keeping};
use crate::page::state::Views;

/// The views, and what only they need of the workflow.
#[wasm_split(views, fallible, wasm_split_path = leptos::wasm_split)]
pub fn views() -> Result<Views, SplitLoaderError> {
    Ok(Views {
        inspector: || view! { <Fields /> }.into_any(),
        outline: || view! { <Outline /> }.into_any(),
        panel: || view! { <Content /> }.into_any(),
        announcer: || view! { <Announcer /> }.into_any(),
        conversations,
        menu: |menu| view! { <Opened menu=menu /> }.into_any(),
        picker: |at| view! { <Picker at=at /> }.into_any(),
        note: |note| view! { <Field note=note /> }.into_any(),
        elsewhere: |name| view! { <RunElsewhere name=name /> }.into_any(),
        waiting: || view! { <Waiting /> }.into_any(),
        undo: half_written::undo,
        redo: half_written::redo,
        retrying: |at| view! { <Retrying at=at /> }.into_any(),
        go_on: launch::go_on,
        keep: |app| app.editor.append_step(app.editor.document.with_untracked(keeping::step)),
    })
}
