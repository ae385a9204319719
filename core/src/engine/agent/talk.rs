//! How far the agent of a step has come: its conversation, the calls of its last turn, what it has used.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use serde_json::Value;

use super::super::plan::Ask;
use super::named;
use crate::document::{OutputMode, ToolChoice};
use crate::error::Error;
use crate::models::{self, Reply, ToolResult, Turn};
use crate::usage::Usage;

/// How far the agent of a step has come. It outlives attempts: a call that failed is made again, and what was
/// answered before it stays. Other steps have one too, in which nothing is ever written.
#[derive(Default)]
pub(in crate::engine) struct Talk(OnceCell<Box<RefCell<Progress>>>);

#[derive(Default)]
pub(in crate::engine) struct Progress {
    /// Shared with the request that is in progress: long conversations are not copied for each call.
    pub(in crate::engine) turns: Rc<Vec<Turn>>,
    /// Messages of the conversation in the state.
    pub(in crate::engine) earlier: usize,
    /// The same messages as they are kept in the state.
    pub(in crate::engine) messages: Vec<Value>,
    /// How often a model was called, including failed calls.
    pub(super) requests: u32,
    /// How many calls of tools it has made.
    called: usize,
    /// The summary of earlier messages: an attempt that follows has no other one made.
    pub(in crate::engine) summary: Option<String>,
    /// Which of the agent's models is called.
    pub(in crate::engine) model: usize,
    pub(in crate::engine) usage: Option<Usage>,
    /// The usage that counts for limits: an estimate where a model reports none.
    pub(in crate::engine) counted: Usage,
    /// Whether the call was made without which the agent may not answer.
    has_called: bool,
    /// Whether it was reminded that it has to make that call.
    pub(super) is_reminded: bool,
    pub(super) is_repaired: bool,
    /// Whether the text emitted last belongs to an answer that may be discarded. Shared with what emits the next one: it may
    /// be cut short.
    pub(super) has_emitted: Rc<Cell<bool>>,
    /// Whether it was informed that one of its calls was cut off.
    pub(super) is_informed_of_cut: bool,
    /// Whether the failure of the last attempt was that of a model.
    pub(super) has_failed: bool,
    /// The model whose unsupported settings were reported.
    pub(super) reported: Option<usize>,
    /// How JSON is requested of the model after it has rejected the usual method.
    pub(super) output_mode: Option<OutputMode>,
    /// The calls of its last turn, until all have a result: an attempt that is cut short leaves them to the next one.
    calls: Option<Calls>,
}

/// The calls of a turn.
struct Calls {
    turn: u32,
    /// How many attempts have made them.
    tries: u32,
    results: Vec<Option<ToolResult>>,
}

/// Which of its calls an agent makes.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Calling {
    pub(in crate::engine) turn: u32,
    /// How many calls were made before these.
    pub(in crate::engine) before: usize,
    pub(in crate::engine) tries: u32,
}

impl Progress {
    pub(super) fn push(&mut self, turn: Turn) {
        Rc::make_mut(&mut self.turns).push(turn);
    }

    /// How often a model has answered. Attempts that failed are not its doing.
    pub(super) fn answered(&self) -> usize {
        self.turns.iter().skip(self.earlier).filter(|turn| matches!(turn, Turn::Assistant(_))).count()
    }

    /// Whether the current answer is the last one that may be requested.
    pub(super) fn is_last(&self, ask: &Ask) -> bool {
        self.answered() >= ask.max_turns as usize
    }

    /// Takes out the answer that came last, with its parts before pauses. Whether anything was said in it.
    fn unsay(&mut self) -> bool {
        let mut is_said = false;
        while self.calls.is_none()
            && let Some(Turn::Assistant(reply)) = self.turns.last()
        {
            is_said |= reply.says_something();
            Rc::make_mut(&mut self.turns).pop();
        }
        is_said
    }

    /// What the model is to be made to call.
    pub(super) fn choice(&self, ask: &Ask) -> ToolChoice {
        match self.has_called {
            // Who has to call a tool has to do so once.
            true if ask.choice != ToolChoice::None => ToolChoice::Auto,
            _ => ask.choice.clone(),
        }
    }
}

impl Talk {
    pub(in crate::engine) fn progress(&self) -> &RefCell<Progress> {
        self.0.get_or_init(Box::default)
    }

    /// Begins the conversation anew. What calls have used, and which model is called, stays as it is.
    pub(super) fn begin(&self, turns: Vec<Turn>, earlier: usize, messages: Vec<Value>) {
        let mut progress = self.progress().borrow_mut();
        let Progress { usage, counted, requests, called, model, output_mode, .. } = *progress;
        let summary = progress.summary.take();
        let turns = Rc::new(turns);
        *progress = Progress {
            turns,
            earlier,
            messages,
            usage,
            counted,
            requests,
            called,
            model,
            output_mode,
            summary,
            ..Progress::default()
        };
    }

