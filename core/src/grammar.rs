//! What a document looks like: the table behind the validator and the JSON Schema.

use crate::document::VERSION;
use crate::shape::Presence::{Beside, Optional, Required};
use crate::shape::{Field, Keys, ObjectShape, Presence, Role, Shape};

#[cfg(feature = "language")]
mod agents;
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
        #[cfg(feature = "language")]
        field("models", Shape::Map(Keys::Models, &agents::MODEL), Optional, "the models that agents name"),
        #[cfg(feature = "language")]
        field(
            "agents",
            Shape::Map(Keys::Agents, &agents::AGENT),
            Optional,
            "the agents that agent steps name",
        ),
        #[cfg(feature = "language")]
        field("tools", Shape::Map(Keys::Tools, &agents::TOOL), Optional, "the tools that agents name"),
        #[cfg(feature = "language")]
        field("prices", Shape::Map(Keys::Free, &agents::PRICE), Optional, "what models of these names cost"),
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
    #[cfg(feature = "language")]
    agents::STEP,
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
                field("message", Shape::Text(Role::Template), Optional, "what the person is shown"),
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

/// What one evaluation of a template or an expression may take at most: a second or two.
pub const MAX_FUEL: u64 = 5_000_000;

/// The largest number that every JSON reader keeps exactly.
const MAX_EXACT: u64 = (1 << 53) - 1;

const COUNT: Shape = Shape::Integer(1, u32::MAX as u64);

/// Sums that no price or bound passes, in US dollars.
const MAX_COST: f64 = 1e9;

const AMOUNT: Shape = Shape::Number(0.0, MAX_COST);

const MAX_TOKENS: Field =
    field("maxTokens", Shape::Integer(1, MAX_EXACT), Optional, "tokens that model calls may use");

const MAX_COST_FIELD: Field = field("maxCost", AMOUNT, Optional, "US dollars that model calls may cost");

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
            "whether a model is called again that has begun its answer",
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
        field("templateFuel", Shape::Integer(1, MAX_FUEL), Optional, "instructions one template may take"),
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
