//! Recorded answers of real endpoints, and what the providers' own clients read from them (`tests/wire`).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde_json::{Map, Value};
use stepweave_core::document::Provider;

/// A recorded answer.
#[derive(Debug)]
pub struct Recording {
    /// Where it comes from.
    pub host: String,
    /// What it is called there.
    pub name: String,
    /// Its wire format, as `tests/wire` calls it.
    pub format: String,
    /// As which provider's answer it is read.
    pub provider: Provider,
    /// The answer.
    pub bytes: Vec<u8>,
    /// What is expected of a reader.
    pub expected: Map<String, Value>,
}

/// The recordings, in order; nothing, and a word about it, where there are none.
pub fn recordings() -> Option<Vec<Recording>> {
    let folder = folder();
    if !folder.exists() {
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            let folder = folder.display();
            say(&format!("skipped: no recordings in {folder}; STEPWEAVE_RECORDINGS can name another folder"));
        });
        return None;
    }
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("wire/expected");
    let mut files: Vec<PathBuf> =
        fs::read_dir(expected).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files.iter().flat_map(|file| of_host(&folder, file)).collect())
}

/// Tells a person who runs the tests; what `println!` writes is shown of tests that fail only.
pub fn say(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}

/// Beside the repository, unless said otherwise.
fn folder() -> PathBuf {
    std::env::var_os("STEPWEAVE_RECORDINGS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/recordings"), PathBuf::from)
}

fn of_host(folder: &Path, file: &Path) -> Vec<Recording> {
    let host = file.file_stem().unwrap().to_str().unwrap();
    let entries: Map<String, Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let recording = |(name, expected): (String, Value)| {
        let Value::Object(mut expected) = expected else { panic!("{host}: {name} is not an object") };
        // Which rules made it is for people.
        expected.shift_remove("rules");
        let format = expected.shift_remove("format").unwrap().as_str().unwrap().to_owned();
        let path = folder.join(host).join(format!("{name}.sse"));
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Recording { host: host.to_owned(), provider: provider(host, &format), name, format, bytes, expected }
    };
    entries.into_iter().map(recording).collect()
}

fn provider(host: &str, format: &str) -> Provider {
    match (format, host) {
        ("responses", _) => Provider::OpenaiResponses,
        ("messages", _) => Provider::Anthropic,
        ("gemini", _) => Provider::Gemini,
        (_, "api.deepseek.com") => Provider::Deepseek,
        (_, "api.groq.com") => Provider::Groq,
        (_, "api.mistral.ai") => Provider::Mistral,
        (_, "openrouter.ai") => Provider::Openrouter,
        _ => Provider::Openai,
    }
}
