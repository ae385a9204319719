//! The walk over the steps of one run, and how it ends.

use std::cell::Cell;
use std::future::Future;
use std::pin::{Pin, pin};

use futures_util::future::{Either, select};

use super::Reached;
use super::agent::Spent;
use super::flow::{End, Flow, Passed, Reach, STATE, Stop};
use super::gather::{AT_ONCE, Pause};
use super::http::Done;
use super::journal::{Caller, Journaling, RUN_TIMEOUT};
use super::namesakes::Namesakes;
use super::plan::{Node, NodeKind, Plan, Presence};
use super::reached::Block;
use super::time::Limit;
use super::traces::Traces;
use super::turns::Turns;
use super::under_way::UnderWay;
use crate::digest::Digest;
use crate::error::{Code, Error};
use crate::event::{Event, Failed, Scope, Spot, StepIndex};
use crate::host::{Entry, Host, Wants};
use crate::json;

/// How a run is to be made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Whether and how a journal is used.
    pub journal: Option<Journaling>,
    /// What chance begins with; the same seed and the same answers make the same run.
    pub seed: u32,
    /// What becomes of the pins of the document.
    pub pins: Pins,
}

/// What becomes of the pins of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pins {
    /// Every step is run.
    #[default]
    Ignored,
    /// Steps that have one give it and are not run.
    Used,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome<V> {
    /// The state at the end.
    pub state: V,
    /// In which way it ended.
    pub ending: Ending,
}

/// In which way a run ended.
#[derive(Debug)]
pub enum Ending {
    /// To the last step.
    Done,
    /// Nothing else can go on before a person has answered.
    Suspended,
    /// Before its end.
    Failed {
        /// Why.
        error: Error,
        /// The step whose failure stopped the run, if it was one.
        stopped_by: Option<Spot>,
    },
}

/// Walks the plan from this state to its end.
///
/// Dropping the future cancels the run: what is under way in the host is dropped with it. How far its state had come
/// is then in `reached`, which begins with the state of the run.
pub async fn run<H: Host>(
    plan: &Plan,
    host: &H,
    reached: &Reached<H::Value>,
    settings: Settings,
) -> Outcome<H::Value> {
    let Settings { journal, seed, pins } = settings;
    let walk = Walk {
        plan,
        host,
        journal,
        seed,
        pins,
        phase: Cell::new(Phase::Open),
        spent: Spent::default(),
        done: Done::default(),
        turns: Turns::default(),
        under_way: UnderWay::default(),
        namesakes: Namesakes::default(),
        scopes: Cell::new(0),
        steps: Cell::new(0),
    };
    let whole = async {
        match plan.limits.timeout_ms {
            None if !walk.replays_timeout() => walk.whole(reached).await,
            limit => walk.timed(limit.unwrap_or_default(), reached).await,
        }
    };
    walk.turns.of(pin!(whole)).await
}

/// Where the walk is: in which round of loops, and in which block.
pub(super) struct At<'s, V> {
    /// The scope's number; 0 outside of all loops.
    pub(super) scope: u32,
    /// What the keys of the scope's executions begin with.
    pub(super) prefix: &'s str,
    /// The block.
    pub(super) block: &'s Block<V>,
    /// The limit of the tool whose steps these are, if it has one.
    pub(super) limit: Option<&'s Limit<'s>>,
}

impl<V> Clone for At<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for At<'_, V> {}

impl<'s, V> At<'s, V> {
    /// The same round, in another block.
    pub(super) fn within(self, block: &'s Block<V>) -> Self {
        Self { block, ..self }
    }

    /// The execution of a step here.
    pub(super) fn spot(&self, node: &Node) -> Spot {
        Spot { step: node.index, scope: self.scope }
    }

    /// Where an attempt of a step here makes its requests.
    pub(super) fn caller(&self, node: &Node, attempt: u32) -> Caller<'s> {
        Caller { limit: self.limit, ..Caller::new(self.spot(node), attempt, self.prefix) }
    }
}

