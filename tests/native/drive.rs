//! Drives a run in virtual time: polls, answers from the script, and lets time pass when nothing else can happen.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use serde_json::{Map, Value, json};
use stepweave_core::document::Document;
use stepweave_core::engine::{Outcome, Plan, Reached, Settings, run};
use stepweave_core::error::{Code, Error};
use stepweave_core::host::{Credential, Request, Response, Sending, Wants};

use stepweave_core::language::{Intrinsics, origin_of};

use crate::gates::Gates;
use crate::host::{Ask, Board, ScriptedHost, Shared};
use crate::journal::{Kept, Replays};
use crate::scenario::{Action, HttpAnswer, Scenario};

/// Letters as Rust changes their case.
pub const INTRINSICS: Intrinsics =
    Intrinsics { upper: str::to_uppercase, lower: str::to_lowercase, remainder: |left, right| left % right };

/// What came of a run.
pub struct Driven {
    /// How it ended; nothing when it was cancelled.
    pub outcome: Option<Outcome<Shared>>,
    /// The state that the run reached.
    pub state: Shared,
}

/// Runs the document with the script, from this state.
pub fn drive(script: &mut Script, document: &Document, state: Shared, settings: Settings) -> Driven {
    let plan = Plan::new(document).expect("a valid document has a plan");
    let host = ScriptedHost { board: Rc::clone(&script.board), schemas: plan.schemas.clone() };
    script.replays = Replays::default();
    script.functions = plan.functions.iter().map(|function| function.handler.clone()).collect();
    let reached = Reached::new(state);
    let outcome = {
        let future = pin!(run(&plan, &host, &reached, settings));
        script.drive(future)
    };
    let state = reached.state(&host);
    Driven { outcome, state }
}

/// A request that was sent.
pub enum Sent {
    /// A model's.
    OfModel(Request),
    /// The document's own.
    OfDocument(Sending),
}

impl Sent {
    fn url(&self) -> String {
        match self {
            Self::OfModel(request) => request.url.clone(),
            Self::OfDocument(sending) => {
                // Scenarios have no other relative addresses than those that begin with the path.
                let origin =
                    sending.base.as_deref().filter(|_| sending.url.starts_with('/')).and_then(origin_of);
                format!("{}{}", origin.unwrap_or_default(), sending.url)
            }
        }
    }

    fn body(&self) -> &str {
        match self {
            Self::OfModel(request) => &request.body,
            Self::OfDocument(sending) => sending.body.as_deref().unwrap_or_default(),
        }
    }

    /// As scenarios show it, with the secrets put in.
    pub fn shown(&self, secrets: &Value) -> Value {
        let value = |name: &str| secrets[name]["value"].as_str().map(str::to_owned);
        let body = self.body();
        let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        let mut shown = Map::new();
        if let Self::OfDocument(sending) = self {
            shown.insert("method".into(), sending.method.into());
        }
        shown.insert("url".into(), self.url().into());
        let mut headers = Map::new();
        let mut authorization = None;
        match self {
            Self::OfModel(request) => {
                shown.insert("body".into(), body);
                let auth = request.auth.as_ref().filter(|auth| auth.header == "authorization");
                authorization = auth.and_then(|auth| value(&auth.secret)).map(|key| format!("Bearer {key}"));
            }
            Self::OfDocument(sending) => {
                headers.clone_from(&sending.headers);
                match &sending.auth {
                    Some(Credential::Header(auth)) if auth.header == "authorization" => {
                        authorization = value(&auth.secret).map(|key| format!("{}{key}", auth.prefix));
                    }
                    Some(Credential::Header(auth)) => {
                        headers.insert(auth.header.clone().into_owned(), value(&auth.secret).into());
                    }
                    Some(_) => panic!("only the package knows what such a secret becomes"),
                    None => {}
                }
                if !headers.is_empty() {
                    shown.insert("headers".into(), headers.into());
                }
                if sending.body.is_some() {
                    shown.insert("body".into(), body);
                }
            }
        }
        if let Some(authorization) = authorization {
            shown.insert("authorization".into(), authorization.into());
        }
        shown.into()
    }
}

type Timer = Box<dyn FnOnce(&mut Script)>;

/// What the world answers, in which order.
pub struct Script {
    /// What happened, and when.
    pub board: Rc<Board>,
    /// What was sent, in order.
    pub requests: Vec<Sent>,
    /// The secrets, by name.
    pub secrets: Value,
    functions: Vec<Option<String>>,
    handlers: BTreeMap<String, std::vec::IntoIter<Action>>,
    answers: Vec<Option<HttpAnswer>>,
    bodies: Vec<(std::vec::IntoIter<String>, Option<u64>)>,
    held: Vec<Ask>,
    replays: Replays,
    gates: Gates,
    timers: BTreeMap<(u64, u64), Timer>,
    timer_count: u64,
    cancelled: Rc<Cell<bool>>,
}

