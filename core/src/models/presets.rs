//! What is known of each provider, as rows of data.

use crate::document::{OutputMode, Provider};

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
    /// The response parts of a function of the host.
    Parts,
    /// Not at all: the answer is made here.
    Demo,
}

/// What is known of a provider.
#[derive(Debug)]
pub struct Preset {
    /// How it is spoken to.
    pub format: Format,
    /// The header that carries the key.
    pub key_header: &'static str,
    /// What stands before the key in it.
    pub key_prefix: &'static str,
    /// The version of its API that is spoken where the document names none.
    pub api_version: &'static str,
    /// Whether its models take a temperature and the like.
    pub sampling: Sampling,
    /// How it is made to answer with a JSON value.
    pub structured: OutputMode,
    /// The same while tools are offered too: many endpoints then call none or refuse.
    pub structured_with_tools: OutputMode,
    /// In what else it differs from others of its format.
    pub quirks: &'static [Quirk],
    /// What an address of one's own looks like, where the provider has none for all.
    pub own_url: &'static str,
}

/// In what an endpoint differs from others of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// It rejects `stream_options`, and sends the usage without them.
    NoStreamOptions,
    /// The content of a message has to be a text, even where nothing was said.
    NoNullContent,
    /// A request cannot name the tool to call: that tool is offered alone, and none at all where none may be called.
    NoNamedTool,
    /// The ids of calls have to be nine letters and digits, as its own are.
    NineLetterIds,
    /// It holds the model to a schema and does not show it to the model.
    SilentSchema,
    /// Its models take a temperature or a `top_p`, and not both.
    OneSampler,
    /// It takes back what its model thought as `reasoning`, which others refuse.
    TakesReasoning,
}

impl Preset {
    /// Whether it has this quirk.
    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }
}

/// Whether models take sampling parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// They do.
    Taken,
    /// Those whose names begin like one of these do not, unless `chat` is in the name.
    Unless(&'static [&'static str]),
    /// They do in this version of the API, unless they are of this maker and their names begin like none of these.
    Older {
        /// The version.
        version: &'static str,
        /// How the names of all the maker's models begin.
        maker: &'static str,
        /// How those of the older ones begin.
        names: &'static [&'static str],
    },
}

const REASONERS: Sampling = Sampling::Unless(&["o1", "o3", "o4", "gpt-5", "gpt-6"]);

/// What the servers have in common that people run on their own machine.
const LOCAL: &[Quirk] = &[Quirk::NoNamedTool, Quirk::SilentSchema, Quirk::TakesReasoning];

/// Most endpoints are like this one.
const COMMON: Preset = Preset {
    format: Format::Chat,
    key_header: "authorization",
    key_prefix: "Bearer ",
    api_version: "",
    sampling: Sampling::Taken,
    structured: OutputMode::Schema,
    structured_with_tools: OutputMode::Prompt,
    quirks: &[],
    own_url: "",
};

/// OpenAI's own models, wherever they are.
const OPENAI: Preset = Preset { sampling: REASONERS, structured_with_tools: OutputMode::Schema, ..COMMON };

/// What is known of this provider.
///
/// ```
/// use stepweave_core::{document::Provider, models::{Quirk, preset}};
/// assert_eq!(preset(Provider::Azure).key_header, "api-key");
/// assert!(preset(Provider::Mistral).has(Quirk::NoStreamOptions));
/// ```
pub fn preset(provider: Provider) -> &'static Preset {
    match provider {
        Provider::Openai => &OPENAI,
        Provider::OpenaiResponses => &Preset { format: Format::Responses, ..OPENAI },
        Provider::Anthropic => &Preset {
            format: Format::Messages,
            key_header: "x-api-key",
            key_prefix: "",
            api_version: "2023-06-01",
            sampling: Sampling::Older {
                version: "2023-06-01",
                maker: "claude",
                names: &[
                    "claude-2",
                    "claude-3",
                    "claude-haiku-4",
                    "claude-sonnet-4",
                    "claude-opus-4-0",
                    "claude-opus-4-1",
                    "claude-opus-4-2",
                    "claude-opus-4-5",
                    "claude-opus-4-6",
                ],
            },
            quirks: &[Quirk::OneSampler],
            structured_with_tools: OutputMode::Schema,
            ..COMMON
        },
        Provider::Gemini => &Preset {
            format: Format::Gemini,
            key_header: "x-goog-api-key",
            key_prefix: "",
            structured_with_tools: OutputMode::Schema,
            ..COMMON
        },
        Provider::Openrouter => &Preset { quirks: &[Quirk::TakesReasoning], ..COMMON },
        Provider::Xai => &COMMON,
        // It has schemas for a few models, and not in streams.
        Provider::Groq => &Preset { structured: OutputMode::Prompt, ..COMMON },
        Provider::Mistral => &Preset { quirks: &[Quirk::NoStreamOptions, Quirk::NineLetterIds], ..COMMON },
        Provider::Deepseek => &Preset { structured: OutputMode::Json, ..COMMON },
        Provider::Together => &Preset { quirks: &[Quirk::SilentSchema], ..COMMON },
        Provider::Vllm => &Preset { quirks: &[Quirk::SilentSchema, Quirk::TakesReasoning], ..COMMON },
        Provider::Ollama | Provider::Lmstudio | Provider::Llamacpp => &Preset { quirks: LOCAL, ..COMMON },
        Provider::Azure => &Preset {
            own_url: "https://<resource>.openai.azure.com/openai/v1",
            key_header: "api-key",
            key_prefix: "",
            ..OPENAI
        },
        // Its schemas do not go together with streams.
        Provider::WorkersAi => &Preset {
            own_url: "https://api.cloudflare.com/client/v4/accounts/<account>/ai/v1",
            structured: OutputMode::Prompt,
            quirks: &[Quirk::NoNullContent, Quirk::NoNamedTool],
            ..COMMON
        },
        Provider::Demo => &Preset { format: Format::Demo, ..COMMON },
        Provider::Custom => &Preset { format: Format::Parts, ..COMMON },
    }
}
