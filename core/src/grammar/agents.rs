//! What agents, their models and their tools look like.

use super::{
    AMOUNT, COUNT, HANDLER, INNER, MAX_COST_FIELD, MAX_EXACT, MAX_TOKENS, RETRY_COUNT, StepShape, TIMEOUT_MS,
    VERSION_FIELD, field, http,
};
use crate::document::{OutputMode, Provided, Provider};
use crate::shape::Presence::{Beside, Optional, Required};
use crate::shape::{Field, Keys, ObjectShape, Role, Shape};

/// An agent step.
pub(super) const STEP: StepShape = StepShape {
    word: "agent",
    own: ObjectShape {
        title: "agent step",
        fields: &[
            field("agent", Shape::Name(Role::AgentRef), Required, "a key of `agents`"),
            field(
                "inputFrom",
                Shape::TextOr(Role::Template, &HANDLER),
                Optional,
                "what is sent to the agent",
            ),
            field(
                "files",
                Shape::TextOr(Role::Expression, &HANDLER),
                Optional,
                "the images and files that go with it",
            ),
            field(
                "history",
                Shape::Object(&HISTORY),
                Optional,
                "the conversation in the state that it goes on with",
            ),
            field(
                "fullResponse",
                Shape::Boolean,
                Optional,
                "whether it gives more of the answer than its text",
            ),
            RETRY_COUNT,
            TIMEOUT_MS,
        ],
    },
};

/// A model.
pub(super) const MODEL: Shape = Shape::Object(&ObjectShape {
    title: "model",
    fields: &[
        field("provider", Shape::Choice(Provider::WORDS), Required, "whose endpoint it is"),
        field("model", Shape::Name(Role::Plain), Required, "the model's name at the endpoint"),
        field("baseUrl", Shape::Name(Role::Plain), Optional, "where the endpoint is"),
        field("apiKey", Shape::Object(&SECRET), Optional, "the name of the secret that is the key"),
        field("params", PARAMS, Optional, "parameters for the request body"),
        field("headers", HEADERS, Optional, "more headers of its requests, never a key"),
        field("apiVersion", Shape::Name(Role::Plain), Optional, "the version of the endpoint's API"),
        field("sampling", Shape::Boolean, Optional, "whether it takes a temperature and the like"),
        field("outputMode", Shape::Choice(OutputMode::WORDS), Optional, "how it is made to answer in JSON"),
        field("price", PRICE, Optional, "what it costs"),
        field("concurrency", COUNT, Optional, "requests that may be under way at once"),
        field("requestsPerMinute", COUNT, Optional, "requests that may begin within a minute"),
        field("handler", Shape::Name(Role::Plain), Optional, "the function of the host that answers"),
    ],
});

/// What has these names at no endpoint goes to each under the names that it has there.
const PARAMS: Shape = Shape::RecordWith(&ObjectShape {
    title: "set of parameters",
    fields: &[
        field("maxOutputTokens", Shape::Integer(1, MAX_EXACT), Optional, "tokens that an answer may have"),
        field("stopSequences", Shape::Names(Role::Plain), Optional, "texts before which an answer ends"),
        field("reasoningEffort", Shape::Choice(EFFORTS), Optional, "how much the model thinks first"),
    ],
});

/// How much a model may be made to think.
const EFFORTS: &[&str] = &["none", "low", "medium", "high"];

const HEADERS: Shape = Shape::Map(Keys::Free, &Shape::Text(Role::Plain));

/// What a model costs.
pub(super) const PRICE: Shape = Shape::Object(&ObjectShape {
    title: "price",
    fields: &[
        INPUT_RATE,
        OUTPUT_RATE,
        CACHED_INPUT_RATE,
        CACHE_WRITE_RATE,
        field("longPrompt", LONG_PROMPT, Optional, "what it costs when the prompt is long"),
    ],
});

const LONG_PROMPT: Shape = Shape::Object(&ObjectShape {
    title: "price of a long prompt",
    fields: &[
        field("above", COUNT, Required, "a prompt of more tokens is long"),
        INPUT_RATE,
        OUTPUT_RATE,
        CACHED_INPUT_RATE,
        CACHE_WRITE_RATE,
    ],
});

const INPUT_RATE: Field = field("input", AMOUNT, Required, "US dollars for a million tokens of prompts");

