use std::future::Future;
use std::pin::{Pin, pin};

use futures_util::future::{Either, select};

use super::event::{Event, Failed, Finished, Origin, Usage};
use super::plan::{Ask, Decider, Input, Node, NodeKind, Plan, Presence};
use super::{Call, Code, Error, Host, StepIndex, retry};
use crate::document::OnError;
use crate::models;
use crate::template::Fault;

/// How a run ended.
#[derive(Debug)]
pub struct Outcome<V> {
    /// The state at the end. There is none when the run was interrupted: what it changed until then is then told
    /// by the patches of the steps that finished.
    pub state: Option<V>,
    /// Why the run stopped before its end, if it did.
    pub error: Option<Error>,
    /// The step whose failure stopped the run.
    pub stopped_by: Option<StepIndex>,
}

/// Walks the plan from this state to its end.
///
/// Dropping the future cancels the run: what is under way in the host is dropped with it.
pub async fn run<H: Host>(plan: &Plan, host: &H, state: H::Value) -> Outcome<H::Value> {
    let walk = Walk { plan, host };
    let Some(limit) = plan.timeout_ms else {
        return walk.whole(state).await;
    };
    within(host, limit, walk.whole(state)).await.unwrap_or_else(|| Outcome {
        state: None,
        error: Some(
            Error::new(Code::Timeout, format!("the run took longer than {limit} ms"))
                .with_hint("raise limits.timeoutMs, or make the slow steps faster"),
        ),
        stopped_by: None,
    })
}

/// What the future gives, unless it takes longer than this; it is then dropped.
pub(crate) async fn within<H: Host, T>(
    host: &H,
    limit_ms: u64,
    future: impl Future<Output = T>,
) -> Option<T> {
    match select(pin!(future), pin!(host.sleep(limit_ms))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(((), _)) => None,
    }
}

/// The state after a step or a block, and the failure that stopped it, if one did.
pub(super) struct Passed<V> {
    pub(super) state: V,
    pub(super) stop: Option<Stop>,
}

/// A failure on its way up.
pub(super) struct Stop {
    pub(super) error: Error,
    /// The step that failed, not a container that it stopped.
    pub(super) step: StepIndex,
    pub(super) name: String,
}

pub(super) struct Walk<'a, H: Host> {
    pub(super) plan: &'a Plan,
    pub(super) host: &'a H,
}

/// What a leaf step gave.
struct Answer<V> {
    output: Option<V>,
    patch: Option<V>,
    usage: Option<Usage>,
    origin: Origin,
}

/// How a container ended, apart from the failures inside it.
pub(super) enum Inside<V> {
    Done { output: Option<V> },
    Skipped { reason: &'static str },
    Failed(Error),
}

impl<'a, H: Host> Walk<'a, H> {
    async fn whole(&self, state: H::Value) -> Outcome<H::Value> {
        let passed = self.block(&self.plan.root, state).await;
        let (error, stopped_by) = match passed.stop {
            Some(stop) => (Some(stop.error), Some(stop.step)),
            None => (None, None),
        };
        Outcome { state: Some(passed.state), error, stopped_by }
    }

    pub(super) async fn block(&self, nodes: &'a [Node], mut state: H::Value) -> Passed<H::Value> {
        for node in nodes {
            let passed = self.step(node, state).await;
            if passed.stop.is_some() {
                return passed;
            }
            state = passed.state;
        }
        Passed { state, stop: None }
    }

    pub(super) async fn step(&self, node: &'a Node, state: H::Value) -> Passed<H::Value> {
        if node.presence == Presence::Disabled {
            self.host.emit(Event::StepSkipped { step: node.index, reason: "the step is disabled" });
            return Passed { state, stop: None };
        }
        match &node.kind {
            NodeKind::Agent(_) | NodeKind::Set(_) | NodeKind::Handler => self.leaf(node, state).await,
            NodeKind::Condition { .. } | NodeKind::Parallel { .. } | NodeKind::Sequence(_) => {
                // The tree is as deep as its author made it, so the future of what is inside lives on the heap.
                let inside: Pin<Box<dyn Future<Output = Passed<H::Value>> + '_>> =
                    Box::pin(self.container(node, state));
                inside.await
            }
        }
    }

