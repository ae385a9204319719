//! The engine's host for a scenario: every need becomes a note that the driver answers after the poll, just as
//! the wasm boundary does it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use futures_channel::oneshot::{Receiver, Sender, channel};
use serde_json::{Map, Value, json};
use stepweave_core::engine::Schema;
use stepweave_core::error::Error;
use stepweave_core::event::{Event, Scope, Spot};
use stepweave_core::host::{
    Call, Entry, Gate, Host, Request, Response, Returned, Sending, SharedKey, Values, Violation, Wants, World,
};

use crate::defaults::filled;
use crate::journal::{Journal, Piece};
use crate::view::view;
use crate::violations::violations;

/// A value of the state.
pub type Shared = Rc<Value>;

/// What the engine requests.
#[derive(Debug)]
pub enum Ask {
    /// Call this function of the plan.
    Call { call: FunctionCall, answer: Sender<Result<Value, Error>> },
    /// Tell when a request may go through this gate.
    Admit { spot: Spot, gate: Gate, answer: Sender<Permit> },
    /// A request through the gate of this endpoint has ended.
    Release { endpoint: String },
    /// Keep the gate of this endpoint shut for so long.
    Shut { endpoint: String, milliseconds: u64 },
    /// Send this request.
    Fetch { request: Request, answer: Sender<Result<Response<usize>, Error>> },
    /// Send this request of the document.
    Exchange { sending: Sending, answer: Sender<Result<Response<usize>, Error>> },
    /// The next bytes of this body.
    Read { body: usize, answer: Sender<Result<Option<Vec<u8>>, Error>> },
    /// Tell when this many milliseconds are over.
    Sleep { milliseconds: u64, answer: Sender<()> },
    /// Tell what the journal has under this key.
    Replay { key: String, answer: Sender<Result<Value, Error>> },
    /// What a person answered to the question of this key.
    Answer { key: String, answer: Sender<Option<Value>> },
    /// Put this into the journal.
    Record { key: String, spot: Spot, fingerprints: String, kept: Result<Value, Error>, answer: Sender<()> },
}

/// What a function is called for.
#[derive(Debug)]
pub struct FunctionCall {
    pub function: u32,
    pub wants: Wants,
    pub spot: Spot,
    pub attempt: u32,
    pub state: Shared,
}

/// What engine and driver share.
#[derive(Debug, Default)]
pub struct Board {
    /// What the engine has requested since the driver last looked.
    pub asks: RefCell<Vec<Ask>>,
    /// What happened, with the time.
    pub events: RefCell<Vec<(u64, Event<Shared>)>>,
    /// The virtual time.
    pub now: Cell<u64>,
    /// The rounds of loops, by scope number less one: the loop, the number of the round, what keys begin with.
    pub scopes: RefCell<Vec<(Spot, u32, String)>>,
    /// What was answered in earlier runs and in this one.
    pub journal: RefCell<Journal>,
    /// While a journal answers, when it was answered.
    pub replayed: Cell<Option<u64>>,
    /// Whether the run is another one over the journal, which takes over what it answers.
    pub is_fork: Cell<bool>,
    /// How far the run that is forked had come, and how much later the fork went on: no step took that time.
    pub gap: Cell<Option<(u64, u64)>>,
    /// The latest time that the engine was given.
    pub latest: Cell<u64>,
    /// What steps have emitted since their last answer.
    pub pieces: RefCell<BTreeMap<Spot, Vec<Piece>>>,
    /// Counts emitted pieces and answers.
    pub count: Cell<u64>,
    /// Keys whose recorded answers belong to other questions than those of this run.
    pub mismatches: RefCell<Vec<String>>,
    /// What a person answered, by key.
    pub answers: RefCell<BTreeMap<String, Value>>,
}

impl Board {
    /// Makes room for another run over the same journal.
    pub fn begin_again(&self, after_ms: u64, is_fork: bool) {
        self.now.set(self.now.get() + after_ms);
        self.is_fork.set(is_fork);
        self.gap.set(None);
        // The run that is taken up again began with the clock.
        self.replayed.set(Some(0));
        self.latest.set(0);
        self.events.borrow_mut().clear();
        self.scopes.borrow_mut().clear();
    }

    /// The journal has no more answers.
    pub fn go_on(&self) {
        let from = self.time();
        if self.replayed.take().is_some() && self.is_fork.get() {
            self.gap.set(Some((from, self.now.get().saturating_sub(from))));
        }
    }

    /// How long what began then has taken of the time that this run and the one that it is forked from went on.
    pub fn took(&self, begun: u64, elapsed: u64) -> u64 {
        match self.gap.get() {
            Some((from, gap)) if begun <= from => elapsed.saturating_sub(gap),
            _ => elapsed,
        }
    }

    /// What the keys of the executions of a scope begin with.
    pub fn prefix(&self, scope: u32) -> String {
        match scope {
            0 => String::new(),
            scope => self.scopes.borrow()[scope as usize - 1].2.clone(),
        }
    }

