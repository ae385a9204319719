//! Where workflows are stored: the one that is open in this tab, and the list of all.

use js_sys::Promise;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::awaited;

#[wasm_bindgen]
extern "C" {
    /// The workflow that is open in this tab, and its way to the database.
    #[derive(Clone)]
    pub type Store;

    /// All workflows that are stored in this browser.
    #[derive(Clone)]
    pub type Library;

    /// Documents that were kept by themselves.
    #[derive(Clone)]
    pub type Versions;

    /// Runs that have not ended, and the last one of each workflow that has.
    #[derive(Clone)]
    pub type Runs;

    /// What is kept of each workflow as one text.
    #[derive(Clone)]
    pub type Texts;

    /// The versions of all workflows.
    #[wasm_bindgen(method, getter)]
    pub fn versions(this: &Store) -> Versions;

    /// The runs that are kept.
    #[wasm_bindgen(method, getter)]
    pub fn runs(this: &Store) -> Runs;

    /// The conversations with all workflows.
    #[wasm_bindgen(method, getter)]
    pub fn chats(this: &Store) -> Texts;

    /// The tests of all workflows.
    #[wasm_bindgen(method, getter)]
    pub fn tests(this: &Store) -> Texts;

    #[wasm_bindgen(method, js_name = read)]
    fn read_text(this: &Texts, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = keep)]
    fn keep_text(this: &Texts, workflow: &str, text: &str) -> Promise;

    #[wasm_bindgen(method, js_name = forget)]
    fn forget_text(this: &Texts, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = keep)]
    fn keep_version(this: &Versions, workflow: &str, name: &str, document: &str) -> Promise;

    #[wasm_bindgen(method, js_name = keepOfRun)]
    fn keep_version_of_run(this: &Versions, workflow: &str, document: &str) -> Promise;

    #[wasm_bindgen(method, js_name = list)]
    fn list_versions(this: &Versions, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = read)]
    fn read_version(this: &Versions, workflow: &str, number: f64) -> Promise;

    #[wasm_bindgen(method, js_name = rename)]
    fn rename_version(this: &Versions, workflow: &str, number: f64, name: &str) -> Promise;

    #[wasm_bindgen(method, js_name = remove)]
    fn remove_version(this: &Versions, workflow: &str, number: f64) -> Promise;

    #[wasm_bindgen(method, js_name = restore)]
    fn restore_version(this: &Versions, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = waiting)]
    fn waiting_runs(this: &Runs, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = isGoingOn)]
    fn is_run_going_on(this: &Runs, run: &str) -> Promise;

    #[wasm_bindgen(method, js_name = lastNumber)]
    fn last_number_of_runs(this: &Runs, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = waitedFor)]
    fn waited_for_runs(this: &Runs) -> Promise;

    #[wasm_bindgen(method, js_name = left)]
    fn left_run(this: &Runs, workflow: &str, run: &str) -> Promise;

    #[wasm_bindgen(method, js_name = ended)]
    fn ended_runs(this: &Runs, workflow: &str) -> Promise;

    #[wasm_bindgen(method, js_name = forget)]
    fn forget_run(this: &Runs, workflow: &str, run: &str) -> Promise;

    /// All workflows.
    #[wasm_bindgen(method, getter)]
    pub fn library(this: &Store) -> Library;

    #[wasm_bindgen(method, js_name = enter)]
    fn enter_workflow(this: &Store, id: &str) -> Promise;

    /// A dialog is open: the browser's Back closes it.
    #[wasm_bindgen(method, js_name = dialogOpened)]
    pub fn dialog_opened(this: &Store);

    /// No dialog is open.
    #[wasm_bindgen(method, js_name = dialogClosed)]
    pub fn dialog_closed(this: &Store);

    #[wasm_bindgen(method, js_name = seize)]
    fn seize_turn(this: &Store) -> Promise;

    #[wasm_bindgen(method, js_name = next)]
    fn next_news(this: &Store) -> Promise;

    #[wasm_bindgen(method, js_name = append)]
    fn append_change(this: &Store, text: &str) -> Promise;

    #[wasm_bindgen(method, js_name = snapshot)]
    fn store_snapshot(this: &Store, text: &str, name: &str, picture: &str) -> Promise;

    #[wasm_bindgen(method, js_name = describe)]
    fn describe_workflow(this: &Store, name: &str, picture: &str) -> Promise;

    #[wasm_bindgen(method, js_name = persist)]
    fn ask_to_persist(this: &Store) -> Promise;

    #[wasm_bindgen(method, js_name = list)]
    fn list_entries(this: &Library) -> Promise;

    #[wasm_bindgen(method, js_name = read)]
    fn read_workflow(this: &Library, id: &str) -> Promise;

    #[wasm_bindgen(method, js_name = freeName)]
    fn find_free_name(this: &Library, name: &str) -> Promise;

    #[wasm_bindgen(method, js_name = text)]
    fn stored_text(this: &Library, id: &str) -> Promise;

    #[wasm_bindgen(method, js_name = add)]
    fn add_workflow(this: &Library, name: &str, text: &str, picture: &str) -> Promise;

    #[wasm_bindgen(method, js_name = rename)]
    fn rename_workflow(this: &Library, id: &str, name: &str, change: &str) -> Promise;

    #[wasm_bindgen(method, js_name = delete)]
    fn delete_workflow(this: &Library, id: &str) -> Promise;

    #[wasm_bindgen(method, js_name = restore)]
    fn restore_workflow(this: &Library, id: &str) -> Promise;
}

