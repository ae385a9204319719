//! The runs and plans of this instance, by number.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use stepweave_core::engine::{Outcome, Plan, run};
use wasm_bindgen::JsValue;

use crate::host::JsHost;
use crate::ops::{Answer, Ops};
use crate::port::Port;

thread_local! {
    static PLANS: RefCell<Numbered<Rc<Plan>>> = const { RefCell::new(Numbered::new()) };
    static RUNS: RefCell<Numbered<Run>> = const { RefCell::new(Numbered::new()) };
}

struct Run {
    future: Pin<Box<dyn Future<Output = Outcome<JsValue>>>>,
    port: Port,
    ops: Rc<Ops>,
    now: Rc<Cell<f64>>,
    woken: Arc<Woken>,
    waker: Waker,
}

pub(crate) fn keep_plan(plan: Plan) -> u32 {
    PLANS.with_borrow_mut(|plans| plans.insert(Rc::new(plan)))
}

pub(crate) fn release_plan(plan: u32) {
    PLANS.with_borrow_mut(|plans| plans.map.remove(&plan));
}

pub(crate) fn start(plan: u32, state: JsValue, port: Port, seed: f64) -> u32 {
    let Some(plan) = PLANS.with_borrow(|plans| plans.map.get(&plan).cloned()) else { return 0 };
    let ops = Rc::new(Ops::default());
    let now = Rc::new(Cell::new(0.0));
    let host = JsHost {
        port: port.clone(),
        ops: Rc::clone(&ops),
        now: Rc::clone(&now),
        seed: Cell::new(seed as u32),
        steps_without_pause: Cell::new(0),
    };
    let future = Box::pin(async move { run(&plan, &host, state).await });
    let woken = Arc::new(Woken(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&woken));
    let run = Run { future, port, ops, now, woken, waker };
    RUNS.with_borrow_mut(|runs| runs.insert(run))
}

pub(crate) fn poll(number: u32, now: f64) -> bool {
    // The run is taken out while it works, so that nothing it does can meet it borrowed.
    let Some(mut run) = RUNS.with_borrow_mut(|runs| runs.map.remove(&number)) else { return true };
    run.now.set(now);
    while run.woken.0.swap(false, Ordering::Relaxed) {
        let polled = run.future.as_mut().poll(&mut Context::from_waker(&run.waker));
        if let Poll::Ready(outcome) = polled {
            let error = outcome.error.and_then(|error| serde_json::to_string(&error).ok());
            // What is still under way is given up before the end is told.
            drop(run.future);
            let state = outcome.state.unwrap_or_default();
            run.port.finish(&state, error, outcome.stopped_by);
            return true;
        }
    }
    RUNS.with_borrow_mut(|runs| runs.map.insert(number, run));
    false
}

pub(crate) fn answer(run: u32, op: u32, answer: Answer) {
    let ops = RUNS.with_borrow(|runs| runs.map.get(&run).map(|run| Rc::clone(&run.ops)));
    if let Some(ops) = ops {
        ops.answer(op, answer);
    }
}

pub(crate) fn cancel(run: u32) {
    let run = RUNS.with_borrow_mut(|runs| runs.map.remove(&run));
    drop(run);
}

/// Remembers that a future can go on. There is one thread; the type is what wakers ask for.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Numbered<T> {
    last: u32,
    map: BTreeMap<u32, T>,
}

impl<T> Numbered<T> {
    const fn new() -> Self {
        Self { last: 0, map: BTreeMap::new() }
    }

    fn insert(&mut self, value: T) -> u32 {
        // Numbers of long-lived values are stepped over when the count comes round; 0 means none.
        loop {
            self.last = self.last.wrapping_add(1);
            if self.last != 0 && !self.map.contains_key(&self.last) {
                break;
            }
        }
        self.map.insert(self.last, value);
        self.last
    }
}