pub(super) struct Walk<'a, H: Host> {
    pub(super) plan: &'a Plan,
    pub(super) host: &'a H,
    pub(super) journal: Option<Journaling>,
    pub(super) seed: u32,
    pub(super) pins: Pins,
    pub(super) phase: Cell<Phase>,
    pub(super) spent: Spent,
    pub(super) done: Done<H::Value>,
    pub(super) turns: Turns,
    pub(super) under_way: UnderWay,
    pub(super) namesakes: Namesakes,
    scopes: Cell<u32>,
    steps: Cell<u64>,
}

/// About how much work a step is that asks nothing of the outside, in units of the fuel of expressions.
pub(super) const STEP_WORK: u64 = 100;

/// Whether a run has time left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    /// No more requests are made, and nothing more is recorded.
    Closing,
}

/// A future that few steps wait for: on the heap, since a step is as large as the largest of what it may wait for, and
/// away from the code of the steps that do not.
#[inline(never)]
pub(super) fn apart<'f, T>(future: impl Future<Output = T> + 'f) -> Pin<Box<dyn Future<Output = T> + 'f>> {
    Box::pin(future)
}

impl<'a, H: Host> Walk<'a, H> {
    async fn timed(&self, limit: u64, reached: &Reached<H::Value>) -> Outcome<H::Value> {
        let whole = pin!(self.whole(reached));
        // What is taken up again has all its time before it; only a strict replay ends as the recorded run did.
        let finished = if self.replays_timeout() {
            match select(whole, pin!(self.host.replay(RUN_TIMEOUT))).await {
                Either::Left((outcome, _)) => Ok(outcome),
                Either::Right((replayed, _)) => Err(self.replayed_limit(replayed).unwrap_or(limit)),
            }
        } else {
            match select(whole, pin!(self.host.sleep(limit))).await {
                Either::Left((outcome, _)) => Ok(outcome),
                Either::Right((_, whole)) => match select(whole, pin!(self.close(limit))).await {
                    Either::Left((outcome, _)) => Ok(outcome),
                    Either::Right(_) => Err(limit),
                },
            }
        };
        let limit = match finished {
            Ok(outcome) => return outcome,
            Err(limit) => limit,
        };
        self.warn_open();
        let message = format!("the run took longer than {limit} ms{}", self.under_way.names(self.plan));
        let error = Error::new(Code::Timeout, message)
            .with_hint("raise limits.timeoutMs, or make the slow steps faster");
        let state = reached.state(self.host);
        Outcome { state, ending: Ending::Failed { error, stopped_by: None } }
    }

    /// Keeps that the time of the run is over. What came into the journal before that still counts, as in a replay.
    async fn close(&self, limit: u64) {
        if self.journal.is_some() {
            self.phase.set(Phase::Closing);
            let limit = self.host.value_from_json(limit.into());
            let (spot, fingerprint) = (Spot { step: StepIndex::MAX, scope: 0 }, &Digest::default().hex());
            self.host
                .record(Entry { key: RUN_TIMEOUT, spot, fingerprints: fingerprint, answer: Ok(&limit) })
                .await;
        }
    }

    /// Whether this is the replay of a run that took too long.
    fn replays_timeout(&self) -> bool {
        self.is_strict() && self.host.recorded(RUN_TIMEOUT).is_some()
    }

