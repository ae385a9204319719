//! What all components of the page share.

use indexmap::IndexMap;
use leptos::prelude::*;
use serde::Deserialize;
use stepweave_core::document::Document;

use super::camera::Camera;
use super::chunk::Chunk;
use super::pointer_state::PointerState;
use crate::bridge::Bridge;
use crate::geometry::Point;
use crate::layout::Place;
use crate::model::editor::Editor;
use crate::model::problem::{Flaws, Problem};
use crate::run::runner::Runner;
use crate::tools::Tool;

/// Everything that the components of the page share. It is passed down as context.
#[derive(Clone, Copy)]
pub struct App {
    /// The open document.
    pub editor: Editor,
    /// Where the canvas looks.
    pub camera: Camera,
    /// The run that is shown.
    pub runner: Runner,
    /// The canvas and the keys held on it.
    pub pointer: PointerState,
    /// What the pointer does.
    pub tool: RwSignal<Tool>,
    /// The dialog that is open.
    pub dialog: RwSignal<Option<Dialog>>,
    /// What the panel below the canvas shows, when it is open.
    pub panel: RwSignal<Option<Panel>>,
    /// The slot that a kind is being picked for, and where on the screen.
    pub picking: RwSignal<Option<(Place, Point)>>,
    /// What is wrong with the document.
    pub problems: RwSignal<Vec<Problem>>,
    /// The same by steps and fields.
    pub flaws: RwSignal<Flaws>,
    /// Whether the outline is shown instead of the palette.
    pub outlined: RwSignal<bool>,
    /// Whether the inspector is open, where it does not have its own column.
    pub inspecting: RwSignal<bool>,
    /// Whether the inspector shows what is seldom set.
    pub more: RwSignal<bool>,
    /// The same for agents.
    pub more_of_agents: RwSignal<bool>,
    /// The tool whose fields a person opened.
    pub opened_tool: RwSignal<Option<String>>,
    /// Whether the last change is stored.
    pub saved: RwSignal<Saved>,
    /// Workflows that other tabs have left behind.
    pub left: RwSignal<Vec<Left>>,
    /// Whether keys that write a character are shortcuts.
    pub single_keys: RwSignal<bool>,
    /// Keys of endpoints, by the secret's name. They live here and nowhere else.
    pub keys: RwSignal<IndexMap<String, Key>>,
    /// Origins that the person has agreed to send prompts to.
    pub agreed: RwSignal<Vec<String>>,
    /// What was pasted into the import dialog; it stays until it has been opened.
    pub pasted: RwSignal<String>,
    /// What comes in files of their own.
    pub chunks: Chunks,
    /// What the page's TypeScript does.
    pub bridge: StoredValue<Bridge, LocalStorage>,
}

/// Parts of the page that come in files of their own, once the first card is shown.
#[derive(Clone, Copy)]
pub struct Chunks {
    /// What is in the inspector.
    pub inspector: Chunk<fn() -> AnyView>,
    /// What is in the dialogs.
    pub dialogs: Chunk<fn(Dialog) -> AnyView>,
}

/// A workflow that another tab has left behind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Left {
    /// Where it is kept.
    pub place: String,
    /// What people call it.
    pub name: String,
}

/// A dialog of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Where models are, and their keys.
    Endpoint {
        /// The model that is shown; the first one when absent.
        model: Option<String>,
        /// What a person came for.
        field: EndpointField,
    },
    /// Bring a workflow in.
    Import,
    /// Take the workflow along.
    Export,
    /// What the keyboard does.
    Keys,
    /// May a run send prompts to these origins?
    Agree {
        /// The origins.
        origins: Vec<String>,
        /// The step that the run begins at; nothing for the first one.
        from: Option<String>,
    },
}

/// What a person opens the endpoint dialog for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointField {
    /// Nothing in particular.
    Any,
    /// The key.
    Key,
}

impl Dialog {
    /// Where models are, beginning with the first.
    pub const ENDPOINTS: Self = Self::Endpoint { model: None, field: EndpointField::Any };
}

/// What the panel below the canvas shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// The run.
    Run,
    /// What is wrong with the document.
    Problems,
}

/// Whether the last change is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// It is.
    Yes,
    /// It will be in a moment.
    Soon,
    /// This browser does not let the page store anything.
    Refused,
}

/// A key and where it may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The key itself.
    pub value: String,
    /// The only origin that it is sent to.
    pub origin: String,
}

impl App {
    /// The worst problem of a step; follows the list of problems.
    pub fn problem_of(&self, id: &str) -> Option<String> {
        self.flaws.with(|flaws| flaws.of_step(id).map(|problem| problem.message.clone()))
    }

    /// The worst problem of a field of the workflow itself.
    pub fn flaw(&self, field: &'static str) -> Signal<Option<Problem>> {
        let flaws = self.flaws;
        Memo::new(move |_| flaws.with(|flaws| flaws.at(None, field).cloned())).into()
    }
}

/// The shared state, from the context.
pub fn app() -> App {
    expect_context()
}

/// The document as a file has it.
pub fn document_text(document: &Document) -> String {
    // A document is plain data with text keys, which always has a JSON form.
    serde_json::to_string_pretty(document).unwrap_or_default()
}