    /// Emits a piece again that came before a recorded answer.
    pub fn emit_again(&self, step: u32, prefix: &str, piece: &Piece) {
        let scopes = self.scopes.borrow();
        let scope = scopes.iter().position(|(_, _, open)| open == prefix).map_or(0, |place| place as u32 + 1);
        self.replayed.set(Some(piece.at));
        let spot = Spot { step, scope };
        let event = match &piece.text {
            Some(text) => Event::StepDelta { spot, text: text.clone() },
            None if self.is_shown(spot) => Event::StepReset { spot },
            // The engine has dropped it already.
            None => return,
        };
        self.events.borrow_mut().push((self.time(), event));
    }

    /// Whether something of a step's answer was emitted since the last time that was dropped.
    fn is_shown(&self, spot: Spot) -> bool {
        let events = self.events.borrow();
        let last = events.iter().rev().find_map(|(_, event)| match event {
            Event::StepDelta { spot: of, .. } | Event::StepReasoning { spot: of, .. } if *of == spot => {
                Some(true)
            }
            Event::StepReset { spot: of } if *of == spot => Some(false),
            _ => None,
        });
        last.unwrap_or(false)
    }

    /// The next number of a piece or an answer.
    pub fn counted(&self) -> u64 {
        self.count.set(self.count.get() + 1);
        self.count.get()
    }

    /// The time that the engine is given.
    pub fn time(&self) -> u64 {
        let time = self.replayed.get().unwrap_or_else(|| self.now.get());
        // An early answer may be emitted after a late one; no clock goes back for that.
        self.latest.set(time.max(self.latest.get()));
        self.latest.get()
    }
}

/// The scripted host of one run.
pub struct ScriptedHost {
    /// What it shares with its driver.
    pub board: Rc<Board>,
    /// The schemas of the plan.
    pub schemas: Vec<Schema>,
}

/// Leave to ask an endpoint.
#[derive(Debug)]
pub struct Permit {
    pub endpoint: String,
    pub board: Rc<Board>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.board.asks.borrow_mut().push(Ask::Release { endpoint: self.endpoint.clone() });
    }
}

impl ScriptedHost {
    async fn ask<T>(&self, ask: impl FnOnce(Sender<T>) -> Ask) -> T {
        let (sender, receiver): (Sender<T>, Receiver<T>) = channel();
        self.board.asks.borrow_mut().push(ask(sender));
        receiver.await.expect("the driver answers what it takes")
    }
}

impl Values for ScriptedHost {
    type Value = Shared;

    fn merge(&self, state: &Shared, patch: &Shared) -> Shared {
        let mut merged = object(state).clone();
        merged.extend(object(patch).clone());
        Rc::new(merged.into())
    }

    fn merge_all(&self, state: &Shared, patches: Vec<Shared>) -> Shared {
        patches.iter().fold(Rc::clone(state), |state, patch| self.merge(&state, patch))
    }

    fn diff(&self, before: &Shared, after: &Shared) -> Shared {
        let before = object(before);
        let changed = object(after).iter().filter(|(key, value)| before.get(*key) != Some(*value));
        Rc::new(Value::Object(changed.map(|(key, value)| (key.clone(), value.clone())).collect()))
    }

    fn shared_keys(&self, patches: &[Shared]) -> Vec<SharedKey> {
        let mut writers = HashMap::new();
        let mut shared = Vec::new();
        for (second, patch) in patches.iter().enumerate() {
            for key in object(patch).keys() {
                if let Some(first) = writers.insert(key, second) {
                    shared.push(SharedKey { key: key.clone(), first, second });
                }
            }
        }
        shared
    }

    fn member(&self, value: &Shared, key: &str) -> Option<Shared> {
        value.get(key).cloned().map(Rc::new)
    }

    fn json_text(&self, value: &Shared) -> String {
        value.to_string()
    }

    fn value_from_json(&self, json: Value) -> Shared {
        Rc::new(json)
    }

    fn template_view(&self, value: &Shared) -> stepweave_core::language::Value {
        view(value)
    }

    fn intrinsics(&self) -> stepweave_core::language::Intrinsics {
        crate::drive::INTRINSICS
    }

    fn object(&self, entries: Vec<(&str, Shared)>) -> Shared {
        let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), (*value).clone()));
        Rc::new(Value::Object(entries.collect()))
    }

    fn list(&self, items: Vec<Shared>) -> Shared {
        Rc::new(items.iter().map(|item| (**item).clone()).collect())
    }

    fn length(&self, value: &Shared) -> Option<usize> {
        Some(value.as_array()?.len())
    }

    fn items(&self, value: &Shared) -> Option<Vec<Shared>> {
        Some(value.as_array()?.iter().cloned().map(Rc::new).collect())
    }

    fn bytes(&self, value: &Shared) -> u64 {
        value.to_string().len() as u64
    }

    fn violations(&self, schema: u32, value: &Shared, most: u32) -> Result<Vec<Violation>, Error> {
        let found = violations(&self.schemas[schema as usize].schema, value, most as usize);
        Ok(found
            .into_iter()
            .map(|found| {
                let crate::violations::Violation { at, keyword, rule, missing } = found;
                Violation { at, keyword, rule, missing }
            })
            .collect())
    }

    fn filled(&self, schema: u32, value: &Shared) -> Option<Shared> {
        filled(&self.schemas[schema as usize].schema, value).map(Rc::new)
    }
}