    async fn leaf(&self, node: &'a Node, state: H::Value) -> Passed<H::Value> {
        let step = node.index;
        let started_at = self.host.now();
        let mut attempts = 1;
        loop {
            self.host.emit(Event::StepStart { step, attempt: attempts });
            match self.timed_attempt(node, &state, attempts).await {
                Ok(Answer { output, patch, usage, origin }) => {
                    let state = match &patch {
                        Some(patch) => self.host.merge(&state, patch),
                        None => state,
                    };
                    let duration_ms = self.host.now() - started_at;
                    let finished =
                        Finished { attempts, started_at, duration_ms, output, patch, usage, origin };
                    self.host.emit(Event::StepDone { step, finished });
                    if matches!(node.kind, NodeKind::Set(_)) {
                        self.host.pause().await;
                    }
                    return Passed { state, stop: None };
                }
                Err(error) => {
                    let retry_in_ms =
                        retry::wait_ms(&self.plan.retry, node.max_retries, self.host, &error, attempts);
                    let duration_ms = self.host.now() - started_at;
                    let failed = Failed {
                        attempts,
                        started_at,
                        duration_ms,
                        error: error.clone(),
                        stopped_by: None,
                        retry_in_ms,
                    };
                    self.host.emit(Event::StepError { step, failed });
                    let Some(wait) = retry_in_ms else {
                        let stop = (node.on_failure == OnError::Stop).then(|| Stop {
                            error,
                            step,
                            name: node.name.clone(),
                        });
                        return Passed { state, stop };
                    };
                    self.host.sleep(wait).await;
                    attempts += 1;
                }
            }
        }
    }

    async fn timed_attempt(
        &self,
        node: &'a Node,
        state: &H::Value,
        attempt: u32,
    ) -> Result<Answer<H::Value>, Error> {
        let Some(limit) = node.timeout_ms else {
            return self.attempt(node, state, attempt).await;
        };
        match within(self.host, limit, self.attempt(node, state, attempt)).await {
            Some(result) => result,
            None => Err(Error::new(Code::Timeout, format!("`{}` took longer than {limit} ms", node.name))
                .with_hint("raise its timeoutMs, or let it do less")
                .retryable()),
        }
    }

    async fn attempt(
        &self,
        node: &'a Node,
        state: &H::Value,
        attempt: u32,
    ) -> Result<Answer<H::Value>, Error> {
        let call = Call { step: node.index, attempt, state };
        match &node.kind {
            NodeKind::Handler => {
                let patch = self.host.run(call).await?;
                Ok(Answer { output: None, patch: Some(patch), usage: None, origin: Origin::Real })
            }
            NodeKind::Set(set) => {
                let patch = self.set(set, state)?;
                Ok(Answer { output: None, patch: Some(patch), usage: None, origin: Origin::Real })
            }
            NodeKind::Agent(ask) => self.ask(ask, call).await,
            // `step` sends containers another way; saying so keeps a broken invariant from being a crash.
            _ => Err(Error::new(Code::Internal, format!("`{}` is not a single step", node.name))),
        }
    }

    fn set(&self, set: &[(String, String)], state: &H::Value) -> Result<H::Value, Error> {
        let view = self.host.template_view(state);
        let mut patch = serde_json::Map::new();
        for (key, source) in set {
            let value = self.plan.templates.evaluate(source, view.clone());
            let value = value.map_err(|fault| told(&fault, &format!("the expression for `{key}`")))?;
            patch.insert(key.clone(), value);
        }
        Ok(self.host.value_from_json(patch.into()))
    }

    async fn ask(&self, ask: &Ask, call: Call<'_, H::Value>) -> Result<Answer<H::Value>, Error> {
        let step = call.step;
        let input = match &ask.input {
            Input::State => self.host.json_text(call.state),
            Input::Handler => self.host.compose(call).await?,
            Input::Template(name) => {
                let view = self.host.template_view(call.state);
                self.plan.templates.render(name, view).map_err(|fault| told(&fault, "`inputFrom`"))?
            }
        };
        let reply = models::ask(self.host, step, &ask.question, &input).await?;
        let output = self.host.value_from_json(reply.text.clone().into());
        let mut patch = serde_json::Map::new();
        patch.insert(ask.output_key.clone(), reply.text.into());
        let patch = self.host.value_from_json(patch.into());
        Ok(Answer { output: Some(output), patch: Some(patch), usage: reply.usage, origin: reply.origin })
    }