    /// Turns to the agent's next model, if a model failed and there is another one.
    pub(in crate::engine) fn falls_back(&self, ask: &Ask) -> Option<(String, String)> {
        let mut progress = self.progress().borrow_mut();
        let name = |index: usize| ask.models.get(index).map(|setup| setup.model.model.clone());
        let (failed, next) = (name(progress.model)?, name(progress.model + 1)?);
        if !progress.has_failed {
            return None;
        }
        progress.model += 1;
        progress.output_mode = None;
        // What only the model before understands, others refuse.
        for turn in Rc::make_mut(&mut progress.turns) {
            if let Turn::Assistant(reply) = turn {
                reply.echo = Value::Null;
            }
        }
        Some((failed, next))
    }

    /// Whether the emitted answer has to be discarded; true once.
    pub(in crate::engine) fn takes_back(&self) -> bool {
        self.0.get().is_some_and(|progress| {
            let mut progress = progress.borrow_mut();
            progress.has_emitted.take() | progress.unsay()
        })
    }

    /// Whether some of the answer that is being given was emitted.
    pub(in crate::engine) fn has_emitted(&self) -> bool {
        self.0.get().is_some_and(|progress| progress.borrow().has_emitted.get())
    }

    /// Notes that an earlier run emitted some of it.
    pub(in crate::engine) fn note_emitted(&self) {
        self.progress().borrow().has_emitted.set(true);
    }

    /// Whether the prompt requests JSON from now on, as the model does not accept the schema.
    pub(super) fn puts_in_words(&self, error: &Error) -> bool {
        let mut progress = self.progress().borrow_mut();
        let is_new = error.details.output_mode.is_some() && progress.output_mode.is_none();
        if is_new {
            progress.output_mode = Some(OutputMode::Prompt);
        }
        is_new
    }

    /// Whether a model has answered and the conversation continues. Before that, each attempt evaluates the input again.
    pub(super) fn is_under_way(&self) -> bool {
        let mut progress = self.progress().borrow_mut();
        // What a model has begun to say and not ended is requested again.
        progress.unsay();
        progress.turns.len() > progress.earlier + 1
    }

    /// The next request: nothing that waits may hold the conversation meanwhile.
    pub(super) fn question(&self) -> (Rc<Vec<Turn>>, usize, u32) {
        let progress = self.progress().borrow();
        (Rc::clone(&progress.turns), progress.model, progress.requests)
    }

    /// Takes note of the calls that a model asks for.
    pub(super) fn asked_for(&self, reply: Reply) {
        let mut progress = self.progress().borrow_mut();
        let turn = progress.requests;
        let calls = named(&reply.calls, turn, &progress.turns);
        let results = calls.iter().map(|_| None).collect();
        progress.calls = Some(Calls { turn, tries: 0, results });
        progress.push(Turn::Assistant(Reply { calls, ..reply }));
    }

    /// The calls without a result that are to be made now, each with its position in the turn.
    pub(super) fn open_calls(&self) -> Option<(Calling, Vec<(usize, models::ToolCall)>)> {
        let mut progress = self.progress().borrow_mut();
        let before = progress.called;
        let Calls { turn, tries, results } = progress.calls.as_mut()?;
        *tries += 1;
        let calling = Calling { turn: *turn, before, tries: *tries };
        let is_open: Vec<bool> = results.iter().map(Option::is_none).collect();
        // Each try has rounds of its own.
        progress.called += is_open.len();
        let Some(Turn::Assistant(reply)) = progress.turns.last() else { return None };
        let open = reply.calls.iter().enumerate().zip(is_open).filter(|(_, is_open)| *is_open);
        Some((calling, open.map(|((number, call), _)| (number, call.clone())).collect()))
    }

    /// Takes note of a call's result.
    pub(in crate::engine) fn called(&self, number: usize, result: ToolResult) {
        let mut progress = self.progress().borrow_mut();
        let place = progress.calls.as_mut().and_then(|calls| calls.results.get_mut(number));
        if let Some(place) = place {
            *place = Some(result);
        }
    }

    /// Goes on with the results of all calls of a turn.
    pub(super) fn close_calls(&self, ask: &Ask) {
        let mut progress = self.progress().borrow_mut();
        let Some(Calls { results, .. }) = progress.calls.take() else { return };
        let results: Vec<ToolResult> = results.into_iter().flatten().collect();
        progress.has_called |= results.iter().any(|result| ask.is_bound_to(&result.name));
        progress.push(Turn::Tools(results));
    }

    pub(in crate::engine) fn push(&self, turn: Turn) {
        self.progress().borrow_mut().push(turn);
    }

    pub(in crate::engine) fn count(&self, usage: Option<Usage>, counted: Usage) {
        let mut progress = self.progress().borrow_mut();
        progress.counted += counted;
        if let Some(usage) = usage {
            *progress.usage.get_or_insert_default() += usage;
        }
    }
}
