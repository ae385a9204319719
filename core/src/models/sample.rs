//! Questions and answers for the tests of the formats.

use serde_json::{Map, Value, json};

use super::call::request;
use super::{ModelSetup, Offer, ProvidedOffer, Question, Reply, Stream, ToolCall, ToolResult, Turn, preset};
use crate::document::{Model, Provider, ProviderTool, ToolChoice};
use crate::error::Error;
use crate::host::Request;

/// A request that tests can change before it is sent.
pub(super) struct SampleRequest {
    pub(super) setup: ModelSetup,
    pub(super) instructions: Option<&'static str>,
    pub(super) turns: Vec<Turn>,
    pub(super) tools: Vec<Offer>,
    pub(super) provided: Vec<ProvidedOffer>,
    pub(super) choice: ToolChoice,
    pub(super) output: Option<Value>,
}

impl SampleRequest {
    /// `Hi`, and nothing else.
    pub(super) fn of(provider: Provider, model: &str) -> Self {
        let setup = ModelSetup {
            model: Model::new(provider, model),
            function: None,
            params: Map::new(),
            price: None,
            first_token_ms: None,
            idle_ms: None,
        };
        let turns = vec![Turn::text("Hi")];
        Self {
            setup,
            instructions: None,
            turns,
            tools: Vec::new(),
            provided: Vec::new(),
            choice: ToolChoice::Auto,
            output: None,
        }
    }

    pub(super) fn params(mut self, params: Value) -> Self {
        self.setup.params = params.as_object().cloned().unwrap();
        self
    }

    pub(super) fn tool(mut self, name: &str, input: Value) -> Self {
        self.tools.push(Offer { name: name.to_owned(), description: None, input });
        self
    }

    pub(super) fn provided(mut self, tool: ProviderTool) -> Self {
        self.provided.push(ProvidedOffer { name: format!("my_{}", tool.does.word()), tool });
        self
    }

    pub(super) fn choice(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    pub(super) fn output(mut self, schema: Value) -> Self {
        self.output = Some(schema);
        self
    }

    pub(super) fn turns(mut self, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.turns.extend(turns);
        self
    }

    /// These turns and no others.
    pub(super) fn only(self, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { turns: turns.into_iter().collect(), ..self }
    }

    /// Offers a tool that takes a city.
    pub(super) fn weather(mut self) -> Self {
        let city = json!({ "type": "string" });
        let input = json!({ "type": "object", "properties": { "city": city }, "required": ["city"] });
        let description = Some("Tells the weather.".to_owned());
        self.tools.push(Offer { name: "weather".to_owned(), description, input });
        self
    }

    pub(super) fn question(&self) -> Question<'_> {
        Question {
            setup: &self.setup,
            agent: "tester",
            instructions: self.instructions,
            turns: &self.turns,
            tools: &self.tools,
            provided: &self.provided,
            choice: &self.choice,
            output: self.output.as_ref(),
            output_mode: None,
            longest_wait_ms: 60_000,
            most: None,
        }
    }

    pub(super) fn request(&self) -> Result<Request, Error> {
        request(&self.question(), preset(self.setup.model.provider))
    }

    pub(super) fn body(&self) -> Value {
        serde_json::from_str(&self.request().unwrap().body).unwrap()
    }
}

/// What is read of a stream of these events that then ends.
pub(super) fn read(provider: Provider, events: &[Value]) -> Result<Reply, Error> {
    let mut stream = Stream::new(provider);
    for event in events {
        stream.push(format!("data: {event}\n\n").as_bytes())?;
    }
    stream.end()
}

/// What is read of an answer in one piece.
pub(super) fn read_whole(provider: Provider, answer: &Value) -> Result<Reply, Error> {
    let mut stream = Stream::new(provider);
    stream.push(answer.to_string().as_bytes())?;
    stream.end()
}

/// An answer that calls this tool.
pub(super) fn calling(id: &str, name: &str, input: Value) -> Reply {
    let call = ToolCall { id: id.to_owned(), name: name.to_owned(), input, broken: None, is_cut_off: false };
    Reply { text: "Let me look.".to_owned(), calls: vec![call], ..Reply::default() }
}

/// What a tool gave.
pub(super) fn gave(id: &str, name: &str, output: Value) -> ToolResult {
    ToolResult { id: id.to_owned(), name: name.to_owned(), output, is_error: false }
}
