//! A scenario file: what is run, what the world answers, and what is expected.

use std::collections::BTreeMap;
use std::ops::Not;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One file of `tests/scenarios`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// What a user can rely on.
    pub title: String,
    /// Set where only the package has the rule that is shown; says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_package: Option<String>,
    /// The document, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
    /// The document, as a text that may not be JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_text: Option<String>,
    /// The document, as so many sequences in each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nested: Option<usize>,
    /// The run's own input.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub state: Map<String, Value>,
    /// Secrets as the caller gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Value>,
    /// For each function of the host, what its calls do, in order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub handlers: BTreeMap<String, Vec<Action>>,
    /// What the network answers: for each request the first answer that fits and is not used yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<HttpAnswer>,
    /// When the run is cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_at_ms: Option<u64>,
    /// What people answer, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, Value>,
    /// Whether the pins of the document are used.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub pins: bool,
    /// Further runs over the journal of the first; with any, a journal is kept from the beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Again>,
    /// What comes out. `UPDATE_SCENARIOS=1 cargo test -p stepweave-tests` writes it; where `onlyPackage` is set,
    /// `UPDATE_SCENARIOS=1 node tests/runtimes/run.mjs` does.
    #[serde(default)]
    pub expect: Value,
}

/// A further run over the journal of those before it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Again {
    /// `resume`, `edit` or `strict`; `resume` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// The id of the step from which on everything is run anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// `refuse` or `anew`: what is done about answers to other questions; `refuse` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_mismatch: Option<String>,
    /// What people answer, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, Value>,
    /// Whether the pins of the document are used, where it is a run of its own; one that is taken up keeps its own.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub pins: bool,
    /// Another document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
    /// How many milliseconds pass before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
}

/// What one call of a function does.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Action {
    /// How long it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// The value it returns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Value>,
    /// The message of the error it throws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throws: Option<String>,
    /// The code of the error; it is no error of the package's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether the error says that another attempt may succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// Something that only JavaScript can do: see `tests/runtimes/actions.mjs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub does: Option<String>,
}

/// What the network answers to one request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpAnswer {
    /// A text that the request's address or its body has in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The status; 200 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The headers; `content-type: text/event-stream` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// The body, cut where the network cuts it.
    #[serde(default)]
    pub chunks: Vec<String>,
    /// How long each chunk takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_ms: Option<u64>,
}

impl Scenario {
    /// Every scenario with its path, by name.
    pub fn all() -> Vec<(PathBuf, Scenario)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("tests/scenarios is there")
            .map(|entry| entry.expect("the folder can be read").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        paths.into_iter().map(|path| (path.clone(), Scenario::read(&path))).collect()
    }

    fn read(path: &Path) -> Scenario {
        let text = std::fs::read_to_string(path).expect("a scenario can be read");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The text of the document.
    pub fn text(&self) -> String {
        match (&self.document, &self.document_text, self.nested) {
            (Some(document), None, None) => document.to_string(),
            (None, Some(text), None) => text.clone(),
            (None, None, Some(levels)) => nested(levels).to_string(),
            _ => panic!("`{}` needs one of document, documentText and nested", self.title),
        }
    }
}

fn nested(levels: usize) -> Value {
    let mut step =
        json!({ "id": "leaf", "type": "function", "name": "leaf", "run": { "set": { "reached": "true" } } });
    for level in (1..levels).rev() {
        step = json!({ "id": format!("s{level}"), "type": "sequence", "name": format!("level {level}"), "steps": [step] });
    }
    json!({ "version": 1, "name": "nested", "steps": [step] })
}
