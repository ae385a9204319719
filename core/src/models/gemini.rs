//! Gemini's generateContent.

use serde_json::{Map, Value};

use self::answer::KEY;
pub(super) use self::answer::{State, event, whole};
use super::address::encoded_path;
use super::fields::{list, text};
use super::params::{add_tools, params};
use super::{MediaSource, Offer, Part, ProvidedOffer, Question, Reply, ToolResult, Turn, narrow, structured};
use crate::document::{OutputMode, Provided, ToolChoice};
use crate::literal::json;

mod answer;
mod arguments;

/// The signature of calls that another model made: newer models refuse calls without any.
const FOREIGN: &str = "skip_thought_signature_validator";

/// Parameters that stand beside the configuration of the answer; the others stand in it.
const BESIDE: [&str; 9] = [
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "safetySettings",
    "cachedContent",
    "labels",
    "serviceTier",
    "store",
];

/// Where the question goes, behind the base URL.
pub(super) fn path(question: &Question<'_>) -> String {
    let model = encoded_path(&question.setup.model.model);
    // Names may say of which kind the model is, such as `tunedModels/mine`.
    let kind = if model.contains('/') { "/" } else { "/models/" };
    let method = if streams(question) { ":streamGenerateContent?alt=sse" } else { ":generateContent" };
    [kind, &model, method].concat()
}

/// The headers that it needs.
pub(super) fn headers(_question: &Question<'_>, _headers: &mut Map<String, Value>) {}

/// Whether this model, offered tools, can be held to a schema as well. Older ones refuse to be, and none is when it
/// has to call a tool.
pub(super) fn takes_schema(question: &Question<'_>) -> bool {
    let is_forced = matches!(question.choice, ToolChoice::Required | ToolChoice::Named(_));
    !question.has_tools() || !(is_forced || is_old(question))
}

/// Whether this is a model of the time before the third generation.
pub(super) fn is_old(question: &Question<'_>) -> bool {
    let model = &question.setup.model.model;
    ["gemini-1", "gemini-2"].iter().any(|old| model.contains(old))
}

fn streams(question: &Question<'_>) -> bool {
    question.setup.params.get("stream") != Some(&Value::Bool(false))
}

/// The body of a request.
pub(super) fn body(question: &Question<'_>) -> Value {
    let (mut beside, mut config) = sorted(params(question).0);
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    if let Some(instructions) = structured::instructions(question) {
        put("systemInstruction", json!({ "parts": [{ "text": instructions }] }));
    }
    put("contents", contents(question));
    let means = structured::means(question);
    if matches!(means, Some(OutputMode::Schema | OutputMode::Json)) {
        config.insert("responseMimeType".to_owned(), "application/json".into());
    }
    if let (Some(OutputMode::Schema), Some(schema)) = (means, question.output) {
        config.insert("responseJsonSchema".to_owned(), narrow::plain(schema));
    }
    if !config.is_empty() {
        put("generationConfig", config.into());
    }
    if let (Some(choice), false) = (choice(question.choice), question.tools.is_empty()) {
        let config = beside.entry("toolConfig").or_insert_with(|| json!({}));
        if let Some(config) = config.as_object_mut() {
            config.entry("functionCallingConfig").or_insert(choice);
        }
    }
    // Newer models show what they search, and need it back beside functions; older ones know no such wish.
    let is_shown = question.may(Provided::WebSearch) || !question.tools.is_empty();
    if is_shown && !question.provided.is_empty() && !is_old(question) {
        let config = beside.entry("toolConfig").or_insert_with(|| json!({}));
        if let Some(config) = config.as_object_mut() {
            config.entry("includeServerSideToolInvocations").or_insert(Value::Bool(true));
        }
    }
    body.extend(beside);
    let mut tools: Vec<Value> = question.provided.iter().map(provided).collect();
    if !question.tools.is_empty() {
        let offers: Vec<Value> = question.tools.iter().map(declaration).collect();
        tools.insert(0, json!({ "functionDeclarations": offers }));
    }
    if !tools.is_empty() {
        add_tools(&mut body, tools);
    }
    body.into()
}

/// The parameters under this format's names: those beside the configuration of the answer, and those in it.
fn sorted(params: Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    let (mut beside, mut config) = (Map::new(), Map::new());
    for (name, value) in params {
        let name = camel(&name);
        match (name.as_str(), value) {
            // It stands in the URL.
            ("stream", _) => {}
            ("generationConfig", Value::Object(more)) => config.extend(more),
            (name, value) if BESIDE.contains(&name) => {
                beside.insert(name.to_owned(), value);
            }
            (name, value) => {
                config.insert(name.to_owned(), value);
            }
        }
    }
    (beside, config)
}

/// `top_p` as `topP`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut rest = word.chars();
        camel.extend(rest.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(rest.as_str());
    }
    camel
}