/// A workflow as a tab finds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Opened {
    /// Its id.
    pub id: String,
    /// All of it at one moment; nothing when it has not been stored yet.
    pub snapshot: Option<String>,
    /// What has happened since.
    pub changes: Vec<String>,
    /// Whether something is stored that the browser does not give back.
    pub damaged: bool,
    /// Whether this tab edits it; otherwise it follows another one.
    pub editing: bool,
    /// Why nothing is stored.
    pub trouble: Option<Trouble>,
    /// Why the workflow that the address names is not this one.
    pub lost: Option<Absent>,
    /// The address of a file of this site that the page is to open.
    pub offered: Option<String>,
}

/// Why a workflow is not in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Absent {
    /// It is deleted, and can be brought back.
    Deleted,
    /// Nothing of it is stored here.
    Unknown,
}

/// Why something is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Trouble {
    /// The browser stores nothing for this page.
    Refused,
    /// A newer version of the page has changed how it is stored.
    Newer,
    /// There is no room left.
    Full,
    /// Another tab has changed the same workflow.
    Conflict,
    /// The browser has thrown away what was stored.
    Gone,
}

/// What a tab learns while a workflow is open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum News {
    /// Another tab has made this change.
    Change(String),
    /// A workflow was opened, or is this tab's to edit now.
    Opened(Opened),
    /// Another tab edits it from now on.
    Following,
    /// Another tab has deleted it.
    Deleted,
    /// Another tab has brought it back.
    Restored,
    /// A run of it that was held elsewhere, as by the page before a reload, is not any more.
    Freed,
    /// Another tab has stored what was said to it.
    Said,
    /// A newer version of the page is there, and files of this one are gone.
    Outdated,
    /// The browser's Back or Forward, or a link, has led to the one of this id.
    Address(String),
    /// Back has led out of the dialog that is open.
    Closed,
    /// Nothing is stored any more.
    Trouble(Trouble),
}

/// A workflow as a list shows it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// When it was last changed, in milliseconds since 1970.
    pub changed_at: f64,
    /// When it was deleted.
    #[serde(default)]
    pub deleted_at: Option<f64>,
    /// Its layout, made small.
    #[serde(default)]
    pub picture: Option<String>,
}

/// A document that was kept by itself, as a list shows it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// Its number in the workflow.
    pub number: f64,
    /// What a person has called it; empty when nobody did.
    pub name: String,
    /// When it was kept, in milliseconds since 1970.
    pub at: f64,
    /// Whether a run made it.
    pub of_run: bool,
}

