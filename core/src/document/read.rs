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
#[cfg(feature = "language")]
mod http;

/// What could not be read, with the key.
type Read<T> = Result<T, String>;

/// An object whose keys are taken out one by one.
struct Fields(Map<String, Value>);

impl Document {
    /// Reads a document from a JSON value.
    ///
    /// # Errors
    /// With the first value that does not fit. [`validate`](crate::validate) reports all of them, and in more detail.
    pub fn from_json(value: Value) -> Result<Self, String> {
        let mut fields = Fields::of(value)?;
        let mut document = Self {
            version: fields.number("version")?.unwrap_or_default(),
            name: fields.text("name")?,
            description: fields.maybe_text("description")?,
            input: fields.maybe("input", check)?,
            output: fields.maybe("output", check)?,
            initial_state: fields.object("initialState")?,
            models: IndexMap::new(),
            agents: IndexMap::new(),
            tools: IndexMap::new(),
            prices: IndexMap::new(),
            steps: fields.need_steps("steps")?,
            retry_policy: fields.maybe("retryPolicy", retry_policy)?,
            on_error: fields.maybe("onError", on_error)?,
            limits: fields.maybe("limits", limits)?,
            notes: fields.maybe_text("notes")?,
            pins: fields.object("pins")?,
            extensions: Map::new(),
        };
        #[cfg(feature = "language")]
        agents::settings(&mut fields, &mut document)?;
        document.extensions = fields.0;
        Ok(document)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        step(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn step(value: Value) -> Read<Step> {
    let mut fields = Fields::of(value)?;
    let kind = fields.text("type")?;
    Ok(Step {
        id: fields.text("id")?,
        name: fields.text("name")?,
        required: fields.switch("required"),
        enabled: fields.switch("enabled"),
        retry_count: fields.number("retryCount")?,
        timeout_ms: fields.number("timeoutMs")?,
        on_error: fields.maybe("onError", on_error)?,
        input: fields.maybe("input", check)?,
        output: fields.maybe("output", check)?,
        coerce: fields.is_true("coerce"),
        notes: fields.maybe_text("notes")?,
        kind: match kind.as_str() {
            #[cfg(feature = "language")]
            "agent" => StepKind::Agent(agents::call(&mut fields)?),
            "function" => StepKind::Function(fields.need("run", run)?),
            #[cfg(feature = "language")]
            "http" => StepKind::Http(Box::new(super::HttpCall {
                http: fields.need("http", http::request)?,
                on_unknown: fields.maybe("onUnknown", http::on_unknown)?.unwrap_or_default(),
            })),
            "condition" => StepKind::Condition(Branch {
                condition: fields.need("condition", source)?,
                steps: fields.need_steps("steps")?,
                otherwise: fields.steps("else")?.unwrap_or_default(),
            }),
            "parallel" => StepKind::Parallel(Fork {
                members: fields.need_steps("parallel")?,
                concurrency: fields.number("concurrency")?,
                on_conflict: fields.maybe("onConflict", on_conflict)?.unwrap_or_default(),
            }),
            "sequence" => StepKind::Sequence(fields.need_steps("steps")?),
            "switch" => StepKind::Switch(Switch {
                cases: fields.need("cases", cases)?,
                default: fields.need_steps("default")?,
            }),
            "foreach" => StepKind::Foreach(Foreach {
                items: fields.need("items", source)?,
                item: fields.maybe_text("as")?.unwrap_or_else(|| DEFAULT_ITEM.to_owned()),
                steps: fields.need_steps("steps")?,
                result: fields.maybe_text("result")?,
                concurrency: fields.number("concurrency")?.unwrap_or(1),
                on_item_error: fields.maybe("onItemError", on_item_error)?.unwrap_or_default(),
            }),
            "loop" => StepKind::Loop(Loop {
                repeat: fields.need("repeat", repeat)?,
                max_iterations: fields.number("maxIterations")?.ok_or_else(|| missing("maxIterations"))?,
                on_max: fields.maybe("onMax", on_max)?.unwrap_or_default(),
                steps: fields.need_steps("steps")?,
            }),
            "workflow" => StepKind::Workflow(inner(&mut fields)?),
            "wait" => StepKind::Wait(fields.need("wait", wait)?),
            "approval" => StepKind::Approval(Approval {
                message: fields.maybe_text("message")?,
                schema: fields.maybe("schema", check)?,
                approved: fields.maybe("approved", source)?,
                steps: fields.steps("steps")?,
                otherwise: fields.steps("else")?,
                expires_ms: fields.number("expiresMs")?,
                expired: fields.steps("expired")?,
            }),
            "end" => StepKind::End(fields.need("end", exit)?),
            other => return Err(format!("there is no type `{other}`")),
        },
        extensions: fields.0,
    })
}

impl Inner {
    /// What a JSON value is, as tools that are workflows have them.
    ///
    /// # Errors
    /// With the first thing that does not fit.
    pub fn from_json(value: Value) -> Result<Self, String> {
        inner(&mut Fields::of(value)?)
    }
}

fn inner(fields: &mut Fields) -> Read<Inner> {
    Ok(Inner {
        steps: fields.need_steps("steps")?,
        initial_state: fields.object("initialState")?,
        with: fields.maybe("with", expressions)?,
        set: fields.maybe("set", expressions)?,
    })
}

fn retry_policy(value: Value) -> Read<RetryPolicy> {
    let mut fields = Fields::of(value)?;
    let usual = RetryPolicy::default();
    Ok(RetryPolicy {
        max_retries: fields.number("maxRetries")?.unwrap_or(usual.max_retries),
        backoff_ms: fields.number("backoffMs")?.unwrap_or(usual.backoff_ms),
        factor: fields.fraction("factor").unwrap_or(usual.factor),
        max_backoff_ms: fields.number("maxBackoffMs")?.unwrap_or(usual.max_backoff_ms),
        jitter: fields.fraction("jitter").unwrap_or(usual.jitter),
        after_first_delta: fields.is_true("afterFirstDelta"),
    })
}

impl Limits {
    /// The bounds that a JSON value is, as documents write them.
    ///
    /// # Errors
    /// With the first thing that does not fit.
    pub fn from_json(value: Value) -> Result<Self, String> {
        limits(value)
    }
}

fn limits(value: Value) -> Read<Limits> {
    let mut fields = Fields::of(value)?;
    Ok(Limits {
        timeout_ms: fields.number("timeoutMs")?,
        step_timeout_ms: fields.number("stepTimeoutMs")?,
        first_token_ms: fields.number("firstTokenMs")?,
        idle_ms: fields.number("idleMs")?,
        template_fuel: fields.number("templateFuel")?,
        max_steps: fields.number("maxSteps")?,
        max_state_bytes: fields.number("maxStateBytes")?,
        max_result_bytes: fields.number("maxResultBytes")?,
        max_events: fields.number("maxEvents")?,
        max_tokens: fields.number("maxTokens")?,
        max_cost: fields.fraction("maxCost"),
    })
}

fn on_error(value: Value) -> Read<OnError> {
    match value.as_str() {
        Some("stop") => Ok(OnError::Stop),
        Some("continue") => Ok(OnError::Continue),
        _ => Err(format!("{value} is no `onError`")),
    }
}

fn on_conflict(value: Value) -> Read<OnConflict> {
    match value.as_str() {
        Some("warn") => Ok(OnConflict::Warn),
        Some("error") => Ok(OnConflict::Error),
        _ => Err(format!("{value} is no `onConflict`")),
    }
}

fn on_item_error(value: Value) -> Read<OnItemError> {
    match value.as_str() {
        Some("stop") => Ok(OnItemError::Stop),
        Some("null") => Ok(OnItemError::Null),
        Some("drop") => Ok(OnItemError::Drop),
        _ => Err(format!("{value} is no `onItemError`")),
    }
}

fn on_max(value: Value) -> Read<OnMax> {
    match value.as_str() {
        Some("error") => Ok(OnMax::Error),
        Some("continue") => Ok(OnMax::Continue),
        _ => Err(format!("{value} is no `onMax`")),
    }
}

fn source(value: Value) -> Read<Source> {
    match value {
        Value::String(text) => Ok(Source::Text(text)),
        other => Ok(Source::Handler(handler(&mut Fields::of(other)?)?)),
    }
}

fn handler(fields: &mut Fields) -> Read<HandlerRef> {
    Ok(HandlerRef { handler: fields.text("handler")?, version: fields.maybe_text("version")? })
}

fn check(value: Value) -> Read<Check> {
    let Some(map) = value.as_object() else { return Ok(Check::Schema(value)) };
    match (map.len(), map.get("handler").and_then(Value::as_str), map.get("schema")) {
        (1, Some(_), _) => Ok(Check::Handler(handler(&mut Fields::of(value)?)?)),
        (2, Some(handler), Some(schema)) => {
            Ok(Check::Described { handler: handler.to_owned(), schema: schema.clone() })
        }
        _ => Ok(Check::Schema(value)),
    }
}

fn run(value: Value) -> Read<Run> {
    let mut fields = Fields::of(value)?;
    if let Some(set) = fields.take("set") {
        return Ok(Run::Set(expressions(set)?));
    }
    match fields.maybe_text("code")? {
        Some(code) => Ok(Run::Code(code)),
        None => Ok(Run::Handler(handler(&mut fields)?)),
    }
}

fn expressions(value: Value) -> Read<IndexMap<String, String>> {
    let entries = Fields::of(value)?.0.into_iter().map(|(key, value)| match value {
        Value::String(text) => Ok((key, text)),
        other => Err(format!("{other} is no expression")),
    });
    entries.collect()
}

fn cases(value: Value) -> Read<Vec<Case>> {
    let Value::Array(cases) = value else { return Err(format!("{value} is no list of cases")) };
    let read = |value| {
        let mut fields = Fields::of(value)?;
        Ok(Case {
            name: fields.maybe_text("name")?,
            when: fields.need("when", source)?,
            steps: fields.need_steps("steps")?,
        })
    };
    cases.into_iter().map(read).collect()
}

fn repeat(value: Value) -> Read<Repeat> {
    let mut fields = Fields::of(value)?;
    match fields.maybe("while", source)? {
        Some(condition) => Ok(Repeat::While(condition)),
        None => Ok(Repeat::Until(fields.need("until", source)?)),
    }
}

fn wait(value: Value) -> Read<Wait> {
    let mut fields = Fields::of(value)?;
    match fields.number("ms")? {
        Some(ms) => Ok(Wait::Ms(ms)),
        None => Ok(Wait::Until(fields.text("until")?)),
    }
}

fn exit(value: Value) -> Read<Exit> {
    let mut fields = Fields::of(value)?;
    let mut word = |key| fields.maybe_text(key).map(Option::unwrap_or_default);
    Ok(Exit {
        scope: match word("scope")?.as_str() {
            "round" => ExitScope::Round,
            "item" => ExitScope::Item,
            _ => ExitScope::Run,
        },
        status: if word("status")? == "error" { ExitStatus::Error } else { ExitStatus::Done },
        message: fields.maybe_text("message")?,
    })
}

impl Fields {
    fn of(value: Value) -> Read<Self> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => Err(format!("{other} is no object")),
        }
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }

    fn maybe<T>(&mut self, key: &str, read: impl FnOnce(Value) -> Read<T>) -> Read<Option<T>> {
        self.take(key).map(read).transpose()
    }

    fn need<T>(&mut self, key: &str, read: impl FnOnce(Value) -> Read<T>) -> Read<T> {
        self.maybe(key, read)?.ok_or_else(|| missing(key))
    }

    /// A boolean that is true unless the document says `false`.
    fn switch(&mut self, key: &str) -> bool {
        self.take(key) != Some(Value::Bool(false))
    }

    /// A boolean that is false unless the document says `true`.
    fn is_true(&mut self, key: &str) -> bool {
        self.take(key) == Some(Value::Bool(true))
    }

    fn texts(&mut self, key: &str) -> Vec<String> {
        match self.take(key) {
            Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    fn text(&mut self, key: &str) -> Read<String> {
        self.maybe_text(key)?.ok_or_else(|| missing(key))
    }

    fn maybe_text(&mut self, key: &str) -> Read<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{key}` is {other}, not a text")),
        }
    }

    fn number<N: TryFrom<u64>>(&mut self, key: &str) -> Read<Option<N>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let number = value.as_u64().and_then(|number| N::try_from(number).ok());
        number.map(Some).ok_or_else(|| format!("`{key}` is {value}, not a whole number that fits"))
    }

    fn fraction(&mut self, key: &str) -> Option<f64> {
        self.take(key)?.as_f64()
    }

    fn object(&mut self, key: &str) -> Read<Map<String, Value>> {
        Ok(self.maybe(key, Self::of)?.map(|fields| fields.0).unwrap_or_default())
    }

    fn map<T>(&mut self, key: &str, read: fn(Value) -> Read<T>) -> Read<IndexMap<String, T>> {
        let entries = self.object(key)?.into_iter();
        entries.map(|(name, value)| Ok((name, read(value)?))).collect()
    }

    fn need_steps(&mut self, key: &str) -> Read<Vec<Step>> {
        self.steps(key)?.ok_or_else(|| missing(key))
    }

    fn steps(&mut self, key: &str) -> Read<Option<Vec<Step>>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Array(steps)) => Ok(Some(steps.into_iter().map(step).collect::<Read<_>>()?)),
            Some(other) => Err(format!("`{key}` is {other}, not a list of steps")),
        }
    }
}

fn missing(key: &str) -> String {
    format!("`{key}` is missing")
}
