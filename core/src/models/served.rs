//! What the endpoint did itself while its model answered: searches, and code that it ran.

use serde_json::Value;

use super::fields::text;
use super::partial::MAX_SOURCES;
use super::{Partial, Source};
use crate::document::{Provided, ProviderTool};
use crate::literal::json;

/// Steps of calls that are kept of one answer.
const MAX_SERVED: usize = 1000;

/// A tool as the endpoint is offered it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProvidedOffer {
    /// The document's name for it.
    pub name: String,
    /// The tool.
    pub tool: ProviderTool,
}

impl ProvidedOffer {
    /// The tool in an endpoint's form, with its bounds under these names: the uses, the domains that are allowed, and
    /// those that are blocked.
    pub(super) fn bounded(&self, mut form: Value, [uses, allowed, blocked]: [&str; 3]) -> Value {
        let ProviderTool { max_uses, allowed_domains, blocked_domains, .. } = &self.tool;
        let Some(map) = form.as_object_mut() else { return form };
        if let Some(most) = max_uses {
            map.insert(uses.to_owned(), (*most).into());
        }
        for (key, domains) in [(allowed, allowed_domains), (blocked, blocked_domains)] {
            if !domains.is_empty() {
                map.insert(key.to_owned(), domains.iter().map(String::as_str).collect());
            }
        }
        form
    }
}

/// The beginning or the end of a call that the endpoint made itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The endpoint's name for the call.
    pub id: String,
    /// What it does.
    pub does: Provided,
    /// How far it is.
    pub stage: Stage,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// It begins with this, in the endpoint's own form.
    Began(Value),
    /// It gave this: the list of what was found, or the text that the code printed.
    Gave(Value),
    /// It failed.
    Failed(String),
}

impl Served {
    fn is_beginning(&self) -> bool {
        matches!(self.stage, Stage::Began(_))
    }

    pub(super) fn to_json(&self) -> Value {
        let (key, value) = match &self.stage {
            Stage::Began(input) => ("input", input.clone()),
            Stage::Gave(output) => ("output", output.clone()),
            Stage::Failed(why) => ("error", why.as_str().into()),
        };
        json!({ "id": self.id, "does": self.does.word(), key: value })
    }

    pub(super) fn from_json(json: &Value) -> Option<Self> {
        let stage = match (json.get("input"), json.get("output")) {
            (Some(input), _) => Stage::Began(input.clone()),
            (_, Some(output)) => Stage::Gave(output.clone()),
            _ => Stage::Failed(text(json, "error").to_owned()),
        };
        Some(Self { id: text(json, "id").to_owned(), does: Provided::from_word(text(json, "does"))?, stage })
    }
}

impl Partial {
    /// The endpoint makes a call, unless it is known already.
    pub(super) fn begin_served(&mut self, id: &str, does: Provided, input: Value) {
        if self.has_all_served() || self.has_begun(id) {
            return;
        }
        // Some endpoints send what a call gave before the call.
        if !self.has_ended(id) {
            self.open.push((does, id.to_owned()));
        }
        self.extras.served.push(Served { id: id.to_owned(), does, stage: Stage::Began(input) });
    }

    /// A call of the endpoint's has ended.
    pub(super) fn end_served(&mut self, id: &str, does: Provided, outcome: Result<Value, String>) {
        if self.has_all_served() || self.has_ended(id) {
            return;
        }
        self.open.retain(|(_, open)| open != id);
        let stage = outcome.map_or_else(Stage::Failed, Stage::Gave);
        self.extras.served.push(Served { id: id.to_owned(), does, stage });
    }

    /// Whether no more of the endpoint's calls are kept: then nothing about them has to be found out.
    pub(super) fn has_all_served(&self) -> bool {
        self.extras.served.len() >= MAX_SERVED
    }

    fn has_begun(&self, id: &str) -> bool {
        self.extras.served.iter().any(|one| one.id == id && one.is_beginning())
    }

    fn has_ended(&self, id: &str) -> bool {
        self.extras.served.iter().any(|one| one.id == id && !one.is_beginning())
    }

    /// The ids of calls that have not ended yet, in the order in which they began.
    pub(super) fn open_served(&self, does: Provided) -> impl Iterator<Item = &str> {
        self.open.iter().filter(move |(what, _)| *what == does).map(|(_, id)| id.as_str())
    }
}

/// Sources as what a search gave: where they are, and what they are called.
pub(super) fn found<'s>(sources: impl IntoIterator<Item = &'s Value>) -> Value {
    let named = |source| Source { text: String::new(), ..Source::of(source) };
    sources
        .into_iter()
        .map(named)
        .filter(|source| *source != Source::default())
        .take(MAX_SOURCES)
        .map(|source| source.to_json())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Provider;
    use crate::models::sample::SampleRequest;

    fn sent(provider: Provider, model: &str, does: Provided, tool: Option<&str>) -> Value {
        let mut offered = ProviderTool::new(does);
        if does.bounds_at(provider).is_some_and(|bounds| bounds.contains(&"allowedDomains")) {
            offered.allowed_domains.push("a.test".to_owned());
        }
        let mut sample = SampleRequest::of(provider, model).provided(offered);
        if let Some(name) = tool {
            sample = sample.tool(name, json!({ "type": "object" }));
        }
        serde_json::from_str(&sample.request().unwrap().body).unwrap()
    }

    #[test]
    fn each_format_writes_the_tools_that_its_providers_have() {
        let (search, code) = (Provided::WebSearch, Provided::CodeExecution);
        for (provider, does, expected) in [
            (
                Provider::OpenaiResponses,
                search,
                json!([{ "type": "web_search", "filters": { "allowed_domains": ["a.test"] } }]),
            ),
            (
                Provider::OpenaiResponses,
                code,
                json!([{ "type": "code_interpreter", "container": { "type": "auto" } }]),
            ),
            (
                Provider::Anthropic,
                search,
                json!([{ "type": "web_search_20250305", "name": "web_search", "allowed_domains": ["a.test"] }]),
            ),
            (
                Provider::Anthropic,
                code,
                json!([{ "type": "code_execution_20250825", "name": "code_execution" }]),
            ),
            (Provider::Gemini, search, json!([{ "googleSearch": {} }])),
            (Provider::Gemini, code, json!([{ "codeExecution": {} }])),
            (
                Provider::Openrouter,
                search,
                json!([{ "type": "openrouter:web_search", "parameters": { "allowed_domains": ["a.test"] } }]),
            ),
        ] {
            assert_eq!(sent(provider, "m", does, None)["tools"], expected, "{provider:?}");
        }
    }

    #[test]
    fn gemini_shows_its_calls_where_it_needs_them_back() {
        let shown = |model, does, tool| {
            sent(Provider::Gemini, model, does, tool)["toolConfig"]["includeServerSideToolInvocations"]
                .clone()
        };
        assert_eq!(shown("gemini-3-flash", Provided::WebSearch, None), true);
        assert_eq!(shown("gemini-3-flash", Provided::CodeExecution, None), Value::Null);
        assert_eq!(shown("gemini-3-flash", Provided::CodeExecution, Some("own")), true);
        assert_eq!(shown("gemini-2.5-pro", Provided::WebSearch, None), Value::Null);
    }
}
