//! Steps that hold others: what they have in common.

use std::future::Future;
use std::pin::Pin;

use super::flow::{End, Flow, Passed, Reach, Stop, Target};
use super::journal::Caller;
use super::plan::{Decider, Node, NodeKind};
use super::walk::{At, Walk, apart};
use crate::document::OnError;
use crate::error::{Code, Error};
use crate::event::{ApprovalRequest, Event, Failed, Finished, Origin};
use crate::host::{Host, Wants};
use crate::state::output_key;

/// What came of the steps inside a container.
pub(super) struct Inside<V> {
    pub(super) flow: Flow<V>,
    pub(super) end: InsideEnd<V>,
    /// What else is over with it, if an end step inside says so.
    pub(super) exit: Option<Target>,
}

/// How a container ended.
pub(super) enum InsideEnd<V> {
    Done {
        output: Option<V>,
        patch: Option<V>,
    },
    Skipped {
        reason: &'static str,
    },
    /// The container itself failed.
    Failed(Error),
    /// A step inside stopped it.
    Stopped(Stop),
    /// A person has to answer this first, or something inside.
    Suspended(Option<Box<ApprovalRequest>>),
}

/// What keeps a container of many steps from being done.
#[derive(Default)]
pub(super) struct Halt {
    /// The failure of the first declared step that stopped.
    stop: Option<Stop>,
    suspended: bool,
    /// What an end step ends.
    pub(super) exit: Option<Target>,
}

impl Halt {
    /// A step stopped, after those that were reported before. Steps end in any order; they are reported in the
    /// order in which they are declared. Gives it back if another one stopped before it.
    pub(super) fn stop(&mut self, stop: Stop) -> Option<Stop> {
        if let Some(target) = stop.exit {
            self.exit(target);
        }
        match &self.stop {
            Some(known) if !stop.reach.is_beyond(known.reach) => Some(stop),
            _ => self.stop.replace(stop),
        }
    }

    /// A step ended what is around it.
    pub(super) fn exit(&mut self, target: Target) {
        self.exit = Some(self.exit.map_or(target, |known| known.min(target)));
    }

    /// A step waits for a person.
    pub(super) fn suspend(&mut self) {
        self.suspended = true;
    }

    /// How the container ends that fails itself: a failure inside that it cannot tolerate goes before its own.
    pub(super) fn failed<V>(self, error: Error) -> InsideEnd<V> {
        match self.stop {
            Some(stop) if stop.reach.is_beyond(Reach::Tolerated) => InsideEnd::Stopped(stop),
            _ => InsideEnd::Failed(error),
        }
    }

    /// How the container ends, if it is not done.
    pub(super) fn end<V>(self, node: &Node) -> Option<InsideEnd<V>> {
        let suspended = self.suspended.then_some(InsideEnd::Suspended(None));
        match self.stop {
            // What follows a failure that is survived may depend on what the person answers.
            Some(stop) if stop.reach == Reach::Tolerated && node.is_tolerated() => {
                suspended.or(Some(InsideEnd::Stopped(stop)))
            }
            // What an end step ends is over when all that goes on beside it is.
            Some(stop) if matches!(stop.reach, Reach::Target(_)) => {
                suspended.or(Some(InsideEnd::Stopped(stop)))
            }
            Some(stop) => Some(InsideEnd::Stopped(stop)),
            None => suspended,
        }
    }
}

impl<V> Inside<V> {
    pub(super) fn failed(flow: &Flow<V>, error: Error) -> Self
    where
        V: Clone,
    {
        Self { flow: flow.clone(), end: InsideEnd::Failed(error), exit: None }
    }

    /// What came of a block, with what the container gives if all went well.
    pub(super) fn of(passed: Passed<V>, output: Option<V>) -> Self {
        let mut exit = None;
        let end = match passed.end {
            End::Ended(target) => {
                exit = Some(target);
                InsideEnd::Done { output, patch: None }
            }
            End::Went => InsideEnd::Done { output, patch: None },
            End::Stopped(stop) => InsideEnd::Stopped(stop),
            End::Suspended => InsideEnd::Suspended(None),
        };
        Self { flow: passed.flow, end, exit }
    }
}

