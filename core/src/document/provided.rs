//! Tools that the provider of a model runs itself.

use serde::Serialize;

use super::Provider;

/// A tool that the provider of a model runs itself, while the model answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderTool {
    /// What it does.
    #[serde(rename = "provider")]
    pub does: Provided,
    /// How often it may run for one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u32>,
    /// The only domains that a search may find.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// Domains that a search must not find.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_domains: Vec<String>,
}

impl ProviderTool {
    /// The tool without any bounds.
    pub fn new(does: Provided) -> Self {
        Self { does, max_uses: None, allowed_domains: Vec::new(), blocked_domains: Vec::new() }
    }

    /// The names of its bounds in documents, those that it has.
    pub fn bounds(&self) -> impl Iterator<Item = &'static str> {
        let has =
            [self.max_uses.is_some(), !self.allowed_domains.is_empty(), !self.blocked_domains.is_empty()];
        Self::BOUNDS.into_iter().zip(has).filter(|(_, has)| *has).map(|(name, _)| name)
    }

    const BOUNDS: [&'static str; 3] = ["maxUses", "allowedDomains", "blockedDomains"];
}

/// What providers run themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provided {
    /// A search on the web.
    WebSearch,
    /// Code that the model writes, in a closed room of the provider's.
    CodeExecution,
}

impl Provided {
    /// The words that stand for them in documents.
    pub const WORDS: &'static [&'static str] = &["web_search", "code_execution"];

    /// What this word stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "web_search" => Some(Self::WebSearch),
            "code_execution" => Some(Self::CodeExecution),
            _ => None,
        }
    }

    /// The bounds that a provider takes with it; nothing where the provider has no such tool.
    ///
    /// OpenAI counts the uses of all its tools together, and Gemini leaves the domains to itself.
    pub fn bounds_at(self, provider: Provider) -> Option<&'static [&'static str]> {
        match (self, provider) {
            (Self::WebSearch, Provider::Anthropic | Provider::Openrouter) => Some(&ProviderTool::BOUNDS),
            (Self::WebSearch, Provider::OpenaiResponses) => Some(&["allowedDomains"]),
            (Self::WebSearch, Provider::Gemini)
            | (Self::CodeExecution, Provider::Anthropic | Provider::OpenaiResponses | Provider::Gemini) => {
                Some(&[])
            }
            _ => None,
        }
    }

    /// What a person calls it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::WebSearch => "web search",
            Self::CodeExecution => "code execution",
        }
    }

    /// The word that stands for it in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::WebSearch => "web_search",
            Self::CodeExecution => "code_execution",
        }
    }
}
