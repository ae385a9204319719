//! A model call: the HTTP request, the waits, the bytes, and the events.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::Map;

use super::patience::{Part, Patience, waits};
use super::presets::{Format, Preset, preset};
use super::stream::Stream;
use super::{
    Finish, Partial, ProvidedOffer, Question, Reply, Served, Stage, chat, demo, gemini, messages, parts,
    refusal, responses, structured,
};
use crate::document::{Model, OutputMode, Provided};
use crate::error::{Code, Error};
use crate::event::{Event, Runner, Spot, ToolUse};
use crate::host::{Gate, Host, Request, SecretHeader, World};
use crate::json;
use crate::usage::Usage;

/// Bytes that an answer which is not a stream may have.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Emits the chunks of an answer as they arrive.
pub struct Emitter<'a, H> {
    /// To whom.
    pub host: &'a H,
    /// Of which execution.
    pub spot: Spot,
    /// Whether a chunk of the answer has been emitted.
    pub has_emitted: Rc<Cell<bool>>,
    /// What the answer has used as far as it has arrived.
    pub usage: Cell<Option<Usage>>,
    /// Whether the chunks of the answer are emitted.
    voice: Voice,
    /// The tools that the endpoint may run itself.
    provided: &'a [ProvidedOffer],
    /// How much of what the endpoint did itself has been emitted.
    served: Cell<usize>,
    /// The calls of the endpoint's own that have not ended, and when they began.
    open: RefCell<Vec<(Served, f64)>>,
}

/// Whether listeners receive the chunks of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// As they arrive.
    Aloud,
    /// Never: the answer is for the engine.
    Silent,
}

impl<'a, H: Host> Emitter<'a, H> {
    /// Nothing is emitted yet.
    pub fn new(host: &'a H, spot: Spot, voice: Voice, provided: &'a [ProvidedOffer]) -> Self {
        let (served, open) = (Cell::new(0), RefCell::default());
        let (has_emitted, usage) = (Rc::default(), Cell::new(None));
        Self { host, spot, has_emitted, usage, voice, provided, served, open }
    }

    /// Emits what the endpoint did itself, as far as that is new.
    pub fn served(&self, served: &[Served]) {
        for one in served.iter().skip(self.served.replace(served.len())) {
            match &one.stage {
                Stage::Began(input) => {
                    let tool = self.name_of(one.does);
                    let call = ToolUse { id: one.id.clone(), tool, input: input.clone() };
                    self.host.emit(Event::ToolStart { spot: self.spot, call, runner: Runner::Provider });
                    self.open.borrow_mut().push((one.clone(), self.host.now()));
                }
                Stage::Gave(output) => self.end_served(one, Ok(self.host.value_from_json(output.clone()))),
                Stage::Failed(why) => self.end_served(one, Err(failed(why))),
            }
        }
    }

    /// Emits that nothing more comes of the calls that have not ended.
    pub fn give_up_served(&self, error: Option<&Error>) {
        for (one, _) in self.open.take() {
            let error = error.cloned().unwrap_or_else(|| failed("the answer ended before it gave anything"));
            self.end_served(&one, Err(error));
        }
    }

    fn end_served(&self, one: &Served, outcome: Result<H::Value, Error>) {
        let now = self.host.now();
        let mut open = self.open.borrow_mut();
        let begun = open.iter().position(|(begun, _)| begun.id == one.id).map(|index| open.remove(index).1);
        let (id, tool, duration_ms) = (one.id.clone(), self.name_of(one.does), now - begun.unwrap_or(now));
        let runner = Runner::Provider;
        self.host.emit(Event::ToolEnd { spot: self.spot, id, tool, duration_ms, outcome, runner });
    }

    /// What the document calls a tool; one that only the parameters ask for has the name of what it does.
    fn name_of(&self, does: Provided) -> String {
        let named = self.provided.iter().find(|offer| offer.tool.does == does);
        named.map_or(does.word(), |offer| &offer.name).to_owned()
    }

