//! What all components of the page share.

use std::sync::Arc;

use indexmap::IndexMap;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepweave_core::document::{Document, Model, Provider};
use stepweave_core::json;
use web_sys::KeyboardEvent;

use super::camera::Camera;
use super::chat::Chat;
use super::chunk::Chunk;
use super::division::Division;
use super::noting::OpenNote;
use super::pointer_state::PointerState;
use super::removal::Going;
use crate::bridge::{Bridge, LeftRun, Relay, Report, Trouble};
use crate::geometry::Point;
use crate::layout::Place;
use crate::model::conversations::Conversation;
use crate::model::editor::Editor;
use crate::model::problem::{Flaws, Problem};
use crate::run::runner::Runner;
use crate::run::trials::Trials;
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
    /// What is said to it.
    pub chat: Chat,
    /// Whether something was written into a field since the run that is shown began, or went on.
    pub has_written: StoredValue<bool>,
    /// What was pressed for the dialog, or the form, that is about to be shown.
    pub early_keys: StoredValue<Vec<KeyboardEvent>, LocalStorage>,
    /// Whether the person wants to answer the run that is taken up, and is led to its form.
    pub answering: StoredValue<bool>,
    /// Requests that are tried.
    pub trials: Trials,
    /// What the pointer does.
    pub tool: RwSignal<Tool>,
    /// The dialog that is open.
    pub dialog: RwSignal<Option<Dialog>>,
    /// What the panel below the canvas shows, when it is open.
    pub panel: RwSignal<Option<Panel>>,
    /// The slot that a kind is being picked for, and where on the screen.
    pub picking: RwSignal<Option<(Place, Point)>>,
    /// The menu that is open.
    pub menu: RwSignal<Option<Menu>>,
    /// Whether something is searched for in the texts of the workflow.
    pub finding: RwSignal<bool>,
    /// What is wrong with the document.
    pub problems: RwSignal<Vec<Problem>>,
    /// The same by steps and fields.
    pub flaws: RwSignal<Flaws>,
    /// Whether the JSON of the workflow lies over the canvas.
    pub as_json: RwSignal<bool>,
    /// Whether the outline is shown instead of the palette.
    pub outlined: RwSignal<bool>,
    /// Whether the minimap is shown where there is more than the canvas shows.
    pub mapped: RwSignal<bool>,
    /// Whether the inspector is open, where it does not have its own column.
    pub inspecting: RwSignal<bool>,
    /// Whether the inspector shows what is seldom set.
    pub more: RwSignal<bool>,
    /// The agent of which it shows that; empty for none.
    pub more_of_agent: RwSignal<String>,
    /// The same for requests.
    pub more_of_requests: RwSignal<bool>,
    /// The tool whose fields a person opened.
    pub opened_tool: RwSignal<Option<String>>,
    /// The agent, model or tool that was renamed last, by its path.
    pub renamed_entry: RwSignal<Option<String>>,
    /// Whether the last change is stored.
    pub saved: RwSignal<Saved>,
    /// The id of the open workflow.
    pub workflow: RwSignal<String>,
    /// Why changes are not stored.
    pub trouble: RwSignal<Option<Trouble>>,
    /// A stored workflow that cannot be read.
    pub unreadable: RwSignal<Option<Lost>>,
    /// The runs of the open workflow that can be taken up again, the newest first.
    pub waiting: RwSignal<Vec<LeftRun>>,
    /// The steps that give what the name under the caret reads, by their ids.
    pub lit: RwSignal<Vec<String>>,
    /// Whether keys that write a character are shortcuts.
    pub single_keys: RwSignal<bool>,
    /// Keys of endpoints, by the secret's name. They live here and nowhere else.
    pub keys: RwSignal<IndexMap<String, Key>>,
    /// Whether this device remembers keys, and whether they are unlocked.
    pub remembered: RwSignal<Remembered>,
    /// Origins that the person has agreed to send prompts and requests to.
    pub agreed: RwSignal<Vec<String>>,
    /// What runs are given to begin with.
    pub given: RwSignal<Given>,
    /// Whether runs use pinned outputs, by the workflows for which the person has chosen.
    pub pins: RwSignal<Vec<(String, bool)>>,
    /// What requests go through. Its token lives here and nowhere else.
    pub relay: RwSignal<Option<Relay>>,
    /// Whether a person has said what requests go through.
    pub relay_chosen: RwSignal<bool>,
    /// What was pasted into the import dialog; it stays until it has been opened.
    pub pasted: RwSignal<String>,
    /// How the page is divided.
    pub division: Division,
    /// What comes in files of their own.
    pub chunks: Chunks,
    /// What the page's TypeScript does.
    pub bridge: StoredValue<Bridge, LocalStorage>,
}

