//! What an answer has beside its text.

use serde_json::{Map, Value};

use super::{Media, MediaSource, Served};

/// What an answer has beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extras {
    /// In which words the model refused, if it did.
    pub refusal: String,
    /// The endpoint's name for the answer, where it gives one.
    pub id: String,
    /// What the answer goes back to, where the endpoint says so.
    pub sources: Vec<Source>,
    /// The images and other files that the model made.
    pub files: Vec<Media>,
    /// The calls that the endpoint made itself, in the order in which they began and ended.
    pub served: Vec<Served>,
}

impl Extras {
    /// As results and journals have it, but for a refusal and the endpoint's calls, which are no results: `{ responseId?, sources?, files? }`.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        if !self.id.is_empty() {
            put("responseId", self.id.as_str().into());
        }
        if !self.sources.is_empty() {
            put("sources", self.sources.iter().map(Source::to_json).collect());
        }
        if !self.files.is_empty() {
            put("files", self.files.iter().map(Media::to_json).collect());
        }
        json
    }

    /// Adds what is new of what came later.
    pub(super) fn take_in(&mut self, later: &Self) {
        self.id.clone_from(&later.id);
        add_new(&mut self.sources, &later.sources);
        add_new(&mut self.files, &later.files);
    }

    /// Bytes of it all.
    pub(crate) fn bytes(&self) -> u64 {
        let sources =
            self.sources.iter().map(|Source { url, title, text }| url.len() + title.len() + text.len());
        let files = self.files.iter().map(|file| match &file.source {
            MediaSource::Data(data) | MediaSource::Url(data) => data.len(),
        });
        (self.id.len() + sources.chain(files).sum::<usize>()) as u64
    }

    pub(super) fn from_json(json: &Value) -> Self {
        let list = |key| json.get(key).and_then(Value::as_array).into_iter().flatten();
        let text = |key| json.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            refusal: text("refusal"),
            id: text("responseId"),
            sources: list("sources").map(Source::of).collect(),
            files: list("files").filter_map(Media::from_json).collect(),
            served: list("served").filter_map(Served::from_json).collect(),
        }
    }
}

fn add_new<T: Clone + PartialEq>(all: &mut Vec<T>, later: &[T]) {
    for one in later {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
}

/// What an answer goes back to: a page, or a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Where it is.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What of it is quoted.
    pub text: String,
}

impl Source {
    /// The keys under which endpoints send each field.
    const KEYS: [(&'static str, &'static [&'static str]); 3] = [
        ("url", &["url", "uri"]),
        ("title", &["title", "document_title", "filename"]),
        ("text", &["cited_text", "text"]),
    ];

    /// A source in any endpoint's form; an empty one where there is none.
    pub(crate) fn of(json: &Value) -> Self {
        if let Value::String(url) = json {
            return Self { url: url.clone(), ..Self::default() };
        }
        let first = |keys: &[&str]| keys.iter().find_map(|key| json.get(key)?.as_str()).unwrap_or_default();
        let [url, title, text] = Self::KEYS.map(|(_, keys)| first(keys).to_owned());
        Self { url, title, text }
    }

    /// As results and journals have it: `{ url?, title?, text? }`.
    pub(crate) fn to_json(&self) -> Value {
        let fields = Self::KEYS.iter().zip([&self.url, &self.title, &self.text]);
        let fields = fields.filter(|(_, value)| !value.is_empty());
        fields
            .map(|((key, _), value)| ((*key).to_owned(), Value::from(value.as_str())))
            .collect::<Map<_, _>>()
            .into()
    }
}