    pub(super) fn text(&self, text: &str) {
        if !text.is_empty() && self.voice == Voice::Aloud {
            self.has_emitted.set(true);
            self.host.emit(Event::StepDelta { spot: self.spot, text: text.to_owned() });
        }
    }

    fn reasoning(&self, text: &str) {
        if !text.is_empty() && self.voice == Voice::Aloud {
            self.has_emitted.set(true);
            self.host.emit(Event::StepReasoning { spot: self.spot, text: text.to_owned() });
        }
    }
}

/// Calls a model; each chunk of the answer is emitted as it arrives.
///
/// # Errors
/// When the endpoint cannot be reached, rejects the request, or sends a response that is not an answer.
pub async fn ask<H: Host>(question: &Question<'_>, emitter: &Emitter<'_, H>) -> Result<Reply, Error> {
    let preset = preset(question.setup.model.provider);
    if preset.format == Format::Demo {
        return Ok(demo::ask(question, emitter).await);
    }
    let host = emitter.host;
    let request = request(question, preset)?;
    let endpoint = refusal::Endpoint { url: request.url.clone(), model: question.setup.model.model.clone() };
    let permit = match gate(question, &endpoint) {
        Some(gate) => Some(host.admit(emitter.spot, gate).await),
        None => None,
    };
    let reply = send(question, preset, request, endpoint, emitter).await.map_err(|error| {
        let clock = refusal::Clock { now: host.now(), time_of: &|text| host.time_of(text) };
        let mut error = refusal::passed_on(error, &question.setup.model.model, &clock);
        if error.details.may_be_form && structured::can_be_said(question) {
            error.details.output_mode = Some(OutputMode::Prompt);
        }
        error
    });
    // A call that has to wait makes the other calls of this endpoint wait too.
    if let (Some(permit), Some(wait)) = (&permit, reply.as_ref().err().and_then(|error| error.retry_after_ms))
    {
        host.close(permit, wait.min(question.longest_wait_ms));
    }
    reply
}

/// The bounds on calls of the model's endpoint, if it has some.
fn gate(question: &Question<'_>, endpoint: &refusal::Endpoint) -> Option<Gate> {
    let Model { concurrency, requests_per_minute, .. } = question.setup.model;
    concurrency.or(requests_per_minute)?;
    Some(Gate { endpoint: endpoint.host().to_owned(), concurrency, requests_per_minute })
}

async fn send<H: Host>(
    question: &Question<'_>,
    preset: &Preset,
    request: Request,
    endpoint: refusal::Endpoint,
    emitter: &Emitter<'_, H>,
) -> Result<Reply, Error> {
    let host = emitter.host;
    let patience = Patience::begin(host, question.setup);
    let fetched = patience.wait(host, &endpoint, Part::First, host.fetch(emitter.spot, request)).await?;
    let mut response = fetched?;
    if !(200..300).contains(&response.status) {
        let body = whole_body(host, &mut response.body, &endpoint, &patience).await.unwrap_or_default();
        let (status, headers) = (response.status, &response.headers);
        // An address that is not the provider's own is called without the provider's key.
        let hint = match (status, &question.setup.model.api_key) {
            (401, None) => "no key was sent: give the model its apiKey, as { secret: \"…\" }",
            _ => &response.hint,
        };
        let refused = refusal::Refused { status, headers, body: &body, hint };
        let clock = refusal::Clock { now: host.now(), time_of: &|text| host.time_of(text) };
        return Err(refusal::error(&endpoint, &refused, &clock));
    }
    let mut stream = Stream::at(endpoint.clone(), preset.format);
    let body = &mut response.body;
    while !stream.is_done() {
        let before = lengths(&stream);
        let part = if before == (0, 0) { Part::First } else { Part::Next };
        let read = patience.wait(host, &endpoint, part, host.read(body)).await.and_then(|read| read);
        let bytes = match read {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            // The answer stands, whatever became of the line.
            Err(_) if stream.has_finished() => break,
            Err(error) => return Err(error),
        };
        let read = stream.push(&bytes);
        emit(&stream, emitter, before);
        read?;
        if let Some(most) = question.most.filter(|most| stream.partial().bytes() > most.bytes) {
            return Err(endpoint.over_budget(stream.partial(), most.bound));
        }
        patience.look(host, &endpoint, stream.partial())?;
    }
    let before = lengths(&stream);
    let closed = stream.close();
    emit(&stream, emitter, before);
    closed?;
    judged(stream.reply(), &endpoint, question)
}

