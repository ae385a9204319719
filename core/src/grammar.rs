//! What a document looks like: the table behind the validator and the JSON Schema.

use crate::document::{OutputMode, Provided, Provider, VERSION};
use crate::shape::Presence::{Beside, Optional, Required};
use crate::shape::{Field, Keys, ObjectShape, Presence, Role, Shape};

#[cfg(feature = "language")]
mod http;

/// The whole document.
pub const DOCUMENT: ObjectShape = ObjectShape {
    title: "workflow",
    fields: &[
        field(
            "version",
            Shape::Integer(VERSION as u64, VERSION as u64),
            Required,
            "the version of the format",
        ),
        field("name", Shape::Name(Role::Plain), Required, "what people call the workflow"),
        field("description", Shape::Text(Role::Plain), Optional, "what the workflow is for"),
        field("input", Shape::Schema, Optional, "JSON Schema of the state a run starts with"),
        field("output", Shape::Schema, Optional, "JSON Schema of the state a run ends with"),
        field("initialState", Shape::Record, Optional, "the state every run begins with"),
        field("models", Shape::Map(Keys::Models, &MODEL), Optional, "the models that agents name"),
        field("agents", Shape::Map(Keys::Agents, &AGENT), Optional, "the agents that agent steps name"),
        field("tools", Shape::Map(Keys::Tools, &TOOL), Optional, "the tools that agents name"),
        field("prices", Shape::Map(Keys::Free, &PRICE), Optional, "what models of these names cost"),
        field("steps", Shape::Steps, Required, "what is done, in order"),
        field("retryPolicy", Shape::Object(&RETRY_POLICY), Optional, "how failed attempts are repeated"),
        field("onError", ON_ERROR, Optional, "what a failing step does to the run"),
        field("limits", Shape::Object(&LIMITS), Optional, "bounds on what a run may use"),
        field("notes", Shape::Text(Role::Plain), Optional, "free text of the author"),
        field(
            "pins",
            Shape::Map(Keys::Free, &Shape::Any),
            Optional,
            "outputs of steps for trial runs, by their ids",
        ),
    ],
};

/// A kind of step: the word in its `type`, and its fields.
#[derive(Debug)]
pub struct StepShape {
    /// The word that stands in `type`.
    pub word: &'static str,
    /// The fields that only this kind has.
    pub own: ObjectShape,
}

