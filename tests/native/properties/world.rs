//! A world whose answers depend on nothing but the question, in virtual time, and that can be left at any moment.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_channel::oneshot::Sender;
use serde_json::{Value, json};
use stepweave_core::document::Document;
use stepweave_core::engine::{Journaling, Outcome, Plan, Reached, Replay, Settings, run};
use stepweave_core::error::{Code, Error};
use stepweave_core::event::Event;
use stepweave_core::host::Wants;
use stepweave_core::validate::validate;
use stepweave_tests::host::{Ask, Board, FunctionCall, ScriptedHost, Shared};
use stepweave_tests::journal::{Journal, Kept, Replays};

/// When a run is left.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leave {
    AtItsEnd,
    /// When so many of its answers have been kept.
    AfterAnswers(usize),
    AfterPolls(usize),
}

/// Which questions people have answered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum People {
    Everything,
    /// About half of the questions to them; which half depends on this number.
    Half(u32),
}

/// What came of a run.
pub(crate) struct Lived {
    /// How it ended; nothing when it was left before.
    pub(crate) outcome: Option<Outcome<Shared>>,
    pub(crate) state: Shared,
    pub(crate) events: Vec<(u64, Event<Shared>)>,
    /// What keys begin with, by scope number.
    pub(crate) prefixes: Vec<String>,
    /// The requests to the world and to people.
    pub(crate) requests: Vec<String>,
    /// How many answers were kept.
    pub(crate) kept: usize,
}

/// A workflow in its world, and the journal of its runs.
pub(crate) struct World {
    pub(crate) document: Document,
    pub(crate) plan: Plan,
    pub(crate) journal: Journal,
    pub(crate) now: u64,
    /// How long it takes until an answer is kept for good.
    pub(crate) latency_ms: u64,
    counted: u64,
}

impl World {
    pub(crate) fn of(document: &Value, latency_ms: u64) -> Self {
        let report = validate(&document.to_string());
        let document = report.document.unwrap_or_else(|| panic!("{:?}", report.problems));
        let plan = Plan::new(&document).expect("a valid document has a plan");
        Self { document, plan, journal: Journal::default(), now: 0, latency_ms, counted: 0 }
    }

    /// Runs the workflow over the journal so far.
    pub(crate) fn live(&mut self, replay: Replay, leave: Leave, people: People) -> Lived {
        let board: Rc<Board> = Rc::default();
        board.now.set(self.now);
        // A run that is taken up again began with the clock.
        board.replayed.set(Some(0));
        board.count.set(self.counted);
        *board.journal.borrow_mut() = std::mem::take(&mut self.journal);
        let host = ScriptedHost { board: Rc::clone(&board), schemas: self.plan.schemas.clone() };
        let reached = Reached::new(Rc::new(Value::Object(self.document.initial_state.clone())));
        let mut life = Life {
            plan: &self.plan,
            board: &board,
            latency_ms: self.latency_ms,
            leave,
            people,
            timers: BTreeMap::new(),
            timer_count: 0,
            held: Vec::new(),
            replays: Replays::default(),
            requests: Vec::new(),
            polls: 0,
            kept: 0,
        };
        let settings =
            Settings { journal: Some(Journaling { replay, from: None }), seed: 7, ..Settings::default() };
        let outcome = {
            let future = pin!(run(&self.plan, &host, &reached, settings));
            life.drive(future)
        };
        life.expect_silence();
        let Life { requests, kept, .. } = life;
        let state = reached.state(&host);
        assert!(board.asks.borrow().is_empty(), "something is requested after the end");
        self.now = board.now.get();
        self.journal = board.journal.take();
        self.counted = board.count.get();
        assert!(board.mismatches.borrow().is_empty(), "the same document asks something else");
        let prefixes = board.scopes.take().into_iter().map(|(_, _, prefix)| prefix).collect();
        Lived { outcome, state, events: board.events.take(), prefixes, requests, kept }
    }
}