impl Script {
    /// The script of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let handlers =
            scenario.handlers.iter().map(|(name, actions)| (name.clone(), actions.clone().into_iter()));
        let mut script = Self {
            board: Rc::default(),
            functions: Vec::new(),
            handlers: handlers.collect(),
            answers: scenario.http.iter().cloned().map(Some).collect(),
            bodies: Vec::new(),
            requests: Vec::new(),
            secrets: scenario.secrets.clone().unwrap_or_default(),
            held: Vec::new(),
            replays: Replays::default(),
            gates: Gates::default(),
            timers: BTreeMap::new(),
            timer_count: 0,
            cancelled: Rc::default(),
        };
        if let Some(at) = scenario.cancel_at_ms {
            let cancelled = Rc::clone(&script.cancelled);
            script.later(at, Box::new(move |_| cancelled.set(true)));
        }
        script
    }

    fn drive<T>(&mut self, mut future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            while woken.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return Some(output);
                }
            }
            let asks = std::mem::take(&mut *self.board.asks.borrow_mut());
            self.hear(asks);
            if woken.0.load(Ordering::Relaxed) {
                continue;
            }
            // What a journal answers comes before anything else.
            if self.replays.answer_next(&self.board) {
                continue;
            }
            self.board.go_on();
            let quiet = self.held.is_empty();
            let mut held = std::mem::take(&mut self.held).into_iter();
            for ask in held.by_ref() {
                // What follows from an answer that is kept comes before the next one is kept.
                let is_kept = matches!(ask, Ask::Record { .. });
                self.take(ask);
                if is_kept {
                    break;
                }
            }
            self.held.extend(held);
            if quiet {
                let ((due, _), timer) = self.timers.pop_first().expect("the run waits for something");
                self.board.now.set(due);
                timer(self);
                if self.cancelled.get() {
                    return None;
                }
            }
        }
    }

    /// Takes note of what waits for the journal; the rest has to wait until that has answered.
    fn hear(&mut self, asks: Vec<Ask>) {
        for ask in asks {
            match ask {
                Ask::Replay { key, answer } => self.replays.wait(&self.board, &key, answer),
                // What nobody has answered waits at once, as it did in the run that the journal tells.
                Ask::Answer { key, answer } if !self.board.answers.borrow().contains_key(&key) => {
                    let _ = answer.send(None);
                }
                other => self.held.push(other),
            }
        }
    }

    fn take(&mut self, ask: Ask) {
        // An answer that nobody waits for any more is dropped.
        match ask {
            Ask::Sleep { milliseconds, answer } => self.later(
                milliseconds,
                Box::new(move |_| {
                    let _ = answer.send(());
                }),
            ),
            Ask::Replay { .. } => unreachable!("it was heard"),
            Ask::Answer { key, answer } => {
                let _ = answer.send(self.board.answers.borrow_mut().remove(&key));
            }
            Ask::Record { key, spot, fingerprints, kept, answer } => {
                let at = self.board.time();
                let texts = self.board.pieces.borrow_mut().remove(&spot).unwrap_or_default();
                let pieces = (spot.step, self.board.prefix(spot.scope), texts);
                let seq = self.board.counted();
                let kept = Kept { key, fingerprints, seq, at, pieces, answer: kept };
                self.board.journal.borrow_mut().entries.push(kept);
                let _ = answer.send(());
            }
            Ask::Call { call, answer } => {
                let action = self.action(call.function);
                self.after(action.after_ms, move |_| {
                    let _ = answer.send(acted(action, call.wants));
                });
            }
            Ask::Admit { spot, gate, answer } => {
                let endpoint = gate.endpoint.clone();
                self.gates.queue(spot, gate, answer);
                self.pass(&endpoint);
            }
            Ask::Release { endpoint } => {
                self.gates.release(&endpoint);
                self.pass(&endpoint);
            }
            Ask::Shut { endpoint, milliseconds } => {
                self.gates.shut(&endpoint, self.board.now.get() + milliseconds);
            }
            Ask::Fetch { request, answer } => match request.function {
                Some(function) => {
                    let action = self.action(function);
                    self.after(action.after_ms, move |script| {
                        let _ = answer.send(acted(action, Wants::Output).map(|parts| script.stream(&parts)));
                    });
                }
                None => {
                    let response = self.respond(Sent::OfModel(request));
                    let _ = answer.send(response);
                }
            },
            Ask::Exchange { sending, answer } => {
                let response = self.respond(Sent::OfDocument(sending));
                let _ = answer.send(response);
            }
            Ask::Read { body, answer } => {
                let wait = self.bodies[body].1;
                self.after(wait, move |script| {
                    let chunk = script.bodies[body].0.next();
                    let _ = answer.send(match chunk.as_deref() {
                        Some("<broken>") => Err(broken()),
                        _ => Ok(chunk.map(String::into_bytes)),
                    });
                });
            }
        }
    }

    /// Lets through the gate of an endpoint who may go.
    fn pass(&mut self, endpoint: &str) {
        if let Some(time) = self.gates.advance(endpoint, &self.board) {
            let (wait, endpoint) = (time - self.board.now.get(), endpoint.to_owned());
            self.later(wait, Box::new(move |script| script.pass(&endpoint)));
        }
    }

    fn after(&mut self, wait: Option<u64>, act: impl FnOnce(&mut Script) + 'static) {
        match wait {
            Some(wait) => self.later(wait, Box::new(act)),
            None => act(self),
        }
    }

    fn later(&mut self, wait: u64, timer: Timer) {
        self.timer_count += 1;
        self.timers.insert((self.board.now.get() + wait, self.timer_count), timer);
    }

    fn action(&mut self, function: u32) -> Action {
        let name = self.functions[function as usize].clone().expect("it has a name");
        let actions = self.handlers.get_mut(&name).unwrap_or_else(|| panic!("no script for `{name}`"));
        actions.next().unwrap_or_else(|| panic!("`{name}` is called more often than scripted"))
    }

    fn respond(&mut self, request: Sent) -> Result<Response<usize>, Error> {
        let fits = |answer: &&mut Option<HttpAnswer>| {
            let when = answer.as_ref().map(|answer| answer.when.clone());
            when.is_some_and(|when| {
                when.is_none_or(|text| request.body().contains(&text) || request.url().contains(&text))
            })
        };
        let answer = self.answers.iter_mut().find(fits).and_then(Option::take);
        let answer = answer
            .unwrap_or_else(|| panic!("no answer is scripted for {} {}", request.url(), request.body()));
        self.requests.push(request);
        self.bodies.push((answer.chunks.into_iter(), answer.chunk_ms));
        let headers = answer.headers.unwrap_or_else(|| {
            [("content-type", "text/event-stream")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into()
        });
        let headers = headers.into_iter().map(|(name, value)| (name, value.into())).collect();
        let (status, body) = (answer.status.unwrap_or(200), self.bodies.len() - 1);
        Ok(Response { status, headers, hint: String::new(), body })
    }

    /// The answer of a model of the host that gives these parts.
    fn stream(&mut self, parts: &Value) -> Response<usize> {
        let parts = parts.as_array().expect("a model gives a list of parts");
        let chunks: Vec<String> = parts.iter().map(|part| format!("data: {part}\n\n")).collect();
        self.bodies.push((chunks.into_iter(), None));
        Response { status: 200, headers: Map::new(), hint: String::new(), body: self.bodies.len() - 1 }
    }

    /// A script that was not needed hides a mistake in the scenario.
    pub fn used_up(&mut self, title: &str) {
        for (name, actions) in &mut self.handlers {
            assert!(actions.next().is_none(), "{title}: `{name}` is called less often than scripted");
        }
        assert!(self.answers.iter().all(Option::is_none), "{title}: an HTTP answer is left over");
    }
}

/// What the package says when a body breaks off: the words are the host's, and both hosts use the same.
fn broken() -> Error {
    Error::new(Code::Network, "the answer of http://model.test broke off: the connection broke")
        .with_hint("try again; if it happens often, look into the endpoint's log")
        .retryable()
}

fn acted(action: Action, wants: Wants) -> Result<Value, Error> {
    match (action.throws, action.returns) {
        (Some(message), None) => {
            // As the package says it: what an error does not say itself follows from its code.
            let code = action.code.as_deref().unwrap_or("handler");
            let is_final = ["cancelled", "limit", "budget", "document", "validation"].contains(&code);
            let hint = match action.code {
                Some(_) => "",
                None => {
                    "the step's own function threw this: see `cause`; with required: false the run goes on without the step"
                }
            };
            let retryable = action.retryable.unwrap_or(wants != Wants::Output && !is_final);
            Err(Error::from_json(
                &json!({ "code": code, "message": message, "hint": hint, "retryable": retryable }),
            ))
        }
        (None, Some(value)) => Ok(value),
        _ => panic!("an action either returns or throws"),
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