    async fn whole(&self, reached: &Reached<H::Value>) -> Outcome<H::Value> {
        let state = reached.state(self.host);
        // A step may be called so too; what is recorded for the workflow has other keys then.
        let is_taken = self.journal.is_some() && self.plan.steps.iter().any(|step| step.id == "workflow");
        let prefix = if is_taken { "#workflow" } else { "workflow" };
        let caller = Caller::new(Spot { step: StepIndex::MAX, scope: 0 }, 1, prefix);
        let failed = |state, error| Outcome { state, ending: Ending::Failed { error, stopped_by: None } };
        let what = "the input of the workflow";
        let taken = self.checked(self.plan.input, what, &state, &caller, ("input", Wants::CheckedKeys)).await;
        let state = match taken {
            Ok(None) => state,
            Ok(Some(over)) => {
                let state = self.host.merge(&state, &over);
                reached.block.set(&state);
                state
            }
            Err(error) => return failed(state, error),
        };
        let traces = self.traced(&Traces::default(), &state);
        let flow = Flow { traces, ..Flow::over(STATE, state) };
        let at = At { scope: 0, prefix: "", block: &reached.block, limit: None };
        let Passed { flow: Flow { state, .. }, end } = self.block(&self.plan.root, &flow, at).await;
        let ending = match end {
            End::Suspended => Ending::Suspended,
            End::Stopped(stop) => Ending::Failed { error: stop.error, stopped_by: Some(stop.spot) },
            End::Went | End::Ended(_) => {
                let what = "the output of the workflow";
                let given = self
                    .checked(self.plan.output, what, &state, &caller, ("output", Wants::CheckedKeys))
                    .await;
                match given {
                    Ok(None) => Ending::Done,
                    Ok(Some(over)) => {
                        let state = self.host.merge(&state, &over);
                        reached.block.set(&state);
                        return Outcome { state, ending: Ending::Done };
                    }
                    Err(error) => return failed(state, error),
                }
            }
        };
        Outcome { state, ending }
    }

    pub(super) async fn block(
        &self,
        nodes: &'a [Node],
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Passed<H::Value> {
        let mut passed: Option<Passed<H::Value>> = None;
        for node in nodes {
            let before = passed.as_ref().map_or(flow, |passed| &passed.flow);
            let next = self.step(node, before, at).await;
            at.block.set(&next.flow.state);
            if !matches!(next.end, End::Went) {
                return next;
            }
            passed = Some(next);
        }
        passed.unwrap_or_else(|| flow.clone().went())
    }

    pub(super) async fn step(
        &self,
        node: &'a Node,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Passed<H::Value> {
        let spot = at.spot(node);
        if node.presence == Presence::Disabled {
            self.host.emit(Event::StepSkipped { spot, reason: "the step is disabled" });
            return flow.clone().went();
        }
        if let Err(error) = self.count_step() {
            return self.refuse(node, spot, error, flow);
        }
        // The tree is as deep as its author made it: what is inside lives on the heap, and its frame is small.
        let inside: Pin<Box<dyn Future<Output = Passed<H::Value>> + '_>> = match &node.kind {
            NodeKind::Agent(_)
            | NodeKind::Set(_)
            | NodeKind::Call(_)
            | NodeKind::Http(_)
            | NodeKind::Wait(_)
            | NodeKind::End(_) => Box::pin(self.leaf(node, flow, at)),
            NodeKind::Approval(question) if question.ways.is_none() => Box::pin(self.leaf(node, flow, at)),
            _ => Box::pin(self.container(node, flow, at)),
        };
        inside.await
    }

