//! Language models in a document: whose they are, what they cost, how they answer.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Secret;

/// A language model at an endpoint.
///
/// ```
/// use stepweave_core::document::{Model, Provider};
/// let model = Model::new(Provider::Openai, "gpt-5-mini");
/// assert_eq!(serde_json::to_value(&model)?, serde_json::json!({ "provider": "openai", "model": "gpt-5-mini" }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Whose endpoint it is, and so its wire format and its habits.
    pub provider: Provider,
    /// The model's name at the endpoint.
    pub model: String,
    /// The address of the endpoint, such as `http://localhost:11434/v1`; the provider's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The name of the secret that is sent as the key; its value is never here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// Parameters that go into the request body as they are.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// More headers of its requests. They must not contain a key.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub headers: Map<String, Value>,
    /// The version of the endpoint's API, where it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Whether it takes a temperature and the like; what is known of the model decides when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<bool>,
    /// How it is made to answer with a JSON value; what is known of the endpoint decides when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_mode: Option<OutputMode>,
    /// What it costs, over what is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// HTTP requests to its endpoint that may be in flight at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Requests that may begin at its endpoint within a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// For the provider `custom`: the function of the host that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// Keys that begin with `x-`, kept as they are.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
}

impl Model {
    /// A model at its provider's own address, without a key.
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            base_url: None,
            api_key: None,
            params: Map::new(),
            headers: Map::new(),
            api_version: None,
            sampling: None,
            output_mode: None,
            price: None,
            concurrency: None,
            requests_per_minute: None,
            handler: None,
            extensions: Map::new(),
        }
    }

    /// Whether its address is not its provider's own.
    pub fn is_elsewhere(&self) -> bool {
        self.base_url.as_ref().is_some_and(|url| !url.starts_with(self.provider.base_url()))
    }
}

/// How an endpoint is made to answer with a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OutputMode {
    /// It takes a JSON Schema.
    Schema,
    /// It can be held to JSON; which JSON has to be said in words.
    Json,
    /// The schema is described in the prompt.
    Prompt,
}

impl OutputMode {
    /// The words that stand for the modes in documents.
    pub const WORDS: &'static [&'static str] = &["schema", "json", "prompt"];

    /// The mode of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "schema" => Some(Self::Schema),
            "json" => Some(Self::Json),
            "prompt" => Some(Self::Prompt),
            _ => None,
        }
    }
}

/// What a model costs. The default costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// What its tokens cost.
    #[serde(flatten)]
    pub rates: Rates,
    /// What it costs when the prompt is long; the same when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_prompt: Option<LongPrompt>,
}

/// What a model costs when its prompt is long: all of the prompt, and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LongPrompt {
    /// A prompt of more tokens is long.
    pub above: u64,
    /// What its tokens cost then.
    #[serde(flatten)]
    pub rates: Rates,
}

/// What tokens cost, in US dollars for a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    /// Tokens of prompts.
    pub input: f64,
    /// Tokens of answers.
    pub output: f64,
    /// Tokens of prompts that the endpoint had kept; as `input` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Tokens of prompts that the endpoint keeps from then on; as `input` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

macro_rules! providers {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal, at $url:literal, key $secret:literal;)+) => {
        /// Whose endpoint a model is at.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub enum Provider {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Provider {
            /// The words that stand for providers in documents.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The provider of this word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The default address; empty where each user has their own.
            pub fn base_url(self) -> &'static str {
                match self {
                    $(Self::$name => $url,)+
                }
            }

            /// What its key is called, unless a model says otherwise; nothing where none is needed.
            pub fn secret(self) -> &'static str {
                match self {
                    $(Self::$name => $secret,)+
                }
            }

            /// The word that stands for it in documents.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }
        }
    };
}

providers! {
    /// OpenAI chat completions: OpenAI's own, or any other endpoint that speaks it.
    Openai = "openai", at "https://api.openai.com/v1", key "OPENAI_API_KEY";
    /// OpenAI Responses.
    OpenaiResponses = "openaiResponses", at "https://api.openai.com/v1", key "OPENAI_API_KEY";
    /// Anthropic Messages.
    Anthropic = "anthropic", at "https://api.anthropic.com/v1", key "ANTHROPIC_API_KEY";
    /// Gemini's own format.
    Gemini = "gemini", at "https://generativelanguage.googleapis.com/v1beta", key "GEMINI_API_KEY";
    /// OpenRouter.
    Openrouter = "openrouter", at "https://openrouter.ai/api/v1", key "OPENROUTER_API_KEY";
    /// Groq.
    Groq = "groq", at "https://api.groq.com/openai/v1", key "GROQ_API_KEY";
    /// Mistral.
    Mistral = "mistral", at "https://api.mistral.ai/v1", key "MISTRAL_API_KEY";
    /// DeepSeek.
    Deepseek = "deepseek", at "https://api.deepseek.com", key "DEEPSEEK_API_KEY";
    /// xAI.
    Xai = "xai", at "https://api.x.ai/v1", key "XAI_API_KEY";
    /// Together.
    Together = "together", at "https://api.together.xyz/v1", key "TOGETHER_API_KEY";
    /// Ollama, on the same machine unless said otherwise.
    Ollama = "ollama", at "http://localhost:11434/v1", key "";
    /// LM Studio, on the same machine unless said otherwise.
    Lmstudio = "lmstudio", at "http://localhost:1234/v1", key "";
    /// vLLM, on the same machine unless said otherwise.
    Vllm = "vllm", at "http://localhost:8000/v1", key "";
    /// llama.cpp's llama-server, on the same machine unless said otherwise.
    Llamacpp = "llamacpp", at "http://localhost:8080/v1", key "";
    /// Azure OpenAI.
    Azure = "azure", at "", key "AZURE_OPENAI_API_KEY";
    /// Cloudflare Workers AI over HTTP.
    WorkersAi = "workersAi", at "", key "CLOUDFLARE_API_TOKEN";
    /// The offline simulation: no network, the same answer every time.
    Demo = "demo", at "", key "";
    /// A function of the host.
    Custom = "custom", at "", key "";
}
