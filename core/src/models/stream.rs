//! The bytes of an answer, read as they come.

use serde_json::Value;

use super::presets::{Format, preset};
use super::refusal::{self, Endpoint};
use super::{Partial, Reply, chat, fields, gemini, messages, parts, responses, sse};
use crate::document::Provider;
use crate::error::Error;
use crate::json::{self, Cause};

/// Bytes of an unknown response that are kept for the message.
const MAX_HEAD: usize = 400;

/// Bytes that an answer may have on its way. The longest of real models have some fifty million.
const MAX_ANSWER: usize = 128 * 1024 * 1024;

/// Bytes of words that an answer may have: many times what the longest of real models have.
const MAX_WORDS: usize = 8 * 1024 * 1024;

/// Bytes that an answer which is not a stream may have.
const MAX_WHOLE: usize = 16 * 1024 * 1024;

/// Reads an answer out of bytes that may be cut anywhere.
///
/// ```
/// use stepweave_core::{document::Provider, models::Stream};
/// let mut stream = Stream::new(Provider::Openai);
/// stream.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_re")?;
/// stream.push(b"ason\":\"stop\"}]}\n\ndata: [DONE]\n\n")?;
/// assert_eq!(stream.end()?.text, "Hi");
/// # Ok::<(), stepweave_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    endpoint: Endpoint,
    reader: Reader,
    /// The form of the body; nothing before its first character.
    form: Option<Form>,
    partial: Partial,
    /// How many bytes have come.
    length: usize,
    /// The beginning of the body, as long as nothing was understood: it shows what responded instead.
    head: Vec<u8>,
    /// The first event that does not belong to an answer, as long as none did.
    foreign: Option<String>,
    is_understood: bool,
}

/// The form of a body, detected by its first character: the content types of gateways are often wrong.
#[derive(Debug)]
enum Form {
    Events(sse::Events),
    /// One JSON value, which is read when all of it has come.
    Whole(Vec<u8>),
}

impl Form {
    /// The form of a body that begins with this byte.
    fn of(first: u8) -> Self {
        match first {
            b'{' | b'[' => Self::Whole(Vec::new()),
            _ => Self::Events(sse::Events::default()),
        }
    }
}

/// What reads the events of one format.
#[derive(Debug)]
enum Reader {
    Chat,
    Responses(responses::State),
    Messages(messages::State),
    Gemini(gemini::State),
    Parts,
}

impl Reader {
    fn of(format: Format) -> Self {
        match format {
            Format::Chat => Self::Chat,
            Format::Responses => Self::Responses(responses::State::default()),
            Format::Messages => Self::Messages(messages::State::default()),
            Format::Gemini => Self::Gemini(gemini::State::default()),
            Format::Parts | Format::Demo => Self::Parts,
        }
    }

    fn event(&mut self, partial: &mut Partial, event: &Value) -> Result<(), Fault> {
        match self {
            Self::Chat => chat::event(partial, event),
            Self::Responses(state) => responses::event(state, partial, event),
            Self::Messages(state) => messages::event(state, partial, event),
            Self::Gemini(state) => gemini::event(state, partial, event),
            Self::Parts => parts::event(partial, event),
        }
    }

    fn whole(&self, partial: &mut Partial, answer: &Value) -> Result<(), Fault> {
        match self {
            Self::Chat => chat::whole(partial, answer),
            Self::Responses(_) => responses::whole(partial, answer),
            Self::Messages(_) => messages::whole(partial, answer),
            Self::Gemini(_) => gemini::whole(partial, answer),
            Self::Parts => parts::event(partial, answer),
        }
    }
}

/// Why an event does not belong to an answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is something else.
    NotAnAnswer,
    /// It belongs to an answer but cannot be read.
    Broken,
    /// It is the endpoint's own word of an error.
    Reported(Value),
}

impl Stream {
    /// An answer of this provider.
    pub fn new(provider: Provider) -> Self {
        let preset = preset(provider);
        Self::at(Endpoint { url: provider.base_url().to_owned(), model: String::new() }, preset.format)
    }