/// A run as it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredRun {
    /// By which name it is stored.
    pub run: String,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
    /// Its number among the runs of its workflow; 0 where an older page has kept it.
    #[serde(default)]
    pub number: u64,
    /// The document that it runs.
    pub document: String,
    /// The entries of its journal, as a JSON array; of a run that has ended, its events.
    pub entries: String,
    /// Whether it waits for a person.
    pub suspended: bool,
}

/// A run that can be taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LeftRun {
    /// By which name it is stored.
    pub run: String,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
    /// Whether it waits for a person; otherwise it was cut off.
    pub suspended: bool,
    /// The names of the steps that wait, where they are known.
    pub asks: Vec<String>,
    /// When the first of what it asks is over without an answer, in milliseconds since 1970.
    pub until: Option<u64>,
    /// The first words of what it was given, or else of what it asks.
    pub about: String,
}

impl Versions {
    /// Keeps a document that a person has given a name; whether it could be stored.
    pub async fn keep(&self, workflow: &str, name: &str, document: &str) -> bool {
        awaited(self.keep_version(workflow, name, document)).await.unwrap_or_default()
    }

    /// Keeps the document that a run begins with; whether it could be stored.
    pub async fn keep_of_run(&self, workflow: &str, document: &str) -> bool {
        awaited(self.keep_version_of_run(workflow, document)).await.unwrap_or_default()
    }

    /// The versions of a workflow, the newest first.
    pub async fn list(&self, workflow: &str) -> Vec<Version> {
        awaited(self.list_versions(workflow)).await.unwrap_or_default()
    }

    /// The document of a version.
    pub async fn read(&self, workflow: &str, number: f64) -> Option<String> {
        awaited::<Option<String>>(self.read_version(workflow, number)).await.flatten()
    }

    /// Gives a version a name; whether it could be stored.
    pub async fn rename(&self, workflow: &str, number: f64, name: &str) -> bool {
        awaited(self.rename_version(workflow, number, name)).await.unwrap_or_default()
    }

    /// Removes a version; whether it could.
    pub async fn remove(&self, workflow: &str, number: f64) -> bool {
        awaited(self.remove_version(workflow, number)).await.unwrap_or_default()
    }

    /// Brings the version back that was removed last; whether it could.
    pub async fn restore(&self, workflow: &str) -> bool {
        awaited(self.restore_version(workflow)).await.unwrap_or_default()
    }
}

impl Runs {
    /// Whether a tab runs it.
    pub async fn is_going_on(&self, run: &str) -> bool {
        awaited(self.is_run_going_on(run)).await.unwrap_or_default()
    }

    /// The runs of a workflow that wait or were cut off, the newest first; none that a tab runs.
    pub async fn waiting(&self, workflow: &str) -> Vec<LeftRun> {
        awaited(self.waiting_runs(workflow)).await.unwrap_or_default()
    }

    /// The highest number of a run of a workflow that is kept.
    pub async fn last_number(&self, workflow: &str) -> u64 {
        awaited(self.last_number_of_runs(workflow)).await.unwrap_or_default()
    }

    /// The workflow of each run that waits for a person.
    pub async fn waited_for(&self) -> Vec<String> {
        awaited(self.waited_for_runs()).await.unwrap_or_default()
    }

    /// A run that waits or was cut off, with its journal; nothing once another tab runs it, or has ended or discarded it.
    pub async fn left(&self, workflow: &str, run: &str) -> Option<StoredRun> {
        awaited::<Option<StoredRun>>(self.left_run(workflow, run)).await.flatten()
    }

    /// The last runs of a workflow that have ended, the newest first.
    pub async fn ended(&self, workflow: &str) -> Vec<StoredRun> {
        awaited(self.ended_runs(workflow)).await.unwrap_or_default()
    }

    /// Forgets a run.
    pub async fn forget(&self, workflow: &str, run: &str) {
        // A run that is still there is offered again.
        let _: Option<()> = awaited(self.forget_run(workflow, run)).await;
    }
}

impl Texts {
    /// That of a workflow; nothing where it has none.
    pub async fn read(&self, workflow: &str) -> Option<String> {
        awaited::<Option<String>>(self.read_text(workflow)).await.flatten()
    }

