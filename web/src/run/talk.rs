//! What a person and a workflow have said to each other, and what its next run goes on with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepweave_core::document::Document;
use stepweave_core::json;

use super::board::Board;
use super::event::{Failure, Source};
use super::status::Status;
use super::step_run::{CallRun, StepRun};
use crate::model::conversations::{Conversation, conversations};

/// More turns of a conversation are not shown; its oldest ones go first. What is sent to models has its own bounds.
const MOST_TURNS: usize = 200;

/// More of an answer is not shown later.
const MOST_TEXT: usize = 64 << 10;

/// More of a tool's input or output is not shown later.
const MOST_VALUE: usize = 4 << 10;

/// More is not stored of a workflow.
const MOST_STORED: usize = 4 << 20;

/// The conversations with a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The messages that the next turn goes on with, by the key of the state that they belong under. They are as the
    /// engine left them: signatures and calls of tools are in them.
    pub messages: Map<String, Value>,
    /// What is shown of each conversation, by the same key.
    pub talks: BTreeMap<String, Talk>,
    /// The turn whose run has not ended.
    pub open: Option<Open>,
    /// What stands in the message box.
    pub draft: String,
}

/// What is shown of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Talk {
    /// What was said and answered, the oldest first.
    pub turns: Vec<Turn>,
    /// The last turn, where it failed or was stopped: it is no part of the conversation.
    pub failed: Option<Turn>,
    /// The key of the state that messages go to, once a person has chosen one.
    pub input: Option<String>,
}

/// A turn whose run has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// The conversation.
    pub key: String,
    /// What was said.
    pub asked: String,
    /// By which name its run is stored.
    pub run: String,
}

/// What was said, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// Tells it from the others of its conversation.
    pub number: u64,
    /// What the person said.
    pub asked: String,
    /// What the steps of the conversation answered.
    pub answers: Vec<Answer>,
    /// How its run ended.
    pub end: String,
    /// What failed.
    pub failures: Vec<Failure>,
}

/// What a step answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// What the step is called.
    pub step: String,
    /// The answer, or what had arrived of it.
    pub text: String,
    /// The tools that its model called.
    pub calls: Vec<CallRun>,
    /// What it cites.
    pub sources: Vec<Source>,
    /// Whether the demo model made it up.
    pub simulated: bool,
    /// Whether the step ended well.
    pub done: bool,
}

/// What was stored; what cannot be read is no conversation.
pub fn read(text: &str) -> Kept {
    serde_json::from_str(text).unwrap_or_default()
}

/// How the turn of a run ends whose workflow is not open: of what is stored there, of the run's document, of the name that
/// the run is stored by and of what is known of it, what is to be stored there.
pub fn closed(stored: &str, document: Option<&Document>, run: &str, board: &Board) -> Option<String> {
    let mut kept = read(stored);
    kept.open.as_ref().filter(|open| open.run == run)?;
    let back = kept.close(&document.map(conversations).unwrap_or_default(), board);
    if kept.draft.trim().is_empty() {
        kept.draft = back.unwrap_or_default();
    }
    kept.text()
}

/// Why a turn is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// A person stopped it.
    Stopped,
    /// The page was left while it was answered.
    CutOff,
}

impl GivenUp {
    /// What is stored of it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stopped => Status::Cancelled.word(),
            Self::CutOff => "cut",
        }
    }
}

impl Kept {
    /// The same to be stored; nothing where it is too much. The oldest turns of the longest conversation go first, for
    /// they are only looked at.
    pub fn text(&mut self) -> Option<String> {
        loop {
            // Plain data with text keys always has a JSON form.
            let text = json::text(self);
            if text.len() <= MOST_STORED {
                return Some(text);
            }
            let longest = self.talks.values_mut().max_by_key(|talk| talk.turns.len())?;
            if longest.turns.is_empty() {
                return None;
            }
            longest.turns.drain(..longest.turns.len().div_ceil(2));
        }
    }