/// The kinds of step.
pub const STEP_KINDS: &[StepShape] = &[
    StepShape {
        word: "agent",
        own: ObjectShape {
            title: "agent step",
            fields: &[
                field("agent", Shape::Name(Role::AgentRef), Required, "a key of `agents`"),
                field(
                    "inputFrom",
                    Shape::TextOr(Role::Template, &HANDLER),
                    Optional,
                    "what the agent is asked",
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
    },
    StepShape {
        word: "function",
        own: ObjectShape {
            title: "function step",
            fields: &[
                field("run", Shape::OneOf(&RUN), Required, "what computes the patch"),
                RETRY_COUNT,
                TIMEOUT_MS,
            ],
        },
    },
    #[cfg(feature = "language")]
    http::STEP,
    StepShape {
        word: "condition",
        own: ObjectShape {
            title: "condition step",
            fields: &[
                field("condition", Shape::TextOr(Role::Expression, &HANDLER), Required, "what decides"),
                field("steps", Shape::Steps, Required, "the steps to run when it is true"),
                field("else", Shape::Steps, Optional, "the steps to run when it is false"),
            ],
        },
    },
    StepShape {
        word: "parallel",
        own: ObjectShape {
            title: "parallel step",
            fields: &[
                field("parallel", Shape::Steps, Required, "the members"),
                field(
                    "concurrency",
                    Shape::Integer(1, u32::MAX as u64),
                    Optional,
                    "how many members may be under way at once, those that wait for a person too",
                ),
                field(
                    "onConflict",
                    Shape::Choice(&["warn", "error"]),
                    Optional,
                    "what a key written twice leads to",
                ),
            ],
        },
    },
    StepShape {
        word: "switch",
        own: ObjectShape {
            title: "switch step",
            fields: &[
                field("cases", Shape::List(&CASE), Required, "the ways, looked at in order"),
                field("default", Shape::Steps, Required, "the steps to run when no case is true"),
            ],
        },
    },
    StepShape {
        word: "foreach",
        own: ObjectShape {
            title: "foreach step",
            fields: &[
                field("items", Shape::TextOr(Role::Expression, &HANDLER), Required, "what gives the list"),
                field(
                    "as",
                    Shape::Name(Role::StateKey),
                    Optional,
                    "the key under which steps find their item",
                ),
                field("steps", Shape::Steps, Required, "the steps to run for each item"),
                field("result", Shape::Text(Role::Expression), Optional, "what an item gives"),
                field(
                    "concurrency",
                    Shape::Integer(1, u32::MAX as u64),
                    Optional,
                    "how many items may be under way at once, those that wait for a person too",
                ),
                field(
                    "onItemError",
                    Shape::Choice(&["stop", "null", "drop"]),
                    Optional,
                    "what the failure of an item leads to",
                ),
            ],
        },
    },
    StepShape {
        word: "loop",
        own: ObjectShape {
            title: "loop step",
            fields: &[
                field("repeat", Shape::OneOf(&REPEAT), Required, "what decides about another time"),
                field(
                    "maxIterations",
                    Shape::Integer(1, u32::MAX as u64),
                    Required,
                    "how many times at most",
                ),
                field(
                    "onMax",
                    Shape::Choice(&["error", "continue"]),
                    Optional,
                    "what reaching that number leads to",
                ),
                field("steps", Shape::Steps, Required, "the steps to run each time"),
            ],
        },
    },
    StepShape { word: "workflow", own: ObjectShape { title: "workflow step", fields: INNER } },
    StepShape {
        word: "wait",
        own: ObjectShape {
            title: "wait step",
            fields: &[field("wait", Shape::OneOf(&WAIT), Required, "how long")],
        },
    },
    StepShape {
        word: "approval",
        own: ObjectShape {
            title: "approval step",
            fields: &[
                field("message", Shape::Text(Role::Template), Optional, "what the person is told"),
                field("schema", Shape::Schema, Optional, "JSON Schema of the answer"),
                field(
                    "approved",
                    Shape::TextOr(Role::Expression, &HANDLER),
                    Optional,
                    "whether the answer, as `output`, is a yes; its `approved` when absent",
                ),
                field("steps", Shape::Steps, Optional, "the steps to run after a yes"),
                field("else", Shape::Steps, Optional, "the steps to run after a no"),
                field(
                    "expiresMs",
                    Shape::Integer(1, MAX_EXACT),
                    Optional,
                    "milliseconds that a person has to answer",
                ),
                field("expired", Shape::Steps, Optional, "the steps to run when nobody answered in time"),
            ],
        },
    },
    StepShape {
        word: "sequence",
        own: ObjectShape {
            title: "sequence step",
            fields: &[field("steps", Shape::Steps, Required, "the steps to run in order")],
        },
    },
    StepShape {
        word: "end",
        own: ObjectShape {
            title: "end step",
            fields: &[field("end", Shape::Object(&EXIT), Required, "what ends here, and how")],
        },
    },
];

/// The fields that every step has.
pub const STEP: ObjectShape = ObjectShape {
    title: "step",
    fields: &[
        field("id", Shape::Name(Role::StepId), Required, "stable and unique in the document"),
        field("type", Shape::Name(Role::Plain), Required, "the kind of step"),
        field("name", Shape::Name(Role::StepName), Required, "what people call the step"),
        field("required", Shape::Boolean, Optional, "whether its failure counts"),
        field("enabled", Shape::Boolean, Optional, "whether it is run at all"),
        field("onError", ON_ERROR, Optional, "what its failure does to the run"),
        field("input", Shape::Schema, Optional, "JSON Schema of the state when the step begins"),
        field("output", Shape::Schema, Optional, "JSON Schema of what the step gives"),
        field("coerce", Shape::Boolean, Optional, "whether values of a wrong type are converted"),
        field("notes", Shape::Text(Role::Plain), Optional, "free text of the author"),
    ],
};

const RETRY_COUNT: Field =
    field("retryCount", Shape::Integer(0, 1000), Optional, "attempts after the first one");

const TIMEOUT_MS: Field =
    field("timeoutMs", Shape::Integer(1, MAX_EXACT), Optional, "milliseconds that an attempt may take");

const ON_ERROR: Shape = Shape::Choice(&["stop", "continue"]);

/// The largest number that every JSON reader keeps exactly.
const MAX_EXACT: u64 = (1 << 53) - 1;

const MODEL: Shape = Shape::Object(&ObjectShape {
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

const COUNT: Shape = Shape::Integer(1, u32::MAX as u64);

/// Sums that no price or bound passes, in US dollars.
const MAX_COST: f64 = 1e9;

const PRICE: Shape = Shape::Object(&ObjectShape {
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

const AMOUNT: Shape = Shape::Number(0.0, MAX_COST);

const SECRET: ObjectShape = ObjectShape {
    title: "secret",
    fields: &[field("secret", Shape::Name(Role::SecretName), Required, "the secret's name, never its value")],
};

const AGENT: Shape = Shape::Object(&ObjectShape {
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
        field("maxTurns", Shape::Integer(1, 1000), Optional, "times its model may be asked for one answer"),
        field("limits", Shape::Object(&AGENT_LIMITS), Optional, "bounds on what one answer may use"),
    ],
});

const TOOL_CHOICE: ObjectShape = ObjectShape {
    title: "tool choice",
    fields: &[field("tool", Shape::Name(Role::ToolRef), Optional, "the tool that it has to call")],
};

const AGENT_LIMITS: ObjectShape =
    ObjectShape { title: "set of limits", fields: &[MAX_TOKENS, MAX_COST_FIELD] };

const MAX_TOKENS: Field =
    field("maxTokens", Shape::Integer(1, MAX_EXACT), Optional, "tokens that model calls may use");

const MAX_COST_FIELD: Field = field("maxCost", AMOUNT, Optional, "US dollars that model calls may cost");

const HISTORY: ObjectShape = ObjectShape {
    title: "history",
    fields: &[
        field("key", Shape::Name(Role::StateKey), Required, "the key of the state that has it"),
        field("maxMessages", COUNT, Optional, "how many messages are kept"),
        field("maxTokens", COUNT, Optional, "about how many tokens the messages that are kept may have"),
        field("summary", Shape::Name(Role::AgentRef), Optional, "the agent that sums up older messages"),
    ],
};

const TOOL: Shape = Shape::Object(&ObjectShape {
    title: "tool",
    fields: &[
        field("description", Shape::Text(Role::Plain), Optional, "what the model is told"),
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
        #[cfg(feature = "language")]
        field("http", Shape::Object(&http::REQUEST), Optional, "a request, over the arguments"),
        #[cfg(feature = "language")]
        field(
            "workflow",
            Shape::Object(&WORKFLOW),
            Optional,
            "steps over the arguments, whose end is the result",
        ),
        #[cfg(feature = "language")]
        field("mcp", Shape::Object(&http::MCP_TOOL), Optional, "a tool of an MCP server"),
        field("provider", Shape::Choice(Provided::WORDS), Optional, "what the model's provider runs itself"),
        field("maxUses", COUNT, Beside("provider"), "how often it may search for one answer"),
        field("allowedDomains", Shape::Names(Role::Plain), Beside("provider"), "all that it may search"),
        field("blockedDomains", Shape::Names(Role::Plain), Beside("provider"), "what it must not find"),
    ],
};

#[cfg(feature = "language")]
const WORKFLOW: ObjectShape = ObjectShape { title: "workflow of a tool", fields: INNER };

/// Steps over a separate state.
const INNER: &[Field] = &[
    field("initialState", Shape::Record, Optional, "the state the inner steps begin with"),
    field("with", EXPRESSIONS, Optional, "an expression for each key that they are given"),
    field("steps", Shape::Steps, Required, "the inner steps"),
    field("set", EXPRESSIONS, Optional, "an expression for each key that they give"),
];

const RETRY_POLICY: ObjectShape = ObjectShape {
    title: "retry policy",
    fields: &[
        field("maxRetries", Shape::Integer(0, 1000), Optional, "attempts after the first one"),
        field(
            "backoffMs",
            Shape::Integer(0, MAX_EXACT),
            Optional,
            "milliseconds before the first repetition",
        ),
        field("factor", Shape::Number(1.0, 1000.0), Optional, "by how much the wait grows"),
        field("maxBackoffMs", Shape::Integer(0, MAX_EXACT), Optional, "the longest wait in milliseconds"),
        field("jitter", Shape::Number(0.0, 1.0), Optional, "the share of the wait left to chance"),
        field(
            "afterFirstDelta",
            Shape::Boolean,
            Optional,
            "whether a model is asked again that has begun its answer",
        ),
    ],
};

const LIMITS: ObjectShape = ObjectShape {
    title: "set of limits",
    fields: &[
        field("timeoutMs", Shape::Integer(1, MAX_EXACT), Optional, "milliseconds until the run is ended"),
        field(
            "stepTimeoutMs",
            Shape::Integer(1, MAX_EXACT),
            Optional,
            "milliseconds that an attempt may take",
        ),
        field(
            "firstTokenMs",
            Shape::Integer(1, MAX_EXACT),
            Optional,
            "milliseconds until a model begins to answer",
        ),
        field("idleMs", Shape::Integer(1, MAX_EXACT), Optional, "milliseconds that a model may pause"),
        field("templateFuel", Shape::Integer(1, MAX_EXACT), Optional, "instructions one template may take"),
        field("maxSteps", Shape::Integer(1, MAX_EXACT), Optional, "steps that a run may start"),
        field(
            "maxStateBytes",
            Shape::Integer(1, MAX_EXACT),
            Optional,
            "bytes that the state may have as JSON",
        ),
        field(
            "maxResultBytes",
            Shape::Integer(1, MAX_EXACT),
            Optional,
            "bytes of JSON that a function or a tool may give at once",
        ),
        field("maxEvents", Shape::Integer(1, MAX_EXACT), Optional, "events that a run may emit"),
        MAX_TOKENS,
        MAX_COST_FIELD,
    ],
};

const HANDLER: ObjectShape = ObjectShape {
    title: "handler",
    fields: &[
        field("handler", Shape::Name(Role::Plain), Optional, "the name of a function of the host"),
        VERSION_FIELD,
    ],
};

const VERSION_FIELD: Field =
    field("version", Shape::Name(Role::Plain), Beside("handler"), "changes when the function does");

const RUN: ObjectShape = ObjectShape {
    title: "run",
    fields: &[
        field("set", EXPRESSIONS, Optional, "an expression for each key"),
        field("handler", Shape::Name(Role::Plain), Optional, "the name of a function of the host"),
        VERSION_FIELD,
        field("code", Shape::Text(Role::Plain), Optional, "JavaScript to be run in a closed room"),
    ],
};

const EXPRESSIONS: Shape = Shape::Map(Keys::State, &Shape::Text(Role::Expression));

const CASE: ObjectShape = ObjectShape {
    title: "case",
    fields: &[
        field("name", Shape::Text(Role::Plain), Optional, "what people call this way"),
        field("when", Shape::TextOr(Role::Expression, &HANDLER), Required, "what decides"),
        field("steps", Shape::Steps, Required, "the steps to run when it is true"),
    ],
};

const REPEAT: ObjectShape = ObjectShape {
    title: "repeat",
    fields: &[
        field("while", Shape::TextOr(Role::Expression, &HANDLER), Optional, "goes on while it is true"),
        field("until", Shape::TextOr(Role::Expression, &HANDLER), Optional, "ends when it is true"),
    ],
};

const WAIT: ObjectShape = ObjectShape {
    title: "wait",
    fields: &[
        field("ms", Shape::Integer(0, MAX_EXACT), Optional, "milliseconds"),
        field("until", Shape::Text(Role::Expression), Optional, "an expression for the time"),
    ],
};

const EXIT: ObjectShape = ObjectShape {
    title: "end",
    fields: &[
        field("scope", Shape::Choice(&["run", "round", "item"]), Optional, "what ends here"),
        field("status", Shape::Choice(&["done", "error"]), Optional, "whether it ends well"),
        field("message", Shape::Text(Role::Template), Optional, "why it ends, for people"),
    ],
};

const fn field(key: &'static str, shape: Shape, presence: Presence, purpose: &'static str) -> Field {
    let is_documented = cfg!(feature = "schema") || matches!(presence, Required);
    Field { key, shape, presence, purpose: if is_documented { purpose } else { "" } }
}
