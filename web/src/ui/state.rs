//! What all components of the page share.

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::document::{Document, Model, Provider};

use super::autosave::Left;
use super::chunk::Chunk;
use crate::bridge::Bridge;
use crate::canvas::camera::Camera;
use crate::canvas::layout::Place;
use crate::canvas::pointer::PointerState;
use crate::geometry::Point;
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

/// The origins that a run of the document sends prompts to.
pub fn origins(document: &Document) -> Vec<String> {
    let named = document.agents.values().flat_map(|agent| [&agent.model].into_iter().chain(&agent.fallbacks));
    let real = named.filter_map(|id| document.models.get(id)).filter(|model| is_endpoint(model.provider));
    let at = |model: &Model| origin_of(model.base_url.as_deref().unwrap_or(model.provider.base_url()));
    let mut found: Vec<String> = real.filter_map(at).collect();
    found.sort();
    found.dedup();
    found
}

/// Whether models of this provider are called over the network.
pub fn is_endpoint(provider: Provider) -> bool {
    !matches!(provider, Provider::Demo | Provider::Custom)
}

/// The scheme, host and port of an address; nothing when it is none that can be called.
pub fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "https" && scheme != "http" {
        return None;
    }
    // Anything but plain names and numbers can be read in many ways: no address that is shown may differ from the one
    // that is called. Names in other scripts have a plain form too, `xn--…`.
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:[]".contains(letter);
    let host =
        rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty() && host.chars().all(is_plain))?;
    let host = host.to_ascii_lowercase();
    let default = if scheme == "https" { ":443" } else { ":80" };
    Some(format!("{scheme}://{}", host.strip_suffix(default).unwrap_or(&host)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sends_to_the_places_of_all_its_models() {
        let document = serde_json::json!({ "version": 1, "name": "t", "steps": [],
            "models": {
                "own": { "provider": "anthropic", "model": "m" },
                "next": { "provider": "openai", "model": "m", "baseUrl": "http://localhost:8080/v1" },
                "demo": { "provider": "demo", "model": "demo" },
                "unused": { "provider": "groq", "model": "m" },
                "far": { "provider": "azure", "model": "m" }
            },
            "agents": { "a": { "model": "own", "fallbacks": ["next", "demo"] }, "b": { "model": "far" } } });
        let found = origins(&serde_json::from_value(document).unwrap());
        assert_eq!(found, ["http://localhost:8080", "https://api.anthropic.com"]);
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert_eq!(origin_of("https://API.openai.com/v1").as_deref(), Some("https://api.openai.com"));
        assert_eq!(origin_of("http://localhost:8080/v1").as_deref(), Some("http://localhost:8080"));
        assert_eq!(origin_of("https://example.com:443/").as_deref(), Some("https://example.com"));
        for wrong in [
            "localhost:8080",
            "ftp://example.com",
            "https://",
            "https://me@example.com/",
            "https://api.openai.com\\.evil.test/v1",
            "https://ev\til.test",
            "https://%65vil.test",
        ] {
            assert_eq!(origin_of(wrong), None, "{wrong}");
        }
    }
}