    /// Whether nothing has been said.
    pub fn is_empty(&self, key: &str) -> bool {
        !self.messages.contains_key(key)
            && self.talks.get(key).is_none_or(|talk| talk.turns.is_empty() && talk.failed.is_none())
            && self.open.as_ref().is_none_or(|open| open.key != key)
    }

    /// A turn begins: what failed before it is over.
    pub fn begin(&mut self, open: Open) {
        self.talks.entry(open.key.clone()).or_default().failed = None;
        self.open = Some(open);
    }

    /// Ends the turn that is open, with what its run came to. Only a turn that went well is part of the conversation;
    /// after any other one, gives what was said, which is not lost.
    pub fn close(&mut self, conversations: &[Conversation], board: &Board) -> Option<String> {
        let Open { key, asked, .. } = self.open.take()?;
        let steps = conversations.iter().find(|one| one.key == key).map(|one| one.steps.as_slice());
        let talk = self.talks.entry(key).or_default();
        let number = talk.turns.last().map_or(0, |turn| turn.number + 1);
        let turn = Turn::of(number, asked.clone(), steps.unwrap_or_default(), board);
        let none_answered = !turn.answers.is_empty() && turn.answers.iter().all(|answer| !answer.done);
        if board.status != Status::Done || none_answered {
            talk.failed = Some(turn);
            return Some(asked);
        }
        talk.turns.push(turn);
        let many = talk.turns.len();
        talk.turns.drain(..many.saturating_sub(MOST_TURNS));
        for Conversation { key, .. } in conversations {
            let state = board.result.as_ref().map(|result| &result.state);
            if let Some(messages) = state.and_then(|state| state.get(key)) {
                self.messages.insert(key.clone(), messages.clone());
            }
        }
        None
    }

    /// Gives up the turn that is open, whose run is gone, as it ended; gives what was said.
    pub fn give_up(&mut self, end: GivenUp) -> Option<String> {
        let Open { key, asked, .. } = self.open.take()?;
        let end = end.word().to_owned();
        let turn = Turn { asked: asked.clone(), end, ..Turn::default() };
        self.talks.entry(key).or_default().failed = Some(turn);
        Some(asked)
    }

    /// Begins a conversation anew. Where its messages go to stays as it was chosen.
    pub fn forget(&mut self, key: &str) {
        self.messages.remove(key);
        if let Some(talk) = self.talks.get_mut(key) {
            *talk = Talk { input: talk.input.take(), ..Talk::default() };
        }
        self.open.take_if(|open| open.key == key);
    }
}

impl Turn {
    fn of(number: u64, asked: String, steps: &[String], board: &Board) -> Self {
        let all = board.order.iter().filter(|id| steps.contains(id)).filter_map(|id| board.step(id));
        let answers = all.flat_map(|all| all.keys().filter_map(|key| all.get(key))).filter_map(Answer::of);
        let end = board.status.word().to_owned();
        Self { number, asked, answers: answers.collect(), end, failures: board.failures() }
    }
}

impl Answer {
    /// What an execution has answered; nothing where it was left out, or stopped before it began to.
    fn of(run: &StepRun) -> Option<Self> {
        let text = run.answer().unwrap_or_default();
        let has_begun = !text.is_empty() || !run.calls.is_empty() || run.error.is_some();
        let ended = matches!(run.status, Status::Done | Status::Error);
        (run.status != Status::Skipped && (has_begun || ended)).then(|| Self {
            step: run.name.clone(),
            text: shortened(text, MOST_TEXT),
            calls: run.calls.iter().map(glimpse).collect(),
            sources: run.sources.clone(),
            simulated: run.simulated,
            done: run.status == Status::Done,
        })
    }
}

/// A call of a tool, as much of it as is shown later. The messages have all of it.
fn glimpse(call: &CallRun) -> CallRun {
    let end = call.end.as_ref().map(|end| end.as_ref().map(small).map_err(Clone::clone));
    CallRun { input: small(&call.input), end, ..call.clone() }
}

fn small(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        // A value is JSON already.
        value => json::text(value),
    };
    if text.len() <= MOST_VALUE { value.clone() } else { Value::String(shortened(text, MOST_VALUE)) }
}