/// Something that is due at its time.
enum Due {
    Called(Sender<Result<Value, Error>>, Box<Result<Value, Error>>),
    Slept(Sender<()>),
    Kept(Sender<()>, Box<Kept>),
}

struct Life<'w> {
    plan: &'w Plan,
    board: &'w Board,
    latency_ms: u64,
    leave: Leave,
    people: People,
    timers: BTreeMap<(u64, usize), Due>,
    timer_count: usize,
    held: Vec<Ask>,
    replays: Replays,
    requests: Vec<String>,
    polls: usize,
    kept: usize,
}

impl Life<'_> {
    fn drive<T>(&mut self, mut future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        while !self.is_left() {
            if woken.0.swap(false, Ordering::Relaxed) {
                self.polls += 1;
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return Some(output);
                }
                continue;
            }
            for ask in std::mem::take(&mut *self.board.asks.borrow_mut()) {
                match ask {
                    Ask::Replay { key, answer } => self.replays.wait(self.board, &key, answer),
                    // What nobody has answered waits at once, as it did in the run that the journal tells.
                    Ask::Answer { key, answer } if !self.is_given(&key) => {
                        self.requests.push(format!("answer {key}"));
                        let _ = answer.send(None);
                    }
                    other => self.held.push(other),
                }
            }
            if woken.0.load(Ordering::Relaxed) {
                continue;
            }
            if self.replays.answer_next(self.board) {
                continue;
            }
            self.board.replayed.set(None);
            match self.held.is_empty() {
                true => {
                    let ((due, _), timer) = self.timers.pop_first().expect("the run waits for something");
                    self.board.now.set(due);
                    self.end(timer);
                }
                false => {
                    let mut asks = std::mem::take(&mut self.held).into_iter();
                    while !self.is_left() {
                        let Some(ask) = asks.next() else { break };
                        // What follows from an answer that is kept comes before the next one is kept.
                        let is_kept = matches!(ask, Ask::Record { .. });
                        self.take(ask);
                        if is_kept {
                            break;
                        }
                    }
                    self.held.extend(asks);
                }
            }
        }
        None
    }

    fn is_left(&self) -> bool {
        match self.leave {
            Leave::AtItsEnd => false,
            Leave::AfterAnswers(count) => self.kept >= count,
            Leave::AfterPolls(count) => self.polls >= count,
        }
    }

    fn take(&mut self, ask: Ask) {
        match ask {
            Ask::Call { call, answer } => {
                let (name, key) = (self.name(call.function), self.key(&call));
                self.requests.push(format!("call {key}"));
                if call.wants == Wants::Patch {
                    let question = format!("{key}/run");
                    let known = self.board.journal.borrow().fingerprints_of(&question).is_some();
                    assert!(!known, "`{question}` is requested again");
                }
                let chance = hash(&(&name, call.state.to_string()));
                let answered = answered(&name, &call, chance);
                match chance % 4 {
                    0 => self.end(Due::Called(answer, Box::new(answered))),
                    _ => self.later(chance / 4 % 3 * 10, Due::Called(answer, Box::new(answered))),
                }
            }
            Ask::Sleep { milliseconds, answer } => {
                self.requests.push(format!("sleep {milliseconds}"));
                self.later(milliseconds, Due::Slept(answer));
            }
            Ask::Answer { key, answer } => {
                self.requests.push(format!("answer {key}"));
                let _ = answer.send(Some((hash(&key) % 7).into()));
            }
            Ask::Record { key, spot, fingerprints, kept, answer } => {
                let texts = self.board.pieces.borrow_mut().remove(&spot).unwrap_or_default();
                let pieces = (spot.step, self.board.prefix(spot.scope), texts);
                let entry = Box::new(Kept {
                    key,
                    fingerprints,
                    seq: self.board.counted(),
                    at: self.board.time(),
                    pieces,
                    answer: kept,
                });
                match self.latency_ms {
                    0 => self.end(Due::Kept(answer, entry)),
                    latency => self.later(latency, Due::Kept(answer, entry)),
                }
            }
            Ask::Fetch { .. }
            | Ask::Exchange { .. }
            | Ask::Read { .. }
            | Ask::Admit { .. }
            | Ask::Release { .. }
            | Ask::Shut { .. }
            | Ask::Replay { .. } => unreachable!("no model is elsewhere"),
        }
    }

    fn is_given(&self, key: &str) -> bool {
        match self.people {
            People::Everything => true,
            People::Half(which) => hash(&(which, key)) % 2 == 0,
        }
    }

    fn end(&mut self, due: Due) {
        // An answer that nobody waits for any more is dropped.
        match due {
            Due::Called(answer, answered) => drop(answer.send(*answered)),
            Due::Slept(answer) => drop(answer.send(())),
            Due::Kept(answer, entry) => {
                let mut journal = self.board.journal.borrow_mut();
                let is_new =
                    entry.key == "timeout" || journal.entries.iter().all(|kept| kept.key != entry.key);
                assert!(is_new, "`{}` is kept twice", entry.key);
                journal.entries.push(*entry);
                self.kept += 1;
                let _ = answer.send(());
            }
        }
    }

    fn later(&mut self, wait: u64, due: Due) {
        self.timer_count += 1;
        self.timers.insert((self.board.now.get() + wait, self.timer_count), due);
    }

    /// The execution and the attempt that call.
    fn key(&self, call: &FunctionCall) -> String {
        let id = self.plan.steps.get(call.spot.step as usize).map_or("workflow", |step| step.id.as_str());
        format!("{}{id}/{}", self.board.prefix(call.spot.scope), call.attempt)
    }

    fn name(&self, function: u32) -> String {
        self.plan.functions[function as usize].handler.clone().expect("it has a name")
    }

    /// Whoever has left a run waits for nothing of it.
    fn expect_silence(&self) {
        let asks = self.board.asks.take();
        let waits = |ask: &Ask| match ask {
            Ask::Call { answer, .. } => !answer.is_canceled(),
            Ask::Fetch { answer, .. } | Ask::Exchange { answer, .. } => !answer.is_canceled(),
            Ask::Read { answer, .. } => !answer.is_canceled(),
            Ask::Sleep { answer, .. } => !answer.is_canceled(),
            Ask::Replay { answer, .. } => !answer.is_canceled(),
            Ask::Answer { answer, .. } => !answer.is_canceled(),
            Ask::Record { answer, .. } => !answer.is_canceled(),
            Ask::Admit { answer, .. } => !answer.is_canceled(),
            Ask::Release { .. } | Ask::Shut { .. } => false,
        };
        assert!(!asks.iter().chain(&self.held).any(waits), "something still waits");
        assert!(self.replays.are_given_up(), "something still waits");
        let is_waiting = |due: &Due| match due {
            Due::Called(answer, _) => !answer.is_canceled(),
            Due::Slept(answer) | Due::Kept(answer, _) => !answer.is_canceled(),
        };
        assert!(!self.timers.values().any(is_waiting), "something still waits");
    }
}

/// What a function gives: the same for the same call.
fn answered(name: &str, call: &FunctionCall, chance: u64) -> Result<Value, Error> {
    let failed = |message: &str| Error::new(Code::Handler, message);
    match (name, chance % 3) {
        ("odd", 0) => return Err(failed("no")),
        ("down", 0) => return Err(failed("not now").retryable()),
        ("flaky", 0 | 1) if call.attempt == 1 => return Err(failed("not yet").retryable()),
        _ => {}
    }
    let number = chance / 16 % 7;
    Ok(match call.wants {
        Wants::Patch => json!({ ["a", "b", "c"][(chance / 128 % 3) as usize]: number }),
        Wants::Decision => number.is_multiple_of(2).into(),
        Wants::Text => format!("text {number}").into(),
        Wants::List => (0..number % 4).collect(),
        Wants::Checked | Wants::CheckedKeys | Wants::Output => (*call.state).clone(),
    })
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
