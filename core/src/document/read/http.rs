//! Reads requests.

use indexmap::IndexMap;
use serde_json::Value;

use super::agents::secret;
use super::{Fault, Fields, FirstFault, expressions};
use crate::document::{
    Cursor, FormPart, HttpAuth, HttpBody, HttpRequest, McpTool, Method, Origins, Pages, ResponseForm, Secret,
};

pub(super) fn request(value: Value, first: &FirstFault) -> HttpRequest {
    let mut fields = Fields::of(value, first);
    HttpRequest {
        method: fields.word("method", Method::from_word),
        url: fields.text("url"),
        query: fields.templates("query"),
        headers: fields.templates("headers"),
        body: fields.maybe("body", body),
        auth: fields.maybe("auth", auth),
        origins: fields.maybe("origins", origins),
        success: fields.maybe_text("success"),
        response: fields.word("response", ResponseForm::from_word),
        max_bytes: fields.number("maxBytes"),
        result: fields.maybe_text("result"),
        pages: fields.maybe("pages", pages),
    }
}

impl Fields<'_> {
    fn templates(&mut self, key: &'static str) -> IndexMap<String, String> {
        self.maybe(key, expressions).unwrap_or_default()
    }

    fn secret(&mut self, key: &'static str) -> Secret {
        self.need(key, secret)
    }
}

fn body(value: Value, first: &FirstFault) -> HttpBody {
    let mut fields = Fields::of(value, first);
    if let Some(json) = fields.take("json") {
        return HttpBody::Json(json);
    }
    if let Some(form) = fields.maybe("form", expressions) {
        return HttpBody::Form(form);
    }
    if let Some(Value::Array(parts)) = fields.take("multipart") {
        return HttpBody::Multipart(parts.into_iter().map(|value| part(value, first)).collect());
    }
    HttpBody::Text { text: fields.text("text"), media_type: fields.maybe_text("type") }
}

fn part(value: Value, first: &FirstFault) -> FormPart {
    let mut fields = Fields::of(value, first);
    FormPart {
        name: fields.text("name"),
        text: fields.maybe_text("text"),
        file: fields.maybe_text("file"),
        media_type: fields.maybe_text("type"),
        filename: fields.maybe_text("filename"),
    }
}

fn auth(value: Value, first: &FirstFault) -> HttpAuth {
    let (kind, value) = Fields::of(value, first).map.into_iter().next().unwrap_or_default();
    if kind == "bearer" {
        return HttpAuth::Bearer(secret(value, first));
    }
    let mut fields = Fields::of(value, first);
    match kind.as_str() {
        "basic" => HttpAuth::Basic { user: fields.text("user"), password: fields.secret("password") },
        "header" => HttpAuth::Header { name: fields.text("name"), value: fields.secret("value") },
        "query" => HttpAuth::Query { name: fields.text("name"), value: fields.secret("value") },
        "oauth2" => HttpAuth::Oauth2 {
            token_url: fields.text("tokenUrl"),
            client_id: fields.text("clientId"),
            client_secret: fields.secret("clientSecret"),
            scope: fields.maybe_text("scope"),
        },
        _ => {
            first.note(Fault::Unfit("auth"));
            HttpAuth::Bearer(Secret { secret: String::new() })
        }
    }
}

/// A tool of an MCP server, which lets in by the secrets that requests take along.
pub(super) fn mcp_tool(value: Value, first: &FirstFault) -> McpTool {
    let mut fields = Fields::of(value, first);
    McpTool {
        url: fields.text("url"),
        tool: fields.text("tool"),
        hash: fields.text("hash"),
        auth: fields.maybe("auth", auth),
        elicitation: fields.is_true("elicitation"),
    }
}

fn origins(value: Value, first: &FirstFault) -> Origins {
    let Value::Array(origins) = value else { return Origins::Any };
    let mut read = Vec::with_capacity(origins.len());
    for origin in origins {
        match origin {
            Value::String(origin) => read.push(origin),
            _ => first.note(Fault::Unfit("origins")),
        }
    }
    Origins::Some(read)
}

fn pages(value: Value, first: &FirstFault) -> Pages {
    let mut fields = Fields::of(value, first);
    let cursor = |value, first: &FirstFault| {
        let mut fields = Fields::of(value, first);
        Cursor { query: fields.text("query"), value: fields.text("value") }
    };
    Pages {
        next: fields.maybe_text("next"),
        cursor: fields.maybe("cursor", cursor),
        items: fields.maybe_text("items"),
        max: fields.need_number("max"),
    }
}