fn contents(question: &Question<'_>) -> Value {
    let mut contents = Vec::new();
    // The ids of the last calls, as far as the endpoint gave or was given any.
    let mut ids: Vec<&str> = Vec::new();
    for turn in question.turns {
        let (role, parts) = match turn {
            Turn::User(parts) => ("user", parts.iter().filter_map(part).collect()),
            Turn::Assistant(reply) => {
                let kept = list(&reply.echo, KEY);
                if kept.is_empty() {
                    ids = reply.calls.iter().map(|call| call.id.as_str()).collect();
                    ("model", said(reply, is_old(question)))
                } else {
                    let calls = kept.iter().filter_map(|part| part.get("functionCall"));
                    ids = calls.map(|call| text(call, "id")).collect();
                    ("model", kept.to_vec())
                }
            }
            Turn::Tools(results) => ("user", gave(results, &ids, is_old(question))),
        };
        if !parts.is_empty() {
            contents.push(json!({ "role": role, "parts": parts }));
        }
    }
    contents.into()
}

fn part(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => (!text.is_empty()).then(|| json!({ "text": text })),
        Part::Media(media) => {
            let kind = media.media_type.as_str();
            Some(match &media.source {
                MediaSource::Data(data) => json!({ "inlineData": { "mimeType": kind, "data": data } }),
                MediaSource::Url(url) => json!({ "fileData": { "mimeType": kind, "fileUri": url } }),
            })
        }
    }
}

fn said(reply: &Reply, is_old: bool) -> Vec<Value> {
    let mut parts = Vec::new();
    if !reply.text.is_empty() {
        parts.push(json!({ "text": reply.text }));
    }
    for (number, call) in reply.calls.iter().enumerate() {
        let mut part =
            json!({ "functionCall": { "id": call.id, "name": call.name, "args": call.arguments_object() } });
        if let (0, false, Some(map)) = (number, is_old, part.as_object_mut()) {
            map.insert("thoughtSignature".to_owned(), FOREIGN.into());
        }
        parts.push(part);
    }
    parts
}

/// What tools gave. Images stand in it for newer models, and behind it for older ones.
fn gave(results: &[ToolResult], ids: &[&str], is_old: bool) -> Vec<Value> {
    let (mut parts, mut behind) = (Vec::new(), Vec::new());
    for result in results {
        let from = if is_old { behind.len() } else { 0 };
        let (text, media) = result.as_text(from);
        let media: Vec<Part> = media.into_iter().map(Part::Media).collect();
        let shown: Vec<Value> = media.iter().filter_map(part).collect();
        let output = if shown.is_empty() { result.output.clone() } else { text.into() };
        // The format knows only objects; failures are sent as one.
        let key = if result.is_error { "error" } else { "output" };
        let is_an_object = result.is_error && output.is_object();
        let content = if is_an_object { output } else { json!({ key: output }) };
        let mut response = json!({ "name": result.name, "response": content });
        if let Some(map) = response.as_object_mut() {
            if ids.contains(&result.id.as_str()) {
                map.insert("id".to_owned(), result.id.as_str().into());
            }
            if is_old {
                behind.extend(shown);
            } else if !shown.is_empty() {
                map.insert("parts".to_owned(), shown.into());
            }
        }
        parts.push(json!({ "functionResponse": response }));
    }
    parts.extend(behind);
    parts
}

fn declaration(offer: &Offer) -> Value {
    offer.described(json!({ "name": offer.name, "parametersJsonSchema": narrow::plain(&offer.parameters()) }))
}

fn provided(offer: &ProvidedOffer) -> Value {
    match offer.tool.does {
        Provided::WebSearch => json!({ "googleSearch": {} }),
        Provided::CodeExecution => json!({ "codeExecution": {} }),
    }
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(json!({ "mode": "ANY" })),
        ToolChoice::None => Some(json!({ "mode": "NONE" })),
        ToolChoice::Named(tool) => Some(json!({ "mode": "ANY", "allowedFunctionNames": [tool] })),
    }
}

#[cfg(test)]
mod tests;
