//! Reads a document out of JSON that the validator has walked.
//!
//! Written by hand: derived readers of this many shapes are a tenth of the whole wasm.

use indexmap::IndexMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{
    Approval, Branch, Case, Check, DEFAULT_ITEM, Document, Exit, ExitScope, ExitStatus, Foreach, Fork,
    HandlerRef, Inner, Limits, Loop, OnConflict, OnError, OnItemError, OnMax, Repeat, RetryPolicy, Run,
    Source, Step, StepKind, Switch, Wait,
};

#[cfg(feature = "language")]
mod agents;
mod fields;
#[cfg(feature = "language")]
mod http;

use fields::{Fault, Fields, FirstFault};

impl Document {
    /// Reads a document from a JSON value.
    ///
    /// # Errors
    /// With the first value that does not fit. [`validate`](crate::validate) reports all of them, and in more detail.
    pub fn from_json(value: Value) -> Result<Self, String> {
        FirstFault::of(value, document)
    }
}

fn document(value: Value, first: &FirstFault) -> Document {
    let mut fields = Fields::of(value, first);
    let mut document = Document {
        version: fields.number("version").unwrap_or_default(),
        name: fields.text("name"),
        description: fields.maybe_text("description"),
        input: fields.maybe("input", check),
        output: fields.maybe("output", check),
        initial_state: fields.object("initialState"),
        models: IndexMap::new(),
        agents: IndexMap::new(),
        tools: IndexMap::new(),
        prices: IndexMap::new(),
        steps: fields.need_steps("steps"),
        retry_policy: fields.maybe("retryPolicy", retry_policy),
        on_error: fields.word("onError", OnError::from_word),
        limits: fields.maybe("limits", limits),
        notes: fields.maybe_text("notes"),
        pins: fields.object("pins"),
        extensions: Map::new(),
    };
    #[cfg(feature = "language")]
    agents::settings(&mut fields, &mut document);
    document.extensions = fields.map;
    document
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        FirstFault::of(Value::deserialize(deserializer)?, step).map_err(D::Error::custom)
    }
}

fn step(value: Value, first: &FirstFault) -> Step {
    let mut fields = Fields::of(value, first);
    let kind = fields.text("type");
    Step {
        id: fields.text("id"),
        name: fields.text("name"),
        required: fields.switch("required"),
        enabled: fields.switch("enabled"),
        retry_count: fields.number("retryCount"),
        timeout_ms: fields.number("timeoutMs"),
        on_error: fields.word("onError", OnError::from_word),
        input: fields.maybe("input", check),
        output: fields.maybe("output", check),
        coerce: fields.is_true("coerce"),
        notes: fields.maybe_text("notes"),
        kind: match kind.as_str() {
            #[cfg(feature = "language")]
            "agent" => StepKind::Agent(agents::call(&mut fields)),
            "function" => StepKind::Function(fields.need("run", run)),
            #[cfg(feature = "language")]
            "http" => StepKind::Http(Box::new(super::HttpCall {
                http: fields.need("http", http::request),
                on_unknown: fields.word("onUnknown", super::OnUnknown::from_word).unwrap_or_default(),
            })),
            "condition" => StepKind::Condition(Branch {
                condition: fields.need("condition", source),
                steps: fields.need_steps("steps"),
                otherwise: fields.steps("else").unwrap_or_default(),
            }),
            "parallel" => StepKind::Parallel(Fork {
                members: fields.need_steps("parallel"),
                concurrency: fields.number("concurrency"),
                on_conflict: fields.word("onConflict", on_conflict).unwrap_or_default(),
            }),
            "sequence" => StepKind::Sequence(fields.need_steps("steps")),
            "switch" => StepKind::Switch(Switch {
                cases: fields.need("cases", cases),
                default: fields.need_steps("default"),
            }),
            "foreach" => StepKind::Foreach(Foreach {
                items: fields.need("items", source),
                item: fields.maybe_text("as").unwrap_or_else(|| DEFAULT_ITEM.to_owned()),
                steps: fields.need_steps("steps"),
                result: fields.maybe_text("result"),
                concurrency: fields.number("concurrency").unwrap_or(1),
                on_item_error: fields.word("onItemError", on_item_error).unwrap_or_default(),
            }),
            "loop" => StepKind::Loop(Loop {
                repeat: fields.need("repeat", repeat),
                max_iterations: fields.need_number("maxIterations"),
                on_max: fields.word("onMax", on_max).unwrap_or_default(),
                steps: fields.need_steps("steps"),
            }),
            "workflow" => StepKind::Workflow(inner_of(&mut fields)),
            "wait" => StepKind::Wait(fields.need("wait", wait)),
            "approval" => StepKind::Approval(Approval {
                message: fields.maybe_text("message"),
                schema: fields.maybe("schema", check),
                approved: fields.maybe("approved", source),
                steps: fields.steps("steps"),
                otherwise: fields.steps("else"),
                expires_ms: fields.number("expiresMs"),
                expired: fields.steps("expired"),
            }),
            "end" => StepKind::End(fields.need("end", exit)),
            _ => {
                first.note(Fault::Unfit("type"));
                StepKind::Sequence(Vec::new())
            }
        },
        extensions: fields.map,
    }
}

impl Inner {
    /// What a JSON value is, as tools that are workflows have them.
    ///
    /// # Errors
    /// With the first thing that does not fit.
    pub fn from_json(value: Value) -> Result<Self, String> {
        FirstFault::of(value, inner)
    }
}

fn inner(value: Value, first: &FirstFault) -> Inner {
    inner_of(&mut Fields::of(value, first))
}

