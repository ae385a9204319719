//! The bytes of an answer, read as they come.

use serde_json::Value;

use super::presets::{Format, preset};
use super::refusal::{self, Place};
use super::{Partial, Reply, chat, gemini, messages, parts, responses, sse};
use crate::document::Provider;
use crate::engine::Error;

/// Bytes of something else that are kept to be told.
const MAX_HEAD: usize = 400;

/// Bytes that an answer may have on its way. The longest of real models have some fifty million.
const MAX_ANSWER: usize = 128 * 1024 * 1024;

/// Reads an answer out of bytes that may be cut anywhere.
///
/// ```
/// use stepweave_core::{document::Provider, models::Stream};
/// let mut stream = Stream::new(Provider::Openai);
/// stream.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_re")?;
/// stream.push(b"ason\":\"stop\"}]}\n\ndata: [DONE]\n\n")?;
/// assert_eq!(stream.end()?.text, "Hi");
/// # Ok::<(), stepweave_core::engine::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    place: Place,
    reader: Reader,
    events: sse::Events,
    partial: Partial,
    /// How many bytes have come.
    length: usize,
    /// How the body begins, as long as nothing of it was understood: it tells what else answered.
    head: Vec<u8>,
    is_understood: bool,
}

/// What reads the events of one format.
#[derive(Debug)]
enum Reader {
    Chat(chat::State),
    Responses(responses::State),
    Messages(messages::State),
    Gemini(gemini::State),
    Parts,
}

impl Reader {
    fn of(format: Format) -> Self {
        match format {
            Format::Chat => Self::Chat(chat::State::default()),
            Format::Responses => Self::Responses(responses::State::default()),
            Format::Messages => Self::Messages(messages::State::default()),
            Format::Gemini => Self::Gemini(gemini::State::default()),
            Format::Parts | Format::Demo => Self::Parts,
        }
    }

    fn event(&mut self, partial: &mut Partial, event: &Value) -> Result<(), Fault> {
        match self {
            Self::Chat(state) => chat::event(state, partial, event),
            Self::Responses(state) => responses::event(state, partial, event),
            Self::Messages(state) => messages::event(state, partial, event),
            Self::Gemini(state) => gemini::event(state, partial, event),
            Self::Parts => parts::event(partial, event),
        }
    }

    fn whole(&self, partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
        match self {
            Self::Chat(_) => chat::whole(partial, answer),
            Self::Responses(_) => responses::whole(partial, answer),
            Self::Messages(_) => messages::whole(partial, answer),
            Self::Gemini(_) => gemini::whole(partial, answer),
            Self::Parts => parts::event(partial, answer),
        }
    }
}

/// Why an event is no part of an answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is something else.
    NotAnAnswer,
    /// It is the endpoint's own word of an error.
    Told(Value),
}

impl Stream {
    /// An answer of this provider.
    pub fn new(provider: Provider) -> Self {
        let preset = preset(provider);
        Self::at(Place { url: provider.base_url().to_owned(), model: String::new() }, preset.format)
    }

    pub(super) fn at(place: Place, format: Format) -> Self {
        let reader = Reader::of(format);
        let (events, partial) = (sse::Events::default(), Partial::default());
        Self { place, reader, events, partial, length: 0, head: Vec::new(), is_understood: false }
    }

    /// What has arrived so far.
    pub fn partial(&self) -> &Partial {
        &self.partial
    }

    /// Whether the endpoint has said that nothing more comes.
    pub fn is_done(&self) -> bool {
        self.partial.is_done
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// When they are no part of an answer, or tell an error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if !self.is_understood {
            let room = MAX_HEAD.saturating_sub(self.head.len());
            self.head.extend(bytes.iter().take(room));
        }
        self.length = self.length.saturating_add(bytes.len());
        if self.length > MAX_ANSWER {
            return Err(self.place.endless("an answer"));
        }
        let mut found = Vec::new();
        let pushed = self.events.push(bytes, &mut found);
        found.iter().try_for_each(|data| self.event(data))?;
        pushed.map_err(|sse::TooLarge| self.place.endless("an event"))
    }

    /// Reads an answer that came in one piece.
    ///
    /// # Errors
    /// When it is none.
    pub fn whole(&mut self, body: &str) -> Result<(), Error> {
        self.is_understood = true;
        let json = serde_json::from_str(body).map_err(|_| self.place.not_an_answer(body))?;
        let read = self.reader.whole(&mut self.partial, &json);
        // Its length says that it is whole, whether or not it says why it ended.
        self.partial.is_done = true;
        self.taken(read, body)
    }

    /// The answer, at the end of its bytes.
    ///
    /// # Errors
    /// When it is not whole.
    pub fn end(mut self) -> Result<Reply, Error> {
        if !self.partial.is_done {
            let last = std::mem::take(&mut self.events).end();
            last.iter().try_for_each(|data| self.event(data))?;
        }
        if self.partial.finish.is_none() {
            if !self.is_understood && !self.head.is_empty() {
                return Err(self.place.not_an_answer(&String::from_utf8_lossy(&self.head)));
            }
            // Some endpoints leave the reason out and only say that they are done.
            if !self.partial.is_done {
                return Err(self.place.broke_off());
            }
        }
        Ok(self.partial.reply())
    }

    fn event(&mut self, data: &str) -> Result<(), Error> {
        self.is_understood = true;
        // What follows the end is no part of the answer.
        if self.partial.is_done {
            return Ok(());
        }
        if data.trim() == "[DONE]" {
            self.partial.is_done = true;
            return Ok(());
        }
        let json = serde_json::from_str(data).map_err(|_| self.place.not_an_answer(data))?;
        let read = self.reader.event(&mut self.partial, &json);
        self.taken(read, data)
    }

    /// What came of reading this text.
    fn taken(&self, read: Result<(), Fault>, text: &str) -> Result<(), Error> {
        if self.partial.has_too_many_calls() {
            return Err(self.place.endless("calls of tools"));
        }
        read.map_err(|fault| self.error(fault, text))
    }

    fn error(&self, fault: Fault, text: &str) -> Error {
        match fault {
            Fault::NotAnAnswer => self.place.not_an_answer(text),
            Fault::Told(error) => refusal::told_in_stream(&self.place, &error),
        }
    }
}
