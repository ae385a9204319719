//! Approval steps.

use super::flow::Flow;
use super::journal::Place;
use super::leaf::{Answer, Trouble};
use super::plan::{Question, Rule, RuleBy};
use super::walk::{Phase, Walk};
use crate::digest::Digest;
use crate::event::Asked;
use crate::host::{Entry, Host};

impl<H: Host> Walk<'_, H> {
    /// What the person answered, now or in an earlier run; without an answer the step is suspended.
    pub(super) async fn approval(
        &self,
        question: &Question,
        flow: &Flow<H::Value>,
        state: &H::Value,
        place: &Place<'_>,
    ) -> Result<Answer<H::Value>, Trouble> {
        let message = match &question.message {
            None => None,
            Some(template) => Some(self.render(template, "`message`", flow, state).await?),
        };
        let (key, schema) = (self.execution_key(place.spot, place.prefix), question.form);
        let form = schema.and_then(|schema| self.plan.schemas.get(schema as usize));
        let rules = [question.schema, question.output];
        let asked = Digest::default().with(message.as_deref().unwrap_or_default());
        let asked = form.map_or(asked, |form| asked.with(&Digest::of(&form.schema).hex()));
        let asked = rules.iter().flatten().fold(asked, |asked, rule| match rule.by {
            RuleBy::Function(function) => self.question_of(function, asked),
            RuleBy::Schema(_) => asked,
        });
        let answer = self.person(Asked { key, message, schema, call: None }, &rules, asked, place).await?;
        let patch = self.host.object(vec![(&question.output_key, answer.clone())]);
        Ok(Answer::new(Some(answer), Some(patch)))
    }

    /// A person's answer to an approval request, now or in an earlier run, as the rules change it; `asked` is the
    /// fingerprint of the request.
    pub(super) async fn person(
        &self,
        question: Asked,
        rules: &[Option<Rule>],
        asked: Digest,
        place: &Place<'_>,
    ) -> Result<H::Value, Trouble> {
        // The request is the same in each attempt: an answer that did not fit is requested again under the same key.
        let kept = format!("{}/answer", question.key);
        if self.takes_over(place, &kept, asked)? {
            return Ok(self.host.replay(&kept).await?);
        }
        let Some(answer) = self.answered(&question.key).await else {
            return Err(Trouble::Suspended(vec![question]));
        };
        let what = format!("the answer to `{}`", question.key);
        let mut answer = answer;
        for rule in rules.iter().flatten() {
            // What a check makes of an answer is kept as the answer, and so is no entry of its own.
            let changed = match rule.by {
                RuleBy::Schema(schema) => self.fitted(schema, rule.coercion, &what, &answer)?,
                RuleBy::Function(function) => {
                    Some(self.judged(function, rule.coercion, &what, &answer, place).await?)
                }
            };
            answer = changed.unwrap_or(answer);
        }
        if self.journal.is_some() {
            self.keep(Entry { key: &kept, spot: place.spot, asked: &asked.hex(), answer: Ok(&answer) }).await;
        }
        Ok(answer)
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
