//! Steps that hold no others: their attempts, and what each kind does in one.

use std::ops::ControlFlow;
use std::pin::pin;

use super::agent::Talk;
use super::flow::{End, Flow, Passed, Reach, Stop};
use super::journal::Caller;
use super::plan::{Leave, Node, NodeKind, Rest};
use super::retry;
use super::time::Limit;
use super::walk::{At, Pins, STEP_WORK, Walk, apart};
use crate::decimal::written;
use crate::digest::Digest;
use crate::document::{ExitStatus, OnError};
use crate::error::{Code, Error};
use crate::event::{ApprovalRequest, Event, Failed, Finished, Origin, Spot};
use crate::host::{Call, Host, Returned, Wants};
use crate::json;
use crate::state::output_key;

/// What is said of an answer that is not made again only because some of it has been shown.
const PASSED_ON: &str = "what had come was passed on already, so that it is tried again by itself only with retryPolicy: { afterFirstDelta: true }";

/// What a leaf step gave.
pub(super) struct Answer<V> {
    pub(super) output: Option<V>,
    pub(super) patch: Option<V>,
    /// What came beside the text of a model's answer.
    pub(super) extras: Option<V>,
    pub(super) origin: Origin,
}

/// Why an attempt gave nothing.
pub(super) enum Trouble {
    Failed(Error),
    /// What is around the step is over with this failure: an end step says so, or one inside a call of a tool did.
    Stopped(Stop),
    /// People have to answer these first.
    Suspended(Vec<ApprovalRequest>),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<V> Answer<V> {
    pub(super) fn new(output: Option<V>, patch: Option<V>) -> Self {
        Self { output, patch, extras: None, origin: Origin::Real }
    }
}

impl<'a, H: Host> Walk<'a, H> {
    pub(super) async fn leaf(
        &self,
        node: &'a Node,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Passed<H::Value> {
        let spot = at.spot(node);
        self.under_way.enter(spot.step, at.prefix);
        let started_at = self.host.now();
        let mut attempt = 1;
        // The attempts of an earlier run that was taken up again count for themselves.
        let mut before = 0;
        let own = Talk::default();
        let in_call = match node.kind {
            NodeKind::Agent(_) => self.talk_in_call(&at.caller(node, attempt)),
            _ => None,
        };
        let talk = in_call.as_deref().unwrap_or(&own);
        // Whether a request may have been carried out that is sent again: the limits around the step know it until it is over.
        let mut is_open = false;
        let passed = loop {
            self.host.emit(Event::StepStart { spot, attempt, input: flow.state.clone() });
            let caller = at.caller(node, attempt);
            let attempted = match node.timeout_ms {
                None => self.attempt(node, flow, &caller, talk).await,
                Some(limit) => apart(self.attempt_within(limit, node, flow, &caller, talk)).await,
            };
            let error = match attempted {
                Ok(answer) => {
                    match self.advance(flow, node, spot, answer.patch.as_ref(), answer.output.as_ref()) {
                        Ok(flow) => {
                            self.emit_done(spot, attempt, started_at, answer);
                            if matches!(node.kind, NodeKind::Set(_)) {
                                self.host.pause(STEP_WORK).await;
                            }
                            let end = match &node.kind {
                                NodeKind::End(leave) => End::Ended(leave.target),
                                _ => End::Went,
                            };
                            break Passed { flow, end };
                        }
                        Err(error) => error,
                    }
                }
                Err(Trouble::Suspended(requests)) => {
                    if requests.is_empty() {
                        // What is waited for is inside a call of a tool.
                        self.host.emit(Event::StepSuspended { spot, request: None });
                    }
                    for request in requests {
                        self.host.emit(Event::StepSuspended { spot, request: Some(request) });
                    }
                    break Passed { flow: flow.clone(), end: End::Suspended };
                }
                Err(Trouble::Stopped(stop)) => break self.stopped(spot, stop, flow),
                Err(Trouble::Failed(error)) => self.as_recorded(node, &caller, error),
            };
            if error.code == Code::UnknownOutcome && error.retryable && !is_open {
                Limit::note_sent(&caller);
                is_open = true;
            }
            match apart(self.failed(node, &caller, error, before, started_at, talk)).await {
                ControlFlow::Continue(attempts) => before = attempts,
                ControlFlow::Break(end) => break Passed { flow: flow.clone(), end },
            }
            attempt += 1;
        };
        if matches!(node.kind, NodeKind::Agent(_)) {
            self.forget_calls(&at.caller(node, attempt));
        }
        if is_open {
            Limit::note_answered(&at.caller(node, attempt));
        }
        self.under_way.leave(spot.step);
        passed
    }

