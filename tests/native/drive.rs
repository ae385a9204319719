//! Drives a run in virtual time: polls, answers from the script, and lets time pass when nothing else can happen.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use serde_json::Value;
use stepweave_core::document::{Document, Run, Source, Step, StepKind};
use stepweave_core::engine::{Code, Error, Outcome, Plan, Request, Response, run};

use stepweave_core::template::LetterCase;

use crate::host::{Ask, Board, ScriptedHost, Shared};
use crate::scenario::{Action, HttpAnswer, Scenario};

/// Letters as Rust changes their case.
pub const LETTER_CASE: LetterCase = LetterCase { upper: str::to_uppercase, lower: str::to_lowercase };

/// What came of a run.
pub struct Driven {
    /// How it ended; nothing when it was cancelled.
    pub outcome: Option<Outcome<Shared>>,
    /// The state the run began with.
    pub first: Shared,
    /// What happened, and when.
    pub board: Rc<Board>,
    /// What was sent, in order.
    pub requests: Vec<Request>,
}

/// Runs the scenario's document with its script.
pub fn drive(scenario: &Scenario, document: &Document) -> Driven {
    let plan = Plan::new(document, LETTER_CASE).expect("a valid document has a plan");
    let mut first = document.initial_state.clone();
    first.extend(scenario.state.clone());
    let first: Shared = Rc::new(first.into());
    let board = Rc::new(Board::default());
    let host = ScriptedHost(Rc::clone(&board));
    let mut script = Script::new(scenario, document, Rc::clone(&board));
    let outcome = {
        let future = pin!(run(&plan, &host, Rc::clone(&first)));
        script.drive(future)
    };
    script.used_up(&scenario.title);
    Driven { outcome, first, board, requests: script.requests }
}

type Timer = Box<dyn FnOnce(&mut Script)>;

struct Script {
    board: Rc<Board>,
    functions: Vec<Option<String>>,
    handlers: BTreeMap<String, std::vec::IntoIter<Action>>,
    answers: Vec<Option<HttpAnswer>>,
    bodies: Vec<(std::vec::IntoIter<String>, Option<u64>)>,
    requests: Vec<Request>,
    timers: BTreeMap<(u64, u64), Timer>,
    timer_count: u64,
    cancelled: Rc<Cell<bool>>,
}

impl Script {
    fn new(scenario: &Scenario, document: &Document, board: Rc<Board>) -> Self {
        let mut functions = Vec::new();
        name_functions(&document.steps, &mut functions);
        let handlers =
            scenario.handlers.iter().map(|(name, actions)| (name.clone(), actions.clone().into_iter()));
        let mut script = Self {
            board,
            functions,
            handlers: handlers.collect(),
            answers: scenario.http.iter().cloned().map(Some).collect(),
            bodies: Vec::new(),
            requests: Vec::new(),
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
            let quiet = asks.is_empty();
            for ask in asks {
                self.take(ask);
            }
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

    fn take(&mut self, ask: Ask) {
        // An answer that nobody waits for any more is dropped.
        match ask {
            Ask::Sleep { milliseconds, answer } => self.later(
                milliseconds,
                Box::new(move |_| {
                    let _ = answer.send(());
                }),
            ),
            Ask::Call { step, answer } => {
                let action = self.action(step);
                self.after(action.after_ms, move |_| {
                    let _ = answer.send(acted(action));
                });
            }
            Ask::Fetch { request, answer } => {
                let response = self.respond(request);
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

    fn action(&mut self, step: u32) -> Action {
        let name = self.functions[step as usize].clone().expect("the step has a function");
        let actions = self.handlers.get_mut(&name).unwrap_or_else(|| panic!("no script for `{name}`"));
        actions.next().unwrap_or_else(|| panic!("`{name}` is called more often than scripted"))
    }

    fn respond(&mut self, request: Request) -> Result<Response<usize>, Error> {
        let fits = |answer: &&mut Option<HttpAnswer>| {
            let when = answer.as_ref().map(|answer| answer.when.clone());
            when.is_some_and(|when| when.is_none_or(|text| request.body.contains(&text)))
        };
        let answer = self.answers.iter_mut().find(fits).and_then(Option::take);
        let answer = answer.unwrap_or_else(|| panic!("no answer is scripted for {}", request.body));
        self.requests.push(request);
        self.bodies.push((answer.chunks.into_iter(), answer.chunk_ms));
        let headers = answer.headers.unwrap_or_else(|| {
            [("content-type", "text/event-stream")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into()
        });
        Ok(Response { status: answer.status.unwrap_or(200), headers, body: self.bodies.len() - 1 })
    }

    /// A script that was not needed hides a mistake in the scenario.
    fn used_up(&mut self, title: &str) {
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

fn acted(action: Action) -> Result<Value, Error> {
    match (action.throws, action.returns) {
        (Some(message), None) => Err(Error::new(Code::Handler, message).with_hint(
            "the step's own function threw this: see `cause`; with required: false the run goes on without the step",
        )),
        (None, Some(value)) => Ok(value),
        _ => panic!("an action either returns or throws"),
    }
}

/// For each step in document order, the function that it calls.
fn name_functions(steps: &[Step], names: &mut Vec<Option<String>>) {
    for step in steps {
        names.push(match &step.kind {
            StepKind::Function(Run::Handler(name)) => Some(name.clone()),
            StepKind::Condition(branch) => handler_of(Some(&branch.condition)),
            StepKind::Agent(call) => handler_of(call.input_from.as_ref()),
            _ => None,
        });
        step.blocks().for_each(|(_, steps)| name_functions(steps, names));
    }
}

fn handler_of(source: Option<&Source>) -> Option<String> {
    match source {
        Some(Source::Handler { handler }) => Some(handler.clone()),
        _ => None,
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