    /// Ends when the next of many may begin beside those that have.
    pub(super) fn pause_between(&self) -> Pause<'_> {
        apart(self.host.pause(AT_ONCE as u64 * STEP_WORK))
    }

    fn count_step(&self) -> Result<(), Error> {
        self.steps.set(self.steps.get() + 1);
        match self.plan.limits.max_steps {
            Some(most) if self.steps.get() > most => {
                Err(Error::new(Code::Limit, format!("the run has started {most} steps, which is its limit"))
                    .with_hint("raise limits.maxSteps, or look for a loop that goes on for too long"))
            }
            _ => Ok(()),
        }
    }

    /// The step fails before it has begun, and the run ends.
    fn refuse(&self, node: &Node, spot: Spot, error: Error, flow: &Flow<H::Value>) -> Passed<H::Value> {
        self.host.emit(Event::StepStart { spot, attempt: 1, input: flow.state.clone() });
        let (name, reach) = (node.name.clone(), Reach::Run);
        self.stopped(spot, Stop { error, spot, name, reach, exit: None }, flow)
    }

    /// The step ends what is around it with this failure, which is not made up for by another attempt.
    pub(super) fn stopped(&self, spot: Spot, stop: Stop, flow: &Flow<H::Value>) -> Passed<H::Value> {
        let failed = Failed {
            attempts: 1,
            started_at: self.host.now(),
            duration_ms: 0.0,
            error: stop.error.clone(),
            stopped_by: (stop.spot != spot).then_some(stop.spot),
            retry_in_ms: None,
        };
        self.host.emit(Event::StepError { spot, failed });
        Passed { flow: flow.clone(), end: End::Stopped(stop) }
    }

    /// The scope of these steps in a round or for an item. Where they are none, none is kept: no limit counts such rounds.
    pub(super) fn round(&self, spot: Spot, round: u32, prefix: &str, steps: &[Node]) -> u32 {
        if steps.is_empty() { spot.scope } else { self.enter(spot, round, prefix) }
    }

    /// Opens the scope of a round.
    pub(super) fn enter(&self, spot: Spot, round: u32, prefix: &str) -> u32 {
        let scope = self.scopes.get() + 1;
        self.scopes.set(scope);
        self.host.enter(Scope { scope, spot, round, prefix });
        scope
    }

    /// What flows on behind a step that changed this and gave that.
    pub(super) fn advance(
        &self,
        flow: &Flow<H::Value>,
        node: &Node,
        spot: Spot,
        patch: Option<&H::Value>,
        output: Option<&H::Value>,
    ) -> Result<Flow<H::Value>, Error> {
        let next = self.corrected(flow, node, patch, output)?;
        if let Some(patch) = patch.filter(|_| self.plan.has_namesakes) {
            self.look_for_overwritten(node, spot, &flow.state, patch);
        }
        Ok(next)
    }

    /// The same, where a check has changed what the step gave before.
    pub(super) fn corrected(
        &self,
        flow: &Flow<H::Value>,
        node: &Node,
        patch: Option<&H::Value>,
        output: Option<&H::Value>,
    ) -> Result<Flow<H::Value>, Error> {
        let mut outputs = flow.outputs.clone();
        if let Some(output) = output.or(patch).filter(|_| self.plan.reads_outputs) {
            outputs = outputs.with(&node.name, self.host, output);
        }
        let (state, traces) = match patch {
            None => (flow.state.clone(), flow.traces.clone()),
            Some(patch) => (self.merged(&flow.state, patch)?, self.traced(&flow.traces, patch)),
        };
        Ok(Flow { state, traces, outputs, ..*flow })
    }

    /// The state with a patch over it, unless that is too large.
    fn merged(&self, state: &H::Value, patch: &H::Value) -> Result<H::Value, Error> {
        let state = self.host.merge(state, patch);
        self.within_state(0, &state).map(|_| state)
    }

    /// The bytes of a value and of what stands beside it in a state, unless that is too large for one. Nothing is counted
    /// where no limit is set.
    ///
    /// Whatever is put together of many values counts each of them as it comes: all of them are too much to make first.
    pub(super) fn within_state(&self, beside: u64, value: &H::Value) -> Result<u64, Error> {
        let Some(most) = self.plan.limits.max_state_bytes else { return Ok(0) };
        let bytes = self.host.bytes(value).saturating_add(beside);
        if bytes > most {
            let message =
                format!("with what it gave the state would have {bytes} bytes of JSON; {most} are its limit");
            return Err(Error::new(Code::Limit, message)
                .with_hint("keep less in the state, or raise limits.maxStateBytes")
                .ending_run());
        }
        Ok(bytes)
    }

    /// The fingerprints of a state with a patch over it; there are none while no journal is kept.
    pub(super) fn traced(&self, traces: &Traces, patch: &H::Value) -> Traces {
        match self.journal {
            Some(_) => traces.with(&self.json(patch)),
            None => Traces::default(),
        }
    }

    /// The fingerprint of a value that belongs to a request; not computed while no journal is kept.
    pub(super) fn digest_of(&self, value: &H::Value) -> Digest {
        match self.journal {
            Some(_) => Digest::of(&self.json(value)),
            None => Digest::default(),
        }
    }

    /// A value of the host as JSON.
    pub(super) fn json(&self, value: &H::Value) -> serde_json::Value {
        // How deep values may be is the host's to say.
        json::read_within(&self.host.json_text(value), usize::MAX).unwrap_or_default()
    }
}