    /// Stores it; it is on its way when this returns, and the future tells whether it could be done.
    pub fn keep(&self, workflow: &str, text: &str) -> impl Future<Output = bool> + use<> {
        let keeping = self.keep_text(workflow, text);
        async move { awaited(keeping).await.unwrap_or_default() }
    }

    /// Forgets it.
    pub fn forget(&self, workflow: &str) -> impl Future<Output = ()> + use<> {
        let forgetting = self.forget_text(workflow);
        async move {
            // What cannot be removed goes with its workflow.
            let _: Option<()> = awaited(forgetting).await;
        }
    }
}

/// What is stored of a workflow that is not open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Stored {
    /// All of it at one moment.
    pub snapshot: String,
    /// What has happened since.
    pub changes: Vec<String>,
}

impl Store {
    /// Opens a workflow in this tab instead of the one before.
    pub async fn enter(&self, id: &str) -> Option<Opened> {
        awaited(self.enter_workflow(id)).await
    }

    /// Edits the open workflow here; the tab that does so now follows.
    pub async fn seize(&self) -> Option<Opened> {
        awaited(self.seize_turn()).await
    }

    /// What has happened since the last call: waits until something has.
    pub async fn next(&self) -> Option<News> {
        awaited(self.next_news()).await
    }

    /// Stores a change of the open workflow. It is on its way when this returns; the future tells how it went.
    pub fn append(&self, text: &str) -> impl Future<Output = Option<Trouble>> + use<> {
        stored(self.append_change(text))
    }

    /// Stores all of the open workflow, instead of the changes that led to it.
    pub fn snapshot(
        &self,
        text: &str,
        name: &str,
        picture: &str,
    ) -> impl Future<Output = Option<Trouble>> + use<> {
        stored(self.store_snapshot(text, name, picture))
    }

    /// Stores what a list says of the open workflow.
    pub async fn describe(&self, name: &str, picture: &str) -> Option<Trouble> {
        stored(self.describe_workflow(name, picture)).await
    }

    /// Asks the browser not to throw away what is stored when it needs room; whether it agreed.
    pub async fn persist(&self) -> bool {
        awaited(self.ask_to_persist()).await.unwrap_or_default()
    }
}

impl Library {
    /// The name, or the name with the first number behind it, that no workflow has.
    pub async fn free_name(&self, name: &str) -> String {
        awaited::<Option<String>>(self.find_free_name(name))
            .await
            .flatten()
            .unwrap_or_else(|| name.to_owned())
    }

    /// Every workflow, the one that was changed last first.
    pub async fn list(&self) -> Vec<Entry> {
        awaited(self.list_entries()).await.unwrap_or_default()
    }

    /// What is stored of a workflow.
    pub async fn read(&self, id: &str) -> Option<Stored> {
        awaited::<Option<Stored>>(self.read_workflow(id)).await.flatten()
    }

    /// All that is stored of a workflow as a file has it, whether it can be read or not.
    pub async fn text(&self, id: &str) -> Option<String> {
        awaited::<Option<String>>(self.stored_text(id)).await.flatten()
    }

    /// Stores a new workflow; gives its id.
    pub async fn add(&self, name: &str, text: &str, picture: &str) -> Option<String> {
        awaited::<Option<String>>(self.add_workflow(name, text, picture)).await.flatten()
    }

    /// Gives a workflow that is not open another name, by a change of its document; whether it could be stored.
    pub async fn rename(&self, id: &str, name: &str, change: &str) -> bool {
        awaited(self.rename_workflow(id, name, change)).await.unwrap_or_default()
    }

    /// Deletes a workflow, which can be restored for a while; whether it could be stored.
    pub async fn delete(&self, id: &str) -> bool {
        awaited(self.delete_workflow(id)).await.unwrap_or_default()
    }

    /// Brings a deleted workflow back; whether it could be stored.
    pub async fn restore(&self, id: &str) -> bool {
        awaited(self.restore_workflow(id)).await.unwrap_or_default()
    }
}

async fn stored(promise: Promise) -> Option<Trouble> {
    // A promise that is rejected says that nothing was stored either.
    awaited::<Option<Trouble>>(promise).await.unwrap_or(Some(Trouble::Refused))
}
