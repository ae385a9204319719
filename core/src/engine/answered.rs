//! What becomes of a model's last answer: the step's output, what came beside its text, and the conversation.

use serde_json::{Map, Value};

use super::agent::{Progress, Talk};
use super::leaf::Answer;
use super::message::{conversation, kept, name_of};
use super::plan::{Ask, Node};
use super::walk::Walk;
use crate::error::{Code, Error};
use crate::host::Host;
use crate::literal::json;
use crate::models::{Reply, Served, Stage, Turn};

/// Bytes that what comes beside a text may have where nobody says.
const MAX_EXTRAS: u64 = 32 * 1024 * 1024;

impl<'a, H: Host> Walk<'a, H> {
    /// The reply, if what came beside the text of the answer is no larger with it than what is given at once may be.
    ///
    /// # Errors
    /// When it is larger.
    pub(super) fn bounded(&self, node: &Node, reply: Reply, talk: &Talk) -> Result<Reply, Error> {
        let most = self.plan.limits.max_result_bytes.unwrap_or(MAX_EXTRAS);
        let progress = talk.progress().borrow();
        if replies(&progress).chain([&reply]).map(|reply| reply.extras.bytes()).sum::<u64>() <= most {
            return Ok(reply);
        }
        let message = format!(
            "the sources and files of the answer of `{}` have more than {most} bytes, the limit of what is given at once",
            node.name
        );
        Err(Error::new(Code::Limit, message)
            .with_hint("ask for fewer or smaller images, or raise limits.maxResultBytes"))
    }

    /// What a step gives whose agent has answered.
    pub(super) fn finished(
        &self,
        ask: &Ask,
        answer: Reply,
        value: H::Value,
        talk: &Talk,
    ) -> Answer<H::Value> {
        let origin = answer.origin;
        let progress = talk.progress().borrow();
        let mut entries = Vec::new();
        if let Some(history) = &ask.history {
            let kept = conversation(history, &progress, &name_of(ask.models.get(progress.model)));
            entries.push((history.key.as_str(), self.host.value_from_json(kept)));
        }
        let beside = answer.extras.to_json();
        let extras = self.fields(&beside);
        let output = match ask.full_response {
            false => value,
            true => {
                let full = full_response(&answer, ask, &progress);
                let mut fields = self.fields(&full);
                fields.extend(extras.iter().cloned());
                if ask.output.is_some() {
                    fields.push(("output", value));
                }
                self.host.object(fields)
            }
        };
        let extras = (!extras.is_empty()).then(|| self.host.object(extras));
        entries.push((ask.output_key.as_str(), output.clone()));
        let patch = self.host.object(entries);
        Answer { output: Some(output), patch: Some(patch), extras, origin }
    }

    /// The members of an object as the host's values.
    fn fields<'m>(&self, map: &'m Map<String, Value>) -> Vec<(&'m str, H::Value)> {
        map.iter().map(|(key, field)| (key.as_str(), self.host.value_from_json(field.clone()))).collect()
    }
}

/// The answer as one, now that its last part has come. Where a provider paused, it goes on with the same answer, and
/// what it found before calls of tools led to it too.
pub(super) fn said(progress: &Progress) -> Reply {
    let mut answer = Reply::default();
    for turn in kept(progress).into_iter().skip(progress.earlier) {
        match turn {
            Turn::Assistant(part) => answer.goes_on(part),
            Turn::Tools(_) => (answer.text, answer.reasoning) = Default::default(),
            Turn::User(_) => {}
        }
    }
    answer
}

/// What the model has said for this answer.
fn replies(progress: &Progress) -> impl Iterator<Item = &Reply> {
    progress.turns.iter().skip(progress.earlier).filter_map(|turn| match turn {
        Turn::Assistant(reply) => Some(reply),
        _ => None,
    })
}

/// All that is known of an answer, but for what came beside its text.
fn full_response(reply: &Reply, ask: &Ask, progress: &Progress) -> Map<String, Value> {
    let setup = ask.models.get(progress.model);
    let model = setup.map_or("", |setup| &setup.model.model);
    let mut full = Map::new();
    let mut put = |key: &str, value: Value| full.insert(key.to_owned(), value);
    let called = |reply: &Reply| {
        let provided = |served: &Served| {
            let offer = ask.provided.iter().find(|offer| offer.tool.does == served.does)?;
            let Stage::Began(input) = &served.stage else { return None };
            Some(json!({ "id": served.id, "name": offer.name, "input": input, "byProvider": true }))
        };
        let own =
            reply.calls.iter().map(|call| json!({ "id": call.id, "name": call.name, "input": call.input }));
        reply.extras.served.iter().filter_map(provided).chain(own).collect::<Vec<_>>()
    };
    let calls: Vec<Value> = replies(progress).flat_map(called).collect();
    put("text", reply.text.as_str().into());
    if !reply.reasoning.is_empty() {
        put("reasoning", reply.reasoning.as_str().into());
    }
    if !(ask.tools.is_empty() && ask.provided.is_empty()) {
        put("toolCalls", calls.into());
    }
    if let Some(usage) = progress.usage {
        put("usage", usage.to_json());
    }
    put("finishReason", reply.finish.word().into());
    put("model", model.into());
    full
}
