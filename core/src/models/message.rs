//! The messages of a conversation as JSON: what models of the host receive, and what the state and callers keep.

use serde_json::Value;

use super::{Media, Part, Reply, ToolCall, ToolResult, Turn};
use crate::literal::json;

impl Turn {
    /// Bytes of its JSON that a model does not read as words: those of images and files.
    pub(crate) fn wordless_bytes(&self) -> usize {
        let wordless = |parts: &[Part]| {
            let media = parts.iter().map(|part| match part {
                Part::Media(media) => media.wordless_bytes(),
                Part::Text(_) => 0,
            });
            media.sum::<usize>()
        };
        match self {
            Self::User(parts) => wordless(parts),
            Self::Tools(results) => {
                results.iter().filter_map(ToolResult::parts).map(|parts| wordless(&parts)).sum()
            }
            Self::Assistant(_) => 0,
        }
    }

    /// `{ role, content }`, or `{ role: "tool", results }`.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::User(parts) => {
                json!({ "role": "user", "content": parts.iter().map(part).collect::<Vec<_>>() })
            }
            Self::Assistant(reply) => {
                let mut content = Vec::new();
                if !reply.reasoning.is_empty() {
                    content.push(json!({ "type": "reasoning", "text": reply.reasoning }));
                }
                if !reply.text.is_empty() {
                    content.push(json!({ "type": "text", "text": reply.text }));
                }
                content.extend(reply.calls.iter().map(call));
                let mut message = json!({ "role": "assistant", "content": content });
                if let (false, Some(map)) = (reply.echo.is_null(), message.as_object_mut()) {
                    map.insert("echo".to_owned(), reply.echo.clone());
                }
                message
            }
            Self::Tools(results) => {
                json!({ "role": "tool", "results": results.iter().map(result).collect::<Vec<_>>() })
            }
        }
    }
}

impl Reply {
    /// Adds a content part of an assistant's message; `false` if it is none. Images and files that a model made are
    /// left out: no endpoint takes them back.
    pub(crate) fn take_part(&mut self, part: &Value) -> bool {
        let text = |key| part.get(key).and_then(Value::as_str);
        let more = match (
            part.as_str().map_or_else(|| text("type"), |_| Some("text")),
            part.as_str().or(text("text")),
        ) {
            (Some("text"), Some(more)) => (&mut self.text, more),
            (Some("reasoning"), Some(more)) => (&mut self.reasoning, more),
            (Some("toolCall"), _) => {
                let (Some(id), Some(name)) = (text("id"), text("name")) else { return false };
                self.calls.push(ToolCall {
                    id: id.to_owned(),
                    name: name.to_owned(),
                    input: part.get("input").cloned().unwrap_or_default(),
                    broken: None,
                    is_cut_off: false,
                });
                return true;
            }
            _ => return Media::from_json(part).is_some(),
        };
        let (whole, more) = more;
        if !whole.is_empty() {
            whole.push_str("\n\n");
        }
        whole.push_str(more);
        true
    }
}

impl ToolResult {
    /// Reads one of the `results` of a message.
    pub(crate) fn from_json(json: &Value) -> Option<Self> {
        let text = |key| json.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            name: text("name")?,
            output: json.get("output").cloned().unwrap_or_default(),
            is_error: json.get("isError") == Some(&Value::Bool(true)),
        })
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Media(media) => media.to_json(),
    }
}

fn call(call: &ToolCall) -> Value {
    json!({ "type": "toolCall", "id": call.id, "name": call.name, "input": call.input })
}

fn result(result: &ToolResult) -> Value {
    let mut json = json!({ "id": result.id, "name": result.name, "output": result.output });
    if let (true, Some(map)) = (result.is_error, json.as_object_mut()) {
        map.insert("isError".to_owned(), true.into());
    }
    json
}
