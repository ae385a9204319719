//! What the page's TypeScript does for the builder: runs in a worker, storage, clipboard, files.
//!
//! What takes its time is a promise there and a future here. Options, problems and what is kept cross as values whose
//! shapes are known; documents, events and journals hold data of any kind, and cross as JSON text.

use js_sys::Promise;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

pub use self::code::{CodeField, DocumentField, Port};
pub use self::foreign::{Connection, Foreign, Node, NodeState, Report};
pub use self::store::{
    Absent, Entry, LeftRun, Library, News, Opened, Runs, Store, Stored, StoredRun, Texts, Trouble, Version,
    Versions,
};
pub use self::testing::{Asserted, CaseResult, TestRun, Tested};
pub use self::vault::Vault;

mod code;
mod foreign;
mod store;
mod testing;
mod vault;

/// What a person reads when the page lacks a file of its own.
const NOT_LOADED: &str =
    "A file of the builder that reads it did not come. Look whether you are online, and choose it again.";

/// What a person reads when the page lacks what packs workflows into links.
const LINKS_NOT_LOADED: &str =
    "A file of the builder that reads such links did not come. Look whether you are online, and try again.";

#[wasm_bindgen]
extern "C" {
    /// The object that the page hands in when it mounts the builder.
    #[derive(Clone)]
    pub type Bridge;

    /// A run that has been started.
    #[derive(Clone)]
    pub type RemoteRun;

    /// A place that shows Markdown.
    #[derive(Clone)]
    pub type MarkdownPlace;

    /// Shows this text.
    #[wasm_bindgen(method, js_name = show)]
    pub fn show_markdown(this: &MarkdownPlace, text: &str);

    /// Starts a run. `past` is JSON: the journal that it resumes from, and answers to its approvals.
    #[wasm_bindgen(method, js_name = start)]
    fn start_run(this: &Bridge, document: &str, options: &JsValue, past: &str) -> RemoteRun;

    /// The events since the last call as a JSON array; nothing once the run is over.
    #[wasm_bindgen(method, js_name = next)]
    fn next_events(this: &RemoteRun) -> Promise;

    /// By which name it is stored until it has ended.
    #[wasm_bindgen(method, getter)]
    pub fn stored(this: &RemoteRun) -> String;

    /// Stops it.
    #[wasm_bindgen(method)]
    pub fn cancel(this: &RemoteRun);

    /// Stops it, so that it can be taken up again from where it is.
    #[wasm_bindgen(method)]
    pub fn cut(this: &RemoteRun);

    #[wasm_bindgen(method, js_name = seen)]
    fn seen_by(this: &Bridge, run: &str, key: &str) -> Promise;

    #[wasm_bindgen(method, js_name = validate)]
    fn validate_document(this: &Bridge, document: &str) -> Promise;

    #[wasm_bindgen(method, js_name = probe)]
    fn ask_endpoint(this: &Bridge, document: &str, name: &str, value: &str, origin: &str) -> Promise;

    #[wasm_bindgen(method, js_name = onDevice)]
    fn ask_on_device(this: &Bridge) -> Promise;

    #[wasm_bindgen(method, js_name = offeredRelay)]
    fn ask_for_relay(this: &Bridge, origins: Vec<String>) -> Promise;

    #[wasm_bindgen(method, js_name = nextOrigin)]
    fn wait_for_origin(this: &Bridge) -> Promise;

    #[wasm_bindgen(method, js_name = allow)]
    fn allow_origin(this: &Bridge, origin: &str, how_long: &str, relay: JsValue);

    #[wasm_bindgen(method, js_name = allowed)]
    fn read_allowed(this: &Bridge, without: Option<String>) -> Promise;

    #[wasm_bindgen(method, js_name = readFile)]
    fn read_chosen(this: &Bridge, file: &web_sys::File) -> Promise;

    #[wasm_bindgen(method, js_name = readOpenApi)]
    fn read_open_api(this: &Bridge, text: &str) -> Promise;

    #[wasm_bindgen(method, js_name = listMcp)]
    fn list_mcp(this: &Bridge, server: &JsValue) -> Promise;

    /// Loads what signs people in to MCP servers, so that a click finds it.
    #[wasm_bindgen(method, js_name = prepareSignIn)]
    pub fn prepare_sign_in(this: &Bridge);

    #[wasm_bindgen(method, js_name = signIn)]
    fn begin_sign_in(this: &Bridge, url: &str, client_id: Option<String>) -> Promise;

    /// Gives up a sign-in that waits for the person.
    #[wasm_bindgen(method, js_name = stopSigningIn)]
    pub fn stop_signing_in(this: &Bridge);

    #[wasm_bindgen(method, js_name = markdown)]
    fn make_markdown(this: &Bridge, place: &web_sys::HtmlElement) -> Promise;

    #[wasm_bindgen(method, js_name = readForeign)]
    fn read_foreign(this: &Bridge, text: &str) -> Promise;

    #[wasm_bindgen(method, js_name = linkTo)]
    fn pack_link(this: &Bridge, document: &str) -> Promise;

    #[wasm_bindgen(method, js_name = documentIn)]
    fn unpack_link(this: &Bridge, link: &str) -> Promise;

    #[wasm_bindgen(method, js_name = openApiTools)]
    fn make_open_api(this: &Bridge, text: &str, server: &str, names: Vec<String>, user: &str) -> Promise;

    #[wasm_bindgen(method, js_name = clipboard)]
    fn use_clipboard(this: &Bridge, act: &str) -> Promise;

    #[wasm_bindgen(method, js_name = copy)]
    fn copy_text(this: &Bridge, text: &str) -> Promise;

    /// Where workflows are stored.
    #[wasm_bindgen(method, getter)]
    pub fn store(this: &Bridge) -> Store;

    /// The keys that this device remembers.
    #[wasm_bindgen(method, getter)]
    pub fn vault(this: &Bridge) -> Vault;

    #[wasm_bindgen(method, js_name = idle)]
    fn wait_for_idle(this: &Bridge) -> Promise;

    /// What a person has set for the page by this name; nothing when nothing is remembered.
    #[wasm_bindgen(method)]
    pub fn preference(this: &Bridge, name: &str) -> Option<String>;

    /// Remembers what a person sets for the page by this name, if the browser stores anything.
    #[wasm_bindgen(method)]
    pub fn prefer(this: &Bridge, name: &str, value: &str);

    /// Shows the page `light`, `dark` or as the `system` is, or else the next of these; gives which.
    #[wasm_bindgen(method, js_name = turnLook)]
    pub fn turn_look(this: &Bridge, look: Option<&str>) -> String;

    /// The address of a template's document.
    #[wasm_bindgen(method)]
    pub fn template(this: &Bridge, name: &str) -> String;

    /// Offers a text as a file.
    #[wasm_bindgen(method)]
    pub fn download(this: &Bridge, name: &str, text: &str);

    #[wasm_bindgen(method, js_name = downloadFolder)]
    fn pack_folder(this: &Bridge, name: &str, paths: Vec<String>, texts: Vec<String>) -> Promise;
}