    pub(super) fn at(endpoint: Endpoint, format: Format) -> Self {
        Self {
            endpoint,
            reader: Reader::of(format),
            form: None,
            partial: Partial::default(),
            length: 0,
            head: Vec::new(),
            foreign: None,
            is_understood: false,
        }
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
    /// When they do not belong to an answer, or report an error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if !self.is_understood {
            let room = MAX_HEAD.saturating_sub(self.head.len());
            self.head.extend(bytes.iter().take(room));
        }
        self.length = self.length.saturating_add(bytes.len());
        if self.length > MAX_ANSWER {
            return Err(self.endpoint.endless("an answer"));
        }
        let mut bytes = bytes;
        if self.form.is_none() {
            // A byte order mark is no character.
            let is_letter = |byte: &u8| !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(byte);
            bytes = bytes.iter().position(is_letter).and_then(|at| bytes.get(at..)).unwrap_or_default();
            self.form = bytes.first().map(|first| Form::of(*first));
        }
        let mut found = Vec::new();
        let pushed = match &mut self.form {
            None => return Ok(()),
            Some(Form::Whole(body)) => {
                body.extend(bytes);
                return if body.len() > MAX_WHOLE { Err(self.endpoint.endless("an answer")) } else { Ok(()) };
            }
            Some(Form::Events(events)) => events.push(bytes, &mut found),
        };
        found.iter().try_for_each(|event| self.event(event, Cut::Nowhere))?;
        if self.partial.bytes() > MAX_WORDS {
            return Err(self.endpoint.endless("an answer"));
        }
        pushed.map_err(|sse::TooLarge| self.endpoint.endless("an event"))
    }

    /// The answer, at the end of its bytes.
    ///
    /// # Errors
    /// When it is not whole.
    pub fn end(mut self) -> Result<Reply, Error> {
        self.close()?;
        Ok(self.reply())
    }

    /// Reads what is left at the end of the bytes.
    ///
    /// # Errors
    /// When the answer is not whole.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        let mut has_lines = true;
        match self.form.take() {
            None => {}
            Some(Form::Whole(body)) => self.whole(&String::from_utf8_lossy(&body))?,
            Some(Form::Events(mut events)) => {
                let last = events.end().filter(|_| !self.partial.is_done);
                last.iter().try_for_each(|event| self.event(event, Cut::Perhaps))?;
                has_lines = events.has_lines();
            }
        }
        if !self.is_understood {
            let is_something = self.foreign.is_some() || self.partial.is_done || !has_lines;
            return Err(match &self.foreign {
                Some(foreign) => self.endpoint.not_an_answer(foreign),
                None if is_something => self.endpoint.not_an_answer(&String::from_utf8_lossy(&self.head)),
                None => self.endpoint.broke_off(),
            });
        }
        // Some endpoints leave the reason out and only say that they are done.
        if self.partial.finish.is_none() && !self.partial.is_done {
            return Err(self.endpoint.broke_off());
        }
        match &self.partial.unknown {
            Some(unknown) if self.partial.is_empty() => Err(self.endpoint.not_understood(unknown)),
            _ => Ok(()),
        }
    }

    /// The answer, once it is [closed](Self::close).
    pub(super) fn reply(self) -> Reply {
        self.partial.reply()
    }

    /// Whether the model has sent its finish reason: what is lost after that does not belong to the answer.
    pub(super) fn has_finished(&self) -> bool {
        self.partial.finish.is_some()
    }

    /// Reads an answer that came in one piece.
    fn whole(&mut self, body: &str) -> Result<(), Error> {
        let json: Value = json::read(body).map_err(|fault| match fault.cause {
            Cause::End => self.endpoint.broke_off(),
            _ => self.endpoint.not_an_answer(body),
        })?;
        // Its length says that it is whole, whether or not it says why it ended.
        self.partial.is_done = true;
        self.is_understood = true;
        match self.reader.whole(&mut self.partial, &json) {
            Ok(()) => self.checked(&json),
            Err(Fault::NotAnAnswer) => {
                Err(self.reported(&json).unwrap_or_else(|| self.endpoint.not_an_answer(body)))
            }
            Err(fault) => Err(self.error(fault, body)),
        }
    }

    fn event(&mut self, event: &sse::Event, cut: Cut) -> Result<(), Error> {
        let data = event.data.as_str();
        // What follows the end does not belong to the answer.
        if self.partial.is_done {
            return Ok(());
        }
        if data.trim() == "[DONE]" {
            self.partial.is_done = true;
            return Ok(());
        }
        let Ok(json) = json::read(data) else {
            return match cut {
                _ if event.is_error => Err(self.error(Fault::Reported(data.into()), data)),
                Cut::Perhaps if self.has_finished() => Ok(()),
                Cut::Perhaps => Err(self.endpoint.broke_off()),
                // What began as an answer came from the right address.
                Cut::Nowhere if self.is_understood => Err(self.endpoint.garbled(data)),
                Cut::Nowhere => Err(self.endpoint.not_an_answer(data)),
            };
        };
        let read = self.reader.event(&mut self.partial, &json);
        self.checked(&json)?;
        if event.is_error {
            return Err(self.error(Fault::Reported(json), data));
        }
        match read {
            Ok(()) => self.is_understood = true,
            Err(Fault::NotAnAnswer) => {
                if let Some(error) = self.reported(&json) {
                    return Err(error);
                }
                // Gateways send their own events, such as the position in a queue.
                if !self.is_understood && self.foreign.is_none() {
                    self.foreign = Some(data.chars().take(MAX_HEAD).collect());
                }
            }
            Err(fault) => return Err(self.error(fault, data)),
        }
        Ok(())
    }

    /// Nothing, if what was read is within all bounds and has no error.
    fn checked(&self, json: &Value) -> Result<(), Error> {
        if self.partial.has_too_many_calls() {
            return Err(self.endpoint.endless("calls of tools"));
        }
        match fields::error_in(json) {
            Some(error) => Err(refusal::reported_in_stream(&self.endpoint, error)),
            None => Ok(()),
        }
    }

    /// The error in an event that is not an answer.
    fn reported(&self, json: &Value) -> Option<Error> {
        let error = fields::error_in(json).or_else(|| {
            ["detail", "errors"].iter().any(|key| fields::something(json, key).is_some()).then_some(json)
        });
        error.map(|error| refusal::reported_in_stream(&self.endpoint, error))
    }

    fn error(&self, fault: Fault, text: &str) -> Error {
        match fault {
            Fault::NotAnAnswer | Fault::Broken => self.endpoint.not_an_answer(text),
            Fault::Reported(error) => refusal::reported_in_stream(&self.endpoint, &error),
        }
    }
}

/// Whether the end of the bytes may have cut an event.
#[derive(Clone, Copy)]
enum Cut {
    Perhaps,
    Nowhere,
}

#[cfg(test)]
mod tests;
