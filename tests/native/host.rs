//! The engine's host for a scenario: every need becomes a note that the driver answers after the poll, just as
//! the wasm boundary does it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::oneshot::{Receiver, Sender, channel};
use serde_json::{Map, Value};
use stepweave_core::engine::{Call, Code, Error, Event, Host, Request, Response, StepIndex};

/// A value of the state.
pub type Shared = Rc<Value>;

/// What the engine asked for.
#[derive(Debug)]
pub enum Ask {
    /// Call the function of this step.
    Call { step: StepIndex, answer: Sender<Result<Value, Error>> },
    /// Send this request.
    Fetch { request: Request, answer: Sender<Result<Response<usize>, Error>> },
    /// The next bytes of this body.
    Read { body: usize, answer: Sender<Result<Option<Vec<u8>>, Error>> },
    /// Tell when this many milliseconds are over.
    Sleep { milliseconds: u64, answer: Sender<()> },
}

/// What engine and driver share.
#[derive(Debug, Default)]
pub struct Board {
    /// What the engine asked for since the driver last looked.
    pub asks: RefCell<Vec<Ask>>,
    /// What happened, with the time.
    pub events: RefCell<Vec<(u64, Event<Shared>)>>,
    /// The virtual time.
    pub now: Cell<u64>,
}

/// The scripted host of one run.
pub struct ScriptedHost(pub Rc<Board>);

impl ScriptedHost {
    async fn ask<T>(&self, ask: impl FnOnce(Sender<T>) -> Ask) -> T {
        let (sender, receiver): (Sender<T>, Receiver<T>) = channel();
        self.0.asks.borrow_mut().push(ask(sender));
        receiver.await.expect("the driver answers what it takes")
    }

    async fn call(&self, call: &Call<'_, Shared>) -> Result<Value, Error> {
        let step = call.step;
        self.ask(|answer| Ask::Call { step, answer }).await
    }
}

impl Host for ScriptedHost {
    type Value = Shared;
    type Body = usize;

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

    fn keys(&self, value: &Shared) -> Vec<String> {
        object(value).keys().cloned().collect()
    }

    fn json_text(&self, value: &Shared) -> String {
        value.to_string()
    }

    fn value_from_json(&self, json: Value) -> Shared {
        Rc::new(json)
    }

    fn template_view(&self, value: &Shared) -> minijinja::Value {
        minijinja::Value::from(minijinja::value::Serde(&**value))
    }

    async fn run(&self, call: Call<'_, Shared>) -> Result<Shared, Error> {
        Ok(Rc::new(self.call(&call).await?))
    }

    async fn decide(&self, call: Call<'_, Shared>) -> Result<bool, Error> {
        let value = self.call(&call).await?;
        value.as_bool().ok_or_else(|| Error::new(Code::Internal, "the script gives no boolean"))
    }

    async fn compose(&self, call: Call<'_, Shared>) -> Result<String, Error> {
        let value = self.call(&call).await?;
        Ok(value.as_str().expect("the script gives a text").to_owned())
    }

    async fn fetch(&self, _: StepIndex, request: Request) -> Result<Response<usize>, Error> {
        self.ask(|answer| Ask::Fetch { request, answer }).await
    }

    async fn read(&self, body: &mut usize) -> Result<Option<Vec<u8>>, Error> {
        let body = *body;
        self.ask(|answer| Ask::Read { body, answer }).await
    }

    async fn sleep(&self, milliseconds: u64) {
        self.ask(|answer| Ask::Sleep { milliseconds, answer }).await;
    }

    async fn pause(&self) {}

    fn now(&self) -> f64 {
        self.0.now.get() as f64
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn emit(&self, event: Event<Shared>) {
        self.0.events.borrow_mut().push((self.0.now.get(), event));
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("a state is an object")
}