/// What a run may do.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RunOptions {
    /// The keys that the document names. A list, for a name may be one that objects have already.
    pub secrets: Vec<SecretValue>,
    /// Where it may send anything.
    pub allow: Vec<String>,
    /// The step that it begins at; nothing for the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether steps that are pinned give that and are not run.
    pub pins: bool,
    /// The stored run that it takes up again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// Its number among the runs of its workflow; nothing for one that is none of them, of which nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What its requests go through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<Relay>,
}

/// A relay, which sends requests in the page's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relay {
    /// Its address.
    pub url: String,
    /// What callers have to know.
    pub token: String,
    /// Whether keys go through it too.
    #[serde(default)]
    pub secrets: bool,
}

/// A text that was requested of the page, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The text.
    Value(String),
    /// Why there is none, for a person.
    Error(String),
}

/// An MCP server whose tools a person wants to see.
#[derive(Debug, Clone, Serialize)]
pub struct McpServer {
    /// Where it is.
    pub url: String,
    /// What the document calls its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The key itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What the request goes through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<Relay>,
}

/// An OpenAPI description, or why it cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApiReading {
    /// Why it cannot be read.
    pub error: Option<String>,
    /// What it is called.
    pub title: String,
    /// Where it says that it is.
    pub servers: Vec<String>,
    /// Whether somebody may sign in with a user and a password.
    pub signs_in: bool,
    /// All of its operations.
    pub operations: Vec<ApiOperation>,
}

/// An operation of an OpenAPI description.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApiOperation {
    /// The name of its tool.
    pub name: String,
    /// What it does, as HTTP says it.
    pub method: String,
    /// Its path.
    pub path: String,
    /// What it does, in words.
    pub about: String,
    /// Why it cannot be a tool.
    pub left_out: Option<String>,
}

