//! What is known of each provider, as rows of data.

use crate::document::Provider;

/// How an endpoint is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
    /// Gemini's generateContent.
    Gemini,
    /// The parts that a function of the host gives.
    Parts,
    /// Not at all: the answer is made here.
    Demo,
}

/// What is known of a provider.
#[derive(Debug)]
pub struct Preset {
    /// How it is spoken to.
    pub format: Format,
    /// Where it is; nothing where each user has an address of their own.
    pub base_url: &'static str,
    /// The header that carries the key.
    pub key_header: &'static str,
    /// What stands before the key in it.
    pub key_prefix: &'static str,
    /// The version of its API that is spoken where the document names none.
    pub api_version: &'static str,
    /// Whether its models take a temperature and the like.
    pub sampling: Sampling,
    /// How it is made to answer with a JSON value.
    pub structured: Structured,
    /// How it is made to call one certain tool.
    pub named: Named,
}

/// Whether models take sampling parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// They do.
    Taken,
    /// They do not.
    Refused,
    /// Those whose names begin like one of these do not, unless `chat` is in the name.
    Unless(&'static [&'static str]),
    /// They do in this version of the API alone.
    InVersion(&'static str),
}

/// How an endpoint is made to answer with a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// It takes a JSON Schema.
    Schema,
    /// It can be held to JSON; which JSON has to be said in words.
    Object,
    /// It is asked in words.
    Words,
}

/// How an endpoint is made to call one certain tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// It is told the tool's name.
    ByName,
    /// It has to call a tool, and is offered no other.
    Alone,
}

const REASONERS: Sampling = Sampling::Unless(&["o1", "o3", "o4", "gpt-5", "gpt-6"]);

/// Most endpoints are like this one.
const LIKE_OPENAI: Preset = Preset {
    format: Format::Chat,
    base_url: "",
    key_header: "authorization",
    key_prefix: "Bearer ",
    api_version: "",
    sampling: Sampling::Taken,
    structured: Structured::Schema,
    named: Named::ByName,
};

/// What is known of this provider.
pub fn preset(provider: Provider) -> &'static Preset {
    match provider {
        Provider::Openai => {
            &Preset { base_url: "https://api.openai.com/v1", sampling: REASONERS, ..LIKE_OPENAI }
        }
        Provider::OpenaiResponses => &Preset {
            format: Format::Responses,
            base_url: "https://api.openai.com/v1",
            sampling: REASONERS,
            ..LIKE_OPENAI
        },
        Provider::Anthropic => &Preset {
            format: Format::Messages,
            base_url: "https://api.anthropic.com/v1",
            key_header: "x-api-key",
            key_prefix: "",
            api_version: "2023-06-01",
            sampling: Sampling::InVersion("2023-06-01"),
            ..LIKE_OPENAI
        },
        Provider::Gemini => &Preset {
            format: Format::Gemini,
            base_url: "https://generativelanguage.googleapis.com/v1beta",
            key_header: "x-goog-api-key",
            key_prefix: "",
            ..LIKE_OPENAI
        },
        Provider::Openrouter => &Preset { base_url: "https://openrouter.ai/api/v1", ..LIKE_OPENAI },
        Provider::Groq => &Preset { base_url: "https://api.groq.com/openai/v1", ..LIKE_OPENAI },
        Provider::Mistral => &Preset { base_url: "https://api.mistral.ai/v1", ..LIKE_OPENAI },
        Provider::Deepseek => {
            &Preset { base_url: "https://api.deepseek.com", structured: Structured::Object, ..LIKE_OPENAI }
        }
        Provider::Xai => &Preset { base_url: "https://api.x.ai/v1", ..LIKE_OPENAI },
        Provider::Together => &Preset { base_url: "https://api.together.xyz/v1", ..LIKE_OPENAI },
        Provider::Ollama => {
            &Preset { base_url: "http://localhost:11434/v1", named: Named::Alone, ..LIKE_OPENAI }
        }
        Provider::Lmstudio => {
            &Preset { base_url: "http://localhost:1234/v1", named: Named::Alone, ..LIKE_OPENAI }
        }
        Provider::Vllm => &Preset { base_url: "http://localhost:8000/v1", ..LIKE_OPENAI },
        Provider::Llamacpp => {
            &Preset { base_url: "http://localhost:8080/v1", named: Named::Alone, ..LIKE_OPENAI }
        }
        Provider::Azure => {
            &Preset { key_header: "api-key", key_prefix: "", sampling: REASONERS, ..LIKE_OPENAI }
        }
        Provider::WorkersAi => &LIKE_OPENAI,
        Provider::Demo => &Preset { format: Format::Demo, ..LIKE_OPENAI },
        Provider::Custom => &Preset { format: Format::Parts, ..LIKE_OPENAI },
    }
}
