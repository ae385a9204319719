//! Agents: a model is called, its tool calls are made, until it answers.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use serde_json::Value;

pub(super) use self::talk::{Calling, Progress, Talk};
pub(super) use super::budget::Spent;

use super::answered::said;
use super::flow::Flow;
use super::journal::Caller;
use super::leaf::{Answer, Trouble};
use super::message::{Conversation, Said, name_of, said_by};
use super::plan::{Ask, Input, Node, Purpose, Rule, RuleBy};
use super::walk::{Walk, apart};
use crate::digest::Digest;
use crate::document::ToolChoice;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::host::{Host, Wants};
use crate::json;
use crate::models::{self, Emitter, Finish, Question, Reply, Turn, Voice};
use crate::shape::{cut, listed};

mod talk;

/// The answer of an agent, as it comes about.
type Answering<'f, V> = Pin<Box<dyn Future<Output = Result<Answer<V>, Trouble>> + 'f>>;

impl<'a, H: Host> Walk<'a, H> {
    /// Lets the agent answer.
    ///
    /// On the heap, for the steps that are no agents need not be as large.
    pub(super) fn asking<'f>(
        &'f self,
        node: &'f Node,
        ask: &'f Ask,
        flow: &'f Flow<H::Value>,
        state: &'f H::Value,
        caller: &'f Caller<'f>,
        talk: &'f Talk,
    ) -> Answering<'f, H::Value> {
        Box::pin(self.ask(node, ask, flow, state, caller, talk))
    }

    async fn ask(
        &self,
        node: &Node,
        ask: &Ask,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<Answer<H::Value>, Trouble> {
        self.open(node, ask, flow, state, caller, talk).await?;
        loop {
            if let Some((calling, calls)) = talk.open_calls() {
                self.call_tools(ask, &calls, calling, caller, talk).await?;
                talk.close_calls(ask);
            }
            let reply = match self.next_reply(node, ask, caller, talk).await {
                Err(error) if talk.puts_in_words(&error) => {
                    self.warn_put_in_words(ask, caller, talk);
                    continue;
                }
                reply => reply?,
            };
            if !reply.calls.is_empty() && !ask.tools.is_empty() {
                refuse_cut(node, &reply, &mut talk.progress().borrow_mut())?;
                talk.asked_for(reply);
                continue;
            }
            let is_paused = reply.finish == Finish::Paused;
            talk.push(Turn::Assistant(reply));
            if is_paused {
                continue;
            }
            if !remind(node, ask, &mut talk.progress().borrow_mut())? {
                let answer = said(&talk.progress().borrow());
                self.look_at(&answer, caller);
                if let Some(value) = self.value_of(node, ask, &answer, caller, talk).await? {
                    return Ok(self.finished(ask, answer, value, talk));
                }
            }
            // The next answer is emitted in full.
            if talk.takes_back() {
                self.host.emit(Event::StepReset { spot: caller.spot });
            }
        }
    }

    /// Begins the conversation, unless an earlier attempt did and was interrupted.
    async fn open(
        &self,
        node: &Node,
        ask: &Ask,
        flow: &Flow<H::Value>,
        state: &H::Value,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<(), Error> {
        if talk.is_under_way() {
            return Ok(());
        }
        let model = name_of(ask.models.get(talk.progress().borrow().model));
        let Said { before, mut question } = match &ask.input {
            Input::State => Said::text(self.host.json_text(state)),
            Input::Function(function) => {
                // Beside a function that checks the state, which has the key `input`.
                let key = match node.input {
                    Some(Rule { by: RuleBy::Function(_), .. }) => "inputFrom",
                    _ => "input",
                };
                let said = self.call_for(*function, Wants::Text, flow, state, caller, key).await?;
                said_by(&node.name, self.json(&said), &model)?
            }
            Input::Template(template) => Said::text(self.render(template, "`inputFrom`", flow, state).await?),
        };
        let Conversation { mut turns, mut messages } = match &ask.history {
            Some(history) => {
                let kept = self.remembered(&node.name, &history.key, state, &model)?;
                apart(self.shortened(node, history, kept, caller, talk)).await?
            }
            None => Conversation::default(),
        };
        turns.extend(before.turns);
        if ask.history.is_some() {
            messages.extend(before.messages);
        }
        let earlier = turns.len();
        if let Some(files) = &ask.files {
            question.extend(self.files(&node.name, files, flow, state, caller).await?);
        }
        turns.push(Turn::User(question));
        talk.begin(turns, earlier, messages);
        Ok(())
    }

    /// The model's next answer.
    pub(super) async fn next_reply(
        &self,
        node: &Node,
        ask: &Ask,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<Reply, Error> {
        let (turns, model, requests) = talk.question();
        let reported = talk.progress().borrow().reported;
        let setup =
            ask.models.get(model).ok_or_else(|| Error::new(Code::Internal, "an agent has no model"))?;
        if talk.progress().borrow().answered() >= ask.max_turns as usize {
            let message = format!(
                "the agent of `{}` asked its model {} times and has no answer yet",
                node.name, ask.max_turns
            );
            return Err(Error::new(Code::Limit, message).with_hint(
                "raise the agent's maxTurns, or say in its instructions when to stop calling tools",
            ));
        }
        let choice = talk.progress().borrow().choice(ask);
        let question = Question {
            setup,
            agent: &ask.agent,
            instructions: ask.instructions.as_deref(),
            turns: &turns,
            tools: &ask.offers,
            provided: &ask.provided,
            choice: &choice,
            output: ask.output_schema.as_ref(),
            output_mode: talk.progress().borrow().output_mode,
            longest_wait_ms: self.plan.retry.max_backoff_ms,
            most: None,
        };
        // Long conversations are written down only for who reads it.
        let is_read = self.journal.is_some() || self.is_limited(ask);
        let body = if is_read { json::text(&models::neutral(&question)) } else { String::new() };
        let own = talk.progress().borrow().counted;
        let reserved = self.afford(ask, setup, question.words_in(&body), own)?;
        let question = Question { most: reserved.most, ..question };
        let number = requests + 1;
        if reported != Some(model) {
            self.warn_dropped(&question, caller);
        }
        {
            let mut progress = talk.progress().borrow_mut();
            progress.requests = number;
            progress.has_failed = false;
            progress.reported = Some(model);
        }
        let word = ask.purpose.word();
        let call = if number == 1 { word.to_owned() } else { format!("{word}{number}") };
        let fingerprint =
            Digest::default().with(setup.model.base_url.as_deref().unwrap_or_default()).with(&body);
        let voice = if ask.purpose == Purpose::Answer { Voice::Aloud } else { Voice::Silent };
        let emitter = Emitter::new(self.host, caller.spot, voice, &ask.provided);
        talk.progress().borrow_mut().has_emitted = Rc::clone(&emitter.has_emitted);
        let live = async {
            let reply = models::ask(&question, &emitter).await;
            let reply = reply.and_then(|reply| self.bounded(node, reply, talk));
            reply.map(|reply| Reply { usage: models::priced(setup, reply.usage), ..reply }).map_err(|error| {
                error.with(|failure| {
                    failure.after_delta = emitter.has_emitted.get();
                    let usage = failure.details.usage.or(emitter.usage.get());
                    failure.details.usage = models::priced(setup, usage);
                })
            })
        };
        let reply = match self.journal {
            None => live.await,
            Some(_) => {
                let live = Box::pin(async { Ok(self.host.value_from_json(live.await?.to_json())) });
                let kept = self.journaled(caller, &call, fingerprint, live).await;
                kept.map(|kept| Reply::from_json(&self.json(&kept)))
            }
        };
        // A model that is a function may say so of itself, but not what it has used of the run's.
        let is_over = |error: &Error| error.code == Code::Budget && error.details.usage.is_some();
        let reply = match reply {
            Err(error) if reserved.ends_run && is_over(&error) => Err(error.ending_run()),
            reply => reply,
        };
        // An answer out of a journal was not emitted while it came.
        match &reply {
            Ok(reply) => emitter.served(&reply.extras.served),
            Err(error) => emitter.give_up_served(Some(error)),
        }
        if reply.as_ref().is_ok_and(|reply| reply.finish != Finish::Paused) {
            emitter.give_up_served(None);
        }
        let usage = match &reply {
            Ok(reply) => reply.usage,
            Err(error) => error.details.usage,
        };
        let counted = usage.unwrap_or_else(|| self.estimated(ask, setup, &reply, &reserved, caller));
        self.spend(counted);
        talk.count(usage, counted);
        if let Some(usage) = usage {
            self.host.emit(Event::StepUsage { spot: caller.spot, usage });
        }
        let mut progress = talk.progress().borrow_mut();
        progress.has_failed = reply.is_err();
        progress.has_emitted.set(match &reply {
            // What was said before a call stays.
            Ok(reply) => reply.calls.is_empty() && reply.says_something(),
            Err(error) => error.after_delta,
        });
        drop(progress);
        reply
    }

    /// Reports the parameters that are left out because the model would reject them.
    fn warn_dropped(&self, question: &Question<'_>, caller: &Caller<'_>) {
        let (_, dropped) = models::params(question);
        if !dropped.is_empty() {
            let model = &question.setup.model.model;
            let names = listed(dropped.iter().map(String::as_str));
            let message = format!("`{model}` takes no {names}: left out");
            self.host.emit(Event::Warning { spot: Some(caller.spot), code: "param_dropped", message });
        }
    }

    /// Reports that a model does not accept the schema of its answer.
    fn warn_put_in_words(&self, ask: &Ask, caller: &Caller<'_>, talk: &Talk) {
        let setup = ask.models.get(talk.progress().borrow().model);
        let model = setup.map_or("", |setup| &setup.model.model);
        let message =
            format!("`{model}` does not take the schema of its answer: it is asked for it in words");
        self.host.emit(Event::Warning { spot: Some(caller.spot), code: "output_mode", message });
    }

    /// Reports what a person should know about an answer.
    fn look_at(&self, reply: &Reply, caller: &Caller<'_>) {
        let (code, message) = match reply.finish {
            _ if reply.text.is_empty() && reply.extras.files.is_empty() => {
                ("empty_answer", "the model answered with an empty text")
            }
            Finish::Length => ("cut_off", "the answer reached the model's limit of tokens and was cut off"),
            _ => return,
        };
        self.host.emit(Event::Warning { spot: Some(caller.spot), code, message: message.to_owned() });
    }

    /// What the answer is: its text or, for an agent with an output schema, the JSON value in it. Nothing when the
    /// model is to mend it.
    async fn value_of(
        &self,
        node: &Node,
        ask: &Ask,
        reply: &Reply,
        caller: &Caller<'_>,
        talk: &Talk,
    ) -> Result<Option<H::Value>, Error> {
        let Some(rule) = ask.output else {
            return Ok(Some(self.host.value_from_json(reply.text.as_str().into())));
        };
        let what = format!("the answer of `{}`", node.name);
        let text = reply.text.trim();
        let unreadable = || {
            let message = match text {
                "" => format!("{what} is empty"),
                _ if reply.finish == Finish::Length => format!("{what} was cut off by the limit of tokens"),
                _ => format!("{what} is no JSON: {}", cut(text.to_owned(), 120)),
            };
            let hint = "ask for JSON in the instructions, or take a model that has structured output";
            Error::new(Code::Validation, message).with_hint(hint)
        };
        let read = json_in(text);
        let is_read = read.is_some();
        let is_word = ask.output_schema.as_ref().is_some_and(takes_words)
            && !text.is_empty()
            && reply.finish != Finish::Length;
        let checked = match read.or_else(|| is_word.then(|| text.into())) {
            None => Err(unreadable()),
            Some(value) => {
                let value = self.host.value_from_json(value);
                let turn = talk.progress().borrow().requests;
                let call = (&*format!("answer{turn}"), Wants::Checked);
                let checked = self.checked(Some(rule), &what, &value, caller, call).await;
                let checked = checked.map(|changed| changed.unwrap_or(value));
                checked.map_err(|error| if is_read { error } else { unreadable() })
            }
        };
        let error = match checked {
            Ok(value) => return Ok(Some(value)),
            Err(error) => error,
        };
        let mut progress = talk.progress().borrow_mut();
        if error.code != Code::Validation || error.is_misfit() {
            return Err(error);
        }
        if progress.is_repaired {
            return Err(error
                .with_hint(
                    "each attempt asks for it once more; make the schema simpler, or take another model",
                )
                .retryable());
        }
        if progress.is_last(ask) {
            return Err(error.retryable());
        }
        progress.is_repaired = true;
        progress.push(Turn::text(format!(
            "That cannot be used: {}\nAnswer again with the corrected JSON value and nothing else.",
            error.message
        )));
        Ok(None)
    }

    /// An answer that is pinned, as the agent's own schema takes it.
    ///
    /// # Errors
    /// When the agent gives no such answer.
    pub(super) async fn pinned_answer(
        &self,
        node: &Node,
        ask: &Ask,
        pin: &Value,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Error> {
        let what = format!("the answer of `{}`", node.name);
        let given = self.host.value_from_json(pin.clone());
        let call = ("answer", Wants::Checked);
        if ask.full_response {
            let inside = self.host.value_from_json(pin.get("output").cloned().unwrap_or_default());
            self.checked(ask.output, &what, &inside, caller, call).await?;
            return Ok(given);
        }
        let changed = self.checked(ask.output, &what, &given, caller, call).await?;
        Ok(changed.unwrap_or(given))
    }
}

/// Informs a model, once, that its limit of tokens cut a call off.
///
/// # Errors
/// When it was informed before.
fn refuse_cut(node: &Node, reply: &Reply, progress: &mut Progress) -> Result<(), Error> {
    let Some(cut) = reply.calls.iter().find(|call| call.is_cut_off) else { return Ok(()) };
    if std::mem::replace(&mut progress.is_informed_of_cut, true) {
        let message = format!(
            "the agent of `{}` reached its model's limit of tokens in a call of `{}`, once more",
            node.name, cut.name
        );
        return Err(Error::new(Code::Limit, message)
            .with_hint("raise maxOutputTokens of the model's params, or let the call take less at once"));
    }
    Ok(())
}

/// Reminds a model, once, that it has to make a call before it answers.
///
/// # Errors
/// When it was reminded before.
fn remind(node: &Node, ask: &Ask, progress: &mut Progress) -> Result<bool, Error> {
    let call = match progress.choice(ask) {
        ToolChoice::Auto | ToolChoice::None => return Ok(false),
        ToolChoice::Required => "a tool".to_owned(),
        ToolChoice::Named(tool) => format!("the tool `{tool}`"),
    };
    if progress.is_reminded || progress.is_last(ask) {
        let message = format!("the agent of `{}` answered without calling {call}", node.name);
        let hint = "its toolChoice demands the call; take another model, or toolChoice: \"auto\"";
        return Err(Error::new(Code::Validation, message).with_hint(hint).retryable());
    }
    progress.is_reminded = true;
    progress
        .push(Turn::text(format!("That is not an answer yet: you have to call {call} first. Call it now.")));
    Ok(true)
}

/// The calls, each with an id that is unique in the conversation: some endpoints send none, or the same ones again.
fn named(calls: &[models::ToolCall], turn: u32, before: &[Turn]) -> Vec<models::ToolCall> {
    let is_taken = |id: &str| {
        before.iter().any(|turn| match turn {
            Turn::Assistant(reply) => reply.calls.iter().any(|call| call.id == id),
            _ => false,
        })
    };
    let mut named: Vec<models::ToolCall> = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let mut call = call.clone();
        if call.id.is_empty() || named.iter().any(|other| other.id == call.id) || is_taken(&call.id) {
            call.id = format!("call_{turn}_{number}");
        }
        named.push(call);
    }
    named
}

/// Whether texts are what a schema takes. Who is to answer with one often says it without quotes.
fn takes_words(schema: &Value) -> bool {
    schema.get("enum").is_some() || schema.get("type").is_some_and(|kind| kind == "string")
}

/// The JSON value that a text is, or that it has between fences or braces: models like to talk around it.
fn json_in(text: &str) -> Option<Value> {
    let text = text.trim();
    let fenced = text.split_once("```").and_then(|(_, rest)| rest.split_once("```"));
    let fenced = fenced.map(|(inside, _)| inside.strip_prefix("json").unwrap_or(inside));
    let braces = text.find('{').zip(text.rfind('}'));
    // Behind a bracket, an object may be no more than an item of a list.
    let braced = braces.filter(|(first, _)| !text.get(..*first).unwrap_or_default().contains('['));
    let braced = braced.and_then(|(first, last)| text.get(first..=last));
    let parts = [Some(text), fenced, braced];
    parts.into_iter().flatten().find_map(|part| json::read(part.trim()).ok())
}