/// Tools of an OpenAPI description, or why there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApiTools {
    /// Why there are none.
    pub error: Option<String>,
    /// The tools of a document as JSON.
    pub tools: String,
    /// The keys that they need.
    pub secrets: Vec<ApiSecret>,
    /// What requests cannot express.
    pub left_out: Vec<ApiLeftOut>,
}

/// A key that requests need.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApiSecret {
    /// What the document calls it.
    pub name: String,
    /// Where it is sent.
    pub origins: Vec<String>,
}

/// What a request cannot express.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApiLeftOut {
    /// Method and path.
    pub operation: String,
    /// What of it; all of it when absent.
    pub part: Option<String>,
    /// Why.
    pub reason: String,
}

/// What a person says of an origin that a run asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Nothing is sent.
    Never,
    /// One request is sent.
    Once,
    /// Requests of this run are sent.
    Run,
    /// Requests of this and all later runs of the workflow are sent, as long as its requests stay as they are.
    Always,
}

/// A key of an endpoint, and where it may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretValue {
    /// What the document calls it.
    pub name: String,
    /// The key itself.
    pub value: String,
    /// The only origins that it is sent to.
    pub origins: Vec<String>,
}

impl Bridge {
    /// Starts a run. `past` is JSON: the journal that it resumes from, and answers to its approvals.
    pub fn start(&self, document: &str, options: &RunOptions, past: &str) -> RemoteRun {
        // Texts and lists of texts always have a value.
        let options = options.serialize(&Serializer::json_compatible()).unwrap_or_default();
        self.start_run(document, &options, past)
    }

    /// The problems of a document as the engine finds them; nothing without an answer.
    pub async fn validate<T: DeserializeOwned>(&self, document: &str) -> Option<T> {
        awaited(self.validate_document(document)).await
    }

    /// Runs a workflow that asks an endpoint whether it works; gives its outcome as JSON.
    pub async fn probe(&self, document: &str, name: &str, value: &str, origin: &str) -> Option<String> {
        awaited(self.ask_endpoint(document, name, value, origin)).await
    }

    /// Makes an element a place that shows Markdown; nothing when the file for it does not come.
    pub async fn markdown(&self, place: &web_sys::HtmlElement) -> Option<MarkdownPlace> {
        JsFuture::from(self.make_markdown(place)).await.ok().map(JsCast::unchecked_into)
    }

    /// The status of the browser's own model: `none`, `unavailable`, `downloadable`, `downloading` or `available`.
    pub async fn on_device(&self) -> Option<String> {
        awaited(self.ask_on_device()).await
    }

    /// Waits until the browser has nothing better to do.
    pub async fn idle(&self) {
        // A promise that only resolves.
        let _ = JsFuture::from(self.wait_for_idle()).await;
    }

    /// The relay of the server that the page comes from; nothing when it has none, or none that reaches these origins.
    pub async fn offered_relay(&self, origins: &[String]) -> Option<Relay> {
        awaited::<Option<Relay>>(self.ask_for_relay(origins.to_vec())).await.flatten()
    }

    /// The state that an execution of a run saw, as JSON; of a run of an earlier visit only where it has sent something.
    pub async fn seen(&self, run: &str, key: &str) -> Option<String> {
        awaited::<Option<String>>(self.seen_by(run, key)).await.flatten()
    }

    /// The next origin that a run asks about.
    pub async fn next_origin(&self) -> Option<String> {
        awaited(self.wait_for_origin()).await
    }

    /// Answers a run that asks about an origin.
    pub fn allow(&self, origin: &str, permission: Permission, relay: Option<&Relay>) {
        let how_long = match permission {
            Permission::Never => "never",
            Permission::Once => "once",
            Permission::Run => "run",
            Permission::Always => "always",
        };
        let relay = relay.and_then(|relay| relay.serialize(&Serializer::json_compatible()).ok());
        self.allow_origin(origin, how_long, relay.unwrap_or_default());
    }

    /// The origins that are always allowed to runs of the open workflow, without this one from now on.
    pub async fn allowed(&self, without: Option<String>) -> Vec<String> {
        awaited(self.read_allowed(without)).await.unwrap_or_default()
    }

    /// What a run takes of a file that a person chose.
    ///
    /// # Errors
    /// Why it cannot be read, for that person.
    pub async fn read_file(&self, file: &web_sys::File) -> Result<Value, String> {
        let read = outcome(self.read_chosen(file), NOT_LOADED).await?;
        serde_json::from_str(&read).map_err(|_| NOT_LOADED.to_owned())
    }