fn inner_of(fields: &mut Fields<'_>) -> Inner {
    Inner {
        steps: fields.need_steps("steps"),
        initial_state: fields.object("initialState"),
        with: fields.maybe("with", expressions),
        set: fields.maybe("set", expressions),
    }
}

fn retry_policy(value: Value, first: &FirstFault) -> RetryPolicy {
    let mut fields = Fields::of(value, first);
    let usual = RetryPolicy::default();
    RetryPolicy {
        max_retries: fields.number("maxRetries").unwrap_or(usual.max_retries),
        backoff_ms: fields.number("backoffMs").unwrap_or(usual.backoff_ms),
        factor: fields.fraction("factor").unwrap_or(usual.factor),
        max_backoff_ms: fields.number("maxBackoffMs").unwrap_or(usual.max_backoff_ms),
        jitter: fields.fraction("jitter").unwrap_or(usual.jitter),
        after_first_delta: fields.is_true("afterFirstDelta"),
    }
}

impl Limits {
    /// The bounds that a JSON value is, as documents write them.
    ///
    /// # Errors
    /// With the first thing that does not fit.
    pub fn from_json(value: Value) -> Result<Self, String> {
        FirstFault::of(value, limits)
    }
}

fn limits(value: Value, first: &FirstFault) -> Limits {
    let mut fields = Fields::of(value, first);
    Limits {
        timeout_ms: fields.number("timeoutMs"),
        step_timeout_ms: fields.number("stepTimeoutMs"),
        first_token_ms: fields.number("firstTokenMs"),
        idle_ms: fields.number("idleMs"),
        template_fuel: fields.number("templateFuel"),
        max_steps: fields.number("maxSteps"),
        max_state_bytes: fields.number("maxStateBytes"),
        max_result_bytes: fields.number("maxResultBytes"),
        max_events: fields.number("maxEvents"),
        max_tokens: fields.number("maxTokens"),
        max_cost: fields.fraction("maxCost"),
    }
}

fn on_conflict(word: &str) -> Option<OnConflict> {
    match word {
        "warn" => Some(OnConflict::Warn),
        "error" => Some(OnConflict::Error),
        _ => None,
    }
}

fn on_item_error(word: &str) -> Option<OnItemError> {
    match word {
        "stop" => Some(OnItemError::Stop),
        "null" => Some(OnItemError::Null),
        "drop" => Some(OnItemError::Drop),
        _ => None,
    }
}

fn on_max(word: &str) -> Option<OnMax> {
    match word {
        "error" => Some(OnMax::Error),
        "continue" => Some(OnMax::Continue),
        _ => None,
    }
}

fn source(value: Value, first: &FirstFault) -> Source {
    match value {
        Value::String(text) => Source::Text(text),
        other => Source::Handler(handler(&mut Fields::of(other, first))),
    }
}

fn handler(fields: &mut Fields<'_>) -> HandlerRef {
    HandlerRef { handler: fields.text("handler"), version: fields.maybe_text("version") }
}

fn check(value: Value, first: &FirstFault) -> Check {
    let Some(map) = value.as_object() else { return Check::Schema(value) };
    match (map.len(), map.get("handler").and_then(Value::as_str), map.get("schema")) {
        (1, Some(_), _) => Check::Handler(handler(&mut Fields::of(value, first))),
        (2, Some(handler), Some(schema)) => {
            Check::Described { handler: handler.to_owned(), schema: schema.clone() }
        }
        _ => Check::Schema(value),
    }
}

fn run(value: Value, first: &FirstFault) -> Run {
    let mut fields = Fields::of(value, first);
    if let Some(set) = fields.maybe("set", expressions) {
        return Run::Set(set);
    }
    match fields.maybe_text("code") {
        Some(code) => Run::Code(code),
        None => Run::Handler(handler(&mut fields)),
    }
}

fn expressions(value: Value, first: &FirstFault) -> IndexMap<String, String> {
    let mut read = IndexMap::new();
    for (key, value) in Fields::of(value, first).map {
        match value {
            Value::String(text) => drop(read.insert(key, text)),
            _ => first.note(Fault::Unfit("set")),
        }
    }
    read
}

fn cases(value: Value, first: &FirstFault) -> Vec<Case> {
    let Value::Array(cases) = value else {
        first.note(Fault::Unfit("cases"));
        return Vec::new();
    };
    let read = |value| {
        let mut fields = Fields::of(value, first);
        Case {
            name: fields.maybe_text("name"),
            when: fields.need("when", source),
            steps: fields.need_steps("steps"),
        }
    };
    cases.into_iter().map(read).collect()
}

fn repeat(value: Value, first: &FirstFault) -> Repeat {
    let mut fields = Fields::of(value, first);
    match fields.maybe("while", source) {
        Some(condition) => Repeat::While(condition),
        None => Repeat::Until(fields.need("until", source)),
    }
}

fn wait(value: Value, first: &FirstFault) -> Wait {
    let mut fields = Fields::of(value, first);
    match fields.number("ms") {
        Some(ms) => Wait::Ms(ms),
        None => Wait::Until(fields.text("until")),
    }
}

fn exit(value: Value, first: &FirstFault) -> Exit {
    let mut fields = Fields::of(value, first);
    let mut word = |key| fields.maybe_text(key).unwrap_or_default();
    Exit {
        scope: match word("scope").as_str() {
            "round" => ExitScope::Round,
            "item" => ExitScope::Item,
            _ => ExitScope::Run,
        },
        status: if word("status") == "error" { ExitStatus::Error } else { ExitStatus::Done },
        message: fields.maybe_text("message"),
    }
}