/// Parts of the page that come in files of their own, once the first card is shown.
#[derive(Clone, Copy)]
pub struct Chunks {
    /// The views around the canvas.
    pub views: Chunk<Views>,
    /// What is in the dialogs.
    pub dialogs: Chunk<fn(Dialog) -> AnyView>,
}

/// The views around the canvas, and what only they need of a workflow.
#[derive(Debug, Clone, Copy)]
pub struct Views {
    /// What is in the inspector.
    pub inspector: fn() -> AnyView,
    /// The outline.
    pub outline: fn() -> AnyView,
    /// What is in the panel.
    pub panel: fn() -> AnyView,
    /// What screen readers say of the run.
    pub announcer: fn() -> AnyView,
    /// The conversations that a workflow has.
    pub conversations: fn(&Document) -> Vec<Conversation>,
    /// The menu that is open.
    pub menu: fn(Menu) -> AnyView,
    /// The kinds to pick from where a step is added.
    pub picker: fn(Point) -> AnyView,
    /// The field that a note is written in.
    pub note: fn(OpenNote) -> AnyView,
    /// The banner of a run of another workflow than the open one.
    pub elsewhere: fn(String) -> AnyView,
    /// The banner of the runs that earlier visits have left.
    pub waiting: fn() -> AnyView,
    /// Takes the last change back, or what is half written in a field.
    pub undo: fn(&Editor),
    /// Makes it again.
    pub redo: fn(&Editor),
    /// How long a step still waits that tries again at this time.
    pub retrying: fn(f64) -> AnyView,
    /// Has a run go on that a person has agreed to send.
    pub go_on: fn(App, Sends),
    /// Adds a step that keeps some items of a list.
    pub keep: fn(App),
}

/// What runs are given to begin with. It lives here, and in the journals of runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// The values that were given last.
    pub values: Map<String, Value>,
    /// The schema that they were just given for, until a run has begun with them.
    pub fresh: Option<Value>,
    /// The schema that they were given for.
    pub asked: Option<Value>,
    /// What was typed into the form for a schema that was closed without a run.
    pub typed: Option<Typed>,
}

/// What stands in the form for the values of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Typed {
    /// The schema that the form is for.
    pub schema: Value,
    /// The text of each field.
    pub texts: Vec<String>,
    /// All of it as JSON, where a person has asked for that.
    pub written: Option<String>,
}

/// A menu of what can be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Menu {
    /// With what.
    pub of: MenuOf,
    /// Where on the page it opens.
    pub at: Point,
}

/// With what something can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum MenuOf {
    /// The selected steps.
    Steps,
    /// The selected steps and the containers that they can go into.
    Wraps,
    /// A slot.
    Slot(Place),
    /// The canvas.
    Canvas,
}

/// A stored workflow that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Its id.
    pub id: String,
}

/// A text to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// What the file is called; nothing where it is none.
    pub name: String,
    /// Its text, or a link.
    pub text: String,
}

/// A dialog of the page.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// Where models are, and their keys.
    Endpoint {
        /// The model that is shown; the first one when absent.
        model: Option<String>,
        /// What a person came for.
        field: EndpointField,
    },
    /// Every workflow that is stored.
    Library,
    /// The versions of the open workflow.
    Versions,
    /// The tests of the open workflow.
    Tests,
    /// Everything that can be done or gone to.
    Search,
    /// Find and replace, which is no dialog of its own: it stands over the canvas.
    Find,
    /// The workflow as JSON, which is none either: it takes the place of the canvas.
    Json,
    /// Bring a workflow in.
    Import {
        /// What was dropped on the page.
        dropped: Vec<Dropped>,
        /// Why files that were dropped with it cannot be read; empty where all can be.
        refused: String,
    },
    /// A workflow that a link brings along.
    Shared {
        /// The workflow.
        document: Arc<Document>,
    },
    /// What became of a file that another tool wrote.
    Imported {
        /// What became of each part of it.
        report: Arc<Report>,
    },
    /// Every template.
    Templates,
    /// Take the workflow along.
    Export,
    /// Delete something that others use?
    Delete {
        /// What is to be deleted.
        going: Going,
    },
    /// The values that the next run is given.
    Given {
        /// The run.
        start: Start,
        /// The schema of the values.
        schema: Value,
    },
    /// What the keyboard does.
    Keys,
    /// Unlock the keys that this device remembers, before something that needs some?
    Unlock {
        /// What needs them.
        sends: Sends,
    },
    /// What requests go through.
    Relay,
    /// Values for a request that is tried, and whether it may be sent.
    Try {
        /// What sends it.
        key: String,
        /// The relay that it may go through instead, where nobody has chosen yet.
        offer: Option<Relay>,
    },
    /// Operations of an OpenAPI description.
    OpenApi {
        /// What they are chosen for.
        goal: OperationsFor,
        /// What was dropped on the page meanwhile: the text of a file.
        dropped: Option<String>,
    },
    /// Tools of an MCP server.
    McpServer {
        /// The agent that may call them; no agent when absent.
        agent: Option<String>,
    },
    /// May the run send a request to this origin, to which its data leads?
    NewOrigin {
        /// The origin.
        origin: String,
        /// The relay that the request may go through instead, where nobody has chosen yet.
        offer: Option<Relay>,
    },
    /// May a run send prompts to these origins?
    Agree {
        /// The origins.
        origins: Vec<String>,
        /// What sends.
        sends: Sends,
        /// The relay that requests may go through instead, where nobody has chosen yet.
        offer: Option<Relay>,
    },
}