const OUTPUT_RATE: Field = field("output", AMOUNT, Required, "US dollars for a million tokens of answers");

const CACHED_INPUT_RATE: Field =
    field("cachedInput", AMOUNT, Optional, "US dollars for a million tokens that were kept");

const CACHE_WRITE_RATE: Field =
    field("cacheWrite", AMOUNT, Optional, "US dollars for a million tokens that are kept from then on");

/// Where a key is.
pub(super) const SECRET: ObjectShape = ObjectShape {
    title: "secret",
    fields: &[field("secret", Shape::Name(Role::SecretName), Required, "the secret's name, never its value")],
};

/// An agent.
pub(super) const AGENT: Shape = Shape::Object(&ObjectShape {
    title: "agent",
    fields: &[
        field("model", Shape::Name(Role::ModelRef), Required, "a key of `models`"),
        field("instructions", Shape::Text(Role::Plain), Optional, "the system message"),
        field("params", PARAMS, Optional, "parameters that win over the model's"),
        field("fallbacks", Shape::Names(Role::ModelRef), Optional, "models to ask when those before fail"),
        field("tools", Shape::Names(Role::ToolRef), Optional, "the tools that it may call"),
        field(
            "toolChoice",
            Shape::ChoiceOr(&["auto", "required", "none"], &TOOL_CHOICE),
            Optional,
            "whether it has to call a tool",
        ),
        field("output", Shape::Schema, Optional, "JSON Schema of its answer"),
        field("maxTurns", Shape::Integer(1, 1000), Optional, "times its model may be called for one answer"),
        field("limits", Shape::Object(&AGENT_LIMITS), Optional, "bounds on what one answer may use"),
    ],
});

const TOOL_CHOICE: ObjectShape = ObjectShape {
    title: "tool choice",
    fields: &[field("tool", Shape::Name(Role::ToolRef), Optional, "the tool that it has to call")],
};

const AGENT_LIMITS: ObjectShape =
    ObjectShape { title: "set of limits", fields: &[MAX_TOKENS, MAX_COST_FIELD] };

const HISTORY: ObjectShape = ObjectShape {
    title: "history",
    fields: &[
        field("key", Shape::Name(Role::StateKey), Required, "the key of the state that has it"),
        field("maxMessages", COUNT, Optional, "how many messages are kept"),
        field("maxTokens", COUNT, Optional, "about how many tokens the messages that are kept may have"),
        field("summary", Shape::Name(Role::AgentRef), Optional, "the agent that sums up older messages"),
    ],
};

/// A tool.
pub(super) const TOOL: Shape = Shape::Object(&ObjectShape {
    title: "tool",
    fields: &[
        field("description", Shape::Text(Role::Plain), Optional, "what the model reads about it"),
        field("input", Shape::Schema, Optional, "JSON Schema of the arguments"),
        field("run", Shape::OneOf(&TOOL_RUN), Optional, "what runs; the handler of its name when absent"),
        field(
            "needsApproval",
            Shape::BooleanOr(&HANDLER),
            Optional,
            "whether a person has to allow each call, or what decides that",
        ),
        field("scopes", Shape::Names(Role::Plain), Optional, "the types of steps that may call it"),
        TIMEOUT_MS,
    ],
});

const TOOL_RUN: ObjectShape = ObjectShape {
    title: "run",
    fields: &[
        field("handler", Shape::Name(Role::Plain), Optional, "the name of a function of the host"),
        VERSION_FIELD,
        field("code", Shape::Text(Role::Plain), Optional, "JavaScript to be run in a closed room"),
        field("http", Shape::Object(&http::REQUEST), Optional, "a request, over the arguments"),
        field(
            "workflow",
            Shape::Object(&WORKFLOW),
            Optional,
            "steps over the arguments, whose end is the result",
        ),
        field("mcp", Shape::Object(&http::MCP_TOOL), Optional, "a tool of an MCP server"),
        field("provider", Shape::Choice(Provided::WORDS), Optional, "what the model's provider runs itself"),
        field("maxUses", COUNT, Beside("provider"), "how often it may search for one answer"),
        field("allowedDomains", Shape::Names(Role::Plain), Beside("provider"), "all that it may search"),
        field("blockedDomains", Shape::Names(Role::Plain), Beside("provider"), "what it must not find"),
    ],
};

const WORKFLOW: ObjectShape = ObjectShape { title: "workflow of a tool", fields: INNER };