    /// Tells that an attempt failed, and waits until the next one may begin, if there is one. Of the attempts so far,
    /// `before` count for themselves, and so do those that this gives.
    async fn failed(
        &self,
        node: &'a Node,
        caller: &Caller<'_>,
        error: Error,
        before: u32,
        started_at: f64,
        talk: &Talk,
    ) -> ControlFlow<End, u32> {
        let Caller { spot, attempt, .. } = *caller;
        let error = self.told_why_not(node, error);
        let wait = self.wait_before_retry(node, caller, &error, attempt - before);
        let other = if wait.is_none() { self.other_model(node, &error, talk) } else { None };
        let again = wait.is_none()
            && other.is_none()
            && (error.code != Code::UnknownOutcome || error.retryable)
            && self.again(caller, &error, node.on_failure, node.around).await;
        let retry_in_ms = wait.or((again || other.is_some()).then_some(0));
        let error = match retry_in_ms {
            None => {
                let (tries, retries) = (attempt - before, Self::most_retries(node, &error));
                retry::given_up(error, tries, retries, self.plan.retry.max_backoff_ms)
            }
            Some(_) => error,
        };
        let failed = Failed {
            attempts: attempt,
            started_at,
            duration_ms: self.host.now() - started_at,
            error: error.clone(),
            stopped_by: None,
            retry_in_ms,
        };
        self.host.emit(Event::StepError { spot, failed });
        if retry_in_ms.is_some() && talk.takes_back() {
            self.host.emit(Event::StepReset { spot });
        }
        if let Some((failed, next)) = &other {
            self.warn_fallback(spot, failed, next);
        }
        match wait {
            Some(wait) => {
                let fingerprint = Digest::default().with(&wait.to_string());
                self.rest(caller, "waited", fingerprint, self.host.sleep(wait)).await;
                ControlFlow::Continue(before)
            }
            None if again || other.is_some() => ControlFlow::Continue(attempt),
            None => ControlFlow::Break(match (node.on_failure, Reach::of(&error)) {
                (OnError::Continue, Reach::Tolerated) => End::Went,
                (_, reach) => End::Stopped(Stop { error, spot, name: node.name.clone(), reach, exit: None }),
            }),
        }
    }

    fn emit_done(&self, spot: Spot, attempts: u32, started_at: f64, answer: Answer<H::Value>) {
        let Answer { output, patch, extras, origin } = answer;
        let duration_ms = self.host.now() - started_at;
        let finished = Finished { attempts, started_at, duration_ms, output, patch, extras, origin };
        self.host.emit(Event::StepDone { spot, finished });
    }

    fn wait_before_retry(
        &self,
        node: &Node,
        caller: &Caller<'_>,
        error: &Error,
        attempts: u32,
    ) -> Option<u64> {
        let policy = &self.plan.retry;
        if error.after_delta && !policy.after_first_delta {
            return None;
        }
        let chance = match policy.jitter > 0.0 {
            // The same whenever and wherever the run is taken up again.
            true => {
                let key = self.execution_key(caller.spot, caller.prefix);
                let seed = Digest::default().with(&self.seed.to_string());
                seed.with(&key).with(&caller.attempt.to_string()).fraction()
            }
            false => 0.0,
        };
        retry::wait_ms(policy, Self::most_retries(node, error), error, attempts, chance)
    }