impl<'a, H: Host> Walk<'a, H> {
    pub(super) async fn container(
        &self,
        node: &'a Node,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Passed<H::Value> {
        let spot = at.spot(node);
        let started_at = self.host.now();
        self.host.emit(Event::StepStart { spot, attempt: 1, input: flow.state.clone() });
        let Inside { flow, end, exit } = self.inside(node, flow, at).await;
        let exit = match &end {
            InsideEnd::Stopped(stop) => exit.into_iter().chain(stop.exit).min(),
            _ => exit,
        };
        let passed = exit.map_or(End::Went, End::Ended);
        let duration_ms = self.host.now() - started_at;
        let (error, stopped_by, stop) = match end {
            InsideEnd::Suspended(request) => {
                let request = request.map(|request| *request);
                self.host.emit(Event::StepSuspended { spot, request });
                return Passed { flow, end: End::Suspended };
            }
            InsideEnd::Skipped { reason } => {
                self.host.emit(Event::StepSkipped { spot, reason });
                return flow.went();
            }
            InsideEnd::Done { output, patch } => {
                let finished = Finished {
                    attempts: 1,
                    started_at,
                    duration_ms,
                    output,
                    patch,
                    extras: None,
                    origin: Origin::Real,
                };
                self.host.emit(Event::StepDone { spot, finished });
                return Passed { flow, end: passed };
            }
            InsideEnd::Failed(error) => {
                let reach = Reach::of(&error);
                (error.clone(), None, Stop { error, spot, name: node.name.clone(), reach, exit })
            }
            // What an item of a foreach gives may fail when its steps are done: then the foreach itself failed.
            InsideEnd::Stopped(stop) if stop.spot == spot => (stop.error.clone(), None, stop),
            InsideEnd::Stopped(stop) => {
                let message = format!("stopped by `{}`: {}", stop.name, stop.error.message);
                let error =
                    stop.error.clone().with(|failure| (failure.message, failure.op) = (message, None));
                (error, Some(stop.spot), stop)
            }
        };
        let failed = Failed { attempts: 1, started_at, duration_ms, error, stopped_by, retry_in_ms: None };
        self.host.emit(Event::StepError { spot, failed });
        match (node.on_failure, stop.reach) {
            (OnError::Continue, Reach::Tolerated) => Passed { flow, end: passed },
            _ => Passed { flow, end: End::Stopped(Stop { exit, ..stop }) },
        }
    }

