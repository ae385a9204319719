//! Reads a document out of JSON that the validator has walked.
//!
//! Written by hand: derived readers of this many shapes are a tenth of the whole wasm.

use indexmap::IndexMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{
    Agent, AgentCall, Branch, Document, Fork, Limits, Model, OnConflict, OnError, Provider, RetryPolicy, Run,
    Secret, Source, Step, StepKind, Tool,
};

/// What could not be read, with the key.
type Read<T> = Result<T, String>;

/// An object whose keys are taken out one by one.
struct Fields(Map<String, Value>);

impl Document {
    /// The document that a JSON value is.
    ///
    /// # Errors
    /// With the first thing that does not fit. [`validate`](crate::validate) tells everything, and more of it.
    pub fn from_json(value: Value) -> Result<Self, String> {
        let mut fields = Fields::of(value)?;
        Ok(Self {
            version: fields.number("version")?.unwrap_or_default(),
            name: fields.text("name")?,
            description: fields.maybe_text("description")?,
            input: fields.take("input"),
            output: fields.take("output"),
            initial_state: fields.object("initialState")?,
            models: fields.map("models", model)?,
            agents: fields.map("agents", agent)?,
            tools: fields.map("tools", tool)?,
            steps: fields.steps("steps")?.ok_or_else(|| missing("steps"))?,
            retry_policy: fields.maybe("retryPolicy", retry_policy)?,
            on_error: fields.maybe("onError", on_error)?,
            limits: fields.maybe("limits", limits)?,
            notes: fields.maybe_text("notes")?,
            extensions: fields.0,
        })
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
        notes: fields.maybe_text("notes")?,
        kind: match kind.as_str() {
            "agent" => StepKind::Agent(AgentCall {
                agent: fields.text("agent")?,
                input_from: fields.maybe("inputFrom", source)?,
            }),
            "function" => StepKind::Function(fields.need("run", run)?),
            "condition" => StepKind::Condition(Branch {
                condition: fields.need("condition", source)?,
                steps: fields.steps("steps")?.ok_or_else(|| missing("steps"))?,
                otherwise: fields.steps("else")?.unwrap_or_default(),
            }),
            "parallel" => StepKind::Parallel(Fork {
                members: fields.steps("parallel")?.ok_or_else(|| missing("parallel"))?,
                concurrency: fields.number("concurrency")?,
                on_conflict: fields.maybe("onConflict", on_conflict)?.unwrap_or_default(),
            }),
            "sequence" => StepKind::Sequence(fields.steps("steps")?.ok_or_else(|| missing("steps"))?),
            other => return Err(format!("there is no type `{other}`")),
        },
        extensions: fields.0,
    })
}

fn model(value: Value) -> Read<Model> {
    let mut fields = Fields::of(value)?;
    Ok(Model {
        provider: match fields.text("provider")?.as_str() {
            "openai" => Provider::Openai,
            "demo" => Provider::Demo,
            other => return Err(format!("there is no provider `{other}`")),
        },
        model: fields.text("model")?,
        base_url: fields.maybe_text("baseUrl")?,
        api_key: fields.maybe("apiKey", |value| Ok(Secret { secret: Fields::of(value)?.text("secret")? }))?,
        params: fields.object("params")?,
        extensions: fields.0,
    })
}

fn agent(value: Value) -> Read<Agent> {
    let mut fields = Fields::of(value)?;
    Ok(Agent {
        model: fields.text("model")?,
        instructions: fields.maybe_text("instructions")?,
        params: fields.object("params")?,
        extensions: fields.0,
    })
}

fn tool(value: Value) -> Read<Tool> {
    let mut fields = Fields::of(value)?;
    Ok(Tool {
        description: fields.maybe_text("description")?,
        input: fields.take("input"),
        extensions: fields.0,
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
    })
}

fn limits(value: Value) -> Read<Limits> {
    let mut fields = Fields::of(value)?;
    Ok(Limits {
        timeout_ms: fields.number("timeoutMs")?,
        step_timeout_ms: fields.number("stepTimeoutMs")?,
        first_token_ms: fields.number("firstTokenMs")?,
        idle_ms: fields.number("idleMs")?,
        template_fuel: fields.number("templateFuel")?,
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

fn source(value: Value) -> Read<Source> {
    match value {
        Value::String(text) => Ok(Source::Text(text)),
        other => Ok(Source::Handler { handler: Fields::of(other)?.text("handler")? }),
    }
}

fn run(value: Value) -> Read<Run> {
    let mut fields = Fields::of(value)?;
    match fields.take("set") {
        Some(Value::Object(set)) => {
            let expressions = set.into_iter().map(|(key, value)| match value {
                Value::String(text) => Ok((key, text)),
                other => Err(format!("{other} is no expression")),
            });
            Ok(Run::Set(expressions.collect::<Read<_>>()?))
        }
        _ => Ok(Run::Handler(fields.text("handler")?)),
    }
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