    /// Tells of an answer that broke off why it is not made again, where others are.
    fn told_why_not(&self, node: &Node, error: Error) -> Error {
        let is_made_again = error.retryable && Self::most_retries(node, &error) > 0;
        match is_made_again && error.after_delta && !self.plan.retry.after_first_delta {
            true => error.with(|failure| failure.hint = retry::joined(&failure.hint, PASSED_ON)),
            false => error,
        }
    }

    /// Reports that another model is called, since one has failed.
    pub(super) fn warn_fallback(&self, spot: Spot, failed: &str, next: &str) {
        let message = format!("`{failed}` failed; `{next}` is asked in its place");
        self.host.emit(Event::Warning { spot: Some(spot), code: "fallback", message });
    }

    /// The models that an agent turns from and to, when one of them failed for good.
    fn other_model(&self, node: &Node, error: &Error, talk: &Talk) -> Option<(String, String)> {
        let NodeKind::Agent(ask) = &node.kind else { return None };
        let is_final = error.code == Code::UnknownOutcome || Reach::of(error) == Reach::Run;
        match is_final || error.after_delta && !self.plan.retry.after_first_delta {
            true => None,
            false => talk.falls_back(ask),
        }
    }

    async fn attempt_within(
        &self,
        limit: u64,
        node: &'a Node,
        flow: &Flow<H::Value>,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<Answer<H::Value>, Trouble> {
        let limit = self.limit(caller, limit, Some(talk));
        let caller = Caller { limit: Some(&limit), ..*caller };
        let attempt = pin!(self.attempt(node, flow, &caller, talk));
        self.within(&caller, &limit, attempt).await.unwrap_or_else(|late| {
            if limit.has_cut_answer() {
                talk.note_emitted();
            }
            let message = format!("`{}` took longer than {} ms", node.name, late.limit_ms);
            let error =
                Error::new(Code::Timeout, message).with_hint("raise its timeoutMs, or let it do less");
            self.cut_short(node, late.attribute(error.retryable()), &limit, &caller)
        })
    }

    async fn attempt(
        &self,
        node: &'a Node,
        flow: &Flow<H::Value>,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<Answer<H::Value>, Trouble> {
        if let Some(pin) = node.pin.as_ref().filter(|_| self.pins == Pins::Used) {
            return Ok(apart(self.pinned(node, pin, caller)).await?);
        }
        let taken = match node.input {
            None => None,
            Some(_) => apart(self.taken_in(node, flow, caller)).await?,
        };
        let flow = taken.as_ref().unwrap_or(flow);
        let state = &flow.state;
        let answer = match &node.kind {
            NodeKind::Call(function) => self.call_for_patch(*function, node, flow, state, caller).await?,
            NodeKind::Set(set) => Answer::new(None, Some(apart(self.patch(set, flow, state)).await?)),
            NodeKind::Agent(ask) => self.asking(node, ask, flow, state, caller, talk).await?,
            NodeKind::Http(fetch) => apart(self.http(fetch, flow, caller)).await?,
            NodeKind::Wait(wait) => apart(self.wait(wait, flow, state, caller)).await?,
            NodeKind::Approval(question) => apart(self.approval(node, question, flow, state, caller)).await?,
            NodeKind::End(leave) => apart(self.leave(node, leave, flow, state, caller.spot)).await?,
            // `step` sends containers another way; saying so keeps a broken invariant from being a crash.
            _ => Err(Error::new(Code::Internal, format!("`{}` is not a single step", node.name)))?,
        };
        match node.output {
            None => Ok(answer),
            Some(_) => Ok(apart(self.given_out(node, answer, caller)).await?),
        }
    }

    async fn call_for_patch(
        &self,
        function: u32,
        node: &Node,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Error> {
        let (spot, attempt, wants) = (caller.spot, caller.attempt, Wants::Patch);
        let call = Call { function, wants, spot, attempt, state, call_id: None };
        let Returned { value, yielded } = match self.journal {
            None => self.host.call(call).await?,
            Some(_) => {
                let live = Box::pin(async {
                    let Returned { value, yielded } = self.host.call(call).await?;
                    let mut parts = vec![value];
                    parts.extend(yielded);
                    Ok(self.host.list(parts))
                });
                let kept = apart(self.journaled(
                    caller,
                    "run",
                    self.question_of(function, flow.traces.whole()),
                    live,
                ));
                let mut parts = self.host.items(&kept.await?).unwrap_or_default().into_iter();
                let value = parts
                    .next()
                    .ok_or_else(|| Error::new(Code::Validation, "an answer of the journal is empty"))?;
                Returned { value, yielded: parts.next() }
            }
        };
        Ok(match yielded {
            None => Answer::new(None, Some(value)),
            Some(yielded) => {
                let under_name = self.host.object(vec![(&output_key(&node.name), yielded.clone())]);
                Answer::new(Some(yielded), Some(self.host.merge(&under_name, &value)))
            }
        })
    }

    /// The fingerprint of a call of a host function: which function, and with what value. It is not used while no
    /// journal is kept.
    pub(super) fn question_of(&self, function: u32, seen: Digest) -> Digest {
        if self.journal.is_none() {
            return seen;
        }
        let Some(function) = self.plan.functions.get(function as usize) else { return seen };
        let parts = [&function.handler, &function.version, &function.code];
        parts.into_iter().fold(seen, |digest, part| digest.with(part.as_deref().unwrap_or_default()))
    }

    /// What a function of the host gives that is no patch.
    pub(super) async fn call_for(
        &self,
        function: u32,
        wants: Wants,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
        call: &str,
    ) -> Result<H::Value, Error> {
        let Caller { spot, attempt, .. } = *caller;
        let live = Box::pin(async move {
            let returned =
                self.host.call(Call { function, wants, spot, attempt, state, call_id: None }).await?;
            Ok(returned.value)
        });
        self.journaled(caller, call, self.question_of(function, flow.traces.whole()), live).await
    }

    /// What an end step gives: its message, which is also that of the failure with which it ends something.
    async fn leave(
        &self,
        node: &Node,
        leave: &Leave,
        flow: &Flow<H::Value>,
        state: &H::Value,
        spot: Spot,
    ) -> Result<Answer<H::Value>, Trouble> {
        let message = match &leave.message {
            None => None,
            Some(template) => Some(self.render(template, "`message`", flow, state).await?),
        };
        if leave.status == ExitStatus::Error {
            let message = message.unwrap_or_else(|| format!("`{}` ended it", node.name));
            let (error, reach) = (Error::new(Code::Handler, message), Reach::Target(leave.target));
            return Err(Trouble::Stopped(Stop { error, spot, name: node.name.clone(), reach, exit: None }));
        }
        Ok(Answer::new(message.map(|message| self.host.value_from_json(message.into())), None))
    }

    async fn wait(
        &self,
        wait: &Rest,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Error> {
        // The time is fixed once: whoever takes the run up again waits for the rest only.
        let (question, fix) = match wait {
            Rest::Ms(ms) => {
                (Digest::default().with("ms").with(&ms.to_string()), Ok(self.host.now() + *ms as f64))
            }
            Rest::Until(until) => {
                let value = self.json(&self.evaluate(until, "`until`", flow, state).await?);
                let time = value.as_f64().or_else(|| self.host.time_of(value.as_str()?));
                let wrong = || {
                    Error::new(
                        Code::Template,
                        format!("`until` gives {}, which is no time", json::text(&value)),
                    )
                    .with_hint("give milliseconds since 1970, or a text such as '2030-01-31T12:00:00Z'")
                };
                (Digest::of(&value), time.ok_or_else(wrong))
            }
        };
        let time = fix?;
        let fixed = Box::pin(async { Ok(self.host.value_from_json(time.into())) });
        let deadline = self.journaled(caller, "deadline", question, fixed).await?;
        let deadline = self.json(&deadline).as_f64().unwrap_or(time);
        let fingerprint = Digest::default().with(&written(deadline));
        self.rest(caller, "waited", fingerprint, self.host.sleep_until(deadline)).await;
        Ok(Answer::new(None, None))
    }
}
