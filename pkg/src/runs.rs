//! The runs and plans of this instance, by number.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use slab::Slab;
use stepweave_core::engine::{Ending, Journaling, Outcome, Pins, Plan, Reached, Replay, Settings, run};
use stepweave_core::json;
use wasm_bindgen::JsValue;

use crate::host::{JsHost, Turn};
use crate::ops::{Answer, Ops};
use crate::port::Port;

thread_local! {
    static PLANS: RefCell<Slab<Rc<Plan>>> = const { RefCell::new(Slab::new()) };
    /// A run that is being polled is not here.
    static RUNS: RefCell<Slab<Option<Run>>> = const { RefCell::new(Slab::new()) };
    static WAKING: Waking = Waking::new();
}

struct Run {
    future: Pin<Box<dyn Future<Output = Outcome<JsValue>>>>,
    shared: Rc<Shared>,
}

/// What a run's future and whoever drives it both need.
struct Shared {
    host: JsHost,
    reached: Reached<JsValue>,
}

pub(crate) fn keep_plan(plan: Rc<Plan>) -> u32 {
    number(PLANS.with_borrow_mut(|plans| plans.insert(plan)))
}

pub(crate) fn release_plan(plan: u32) {
    PLANS.with_borrow_mut(|plans| plans.try_remove(place(plan)));
}

pub(crate) fn settings(seed: u32, replay: u32, from: Option<u32>, pins: bool) -> Settings {
    let replay = match replay {
        1 => Some(Replay::Resume),
        2 => Some(Replay::Edit),
        3 => Some(Replay::Strict),
        4 => Some(Replay::Renew),
        _ => None,
    };
    Settings {
        seed,
        journal: replay.map(|replay| Journaling { replay, from }),
        pins: if pins { Pins::Used } else { Pins::Ignored },
    }
}

pub(crate) fn start(plan: u32, state: JsValue, port: Port, settings: Settings) -> u32 {
    let Some(plan) = PLANS.with_borrow(|plans| plans.get(place(plan)).cloned()) else { return 0 };
    let host = JsHost { port, ops: Ops::default(), now: Cell::new(0.0), turn: Turn::new() };
    let shared = Rc::new(Shared { host, reached: Reached::new(state) });
    let future = {
        let shared = Rc::clone(&shared);
        Box::pin(async move { run(&plan, &shared.host, &shared.reached, settings).await })
    };
    number(RUNS.with_borrow_mut(|runs| runs.insert(Some(Run { future, shared }))))
}

pub(crate) fn poll(number: u32, now: f64) -> bool {
    // The run is taken out while it works, so that nothing it does can meet it borrowed.
    let taken = RUNS.with_borrow_mut(|runs| runs.get_mut(place(number)).and_then(Option::take));
    let Some(mut run) = taken else { return true };
    run.shared.host.now.set(now);
    run.shared.host.turn.begin();
    let Poll::Ready(Outcome { state, ending }) = WAKING.with(|waking| waking.poll(run.future.as_mut()))
    else {
        RUNS.with_borrow_mut(|runs| {
            if let Some(slot) = runs.get_mut(place(number)) {
                *slot = Some(run);
            }
        });
        return false;
    };
    RUNS.with_borrow_mut(|runs| runs.try_remove(place(number)));
    // Operations still in progress are aborted before the end is reported.
    drop(run.future);
    let port = &run.shared.host.port;
    match ending {
        Ending::Done => port.finish(&state, false, None, None, None),
        Ending::Suspended => port.finish(&state, true, None, None, None),
        Ending::Failed { error, stopped_by } => {
            let error = Some(json::text(&error));
            let (step, scope) = stopped_by.map(|spot| (spot.step, spot.scope)).unzip();
            port.finish(&state, false, error, step, scope);
        }
    }
    true
}

pub(crate) fn answer(run: u32, op: u32, answer: Answer) {
    RUNS.with_borrow(|runs| {
        if let Some(Some(run)) = runs.get(place(run)) {
            run.shared.host.ops.answer(op, answer);
        }
    });
}

pub(crate) fn cancel(run: u32) -> JsValue {
    let Some(run) = RUNS.with_borrow_mut(|runs| runs.try_remove(place(run))).flatten() else {
        return JsValue::UNDEFINED;
    };
    drop(run.future);
    run.shared.reached.state(&run.shared.host)
}

/// How runs are woken. A single flag does for all of them: a run is polled when it has got an answer, and goes on as
/// long as it wakes itself.
struct Waking {
    woken: Arc<Woken>,
    waker: Waker,
}

impl Waking {
    fn new() -> Self {
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        Self { waker: Waker::from(Arc::clone(&woken)), woken }
    }

    fn poll<T>(&self, mut future: Pin<&mut dyn Future<Output = T>>) -> Poll<T> {
        loop {
            self.woken.0.store(false, Ordering::Relaxed);
            let polled = future.as_mut().poll(&mut Context::from_waker(&self.waker));
            if polled.is_ready() || !self.woken.0.load(Ordering::Relaxed) {
                return polled;
            }
        }
    }
}

/// Remembers that a future can continue. There is one thread; the type is what wakers require.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Slots of the table are numbered from 1, so that 0 means none.
fn number(place: usize) -> u32 {
    place as u32 + 1
}

fn place(number: u32) -> usize {
    (number as usize).wrapping_sub(1)
}
