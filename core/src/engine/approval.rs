//! Approval steps.

use std::cell::Cell;

use super::container::{Inside, InsideEnd};
use super::flow::{Flow, Stop};
use super::journal::{Caller, RUN_TIMEOUT};
use super::leaf::{Answer, Trouble};
use super::plan::{Decider, Node, Question, Rule, RuleBy, Ways};
use super::time::Limit;
use super::walk::{At, Phase, Walk};
use crate::digest::Digest;
use crate::error::{Code, Error};
use crate::event::ApprovalRequest;
use crate::host::{Call, Entry, Host, Wants};
use crate::language::Expression;

/// The end of the key under which a journal has what a function said of an answer.
const APPROVED: &str = "approved";

/// What an answer decides.
pub(super) struct Deciding<'d, V> {
    node: &'d Node,
    ways: &'d Ways,
    flow: &'d Flow<V>,
    at: At<'d, V>,
    output_key: &'d str,
    /// Whether the answer of this run is a yes. Nothing while there is none, or where it comes from a journal.
    is_yes: Cell<Option<bool>>,
}

impl<'a, H: Host> Walk<'a, H> {
    /// What the person answered, now or in an earlier run; without an answer the step is suspended.
    pub(super) async fn approval(
        &self,
        node: &Node,
        question: &Question,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Trouble> {
        let heard = self.hear(question, None, flow, state, caller).await?;
        let answer = heard.ok_or_else(|| too_late(node, question))?;
        let patch = self.host.object(vec![(&question.output_key, answer.clone())]);
        Ok(Answer::new(Some(answer), Some(patch)))
    }

    /// The same, with the steps that follow from the answer or from its absence.
    pub(super) async fn ask_and_go(
        &self,
        node: &'a Node,
        question: &'a Question,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let Some(ways) = &question.ways else { return Inside::of(flow.clone().went(), None) };
        let caller = at.caller(node, 1);
        let output_key = &question.output_key;
        let deciding = Deciding { node, ways, flow, at, output_key, is_yes: Cell::default() };
        let heard = match self.hear(question, Some(&deciding), flow, &flow.state, &caller).await {
            Ok(None) if ways.expired.is_none() => return Inside::failed(flow, too_late(node, question)),
            Ok(heard) => heard,
            Err(Trouble::Failed(error) | Trouble::Stopped(Stop { error, .. })) => {
                return Inside::failed(flow, error);
            }
            Err(Trouble::Suspended(mut requests)) => {
                let end = InsideEnd::Suspended(requests.pop().map(Box::new));
                return Inside { flow: flow.clone(), end, exit: None };
            }
        };
        let output = heard.clone().unwrap_or_else(|| self.host.value_from_json(serde_json::Value::Null));
        let patch = self.host.object(vec![(output_key, output.clone())]);
        let flow = match self.advance(flow, node, caller.spot, Some(&patch), Some(&output)) {
            Ok(flow) => flow,
            Err(error) => return Inside::failed(flow, error),
        };
        let taken = match &heard {
            None => &ways.expired,
            Some(_) if ways.yes.is_none() && ways.no.is_none() => &None,
            Some(answer) => {
                let is_yes = match deciding.is_yes.get() {
                    Some(is_yes) => {
                        // A function that decides counts as asked once the answer was kept.
                        if let (Some(Decider::Function(function)), Some(key)) =
                            (&ways.approved, self.key(&caller, APPROVED))
                        {
                            let fingerprint = self.question_of(*function, flow.traces.whole());
                            let said = self.host.value_from_json(is_yes.into());
                            self.keep_answer(&key, &said, fingerprint, &caller).await;
                        }
                        Ok(is_yes)
                    }
                    None => self.is_yes(node, ways, answer, &flow, at).await,
                };
                match is_yes {
                    Ok(true) => &ways.yes,
                    Ok(false) => &ways.no,
                    Err(error) => return Inside::failed(&flow, error),
                }
            }
        };
        let block = at.block.begin(&flow.state);
        let steps = taken.as_deref().unwrap_or_default();
        let mut inside = Inside::of(self.block(steps, &flow, at.within(&block)).await, None);
        if let InsideEnd::Done { .. } = inside.end {
            inside.end = InsideEnd::Done { output: Some(output), patch: Some(patch) };
        }
        inside
    }

    /// Whether an answer is a yes. What a function says of it is in the journal.
    async fn is_yes(
        &self,
        node: &Node,
        ways: &Ways,
        answer: &H::Value,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Result<bool, Error> {
        match &ways.approved {
            Some(decider @ Decider::Function(_)) => self.decide(node, decider, APPROVED, flow, at).await,
            Some(Decider::Expression(approved)) => self.finds_yes(approved, answer, flow).await,
            None => self.says_yes(node, answer),
        }
    }

    /// Whether an expression over an answer finds that it is a yes.
    async fn finds_yes(
        &self,
        approved: &Expression,
        answer: &H::Value,
        flow: &Flow<H::Value>,
    ) -> Result<bool, Error> {
        let over = self.host.object(vec![("output", answer.clone())]);
        let state = self.host.merge(&flow.state, &over);
        self.decision(approved, "the `approved` expression", &Flow { state, ..flow.clone() }).await
    }

    /// Whether an answer says itself that it is a yes.
    fn says_yes(&self, node: &Node, answer: &H::Value) -> Result<bool, Error> {
        self.json(answer).get("approved").and_then(serde_json::Value::as_bool).ok_or_else(|| {
            let message = format!("the answer to `{}` does not say whether it is a yes", node.name);
            Error::new(Code::Validation, message).with_hint(
                "have its schema require `approved`, true or false, or write `approved` on the step, an expression over the answer such as `output.score > 3`",
            )
        })
    }

    /// Decides whether an answer is a yes before it is kept.
    ///
    /// # Errors
    /// When that cannot be said.
    async fn weigh(
        &self,
        deciding: &Deciding<'_, H::Value>,
        answer: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<(), Error> {
        let Deciding { node, ways, flow, at, output_key, ref is_yes } = *deciding;
        if ways.yes.is_none() && ways.no.is_none() {
            return Ok(());
        }
        let patch = self.host.object(vec![(output_key, answer.clone())]);
        let flow = Flow { state: self.host.merge(&flow.state, &patch), ..flow.clone() };
        is_yes.set(Some(match &ways.approved {
            // The call is in no journal: what it says is kept behind the answer, and nothing is of an answer that it refuses.
            Some(Decider::Function(function)) => {
                let Caller { spot, attempt, .. } = *caller;
                let (function, wants, state) = (*function, Wants::Decision, &flow.state);
                let call = Call { function, wants, spot, attempt, state, call_id: None };
                let said = self.host.call(call).await.map_err(|error| {
                    let message = format!("`approved` of `{}` failed: {}", node.name, error.message);
                    error.with(|failure| failure.message = message)
                })?;
                self.host.json_text(&said.value) == "true"
            }
            _ => self.is_yes(node, ways, answer, &flow, at).await?,
        }));
        Ok(())
    }

    /// A person's answer, unless the time for it is over.
    async fn hear(
        &self,
        question: &Question,
        deciding: Option<&Deciding<'_, H::Value>>,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<Option<H::Value>, Trouble> {
        let message = match &question.message {
            None => None,
            Some(template) => Some(self.render(template, "`message`", flow, state).await?),
        };
        let (key, schema) = (self.execution_key(caller.spot, caller.prefix), question.form);
        let form = schema.and_then(|schema| self.plan.schemas.get(schema as usize));
        let rules = [question.schema, question.output];
        let fingerprint = Digest::default().with(message.as_deref().unwrap_or_default());
        let fingerprint = form.map_or(fingerprint, |form| fingerprint.with(&Digest::of(&form.schema).hex()));
        let fingerprint = rules.iter().flatten().fold(fingerprint, |fingerprint, rule| match rule.by {
            RuleBy::Function(function) => self.question_of(function, fingerprint),
            RuleBy::Schema(_) => fingerprint,
        });
        let expires_at = match question.expires_ms {
            None => None,
            Some(milliseconds) => match self.time_left(&key, milliseconds, caller).await? {
                None => return Ok(None),
                deadline => deadline,
            },
        };
        let asking = ApprovalRequest { key, message, schema, call: None, expires_at };
        self.person(asking, &rules, deciding, fingerprint, caller).await.map(Some)
    }

    /// Up to when a person may answer; nothing when that is over. The time is fixed when the request is first made, and
    /// that it is over is kept too: what a late answer would have been is nobody's to say.
    async fn time_left(
        &self,
        key: &str,
        milliseconds: u64,
        caller: &Caller<'_>,
    ) -> Result<Option<f64>, Error> {
        let [fixed, over, answer] = ["deadline", "waited", "answer"].map(|word| format!("{key}/{word}"));
        let [is_over, is_answered] = [&over, &answer].map(|key| self.recorded(caller, key).is_some());
        let is_live = self.journal.is_some() && !self.is_strict();
        // Nobody of a new run has been asked so far, whatever time the earlier one left.
        let counts = is_over || is_answered || !self.is_edited();
        let deadline = match self.recorded(caller, &fixed).filter(|_| counts) {
            Some(_) => self.json(&self.host.replay(&fixed).await?).as_f64(),
            None => None,
        };
        if is_over {
            // Only that it is over matters.
            let _ = self.host.replay(&over).await;
            return Ok(None);
        }
        let before = self.host.now();
        if is_live && !is_answered {
            // The answers of a journal come before this: only then is it now.
            self.host.sleep(0).await;
        }
        // Each run that found the approval open has kept when that was.
        let mut looks = 1_u32;
        let seen = loop {
            let seen = format!("{key}/seen{looks}");
            if self.recorded(caller, &seen).is_none() {
                break seen;
            }
            if self.is_strict() {
                let _ = self.host.replay(&seen).await;
            }
            looks += 1;
        };
        let Some(deadline) = deadline else {
            if self.is_strict() && self.host.recorded(RUN_TIMEOUT).is_some() {
                // The time of the run was over before this was kept.
                return std::future::pending().await;
            }
            let deadline = self.host.now() + milliseconds as f64;
            if is_live {
                let fingerprint = Digest::default().hex();
                self.note(caller, &fixed, &fingerprint, Some(deadline as u64)).await;
            }
            return Ok(Some(deadline));
        };
        if is_live && !is_answered && self.host.now() >= deadline {
            self.note(caller, &over, &Digest::default().hex(), None).await;
            return Ok(None);
        }
        if is_live && !is_answered && self.host.now() > before {
            // What follows happens at this time, in a replay too.
            self.note(caller, &seen, &Digest::default().hex(), None).await;
        }
        Ok(Some(deadline))
    }

    /// A person's answer to an approval request, now or in an earlier run, as the rules change it; `fingerprint` is
    /// that of the request.
    pub(super) async fn person(
        &self,
        question: ApprovalRequest,
        rules: &[Option<Rule>],
        deciding: Option<&Deciding<'_, H::Value>>,
        fingerprint: Digest,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Trouble> {
        // The request is the same in each attempt: an answer that did not fit is requested again under the same key.
        let kept = format!("{}/answer", question.key);
        if self.takes_over(caller, &kept, fingerprint)? {
            let answer = self.host.replay(&kept).await?;
            self.done.hear(&question.key, fingerprint, &answer);
            return Ok(answer);
        }
        // Nobody is asked once more because the call of a tool is made again.
        if let Some((answer, is_kept)) = self.done.said(&question.key, fingerprint) {
            if !is_kept {
                self.keep_answer(&kept, &answer, fingerprint, caller).await;
                self.done.hear(&question.key, fingerprint, &answer);
            }
            return Ok(answer);
        }
        // Who is asked again by the next attempt has not answered this one.
        if !self.is_strict() {
            for limit in Limit::around(caller) {
                limit.passed().await;
            }
        }
        let Some(answer) = self.answered(&question.key).await else {
            return Err(Trouble::Suspended(vec![question]));
        };
        let what = format!("the answer to `{}`", question.key);
        let answer = self.taken(answer, &what, rules, deciding, caller).await.map_err(refused)?;
        self.keep_answer(&kept, &answer, fingerprint, caller).await;
        self.done.hear(&question.key, fingerprint, &answer);
        Ok(answer)
    }

    /// An answer as the rules change it, once it is clear what it decides.
    ///
    /// # Errors
    /// When it does not fit, or decides nothing.
    async fn taken(
        &self,
        mut answer: H::Value,
        what: &str,
        rules: &[Option<Rule>],
        deciding: Option<&Deciding<'_, H::Value>>,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Error> {
        for rule in rules.iter().flatten() {
            // What a check makes of an answer is kept as the answer, and so is no entry of its own.
            let changed = match rule.by {
                RuleBy::Schema(schema) => self.fitted(schema, rule.coercion, what, &answer)?,
                RuleBy::Function(function) => {
                    Some(self.judged((function, Wants::Checked), rule.coercion, what, &answer, caller).await?)
                }
            };
            answer = changed.unwrap_or(answer);
        }
        if let Some(deciding) = deciding {
            self.weigh(deciding, &answer, caller).await?;
        }
        Ok(answer)
    }

    async fn keep_answer(&self, key: &str, answer: &H::Value, fingerprint: Digest, caller: &Caller<'_>) {
        if self.journal.is_some() {
            let fingerprints = &fingerprint.hex();
            self.keep(Entry { key, spot: caller.spot, fingerprints, answer: Ok(answer) }).await;
        }
    }

    /// The person's answer now. A strict replay takes none, and nor does a run whose time is over.
    async fn answered(&self, key: &str) -> Option<H::Value> {
        if self.is_strict() || self.phase.get() == Phase::Closing {
            // Nobody's answer does not come at once either: what else is ready goes first.
            self.turns.next().await;
            return None;
        }
        self.host.answer(key).await
    }
}

/// The error of an answer that is refused. That is the mistake of who answers: nothing of it is kept, and another answer can
/// be given under the same key.
fn refused(error: Error) -> Error {
    let error = error.misfit();
    match error.code {
        Code::Handler => error.with_hint("mend the function, or answer otherwise under the same key"),
        _ => error,
    }
}

fn too_late(node: &Node, question: &Question) -> Error {
    let limit = question.expires_ms.unwrap_or_default();
    let message = format!("nobody answered `{}` within {limit} ms", node.name);
    Error::new(Code::Timeout, message)
        .with_hint("raise its expiresMs, or write what is to be done then under `expired`")
}