/// An answer, unless it is none that anybody could use.
fn judged(reply: Reply, endpoint: &refusal::Endpoint, question: &Question<'_>) -> Result<Reply, Error> {
    match reply.finish {
        Finish::Filtered => Err(endpoint.filtered(&reply.extras.refusal)),
        Finish::Refused => Err(endpoint.refused(&reply.extras.refusal)),
        _ if !reply.calls.is_empty() && question.tools.is_empty() && reply.text.is_empty() => {
            Err(endpoint.wants_tools())
        }
        _ => Ok(reply),
    }
}

fn failed(why: &str) -> Error {
    Error::new(Code::Tool, format!("the provider's tool failed: {why}"))
}

/// How long the texts are that have come.
fn lengths(stream: &Stream) -> (usize, usize) {
    (stream.partial().text.len(), stream.partial().reasoning.len())
}

/// Emits what has arrived since the texts were this long.
fn emit<H: Host>(stream: &Stream, emitter: &Emitter<'_, H>, (text, reasoning): (usize, usize)) {
    let partial = stream.partial();
    emitter.usage.set(partial.usage);
    emitter.reasoning(partial.reasoning.get(reasoning..).unwrap_or_default());
    emitter.served(&partial.extras.served);
    emitter.text(partial.text.get(text..).unwrap_or_default());
}

pub(super) fn request(question: &Question<'_>, preset: &Preset) -> Result<Request, Error> {
    let model = &question.setup.model;
    let base = model.base_url.as_deref().unwrap_or(model.provider.base_url()).trim_end_matches('/');
    if base.is_empty() && !preset.own_url.is_empty() {
        let provider = model.provider.word();
        return Err(Error::new(
            Code::Document,
            format!("models of the provider `{provider}` need a `baseUrl`"),
        )
        .with_hint(format!("give the address of your own, such as {}", preset.own_url)));
    }
    let mut headers = Map::new();
    headers.insert("content-type".to_owned(), "application/json".into());
    let (path, body) = match preset.format {
        Format::Chat => {
            chat::headers(question, &mut headers);
            (chat::path(question), chat::body(question))
        }
        Format::Responses => {
            responses::headers(question, &mut headers);
            (responses::path(question), responses::body(question))
        }
        Format::Messages => {
            messages::headers(question, &mut headers);
            (messages::path(question), messages::body(question))
        }
        Format::Gemini => {
            gemini::headers(question, &mut headers);
            (gemini::path(question), gemini::body(question))
        }
        Format::Parts | Format::Demo => (String::new(), parts::body(question)),
    };
    let auth = model.api_key.as_ref().map(|key| SecretHeader {
        secret: key.secret.clone(),
        header: preset.key_header.into(),
        prefix: preset.key_prefix,
    });
    // Two spellings of one name would be sent as one header with both values.
    let own = model.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
    headers.extend(own);
    let function = question.setup.function;
    let (url, body) = (format!("{base}{path}"), json::text(&body));
    let (provider, waits) = (model.provider, waits(question.setup));
    Ok(Request { url, method: "POST", headers, body, auth, provider, waits, function })
}

async fn whole_body<W: World>(
    world: &W,
    body: &mut W::Body,
    endpoint: &refusal::Endpoint,
    patience: &Patience,
) -> Result<String, Error> {
    let (mut bytes, nothing) = (Vec::new(), Partial::default());
    while let Some(more) = patience.wait(world, endpoint, Part::First, world.read(body)).await?? {
        bytes.extend(more);
        if bytes.len() > MAX_BODY {
            return Err(Error::new(Code::Limit, format!("the answer is larger than {MAX_BODY} bytes")));
        }
        // It is an answer when all of it is there.
        patience.look(world, endpoint, &nothing)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
