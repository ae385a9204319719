//! Requests that are tried: each is sent once by a small workflow of its own, as runs send theirs.

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::document::HttpRequest;
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::board::{self, Board};
use super::event::Failure;
use super::executions::Executions;
use super::status::Status;
use super::step_run::StepRun;
use crate::bridge::{Bridge, RemoteRun, RunOptions};
use crate::model::sample::Sample;
use crate::model::trial::{SENDS, Values, document_of, sample_of};

/// What is tried, and what came of it.
#[derive(Clone, Copy)]
pub struct Trials {
    /// The request that was tried last.
    pub last: RwSignal<Option<Trial>>,
    /// What a person has entered for a request, by what sends it.
    pub entered: RwSignal<IndexMap<String, Values>>,
    under_way: StoredValue<Option<RemoteRun>, LocalStorage>,
    /// Counts the workflows that were opened: an answer that arrives in another one than it was requested in is dropped.
    opened: StoredValue<u64>,
}

/// A request that is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What sends it.
    pub key: String,
    /// How far it is.
    pub phase: Phase,
}

/// How far a trial is.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// There is no answer yet.
    Sending,
    /// There is one, which is kept as a sample.
    Answered,
    /// There is none, and why.
    Failed(Box<Failure>),
}

impl Trials {
    /// Nothing was tried yet.
    pub fn new() -> Self {
        Self {
            last: RwSignal::new(None),
            entered: RwSignal::new(IndexMap::new()),
            under_way: StoredValue::new_local(None),
            opened: StoredValue::new(0),
        }
    }

    /// Whether a request is under way.
    pub fn is_sending(&self) -> bool {
        self.last.with(|last| last.as_ref().is_some_and(|trial| trial.phase == Phase::Sending))
    }

    /// Sends a request once. What it answers goes to `keep`.
    pub fn send(
        &self,
        bridge: &Bridge,
        key: String,
        request: HttpRequest,
        values: &Values,
        options: &RunOptions,
        keep: impl Fn(Sample) + 'static,
    ) {
        let own = *self;
        // A document is plain data with text keys, which always has a JSON form.
        let document = json::text(&document_of(&request, values));
        let run = bridge.start(&document, options, "{}");
        let opened = own.opened.get_value();
        own.under_way.set_value(Some(run.clone()));
        own.last.set(Some(Trial { key: key.clone(), phase: Phase::Sending }));
        spawn_local(async move {
            let mut board = Board::starting();
            let refusal = board::follow(&run, |events, taking| taking(&mut board, events).map(drop)).await;
            if own.opened.get_value() != opened {
                return;
            }
            own.under_way.set_value(None);
            let phase = match outcome(&board, refusal, &request) {
                Ok(sample) => {
                    keep(sample);
                    Phase::Answered
                }
                Err(failure) => Phase::Failed(Box::new(failure)),
            };
            own.last.set(Some(Trial { key, phase }));
        });
    }

    /// Another workflow is opened, in which other steps have the same ids: nothing of what was tried is known there.
    pub fn forget(&self) {
        self.stop();
        self.opened.update_value(|count| *count += 1);
        self.under_way.set_value(None);
        self.last.set(None);
        self.entered.set(IndexMap::new());
    }

    /// Stops waiting for an answer.
    pub fn stop(&self) {
        if let Some(run) = self.under_way.get_value() {
            run.cancel();
        }
    }
}

impl Default for Trials {
    fn default() -> Self {
        Self::new()
    }
}

/// The answer, or why there is none.
fn outcome(board: &Board, refusal: Option<Failure>, request: &HttpRequest) -> Result<Sample, Failure> {
    let run = |id: &str| board.step(id).and_then(Executions::latest);
    let sent = run(SENDS).filter(|run| run.status == Status::Done);
    let answer =
        sent.and_then(|sent| Some((sent.output.as_ref()?, sent.took.map_or(0.0, |took| took.all_ms))));
    if let Some((answer, duration_ms)) = answer {
        let gave = |id: &str| run(id).and_then(|run: &StepRun| run.patch.clone());
        return Ok(sample_of(request, answer, gave, duration_ms));
    }
    let of_run = || board.result.as_ref().and_then(|result| result.errors.first().cloned());
    let failure = run(SENDS).and_then(|run| run.error.clone()).or(refusal).or_else(of_run);
    Err(failure.unwrap_or_else(|| Failure {
        code: "cancelled".to_owned(),
        message: "the request was stopped before its answer was there".to_owned(),
        hint: None,
        step: None,
        retry_after_ms: None,
    }))
}