fn shortened(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::event::Event;
    use serde_json::json;

    fn conversation() -> Conversation {
        Conversation { key: "chat".into(), steps: vec!["s1".into()], inputs: vec!["input".into()] }
    }

    fn ran(events: Value) -> Board {
        let events: Vec<Event> = serde_json::from_value(events).unwrap();
        let mut board = Board::starting();
        events.into_iter().for_each(|event| drop(board.take(event)));
        board
    }

    fn step() -> Value {
        json!({ "id": "s1", "name": "answer" })
    }

    fn answered(text: &str, messages: Value) -> Board {
        ran(json!([
            { "type": "step.start", "step": step(), "attempt": 1 },
            { "type": "tool.start", "step": step(), "callId": "c", "tool": "look", "input": { "q": "é".repeat(4000) } },
            { "type": "tool.done", "step": step(), "callId": "c", "output": "found", "durationMs": 1 },
            { "type": "step.delta", "step": step(), "text": text },
            { "type": "step.done", "step": step(), "durationMs": 2, "output": text },
            { "type": "run.done", "result": { "status": "done", "state": { "chat": messages, "answer_output": text },
                "stepResults": [{ "id": "s1", "status": "done" }] } },
        ]))
    }

    fn failed() -> Board {
        let error = json!({ "code": "auth", "message": "no key", "hint": "enter one", "step": step() });
        ran(json!([
            { "type": "step.start", "step": step(), "attempt": 1 },
            { "type": "step.delta", "step": step(), "text": "Half an" },
            { "type": "step.error", "step": step(), "error": error, "durationMs": 1 },
            { "type": "run.error", "result": { "status": "error", "state": { "chat": [1, 2, 3] }, "errors": [error],
                "stepResults": [{ "id": "s1", "status": "error" }] } },
        ]))
    }

    fn open(asked: &str) -> Open {
        Open { key: "chat".into(), asked: asked.into(), run: "r1".into() }
    }

    #[test]
    fn a_turn_that_went_well_is_shown_and_its_messages_are_what_the_next_one_goes_on_with() {
        let mut kept = Kept::default();
        kept.begin(open("Hello?"));
        let messages = json!([{ "role": "user", "content": "Hello?" }, { "role": "assistant", "content": [], "echo": { "sealed": "x" } }]);
        assert_eq!(kept.close(&[conversation()], &answered("Hello.", messages.clone())), None);
        assert_eq!(kept.messages.get("chat"), Some(&messages));
        assert_eq!(kept.messages.len(), 1, "outputs of steps are no part of a conversation");
        let talk = &kept.talks["chat"];
        assert_eq!(
            (talk.turns[0].asked.as_str(), talk.turns[0].answers[0].text.as_str()),
            ("Hello?", "Hello.")
        );
        let call = &talk.turns[0].answers[0].calls[0];
        assert_eq!((call.tool.as_str(), &call.end), ("look", &Some(Ok(json!("found")))));
        let input = call.input.as_str().unwrap();
        assert!(input.len() <= MOST_VALUE + 3 && input.ends_with('…'), "{}", input.len());
        assert_eq!(read(&kept.clone().text().unwrap()), kept);
    }

    #[test]
    fn a_turn_whose_workflow_is_not_open_ends_in_what_is_stored_of_it() {
        let document = json!({ "version": 1, "name": "n", "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "a": { "model": "m" } },
            "steps": [{ "id": "s1", "type": "agent", "name": "answer", "agent": "a", "inputFrom": "{{ input }}", "history": { "key": "chat" } }] });
        let document: Document = serde_json::from_value(document).unwrap();
        let document = Some(&document);
        let mut kept = Kept::default();
        kept.begin(open("Hello?"));
        let stored = kept.text().unwrap();
        let done = closed(&stored, document, "r1", &answered("Hello.", json!(["said"]))).unwrap();
        let done = read(&done);
        assert_eq!((done.open, done.messages.get("chat")), (None, Some(&json!(["said"]))));
        assert_eq!(done.talks["chat"].turns[0].answers[0].text, "Hello.");
        let lost = read(&closed(&stored, document, "r1", &failed()).unwrap());
        assert_eq!((lost.open, lost.draft.as_str()), (None, "Hello?"));
        assert_eq!(closed(&stored, document, "r2", &failed()), None, "another run's turn stays open");
    }

    #[test]
    fn a_turn_that_failed_changes_no_conversation_and_gives_the_text_back() {
        let mut kept = Kept::default();
        kept.messages.insert("chat".into(), json!(["before"]));
        kept.begin(open("Hello?"));
        assert_eq!(kept.close(&[conversation()], &failed()), Some("Hello?".to_owned()));
        assert_eq!(kept.messages.get("chat"), Some(&json!(["before"])));
        let talk = &kept.talks["chat"];
        let turn = talk.failed.as_ref().unwrap();
        assert!(talk.turns.is_empty());
        assert_eq!((turn.answers[0].text.as_str(), turn.failures[0].message.as_str()), ("Half an", "no key"));
        kept.begin(open("Hello again?"));
        assert_eq!(kept.talks["chat"].failed, None);
        assert_eq!(kept.give_up(GivenUp::CutOff), Some("Hello again?".to_owned()));
        assert_eq!(kept.talks["chat"].failed.as_ref().unwrap().end, "cut");
        assert_eq!((kept.give_up(GivenUp::Stopped), kept.open), (None, None));
    }

    #[test]
    fn a_run_that_goes_on_without_its_answer_gives_the_text_back_too() {
        let mut kept = Kept::default();
        kept.begin(open("Hello?"));
        let mut board = failed();
        board.status = Status::Done;
        assert_eq!(kept.close(&[conversation()], &board), Some("Hello?".to_owned()));
        assert!(kept.messages.is_empty());
    }

    #[test]
    fn a_new_conversation_knows_nothing_of_the_one_before_and_goes_to_the_same_key() {
        let mut kept = Kept::default();
        kept.begin(open("Hello?"));
        kept.close(&[conversation()], &answered("Hello.", json!(["said"])));
        kept.talks.get_mut("chat").unwrap().input = Some("question".into());
        assert!(!kept.is_empty("chat") && kept.is_empty("other"));
        kept.forget("chat");
        assert!(kept.is_empty("chat"));
        assert_eq!(kept.talks["chat"].input.as_deref(), Some("question"));
    }

    #[test]
    fn what_is_stored_is_bounded_and_keeps_what_the_next_turn_needs() {
        let turn = |number| Turn { number, asked: "b".repeat(100_000), ..Turn::default() };
        let mut kept = Kept::default();
        kept.messages.insert("chat".into(), json!(["said"]));
        kept.talks.insert("chat".into(), Talk { turns: (0..100).map(turn).collect(), ..Talk::default() });
        let text = kept.text().unwrap();
        assert!(text.len() <= MOST_STORED);
        let read = read(&text);
        assert_eq!(read.messages, kept.messages);
        assert_eq!(read.talks["chat"].turns.last().unwrap().number, 99);
        kept.messages.insert("chat".into(), json!("b".repeat(MOST_STORED)));
        assert_eq!(kept.text(), None);
    }

    #[test]
    fn what_is_stored_and_cannot_be_read_is_no_conversation() {
        for text in ["", "null", "[1]", r#"{"talks": 3}"#, r#"{"open": {"key": 1}}"#] {
            assert_eq!(read(text), Kept::default(), "{text}");
        }
        assert_eq!(read(r#"{"newer": true}"#), Kept::default());
    }

    #[test]
    fn no_more_turns_are_shown_than_a_page_can_hold() {
        let mut kept = Kept::default();
        for _ in 0..MOST_TURNS + 5 {
            kept.begin(open("?"));
            kept.close(&[conversation()], &answered(".", json!([])));
        }
        let numbers: Vec<u64> = kept.talks["chat"].turns.iter().map(|turn| turn.number).collect();
        assert_eq!((numbers.len(), numbers[0]), (MOST_TURNS, 5));
    }
}