    async fn container(&self, node: &'a Node, state: H::Value) -> Passed<H::Value> {
        let step = node.index;
        let started_at = self.host.now();
        self.host.emit(Event::StepStart { step, attempt: 1 });
        let (inside, passed) = match &node.kind {
            NodeKind::Condition { condition, steps, otherwise } => {
                self.branch(step, condition, steps, otherwise, node.timeout_ms, state).await
            }
            NodeKind::Parallel { members, concurrency, on_conflict } => {
                self.fork(step, members, *concurrency, *on_conflict, state).await
            }
            NodeKind::Sequence(steps) => (Inside::Done { output: None }, self.block(steps, state).await),
            _ => (Inside::Done { output: None }, Passed { state, stop: None }),
        };
        let duration_ms = self.host.now() - started_at;
        let failed = match (inside, passed.stop) {
            (Inside::Failed(error), _) => {
                let stop = Stop { error: error.clone(), step, name: node.name.clone() };
                Some((error, None, stop))
            }
            (_, Some(stop)) => {
                let error = Error {
                    message: format!("stopped by `{}`: {}", stop.name, stop.error.message),
                    op: None,
                    ..stop.error.clone()
                };
                Some((error, Some(stop.step), stop))
            }
            (Inside::Skipped { reason }, None) => {
                self.host.emit(Event::StepSkipped { step, reason });
                None
            }
            (Inside::Done { output }, None) => {
                let finished = Finished {
                    attempts: 1,
                    started_at,
                    duration_ms,
                    output,
                    patch: None,
                    usage: None,
                    origin: Origin::Real,
                };
                self.host.emit(Event::StepDone { step, finished });
                None
            }
        };
        let Some((error, stopped_by, stop)) = failed else {
            return Passed { state: passed.state, stop: None };
        };
        let failed = Failed { attempts: 1, started_at, duration_ms, error, stopped_by, retry_in_ms: None };
        self.host.emit(Event::StepError { step, failed });
        Passed { state: passed.state, stop: (node.on_failure == OnError::Stop).then_some(stop) }
    }

    async fn branch(
        &self,
        step: StepIndex,
        condition: &Decider,
        steps: &'a [Node],
        otherwise: &'a [Node],
        limit_ms: Option<u64>,
        state: H::Value,
    ) -> (Inside<H::Value>, Passed<H::Value>) {
        let decision = match condition {
            Decider::Handler => {
                let decision = self.host.decide(Call { step, attempt: 1, state: &state });
                match limit_ms {
                    None => decision.await,
                    Some(limit) => within(self.host, limit, decision).await.unwrap_or_else(|| {
                        Err(Error::new(Code::Timeout, format!("the condition took longer than {limit} ms"))
                            .with_hint("raise limits.stepTimeoutMs, or let it do less"))
                    }),
                }
            }
            Decider::Expression(source) => self.decide(source, &state),
        };
        match decision {
            Err(error) => (Inside::Failed(error), Passed { state, stop: None }),
            Ok(false) if otherwise.is_empty() => {
                (Inside::Skipped { reason: "the condition is false" }, Passed { state, stop: None })
            }
            Ok(decision) => {
                let output = Some(self.host.value_from_json(decision.into()));
                let taken = if decision { steps } else { otherwise };
                (Inside::Done { output }, self.block(taken, state).await)
            }
        }
    }

    fn decide(&self, source: &str, state: &H::Value) -> Result<bool, Error> {
        let value = self.plan.templates.evaluate(source, self.host.template_view(state));
        match value.map_err(|fault| told(&fault, "the condition"))? {
            serde_json::Value::Bool(decision) => Ok(decision),
            other => Err(Error::new(Code::Template, format!("the condition `{source}` gives {other}"))
                .with_hint("it must give true or false; compare, as in `count > 0` or `text != ''`")),
        }
    }
}

/// The error of a step whose template or expression gave no value.
fn told(fault: &Fault, what: &str) -> Error {
    match fault {
        Fault::Missing(message) => Error::new(Code::Template, format!("{what} has no value: {message}"))
            .with_hint("check the names; `name | default('')` is for what may be absent"),
        Fault::Wrong(message) => Error::new(Code::Template, format!("{what} has no value: {message}"))
            .with_hint("check which kinds of values it works on, and the names of filters"),
        Fault::Limit(message) => Error::new(Code::Limit, format!("{what} was stopped: {message}"))
            .with_hint("make it do less, or raise limits.templateFuel"),
    }
}