impl World for ScriptedHost {
    type Body = usize;
    type Permit = Permit;

    async fn admit(&self, spot: Spot, gate: Gate) -> Permit {
        self.ask(|answer| Ask::Admit { spot, gate, answer }).await
    }

    fn close(&self, permit: &Permit, milliseconds: u64) {
        let endpoint = permit.endpoint.clone();
        self.board.asks.borrow_mut().push(Ask::Shut { endpoint, milliseconds });
    }

    async fn fetch(&self, _: Spot, request: Request) -> Result<Response<usize>, Error> {
        self.ask(|answer| Ask::Fetch { request, answer }).await
    }

    async fn read(&self, body: &mut usize) -> Result<Option<Vec<u8>>, Error> {
        let body = *body;
        self.ask(|answer| Ask::Read { body, answer }).await
    }

    async fn sleep(&self, milliseconds: u64) {
        self.ask(|answer| Ask::Sleep { milliseconds, answer }).await;
    }

    async fn sleep_until(&self, time: f64) {
        self.sleep((time as u64).saturating_sub(self.board.now.get())).await;
    }

    async fn pause(&self, _: u64) {}

    fn now(&self) -> f64 {
        self.board.time() as f64
    }

    fn time_of(&self, text: &str) -> Option<f64> {
        crate::time::milliseconds(text)
    }
}

impl Host for ScriptedHost {
    type Prepared = Sending;

    async fn prepare(&self, _: Spot, sending: Sending) -> Result<Sending, Error> {
        Ok(sending)
    }

    async fn exchange(&self, sending: Sending) -> Result<Shared, Error> {
        let form = sending.response;
        let response = self.ask(|answer| Ask::Exchange { sending, answer }).await?;
        let (mut body, mut bytes) = (response.body, Vec::new());
        while let Some(more) = self.read(&mut body).await? {
            bytes.extend(more);
        }
        let text = String::from_utf8(bytes).expect("scenarios answer with text");
        let is_json =
            response.headers.get("content-type").is_some_and(|it| it.as_str().unwrap().contains("json"));
        let body = match form {
            _ if text.is_empty() => Value::Null,
            "json" => serde_json::from_str(&text).expect("what is no JSON is the package's to say"),
            "auto" if is_json => {
                serde_json::from_str(&text).expect("what is no JSON is the package's to say")
            }
            _ => Value::String(text),
        };
        Ok(Rc::new(json!({ "status": response.status, "headers": response.headers, "body": body })))
    }

    async fn call(&self, call: Call<'_, Shared>) -> Result<Returned<Shared>, Error> {
        let Call { function, wants, spot, attempt, state, .. } = call;
        let call = FunctionCall { function, wants, spot, attempt, state: Rc::clone(state) };
        let value = self.ask(|answer| Ask::Call { call, answer }).await?;
        Ok(Returned { value: Rc::new(value), yielded: None })
    }

    fn recorded(&self, key: &str) -> Option<String> {
        self.board.journal.borrow().fingerprints_of(key)
    }

    fn mismatch(&self, _: Spot, key: &str) {
        self.board.mismatches.borrow_mut().push(key.to_owned());
    }

    async fn replay(&self, key: &str) -> Result<Shared, Error> {
        let key = key.to_owned();
        self.ask(|answer| Ask::Replay { key, answer }).await.map(Rc::new)
    }

    async fn record(&self, entry: Entry<'_, Shared>) {
        let (key, spot, fingerprints) = (entry.key.to_owned(), entry.spot, entry.fingerprints.to_owned());
        let kept = entry.answer.map(|value| (**value).clone()).map_err(Error::clone);
        self.ask(|answer| Ask::Record { key, spot, fingerprints, kept, answer }).await;
    }

    async fn answer(&self, key: &str) -> Option<Shared> {
        let key = key.to_owned();
        self.ask(|answer| Ask::Answer { key, answer }).await.map(Rc::new)
    }

    fn enter(&self, scope: Scope<'_>) {
        self.board.scopes.borrow_mut().push((scope.spot, scope.round, scope.prefix.to_owned()));
    }

    fn emit(&self, event: Event<Shared>) {
        let piece = match &event {
            Event::StepDelta { spot, text } => Some((*spot, Some(text.clone()))),
            Event::StepReset { spot } if self.board.replayed.get().is_none() => Some((*spot, None)),
            _ => None,
        };
        if let Some((spot, text)) = piece {
            let piece = Piece { at: self.board.time(), seq: self.board.counted(), text };
            self.board.pieces.borrow_mut().entry(spot).or_default().push(piece);
        }
        self.board.events.borrow_mut().push((self.board.time(), event));
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("a state is an object")
}