/// A run that a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// All of the workflow.
    Whole,
    /// From this step on, with what the shown run has of those before it.
    From(String),
    /// A turn of a conversation: what stands in the message box is said.
    Said,
}

/// What sends prompts and requests, once a person has agreed to where and has unlocked the keys for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Sends {
    /// A run that begins.
    Run(Start),
    /// A stored run that is taken up again.
    TakenUp(String),
    /// A run that goes on with an answer to what it asks by this key.
    Answered {
        /// The key.
        key: String,
        /// The answer.
        answer: Value,
    },
    /// A request that is tried, by what sends it.
    Tried(String),
    /// Tests of the workflow.
    Tested,
}

/// What operations of an OpenAPI description are chosen for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationsFor {
    /// Tools that this agent may call; no agent when absent.
    Tools(Option<String>),
    /// The request that the step of this id sends.
    Step(String),
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

    /// Operations of an OpenAPI description that is still to be chosen.
    pub const fn operations(goal: OperationsFor) -> Self {
        Self::OpenApi { goal, dropped: None }
    }

    /// Bring a workflow in.
    pub const IMPORT: Self = Self::Import { dropped: Vec::new(), refused: String::new() };
}

/// What the panel below the canvas shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// The run.
    Run,
    /// What is wrong with the document.
    Problems,
    /// What is said to the workflow.
    Chat,
}

/// Whether the last change is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// It is.
    Yes,
    /// It will be in a moment.
    Soon,
    /// It cannot be; a banner says why.
    Refused,
    /// Another tab has deleted the workflow.
    Deleted,
}

/// Whether this device remembers keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remembered {
    /// It does not.
    No,
    /// It does, and nobody has given their passphrase in this visit.
    Locked,
    /// The same, and a person has said that they go without them.
    LeftLocked,
    /// It does, and they are in memory.
    Yes,
}

/// A key and where it may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The key itself.
    pub value: String,
    /// The only origins that it is sent to.
    pub origins: Vec<String>,
}

impl App {
    /// Whether a run uses the pinned outputs that there are. Until the person chooses, that is so as long as no real
    /// model is called; follows the document and the choice.
    pub fn uses_pins(&self) -> bool {
        let chosen = self.pins.with(|pins| {
            self.workflow
                .with(|open| pins.iter().find(|(workflow, _)| workflow == open).map(|(_, used)| *used))
        });
        self.editor.document.with(|document| {
            let is_demo = |model: &Model| model.provider == Provider::Demo;
            !document.pins.is_empty() && chosen.unwrap_or_else(|| document.models.values().all(is_demo))
        })
    }

    /// The worst problem of a step; follows the list of problems.
    pub fn problem_of(&self, id: &str) -> Option<Problem> {
        self.flaws.with(|flaws| flaws.of_step(id).cloned())
    }

    /// The steps that move when this one is dragged: all that are selected, if it is one of them.
    pub fn moved_with(&self, step: &str) -> Vec<String> {
        let selected = self.editor.selection.with_untracked(|all| all.contains(step).then(|| all.to_vec()));
        selected.unwrap_or_else(|| vec![step.to_owned()])
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

/// The document as others get it: what is pinned is for the trials of whoever works on it.
pub fn exported(document: &Document) -> Document {
    Document { pins: Map::new(), ..document.clone() }
}

/// The document as the engine reads it.
pub fn document_text(document: &Document) -> String {
    // A document is plain data with text keys, which always has a JSON form.
    json::text(document)
}

/// The document as a person reads it, and as a file has it.
pub fn document_file(document: &Document) -> String {
    // Through plain data: so nothing of a document is compiled once more for the lines of a file.
    serde_json::to_value(document).map(|value| json::lines(&value)).unwrap_or_default()
}