    async fn inside(&self, node: &'a Node, flow: &Flow<H::Value>, at: At<'_, H::Value>) -> Inside<H::Value> {
        let spot = at.spot(node);
        let caller = at.caller(node, 1);
        let taken = match node.input {
            None => None,
            Some(_) => match apart(self.taken_in(node, flow, &caller)).await {
                Ok(taken) => taken,
                Err(error) => return Inside::failed(flow, error),
            },
        };
        let flow = taken.as_ref().unwrap_or(flow);
        // Each kind has a frame of its own, so that deep trees do not pay for kinds that they do not have.
        let inside: Pin<Box<dyn Future<Output = Inside<H::Value>> + '_>> = match &node.kind {
            NodeKind::Condition { condition, steps, otherwise } => {
                Box::pin(self.condition(node, condition, steps, otherwise, flow, at))
            }
            NodeKind::Switch { cases, default } => Box::pin(self.switch(node, cases, default, flow, at)),
            NodeKind::Parallel { members, concurrency, on_conflict } => {
                Box::pin(self.parallel(node, members, *concurrency, *on_conflict, flow, at))
            }
            NodeKind::Sequence(steps) => Box::pin(self.sequence(steps, flow, at)),
            NodeKind::Foreach(each) => Box::pin(self.foreach(node, each, flow, at)),
            NodeKind::Loop { condition, max, on_max, steps } => {
                Box::pin(self.repeat(node, condition, *max, *on_max, steps, flow, at))
            }
            // What a person answered is in the state of the steps inside, and is checked before they run.
            NodeKind::Approval(question) => return apart(self.ask_and_go(node, question, flow, at)).await,
            NodeKind::Workflow(inner) => Box::pin(self.inner(node, inner, flow, at)),
            // `step` sends leaves another way; saying so keeps a broken invariant from being a crash.
            _ => {
                let error = Error::new(Code::Internal, format!("`{}` holds no steps", node.name));
                return Inside::failed(flow, error);
            }
        };
        let mut inside = inside.await;
        if let InsideEnd::Done { output, patch } = &inside.end {
            let advanced = self.advance(&inside.flow, node, spot, patch.as_ref(), output.as_ref());
            let checked = match advanced {
                Ok(flow) if node.output.is_some() => {
                    let value = output.as_ref().unwrap_or(&flow.state);
                    let what = format!("what `{}` gave", node.name);
                    let sets = matches!(&node.kind, NodeKind::Workflow(inner) if inner.set.is_some());
                    let wants = if sets || output.is_none() { Wants::CheckedKeys } else { Wants::Checked };
                    let changed = self.checked(node.output, &what, value, &caller, ("output", wants)).await;
                    changed.and_then(|changed| match (changed, output) {
                        (None, _) => Ok((flow, None)),
                        (Some(over), None) => Ok((self.corrected(&flow, node, Some(&over), None)?, None)),
                        (Some(output), Some(_)) => {
                            // What a condition, a switch and a loop come to is no key of the state.
                            let patch = patch.as_ref().map(|_| match sets {
                                true => output.clone(),
                                false => self.host.object(vec![(&output_key(&node.name), output.clone())]),
                            });
                            let flow = self.corrected(&flow, node, patch.as_ref(), Some(&output))?;
                            Ok((flow, Some(InsideEnd::Done { output: Some(output), patch })))
                        }
                    })
                }
                other => other.map(|flow| (flow, None)),
            };
            match checked {
                Ok((flow, end)) => {
                    inside.flow = flow;
                    inside.end = end.unwrap_or(inside.end);
                }
                Err(error) => inside.end = InsideEnd::Failed(error),
            }
        }
        inside
    }

    async fn sequence(
        &self,
        steps: &'a [Node],
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let block = at.block.begin(&flow.state);
        Inside::of(self.block(steps, flow, at.within(&block)).await, None)
    }

    /// What a condition decides. A failure of an earlier run's function is tried again.
    pub(super) async fn decide(
        &self,
        node: &Node,
        decider: &Decider,
        call: &str,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Result<bool, Error> {
        let function = match decider {
            Decider::Function(function) => *function,
            Decider::Expression(condition) => return self.decision(condition, "the condition", flow).await,
        };
        let decision = self.call_outside(node, function, Wants::Decision, call, flow, at).await?;
        Ok(self.host.json_text(&decision) == "true")
    }

    /// What a function of a container gives, within its time limit.
    pub(super) async fn call_outside(
        &self,
        node: &Node,
        function: u32,
        wants: Wants,
        call: &str,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Result<H::Value, Error> {
        self.under_way.enter(node.index, at.prefix);
        let part = format!("{call}.");
        let mut attempt = 1;
        loop {
            let caller = Caller { part: &part, ..at.caller(node, attempt) };
            let result = match node.timeout_ms {
                None => self.call_for(function, wants, flow, &flow.state, &caller, call).await,
                Some(limit) => {
                    let limit = self.limit(&caller, limit, None);
                    let caller = Caller { limit: Some(&limit), ..caller };
                    let called = self.call_for(function, wants, flow, &flow.state, &caller, call);
                    self.within(&caller, &limit, called).await.unwrap_or_else(|late| {
                        let message =
                            format!("the function of `{}` took longer than {} ms", node.name, late.limit_ms);
                        let error = Error::new(Code::Timeout, message);
                        Err(late.attribute(error.with_hint("raise limits.stepTimeoutMs, or let it do less")))
                    })
                }
            };
            match result {
                Err(error) if self.again(&caller, &error, node.on_failure, node.around).await => attempt += 1,
                other => {
                    self.under_way.leave(node.index);
                    return other;
                }
            }
        }
    }
}