    /// What an OpenAPI description has; nothing when what reads it cannot be loaded.
    pub async fn described(&self, text: &str) -> Option<ApiReading> {
        awaited(self.read_open_api(text)).await
    }

    /// The tools of an MCP server, as the JSON of a document's tools.
    ///
    /// # Errors
    /// Why they could not be listed, for the person who asked.
    pub async fn mcp_tools(&self, server: &McpServer) -> Result<String, String> {
        let server = server.serialize(&Serializer::json_compatible()).unwrap_or_default();
        outcome(
            self.list_mcp(&server),
            "What asks MCP servers did not come. Look whether you are online, and try again.",
        )
        .await
    }

    /// Lets a person sign in to an MCP server, in a window that is open when this returns: browsers open one in a click
    /// alone. Gives the token. `client_id` is how its authorization server knows this page; without one the page
    /// registers itself.
    ///
    /// # Errors
    /// Why there is none, for that person.
    pub fn sign_in(
        &self,
        url: &str,
        client_id: Option<String>,
    ) -> impl Future<Output = Result<String, String>> + use<> {
        outcome(self.begin_sign_in(url, client_id), "Signing in broke off. Try it again.")
    }

    /// A file of another tool as a workflow; nothing where it is none, or what reads it cannot be loaded.
    pub async fn foreign(&self, text: &str) -> Option<Foreign> {
        awaited::<Option<Foreign>>(self.read_foreign(text)).await.flatten()
    }

    /// A link to this page that brings a document along.
    ///
    /// # Errors
    /// Why there is none, for the person who wants to share it.
    pub async fn link_to(&self, document: &str) -> Result<String, String> {
        outcome(self.pack_link(document), LINKS_NOT_LOADED).await
    }

    /// The document that a link brings along.
    ///
    /// # Errors
    /// Why it cannot be read, for the person who has followed it.
    pub async fn document_in(&self, link: &str) -> Result<String, String> {
        outcome(self.unpack_link(link), LINKS_NOT_LOADED).await
    }

    /// Tools of its operations of these names, which go to this server.
    pub async fn api_tools(
        &self,
        text: &str,
        server: &str,
        names: Vec<String>,
        user: &str,
    ) -> Option<ApiTools> {
        awaited(self.make_open_api(text, server, names, user)).await
    }

    /// Copies, cuts or pastes as the browser's own keys do; whether the browser allowed it.
    pub async fn clipboard(&self, act: &str) -> bool {
        awaited(self.use_clipboard(act)).await.unwrap_or_default()
    }

    /// Offers texts, each with its path, as a folder in one packed file; whether what packs it could be loaded.
    pub async fn download_folder(&self, name: &str, files: Vec<(String, String)>) -> bool {
        let (paths, texts) = files.into_iter().unzip();
        awaited(self.pack_folder(name, paths, texts)).await.unwrap_or_default()
    }

    /// Puts a text on the clipboard; whether the browser allowed it.
    pub async fn copy(&self, text: &str) -> bool {
        awaited(self.copy_text(text)).await.unwrap_or_default()
    }
}

impl RemoteRun {
    /// The events since the last call as a JSON array; nothing once the run is over.
    ///
    /// # Errors
    /// Why it could not be run; `None` when that cannot be read either.
    pub async fn next<E: DeserializeOwned>(&self) -> Result<Option<String>, Option<E>> {
        match JsFuture::from(self.next_events()).await {
            Ok(events) => Ok(events.as_string()),
            Err(refusal) => Err(value(refusal)),
        }
    }
}

/// A value whose shape is known; nothing when it has another one.
pub fn value<T: DeserializeOwned>(value: JsValue) -> Option<T> {
    serde_wasm_bindgen::from_value(value).ok()
}

async fn awaited<T: DeserializeOwned>(promise: Promise) -> Option<T> {
    value(JsFuture::from(promise).await.ok()?)
}

/// What comes of a promise; what to say where nothing does.
///
/// # Errors
/// Why there is nothing, for a person.
async fn outcome(promise: Promise, otherwise: &str) -> Result<String, String> {
    match awaited(promise).await {
        Some(Outcome::Value(text)) => Ok(text),
        Some(Outcome::Error(why)) => Err(why),
        None => Err(otherwise.to_owned()),
    }
}
